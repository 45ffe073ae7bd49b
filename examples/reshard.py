"""A tensor moves from the mesh on which it was trained to other ranks, which serve it: mpirun -n 4 python3 reshard.py

Its blocks are on a 2 x 2 mesh of ranks 0 to 3, and its rows go to ranks 1 to 3. Gradients are summed on the way to blocks."""

import sys

import numpy
import reblock
from mpi4py import MPI
from reblock import Partial, Replicate, Shard

comm = MPI.COMM_WORLD
if comm.size != 4:
    sys.exit("reshard: run it on 4 ranks")
shape = (10, 7)

# Only the check needs the whole tensor. Chunks are of 5 rows, and of 4 and 3 columns.
whole = numpy.arange(70.0).reshape(shape)
row, column = divmod(comm.rank, 2)
block = whole[5 * row : 5 * row + 5, 4 * column : 4 * column + 4]
mine = block

mesh = (2, 2)
trained = reblock.from_placements(mesh, [Shard(0), Shard(1)], shape)
served = reblock.from_placements(reblock.Mesh((3,), ranks=[1, 2, 3]), [Shard(0)], shape)
mine = reblock.redistribute(mine, trained, served)

# Rank 1 has rows 0 to 3, rank 2 rows 4 to 7, and rank 3 the last two.
wrong = comm.rank > 0 and not numpy.array_equal(mine, whole[4 * comm.rank - 4 : 4 * comm.rank])

# Each pair of ranks along the first axis of the mesh has its own gradient of the columns that it shares.
gradients = reblock.from_placements(mesh, [Partial("sum"), Replicate()], shape)
summed = reblock.redistribute(whole * (row + 1), gradients, trained)
wrong = comm.allreduce(wrong or not numpy.array_equal(summed, 3 * block), MPI.LOR)

if comm.rank == 0:
    print(f"reshard: {'WRONG' if wrong else 'correct'}")
sys.exit(wrong)
