"""Masked arrays, and other classes of NumPy's arrays: NumPy computes with them."""

import numpy
import pytest

import heddle

MASKED = {
    "sqrt": lambda np, m, x: np.sqrt(m),
    "add": lambda np, m, x: np.add(m, x),
    "on the left": lambda np, m, x: m * x,
    "on the right": lambda np, m, x: x - m,
    "compared": lambda np, m, x: x < m,
    "sum": lambda np, m, x: np.sum(m, axis=-1),
    "mean": lambda np, m, x: np.mean(m),
    "median": lambda np, m, x: np.median(m),
    "sort": lambda np, m, x: np.sort(m),
    "diff": lambda np, m, x: np.diff(m),
    "concatenate": lambda np, m, x: np.concatenate([x, m]),
    "stack": lambda np, m, x: np.stack([m, m]),
    "reshape": lambda np, m, x: np.reshape(m, (2, -1)),
    "clip": lambda np, m, x: np.clip(m, 2, 5),
    "where": lambda np, m, x: np.where(m > 2, m, 0),
    "unique": lambda np, m, x: np.unique(m),
    "zeros_like": lambda np, m, x: np.zeros_like(m),
    "asanyarray": lambda np, m, x: np.asanyarray(m),
    "asarray": lambda np, m, x: np.asarray(m),
    "array": lambda np, m, x: np.array(m),
}


@pytest.mark.host_memory
@pytest.mark.parametrize("name", MASKED)
def test_masked_arrays(name):
    """NumPy's functions know of masks: ours would count what is masked."""
    masked = numpy.ma.masked_array([4.0, 1.0, 9.0, 2.0], [False, True, False, False])
    theirs = MASKED[name](numpy, masked, numpy.arange(4.0))
    ours = MASKED[name](heddle, masked, heddle.arange(4.0))
    assert isinstance(ours, numpy.ma.MaskedArray) == isinstance(theirs, numpy.ma.MaskedArray)
    assert ours.tolist() == theirs.tolist()


def test_masked_arrays_do_not_lose_their_masks():
    masked = numpy.ma.masked_array([1.0, 2.0], [False, True])
    x = heddle.ones(2)
    with pytest.raises(TypeError, match="masked arrays are not supported"):
        x[:] = masked
    with pytest.raises(TypeError):
        x += masked
    assert x.tolist() == [1, 1]


@pytest.mark.host_memory
def test_views_as_classes_of_numpys():
    x = heddle.arange(4.0).reshape(2, 2)
    seen = x.view(numpy.matrix)
    assert type(seen) is numpy.matrix and (seen * seen).tolist() == [[2, 3], [6, 11]]
    x[0, 0] = 7
    assert seen[0, 0] == 7
    assert x.view("i8", numpy.matrix).dtype == "i8"
    assert x.view("i8", type("Derived", (heddle.ndarray,), {})).dtype == "i8"


@pytest.mark.host_memory
def test_masked_arrays_are_numpys():
    a = numpy.linspace(-1, 1, 9)
    x = heddle.asarray(a)
    assert heddle.ma.MaskedArray is numpy.ma.MaskedArray
    for make in (
        lambda np, v: np.ma.masked_where(v > 0.5, v),
        lambda np, v: np.ma.array(v, mask=v < 0),
        lambda np, v: np.ma.masked_invalid(v / (v - v)),
        lambda np, v: np.ma.masked_where(v > 0.5, v) * v,
    ):
        with numpy.errstate(all="ignore"):
            ours, theirs = make(heddle, x), make(numpy, a)
        assert type(ours) is numpy.ma.MaskedArray
        numpy.testing.assert_array_equal(ours.mask, theirs.mask)
        numpy.testing.assert_array_equal(ours.filled(7), theirs.filled(7))
