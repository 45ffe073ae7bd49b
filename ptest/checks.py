"""Checks, random layouts and naive dealing of elements, for all tests of the Python package."""

import random
import sys
import time
import traceback

import numpy
import reblock
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
wrong = checks = 0
KINDS = [kind for kind in vars(reblock).values() if isinstance(kind, type) and issubclass(kind, reblock.Error) and kind is not reblock.Error]
TYPES = ["<f8", "<c16", ">i2", "S3", "?", [("x", "<f4"), ("n", "<i8")]]


def holds(good, what):
    global wrong, checks
    checks += 1
    if not good:
        wrong += 1
        print(f"rank {rank}: {what}", file=sys.stderr)


def throws(text, what, call, kind=reblock.Error):
    """Checks that all ranks get an exception of one class, whose text contains `text`."""
    raised = None
    try:
        call()
        holds(False, f"{what}: nothing is raised")
    except Exception as error:
        raised = error
        holds(isinstance(error, kind) and text in str(error), f"{what}: {type(error).__name__}: {error}, expected {text!r}")
        holds(not isinstance(error, reblock.Error) or type(error) in KINDS, f"{what}: {type(error)} has no class of its own")
    of_all = comm.allgather(type(raised).__name__)
    holds(len(set(of_all)) == 1, f"{what}: ranks raise different classes: {of_all}")


def any_layout(draw, shape):
    """Returns a random layout: as text; as axes of (extent, processes, block), where block 0 is BLOCK and 0 processes are *; and its grid."""
    left, axes, formats, grid = ranks, [], [], []
    for extent in shape:
        if draw.random() < 0.3:
            axes.append((extent, 0, 0))
            formats.append("*")
            continue
        grid.append(draw.randint(1, left))
        left //= grid[-1]
        block = draw.choice([0, 1, draw.randint(1, extent)])
        axes.append((extent, grid[-1], block))
        formats.append(f"CYCLIC({block})" if block else "BLOCK")
    if not grid:
        return any_layout(draw, shape)
    onto = f" ONTO P({','.join(map(str, grid))})"
    return f"({', '.join(formats)}){onto}", axes, grid


def dealt(whole, axes, grid):
    """Returns this rank's part, and the indices of the part; None instead of the indices if the rank has no part."""
    if rank >= numpy.prod(grid):
        return numpy.empty((0,) * whole.ndim, whole.dtype), None
    mine, indices = list(numpy.unravel_index(rank, grid)), []
    for extent, processes, block in axes:
        size = block or -(-extent // max(processes, 1))
        coordinate = mine.pop(0) if processes else 0
        indices.append(numpy.array([i for i in range(extent) if i // size % max(processes, 1) == coordinate], dtype=int))
    return whole[numpy.ix_(*indices)], indices


def finish(name, seed):
    """Prints the number of failed checks, and returns the exit status."""
    all_wrong, all_checks = comm.allreduce(wrong), comm.allreduce(checks)
    if rank == 0:
        print(f"{name}: {ranks} ranks, seed {seed}: {all_wrong} of {all_checks} checks failed")
    return all_wrong != 0


def run(name, random_tests, tests):
    """Runs tests as a program with the arguments ROUNDS [SEED]: in each round, the random tests draw from a generator with
    the next seed."""
    try:
        seed = comm.bcast(int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time()))
        for k in range(int(sys.argv[1])):
            for test in random_tests:
                test(random.Random(seed + k))
        for test in tests:
            test()
        status = finish(name, seed)
    except BaseException:
        traceback.print_exc()
        comm.Abort(1)
    sys.exit(status)
