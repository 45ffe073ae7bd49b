"""Tests reblock's meshes and placements: random redistributions against a program that deals index by index, and against PyTorch's
DTensor and JAX if they are installed; and mistakes.

Usage: placements.py ROUNDS [SEED]"""

import copy
import itertools
import os
import socket

import numpy
import reblock
from checks import comm, holds, rank, ranks, run, throws
from reblock import Mesh, Partial, Replicate, Shard, StridedShard, from_placements

TYPES = ["<f4", "<f8", "<i4", "<i8", "<c8", "<c16", "<f2", "i1", "<u8", "?"]
OPERATIONS = {
    "sum": numpy.add, "avg": numpy.add, "min": numpy.minimum, "max": numpy.maximum, "product": numpy.multiply,
    "band": numpy.bitwise_and, "bor": numpy.bitwise_or, "bxor": numpy.bitwise_xor,
}  # fmt: skip


def same(got, expected):
    return got.shape == expected.shape and got.dtype == expected.dtype and got.tobytes() == expected.tobytes()


def chunk(indices, count):
    """Deals a list of indices as torch.chunk does."""
    size = (len(indices) + count - 1) // count
    return [[index for k, index in enumerate(indices) if size and k // size == part] for part in range(count)]


def indices_at(place, shape, mesh, placements):
    """Returns the indices along each axis of the tensor that the rank at a place of the mesh has."""
    indices = [list(range(extent)) for extent in shape]
    for count, coordinate, placement in zip(mesh.shape, place, placements):
        if isinstance(placement, Shard):
            indices[placement.dim] = chunk(indices[placement.dim], count)[coordinate]
        elif isinstance(placement, StridedShard):
            pieces = [chunk(piece, count)[coordinate] for piece in chunk(indices[placement.dim], placement.split_factor)]
            indices[placement.dim] = [index for piece in pieces for index in piece]
    return indices


def place_of(mesh):
    """Returns this rank's place in a mesh, or None."""
    found = numpy.argwhere(mesh.grid() == rank)
    return tuple(found[0].tolist()) if len(found) else None


def values_of(draw, shape, mesh, placements, dtype):
    """Returns random values of the whole tensor for each group of ranks. The array has an additional first axis for each axis of the
    mesh, of extent 1 unless values are partial along that axis of the mesh."""
    groups = [extent if isinstance(each, Partial) else 1 for extent, each in zip(mesh.shape, placements)]
    numbers = numpy.random.default_rng(draw.getrandbits(32))
    values = numbers.integers(0, 2 if dtype == "?" else 5, (*groups, *shape)).astype(dtype)
    return values + dtype.type(1j) * numbers.integers(-4, 5, values.shape).astype(dtype) if dtype.kind == "c" else values


def combined(values, placements, axes):
    """Combines partial values along some axes of the mesh."""
    divisor = 1
    for axis in axes:
        operation = getattr(placements[axis], "reduce_op", None)
        if operation is not None:
            divisor *= values.shape[axis] if operation == "avg" else 1
            values = OPERATIONS[operation].reduce(values, axis, keepdims=True, dtype=values.dtype)
    return values / values.dtype.type(divisor) if divisor > 1 else values


def part_of(values, shape, mesh, placements):
    """Returns this rank's local tensor. If no values are partial, `values` need not have axes for the mesh."""
    place = place_of(mesh)
    if place is None:
        return numpy.empty((0,) * max(1, len(shape)), values.dtype)
    group = tuple(k if isinstance(each, Partial) else 0 for k, each in zip(place, placements))
    values = values if any(isinstance(each, Partial) for each in placements) else values.reshape((1,) * len(group) + shape)
    return numpy.array(values[group][numpy.ix_(*indices_at(place, shape, mesh, placements))], order="C")


def any_mesh(draw, most):
    shape = []
    for _ in range(draw.randint(1, 3)):
        shape.append(draw.randint(1, most))
        most //= shape[-1]
    size = int(numpy.prod(shape))
    return Mesh(shape, None if draw.random() < 0.5 else draw.sample(range(ranks), size))


def any_placement(draw, axes):
    kind = draw.random() if axes else 1
    if kind < 0.5:
        return Shard(draw.randrange(axes))
    if kind < 0.7:
        return StridedShard(draw.randrange(axes), draw.randint(1, 4))
    return Replicate()


def any_placements(draw, mesh, axes, dtype, partial):
    placements = [any_placement(draw, axes) for _ in mesh.shape]
    if partial:
        kinds = ["sum", "min", "max", "product"] if dtype.kind in "fiu" else ["sum"] if dtype.kind == "c" else ["bor"]
        kinds += ["avg"] if dtype.kind in "fc" else ["band", "bxor"]
        operation = draw.choice(kinds)
        pool = ["sum", "avg"] if operation in ("sum", "avg") and dtype.kind in "fc" else [operation]
        for axis in draw.sample(range(len(placements)), draw.randint(1, len(placements))):
            placements[axis] = Partial(draw.choice(pool))
    return placements


def any_case(draw):
    """Draws a tensor, its two layouts, this rank's part, and the part that this rank must get."""
    shape = tuple(draw.choice([0, 1, *range(2, 14)]) if draw.random() < 0.3 else draw.randint(1, 13) for _ in range(draw.randint(0, 3)))
    dtype = numpy.dtype(draw.choice(TYPES))
    source, target = any_mesh(draw, ranks), any_mesh(draw, ranks)
    before = any_placements(draw, source, len(shape), dtype, draw.random() < 0.4)
    after = any_placements(draw, target, len(shape), dtype, False)
    values = values_of(draw, shape, source, before, dtype)
    whole = combined(values, before, range(len(before)))
    local, wanted = part_of(values, shape, source, before), part_of(whole, shape, target, after)
    local = numpy.array(local, order=draw.choice("CF"))
    return f"{shape} {dtype} {before} on {source} to {after} on {target}", shape, (source, before), (target, after), local, wanted


def moves(draw):
    what, shape, before, after, local, wanted = any_case(draw)
    source, target = from_placements(*before, shape), from_placements(*after, shape)
    holds(source.local_shape == local.shape, f"the local shape {source.local_shape}, {what}")
    place = place_of(after[0])
    if place is not None and wanted.size:
        holds(all(list(a) == b for a, b in zip(target.indices(), indices_at(place, shape, *after))), f"indices, {what}")
    given = None if draw.random() < 0.5 and not source.has_part else local
    holds(same(reblock.redistribute(given, source, target), wanted), f"redistribute, {what}")
    out = numpy.zeros_like(wanted)
    move = reblock.Redistribution(source, target, wanted.dtype)
    for _ in range(2):
        holds(move.move(local, out) is out and same(out, wanted), f"a redistribution made once, {what}")


def another(map):
    """Returns a second object for a map."""
    made = reblock.Map.__new__(reblock.Map)
    made.__dict__ |= {**map.__dict__, "original": map}
    return made


def together(draw):
    cases = [any_case(draw) for _ in range(draw.randint(2, 4))]
    maps = [(from_placements(*before, shape), from_placements(*after, shape)) for _, shape, before, after, _, _ in cases]
    for _ in range(draw.randint(0, 2)):
        again = draw.randrange(len(cases))
        cases.append(cases[again])
        maps.append(maps[again])
    # One rank has maps of its own, so no plan is shared.
    if draw.random() < 0.3 and rank == 0:
        maps[-1] = tuple(map(another, maps[-1]))
    results = reblock.redistribute_many([case[4] for case in cases], *zip(*maps))
    holds(len(results) == len(cases), "the number of results")
    for result, (what, *_, wanted) in zip(results, cases):
        holds(same(result, wanted), f"redistribute_many, {what}")


def kept(draw):
    """Tests values that stay partial along some axes of the mesh, perhaps on other ranks."""
    dtype, source = numpy.dtype(draw.choice(["<f8", "i1", "<i4"])), any_mesh(draw, ranks)
    target = Mesh(source.shape, draw.sample(range(ranks), source.grid().size))
    shape = tuple(draw.randint(1, 9) for _ in range(draw.randint(1, 2)))
    before, after = (any_placements(draw, source, len(shape), dtype, partial) for partial in (True, False))
    axes = [axis for axis, each in enumerate(before) if isinstance(each, Partial) and draw.random() < 0.7]
    after = [before[axis] if axis in axes else each for axis, each in enumerate(after)]
    what = f"{shape} {dtype} {before} on {source} to {after} on {target}"
    values = values_of(draw, shape, source, before, dtype)
    wanted = part_of(combined(values, before, sorted({*range(len(before))} - {*axes})), shape, target, after)
    maps = from_placements(source, before, shape), from_placements(target, after, shape)
    holds(same(reblock.redistribute(part_of(values, shape, source, before), *maps), wanted), f"partial values, {what}")


def mistakes():
    x = numpy.ones(ranks)
    by_rows, copies = from_placements((ranks,), [Shard(0)], (ranks,)), from_placements((ranks,), [Replicate()], (ranks,))
    sums, means = (from_placements((ranks,), [Partial(each)], (ranks,)) for each in ("sum", "avg"))
    throws("2 placements on a mesh of shape (1,)", "placements", lambda: from_placements((1,), [Shard(0), Shard(0)], (4,)))
    throws("Shard(dim=1) of a tensor with 1 dim", "a dimension", lambda: from_placements((1,), [Shard(1)], (4,)))
    throws("expected Shard, StridedShard", "no placement", lambda: from_placements((1,), ["Shard"], (4,)))
    throws("split_factor of at least 1", "a factor", lambda: from_placements((1,), [StridedShard(0, 0)], (4,)))
    throws("expected one of sum", "an operation", lambda: from_placements((1,), [Partial("norm")], (4,)))
    throws("of several operations", "operations", lambda: from_placements((1, 1), [Partial("max"), Partial("sum")], (4,)))
    throws("with 3 ranks, expected 2", "ranks", lambda: Mesh((2,), [0, 1, 2]))
    throws("at least 1", "a mesh", lambda: Mesh((0,)))
    throws("", "more ranks than there are", lambda: from_placements((ranks + 1,), [Shard(0)], (4,)))
    throws("is partial", "a plan of partial values", lambda: reblock.Plan(sums, copies, "f8"))
    holds(sums != copies and "partial: Partial(reduce_op='sum')" in repr(sums), f"a partial map: {sums!r}")
    throws("values become partial", "a partial target", lambda: reblock.redistribute(x, copies, sums))
    if ranks > 1:
        throws("values become partial", "another operation", lambda: reblock.redistribute(x, sums, means))
        throws("expected floating-point", "a mean of integers", lambda: reblock.redistribute(x.astype("i4"), means, copies))
        throws("which NumPy does not compute", "a sum of bytes", lambda: reblock.redistribute(x.view("V8"), sums, copies))
        one = [1] if rank == 1 else [0]
        throws("", "a mistake of one rank", lambda: from_placements((1,), [Shard(one[0])], (4,)))
        wrong_part = x if rank == 1 else x[:1]
        throws("has shape", "another shape on one rank", lambda: reblock.redistribute(wrong_part, by_rows, copies))
        throws("different types", "types", lambda: reblock.redistribute(x[:1].astype("i4" if rank else "f8"), by_rows, copies))
        throws("another number", "numbers", lambda: reblock.redistribute_many([x[:1]] * (1 + rank), *([[m] * (1 + rank) for m in (by_rows, copies)])))
    holds(same(reblock.redistribute(x[:1], by_rows, copies), x), "the next call")


def with_other_maps():
    """Tests other maps as sources and targets."""
    whole = numpy.arange(24.0).reshape(6, 4)
    placed = from_placements((ranks,), [Shard(1)], whole.shape)
    mine = whole[:, indices_at((rank,), whole.shape, Mesh((ranks,)), [Shard(1)])[1]]
    text = copy.deepcopy(copy.copy(reblock.Map(whole.shape, "(CYCLIC,*)")))
    holds(same(reblock.redistribute(numpy.ascontiguousarray(mine), placed, text), whole[rank::ranks]), "to HPF's notation")
    boxes = reblock.map_from_boxes(whole.shape, [(slice(0, 6), slice(0, 2)), (slice(0, 6), slice(2, 4))] if rank == 0 else [])
    out = boxes.split(reblock.redistribute(whole, from_placements((ranks,), [Partial("sum")], whole.shape), boxes))
    holds(rank or all(same(box, part * ranks) for box, part in zip(out, (whole[:, :2], whole[:, 2:]))), "sums to boxes")


class Tensors:
    """DTensors of PyTorch, with its own meshes and placements."""

    def __init__(self):
        import torch
        import torch.distributed
        from torch.distributed import tensor

        self.torch, self.tensor, self.counts = torch, tensor, [0, 0]
        with socket.socket() as probe:
            probe.bind(("localhost", 0))
            port = comm.bcast(probe.getsockname()[1])
        os.environ |= {"MASTER_ADDR": "localhost", "MASTER_PORT": str(port)}
        torch.distributed.init_process_group("gloo", rank=rank, world_size=ranks)
        extents = range(1, ranks + 1)
        self.shapes = [shape for n in (1, 2, 3) for shape in itertools.product(extents, repeat=n) if numpy.prod(shape) == ranks]
        self.meshes = {shape: torch.distributed.device_mesh.init_device_mesh("cpu", shape) for shape in self.shapes}

    def placement(self, ours):
        if isinstance(ours, StridedShard):
            return self.tensor.placement_types._StridedShard(ours.dim, split_factor=ours.split_factor)
        if isinstance(ours, Partial):
            return self.tensor.Partial(ours.reduce_op)
        return self.tensor.Shard(ours.dim) if isinstance(ours, Shard) else self.tensor.Replicate()

    def split(self, shape, mesh, placements):
        """Returns the local tensor that PyTorch cuts, of a tensor whose elements are their positions."""
        local = self.torch.arange(int(numpy.prod(shape))).reshape(shape)
        for placement, count, coordinate in zip(placements, mesh.shape, place_of(mesh)):
            if hasattr(placement, "dim"):
                local = placement._split_tensor(local, count, with_padding=False)[0][coordinate]
        return local.numpy()

    def redistributed(self, local, mesh, source, target, shape):
        """Returns the result of DTensor's own redistribute."""
        strides = self.torch.empty(shape).stride()
        whole = self.tensor.DTensor.from_local(local, mesh, source, run_check=False, shape=self.torch.Size(shape), stride=strides)
        return whole.redistribute(placements=target).to_local().contiguous().numpy()


def as_orders(mesh, placements):
    """Changes the order of the axes that cut a dimension, by strided shards whose factor is the number of later cuts."""
    made = list(placements)
    for axis, placement in enumerate(made):
        if isinstance(placement, StridedShard):
            later = [mesh.shape[k] for k in range(axis + 1, len(made)) if getattr(made[k], "dim", None) == placement.dim]
            made[axis] = StridedShard(placement.dim, int(numpy.prod(later, dtype=int)))
    return made


def with_torch(draw):
    """Redistributes a DTensor, and compares whole local tensors."""
    axes, mesh, is_even = draw.randint(1, 3), Mesh(draw.choice(torch.shapes)), draw.random() < 0.4
    dtype = numpy.dtype(draw.choice(["<f4", "<f8", "<i4", "<i8"]))
    before = any_placements(draw, mesh, axes, dtype, draw.random() < 0.4)
    after = any_placements(draw, mesh, axes, dtype, False)
    # For many strided shards, redistribute raises exceptions or ends the process. Strided shards that cut a dimension evenly in
    # another order of the axes are compared with redistribute, all others with the shards that PyTorch cuts.
    are_orders = draw.random() < 0.6
    before, after = (as_orders(mesh, each) if are_orders else each for each in (before, after))
    shape = tuple(ranks * draw.randint(1, 3) if is_even else draw.randint(1, 13) for _ in range(axes))
    # PyTorch divides averages once for each axis of the mesh, and rounds the results. Use values that are not rounded.
    values = values_of(draw, shape, mesh, before, dtype) * dtype.type(ranks)
    whole = combined(values, before, range(len(before)))
    local = torch.torch.from_numpy(part_of(values, shape, mesh, before))
    what = f"{shape} {dtype} {before} to {after} on {mesh}"
    theirs, source, target = torch.meshes[mesh.shape], *([torch.placement(p) for p in each] for each in (before, after))
    ends = [from_placements(theirs, each, shape) for each in (source, target)]
    ours = reblock.redistribute(local, *ends).numpy()
    holds(same(ours, part_of(whole, shape, mesh, after)), f"tensors of PyTorch, {what}")
    is_split = any(isinstance(each, StridedShard) for each in before + after) and not (is_even and are_orders)
    if is_split:
        start, end = torch.split(shape, mesh, source), torch.split(shape, mesh, target)
        good = start.shape == ends[0].local_shape and same(ours, whole.reshape(-1)[end])
    else:
        good = same(ours, torch.redistributed(local, theirs, source, target, shape))
    holds(good, f"{'PyTorch cuts' if is_split else 'DTensor'}, {what}")
    torch.counts[is_split] += good


class Shardings:
    """JAX with two devices for each rank, of which some tests use only the first."""

    def __init__(self):
        count = f"--xla_force_host_platform_device_count={2 * ranks}"
        os.environ |= {"XLA_FLAGS": count, "JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "2"}
        import jax

        jax.config.update("jax_enable_x64", True)
        self.jax, self.devices, self.counts = jax, jax.devices(), [0, 0]
        self.rank_of = {device: k for k, device in enumerate(self.devices[:ranks])}

    def sharding(self, devices, names, spec):
        mesh = self.jax.sharding.Mesh(devices, names)
        return self.jax.sharding.NamedSharding(mesh, self.jax.sharding.PartitionSpec(*map(tuple, spec)))

    def any_sharding(self, draw, axes):
        """Returns a sharding, the extents of its mesh, the ranks on the mesh, and the names of mesh axes that cut each axis."""
        extents = range(1, ranks + 1)
        shape = draw.choice([shape for shape in itertools.product(extents, repeat=3) if numpy.prod(shape) == ranks])
        names, order, spec = "xyz", draw.sample(range(ranks), ranks), [[] for _ in range(axes)]
        for name in draw.sample(names, 3):
            if draw.random() < 0.7:
                draw.choice(spec).append(name)
        devices = numpy.array([self.devices[k] for k in order]).reshape(shape)
        return self.sharding(devices, tuple(names), spec), dict(zip(names, shape)), order, spec


def dealt_by_names(whole, extents, order, spec):
    """Returns this rank's part: an axis has one chunk for each place along all mesh axes that cut it, in their order."""
    place, indices = dict(zip(extents, numpy.unravel_index(order.index(rank), tuple(extents.values())))), []
    for extent, along in zip(whole.shape, spec):
        number, count = 0, 1
        for name in along:
            number, count = number * extents[name] + int(place[name]), count * extents[name]
        indices.append(chunk(list(range(extent)), count)[number])
    return whole[numpy.ix_(*indices)]


def with_jax(draw):
    """Moves an array between two of JAX's shardings, and compares the parts of all devices."""
    axes, is_even = draw.randint(1, 3), draw.random() < 0.8
    shape = tuple(ranks * draw.randint(1, 3) if is_even else draw.randint(1, 13) for _ in range(axes))
    dtype = numpy.dtype(draw.choice(["<f4", "<f8", "<i4", "i1", "?"]))
    whole = numpy.random.default_rng(draw.getrandbits(32)).integers(0, 2 if dtype == "?" else 100, shape).astype(dtype)
    (source, *before), (target, *after) = jax.any_sharding(draw, axes), jax.any_sharding(draw, axes)
    maps = reblock.from_jax(source, shape, ranks=jax.rank_of), reblock.from_jax(target, shape, ranks=jax.rank_of.get)
    ours, what = reblock.redistribute(dealt_by_names(whole, *before), *maps), f"{shape} {dtype} {source} to {target}"
    good = same(ours, dealt_by_names(whole, *after))
    holds(good, f"JAX's chunks, {what}")
    try:
        moved = jax.jax.device_put(jax.jax.device_put(whole, source), target)
    except ValueError:
        jax.counts[1] += good
        return
    (theirs,) = (numpy.asarray(part.data) for part in moved.addressable_shards if jax.rank_of[part.device] == rank)
    holds(same(ours, theirs), f"JAX, {what}")
    jax.counts[0] += same(ours, theirs)


def devices():
    """Tests two devices of JAX for each rank: each has its own part, or both have the same part."""
    whole = numpy.arange(4.0 * ranks * ranks).reshape(2 * ranks, 2 * ranks)
    for copies, spec in ((1, ("xy", "")), (1, ("y", "x")), (2, ("", "x"))):
        sharding = jax.sharding(numpy.array(jax.devices).reshape(ranks, 2), ("x", "y"), spec)
        parts = [numpy.asarray(part.data) for part in jax.jax.device_put(whole, sharding).addressable_shards if part.device.id // 2 == rank]
        boxes = reblock.from_jax(sharding, whole.shape, ranks=lambda device: device.id // 2)
        moved = reblock.redistribute(whole, from_placements((ranks,), [Replicate()], whole.shape), boxes)
        ours = boxes.split(moved) if copies == 1 else [moved, moved]
        holds(all(same(*pair) for pair in zip(ours, parts)), f"two devices for each rank, {spec}")
    copied = jax.sharding(numpy.array(jax.devices).reshape(ranks, 2), ("x", "y"), ["y"])
    if ranks > 1:
        throws("copies of a part", "two parts on each rank", lambda: reblock.from_jax(copied, (4, 4), ranks=lambda device: device.id // 2))
    throws("", "an unknown device", lambda: reblock.from_jax(copied, (4, 4), ranks={}))


def types():
    """Tests number types that NumPy does not have."""
    bits = torch.torch.arange(7).to(torch.torch.bfloat16)
    everywhere, rows = (from_placements((ranks,), [each], (7,)) for each in (Replicate(), Shard(0)))
    moved = reblock.redistribute(bits, everywhere, rows)
    mine = indices_at((rank,), (7,), Mesh((ranks,)), [Shard(0)])[0]
    holds(moved.dtype == bits.dtype and torch.torch.equal(moved, bits[mine]), "bfloat16")
    some = 2 * bits + rank if ranks > 1 else bits
    for operation in ("sum", "avg", "min", "max", "product"):
        partial = from_placements((ranks,), [Partial(operation)], (7,))
        all = torch.torch.stack([2 * bits.float() + k if ranks > 1 else bits.float() for k in range(ranks)])
        wanted = {"sum": all.sum, "avg": all.mean, "min": all.amin, "max": all.amax, "product": all.prod}[operation](0).to(bits.dtype)
        moved = reblock.Redistribution(partial, rows, bits.dtype).move(some)
        holds(moved.dtype == bits.dtype and torch.torch.equal(moved, wanted[mine]), f"{operation} of bfloat16")
        holds(torch.torch.equal(reblock.redistribute(some, partial, everywhere), wanted), f"{operation} of bfloat16")
    if ranks > 1:
        bitwise = from_placements((ranks,), [Partial("bor")], (7,))
        throws("which NumPy does not compute", "bits of bfloat16", lambda: reblock.redistribute(bits, bitwise, rows))
    whole = torch.torch.ones(7, requires_grad=True)
    holds(torch.torch.equal(reblock.redistribute(whole, everywhere, rows), torch.torch.ones(len(mine))), "a tensor with a graph")
    holds(reblock.Redistribution(everywhere, rows, torch.torch.float64).dtype == "f8", "a type of PyTorch")


def report():
    if rank == 0 and torch:
        print("DTensor {}: {} pairs equal to redistribute, {} to the shards that PyTorch cuts".format(torch.torch.__version__, *torch.counts))
    if rank == 0 and jax:
        print("JAX {}: {} pairs equal to device_put, {} that JAX refuses equal to NumPy".format(jax.jax.__version__, *jax.counts))


def installed(name, kind):
    try:
        return kind()
    except ImportError as why:
        if rank == 0:
            print(f"{name}: skipped, {why}")
        return None


torch, jax = installed("DTensor", Tensors), installed("JAX", Shardings)
random_tests = [moves, together, kept, *([with_torch] if torch else []), *([with_jax] if jax else [])]
run("meshes and placements", random_tests, [mistakes, with_other_maps, *([types] if torch else []), *([devices] if jax else []), report])
