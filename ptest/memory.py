"""Tests the Python package with arrays that are not C-contiguous NumPy arrays: views, other orders, read-only sources, and
objects that expose their memory by the buffer protocol, `__array_interface__` or DLPack. Results are compared with NumPy's.

Usage: memory.py ROUNDS [SEED]"""

import numpy
import reblock
from checks import any_layout, comm, dealt, holds, rank, ranks, run, throws

try:
    import torch
except ImportError:
    torch = None


class Interface:
    """An object that only the array interface can access."""

    def __init__(self, array):
        self.kept, self.__array_interface__ = array, array.__array_interface__


class Capsules:
    """An object that only DLPack can access. NumPy's arrays export capsules without a version."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OnDevice(Capsules):
    """An array on a GPU of another vendor."""

    def __dlpack_device__(self):
        return 10, 0


def gaps(a):
    wide = numpy.zeros(tuple(3 * extent for extent in a.shape), a.dtype)
    view = wide[tuple(slice(1, None, 3) for _ in a.shape)]
    view[...] = a
    return view


def backwards(a):
    turned = numpy.ascontiguousarray(a[(slice(None, None, -1),) * a.ndim])
    return turned[(slice(None, None, -1),) * a.ndim]


def turned(a):
    """Returns a copy whose axes lie in memory in the order 1, 2, ..., 0."""
    return numpy.moveaxis(numpy.ascontiguousarray(numpy.moveaxis(a, 0, -1)), -1, 0)


def field(a):
    """Returns a copy within records, with strides that are no multiples of the element size."""
    record = numpy.zeros(a.shape, [("before", "S3"), ("it", a.dtype)])
    record["it"] = a
    return record["it"]


FORMS = [numpy.ascontiguousarray, numpy.asfortranarray, gaps, backwards, turned, field]


def forms(draw, a):
    """Returns a copy of an array in a random form, and an object that exposes the copy's memory."""
    view = draw.choice(FORMS)(a.copy())
    objects = [lambda view: view, Interface]
    if view.dtype.kind in "iufc" and view.dtype.isnative and whole_strides(view):
        objects.append(Capsules)
        if torch and min(view.strides, default=1) >= 0:
            objects.append(torch.from_numpy)
    if view.flags.c_contiguous and view.dtype.isnative and view.dtype.kind != "V":
        objects.append(memoryview)
    # Ranks draw equal numbers, although the objects depend on the rank's part.
    return view, objects[int(draw.random() * len(objects))](view)


def whole_strides(array):
    return not any(stride % array.itemsize for stride in array.strides)


def same(got, expected):
    got = numpy.asarray(got)
    return got.shape == expected.shape and got.dtype == expected.dtype and got.tobytes() == expected.tobytes()


def moves(draw):
    shape = tuple(draw.randint(1, 9) for _ in range(draw.randint(1, 4)))
    dtype = numpy.dtype(draw.choice(["<f8", "<c16", ">i2", "<i4", [("x", "<f4"), ("n", "<i8")]]))
    bytes_of_all = numpy.random.default_rng(draw.getrandbits(32)).integers(1, 256, (*shape, dtype.itemsize), dtype=numpy.uint8)
    whole = bytes_of_all.view(dtype).reshape(shape)
    (from_text, *from_axes), (to_text, *to_axes) = any_layout(draw, shape), any_layout(draw, shape)
    (before, _), (wanted, _) = dealt(whole, *from_axes), dealt(whole, *to_axes)
    view, a = forms(draw, before)
    if draw.random() < 0.3:
        view = a = view.copy() if draw.random() < 0.5 else view
        view.flags.writeable = False
    what = f"{shape} {dtype} {from_text} to {to_text}, {type(a).__name__} with strides {view.strides}"
    into, out = forms(draw, numpy.zeros_like(wanted))
    holds(same(reblock.move(a, from_text, to_text, shape), wanted), f"move, {what}")
    holds(reblock.move(a, from_text, to_text, shape, out) is out and same(into, wanted), f"move into {type(out).__name__} {into.strides}, {what}")
    source, target = reblock.Map(shape, from_text), reblock.Map(shape, to_text)
    plan = reblock.Plan(source, target, dtype)
    into[...] = 0
    holds(same(plan.move(a), wanted), f"plan, {what}")
    holds(plan.move(a, out) is out and same(into, wanted), f"plan into {type(out).__name__} {into.strides}, {what}")
    into[...] = 0
    if comm.allreduce(not (whole_strides(view) and whole_strides(into))):
        return
    alike = reblock.Plan(source.like(a), target.like(out), dtype)
    holds(same(alike.move(a), wanted), f"plan of maps like the arrays, {what}")
    holds(alike.move(numpy.ascontiguousarray(before), out) is out and same(into, wanted), f"the same into {type(out).__name__}, {what}")
    back = alike.reverse().move(out)
    holds(same(back, before), f"the way back, {what}")
    if source.has_part and view.size:
        many = [k for k, extent in enumerate(view.shape) if extent > 1]
        holds(all(back.strides[k] == view.strides[k] for k in many), f"strides {back.strides} of a new array, {what}")


def updates(draw):
    shape = (draw.randint(1, 9), draw.randint(1, 9))
    whole, other = numpy.random.default_rng(draw.getrandbits(32)).integers(-9, 10, (2, *shape)).astype(draw.choice(["f8", "i4", "c8"]))
    (from_text, *from_axes), (to_text, *to_axes) = any_layout(draw, shape), any_layout(draw, shape)
    (view, a), (into, out) = forms(draw, dealt(whole, *from_axes)[0]), forms(draw, dealt(other, *to_axes)[0])
    plan = reblock.Plan(reblock.Map(shape, from_text), reblock.Map(shape, to_text), whole.dtype)
    what = f"{shape} {from_text} to {to_text}, {type(a).__name__} {view.strides} to {type(out).__name__} {into.strides}"
    holds(plan.update(a, out, 2, 3) is out and same(into, dealt(2 * whole + 3 * other, *to_axes)[0]), f"update, {what}")
    # An element that a plan does not write must keep its value, also if the array is copied.
    into[...] = 7
    by = [draw.randint(-3, 3) for _ in shape]
    wanted = numpy.full_like(whole, 7)
    there = tuple(slice(max(0, -d), max(0, min(n, n - d))) for d, n in zip(by, shape))
    wanted[there] = whole[tuple(slice(along.start + d, along.stop + d) for along, d in zip(there, by))]
    plan = reblock.Plan.eoshift(plan.source, plan.target, whole.dtype, by)
    holds(plan.move(a, out) is out and same(into, dealt(wanted, *to_axes)[0]), f"eoshift by {by}, {what}")


def lists(draw):
    shape = (draw.randint(1, 9), draw.randint(1, 9))
    whole = numpy.random.default_rng(draw.getrandbits(32)).integers(-99, 99, shape)
    text, *axes = any_layout(draw, shape)
    view, a = forms(draw, dealt(whole, *axes)[0])
    axis = draw.randrange(2)
    along = [draw.randrange(shape[axis]) for _ in range(draw.randint(0, 9))]
    maps = [reblock.Map(shape, text)]
    if not comm.allreduce(not whole_strides(view)):
        maps.append(maps[0].like(a))
    for map in maps:
        plan = reblock.Plan.gather(map, whole.dtype, along, axis)
        holds(numpy.array_equal(plan.move(a), whole.take(numpy.array(along, int), axis)), f"gather along {axis}, {shape} {text} {view.strides}")


def shadows(draw):
    shape, before, after = (draw.randint(1, 9), 3 * ranks), (0, draw.randint(0, 3)), (0, draw.randint(0, 3))
    whole = numpy.random.default_rng(draw.getrandbits(32)).integers(1, 99, shape)
    map = reblock.Map(shape, "(*, BLOCK)").shadow(before, after)
    columns = numpy.arange(3 * rank - before[1], 3 * rank + 3 + after[1])
    wanted = whole[:, columns % shape[1]]
    part = numpy.zeros(map.local_shape, int)
    part[map.own()] = whole[:, 3 * rank : 3 * rank + 3]
    view, a = forms(draw, part)
    plan = reblock.Plan.shadow(map, int, periodic=(False, True))
    holds(plan.fill(a) is a and numpy.array_equal(view, wanted), f"shadows {shape} {before} {after} {type(a).__name__} {view.strides}")
    plan.reverse().update(a, a, beta=1)
    seen = [sum(3 * r - before[1] <= j + k * shape[1] < 3 * r + 3 + after[1] for r in range(ranks) for k in (-1, 0, 1)) for j in range(shape[1])]
    holds(numpy.array_equal(view[map.own()], (whole * seen)[:, 3 * rank : 3 * rank + 3]), f"sums of shadows {shape} {before} {after}")


def mistakes():
    me, shape = rank == ranks - 1, (2 * ranks, 3 * ranks)
    source, target = reblock.Map(shape, "(BLOCK,*)"), reblock.Map(shape, "(*,BLOCK)")
    plan, a, out = reblock.Plan(source, target, float), numpy.ones(source.local_shape), numpy.zeros(target.local_shape)
    frozen = numpy.zeros(target.local_shape)
    frozen.flags.writeable = False
    for call in (lambda out: plan.move(a, out), lambda out: reblock.move(a, "(BLOCK,*)", "(*,BLOCK)", shape, out), lambda out: plan.update(a, out)):
        throws("out is not writeable", "a read-only target", lambda: call(frozen if me else out), reblock.ArgumentError)
        throws("out is not writeable", "a read-only target", lambda: call(Interface(frozen) if me else out), reblock.ArgumentError)
        throws("out is a list, expected an array", "a list", lambda: call(out.tolist() if me else out), reblock.ArgumentError)
        throws("expected memory of the processor", "a device", lambda: call(OnDevice(out) if me else out), reblock.ArgumentError)
    holds(not frozen.any() and not out.any(), "a call that failed has written something")
    holds((plan.move(a.tolist()) == 1).all(), "a list of lists")
    throws("expected memory of the processor", "a device", lambda: plan.move(OnDevice(a) if me else a), reblock.ArgumentError)
    throws("multiples of the element size", "a field", lambda: source.like(field(a)), reblock.ArgumentError)
    throws("must not be 0", "one element for all", lambda: source.like(numpy.broadcast_to(1.0, source.local_shape)), reblock.ArgumentError)
    throws("has shape (1, 1)", "another shape", lambda: source.like(numpy.zeros((1, 1))), reblock.ArgumentError)
    holds((plan.move(numpy.broadcast_to(1.0, source.local_shape)) == 1).all(), "one element for all")
    holds((reblock.move(numpy.broadcast_to(1.0, source.local_shape), "(BLOCK,*)", "(*,BLOCK)", shape) == 1).all(), "one element for all")
    holds(plan.move(memoryview(a).toreadonly()).all() and reblock.move(bytes(3), f"(*) ONTO P({ranks})", "(BLOCK)", (3,)).dtype == "u1", "read-only bytes")


def tensors():
    """Tests PyTorch's tensors, also of types that NumPy lacks."""
    if torch is None:
        return
    shape = (4 * ranks, 2 * ranks)
    whole = torch.arange(shape[0] * shape[1]).reshape(shape)
    mine = whole[4 * rank : 4 * rank + 4], whole[:, 2 * rank : 2 * rank + 2]
    for dtype in (torch.bfloat16, torch.float16, torch.float32, torch.int8, torch.complex64):
        a, wanted = (part.to(dtype) for part in mine)
        for out in (torch.zeros(wanted.shape, dtype=dtype), torch.zeros(wanted.shape[::-1], dtype=dtype).T):
            got = reblock.move(a, "(BLOCK,*)", "(*,BLOCK)", shape, out)
            holds(got is out and torch.equal(out, wanted), f"tensors of {dtype} with strides {out.stride()}")
    holds(reblock.move(mine[0].to(torch.bfloat16), "(BLOCK,*)", "(*,BLOCK)", shape).dtype == "V2", "bfloat16 without a target")
    graph = mine[0].double().requires_grad_()
    throws("require", "a tensor in a graph", lambda: reblock.move(graph, "(BLOCK,*)", "(*,BLOCK)", shape), reblock.ArgumentError)


run("python, memory", [moves, updates, lists, shadows], [mistakes, tensors])
