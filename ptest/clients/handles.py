"""Times scalapack4py with reblock and without, alternately in one run, and compares the results bit for bit.

    mpirun -n 2 python handles.py SCALAPACK FORWARDING_LIBRARY

scalapack4py opens ScaLAPACK by its path and moves selected rows by one call of p?gemr2d for each run of consecutive rows: here,
865 different calls. With reblock, scalapack4py opens a forwarding library (`reblock forward`). Prints a line of a Markdown table:
medians of the slowest rank's time in microseconds, without and with reblock, and their ratio."""

import ctypes
import sys
import time

import numpy
import scalapack4py.npscal as nps
from mpi4py import MPI
from scalapack4py import ScaLAPACK4py
from scalapack4py.npscal.index_utils.npscal_select import _contiguous_runs, select

comm = MPI.COMM_WORLD
RUNS = 865


def library_of(routine):
    """Returns the path of the library that contains a routine."""
    address = ctypes.cast(routine, ctypes.c_void_p).value
    with open("/proc/self/maps") as maps:
        for line in maps:
            begin, end = (int(part, 16) for part in line.split()[0].split("-"))
            if begin <= address < end:
                return line.split()[-1]
    raise LookupError("a routine that is in no library")


def main(scalapack, forwarding):
    # ScaLAPACK comes first: the forwarding library needs it, and finds it loaded.
    libraries = [ctypes.CDLL(path) for path in (scalapack, forwarding)]
    owners = [library_of(library.pdgemr2d_) for library in libraries]
    assert "libreblock" not in owners[0] and "libreblock" in owners[1], f"pdgemr2d_ is in {owners}"
    without, with_ = (ScaLAPACK4py(library) for library in libraries)
    grid = nps.init(without)
    # Rows in runs of 1 or 2, with gaps.
    rows = numpy.concatenate([numpy.arange(3 * run, 3 * run + 1 + run % 2) for run in range(RUNS)])
    assert len(_contiguous_runs(rows)) == RUNS
    matrix = nps.fromfunction(lambda i, j: 1e4 * i + j, (3 * RUNS, 200))
    times = {without: [], with_: []}
    for turn in range(12):
        results = []
        for library in times:
            grid._lib = library
            comm.Barrier()
            start = time.perf_counter()
            result = select(matrix, row_idx=rows)
            elapsed = comm.allreduce(time.perf_counter() - start, MPI.MAX)
            # The first turn makes communicators, so it does not count.
            if turn > 1:
                times[library].append(elapsed)
            results.append(result.loc_array.copy())
        assert results[0].tobytes() == results[1].tobytes(), "results differ"
    slow, fast = (1e6 * numpy.median(times[library]) for library in (without, with_))
    if comm.rank == 0:
        line = f"{slow:.0f} | {fast:.0f} | {fast / slow:.2f}"
        print(f"| scalapack4py | `select`, {RUNS} calls of p?gemr2d | {3 * RUNS} x 200 | {comm.size} | {line} |", flush=True)


main(*sys.argv[1:])
