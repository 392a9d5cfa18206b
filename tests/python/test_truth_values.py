"""Reductions of truth values, which end as soon as they are settled, against NumPy."""

import itertools

import numpy
import pytest
from support import host

import heddle

REDUCTIONS = {
    "any": lambda m, a, **k: m.any(a, **k),
    "all": lambda m, a, **k: m.all(a, **k),
    "max": lambda m, a, **k: m.max(a, **k),
    "min": lambda m, a, **k: m.min(a, **k),
    "argmax": lambda m, a, **k: m.argmax(a, **k),
    "argmin": lambda m, a, **k: m.argmin(a, **k),
    "count": lambda m, a, **k: m.count_nonzero(a, **k),
    "sum": lambda m, a, **k: m.sum(a, **k),
    "add": lambda m, a, **k: m.add.reduce(a, dtype=bool, **{"axis": None, **k}),
    "or": lambda m, a, **k: m.bitwise_or.reduce(a, **{"axis": None, **k}),
    "and": lambda m, a, **k: m.logical_and.reduce(a, **{"axis": None, **k}),
    "xor": lambda m, a, **k: m.logical_xor.reduce(a, **{"axis": None, **k}),
}
each = pytest.mark.parametrize("run", REDUCTIONS.values(), ids=REDUCTIONS)


def same(run, ours, theirs, **kwargs):
    got, want = run(heddle, ours, **kwargs), run(numpy, theirs, **kwargs)
    assert numpy.asarray(host(got)).dtype == numpy.asarray(want).dtype
    numpy.testing.assert_array_equal(host(got), want)


def marked(size, place, background):
    made = numpy.full(size, background)
    if place is not None:
        made[place] = not background
    return made


@each
@pytest.mark.parametrize("background", [False, True])
def test_one_element_that_differs(run, background):
    for size in (1, 2, 7, 63, 64, 65, 128, 129, 200, 1000):
        for place in {None, 0, size // 2, size - 1, min(63, size - 1), min(64, size - 1)}:
            a = marked(size, place, background)
            same(run, heddle.asarray(a), a)


@each
@pytest.mark.parametrize("size", [100_000, 1_000_003])
@pytest.mark.parametrize("background", [False, True])
def test_long_arrays(run, size, background):
    for place in (None, 0, 5000, size // 2, size - 1):
        a = marked(size, place, background)
        same(run, heddle.asarray(a), a)
        if place is not None:  # what comes later changes nothing
            a[place:] = numpy.random.default_rng(place).random(size - place) < 0.5
            same(run, heddle.asarray(a), a)


@each
def test_layouts(run):
    a = numpy.random.default_rng(0).random((37, 11, 70)) < 0.02
    views = [
        lambda m: m,
        lambda m: m[:, :, ::2],
        lambda m: m[::-1, 1:-1, ::-3],
        lambda m: m.T,
        lambda m: m.transpose(1, 0, 2),
        lambda m: m[:, :1].repeat(3, 1)[:, :, :1],
    ]
    for view in views:
        ours, theirs = view(heddle.asarray(a)), view(a)
        for axis in (None, 0, 1, 2, -1):
            same(run, ours, theirs, axis=axis)
        same(run, ours, theirs, axis=1, keepdims=True)
        same(run, ours[..., :10], theirs[..., :10], axis=-1)


@pytest.mark.parametrize("name", ["any", "all", "max", "min", "count", "sum", "xor"])
def test_several_axes(name):
    a = numpy.random.default_rng(1).random((5, 40, 3, 50)) < 0.001
    for axes in itertools.combinations(range(4), 2):
        same(REDUCTIONS[name], heddle.asarray(a), a, axis=axes)
        same(REDUCTIONS[name], heddle.asarray(~a).T, (~a).T, axis=axes)


@each
def test_no_elements(run):
    for shape, axis in [((0,), None), ((0, 3), 0), ((0, 3), 1), ((3, 0), 1)]:
        a = numpy.zeros(shape, bool)
        try:
            run(numpy, a, axis=axis)
        except ValueError:
            with pytest.raises(ValueError):
                run(heddle, heddle.asarray(a), axis=axis)
        else:
            same(run, heddle.asarray(a), a, axis=axis)


@pytest.mark.parametrize("dtype", ["i1", "i4", "f2", "f4", "f8", "c16"])
def test_of_comparisons(dtype):
    for size in (50, 3000, 150_000):
        a = numpy.random.default_rng(2).integers(-9, 9, (3, size)).astype(dtype)
        if dtype != "i1" and dtype != "i4":
            a[1, size // 3] = numpy.nan
        x = heddle.asarray(a)
        for run in (
            lambda m, v: m.any(v != v, axis=1),
            lambda m, v: m.all(v == v),
            lambda m, v: m.argmax(v == 5, axis=-1),
            lambda m, v: m.argmin(v != v),
            lambda m, v: m.count_nonzero(v == 3, axis=1),
            lambda m, v: m.sum(v == 3, dtype="i1"),
            lambda m, v: m.sum(v == 3, axis=1, dtype="u2"),
            lambda m, v: m.any(v),
            lambda m, v: m.all(v, axis=0),
        ):
            same(lambda m, v, run=run: run(m, v), x, a)


def test_together():
    """Several reductions of one kernel: none may end before all of them are settled."""
    a = numpy.random.default_rng(3).random((50, 300)) < 0.1
    b = numpy.random.default_rng(4).random(200_000) < 0.001
    for source in (a, b):
        x = heddle.asarray(source)
        made = [run(heddle, x, axis=-1) for run in REDUCTIONS.values()]
        made.append(x ^ heddle.any(x, axis=-1, keepdims=True))
        heddle.eval(*made)
        wanted = [run(numpy, source, axis=-1) for run in REDUCTIONS.values()]
        wanted.append(source ^ source.any(axis=-1, keepdims=True))
        for got, want in zip(made, wanted, strict=True):
            numpy.testing.assert_array_equal(host(got), want)


def test_rows_that_use_their_own_result():
    a = numpy.random.default_rng(5).random((40, 500)) < 0.004
    x = heddle.asarray(a)
    numpy.testing.assert_array_equal(
        host(heddle.where(heddle.any(x, axis=1, keepdims=True), ~x, x)),
        numpy.where(a.any(axis=1, keepdims=True), ~a, a),
    )
    first = heddle.argmax(x, axis=1, keepdims=True)
    places = numpy.arange(500)
    numpy.testing.assert_array_equal(
        host(heddle.asarray(places) >= first), places >= a.argmax(axis=1, keepdims=True)
    )
