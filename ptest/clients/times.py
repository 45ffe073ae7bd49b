"""Times the moves of another package with reblock and without, alternately in one run, and compares the results bit for bit.

    mpirun -n 2 python times.py mpi4py_fft

Prints lines of a Markdown table: medians of the slowest rank's time in microseconds, without and with reblock, and their ratio."""

import importlib
import sys
import time

import numpy
from mpi4py import MPI

comm = MPI.COMM_WORLD


def pencils(shape):
    """Forward transfers of mpi4py-fft between pencils along the first and the last axis."""
    from mpi4py_fft.pencil import Pencil, Subcomm

    whole = Pencil(Subcomm(comm, [0] + [1] * (len(shape) - 1)), shape, len(shape) - 1)
    other = whole.pencil(0)
    transfer, a = whole.transfer(other, float), numpy.random.default_rng(comm.rank).random(whole.subshape)
    b = numpy.empty(other.subshape)

    def move():
        transfer.forward(a, b)
        return b

    return "Transfer.forward", move


def heat_array(shape, split):
    import heat

    heat.random.seed(1)
    return heat, heat.random.random(shape, dtype=heat.float64, split=split)


def resplits(shape):
    heat, a = heat_array(shape, 0)
    return "resplit(a, 1)", lambda: heat.resplit(a, 1).larray.numpy()


def copies(shape):
    heat, a = heat_array(shape, 0)
    return "resplit(a, None)", lambda: heat.resplit(a, None).larray.numpy()


def shapes(shape):
    """Moves from even local shapes to those of a target map, and back."""
    import torch

    heat, a = heat_array(shape, 0)
    even = a.create_lshape_map()
    uneven = even.clone()
    uneven[0, 0] -= uneven[0, 0] // 2
    uneven[-1, 0] += shape[0] - uneven[:, 0].sum()
    torch.set_num_threads(1)

    def move():
        a.redistribute_(target_map=uneven.clone())
        a.redistribute_(target_map=even.clone())
        return a.larray.numpy()

    return "redistribute_, there and back", move


def columns(shape):
    import pylops_mpi

    a = pylops_mpi.DistributedArray(global_shape=shape, axis=0)
    a[:] = numpy.random.default_rng(comm.rank).random(a.local_shape)
    return "redistribute(axis=1)", lambda: a.redistribute(axis=1).local_array


CASES = {
    "mpi4py_fft": [(pencils, (16, 16, 16)), (pencils, (128, 128, 128)), (pencils, (256, 256, 256))],
    "heat": [(make, shape) for make in (resplits, copies, shapes) for shape in ((64, 64), (1024, 1024), (4096, 4096))],
    "pylops_mpi": [(columns, shape) for shape in ((64, 64), (1024, 1024), (4096, 4096))],
}


def seconds(move):
    """Returns the time of the slowest rank, and the result."""
    comm.Barrier()
    start = time.perf_counter()
    result = move()
    return comm.allreduce(time.perf_counter() - start, MPI.MAX), result


def main(package):
    client = importlib.import_module(f"reblock.contrib.{package}")
    for make, shape in CASES[package]:
        call, move = make(shape)
        times = {True: [], False: []}
        results = {}
        began = time.perf_counter()
        done = False
        while not done:
            for way in (False, True):
                before = client.moves()
                if way:
                    client.install()
                elapsed, result = seconds(move)
                client.uninstall()
                assert (client.moves() > before) == way
                times[way].append(elapsed)
                # Free the last result of this way, so that the next result can reuse its memory. Otherwise one of the ways would always
                # get new memory, whose pages the system zeroes.
                if way not in results:
                    results[way] = result.copy()
                numpy.copyto(results[way], result)
                del result
            assert numpy.array_equal(results[False].view(numpy.uint8), results[True].view(numpy.uint8)), f"{call} of {shape}: results differ"
            rounds = len(times[True])
            done = comm.bcast((rounds > 6 and time.perf_counter() - began > 4) or rounds == 500)
        # The first moves include planning, so they do not count.
        without, with_ = (1e6 * numpy.median(times[way][2:]) for way in (False, True))
        if comm.rank == 0:
            size = " x ".join(map(str, shape))
            print(f"| {package} | `{call}` | {size} | {comm.size} | {without:.0f} | {with_:.0f} | {with_ / without:.2f} |", flush=True)


main(*sys.argv[1:])
