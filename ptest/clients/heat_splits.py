"""Tests random splits of Heat's arrays by reblock against the whole array, with strides and types that Heat's own tests lack.

    mpirun -n 3 python heat_splits.py [CASES [SEED]]"""

import random
import sys

import heat
import numpy
import reblock
import reblock.contrib.heat
import torch
from mpi4py import MPI

comm = MPI.COMM_WORLD
TYPES = [heat.bool, heat.uint8, heat.int16, heat.int64, heat.float32, heat.float64, heat.complex64, heat.complex128]


def part(whole, split, sizes):
    """Returns this rank's part of an array with these extents along the split axis."""
    if split is None:
        return whole
    start = sum(sizes[: comm.rank])
    return whole.take(range(start, start + sizes[comm.rank]), split)


def even(extent):
    return [extent // comm.size + (rank < extent % comm.size) for rank in range(comm.size)]


def check(array, whole, split, sizes, what):
    expected = part(whole, split, sizes)
    assert array.split == split and tuple(array.shape) == whole.shape, what
    local = array.larray.resolve_conj().numpy()
    assert local.shape == expected.shape and local.dtype == expected.dtype, f"{what}: {local.shape}, expected {expected.shape}"
    assert (local == expected).all(), f"{what}: elements differ"


def any_sizes(draw, extent):
    ends = sorted(draw.randint(0, extent) for _ in range(comm.size - 1))
    return [high - low for low, high in zip([0, *ends], [*ends, extent])]


def case(draw, number):
    """Gives a random array another split, other local shapes, and a split in place."""
    axes = draw.randint(1, 4)
    shape = [draw.randint(0, 9) if draw.random() < 0.1 else draw.randint(1, 9) for _ in range(axes)]
    kind = draw.choice(TYPES)
    is_complex = kind in (heat.complex64, heat.complex128)
    values = numpy.arange(numpy.prod(shape)).reshape(shape) * (3 + 2j)
    whole = (values if is_complex else values.real).astype(kind.__name__)
    split = draw.randrange(axes)
    array = heat.array(whole, split=split)
    order = draw.sample(range(axes), axes)
    array, whole, split = heat.transpose(array, order), whole.transpose(order), order.index(split)
    if is_complex and draw.random() < 0.5:
        # The conjugate of a tensor shares its memory, and has only a flag set.
        array.larray, whole = torch.conj(array.larray), whole.conj()
    what = f"case {number}: {kind.__name__}, {shape}, order {order}, split {split}"
    target = draw.choice([None, *range(axes)])
    sizes = None if target is None else even(whole.shape[target])
    check(heat.resplit(array, target), whole, target, sizes, f"{what}, resplit to {target}")
    sizes = any_sizes(draw, whole.shape[split])
    target_map = array.create_lshape_map()
    target_map[:, split] = torch.tensor(sizes)
    before, kept = [int(extent) for extent in array.create_lshape_map()[:, split]], array.larray
    array.redistribute_(target_map=target_map)
    starts = [sum(extents[: comm.rank]) for extents in (before, sizes)]
    if starts[0] <= starts[1] and starts[1] + sizes[comm.rank] <= starts[0] + before[comm.rank] and array.larray.numel():
        # Another array may share the memory, as after ravel.
        assert array.larray.untyped_storage().data_ptr() == kept.untyped_storage().data_ptr(), f"{what}, memory after redistribute_"
    check(array, whole, split, sizes, f"{what}, redistribute_ to {sizes}")
    assert (array.create_lshape_map() == array.create_lshape_map(force_check=True)).all(), what
    target = draw.choice([None, *range(axes)])
    sizes = sizes if target == split else None if target is None else even(whole.shape[target])
    check(heat.resplit(array, target), whole, target, sizes, f"{what}, resplit to {target} from other shapes")
    array.resplit_(target)
    check(array, whole, target, sizes, f"{what}, resplit_ to {target}")
    if target != split:
        assert array.is_balanced() and array.is_balanced(force_check=True), what


def mistakes():
    """Checks that mistakes raise exceptions on all ranks, and that the array does not change."""
    array = heat.arange(4 * comm.size, split=0)
    before = array.larray.clone()
    for bad, kind in (
        (torch.zeros(comm.size, 2), ValueError),
        (torch.zeros(comm.size, 1, dtype=torch.int64), ValueError),
        ([1], TypeError),
    ):
        try:
            array.redistribute_(target_map=bad)
        except kind:
            pass
        else:
            raise AssertionError(f"redistribute_ takes {bad}")
    wrong = array.create_lshape_map()
    if comm.size > 1:
        wrong[0, 0] += 1
        wrong[1, 0] -= 1
        try:
            array.redistribute_(lshape_map=wrong)
        except reblock.Error:
            pass
        else:
            raise AssertionError("redistribute_ takes another map than the array has")
    assert (array.larray == before).all()


def main(cases="60", seed=""):
    seed = comm.bcast(int(seed) if seed else random.randrange(10**6))
    draw = random.Random(seed)
    with reblock.contrib.heat.installed():
        for number in range(int(cases)):
            try:
                case(draw, number)
            except Exception as error:
                print(f"rank {comm.rank}, seed {seed}, case {number}: {error!r}", flush=True)
                comm.Abort(1)
        mistakes()
    original = heat.resplit
    assert original.__module__.startswith("heat."), "uninstall does not restore Heat's function"
    assert comm.size == 1 or reblock.contrib.heat.moves() > int(cases)
    if comm.rank == 0:
        print(f"Heat's splits: {comm.size} ranks, seed {seed}: {cases} cases, {reblock.contrib.heat.moves()} moves")


main(*sys.argv[1:])
