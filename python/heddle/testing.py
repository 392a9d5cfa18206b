"""NumPy's assertions of ``numpy.testing`` for arrays of ours; the rest of it as it is."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy
import numpy.testing as _testing

from heddle._core import own_array

_compared = (
    "assert_allclose",
    "assert_almost_equal",
    "assert_approx_equal",
    "assert_array_almost_equal",
    "assert_array_almost_equal_nulp",
    "assert_array_compare",
    "assert_array_equal",
    "assert_array_less",
    "assert_array_max_ulp",
    "assert_equal",
    "build_err_msg",
    "print_assert_equal",
)


def _on_host(value: Any) -> Any:
    """Arrays as NumPy's own, also inside of sequences and dictionaries."""
    if isinstance(value, own_array):
        made = value.get()
        return made[()] if value._is_scalar else made
    if isinstance(value, tuple):  # those with named fields become plain ones
        return tuple(_on_host(item) for item in value)
    if hasattr(type(value), "__array__") and not isinstance(value, numpy.ndarray | numpy.generic):
        try:
            made = value.__array__()
        except TypeError:  # one that would have to be copied from a device
            return value
        return made.get() if isinstance(made, own_array) else value
    if type(value) is list:
        return [_on_host(item) for item in value]
    if type(value) is dict:
        return {key: _on_host(item) for key, item in value.items()}
    return value


def _compares(name: str) -> Callable[..., Any]:
    function = getattr(_testing, name)

    @functools.wraps(function)
    def compare(*args: object, **kwargs: object) -> Any:
        __tracebackhide__ = True
        return function(*_on_host(args), **_on_host(kwargs))

    return compare


globals().update({name: _compares(name) for name in _compared if hasattr(_testing, name)})


def __getattr__(name: str) -> Any:
    return getattr(_testing, name)


__all__ = [name for name in _testing.__all__ if name != "overrides"]
