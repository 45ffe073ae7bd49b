"""The 2-D Fourier transform of a NumPy array that is distributed over all ranks: mpirun -n 4 python3 numpy_move.py

Each rank transforms its rows, the array moves so that each rank has whole columns, and those are transformed."""

import sys

import numpy
import reblock
from mpi4py import MPI

comm = MPI.COMM_WORLD
shape = (90, 120)
rows, columns = "(BLOCK,*)", "(*,BLOCK)"

# This rank's rows of the whole array. Only the check needs the whole array, to compare the result with numpy.fft.
whole = numpy.random.default_rng(1).random(shape) + 0j
mine = reblock.Map(shape, rows).indices()
a = whole[numpy.ix_(*mine)]

a = numpy.fft.fft(a, axis=1)
a = reblock.move(a, rows, columns, shape)
a = numpy.fft.fft(a, axis=0)

# A program that repeats this move keeps a plan, which also has a reverse.
plan = reblock.Plan(reblock.Map(shape, columns), reblock.Map(shape, rows), a.dtype)
result = plan.move(a)
assert numpy.array_equal(plan.reverse().move(result), a)

error = comm.allreduce(abs(result - numpy.fft.fft2(whole)[numpy.ix_(*mine)]).max(initial=0), MPI.MAX)
if comm.rank == 0:
    print(f"numpy_move: {'correct' if error < 1e-9 else 'WRONG'}: the largest error is {error:.1e}")
sys.exit(0 if error < 1e-9 else 1)
