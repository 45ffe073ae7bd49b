"""Tests the Python package: moves random arrays between random layouts, compares them with naive dealing, and makes mistakes.

Usage: moves.py ROUNDS [SEED]"""

import pathlib
import pickle
import random
import re

import numpy
import reblock
from checks import KINDS, TYPES, any_layout, comm, dealt, holds, rank, ranks, run, throws
from mpi4py import MPI

def moves(draw):
    shape = tuple(draw.randint(1, 12) for _ in range(draw.randint(1, 3)))
    dtype = numpy.dtype(draw.choice(TYPES))
    bytes_of_all = numpy.random.default_rng(draw.getrandbits(32)).integers(1, 256, (*shape, dtype.itemsize), dtype=numpy.uint8)
    whole = (bytes_of_all & 1 if dtype == "?" else bytes_of_all).view(dtype).reshape(shape)
    (from_text, *from_axes), (to_text, *to_axes) = any_layout(draw, shape), any_layout(draw, shape)
    what = f"{shape} {dtype} {from_text} to {to_text}"
    (before, indices), (wanted, _) = dealt(whole, *from_axes), dealt(whole, *to_axes)
    before = draw.choice([numpy.ascontiguousarray, numpy.asfortranarray, lambda a: numpy.repeat(a, 2, axis=-1)[..., ::2]])(before)

    def same(got, expected):
        return got.shape == expected.shape and got.dtype == expected.dtype and got.tobytes() == expected.tobytes()

    holds(same(reblock.move(before, from_text, to_text, shape), wanted), f"move, {what}")
    source, target = reblock.Map(shape, from_text), reblock.Map(shape, to_text)
    holds(source.has_part == (indices is not None) and source.local_shape == before.shape, f"part, {what}")
    holds(whole[numpy.ix_(*source.indices())].tobytes() == before.tobytes(), f"indices, {what}")
    if before.size:
        holds(all(numpy.array_equal(a, b) for a, b in zip(source.indices(), indices)), f"indices, {what}")
    plan = reblock.Plan(source, target, dtype)
    holds(same(plan.move(before), wanted), f"plan, {what}")
    out = numpy.zeros(target.local_shape, dtype)
    holds(plan.move(before, out) is out and same(out, wanted), f"plan with out, {what}")
    holds(same(plan.reverse().move(out), before), f"the way back, {what}")


def updates(draw):
    """Checks alpha conj(A)^T + beta B, other combinations, and a sum over copies."""
    shape, dtype = (draw.randint(1, 9), draw.randint(1, 9)), numpy.dtype(draw.choice(["c8", "c16", "f4", "f8", "i4", "i8"]))
    numbers = numpy.random.default_rng(draw.getrandbits(32)).integers(-9, 10, (4, *shape))
    whole = numbers[0] + 1j * numbers[1] if dtype.kind == "c" else numbers[0]
    other = numbers[2] + 1j * numbers[3] if dtype.kind == "c" else numbers[2]
    whole, other = whole.astype(dtype), other.astype(dtype).T.copy()
    (from_text, *from_axes), (to_text, *to_axes) = any_layout(draw, shape), any_layout(draw, shape[::-1])
    what = f"{shape} {dtype} {from_text} to {to_text}"
    source, target = reblock.Map(shape, from_text), reblock.Map(shape[::-1], to_text)
    plan = reblock.Plan(source, target, dtype, axes=(1, 0))
    before, out = (numpy.ascontiguousarray(dealt(*each)[0]) for each in ((whole, *from_axes), (other, *to_axes)))
    wanted = dealt(2 * whole.conj().T - 3 * other, *to_axes)[0]
    holds(plan.update(before, out, 2, -3, conjugate=True) is out and numpy.array_equal(out, wanted), f"update, {what}")
    holds(numpy.array_equal(plan.update(None, out, alpha=0, beta=2), 2 * wanted), f"update without a source, {what}")
    holds(numpy.array_equal(plan.reverse().move(plan.move(before)), before), f"the way back of a transpose, {what}")
    if dtype.kind != "c":
        most = numpy.maximum(dealt(whole.T, *to_axes)[0], 2 * wanted)
        holds(numpy.array_equal(plan.update(before, out, 1, 1, "maximum"), most), f"maximum, {what}")
    copies = reblock.Map((5,), f"(*) ONTO P({ranks})")
    plan = reblock.Plan(copies, reblock.Map((5,), "(BLOCK)"), "i8", copies=True)
    out = numpy.full(plan.target.local_shape, 7)
    plan.update(numpy.full(5, rank + 1), out, beta=1)
    holds((out == 7 + ranks * (ranks + 1) // 2).all(), "a sum over copies")
    throws("combines the copies", "copies without an update", lambda: plan.move(numpy.full(5, rank)))


def shifts(draw):
    shape, dtype = (draw.randint(1, 9), draw.randint(1, 9)), numpy.dtype(draw.choice(["i8", "f4", "c16", "i2"]))
    whole = numpy.random.default_rng(draw.getrandbits(32)).integers(-99, 99, shape).astype(dtype)
    (from_text, *from_axes), (to_text, *to_axes) = any_layout(draw, shape), any_layout(draw, shape)
    source, target = reblock.Map(shape, from_text), reblock.Map(shape, to_text)
    by, what = [draw.randint(-12, 12) for _ in shape], f"{shape} {dtype} {from_text} to {to_text}"
    before = numpy.ascontiguousarray(dealt(whole, *from_axes)[0])

    def same(got, expected, which):
        holds(numpy.array_equal(got, dealt(expected, *to_axes)[0]), f"{which}, {what}")

    plan = reblock.Plan.cshift(source, target, dtype, by)
    around = numpy.roll(whole, [-by[0], -by[1]], (0, 1))
    same(plan.move(before), around, f"cshift by {by}")
    holds(numpy.array_equal(plan.reverse().move(plan.move(before)), before), f"the way back of a cshift, {what}")
    there = numpy.ix_(*([0 <= i + by[k] < shape[k] for i in range(shape[k])] for k in (0, 1)))
    off = numpy.full_like(whole, 7)
    off[there] = around[there]
    same(reblock.Plan.eoshift(source, target, dtype, by, 7).move(before), off, f"eoshift by {by}")
    out = numpy.full(target.local_shape, 7, dtype)
    same(reblock.Plan.eoshift(source, target, dtype, by).move(before, out), off, f"eoshift by {by} without a boundary")
    twice, wanted = before.copy(), numpy.ascontiguousarray(dealt(around, *from_axes)[0])
    reblock.Plan.cshift(source, source, dtype, by, overlap=True).move(twice, twice)
    holds(numpy.array_equal(twice, wanted), f"a cshift in place, {what}")

    # Each line along one axis has its own distance.
    axis, circular = draw.randrange(2), draw.random() < 0.5
    distances = numpy.array([draw.randint(-12, 12) for _ in range(shape[1 - axis])])
    lines = numpy.full_like(whole, 7)
    bounds = numpy.array([draw.randint(-99, 99) for _ in distances], dtype)
    bounded = numpy.broadcast_to(bounds if axis == 0 else bounds[:, None], shape).copy()
    for line, distance in enumerate(distances):
        index = (slice(None), line) if axis == 0 else (line, slice(None))
        old, at = whole[index], numpy.arange(shape[axis]) + distance
        inside = circular | ((at >= 0) & (at < shape[axis]))
        lines[index][inside] = bounded[index][inside] = old[at[inside] % shape[axis]]
    lines_of_rank = target.indices()[1 - axis] if target.has_part and 0 not in target.local_shape else []
    mine, comes_in = distances[lines_of_rank], bounds[lines_of_rank]
    plan = reblock.Plan.shift_lines(source, target, dtype, axis, mine, circular)
    same(plan.move(before, numpy.full(target.local_shape, 7, dtype)), lines, f"lines along axis {axis}, {circular}, {distances}")
    if circular:
        holds(numpy.array_equal(plan.reverse().move(plan.move(before)), before), f"the way back of lines, {what}")
    else:
        plan = reblock.Plan.shift_lines(source, target, dtype, axis, mine, False, comes_in)
        same(plan.move(before), bounded, f"lines along axis {axis} with boundaries, {distances}")

    # A row that is repeated for all rows.
    row = reblock.Map(shape[1:], "(CYCLIC(2))")
    plan = reblock.Plan(row, target, dtype, spread=[0])
    same(plan.move(numpy.ascontiguousarray(whole[0][row.indices()])), numpy.tile(whole[0], (shape[0], 1)), "a spread")
    again = reblock.Map(shape, from_text)
    holds(again.equal(source) and again.key() == source.key(), f"equal maps, {what}")
    holds(source.equal(target) == (source.key() == target.key()), f"maps and keys, {what}")


def lists(draw):
    shape = (draw.randint(1, 9), draw.randint(1, 9))
    whole = numpy.random.default_rng(draw.getrandbits(32)).integers(-99, 99, shape)
    text, *axes = any_layout(draw, shape)
    map, before = reblock.Map(shape, text), numpy.ascontiguousarray(dealt(whole, *axes)[0])
    # All ranks draw the lists of all ranks.
    axis, counts = draw.randrange(2), [draw.randint(0, 15) for _ in range(ranks)]
    along = [[draw.randrange(shape[axis]) for _ in range(count)] for count in counts]
    pairs = [[[draw.randrange(extent) for extent in shape] for _ in range(count)] for count in counts]
    plan = reblock.Plan.gather(map, whole.dtype, along[rank], axis)
    holds(numpy.array_equal(plan.move(before), whole.take(numpy.array(along[rank], int), axis)), f"gather along {axis}, {shape} {text}")
    plan = reblock.Plan.gather(map, whole.dtype, pairs[rank])
    holds(numpy.array_equal(plan.move(before), [whole[tuple(pair)] for pair in pairs[rank]]), f"gather, {shape} {text}")
    sums, last = whole.copy(), whole.copy()
    for of, list in enumerate(pairs):
        for n, pair in enumerate(list):
            sums[tuple(pair)] += 100 * of + n
            last[tuple(pair)] = 100 * of + n
    plan = reblock.Plan.scatter(map, whole.dtype, pairs[rank])
    values = 100 * rank + numpy.arange(len(pairs[rank]))
    holds(numpy.array_equal(plan.update(values, before.copy(), beta=1), dealt(sums, *axes)[0]), f"scatter with sums, {shape} {text}")
    holds(numpy.array_equal(plan.move(values, before.copy()), dealt(last, *axes)[0]), f"scatter, {shape} {text}")
    throws("a list of indices has no reverse", "the way back of a list", lambda: plan.reverse())
    skipped(draw, map, whole, before)


def skipped(draw, map, whole, before):
    count = draw.randint(0, 15)
    pairs = [[[draw.randrange(-2, extent) for extent in whole.shape] for _ in range(count)] for _ in range(ranks)][rank]
    kept = [min(pair) >= 0 for pair in pairs]
    plan, out = reblock.Plan.gather(map, whole.dtype, pairs, skip=True), numpy.arange(1000, 1000 + count)
    want = [whole[tuple(pair)] if keep else 1000 + n for n, (pair, keep) in enumerate(zip(pairs, kept))]
    holds(numpy.array_equal(plan.move(before, out.astype(whole.dtype)), want), f"gather that skips, {pairs}")
    holds(numpy.array_equal(plan.move(before), [value if keep else 0 for value, keep in zip(want, kept)]), "gather that skips, without out")
    plan = reblock.Plan.scatter(map, whole.dtype, pairs, skip=True)
    holds(numpy.array_equal(plan.move(numpy.array([whole[tuple(pair)] if keep else -99 for pair, keep in zip(pairs, kept)], whole.dtype), before.copy()), before), "scatter that skips")
    throws("option skip", "a negative index", lambda: reblock.Plan.gather(map, whole.dtype, [[-1, 0]]))


def shadows(draw):
    shape, before, after = (draw.randint(1, 9), 3 * ranks), (0, draw.randint(0, 3)), (0, draw.randint(0, 3))
    whole = numpy.random.default_rng(draw.getrandbits(32)).integers(1, 99, shape)
    plain, ring = reblock.Map(shape, "(*, BLOCK)"), draw.random() < 0.5
    map = plain.shadow(before, after)
    columns = numpy.arange(3 * rank - before[1], 3 * rank + 3 + after[1])
    a = numpy.zeros(map.local_shape, int)
    holds(a.shape == (shape[0], len(columns)), "the shape of a part with a shadow")
    a[map.own()] = whole[numpy.ix_(*map.indices())]
    holds(numpy.array_equal(map.indices()[1], numpy.arange(3 * rank, 3 * rank + 3)), "indices of own elements")
    plan = reblock.Plan.shadow(map, int, periodic=(False, ring))
    shown = numpy.array([ring or 0 <= j < shape[1] for j in columns])
    wanted = whole[:, columns % shape[1]] * shown
    holds(plan.fill(a) is a and numpy.array_equal(a, wanted), f"shadows {shape} {before} {after} {ring}")
    plan.reverse().update(a, a, beta=1)
    seen = [sum(3 * r - before[1] <= j + k * shape[1] < 3 * r + 3 + after[1] for r in range(ranks) for k in ((-1, 0, 1) if ring else (0,)))
            for j in range(shape[1])]
    holds(numpy.array_equal(a[map.own()], (whole * seen)[:, 3 * rank : 3 * rank + 3]), f"sums of shadows {shape} {before} {after} {ring}")
    holds(not map.equal(plain) or before[1] == after[1] == 0, "maps with and without a shadow")


def tiles(draw, shape):
    """Returns the boxes of each rank. They are the parts of an array that is cut in two repeatedly; some boxes are empty."""
    all, mine = [tuple(slice(0, extent) for extent in shape)], [[] for _ in range(ranks)]
    for _ in range(draw.randint(0, 9)):
        box, axis = all.pop(draw.randrange(len(all))), draw.randrange(len(shape))
        cut = draw.randint(box[axis].start, box[axis].stop)
        for part in slice(box[axis].start, cut), slice(cut, box[axis].stop):
            all.append((*box[:axis], part, *box[axis + 1 :]))
    for box in all:
        mine[draw.randrange(ranks)].append(box)
    return mine[rank]


def boxes(draw):
    shape = tuple(draw.randint(1, 12) for _ in range(draw.randint(1, 3)))
    whole = numpy.random.default_rng(draw.getrandbits(32)).integers(-50, 50, shape)
    text, *axes = any_layout(draw, shape)
    (dealt_part, _), lists = dealt(whole, *axes), [tiles(draw, shape) for _ in range(2)]
    what = f"boxes {shape} {text} {lists}"
    maps = [reblock.map_from_boxes(shape, boxes) for boxes in lists] + [reblock.Map(shape, text)]
    parts = [numpy.concatenate([whole[box].ravel() for box in boxes] or [whole[:0].ravel()]) for boxes in lists]
    parts.append(numpy.ascontiguousarray(dealt_part))
    for map, part, boxes in zip(maps, parts, lists):
        holds(map.has_part and map.local_shape == part.shape, f"a part of {what}")
        split = map.split(part)
        holds([view.tolist() for view in split] == [whole[box].tolist() for box in boxes], f"split, {what}")
        holds(all(view.base is not None or not view.size for view in split), f"views, {what}")
    source, target = draw.sample(range(3), 2)
    plan = reblock.Plan(maps[source], maps[target], whole.dtype)
    holds(numpy.array_equal(plan.move(parts[source]), parts[target]), f"{source} to {target}, {what}")
    holds(numpy.array_equal(plan.reverse().move(parts[target]), parts[source]), f"back, {source} to {target}, {what}")
    updated = plan.update(parts[source], parts[target].copy(), 2, 5)
    holds(numpy.array_equal(updated, 7 * parts[target]), f"an update, {source} to {target}, {what}")


def mistakes_in_boxes():
    def made(*boxes):
        return lambda: reblock.map_from_boxes((4, ranks), boxes)

    me, last = numpy.s_[:, rank : rank + 1], rank == ranks - 1
    throws("expected a slice", "an index", made((2, me[1])), reblock.ArgumentError)
    throws("expected a slice" if last else "", "steps", made(numpy.s_[::2, 0:0] if last else me), reblock.ArgumentError)
    throws("expected indices from 0 to 3" if last else "", "beyond", made((slice(0, 5 if last else 4), me[1])))
    throws("expected indices from 0 to 3" if last else "", "from the end", made((slice(-1 if last else 0, 4), me[1])))
    throws("2**63", "a large index", made((slice(0, 2**63), me[1])), reblock.ArgumentError)
    throws("two owners", "two owners", made(me, numpy.s_[3:, :1]))
    column = made(me)()
    throws("has no indices", "indices", column.indices, reblock.ArgumentError)
    throws("has no boxes", "no boxes", lambda: reblock.Map((4, ranks), f"(BLOCK,*) ONTO P({ranks})").split(None), reblock.ArgumentError)
    hole = made(*(() if last else (me,)))()
    throws("in no box", "a hole", lambda: reblock.Plan(column, hole, float))


def mistakes():
    me = rank == ranks - 1
    rows, columns = f"(BLOCK,*) ONTO P({ranks})", f"(*,CYCLIC(2)) ONTO P({ranks})"
    shape = (3 * ranks, 8)
    a = numpy.ones((3, 8))

    def one(text):
        """Checks mistakes of one rank: all ranks must get the same text, which names that rank."""
        return text

    def others(text):
        return text if me else f"rank {ranks - 1}: {text}"

    bad = numpy.ones((4, 8)) if me else a
    throws(others("the array has shape (4, 8)"), "a shape", lambda: reblock.move(bad, rows, columns, shape))
    throws(one("has shape (4, 8), expected (3, 8)"), "a shape", lambda: reblock.move(bad, rows, columns, shape))
    source, target = reblock.Map(shape, rows), reblock.Map(shape, columns)
    plan = reblock.Plan(source, target, float)
    throws(one("has shape (4, 8), expected (3, 8)"), "a shape", lambda: plan.move(bad))
    throws(one("type float32, expected float64"), "a type", lambda: plan.move(a.astype("f4") if me else a))
    out = numpy.zeros(target.local_shape)
    out.flags.writeable = not me
    throws(one("writeable"), "out", lambda: plan.move(a, out))
    holds(not out.any(), "a call that failed has written something")
    if ranks > 1:
        other = a.astype("i8") if me else a
        throws("different types", "a type of the same size", lambda: reblock.move(other, rows, columns, shape), reblock.MismatchError)
        both = (a[:, :3] if rank == 0 else other), rows, columns, shape
        throws("" if rank == 0 or ranks == 2 else "different types", "a shape and a type", lambda: reblock.move(*both))
        # Ranks without a part pass an empty array of another type.
        first = numpy.ones(shape, "i8") if rank == 0 else numpy.empty(0)
        throws("different types", "an empty array", lambda: reblock.move(first, "(*,*) ONTO P(1)", columns, shape))
    throws(one("out is None"), "no target", lambda: plan.update(a, None if me else numpy.zeros(target.local_shape)))
    throws(one("the array is None"), "no source", lambda: plan.update(None if me else a, out.copy()))
    throws(one("complex"), "a factor", lambda: plan.update(a, numpy.zeros(target.local_shape), 1j if me else 1))
    throws(one("expected one of"), "a combination", lambda: plan.update(a, numpy.zeros(target.local_shape), combine="no" if me else "add"))
    throws("", "no such axis", lambda: reblock.Plan(source, target, float, axes=(0, 2)))
    throws("", "or of doubles", lambda: plan.update(a, numpy.zeros(target.local_shape), combine="or"))
    if ranks > 1:
        throws("the update", "another factor", lambda: plan.update(a, numpy.zeros(target.local_shape), rank), reblock.MismatchError)
    throws(one("Python objects"), "objects", lambda: reblock.move(a.astype(object) if me else a, rows, columns, shape))
    throws(one("inhomogeneous"), "no array", lambda: plan.move([[1], [2, 3]] if me else a))
    throws(one("inhomogeneous"), "no array", lambda: reblock.move([[1], [2, 3]] if me else a, rows, columns, shape))
    throws(one("not understood"), "no type", lambda: reblock.Plan(source, target, "no such" if me else float))
    throws("", "no map", lambda: reblock.Plan(5 if me else source, target, float))
    throws(others("the layout is 5"), "no text", lambda: reblock.move(a, 5 if me else rows, columns, shape))
    throws("Python objects", "objects", lambda: reblock.Plan(source, target, object))
    make = reblock.Plan
    throws("", "a shift too many", lambda: make.cshift(source, target, float, [1, 2, 3] if me else [1, 2]))
    throws(one("expected integers"), "no integers", lambda: make.cshift(source, target, float, [0.5, 2] if me else [1, 2]))
    throws(one("expected one element"), "a boundary", lambda: make.eoshift(source, target, float, [1, 2], [1, 2] if me else 1))
    throws("distances, expected", "too many lines", lambda: make.shift_lines(source, target, float, 0, [1] * 99))
    throws(one("expected a row of 2"), "rows of indices", lambda: make.gather(source, float, [[1, 2, 3]] if me else [[1, 2]]))
    throws("index 99", "a large index", lambda: make.scatter(source, float, [99], 0))
    throws(one("expected 2 of each"), "widths", lambda: make.shadow(source, float, periodic=[True] if me else None))
    throws("at most", "a shadow that is not there", lambda: make.shadow(source, float, (1, 0), (0, 0)))
    throws("expected 2 axes", "axes of a shadow", lambda: source.shadow((1,), (1,)), reblock.ArgumentError)
    throws("there is no shape", "texts alone", lambda: reblock.move(a, rows, columns))
    throws("there is no shape", "a text alone", lambda: reblock.save("none.npy", a, rows))
    throws("BLOK", "a text", lambda: reblock.move(a, "(BLOK,*)", columns, shape), reblock.TextError)
    integer = "object cannot be interpreted as an integer"
    throws(integer, "extents", lambda: reblock.Map((8, 2.5) if me else (8, 2), "(BLOCK,*)"), reblock.ArgumentError)
    large = 2**64 + 8
    throws("2**63", "large extents", lambda: reblock.Map((large if me else 8, 2), rows), reblock.ArgumentError)
    throws("2**63", "large extents", lambda: reblock.Map((large, 2), rows), reblock.ArgumentError)
    throws("has a zero byte", "a zero byte", lambda: reblock.Map(shape, rows + "\0x" if me else rows), reblock.ArgumentError)
    throws("", "ranks", lambda: reblock.Map(shape, f"(BLOCK,*) ONTO P({ranks + 1})"))
    throws("", "other shapes", lambda: reblock.Plan(source, reblock.Map((5, 8), columns), float))
    throws("overlap", "storage", lambda: plan.move(a, a.reshape(-1)[:24].reshape(target.local_shape)), reblock.OverlapError) if ranks == 4 else None
    throws(others("the array is None, expected this rank's part"), "no array", lambda: reblock.move(None if me else a, rows, columns, shape))
    throws("the array is None, expected this rank's part", "no arrays", lambda: reblock.move(None, rows, columns, shape))
    throws(others("the array is None"), "no array", lambda: plan.move(None if me else a))
    expected = "combine is 'max', expected one of 'add', 'minimum', 'maximum', 'and', 'or'"
    throws(expected, "a combination", lambda: plan.update(a, out, combine="max"))
    ordered = "a communicator is in the place of another argument, expected "
    for call, text in {
        lambda: reblock.move(a, rows, columns, comm, shape): "move(a, source, target, shape, comm=comm)",
        lambda: reblock.Map(comm, shape, rows): "Map(shape, layout, comm=comm)",
        lambda: reblock.Map(shape, comm, rows): "Map(shape, layout, comm=comm)",
        lambda: reblock.map_from_boxes(comm, shape, []): "map_from_boxes(shape, boxes, comm=comm)",
        lambda: make(comm, source, target, float): "Plan(source, target, dtype, comm=comm)",
        lambda: make(source, target, comm): "Plan(source, target, dtype, comm=comm)",
        lambda: make.cshift(comm, source, target, float, [1, 2]): "Plan.cshift(source, target, dtype, shifts, comm=comm)",
        lambda: make.gather(comm, source, float, [[1, 2]]): "Plan.gather(map, dtype, indices, comm=comm)",
        lambda: make.shadow(comm, source, float): "Plan.shadow(map, dtype, comm=comm)",
    }.items():
        throws(ordered + text, "the order of arguments", call, TypeError)
    throws("expected a communicator of mpi4py", "no communicator", lambda: reblock.Map(shape, rows, 5), TypeError)
    if ranks > 1:
        alone = reblock.Map(shape, "(BLOCK,*)", MPI.COMM_SELF)
        throws("different communicators", "two communicators", lambda: make(alone, target, float), TypeError)
    holds((plan.move(a) == 1).all(), "a plan does not work after calls that failed")


def classes():
    """Each code of the header has a class of its own, and exceptions survive pickling, as between processes."""
    codes = dict(re.findall(r"^#define REBLOCK_ERR_(\w+) (\d+)$", pathlib.Path("include/reblock.h").read_text(), re.MULTILINE))
    holds(sorted(kind.code for kind in KINDS) == sorted(map(int, codes.values())) and len(codes) == 14, f"codes {codes}")
    for kind in KINDS:
        again = pickle.loads(pickle.dumps(kind("a text")))
        holds(type(again) is kind and str(again) == "a text" and again.code == kind.code, f"pickled {kind}")
    other = pickle.loads(pickle.dumps(reblock.Error("a text", 99)))
    holds(other.code == 99 and str(other) == "a text", "an exception of a code that is not known yet")
    for kind, builtin in ((reblock.ArgumentError, ValueError), (reblock.OutOfMemoryError, MemoryError), (reblock.FileError, OSError)):
        holds(issubclass(kind, builtin), f"{kind} is no {builtin}")


def none():
    """A rank without a part passes None: it takes the type of the other ranks."""
    first, everywhere, shape = "(BLOCK,*) ONTO P(1)", f"(*,CYCLIC(2)) ONTO P({ranks})", (3, 2 * ranks)
    whole = numpy.arange(6 * ranks, dtype=">i2").reshape(shape)
    mine = reblock.move(whole if not rank else None, first, everywhere, shape)
    holds(mine.dtype == whole.dtype and (mine == whole[:, 2 * rank : 2 * rank + 2]).all(), "scattered from rank 0")
    plan = reblock.Plan(reblock.Map(shape, first), reblock.Map(shape, everywhere), whole.dtype)
    holds((plan.move(None if rank else whole) == mine).all(), "scattered from rank 0 by a plan")
    back = plan.reverse().move(mine)
    holds(back.size == 0 if rank else (back == whole).all(), "gathered to rank 0")
    # No rank passes an array, although some must.
    throws("the array is None", "None everywhere", lambda: reblock.move(None, first, everywhere, shape))


def version():
    holds(reblock.version().count(".") == 2, "the version")


run("python", [moves, updates, boxes, shifts, lists, shadows], [mistakes, classes, mistakes_in_boxes, none, version])
