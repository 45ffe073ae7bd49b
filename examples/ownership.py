"""Who owns which part of a matrix, before and after a move: mpirun -n 4 python3 ownership.py [FOLDER], or cell by cell in a notebook,
for instance one of ipyparallel with its engines started by MPI. Plots are made with matplotlib if it is installed."""

# %% A plan from blocks of rows to a block-cyclic layout, as ScaLAPACK's routines need it.
import sys

import numpy
import reblock
from mpi4py import MPI

comm = MPI.COMM_WORLD
folder = sys.argv[1] if len(sys.argv) == 2 else "."
shape = (96, 60)
grid = f"P({comm.size // 2},2)" if comm.size % 2 == 0 else f"P({comm.size},1)"
rows = reblock.Map(shape, "(BLOCK,*)")
tiles = reblock.Map(shape, f"(CYCLIC(16),CYCLIC(16)) ONTO {grid}")
plan = reblock.Plan(rows, tiles, float)

# %% In a notebook, a cell that ends with a map or a plan shows its drawing. A program can write it to a file.
drawing = plan._repr_svg_()
if comm.rank == 0:
    with open(f"{folder}/ownership.svg", "w", encoding="utf-8") as file:
        file.write(drawing)

# %% The same with matplotlib, beside other plots of the program.
try:
    import matplotlib.pyplot
except ImportError:
    matplotlib = None
if matplotlib and comm.rank == 0:
    figure, axes = matplotlib.pyplot.subplots(1, 2, figsize=(8, 5))
    reblock.plot_map(plan.source, axes[0])
    reblock.plot_map(plan.target, axes[1])
    figure.savefig(f"{folder}/ownership.png")

# %% The move itself: each element of the target is the one that the map names.
i, j = rows.indices()
moved = plan.move(1000.0 * i[:, None] + j)
i, j = tiles.indices()
is_right = comm.allreduce(numpy.array_equal(moved, 1000.0 * i[:, None] + j), MPI.LAND)
if comm.rank == 0:
    print(f"ownership: {'correct' if is_right else 'WRONG'}")
sys.exit(0 if is_right else 1)
