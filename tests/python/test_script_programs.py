"""Random scripts, run by NumPy and by heddle: plain, recorded, differentiated, in batches.

HEDDLE_TEST_EXAMPLES=20 runs twenty times as many.
"""

import os

import numpy
import pytest
from script_programs import Nobody, Script
from support import host, waiting
from wide_scripts import NUMPY, WideScript

import heddle

pytestmark = [
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
    pytest.mark.unrecorded("records itself"),
]
MANY = int(os.environ.get("HEDDLE_TEST_EXAMPLES", 1))
GROUP = 10  # scripts for each test


def seeds(first, count, wide):
    """So many scripts of each kind; those of `WideScript` have seeds of their own."""
    return pytest.mark.parametrize(
        ("kind", "seed"),
        [(Script, seed) for seed in range(first, first + count * MANY, GROUP)]
        + [(WideScript, 5000 + seed) for seed in range(first, first + wide * MANY, GROUP)],
    )


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


@seeds(0, 200, 50)
def test_plain(kind, seed):
    for n in range(seed, seed + GROUP):
        script = kind(n)
        dtype = ["f8", "f4"][n % 4 == 3]
        given, f = script.inputs(n, dtype), script.function()
        held = []
        theirs = f(NUMPY, held, *(given[name].copy() for name in script.names))
        tolerance = 5e-3 if dtype == "f4" else 1e-6
        # The second time everything about the script is known but who holds what.
        for ours_held in (Nobody(), [], [], Nobody()):
            with waiting(n % 2):
                ours = f(heddle, ours_held, *(heddle.array(given[name]) for name in script.names))
                assert_agree(script, ours, theirs, script.names[:-2], tolerance)
                if ours_held:
                    assert_agree(script, ours_held, held, ["held"] * len(held), tolerance)


@seeds(1000, 80, 40)
def test_recorded(kind, seed):
    for n in range(seed, seed + GROUP):
        # Half of the wide ones have loops that are rolled up.
        script = kind(n, passes=[50, 100]) if kind is WideScript and n % 2 else kind(n)
        f = script.function()
        jitted = heddle.jit(lambda *arrays, f=f: f(heddle, Nobody(), *arrays))
        for which in (n, n, n + 1, n):
            given = script.inputs(which)
            before = [given[name].copy() for name in script.names]
            arrays = [heddle.array(x) for x in before]
            theirs = f(NUMPY, [], *before)
            assert_agree(script, jitted(*arrays), theirs, script.names[:-2], 1e-6)
            assert_agree(script, arrays, before, script.names, 1e-6)  # effects on arguments


def pure(script, given):
    f = script.function()
    rest = [heddle.array(given[name]) for name in script.names[len(script.floats) :]]
    return lambda *floats: f(heddle, [], *(x.copy() for x in floats), *rest)[: len(script.floats)]


@seeds(2000, 40, 20)
def test_derivatives_of_both_modes(kind, seed):
    """The product of a derivative with both its sides is the same from the left and the right: the
    real part of it, as imaginary ones are no part of what changes."""
    for n in range(seed, seed + GROUP):
        script = kind(n, smooth=True)
        given = script.inputs(n)
        f = pure(script, given)
        rng = numpy.random.default_rng(n)

        def random_like(arrays, rng=rng):
            made = []
            for x in arrays:
                values = rng.standard_normal(x.shape)
                if x.dtype.kind == "c":
                    values = values + 1j * rng.standard_normal(x.shape)
                made.append(heddle.array(values))
            return tuple(made)

        primals = tuple(heddle.array(given[name]) for name in script.floats)
        tangents = random_like(primals)
        results, forward = heddle.jvp(f, primals, tangents)
        again, back = heddle.vjp(f, *primals)
        cotangents = random_like(results)
        theirs = script.function()(NUMPY, [], *(given[name].copy() for name in script.names))
        assert_agree(script, results, theirs[: len(script.floats)], script.floats, 1e-6)
        assert_agree(script, again, theirs[: len(script.floats)], script.floats, 1e-6)
        left = [host(a * b).real for a, b in zip(cotangents, forward, strict=True)]
        right = [host(a * b).real for a, b in zip(back(cotangents), tangents, strict=True)]
        size = sum(numpy.abs(x).sum() for x in left + right)
        if numpy.isfinite(size):
            difference = sum(x.sum() for x in left) - sum(x.sum() for x in right)
            assert abs(difference) <= 1e-8 * size, script.text


@seeds(3000, 60, 20)
def test_batches(kind, seed):
    for n in range(seed, seed + GROUP):
        script = kind(n, smooth=True)
        given = script.inputs(n)
        rows = [script.inputs(n + row) for row in range(3)]
        stacked = [heddle.array(numpy.stack([row[name] for row in rows])) for name in script.floats]
        results = heddle.vmap(pure(script, given))(*stacked)
        for which, row in enumerate(rows):
            arrays = [
                (row if name in script.floats else given)[name].copy() for name in script.names
            ]
            theirs = script.function()(NUMPY, [], *arrays)[: len(script.floats)]
            assert_agree(script, [x[which] for x in results], theirs, script.floats, 1e-6)
