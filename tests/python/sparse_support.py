"""Shared by the tests of heddle.scipy.sparse: SciPy is the oracle."""

import warnings

import numpy
import pytest
from support import host

import heddle
from heddle import _core
from heddle.scipy import sparse

theirs = pytest.importorskip("scipy.sparse")

FORMATS = ["coo", "csr", "csc", "dia", "bsr", "lil", "dok"]
KINDS = ["array", "matrix"]
DTYPES = ["bool", "int8", "int64", "float32", "float64", "complex64", "complex128"]


def dense(shape, dtype="float64", density=0.4, seed=0):
    """Small whole numbers, many of them zero, so that results are exact."""
    rng = numpy.random.default_rng(seed)
    values = rng.integers(1, 5, shape) * (rng.random(shape) < density)
    made = values.astype(dtype)
    return made * (1 - 2j) if made.dtype.kind == "c" else made


def both(format, kind, *args, **kwargs):
    """A sparse object of ours, and SciPy's."""
    name = f"{format}_{kind}"
    return getattr(sparse, name)(*args, **kwargs), getattr(theirs, name)(*args, **kwargs)


def plain(value):
    """A result as something to compare: the host's arrays, kinds of sparse objects, errors."""
    if sparse.issparse(value):
        host = value.get()
        assert value.nnz == host.nnz
        if value.format in ("csr", "csc", "bsr"):
            value.check_format()
        return type(value).__name__, value.shape, value.dtype, host.toarray()
    if theirs.issparse(value):
        return type(value).__name__, value.shape, value.dtype, value.toarray()
    if isinstance(value, _core.own_array):
        return heddle.asnumpy(value)
    if isinstance(value, numpy.matrix):
        return numpy.asarray(value)
    if isinstance(value, tuple):
        return tuple(plain(v) for v in value)
    return value


def outcome(function, *args):
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return plain(function(*args))
        except Exception as error:  # errors are results, too
            return type(error)


def assert_equal(found, expected, what=""):
    if isinstance(expected, tuple):
        assert isinstance(found, tuple) and len(found) == len(expected), (what, found, expected)
        for a, b in zip(found, expected, strict=True):
            assert_equal(a, b, what)
        return
    if isinstance(expected, (numpy.ndarray, numpy.generic)):
        found = host(found)
        assert found.shape == expected.shape, (what, found.shape, expected.shape)
        assert found.dtype == expected.dtype, (what, found.dtype, expected.dtype)
        numpy.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6, err_msg=what)
        return
    assert found == expected, (what, found, expected)


def same(function, ours, others, what=""):
    """What a function gives for objects of ours is what it gives for SciPy's, errors included."""
    assert_equal(outcome(function, *ours), outcome(function, *others), what)
