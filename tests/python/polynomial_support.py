"""Shared by the tests of polynomials: the families, values, and comparison with NumPy."""

import importlib

import numpy
import pytest
from compare import outcome
from support import NEWER, host

import heddle
from heddle import _core

FAMILIES = {
    "polynomial": ("poly", "Polynomial"),
    "chebyshev": ("cheb", "Chebyshev"),
    "legendre": ("leg", "Legendre"),
    "laguerre": ("lag", "Laguerre"),
    "hermite": ("herm", "Hermite"),
    "hermite_e": ("herme", "HermiteE"),
}
CLASSES = [name for _, name in FAMILIES.values()]
TOLERANCE = {"f": 2e-6, "d": 2e-13, "F": 2e-6, "D": 2e-13, "e": 4e-3}
# From NumPy 2.5 on, real roots are complex numbers in some families; here they are real in all.
WIDER = 0j if NEWER else 0

family = pytest.mark.parametrize("module", FAMILIES)
each_class = pytest.mark.parametrize("name", CLASSES)


def close(ours, theirs, scale=1.0):
    """The same structure, types and shapes, and values up to rounding."""
    if isinstance(theirs, tuple | list):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            close(a, b, scale)
        return
    if hasattr(theirs, "coef"):
        assert type(ours).__name__ == type(theirs).__name__
        assert ours.symbol == theirs.symbol
        for part in ("coef", "domain", "window"):
            close(getattr(ours, part), getattr(theirs, part), scale)
        return
    if isinstance(theirs, numpy.ndarray | numpy.generic):
        assert isinstance(ours, _core.own_array | numpy.generic), type(ours)
        assert ours.dtype == theirs.dtype, f"{ours.dtype} for {theirs.dtype}"
        assert ours.shape == theirs.shape, f"{ours.shape} for {theirs.shape}"
        tolerance = TOLERANCE.get(theirs.dtype.char, 0) * scale
        size = numpy.max(numpy.abs(theirs[numpy.isfinite(theirs)]), initial=1.0)
        numpy.testing.assert_allclose(host(ours), theirs, rtol=tolerance, atol=tolerance * size)
        return
    assert ours == theirs or (ours != ours and theirs != theirs)


def compare(function, scale=1.0):
    """Runs the code with NumPy and with heddle: the same results, or the same type of error."""
    theirs, expected = outcome(function, numpy)
    ours, error = outcome(function, heddle)
    if expected is not None:
        assert error is not None, f"no error, where NumPy raises {expected!r}"
        assert isinstance(error, type(expected)), f"{error!r} where NumPy raises {expected!r}"
        return
    if error is not None:
        raise error
    close(ours, theirs, scale)


def of(xp, module, name):
    """A function of a family in one of the two libraries: of(xp, "chebyshev", "{}val")."""
    submodule = importlib.import_module(f"{xp.__name__}.polynomial.{module}")
    return getattr(submodule, name.format(FAMILIES[module][0]))


def series(seed, *shape, dtype="f8"):
    rng = numpy.random.default_rng(seed)
    values = rng.uniform(-2, 2, shape)
    if numpy.dtype(dtype).kind == "c":
        values = values + 1j * rng.uniform(-2, 2, shape)
    return values.astype(dtype)


def held(xp, values):
    """An array of the library; on the tests' device for heddle."""
    return values.copy() if xp is numpy else heddle.asarray(values)
