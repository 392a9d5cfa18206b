"""Random scripts, run by NumPy and by heddle: plain, recorded, differentiated, in batches.

HEDDLE_TEST_EXAMPLES=20 runs twenty times as many.
"""

import os

import numpy
import pytest
from script_programs import FLOATS, NAMES, Nobody, Script
from support import host

import heddle

pytestmark = [
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
    pytest.mark.unrecorded("records itself"),
]
MANY = int(os.environ.get("HEDDLE_TEST_EXAMPLES", 1))
GROUP = 10  # scripts for each test


def seeds(first, count):
    return pytest.mark.parametrize("seed", range(first, first + count * MANY, GROUP))


def assert_agree(script, ours, theirs, names, tolerance):
    """Rounding grows where numbers do: what has become large is not compared."""
    for name, a, b in zip(names, ours, theirs, strict=True):
        a = host(a)
        where = f"{name} of\n{script.text}"
        assert a.shape == b.shape and a.dtype == b.dtype, where
        if b.dtype.kind not in "fc":
            assert numpy.array_equal(a, b), where
            continue
        close = numpy.isclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)
        assert (close | ~(numpy.abs(b) < 1e4)).all(), where


@seeds(0, 200)
def test_plain(seed):
    for n in range(seed, seed + GROUP):
        script = Script(n)
        dtype = ["f8", "f4"][n % 4 == 3]
        given, f = script.inputs(n, dtype), script.function()
        held = []
        theirs = f(numpy, held, *(given[name].copy() for name in NAMES))
        tolerance = 5e-3 if dtype == "f4" else 1e-6
        # The second time everything about the script is known but who holds what.
        for ours_held in (Nobody(), [], [], Nobody()):
            ours = f(heddle, ours_held, *(heddle.array(given[name]) for name in NAMES))
            assert_agree(script, ours, theirs, NAMES[:-2], tolerance)
            if ours_held:
                assert_agree(script, ours_held, held, ["held"] * len(held), tolerance)


@seeds(1000, 80)
def test_recorded(seed):
    for n in range(seed, seed + GROUP):
        script = Script(n)
        f = script.function()
        jitted = heddle.jit(lambda *arrays, f=f: f(heddle, Nobody(), *arrays))
        for which in (n, n, n + 1, n):
            given = script.inputs(which)
            before = [given[name].copy() for name in NAMES]
            arrays = [heddle.array(x) for x in before]
            theirs = f(numpy, [], *before)
            assert_agree(script, jitted(*arrays), theirs, NAMES[:-2], 1e-6)
            assert_agree(script, arrays, before, NAMES, 1e-6)  # effects on arguments


def pure(script, given):
    f = script.function()
    rest = [heddle.array(given[name]) for name in NAMES[len(FLOATS) :]]
    return lambda *floats: f(heddle, [], *(x.copy() for x in floats), *rest)[: len(FLOATS)]


@seeds(2000, 40)
def test_derivatives_of_both_modes(seed):
    """The product of a derivative with both its sides is the same from the left and the right."""
    for n in range(seed, seed + GROUP):
        script = Script(n, smooth=True)
        given = script.inputs(n)
        f = pure(script, given)
        rng = numpy.random.default_rng(n)

        def random_like(arrays, rng=rng):
            return tuple(heddle.array(rng.standard_normal(x.shape)) for x in arrays)

        primals = tuple(heddle.array(given[name]) for name in FLOATS)
        tangents = random_like(primals)
        results, forward = heddle.jvp(f, primals, tangents)
        again, back = heddle.vjp(f, *primals)
        cotangents = random_like(results)
        theirs = script.function()(numpy, [], *(given[name].copy() for name in NAMES))
        assert_agree(script, results, theirs[: len(FLOATS)], FLOATS, 1e-6)
        assert_agree(script, again, theirs[: len(FLOATS)], FLOATS, 1e-6)
        left = [host(a * b) for a, b in zip(cotangents, forward, strict=True)]
        right = [host(a * b) for a, b in zip(back(cotangents), tangents, strict=True)]
        size = sum(numpy.abs(x).sum() for x in left + right)
        if numpy.isfinite(size):
            difference = sum(x.sum() for x in left) - sum(x.sum() for x in right)
            assert abs(difference) <= 1e-8 * size, script.text


@seeds(3000, 60)
def test_batches(seed):
    for n in range(seed, seed + GROUP):
        script = Script(n, smooth=True)
        given = script.inputs(n)
        rows = [script.inputs(n + row) for row in range(3)]
        stacked = [heddle.array(numpy.stack([row[name] for row in rows])) for name in FLOATS]
        results = heddle.vmap(pure(script, given))(*stacked)
        for which, row in enumerate(rows):
            arrays = [(row if name in FLOATS else given)[name].copy() for name in NAMES]
            theirs = script.function()(numpy, [], *arrays)[: len(FLOATS)]
            assert_agree(script, [x[which] for x in results], theirs, FLOATS, 1e-6)
