"""Tests that no process crashes when objects, threads, processes or MPI end in an unusual order, and that calls which come too early
or too late raise exceptions.

Usage: lifetimes.py multiple|single, the level of threads. With "multiple" the program finalizes MPI before its objects end. With
"single" the program ends by an exception, while all objects exist and a move is under way."""

import gc
import multiprocessing
import os
import sys
import threading
import warnings

import mpi4py

mpi4py.rc.initialize = False

import numpy  # noqa: E402
import reblock  # noqa: E402
from mpi4py import MPI  # noqa: E402

level = sys.argv[1]
EARLY = {
    "Map": lambda: reblock.Map((4, 4), "(BLOCK,*)"),
    "Plan": lambda: reblock.Plan("(BLOCK)", "(CYCLIC)", float, (4,)),
    "move": lambda: reblock.move(numpy.zeros(4), "(BLOCK)", "(CYCLIC)", (4,)),
    "load": lambda: reblock.load("a.npy", "(BLOCK)"),
    "map_from_boxes": lambda: reblock.map_from_boxes((4,), []),
    "from_placements": lambda: reblock.from_placements((1,), [reblock.Replicate()], (4,)),
}
early = {}
for name, call in EARLY.items():
    try:
        early[name] = f"returned {call()}"
    except reblock.Error as error:
        early[name] = f"{type(error).__name__}: {error}"
# mpi4py finalizes MPI when the program ends, as if it had initialized it.
MPI.Init_thread(MPI.THREAD_SINGLE if level == "single" else MPI.THREAD_MULTIPLE)

import checks  # noqa: E402
from checks import comm, finish, holds, rank, ranks, throws  # noqa: E402


class Problem:
    """A matrix that moves from rows to columns."""

    def __init__(self, comm=comm, blocks=6):
        self.whole = numpy.arange(float((blocks * ranks) ** 2)).reshape(blocks * ranks, -1)
        here = slice(rank * blocks, (rank + 1) * blocks)
        self.rows, self.columns = self.whole[here].copy(), self.whole[:, here].copy()
        self.plan = reblock.Plan("(BLOCK,*)", "(*,BLOCK)", float, self.whole.shape, comm=comm)

    def is_right(self):
        return (self.plan.move(self.rows) == self.columns).all()


def too_early():
    for name, got in early.items():
        holds(got.startswith("StateError: MPI is not initialized"), f"{name} before MPI_Init: {got}")


def orders():
    """Tests objects that end before the objects that were made with them, in cycles, or after their communicator."""
    of_its_own = comm.Dup()
    it = Problem(of_its_own)
    source, target = it.plan.source, it.plan.target
    source.close()
    holds(it.is_right(), "a plan whose source is closed")
    throws("is closed", "a closed map", lambda: reblock.Plan(source, target, float), reblock.ArgumentError)
    back, request = it.plan.reverse(), it.plan.start(it.rows)
    it.plan.close()
    it.plan.close()
    holds((request.wait() == it.columns).all(), "a request whose plan is closed")
    holds((back.move(it.columns) == it.rows).all(), "the reverse of a closed plan")
    throws("is closed", "a move of a closed plan", lambda: it.plan.move(it.rows), reblock.HandleError)
    throws("is closed", "a start of a closed plan", lambda: it.plan.start(it.rows), reblock.HandleError)
    throws("is closed", "an update of a closed plan", lambda: it.plan.update(it.rows, it.columns.copy()), reblock.HandleError)
    kept = Problem(of_its_own)
    of_its_own.Free()
    freed = "has been freed"
    throws(freed, "move", lambda: kept.plan.move(kept.rows), reblock.StateError)
    throws(freed, "start", lambda: kept.plan.start(kept.rows), reblock.StateError)
    throws(freed, "reverse", lambda: kept.plan.reverse(), reblock.StateError)
    throws(freed, "a move between maps", lambda: reblock.move(kept.rows, kept.plan.source, kept.plan.target), reblock.StateError)
    throws("COMM_NULL", "a map", lambda: reblock.Map((4,), "(BLOCK)", of_its_own), reblock.ArgumentError)
    kept.plan.itself = kept.plan
    del kept, it, back, request, source
    gc.collect()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        dropped = Problem(blocks=100)
        dropped.plan.start(dropped.rows)
        del dropped
        gc.collect()
    holds([each.category for each in caught] == [ResourceWarning], f"a request that is dropped: {[str(each.message) for each in caught]}")
    holds(Problem().is_right(), "the next move")


def processes():
    """Tests forked processes, which free their copies of all objects."""
    global shared, request
    shared = Problem()
    request = shared.plan.start(shared.rows)

    def drop():
        global shared, request
        warnings.simplefilter("ignore", ResourceWarning)
        shared.plan.close()
        del shared, request
        gc.collect()

    process = multiprocessing.get_context("fork").Process(target=drop)
    process.start()
    process.join()
    holds(process.exitcode == 0, f"a process of multiprocessing ends with status {process.exitcode}")
    child = os.fork()
    if not child:
        drop()
        os._exit(5)
    status = os.WEXITSTATUS(os.waitpid(child, 0)[1])
    holds(status == 5, f"a forked process ends with status {status}")
    holds((request.wait() == shared.columns).all() and shared.is_right(), "moves after a fork")
    del shared, request


def threads():
    """Tests threads, each with its own communicator: at the same time if MPI allows it, otherwise one after the other."""
    comms = [comm.Dup() for _ in range(3)]
    left = []

    def work(comm):
        for _ in range(5):
            it = Problem(comm, 20)
            good = it.is_right() and (it.plan.start(it.rows).wait() == it.columns).all()
            moved = reblock.move(it.rows, "(BLOCK,*)", "(*,BLOCK)", it.whole.shape, comm=comm)
            left.append((bool(good and (moved == it.columns).all()), it))

    workers = [threading.Thread(target=work, args=(each,)) for each in comms]
    at_once = MPI.Query_thread() == MPI.THREAD_MULTIPLE
    for worker in workers:
        worker.start()
        if not at_once:
            worker.join()
    for worker in workers:
        worker.join()
    holds([good for good, _ in left] == [True] * 15, f"threads, level {MPI.Query_thread()}: {len(left)} of 15 rounds")
    # This thread frees the objects of the other threads, after their communicators.
    for each in comms:
        each.Free()
    del left[:]
    gc.collect()


def closed_meanwhile():
    """Tests plans that another thread closes on each rank while they move. Ranks need not close at the same move: `comm` is
    reblock's only remaining communicator, so a rank with a closed plan waits without a limit for the next call of the other ranks
    on `comm`, and refuses it. With several communicators, the rank would wait for a call for 2 s only."""
    it = Problem()
    closer = threading.Timer(0.02 * (1 + rank), it.plan.close)
    closer.start()
    while True:
        try:
            holds(it.is_right(), "a move until the plan is closed")
        except reblock.HandleError:
            break
    closer.join()


def too_late():
    """Ends MPI, then uses and frees objects of all kinds. Returns objects that end with the program."""
    it, other = Problem(), Problem()
    plan, rows, map = it.plan, it.rows, it.plan.source
    request = plan.start(rows)
    comm.Barrier()
    MPI.Finalize()
    with_maps = {
        "plan.move": lambda: plan.move(rows),
        "plan.update": lambda: plan.update(rows, it.columns.copy()),
        "plan.start": lambda: plan.start(rows),
        "plan.reverse": lambda: plan.reverse(),
        "plan == other": lambda: plan == other.plan,
        "execute_many": lambda: reblock.execute_many([plan, plan], [rows, rows]),
        "Plan of maps": lambda: reblock.Plan(map, map, float),
        "Plan.cshift": lambda: reblock.Plan.cshift(map, map, float, [1, 0]),
        "Plan.gather": lambda: reblock.Plan.gather(map, float, [(0, 0)]),
        "Plan.shadow": lambda: reblock.Plan.shadow(map, float),
        "move of maps": lambda: reblock.move(rows, map, map),
        "redistribute": lambda: reblock.redistribute(rows, map, map),
        "save": lambda: reblock.save("a.npy", rows, map),
        "load of a map": lambda: reblock.load("a.npy", map),
        "map.indices": lambda: map.indices(),
        "map._repr_svg_": lambda: map._repr_svg_(),
        "plan._repr_svg_": lambda: plan._repr_svg_(),
        "request.wait": lambda: request.wait(),
        "request.test": lambda: request.test(),
    }
    for name, call in {**EARLY, **with_maps}.items():
        try:
            got = f"returned {call()!r}"
        except reblock.Error as error:
            got = f"{type(error).__name__}: {error}"
        holds(got == "StateError: MPI is finalized", f"{name} after MPI_Finalize: {got}")
    holds(repr(plan) and repr(map) and "under way" not in repr(request), "texts of objects after MPI_Finalize")
    other.plan.close()
    del other, map
    gc.collect()
    return it, plan, request


tests = [too_early, orders, processes, threads] + ([closed_meanwhile] if MPI.Query_thread() == MPI.THREAD_MULTIPLE else [])
for test in tests:
    test()
finish(f"lifetimes, {level}", "none")
if level == "single":
    last = Problem(blocks=100)
    last.plan.start(last.rows)
    if checks.wrong:
        sys.exit(3)
    # In one piece: the launcher may mix the tracebacks of several ranks.
    os.write(2, b"lifetimes: ends by an exception\n")
    raise RuntimeError("the end")
kept = too_late()
sys.exit(checks.wrong != 0)
