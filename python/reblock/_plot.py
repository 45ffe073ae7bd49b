"""Plots of maps with matplotlib, which is imported only here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._calls import check_mpi
from ._draw import is_drawn
from ._errors import ArgumentError
from ._tiles import MAX_TILES, MAX_VECTOR_TILES, Tile, tiles_of, views

if TYPE_CHECKING:
    from ._map import Map

# Paul Tol's "light" colours, as in drawing.css.
COLOURS = ["#77aadd", "#eedd88", "#ffaabb", "#99ddff", "#44bb99", "#bbcc33", "#d9b8ee"]


def plot_map(map: Map, ax: Any = None) -> Any:
    """Plots who owns which part of an array, with matplotlib, and returns the axes. `ax` are the axes to draw in, by default new
    ones. Tiles are blocks; if there are more than can be drawn, hatched tiles have blocks of several ranks. Two axes of the array
    are drawn, with all others at index 0. A tile with copies has the number of the lowest rank. Not collective: one rank may plot.

        fig, axes = matplotlib.pyplot.subplots(1, 2)
        reblock.plot_map(plan.source, axes[0])
        reblock.plot_map(plan.target, axes[1])
    """
    try:
        import matplotlib.pyplot
        from matplotlib.patches import Rectangle
    except ImportError as bad:
        raise ImportError(f"plot_map needs matplotlib: {bad}") from bad
    if not is_drawn(map):
        raise ArgumentError(f"{map!r} cannot be plotted, expected elements whose owners each rank can compute")
    check_mpi()
    if ax is None:
        ax = matplotlib.pyplot.subplots()[1]
    view = views(map)[0]
    found = tiles_of(view, view.extents, MAX_VECTOR_TILES if view.rows is None else MAX_TILES)
    ranks = map.comm.size
    scale = matplotlib.pyplot.get_cmap("viridis")

    def colour(tile: Tile) -> Any:
        first = tile.ranks[0]
        return COLOURS[(first + first // 7) % 7] if ranks <= 32 else scale(first / ranks)

    for tile in found.tiles:
        (top, bottom), (left, right) = tile.row[:2], tile.column[:2]
        size = (left, top), right - left, bottom - top
        if not tile.ranks:
            ax.add_patch(Rectangle(*size, facecolor="#dfe2e7", edgecolor="#8b929c", hatch="////", linewidth=0))
            continue
        ax.add_patch(Rectangle(*size, facecolor=colour(tile), edgecolor="white", linewidth=0.5))
        if len(found.tiles) <= 400:
            label = str(tile.ranks[0]) + ("+" if tile.copies > 1 else "")
            ax.text((left + right) / 2, (top + bottom) / 2, label, ha="center", va="center", fontsize="small", clip_on=True)
    ax.set_xlim(0, view.extents[1])
    ax.set_ylim(view.extents[0], 0)
    ax.set_xlabel(f"index of axis {view.columns}")
    if view.rows is None:
        ax.set_yticks([])
    else:
        ax.set_ylabel(f"index of axis {view.rows}")
    copies = max(tile.copies for tile in found.tiles)
    note = f"\n+: copies, each element is on {copies:,} ranks" if copies > 1 else ""
    ax.set_title(map._text() + note, fontsize="small")
    return ax
