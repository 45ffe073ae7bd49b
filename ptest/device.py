"""Tests the Python package with arrays in the memory of a GPU, by the stand-in for NVIDIA's driver (ctest/cuda). Results are compared with
NumPy's, bit for bit. Without REBLOCK_DEVICE=1, tests that such arrays are refused.

Usage: device.py ROUNDS [SEED], with the path of the stand-in in STANDIN"""

import ctypes
import os
import tempfile

import numpy
import reblock
from checks import any_layout, comm, dealt, holds, rank, ranks, run, throws

driver = ctypes.CDLL(os.environ["STANDIN"])
Address, Bytes = ctypes.c_uint64, ctypes.c_size_t
driver.cuMemAlloc_v2.argtypes = driver.cuMemAllocManaged.argtypes = [ctypes.POINTER(Address), Bytes]
driver.cuMemAllocManaged.argtypes = [ctypes.POINTER(Address), Bytes, ctypes.c_uint]
driver.cuMemcpyHtoD_v2.argtypes = [Address, ctypes.c_void_p, Bytes]
driver.cuMemcpyDtoH_v2.argtypes = [ctypes.c_void_p, Address, Bytes]
driver.cuMemcpyHtoDAsync_v2.argtypes = [Address, ctypes.c_void_p, Bytes, ctypes.c_void_p]
driver.cuMemFree_v2.argtypes = [Address]
driver.cuStreamDestroy_v2.argtypes = driver.standin_hold.argtypes = [ctypes.c_void_p]
driver.standin_capture.argtypes = [ctypes.c_void_p, ctypes.c_int]


def must(code):
    if code:
        raise RuntimeError(f"the driver fails with code {code}")


def enter():
    context = ctypes.c_void_p()
    must(driver.cuInit(0))
    must(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
    must(driver.cuCtxPushCurrent_v2(context))


class Memory:
    """Memory of a GPU with the bytes of an array. With negative strides, the array's first element is not the first in memory."""

    def __init__(self, array, managed=False):
        self.like, self.managed = array, managed
        low, high = numpy.lib.array_utils.byte_bounds(array) if hasattr(numpy.lib, "array_utils") else numpy.byte_bounds(array)
        self.bytes, self.first = (high - low if array.size else 0), array.ctypes.data - low
        self.base = Address()
        allocate = (lambda *given: driver.cuMemAllocManaged(*given, 1)) if managed else driver.cuMemAlloc_v2
        must(allocate(ctypes.byref(self.base), self.bytes + 1))
        self.address = self.base.value + self.first
        self.write(array)

    def write(self, array, stream=None):
        """Copies the elements of an array with equal strides, on `stream` unless it is None."""
        start = array.ctypes.data - self.first
        if self.managed:
            ctypes.memmove(self.base.value, start, self.bytes)
        elif stream is None:
            must(driver.cuMemcpyHtoD_v2(self.base, start, self.bytes))
        else:
            must(driver.cuMemcpyHtoDAsync_v2(self.base, start, self.bytes, stream))

    def read(self):
        """Returns a NumPy array with the elements."""
        copy = numpy.empty(self.bytes, numpy.uint8)
        if self.managed:
            ctypes.memmove(copy.ctypes.data, self.base.value, self.bytes)
        else:
            must(driver.cuMemcpyDtoH_v2(copy.ctypes.data, self.base, self.bytes))
        if not self.like.size:
            return self.like.copy()
        return numpy.ndarray(self.like.shape, self.like.dtype, copy, self.first, self.like.strides)

    def __del__(self):
        driver.cuMemFree_v2(self.base)


class Cuda:
    """An array with the CUDA array interface. `changes` are other entries of the interface."""

    def __init__(self, array, managed=False, **changes):
        self.memory = Memory(array, managed)
        strides = None if array.flags.c_contiguous else array.strides
        self.interface = {"version": 3, "shape": array.shape, "typestr": array.dtype.str, "strides": strides, "stream": None,
                          "data": (self.memory.address if array.size else 0, False), "descr": array.dtype.descr, **changes}

    @property
    def __cuda_array_interface__(self):
        return self.interface

    def read(self):
        return self.memory.read()


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("device_id", ctypes.c_int32), ("axes", ctypes.c_int32),
                ("kind", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p),
                ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Capsules:
    """An array in the memory of a GPU that only DLPack can access."""

    def __init__(self, array):
        self.memory, axes = Memory(array), array.ndim
        self.lists = [(ctypes.c_int64 * axes)(*each) for each in (array.shape, [step // array.itemsize for step in array.strides])]
        kind = {"i": 0, "f": 2, "c": 5}[array.dtype.kind]
        self.tensor = DLTensor(self.memory.address, 2, 0, axes, kind, 8 * array.itemsize, 1, *map(ctypes.addressof, self.lists), 0)

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, *, stream):
        assert stream == 1
        make = ctypes.pythonapi.PyCapsule_New
        make.argtypes, make.restype = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p], ctypes.py_object
        return make(ctypes.addressof(self.tensor), b"dltensor", None)

    def read(self):
        return self.memory.read()


class Host:
    """An array in the host's memory, instead of one on a GPU."""

    def __new__(cls, array):
        return array


def gaps(a):
    wide = numpy.full(tuple(2 * extent for extent in a.shape), 77).astype(a.dtype)
    view = wide[tuple(slice(1, None, 2) for _ in a.shape)]
    view[...] = a
    return view


def backwards(a):
    return numpy.ascontiguousarray(a[(slice(None, None, -1),) * a.ndim])[(slice(None, None, -1),) * a.ndim]


FORMS = [numpy.ascontiguousarray, numpy.asfortranarray, gaps, backwards]


def place(draw, a):
    """Returns an array in a random form and memory. Ranks choose differently, but all draw the same number of random numbers."""
    draws = [int(draw.random() * ranks * 1000) // (rank + 1) for _ in range(2)]
    form = FORMS[draws[0] % len(FORMS)](a.copy())
    kinds = [Cuda, Cuda, Host, lambda array: Cuda(array, managed=True)]
    if a.dtype.kind in "ifc" and a.dtype.isnative and a.size:
        kinds.append(Capsules)
    return kinds[draws[1] % len(kinds)](form)


def content(it):
    return it if isinstance(it, numpy.ndarray) else it.read()


def clear(it):
    if isinstance(it, numpy.ndarray):
        it[...] = numpy.zeros(1, it.dtype)
    else:
        elements = it.read()
        elements[...] = numpy.zeros(1, elements.dtype)
        it.memory.write(elements)


def same(it, wanted):
    got = content(it)
    return got.shape == wanted.shape and got.dtype == wanted.dtype and got.tobytes() == wanted.tobytes()


def problem(draw, types):
    shape = tuple(draw.randint(1, 40) for _ in range(draw.randint(1, 3)))
    whole = numpy.random.default_rng(draw.getrandbits(32)).integers(-99, 100, shape).astype(draw.choice(types))
    (from_text, *from_axes), (to_text, *to_axes) = any_layout(draw, shape), any_layout(draw, shape)
    return shape, whole, (from_text, from_axes), (to_text, to_axes)


def moves(draw):
    shape, whole, (from_text, from_axes), (to_text, to_axes) = problem(draw, ["<f8", "<c16", ">i2", "<i4", "S3", [("x", "<f4"), ("n", "<i8")]])
    before, wanted = dealt(whole, *from_axes)[0], dealt(whole, *to_axes)[0]
    a, b, out, other = (place(draw, each) for each in (before, before, numpy.zeros_like(wanted), numpy.zeros_like(wanted)))
    what = f"{shape} {whole.dtype} {from_text} to {to_text}"
    holds(reblock.move(a, from_text, to_text, shape, out) is out and same(out, wanted), f"move, {what}")
    holds(same(reblock.move(a, from_text, to_text, shape), wanted), f"move to a new array, {what}")
    source, target = reblock.Map(shape, from_text), reblock.Map(shape, to_text)
    plan = reblock.Plan(source.like(b), target.like(other), whole.dtype)
    holds(plan.move(b, other) is other and same(other, wanted), f"plan, {what}")
    twin = reblock.Plan(source.like(a), target.like(out), whole.dtype)
    clear(out), clear(other)
    holds(reblock.execute_many([twin, plan], [a, b], [out, other]) == [out, other] and same(out, wanted) and same(other, wanted), f"batch, {what}")
    clear(out), clear(other)
    with plan.start(b, other) as request:
        pass
    holds(request.out is other and same(other, wanted), f"request, {what}")
    clear(out), clear(other)
    request = reblock.start_many([plan, twin], [b, a], [other, out])
    holds(request.wait() == [other, out] and same(out, wanted), f"requests of a batch, {what}")
    clear(b)
    holds(same(plan.reverse().move(other, b), before), f"the way back, {what}")


def updates(draw):
    shape, whole, (from_text, from_axes), (to_text, to_axes) = problem(draw, ["f8", "i4", "c8"])
    other = whole[::-1].copy()
    a, out = place(draw, dealt(whole, *from_axes)[0]), place(draw, dealt(other, *to_axes)[0])
    plan = reblock.Plan(reblock.Map(shape, from_text).like(a), reblock.Map(shape, to_text).like(out), whole.dtype)
    what = f"{shape} {whole.dtype} {from_text} to {to_text}"
    wanted = dealt(2 * whole + 3 * other, *to_axes)[0].astype(whole.dtype)
    holds(plan.update(a, out, 2, 3) is out and same(out, wanted), f"update, {what}")
    plan.start_update(a, out, beta=1).wait()
    holds(same(out, wanted + dealt(whole, *to_axes)[0]), f"started update, {what}")


def sections(draw):
    shape, whole, (from_text, from_axes), (to_text, to_axes) = problem(draw, ["f8", "i8"])
    cut = tuple(slice(draw.randrange(extent), None, draw.randint(1, 3)) for extent in shape)
    a, out = place(draw, dealt(whole, *from_axes)[0]), place(draw, dealt(numpy.full_like(whole, 7), *to_axes)[0])
    wanted = numpy.full_like(whole, 7)
    wanted[cut] = whole[cut]
    reblock.move(a, reblock.Map(shape, from_text)[cut], reblock.Map(shape, to_text)[cut], out=out)
    holds(same(out, dealt(wanted, *to_axes)[0]), f"section {cut} of {shape}, {from_text} to {to_text}")


def files(draw):
    shape, whole, (from_text, from_axes), (to_text, to_axes) = problem(draw, ["f8", "i4"])
    a = place(draw, dealt(whole, *from_axes)[0])
    wanted = dealt(whole, *to_axes)[0]
    out = place(draw, numpy.zeros_like(wanted))
    folder = comm.bcast(tempfile.mkdtemp() if rank == 0 else None)
    path = os.path.join(folder, "a.npy")
    reblock.save(path, a, from_text, shape)
    holds(numpy.load(path).tobytes() == whole.tobytes(), f"a saved array of {shape}, {from_text}")
    holds(reblock.load(path, to_text, out=out) is out and same(out, wanted), f"a loaded array of {shape}, {to_text}")
    comm.Barrier()
    if rank == 0:
        os.remove(path)
        os.rmdir(folder)


def ends():
    shape = (2 * ranks, 3 * ranks)
    source, target = reblock.Map(shape, "(BLOCK,*)"), reblock.Map(shape, "(*,BLOCK)")
    whole = numpy.arange(float(6 * ranks * ranks)).reshape(shape)
    mine, wanted = whole[2 * rank : 2 * rank + 2].copy(), whole[:, 3 * rank : 3 * rank + 3].copy()
    return reblock.Plan(source, target, float), mine, wanted


def streams():
    """Tests streams. The stand-in performs copies on these streams only when a stream or a call waits for them."""
    plan, mine, wanted = ends()
    own, other = ctypes.c_void_p(), ctypes.c_void_p()
    for made in (own, other):
        must(driver.cuStreamCreate(ctypes.byref(made), 0))
        driver.standin_hold(made)
    ways = {
        "move": lambda a, out: plan.move(a, out),
        "update": lambda a, out: plan.update(a, out),
        "request": lambda a, out: plan.start(a, out).wait(),
        "batch": lambda a, out: reblock.execute_many([plan], [a], [out]),
        "without a plan": lambda a, out: reblock.move(a, plan.source, plan.target, out=out),
        "redistribute": lambda a, out: reblock.redistribute(a, plan.source, plan.target, out),
    }
    for name, way in ways.items():
        for stream in (1, 2, own.value):
            for of_source, of_target in ((stream, stream), (stream, None), (None, stream)):
                a, out = Cuda(numpy.zeros_like(mine), stream=of_source), Cuda(numpy.zeros_like(wanted), stream=of_target)
                a.memory.write(mine, stream)
                way(a, out)
                holds(same(out, wanted), f"{name} of arrays on the streams {of_source} and {of_target}")
        # The stream of an array counts for one call. The next call does not wait for this stream.
        a, out = Cuda(numpy.zeros_like(mine)), Cuda(numpy.ones_like(wanted))
        a.memory.write(mine, own)
        way(a, out)
        holds(not out.read().any(), f"{name} waits for a stream that no array names")
        must(driver.cuCtxSynchronize())
        out.interface["stream"] = other.value if rank == 0 else own.value
        a.interface["stream"] = own.value
        throws("name the streams", f"{name} of two streams", lambda: way(a, out), reblock.ArgumentError)
        out.interface["stream"] = own.value
        driver.standin_capture(own, int(rank == 0))
        throws("is being captured", f"{name} on a captured stream", lambda: way(a, out), reblock.ArgumentError)
        driver.standin_capture(own, 0)
        pair = [Cuda(mine, stream=own.value), Cuda(mine, stream=other.value if rank == 0 else own.value)]
        many = lambda pair=pair, out=out: reblock.execute_many([plan, plan], pair, [out, Cuda(wanted)])  # noqa: E731
        throws("name the streams", "a batch of two streams", many, reblock.ArgumentError)
        holds(not out.read().any(), f"{name} that fails has written something")


def mistakes():
    plan, mine, wanted = ends()
    me, empty = rank == ranks - 1, numpy.zeros_like(wanted)
    a, out = Cuda(mine), Cuda(empty)
    wrong = {
        "out is not writeable": Cuda(empty, data=(out.memory.address, True)),
        "expected float64": Cuda(empty, typestr="<f4"),
        "has shape": Cuda(empty, shape=(1, 1)),
        "see Map.like": Cuda(numpy.asfortranarray(empty)),
        "an aligned address": Cuda(empty, data=(out.memory.address + 1, False)),
        "with a mask": Cuda(empty, mask=out),
        "of version 4": Cuda(empty, version=4),
        "with stream 0": Cuda(empty, stream=0),
        "one for each axis": Cuda(empty, strides=(8,)),
    }
    for text, bad in wrong.items():
        throws(text, text, lambda bad=bad: plan.move(a, bad if me else out), reblock.ArgumentError)
        if text != "see Map.like":
            direct = lambda bad=bad: reblock.move(a, plan.source, plan.target, out=bad if me else out)  # noqa: E731
            throws(text, text, direct, reblock.ArgumentError)
    holds(not out.read().any(), "a call that failed has written something")
    source, order = reblock.Map((4,), "(*) ONTO P(1)"), Cuda(numpy.zeros(1, int))
    throws("indices in the memory of a GPU", "indices", lambda: reblock.Plan.gather(source, float, order if me else [0], 0), reblock.ArgumentError)
    throws("a factor in the memory of a GPU", "a factor", lambda: plan.update(a, out, Cuda(numpy.ones(1)) if me else 1), reblock.ArgumentError)
    bound = Cuda(numpy.ones(1)) if me else 1
    shift = lambda: reblock.Plan.eoshift(plan.source, plan.target, float, [0, 0], bound)  # noqa: E731
    throws("a boundary in the memory of a GPU", "a boundary", shift, reblock.ArgumentError)
    partial = reblock.from_placements((ranks,), [reblock.Partial("avg")], plan.source.shape)
    ones = numpy.ones(plan.source.shape)
    throws("but NumPy computes its values", "an average", lambda: reblock.redistribute(ones, partial, plan.target, out), reblock.ArgumentError)
    sums = reblock.from_placements((ranks,), [reblock.Partial("sum")], plan.source.shape)
    reblock.redistribute(Cuda(ones), sums, plan.target, out)
    holds((out.read() == ranks).all(), "a sum")
    holds((reblock.redistribute(Cuda(ones), partial, plan.target) == 1).all(), "an average of arrays in the memory of a GPU")
    out.is_conj = lambda: True
    throws("see resolve_conj", "a conjugate", lambda: plan.move(a, out if me else empty), reblock.ArgumentError)
    one = reblock.Plan(plan.source, plan.source, float, overlap=True)
    holds(one.fill(a) is a and same(a, mine), "one array as source and target")


def refusals():
    """Tests that arrays on a GPU are refused without REBLOCK_DEVICE=1."""
    plan, mine, wanted = ends()
    me, empty = rank == ranks - 1, numpy.zeros_like(wanted)
    text = "the source lies in the memory of GPU 0, expected memory of the host, or the setting REBLOCK_DEVICE=1"
    for call in (lambda a: plan.move(a, empty), lambda a: plan.start(a, empty).wait(), lambda a: reblock.move(a, plan.source, plan.target)):
        throws(text, "an array in the memory of a GPU", lambda call=call: call(Cuda(mine) if me else mine), reblock.ArgumentError)
    out = Cuda(empty, managed=True)
    holds(plan.move(Cuda(mine, managed=True), out) is out and same(out, wanted), "managed memory")


enter()
if os.environ.get("REBLOCK_DEVICE") == "1":
    run("python, arrays in device memory", [moves, updates, sections, files], [streams, mistakes])
else:
    run("python, arrays in device memory are refused", [], [refusals])
