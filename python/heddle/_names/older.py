"""What NumPy 1 had for types and text, which NumPy dropped and CuPy keeps."""

import ast
import functools
import sys
from collections.abc import Sequence
from typing import Any, TextIO, cast, overload

import numpy as _numpy
from numpy.lib.npyio import DataSource
from numpy.rec import format_parser

from heddle._core import own_array
from heddle._typing import DTypeLike


def issubclass_(arg1: object, arg2: object) -> bool:
    """Whether a class is derived from another; False where one of them is no class.

    Examples
    --------
    >>> import heddle as np
    >>> np.issubclass_(np.int32, int), np.issubclass_(2, int)
    (False, False)
    """
    try:
        return issubclass(cast("type", arg1), cast("type", arg2))
    except TypeError:
        return False


@overload
def obj2sctype(rep: object, default: type) -> type: ...
@overload
def obj2sctype(rep: object, default: None = None) -> type | None: ...
def obj2sctype(rep: object, default: type | None = None) -> type | None:
    """The type of the elements that something stands for; a default where it stands for none.

    Examples
    --------
    >>> import heddle as np
    >>> np.obj2sctype("f4")
    <class 'numpy.float32'>
    >>> np.obj2sctype(np.ones(2, int)), np.obj2sctype(3, default=list)
    (<class 'numpy.int64'>, <class 'list'>)
    """
    if isinstance(rep, type) and issubclass(rep, _numpy.generic):
        return rep  # abstract ones, too, which have no dtype
    if isinstance(rep, (_numpy.ndarray, own_array)):
        return rep.dtype.type
    try:
        kind: type = _numpy.dtype(cast("Any", rep)).type
        return kind
    except (TypeError, ValueError):
        return default


def issubsctype(arg1: object, arg2: object) -> bool:
    """Whether the type of one is derived from the type of the other.

    Examples
    --------
    >>> import heddle as np
    >>> np.issubsctype("f4", np.floating), np.issubsctype(np.ones(2), int)
    (True, False)
    """
    return issubclass(cast("type", obj2sctype(arg1)), cast("type", obj2sctype(arg2)))


def issctype(rep: object) -> bool:
    """Whether something is a type of elements.

    Examples
    --------
    >>> import heddle as np
    >>> np.issctype(np.int32), np.issctype(list), np.issctype(1.1)
    (True, False, False)
    """
    if not isinstance(rep, (type, _numpy.dtype)):
        return False
    found = obj2sctype(rep)
    return found is not None and found is not _numpy.object_


def sctype2char(sctype: object) -> str:
    """The letter of a type.

    Examples
    --------
    >>> import heddle as np
    >>> np.sctype2char(np.float32), np.sctype2char(np.ones(2, complex))
    ('f', 'D')
    """
    found = obj2sctype(sctype)
    if found is None:
        raise ValueError("unrecognized type")
    return str(_numpy.dtype(found).char)


def find_common_type(
    array_types: Sequence[DTypeLike], scalar_types: Sequence[DTypeLike]
) -> _numpy.dtype[Any] | None:
    """The type that arrays and scalars come to: that of the arrays unless a scalar is of another,
    higher kind; None where there is none. `result_type` is what NumPy has for it today.

    Examples
    --------
    >>> import heddle as np
    >>> np.find_common_type([np.float32], [np.int64, np.float64])
    dtype('float32')
    >>> np.find_common_type([np.float32], [complex])
    dtype('complex128')
    """
    arrays, scalars = (
        functools.reduce(_numpy.promote_types, [_numpy.dtype(t) for t in types]) if types else None
        for types in (array_types, scalar_types)
    )
    if arrays is None or scalars is None:
        return scalars if arrays is None else arrays
    kinds = "buifc"
    if arrays.kind not in kinds or scalars.kind not in kinds:
        return None
    higher = kinds.index(scalars.kind) > kinds.index(arrays.kind)
    return _numpy.promote_types(scalars, arrays) if higher else arrays


def disp(mesg: object, device: TextIO | None = None, linefeed: bool = True) -> None:
    """Writes a message to a file, by default the standard output.

    Examples
    --------
    >>> import heddle as np
    >>> np.disp("done")
    done
    """
    file = sys.stdout if device is None else device
    file.write(f"{mesg}\n" if linefeed else f"{mesg}")
    file.flush()


def safe_eval(source: str) -> object:
    """What a literal of Python's says, without running anything; `ast.literal_eval`.

    Examples
    --------
    >>> import heddle as np
    >>> np.safe_eval("{'a': [1, 2]}")
    {'a': [1, 2]}
    """
    return ast.literal_eval(source)


__all__ = [
    "DataSource",
    "disp",
    "find_common_type",
    "format_parser",
    "issctype",
    "issubclass_",
    "issubsctype",
    "obj2sctype",
    "safe_eval",
    "sctype2char",
]
