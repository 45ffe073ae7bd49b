"""Tests the common part of the modules of reblock.contrib: replaced functions, and plans kept with a communicator."""

import random
import sys
import types

import numpy
from checks import comm, finish, holds, rank, ranks
from reblock.contrib import _client


def replaced():
    """Tests that a function of a package is replaced once, and restored."""
    package = types.SimpleNamespace(move=lambda: "own")
    client = _client.Client(lambda: [(package, "move", lambda: f"reblock, {client.original('move')()}")])
    with client.installed():
        client.install()
        holds(package.move() == "reblock, own", "a replaced function")
    holds(package.move() == "own", "a restored function")
    client.install()
    with client.installed():
        pass
    holds(package.move() == "reblock, own", "a with block within an installation")
    client.uninstall()
    holds(package.move() == "own" and client.original("move")() == "own", "the original after uninstall")


def any_split(draw, shape):
    """Returns a split, and this rank's slices of the whole array."""
    if draw.random() < 0.2:
        return None, (slice(None),) * len(shape)
    axis = draw.randrange(len(shape))
    ends = [0, *sorted(draw.randint(0, shape[axis]) for _ in range(ranks - 1)), shape[axis]]
    mine = [slice(None)] * len(shape)
    mine[axis] = slice(ends[rank], ends[rank + 1])
    return (axis, [high - low for low, high in zip(ends, ends[1:])]), tuple(mine)


def moved(draw, over):
    """Moves between more random splits than a communicator keeps plans."""
    client = _client.Client(list)
    for _ in range(2 * _client.MAX_PLANS):
        shape = [draw.randint(0, 7) for _ in range(draw.randint(1, 3))]
        whole = numpy.arange(numpy.prod(shape), dtype=float).reshape(shape)
        (source, before), (target, after) = any_split(draw, shape), any_split(draw, shape)
        plan = _client.kept_plan(over, shape, source, target, whole.dtype)
        holds(plan is _client.kept_plan(over, shape, source, target, whole.dtype), "the plan is not kept")
        out = numpy.full(whole[after].shape, -1.0)
        client.move(plan, whole[before], out)
        holds((out == whole[after]).all(), f"{shape}: {source} to {target}")
    holds(client.moves() == 2 * _client.MAX_PLANS, "moves are not counted")


seed = comm.bcast(int(sys.argv[1]) if len(sys.argv) > 1 else random.randrange(10**6))
replaced()
for _ in range(3):
    # The plans end with their communicator, whose handle MPI may use again.
    copy = comm.Dup()
    moved(random.Random(seed), copy)
    copy.Free()
sys.exit(finish("contrib", seed))
