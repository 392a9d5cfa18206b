"""Gives a family's functions their names: ``val`` of the Chebyshev series is ``chebval``."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any

import numpy

from heddle._arguments import as_array
from heddle._core import NoNumbers, ndarray
from heddle._typing import ArrayLike
from heddle.polynomial import _evaluation, _series, _solving
from heddle.polynomial._class import series_class
from heddle.polynomial._coefficients import give
from heddle.polynomial._examples import example
from heddle.polynomial._families import Family, power
from heddle.polynomial._objects import numpys

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "line": _series.line,
    "add": _series.add,
    "sub": _series.sub,
    "mulx": _series.mulx,
    "mul": _series.mul,
    "div": _series.div,
    "pow": _series.pow,
    "val": _evaluation.val,
    "der": _series.der,
    "int": _series.integ,
    "fromroots": _series.fromroots,
    "vander": _evaluation.vander,
    "fit": _solving.fit,
    "roots": _solving.roots,
    "val2d": _evaluation.val2d,
    "val3d": _evaluation.val3d,
    "valnd": _evaluation.valnd,
    "grid2d": _evaluation.grid2d,
    "grid3d": _evaluation.grid3d,
    "vander2d": _evaluation.vander2d,
    "vander3d": _evaluation.vander3d,
    "companion": _solving.companion,
}


def public(
    function: Callable[..., Any], name: str, module: str, *bound: object
) -> Callable[..., Any]:
    """A function of a module: its first arguments set, its results given as arrays of ours."""

    theirs = getattr(importlib.import_module(module.replace("heddle.", "numpy.")), name, None)

    @functools.wraps(function)
    def call(*args: object, **kwargs: ArrayLike) -> Any:
        try:
            return give(function(*bound, *args, **kwargs))
        except NoNumbers:
            return numpys(theirs, args, kwargs)

    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())[len(bound) :]
    call.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    call.__name__ = call.__qualname__ = name
    call.__module__ = module
    call.__doc__ = (call.__doc__ or "").rstrip() + example(name)
    return call


def _pow_without_limit(
    family: Family, c: ArrayLike, pow: int, maxpower: int | None = None
) -> ndarray:
    """The series to an integer power."""
    return _series.pow(family, c, pow, maxpower)


def _to_power(family: Family, c: ArrayLike) -> ndarray:
    """The coefficients of the same polynomial in powers of x."""
    return _series.convert(family, power, c)


def _from_power(family: Family, pol: ArrayLike) -> ndarray:
    """The series of a polynomial that is given by its coefficients of powers of x."""
    return _series.convert(power, family, pol)


def define(family: Family, namespace: dict[str, Any]) -> None:
    """Puts the functions, the constants and the class of a family into a module."""
    module, prefix = namespace["__name__"], family.prefix
    functions: dict[str, Callable[..., Any]] = {
        prefix + name: function for name, function in _FUNCTIONS.items()
    }
    if family is power:
        functions["polypow"] = _pow_without_limit
    else:
        functions[f"{prefix}2poly"] = _to_power
        functions[f"poly2{prefix}"] = _from_power
        functions[f"{prefix}gauss"] = _solving.gauss
        functions[f"{prefix}weight"] = _evaluation.weight
    made: dict[str, Any] = {name: public(f, name, module, family) for name, f in functions.items()}
    made[f"{prefix}trim"] = public(_series.trim, "trimcoef", "heddle.polynomial.polyutils")
    made[f"{prefix}zero"] = as_array(numpy.array([0]))
    made[f"{prefix}one"] = as_array(numpy.array([1]))
    made[f"{prefix}x"] = as_array(numpy.array(family.x))
    made[f"{prefix}domain"] = as_array(numpy.array(family.domain))
    made[family.name] = series_class(family, module)
    namespace.update({name: value for name, value in made.items() if name not in namespace})
    namespace["__all__"] = sorted({*made, *namespace.get("__all__", ())})
