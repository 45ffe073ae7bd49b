"""Tests sections of maps on either side of plans and moves, and layouts as texts, against NumPy's indexing; and the objects
themselves: descriptions, equality, hashes, and blocks that close them.

Usage: sections.py ROUNDS [SEED]"""

import os

import numpy
import reblock
from checks import any_layout, comm, dealt, holds, rank, ranks, run, throws
from mpi4py import MPI


def any_slice(draw, extent, count):
    """Returns a slice with `count` indices of an axis, in one of several forms."""
    step = draw.randint(1, max(1, (extent - 1) // max(1, count - 1))) if count > 1 else draw.randint(1, 3)
    first = draw.randint(0, extent - 1 - (count - 1) * step) if count else draw.randint(0, extent)
    last = first + (count - 1) * step
    if draw.random() < 0.5 and count:
        first, last, step = last, first, -step
    stop = (last + (1 if step > 0 else -1)) if count else first
    if count and stop < 0 or (stop >= extent and draw.random() < 0.5):
        stop = None
    elif draw.random() < 0.3 and 0 <= stop < extent:
        stop -= extent
    return slice(first, stop, step)


def same(got, expected):
    return got.shape == expected.shape and got.dtype == expected.dtype and got.tobytes() == expected.tobytes()


def sections(draw):
    axes = draw.randint(1, 3)
    shapes = [tuple(draw.randint(1, 9) for _ in range(axes)) for _ in range(2)]
    counts = [draw.randint(0 if draw.random() < 0.2 else 1, min(pair)) for pair in zip(*shapes)]
    indices = [tuple(any_slice(draw, extent, count) for extent, count in zip(shape, counts)) for shape in shapes]
    numbers = numpy.random.default_rng(draw.getrandbits(32))
    whole, other = (numbers.integers(-99, 99, shape).astype(draw.choice(["i8", "f4"])) for shape in shapes)
    other = other.astype(whole.dtype)
    wanted = other.copy()
    wanted[indices[1]] = whole[indices[0]]
    (from_text, *from_axes), (to_text, *to_axes) = (any_layout(draw, shape) for shape in shapes)
    maps = reblock.Map(shapes[0], from_text), reblock.Map(shapes[1], to_text)
    source, target = (map[index] for map, index in zip(maps, indices))
    what = f"{source} to {target}"
    holds(source.shape == whole[indices[0]].shape and target.shape == tuple(counts), f"shapes, {what}")
    before, after, expected = (numpy.ascontiguousarray(dealt(*each)[0]) for each in ((whole, *from_axes), (other, *to_axes), (wanted, *to_axes)))
    plan = reblock.Plan(source, target, whole.dtype)
    holds(same(plan.move(before, after.copy()), expected), f"plan, {what}")
    holds(same(reblock.move(before, source, target, out=after.copy()), expected), f"move, {what}")
    fortran = after.copy(order="F")
    holds(same(numpy.ascontiguousarray(reblock.move(numpy.asfortranarray(before), source, target, out=fortran)), expected), f"move in Fortran's order, {what}")
    updated = other.copy()
    updated[indices[1]] = 2 * whole[indices[0]] + 3 * other[indices[1]]
    holds(same(plan.update(before, after.copy(), 2, 3), numpy.ascontiguousarray(dealt(updated, *to_axes)[0])), f"update, {what}")
    back = whole.copy()
    back[indices[0]] = other[indices[1]]
    holds(same(plan.reverse().move(after, before.copy()), numpy.ascontiguousarray(dealt(back, *from_axes)[0])), f"the way back, {what}")
    if 0 not in counts:
        by = [draw.randint(-3, 3) for _ in counts]
        wanted[indices[1]] = numpy.roll(whole[indices[0]], [-d for d in by], range(axes))
        got = reblock.Plan.cshift(source, target, whole.dtype, by).move(before, after.copy())
        holds(same(got, numpy.ascontiguousarray(dealt(wanted, *to_axes)[0])), f"cshift by {by}, {what}")


def pieces(draw):
    """Tests indices without a slice, ellipses, and a text on the other side."""
    shape = (draw.randint(1, 9), draw.randint(1, 9), draw.randint(1, 9))
    whole = numpy.random.default_rng(draw.getrandbits(32)).integers(-99, 99, shape)
    text, *axes = any_layout(draw, shape)
    map, before = reblock.Map(shape, text), numpy.ascontiguousarray(dealt(whole, *axes)[0])
    place = draw.randrange(-shape[1], shape[1])
    for index in (numpy.s_[:, place], numpy.s_[..., place % shape[2]], numpy.s_[::-1, ..., 0], numpy.s_[-1], numpy.s_[...]):
        section, wanted = map[index], whole[index]
        holds(section.shape == wanted.shape, f"the shape of {section}")
        (to_text, *to_axes) = any_layout(draw, wanted.shape)
        got = reblock.move(before, section, to_text)
        holds(same(got, numpy.ascontiguousarray(dealt(wanted, *to_axes)[0])), f"{section} to {to_text}")
        plan = reblock.Plan(section, to_text, whole.dtype)
        holds(same(plan.move(before), got), f"a plan of {section} to {to_text}")


def texts(draw):
    shape = (draw.randint(1, 9), draw.randint(1, 9))
    whole = numpy.random.default_rng(draw.getrandbits(32)).integers(-99, 99, shape)
    (from_text, *from_axes), (to_text, *to_axes) = any_layout(draw, shape), any_layout(draw, shape[::-1])
    before, wanted = (numpy.ascontiguousarray(dealt(*each)[0]) for each in ((whole, *from_axes), (whole.T, *to_axes)))
    maps = reblock.Map(shape, from_text), reblock.Map(shape[::-1], to_text)
    for source, target, given in (
        (from_text, to_text, shape), (maps[0], to_text, None), (from_text, maps[1], None), (maps[0], to_text, shape), (*maps, None)
    ):
        plan = reblock.Plan(source, target, int, given, axes=(1, 0))
        holds(same(plan.move(before), wanted), f"a transpose of {shape}, {source} to {target}")
        holds(plan == reblock.Plan(*maps, int, axes=[1, 0]), f"equal plans, {source} to {target}")
    same_text, *same_axes = any_layout(draw, shape)
    got = reblock.move(before, maps[0], same_text)
    holds(same(got, numpy.ascontiguousarray(dealt(whole, *same_axes)[0])), "a text as the target of a map")


def objects():
    shape = (3 * ranks, 8)
    map = reblock.Map(shape, f"(BLOCK, *) ONTO P({ranks})")
    name = f"A({3 * ranks},8)"
    holds(repr(map) == f"<reblock.Map DISTRIBUTE (BLOCK,*) ONTO P({ranks}) :: {name}>", repr(map))
    other = reblock.Map(shape, "(BLOCK(3),*)")
    holds(map == other and hash(map) == hash(other) and len({map, other}) == 1, "equal maps")
    columns = reblock.Map(shape, "(*,BLOCK)")
    holds(map != columns or ranks == 1, "other maps")
    holds(map != "(BLOCK,*)" and map is not None and len({map: 1, columns: 2}) == 2 - (map == columns), "other objects")
    shadow = map.shadow((1, 0), (2, 0))
    holds(repr(shadow) == f"<reblock.Map DISTRIBUTE (BLOCK,*) ONTO P({ranks}), SHADOW (1:2,0:0) :: {name}>", repr(shadow))
    like = map.like(numpy.zeros((3, 8), order="F"))
    holds(repr(like) == f"<reblock.Map DISTRIBUTE (BLOCK,*) ONTO P({ranks}) :: {name}, strides (1, 3) here>" and like != map, repr(like))
    boxes = reblock.map_from_boxes((ranks, 2), [numpy.s_[rank : rank + 1, :]])
    holds(repr(boxes) == f"<reblock.Map IN BOXES ONTO P({ranks}) :: A({ranks},2)>", repr(boxes))
    long = reblock.Map((999,), f"(INDIRECT((/{','.join(str(k * k % ranks) for k in range(999))}/)))")
    holds(len(repr(long)) < 250, repr(long))
    section = map[1:7:2, ::-1]
    holds(repr(section) == f"<reblock.Section [1:{min(6, 3 * ranks - 1 + (3 * ranks) % 2)}:2, 7::-1] of {map!r}>" or ranks < 3, repr(section))
    holds(section == other[1:7:2, ::-1] and hash(section) == hash(other[1:7:2, ::-1]) and section != map[:, :], "sections")
    throws("axes", "an axis too many", lambda: map[1, 2, 3], reblock.ArgumentError)
    throws("axes", "two ellipses", lambda: map[..., ...], reblock.ArgumentError)
    throws("index 8 of an axis with 8", "an index out of bounds", lambda: map[:, 8], reblock.ArgumentError)
    throws("integer", "an index that is none", lambda: map[:, 0.5], TypeError)
    throws("", "step 0", lambda: map[::0], ValueError)
    throws("not iterable", "a loop", lambda: list(map), TypeError)
    throws("", "other shapes", lambda: reblock.Plan(map[:, :4], columns[:, :3], float), reblock.ArgumentError)

    plan = reblock.Plan(map, columns, float, overlap=True)
    holds(repr(plan) == f"<reblock.Plan of float64: {map!r} -> {columns!r}, overlap=True>", repr(plan))
    again = reblock.Plan(other, columns, "f8", overlap=True)
    holds(plan == again and hash(plan) == hash(again) and plan != reblock.Plan(map, columns, float), "equal plans")
    shifts = [reblock.Plan.cshift(map, columns, float, by) for by in ([1, 2], numpy.array([1, 2]), [2, 1])]
    holds(shifts[0] == shifts[1] != shifts[2] and hash(shifts[0]) == hash(shifts[1]), "plans of shifts")
    holds(repr(shifts[0]) == f"<reblock.Plan.cshift of float64: {map!r} -> {columns!r}, shifts=[1, 2]>", repr(shifts[0]))
    holds(plan.reverse() == again.reverse() != plan, "plans back")
    lists = [reblock.Plan.gather(map, float, [1, 2, 0], axis) for axis in (0, 0, 1)]
    holds(lists[0] == lists[1] != lists[2], "plans of lists")

    with reblock.Map(shape, "(*,CYCLIC)") as cyclic, reblock.Plan(map, cyclic, float) as plan:
        holds(plan.move(numpy.ones((3, 8))).all(), "a plan in a block")
    holds(repr(plan) == "<reblock.Plan, closed>" and repr(cyclic) == f"<reblock.Map {name}, closed>", f"{plan} {cyclic}")
    throws("the plan is closed", "a closed plan", lambda: plan.move(numpy.ones((3, 8))), reblock.HandleError)
    throws("the map is closed", "a closed map", lambda: reblock.Plan(map, cyclic, float))
    throws("the map is closed", "a closed map", lambda: cyclic.key(), reblock.HandleError)
    holds(cyclic != map and cyclic == cyclic, "a closed map is no other")
    cyclic.close()
    # Close the plan or the map on one rank only, while the others make the call.
    part = numpy.ones((3, 8))
    calls = [
        lambda plan, map: plan.move(part),
        lambda plan, map: plan.update(part, numpy.ones(plan.target.local_shape)),
        lambda plan, map: plan.reverse(),
        lambda plan, map: reblock.execute_many([plan], [part]),
        lambda plan, map: plan.start(part).wait(),
        lambda plan, map: reblock.move(part, map, columns),
        lambda plan, map: reblock.save(os.devnull, part, map),
        lambda plan, map: reblock.Plan(map, columns, float),
        lambda plan, map: reblock.Redistribution(map, columns, "f8").move(part),
    ]
    for k, call in enumerate(calls):
        other = reblock.Map(shape, "(BLOCK(3),*)")
        plan = reblock.Plan(other, columns, float)
        if rank == k % ranks:
            plan.close()
            other.close()
        throws("is closed", f"closed on rank {k % ranks}, call {k}", lambda: call(plan, other), reblock.HandleError if k < 5 else reblock.ArgumentError)
    redistribution = reblock.Redistribution(map, columns, "f8")
    if rank == ranks - 1:
        redistribution._plan.close()
    throws("the plan is closed", "a closed plan of a redistribution", lambda: redistribution.move(part), reblock.HandleError)
    # A plan does not need its maps.
    plan = reblock.Plan(map, columns, float)
    plan.source.close()
    holds(plan.move(numpy.ones((3, 8))).all(), "a plan of a closed map")


def communicators():
    half = MPI.COMM_WORLD.Split(rank % 2, rank)
    map = reblock.Map((4, 2 * half.size), "(*,BLOCK)", half)
    plan = reblock.Plan(map, "(BLOCK,*)", float)
    holds(plan.comm is half and plan.move(numpy.ones((4, 2))).all(), "a plan has the communicator of its map")
    back = reblock.move(plan.move(numpy.ones((4, 2))), "(BLOCK,*)", map)
    holds(back.all(), "a move has the communicator of its map")
    half.Free()
    holds(comm.allreduce(1) == ranks, "all ranks")


run("python, sections", [sections, pieces, texts], [objects, communicators])
