"""Drawings of maps and plans as SVG, which Jupyter shows: the tiles of an array with their owners, and who sends how much to whom.
They look like those of the command `reblock explain --draw`, and use its colours (drawing.css). They need only a few kinds of
elements, so this module writes them as text: a library for SVG would be one more package to install."""

from __future__ import annotations

import ctypes
import json
import math
import pathlib
import textwrap
from html import escape
from typing import TYPE_CHECKING, Any

from ._calls import check_mpi, must
from ._errors import Error
from ._library import lib
from ._prototypes import Number
from ._tiles import CORNER_TILES, MAX_TILES, MAX_VECTOR_TILES, Tile, Tiles, View, corner, tiles_of
from ._tiles import views as views_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._map import Map
    from ._plan import Plan

WIDTH, GAP = 440.0, 16.0
# Most groups of ranks, and the smallest cell of a matrix with a title.
MAX_GROUPS, SINGLE_CELL = 64, 7.0
UNITS = [("PiB", 50), ("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)]


def number(value: float) -> str:
    """Returns a coordinate with at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def element(name: str, content: str = "", **attributes: Any) -> str:
    """Returns an element; `content` is SVG. Underscores stand for the hyphens of names, one at the end for nothing."""
    named = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items()}
    written = "".join(f' {key}="{escape(number(value) if isinstance(value, float) else str(value))}"' for key, value in named.items())
    return f"<{name}{written}>{content}</{name}>" if content else f"<{name}{written}/>"


def text(content: object, x: float, y: float, size: float, class_: str = "", anchor: str = "start") -> str:
    more = {} if anchor == "start" else {"text_anchor": anchor}
    return element("text", escape(str(content)), x=x, y=y, font_size=size, class_=class_, **more)


def box(x: float, y: float, width: float, height: float, class_: str, content: str = "", **more: Any) -> str:
    return element("rect", content, x=x, y=y, width=width, height=height, class_=class_, **more)


def title(content: str) -> str:
    return element("title", escape(content))


def written(amount: int) -> str:
    """Returns bytes in the largest unit that fits."""
    for unit, power in UNITS:
        if amount >> power:
            return f"{amount / 2**power:.1f} {unit}"
    return f"{amount} B"


def cut(content: str, room: float, size: float) -> str:
    """Returns as much of a text as fits into `room` units."""
    most = int(room / (0.56 * size))
    return content if len(content) <= most else content[: most - 1] + "…"


def colour(rank: int, ranks: int) -> str:
    """Returns the class of a rank's colour: distinct colours for few ranks, a scale for many."""
    group, groups = group_of(rank, ranks), -(-ranks // group_size(ranks))
    return f"c{(group + group // 7) % 7}" if groups <= 32 else f"s{group * 16 // groups}"


def group_size(ranks: int) -> int:
    return int(1 << (-(-ranks // MAX_GROUPS) - 1).bit_length())


def group_of(rank: int, ranks: int) -> int:
    return rank // group_size(ranks)


def named(ranks: tuple[int, ...], copies: int) -> str:
    if copies == 1:
        return f"rank {ranks[0]}"
    shown = ", ".join(map(str, ranks[:8])) + (", …" if copies > 8 else "")
    return f"copies on {copies} ranks: {shown}"


def tiled(found: Tiles, x: float, y: float, width: float, height: float, me: int, ranks: int) -> str:
    """Draws tiles. Those of one owner are one path, so that a browser can emphasise all of them at the pointer."""
    last = found.tiles[-1]
    paths: dict[tuple[str, str], str] = {}
    stripes, labels = "", ""
    for tile in found.tiles:
        left, right = (x + width * at / last.column.end for at in tile.column[:2])
        top, bottom = (y + height * at / last.row.end for at in tile.row[:2])
        key, label = described(tile, me, ranks)
        corners = number(left), number(top), number(right - left), number(bottom - top)
        paths[key] = paths.get(key, "") + "M{0} {1}h{2}v{3}h-{2}z".format(*corners)
        if not tile.ranks:
            stripes += f"M{number(left)} {number(bottom)}L{number(right)} {number(top)}"
        for size in (12.0, 10.0, 8.0):
            if label and bottom - top >= size + 1 and right - left >= 0.58 * size * len(label) + 1:
                middle = (left + right) / 2, (top + bottom) / 2 + 0.36 * size
                labels += text(label, *middle, size, "bold" if key[0].endswith("chosen") else "", "middle")
                break
    drawn = box(x, y, width, height, "blank")
    drawn += "".join(element("path", title(about), d=path, class_=f"tile {kind}") for (kind, about), path in sorted(paths.items()))
    if stripes:
        drawn += element("path", d=stripes, class_="stripe label", stroke_width="0.6")
    stroke = "0.4" if len(found.tiles) > 576 else "1"
    return element("g", drawn + element("g", labels, class_="label"), stroke_width=stroke)


def described(tile: Tile, me: int, ranks: int) -> tuple[tuple[str, str], str]:
    """Returns the class and the title of a tile, and the number on it."""
    if not tile.ranks:
        return ("mixed", "blocks of several ranks"), ""
    first = me if me in tile.ranks else tile.ranks[0]
    kind = "chosen" if me in tile.ranks else colour(first, ranks)
    label = str(first) if tile.copies == 1 else f"{first}+"
    return (kind, named(tile.ranks, tile.copies)), label


class Column:
    """Parts of a drawing below each other."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.height = 0.0

    def write(self, content: str, size: float, class_: str = "") -> None:
        for line in textwrap.wrap(content, int(WIDTH / (0.56 * size))):
            self.height += 1.35 * size
            self.parts.append(text(line, 0.0, self.height, size, class_))

    def svg(self, name: str) -> str:
        style = (pathlib.Path(__file__).parent / "drawing.css").read_text(encoding="utf-8")
        size = f"{number(WIDTH + 16)} {number(self.height + 12)}"
        inside = element("g", "".join(self.parts), transform="translate(8 4)")
        shown = {"viewBox": f"0 0 {size}", "width": number(1.4 * (WIDTH + 16)), "height": number(1.4 * (self.height + 12))}
        return element("svg", title(name) + element("style", style) + inside, xmlns="http://www.w3.org/2000/svg", class_="rb", role="img", **shown)


def panels(column: Column, views: list[View], names: list[str], layouts: list[str], parts: list[tuple[int, int]], most: int) -> list[Tiles]:
    """Draws the tiles of each view with a name above: side by side, those of vectors below each other."""
    is_vector = views[0].rows is None
    side = len(views) > 1 and not is_vector
    width = (WIDTH - GAP) / 2 if side else WIDTH if is_vector else 0.6 * WIDTH
    top, found = column.height, []
    for k, (view, name, layout, part) in enumerate(zip(views, names, layouts, parts)):
        x, y = (k * (width + GAP), top) if side else (0.0, column.height)
        height = 34.0 if is_vector else width * min(max(part[0] / part[1], 0.4), 1.3)
        column.parts.append(text(name, x, y + 15, 12.0, "bold"))
        if layout:
            y += 13
            column.parts.append(text(cut(layout, WIDTH if not side else width, 10.0), x, y + 15, 10.0, "quiet"))
        found.append(tiles_of(view, part, MAX_VECTOR_TILES if is_vector else most))
        comm = view.map.comm
        column.parts.append(tiled(found[-1], x, y + 20, width, height, comm.rank, comm.size))
        column.height = max(column.height, y + 20 + height)
    return found


def owners(column: Column, views: list[View], names: list[str], axes: Sequence[int] | None = None) -> None:
    """Draws the tiles of each view, and those of a corner if they are not blocks. Axis k of the first view's map is axis `axes[k]` of
    the second one's, if a plan permutes axes."""
    layouts = [view.map._text().partition("DISTRIBUTE ")[2] or view.map._text() for view in views]
    found = panels(column, views, names, layouts, [view.extents for view in views], MAX_TILES)
    if any(each.sampled for each in found):
        column.write("An INDIRECT axis is long: the owners of some indices of each tile are read.", 10.0, "quiet")
    (rows, columns), several = views[0][1:], len(views[0].map.shape) > 2
    if rows is not None and (several or axes is not None):
        note = f"Rows: axis {rows}; columns: axis {columns}."
        if axes is not None:
            before: list[int | None] = [*axes]
            after = " and ".join(f"{axis} ({before.index(axis)} before)" for axis in views[1][1:])
            note = f"Rows and columns: axes {rows} and {columns} before, {after} after."
        column.write(note + (" The others are at index 0." if several else ""), 10.0, "quiet")
    copies = [(max(tile.copies for tile in each.tiles), name) for each, name in zip(found, names)]
    note = ", on ".join(f"{count:,} ranks{'' if name == 'owners' else f' {name}'}" for count, name in copies if count > 1)
    if note:
        column.write(f"+: copies. Each element is on {note}; the number is that of one rank.", 10.0, "quiet")
    if all(each.exact or each.sampled for each in found):
        return
    parts = [corner(view) for view in views]
    if len({view[1:] for view in views}) == 1:
        parts = [(min(part[0] for part in parts), min(part[1] for part in parts))] * len(parts)
    column.height += GAP / 2
    extents = f"{parts[0][1]:,}" if views[0].rows is None else f"{parts[0][0]:,} × {parts[0][1]:,}"
    column.write(f"Striped: blocks of several ranks. Magnified: the first {extents} elements.", 10.0)
    panels(column, views, [f"{name}, magnified" for name in names], [""] * len(views), parts, CORNER_TILES + 2)


def is_drawn(map: Any) -> bool:
    """Returns whether the owners of all elements can be asked: not those of boxes, which other ranks do not know."""
    return getattr(map, "_boxes", 0) is None and bool(map._held.value) and len(map.shape) > 0 and 0 not in map.shape


def map_svg(map: Map) -> str | None:
    """Returns the drawing of a map; None if it is closed or empty, or if this rank does not know all owners."""
    if not is_drawn(map):
        return None
    check_mpi()
    column = Column()
    try:
        owners(column, views_of(map), ["owners"])
    except Error:  # Each rank has only its own indices of an INDIRECT axis.
        return None
    shape = " × ".join(f"{extent:,}" for extent in map.shape)
    mine = f"this is rank {map.comm.rank} of {map.comm.size}, with a part of {' × '.join(f'{n:,}' for n in map.local_shape)}"
    column.write(f"{shape} elements; {mine if map.has_part else f'this is rank {map.comm.rank}, without a part'}", 11.0)
    return column.svg(repr(map))


def explained(plan: Plan) -> dict[str, Any]:
    """Returns the library's description of a plan."""
    length = Number()
    must(lib.reblock_plan_explain(plan._handle, None, 0, ctypes.byref(length)))
    room = ctypes.create_string_buffer(length.value + 1)
    must(lib.reblock_plan_explain(plan._handle, room, len(room), None))
    found: dict[str, Any] = json.loads(room.value.decode())
    return found


def plan_svg(plan: Plan) -> str | None:
    """Returns the drawing of a plan: what its maps look like, and who sends how much to whom. None if it is closed."""
    if not plan._held.value:
        return None
    check_mpi()
    column, both = Column(), (plan.source, plan.target)
    ends: list[Any] = [end for end in both if is_drawn(end)]
    try:
        if len(ends) == 2 and len(ends[0].shape) == len(ends[1].shape):
            axes = plan._options.get("axes")
            if axes is not None and [*axes] == sorted(axes):
                axes = None
            owners(column, views_of(*ends, axes=axes), ["before", "after"], axes)
        else:
            for end in ends:
                owners(column, views_of(end), ["before" if end is plan.source else "after"])
    except Error:
        column = Column()
    found = explained(plan)
    parts = found.get("parts", [found])
    mine = {name: sum(part["rank"][f"{name}_bytes"] for part in parts) for name in ("sent", "received", "kept")}
    column.height += GAP / 2
    column.write(f"Rank {plan.comm.rank}: " + ", ".join(f"{written(amount)} {name}" for name, amount in mine.items()), 11.0, "bold")
    if all(part.get("traffic") is not None for part in parts):
        cells: dict[tuple[int, int], int] = {}
        for sender, receiver, amount in (entry for part in parts for entry in part["traffic"]):
            key = group_of(sender, plan.comm.size), group_of(receiver, plan.comm.size)
            cells[key] = cells.get(key, 0) + amount
        matrix(column, cells, plan.comm.rank, plan.comm.size)
    return column.svg(repr(plan))


def matrix(column: Column, cells: dict[tuple[int, int], int], me: int, ranks: int) -> None:
    """Draws who sends how much to whom, between groups of ranks, with the sums of both sides. Data that stays is grey."""
    size = group_size(ranks)
    senders, receivers = (sorted({key[end] for key in cells}) for end in (0, 1))
    if not cells:
        return
    most, side = max(cells.values()), min((WIDTH - 112) / max(len(senders), len(receivers)), 44.0)
    unit, power = next(((unit, power) for unit, power in UNITS if most >> power >= 4), ("bytes", 0))

    def short(amount: int) -> str:
        value = amount / 2**power
        return str(amount) if power == 0 else "<0.1" if 0 < value < 0.095 else f"{value:.1f}" if value < 9.95 else f"{value:.0f}"

    def name(group: int) -> str:
        return f"rank {group}" if size == 1 else f"ranks {group * size} to {min((group + 1) * size, ranks) - 1}"

    column.height += GAP
    column.write(f"Who sends how much to whom: from ↓ to →, in {unit}; grey: kept", 12.0, "bold")
    left, top = 34.0, column.height + 22
    parts = column.parts
    parts.append(box(left, top, side * len(receivers), side * len(senders), "blank"))
    # Many cells are small: those of about one shade are one path, without titles.
    shades: dict[str, str] = {}
    for (sender, receiver), amount in sorted(cells.items()):
        x, y = left + side * receivers.index(receiver), top + side * senders.index(sender)
        stays = sender == receiver and size == 1
        if side < SINGLE_CELL:
            level = "kept" if stays else number(0.15 + 0.85 * math.ceil(8 * amount / most) / 8)
            shades[level] = shades.get(level, "") + "M{0} {1}h{2}v{2}h-{2}z".format(number(x), number(y), number(side))
            continue
        about = title(f"{name(sender)} keeps {amount:,} bytes" if stays else f"{name(sender)} → {name(receiver)}: {amount:,} bytes")
        shade = {} if stays else {"fill_opacity": number(0.15 + 0.85 * amount / most)}
        parts.append(box(x + 0.5, y + 0.5, side - 1, side - 1, "kept" if stays else "flow", about, **shade))
        if side >= 20:
            parts.append(text(short(amount), x + side / 2, y + side / 2 + 3.5, 11.0 if side >= 30 else 9.0, "label", "middle"))
    for level, path in shades.items():
        more = {} if level == "kept" else {"fill_opacity": level}
        parts.append(element("path", d=path, class_="kept" if level == "kept" else "flow", **more))
    sums: list[dict[int, int]] = [{}, {}]
    for key, amount in cells.items():
        for group, of_end in zip(key, sums):
            of_end[group] = of_end.get(group, 0) + amount
    scale = 44 / max(max(each.values()) for each in sums)
    mine, thick = group_of(me, ranks), min(0.7 * side, 16.0)
    for k, group in enumerate(senders):
        y = top + side * (k + 0.5)
        if side >= 10 or k % 4 == 0:
            parts.append(text(group * size, left - 4, y + 3.6, 10.0, "bold" if group == mine else "quiet", "end"))
        end = left + side * len(receivers) + 6
        about = title(f"{name(group)}: {sums[0][group]:,} bytes sent or kept")
        parts.append(box(end, y - thick / 2, scale * sums[0][group], thick, "flow", about))
        if side >= 10:
            parts.append(text(short(sums[0][group]), end + scale * sums[0][group] + 3, y + 3.2, 9.0))
    bottom = top + side * len(senders) + 6
    for k, group in enumerate(receivers):
        x = left + side * (k + 0.5)
        if side >= 20 or k % 4 == 0:
            parts.append(text(group * size, x, top - 4, 10.0, "bold" if group == mine else "quiet", "middle"))
        about = title(f"{name(group)}: {sums[1][group]:,} bytes received or kept")
        parts.append(box(x - thick / 2, bottom, thick, scale * sums[1][group], "flow", about))
        if side >= 20:
            parts.append(text(short(sums[1][group]), x, bottom + scale * sums[1][group] + 9, 9.0, "", "middle"))
    column.height = bottom + 56
