"""What pandas asks of objects by their class: it knows NumPy's scalars and masks alone.

Without this a column of our scalars would be one of objects, and a mask of ours a list of labels.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy

from heddle._core import own_array, scalar


def _with_numpys_scalars(values: object) -> Any:
    """Elements of an array of objects, with NumPy's scalars for ours; None if there are none."""
    if not isinstance(values, numpy.ndarray) or values.dtype != object:
        return None
    if not any(issubclass(kind, scalar) for kind in set(map(type, values.flat))):
        return None
    made = values.copy()
    made.flat[:] = [x.get()[()] if isinstance(x, scalar) else x for x in values.flat]
    return made


def _finds_types(function: Callable[..., Any], of_objects: Callable[..., Any]) -> Any:
    """A function that finds a type for objects, and finds one for our scalars, too."""

    @wraps(function)
    def found(*args: object, **kwargs: object) -> Any:
        made = function(*args, **kwargs)
        known = _with_numpys_scalars(made)
        return made if known is None else of_objects(known)

    return found


def _reads_keys(function: Callable[..., Any]) -> Any:
    """The function that all indexing begins with: arrays of ours are masks and places, too."""

    @wraps(function)
    def read(key: object, *args: object, **kwargs: object) -> Any:
        made = function(key, *args, **kwargs)
        if isinstance(made, tuple):
            return type(made)(map(_numpys, made)) if type(made) is tuple else made
        return _numpys(made)

    return read


def _numpys(key: object) -> Any:
    return numpy.asarray(key) if isinstance(key, own_array) and not isinstance(key, scalar) else key


def register(common: Any) -> None:
    """Told when ``pandas.core.common`` is imported."""
    from pandas._libs import lib

    library: Any = lib
    of_objects = library.maybe_convert_objects
    for name in ("maybe_convert_objects", "map_infer", "map_infer_mask"):
        function = getattr(library, name, None)
        if function is not None:
            setattr(library, name, _finds_types(function, of_objects))
    common.apply_if_callable = _reads_keys(common.apply_if_callable)


def register_reader(module: Any, name: str) -> None:
    """Told when a module is imported that has such a function: arrays of ours are arrays to it."""
    function = getattr(module, name, None)
    if function is None:
        return

    @wraps(function)
    def read(*args: object, **kwargs: Any) -> Any:
        return function(*map(_numpys, args), **kwargs)

    setattr(module, name, read)
