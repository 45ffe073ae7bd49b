"""Tests requests, batches, relabelling and files of the Python package, against moves by NumPy's indexing.

Usage: requests.py ROUNDS [SEED]"""

import os
import tempfile
import warnings

import numpy
import reblock
from checks import any_layout, comm, dealt, holds, rank, ranks, run, throws


class Problem:
    """A random array, its layouts before and after, and this rank's parts."""

    def __init__(self, draw):
        shape = tuple(draw.randint(1, 12) for _ in range(draw.randint(1, 3)))
        self.dtype = numpy.dtype(draw.choice(["f8", "i4", "c8", "i8"]))
        self.whole = numpy.random.default_rng(draw.getrandbits(32)).integers(-99, 99, shape).astype(self.dtype)
        (self.source, *self.before_axes), (self.target, *self.after_axes) = any_layout(draw, shape), any_layout(draw, shape)
        self.before = numpy.ascontiguousarray(dealt(self.whole, *self.before_axes)[0])
        self.wanted = numpy.ascontiguousarray(dealt(self.whole, *self.after_axes)[0])
        # A source or a target that has to be copied.
        if draw.random() < 0.3:
            self.before = numpy.asfortranarray(self.before)
        self.out = numpy.zeros_like(self.wanted, order=draw.choice("CF"))
        self.plan = reblock.Plan(self.source, self.target, self.dtype, shape)

    def __repr__(self):
        return f"{self.plan}"

    def is_right(self, got):
        return got.shape == self.wanted.shape and got.dtype == self.dtype and numpy.array_equal(got, self.wanted)


def requests(draw):
    it, other = Problem(draw), Problem(draw)
    request = it.plan.start(it.before)
    holds(request.wait() is request.out and it.is_right(request.out) and request.done, f"start, {it}")
    holds(request.wait() is request.out and request.test(), "waiting twice")
    with it.plan.start(it.before, it.out) as request:
        # Test another request on the same communicator.
        second = other.plan.start(other.before, other.out)
        while not second.test():
            pass
    holds(request.done and request.out is it.out and it.is_right(it.out), f"a request in a block, {it}")
    holds(second.done and second.out is other.out and other.is_right(other.out), f"a tested request, {other}")
    holds(repr(request) == "<reblock.Request, complete>", repr(request))
    if it.out.size == 0 or it.dtype.kind != "c":
        it.out[...] = 1
    doubled = it.plan.start_update(it.before, it.out, 2, 3).wait()
    was = 1 if it.dtype.kind != "c" else it.wanted
    holds(doubled is it.out and numpy.array_equal(it.out, 2 * it.wanted + 3 * was), f"an update by a request, {it}")
    # The plan may be freed before its request.
    request = it.plan.start(it.before, it.out)
    it.plan.close()
    holds(it.is_right(request.wait()), f"a request of a closed plan, {it}")


def batches(draw):
    several = [Problem(draw) for _ in range(draw.randint(1, 5))]
    plans, sources = [each.plan for each in several], [each.before for each in several]
    targets = [draw.choice([None, each.out]) for each in several]
    got = reblock.execute_many(plans, sources, targets)
    holds(all(each.is_right(a) for each, a in zip(several, got)), f"a batch, {several}")
    holds(all(target is None or target is a for target, a in zip(targets, got)), "targets of a batch")
    with reblock.start_many(plans, sources) as request:
        pass
    holds(len(request.out) == len(several) and all(each.is_right(a) for each, a in zip(several, request.out)), f"a started batch, {several}")


def files(draw):
    it = Problem(draw)
    path = os.path.join(folder, "a.npy")
    source, target = reblock.Map(it.whole.shape, it.source), reblock.Map(it.whole.shape, it.target)
    steps = []
    reblock.save(path, it.before, *((source,) if draw.random() < 0.5 else (it.source, it.whole.shape)), progress=lambda *step: steps.append(step))
    holds(steps == sorted(set(steps)) and steps[-1:] in ([], [(it.whole.nbytes, it.whole.nbytes)]) and bool(steps) == bool(it.whole.size), f"progress of {steps}, {it}")
    holds(numpy.array_equal(numpy.load(path), it.whole), f"a file for NumPy, {it}")
    comm.Barrier()
    got = reblock.load(path, it.target)
    holds(it.is_right(got), f"load, {it}")
    holds(reblock.load(path, target, it.dtype, it.out) is it.out and it.is_right(it.out), f"load into an array, {it}")
    comm.Barrier()
    order = draw.choice("CF")
    if rank == 0:
        numpy.save(path, it.whole.copy(order=order))
    comm.Barrier()
    steps.clear()
    holds(it.is_right(reblock.load(path, it.target, progress=lambda *step: steps.append(step))), f"load NumPy's file, {it}")
    holds(steps[-1:] in ([], [(it.whole.nbytes, it.whole.nbytes)]), f"progress of {steps}, {it}")
    comm.Barrier()


def relabelled(draw):
    shape = (draw.randint(1, 12), draw.randint(1, 12))
    whole = numpy.random.default_rng(draw.getrandbits(32)).integers(-99, 99, shape)
    (from_text, *from_axes), (to_text, *_) = any_layout(draw, shape), any_layout(draw, shape)
    before = numpy.ascontiguousarray(dealt(whole, *from_axes)[0])
    plan = reblock.Plan(from_text, to_text, int, shape, relabel=True)
    after = plan.move(before)
    holds(after.shape == plan.target.local_shape, f"the shape of a relabelled part, {plan}")
    if plan.target.has_part and after.size:
        holds(numpy.array_equal(after, whole[numpy.ix_(*plan.target.indices())]), f"relabelled, {plan} to {plan.target}")
    holds(comm.allreduce(int(after.sum())) == whole.sum() * max(1, comm.allreduce(after.size) // whole.size), "all elements")
    holds(numpy.array_equal(plan.reverse().move(after), before), f"the way back, {plan}")


def mistakes():
    me, shape = rank == ranks - 1, (2 * ranks, 3 * ranks)
    plan = reblock.Plan("(BLOCK,*)", "(*,BLOCK)", float, shape)
    a, bad = numpy.ones((2, 3 * ranks)), numpy.ones((1, 1))
    throws("has shape (1, 1)", "a shape", lambda: plan.start(bad if me else a).wait(), reblock.ArgumentError)
    throws("has shape (1, 1)", "a shape", lambda: reblock.execute_many([plan, plan], [a, bad if me else a]), reblock.ArgumentError)
    throws("has shape (1, 1)", "a shape", lambda: reblock.start_many([plan, plan], [a, bad if me else a]).wait(), reblock.ArgumentError)
    throws("2 plans with 1 sources", "a source too few", lambda: reblock.execute_many([plan, plan], [a] if me else [a, a]), reblock.ArgumentError)
    throws("expected at least one", "no plans", lambda: reblock.execute_many([], []), reblock.ArgumentError)
    throws("requests are made by", "a request of nothing", reblock.Request, TypeError)
    if ranks > 1:
        alone = reblock.Plan("(BLOCK,*)", "(*,BLOCK)", float, (2, 3), comm=comm.Split(rank))
        throws("", "two communicators", lambda: reblock.execute_many([plan, alone], [a, numpy.ones((2, 3))]))
    path = os.path.join(folder, "b.npy")
    throws("cannot read", "no file", lambda: reblock.load(path, "(BLOCK,*)"), reblock.FileError)
    throws("", "no folder", lambda: reblock.save(os.path.join(path, "c.npy"), a, "(BLOCK,*)", shape), reblock.FileError)
    throws("has shape (1, 1)", "a shape", lambda: reblock.save(path, bad if me else a, "(BLOCK,*)", shape), reblock.ArgumentError)
    if ranks > 1:
        throws("different types", "a type", lambda: reblock.save(path, a.astype("i8") if me else a, "(BLOCK,*)", shape), reblock.MismatchError)
    holds(not os.path.exists(path), "a call that failed has made a file")
    reblock.save(path, None if me and ranks > 1 else numpy.ones((2, 3)), f"(BLOCK,*) ONTO P({max(1, ranks - 1)})", (2 * max(1, ranks - 1), 3))
    holds((numpy.load(path) == 1).all(), "a rank without a part saves")
    throws("division", "progress that fails", lambda: reblock.load(path, "(BLOCK,*)", progress=lambda done, every: done // 0), ZeroDivisionError)
    throws("", "another type", lambda: reblock.load(path, "(BLOCK,*)", "i8"), reblock.FileError)
    throws("", "another shape", lambda: reblock.load(path, reblock.Map((77, 3), "(BLOCK,*)")), reblock.FileError)
    map = reblock.Map((2 * max(1, ranks - 1), 3), "(BLOCK,*)")
    out = numpy.zeros(map.local_shape)
    out.flags.writeable = not me
    throws("not writeable", "a read-only target", lambda: reblock.load(path, map, out=out), reblock.ArgumentError)
    holds(not out.any(), "a call that failed has written something")
    # A program that drops a request in progress gets a warning.
    request = plan.start(a)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        was_done = request.done
        request.__del__()
        holds([each.category for each in seen] == [ResourceWarning][: not was_done], f"{seen}")
    holds((request.wait() == 1).all(), "a request after the warning")


folder = comm.bcast(tempfile.mkdtemp() if rank == 0 else None)
try:
    run("python, requests", [requests, batches, files, relabelled], [mistakes])
finally:
    comm.Barrier()
    if rank == 0:
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))
        os.rmdir(folder)
