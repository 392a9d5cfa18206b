"""Random programs with control flow, state and masks (see control_programs.py): derivatives against
differences, batches against loops, recorded calls against plain ones, and compositions of them.

HEDDLE_TEST_EXAMPLES=20 runs twenty times as many.
"""

import os

import numpy
import pytest
from control_programs import SIZE, ControlProgram

import heddle as hd

pytestmark = [
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
    pytest.mark.unrecorded("records itself"),
]
MANY = int(os.environ.get("HEDDLE_TEST_EXAMPLES", 1))


def seeds(first, count):
    return pytest.mark.parametrize("seed", range(first, first + count * MANY))


def program(seed, batched=False):
    made = ControlProgram(seed, batched)
    f = made.function()
    return made.text, lambda x, y: f(hd, x, y)


def at(seed, *shape):
    return hd.asarray(numpy.random.default_rng(seed).uniform(-1, 1, size=(*shape, SIZE)))


def same(found, wanted, what, tolerance=1e-8):
    for one, other in zip(hd.tree.leaves(found), hd.tree.leaves(wanted), strict=True):
        one, other = hd.asnumpy(one), hd.asnumpy(other)
        close = numpy.allclose(one, other, rtol=tolerance, atol=tolerance, equal_nan=True)
        assert close, f"{one} is not {other}: {what}"


@seeds(0, 10)
def test_derivatives_against_differences(seed):
    text, f = program(seed)
    primals, tangents = (at(seed), at(seed + 1)), (at(seed + 2), at(seed + 3))

    def difference(step):
        ahead, behind = (
            f(*(x + sign * step * t for x, t in zip(primals, tangents, strict=True)))
            for sign in (1, -1)
        )
        return float(ahead - behind) / (2 * step)

    slopes = hd.grad(f, (0, 1))(*primals)
    along = sum((g * t).sum() for g, t in zip(slopes, tangents, strict=True))
    same(hd.jvp(f, primals, tangents)[1], along, text)
    wanted, closer = difference(1e-6), difference(1e-7)
    # Where a condition changes sides within the step differences are no derivatives.
    if abs(wanted - closer) <= 1e-4 * (1 + abs(wanted)):
        assert float(along) == pytest.approx(wanted, rel=1e-4, abs=1e-4), text


@seeds(1000, 5)
def test_recorded_against_plain(seed):
    text, f = program(seed)
    slope = hd.grad(f, (0, 1))
    ways = [hd.jit(slope), hd.grad(hd.jit(f), (0, 1)), hd.grad(hd.checkpoint(f), (0, 1))]
    jitted, along = hd.jit(f), hd.jit(lambda x, y, t: hd.jvp(lambda x: f(x, y), (x,), (t,)))
    for i in (0, 0, 1, 2):
        x, y, t = at(seed + i), at(seed + i + 7), at(seed + 3)
        same(jitted(x, y), f(x, y), text)
        same(along(x, y, t), hd.jvp(lambda x, y=y: f(x, y), (x,), (t,)), text)
        wanted = slope(x, y)
        for way in ways:
            same(way(x, y), wanted, text)


@seeds(2000, 4)
def test_second_derivatives(seed):
    text, f = program(seed)
    x, y, t = at(seed), at(seed + 1), at(seed + 2)

    def slope(x):
        return hd.grad(f)(x, y)

    wanted = hd.jvp(slope, (x,), (t,))[1]
    same(hd.grad(lambda x: (slope(x) * t).sum())(x), wanted, text, 1e-7)
    same(hd.grad(lambda x: hd.jvp(lambda x: f(x, y), (x,), (t,))[1])(x), wanted, text, 1e-7)
    same(hd.jit(lambda x, t: hd.jvp(slope, (x,), (t,))[1])(x, t), wanted, text, 1e-7)


@seeds(3000, 5)
def test_batches_against_loops(seed):
    text, f = program(seed, batched=True)
    x, y = at(seed, 3), at(seed + 1, 3)
    slope, mapped = hd.grad(f), hd.vmap(f)
    values = hd.stack([hd.asarray(f(*row)) for row in zip(x, y, strict=True)])
    slopes = hd.stack([slope(*row) for row in zip(x, y, strict=True)])
    for way in (mapped, hd.jit(mapped), hd.vmap(hd.jit(f))):
        same(way(x, y), values, text)
    for way in (
        *(hd.vmap(slope), hd.jit(hd.vmap(slope)), hd.vmap(hd.jit(slope))),
        hd.grad(lambda x, y: mapped(x, y).sum()),
        hd.grad(lambda x, y: hd.jit(mapped)(x, y).sum()),
        hd.grad(lambda x, y: hd.checkpoint(mapped)(x, y).sum()),
        hd.jit(hd.grad(lambda x, y: hd.vmap(hd.checkpoint(f))(x, y).sum())),
    ):
        same(way(x, y), slopes, text)
    along = [hd.jvp(lambda a, b=b: f(a, b), (a,), (b,))[1] for a, b in zip(x, y, strict=True)]
    same(hd.jvp(lambda x: mapped(x, y), (x,), (y,))[1], hd.stack(along), text)
