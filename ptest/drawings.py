"""Tests the drawings of maps and plans: tiles of random maps, compared with the owner of each element; bytes of plans, compared with
those that ranks report; large arrays; maps that cannot be drawn; plots, if matplotlib is installed.

Usage: drawings.py ROUNDS [SEED]"""

import random
import re
import xml.etree.ElementTree

import numpy
import reblock
from checks import any_layout, comm, holds, rank, ranks, run, throws
from reblock import _draw, _tiles

SVG = "{http://www.w3.org/2000/svg}"


def layout_of(draw, shape):
    """Returns a random layout; one axis may be GEN_BLOCK or INDIRECT."""
    text = any_layout(draw, shape)[0]
    axis = draw.randrange(len(shape))
    formats = ["*"] * len(shape)
    kind = draw.randrange(3)
    if kind == 0:
        return text
    if kind == 1:
        cuts = sorted(draw.randint(0, shape[axis]) for _ in range(ranks - 1))
        sizes = [end - start for start, end in zip([0, *cuts], [*cuts, shape[axis]])]
        formats[axis] = f"GEN_BLOCK({','.join(map(str, sizes))})"
    else:
        formats[axis] = f"INDIRECT({','.join(str(draw.randrange(ranks)) for _ in range(shape[axis]))})"
    return f"({','.join(formats)}) ONTO P({ranks})"


def well_formed(svg, what):
    root = xml.etree.ElementTree.fromstring(svg)
    holds(root.tag == f"{SVG}svg" and root.find(f"{SVG}title") is not None, f"{what}: an SVG with a title")
    return root


def words(drawn):
    """Returns all texts of a drawing as one text, since long texts have several lines."""
    return " ".join(text.text for text in xml.etree.ElementTree.fromstring(drawn._repr_svg_()).iter(f"{SVG}text"))


def tiles(draw):
    shape = tuple(draw.randint(1, 12) for _ in range(draw.randint(1, 3)))
    layout, most = layout_of(draw, shape), draw.randint(1, 8)
    map, what = reblock.Map(shape, layout), f"{shape} {layout}, {most} tiles"
    # The ranks that have each element, from the indices of each rank's part.
    have = comm.allgather(map.indices() if map.has_part else None)
    view = _tiles.views(map)[0]
    found = _tiles.tiles_of(view, view.extents, most)
    covered, exact = 0, True
    for tile in found.tiles:
        owners = set()
        for i in range(*tile.row[:2]):
            for j in range(*tile.column[:2]):
                index = [0] * len(shape)
                if view.rows is not None:
                    index[view.rows] = i
                index[view.columns] = j
                owners.add(tuple(r for r in range(ranks) if have[r] is not None and all(n in along for n, along in zip(index, have[r]))))
                covered += 1
        want = owners.pop() if len(owners) == 1 else ()
        exact &= want != ()
        # A tile with several blocks may be striped although all blocks have one owner by chance, with INDIRECT or few processes.
        holds(tile.ranks == want or (tile.ranks == () and not found.exact), f"{what}: {tile}, expected {want}")
    holds(covered == view.extents[0] * view.extents[1], f"{what}: {covered} elements in tiles")
    holds(exact or not found.exact, f"{what}: the tiles are said to be exact")
    well_formed(map._repr_svg_(), what)


def bytes_of_plans(draw):
    shape = tuple(draw.randint(1, 12) for _ in range(draw.randint(1, 3)))
    source, target = reblock.Map(shape, layout_of(draw, shape)), reblock.Map(shape, layout_of(draw, shape))
    plan, what = reblock.Plan(source, target, draw.choice(["f8", "i2", "V3"])), f"{source} to {target}"
    explained = _draw.explained(plan)
    entries = explained["traffic"]
    moved = sum(amount for sender, receiver, amount in entries if sender != receiver)
    kept = sum(amount for sender, receiver, amount in entries if sender == receiver)
    holds(comm.allgather(entries) == [entries] * ranks, f"{what}: ranks report different traffic")
    if explained["phases"] == 1:
        sent, stays = (comm.allreduce(explained["rank"][f"{name}_bytes"]) for name in ("sent", "kept"))
        holds((moved, kept) == (sent, stays), f"{what}: {moved} and {kept} bytes, but ranks sent {sent} and kept {stays}")
    root = well_formed(plan._repr_svg_(), what)
    titles = [title.text for title in root.iter(f"{SVG}title")]
    number = {"→": 0, "keeps": 0}
    for title in titles:
        match = re.match(r"rank \d+ (→|keeps) .*?([\d,]+) bytes$", title)
        if match:
            number[match[1]] += int(match[2].replace(",", ""))
    holds((number["→"], number["keeps"]) == (moved, kept), f"{what}: the matrix shows {number}, expected {moved} and {kept}")


def bytes_of_copies():
    """Checks the messages of plans that read each copy of the source, or repeat it along axes of the target."""
    line, rows = reblock.Map((24,), "(BLOCK)"), reblock.Map((3, 24), f"(*,CYCLIC(2)) ONTO P({ranks})")
    everywhere = reblock.Map((24,), f"(*) ONTO P({ranks})")
    for what, plan in [
        ("copies", reblock.Plan(everywhere, line, float, copies=True)),
        ("spread", reblock.Plan(line, rows, float, spread=(0,))),
    ]:
        explained = _draw.explained(plan)
        moved = sum(amount for sender, receiver, amount in explained["traffic"] if sender != receiver)
        sent = comm.allreduce(explained["rank"]["sent_bytes"])
        holds(moved == sent and (ranks == 1 or sent > 0), f"{what}: {moved} bytes, but ranks sent {sent}")


def special():
    """Checks drawings of large, closed and empty maps, and of boxes. Only one rank draws: a drawing is not collective."""
    large = reblock.Map((10**6, 10**6), f"(CYCLIC(3),BLOCK) ONTO P({ranks},1)")
    other = reblock.Map((10**6, 10**6), f"(BLOCK,CYCLIC(64)) ONTO P(1,{ranks})")
    plan = reblock.Plan(large, other, float)
    cyclic = reblock.Map((10**9,), f"(CYCLIC(7)) ONTO P({ranks})")
    if rank == 0:
        for each in (large, other, plan, cyclic):
            svg = each._repr_svg_()
            well_formed(svg, f"{each}")
            holds(len(svg) < 500_000, f"{each}: a drawing of {len(svg)} bytes")
            holds(("Magnified" in svg) == (ranks > 1), f"{each}: a magnified corner")
    box = reblock.map_from_boxes((4, ranks), [(slice(0, 4), slice(rank, rank + 1))])
    holds(box._repr_svg_() is None, "boxes are drawn")
    holds(reblock.Plan(box, reblock.Map((4, ranks), "(*,BLOCK)"), float)._repr_svg_() is not None, "a plan of boxes is not drawn")
    holds(reblock.Map((0, 5), "(BLOCK,*)")._repr_svg_() is None, "an empty array is drawn")
    closed = reblock.Map((5,), "(BLOCK)")
    copies = reblock.Map((5,), f"(*) ONTO P({ranks})")
    sentence = f"Each element is on {ranks} ranks; the number is that of one rank."
    holds((sentence in words(copies)) == (ranks > 1), "the drawing does not say that there are copies")
    shifted = reblock.Plan.cshift(closed, closed, float, [1])
    well_formed(shifted._repr_svg_(), "a shift")
    turned = reblock.Plan(reblock.Map((4, 6), "(BLOCK,*)"), reblock.Map((6, 4), "(BLOCK,*)"), float, axes=(1, 0))
    root = well_formed(turned._repr_svg_(), "a transpose")
    names = [text for text in root.iter(f"{SVG}text") if text.text in ("before", "after")]
    holds(len({text.get("y") for text in names}) == 1, "the sides of a transpose are not side by side")
    straight = reblock.Plan(reblock.Map((4, 6), "(BLOCK,*)"), reblock.Map((4, 6), "(*,BLOCK)"), float, axes=(0, 1))
    holds("before, " not in words(straight), "the drawing names axes that stay where they are")
    turned = reblock.Plan(reblock.Map((4, 6, 5), "(BLOCK,*,*)"), reblock.Map((5, 4, 6), "(*,*,BLOCK)"), float, axes=(1, 2, 0))
    sentence = "Rows and columns: axes 0 and 1 before, 1 (0 before) and 2 (1 before) after. The others are at index 0."
    holds(sentence in words(turned), "the drawing of a permutation does not name its planes")
    shifted.close()
    closed.close()
    holds(closed._repr_svg_() is None and shifted._repr_svg_() is None, "what is closed is drawn")


def plots():
    try:
        import matplotlib
    except ImportError:
        throws("plot_map needs matplotlib", "no matplotlib", lambda: reblock.plot_map(reblock.Map((5,), "(BLOCK)")), ImportError)
        return
    matplotlib.use("Agg")
    import matplotlib.pyplot

    map = reblock.Map((8, 12), f"(CYCLIC(2),*) ONTO P({ranks})")
    axes = reblock.plot_map(map)
    tiles = [patch for patch in axes.patches if patch.get_width() > 0]
    holds(len(tiles) == (4 if ranks > 1 else 1), f"{len(tiles)} tiles are plotted")
    holds([text.get_text() for text in axes.texts] == [str(k % ranks) for k in range(len(tiles))], "numbers of a plot")
    holds(reblock.plot_map(map, axes) is axes and axes.get_ylim() == (8, 0), "axes of a plot")
    closed = reblock.Map((5,), "(BLOCK)")
    closed.close()
    throws("cannot be plotted", "a closed map", lambda: reblock.plot_map(closed), reblock.ArgumentError)
    matplotlib.pyplot.close("all")


run("python, drawings", [tiles, bytes_of_plans], [special, bytes_of_copies, plots])
