"""Products of vectors and matrices: NumPy's arguments. The work is done by the core."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex, cast

from heddle import _core
from heddle._arguments import as_array, as_target, store_exact
from heddle._core import in_core, ndarray, ufuncs
from heddle._math.generalized import products
from heddle._typing import ArrayLike, Output

if TYPE_CHECKING:
    from heddle._math.ufuncs import Generalized

_multiply = ufuncs["multiply"]

matmul: Generalized = products["matmul"]
vecdot: Generalized = products["vecdot"]
matvec: Generalized = products["matvec"]
vecmat: Generalized = products["vecmat"]


@in_core
def dot(a: ArrayLike, b: ArrayLike, out: Output | None = None) -> ndarray:
    """Dot product: the sum over the last axis of a and the last but one of b.

    Examples
    --------
    >>> import heddle as np
    >>> np.dot([1, 2, 3], [4, 5, 6])
    np.int64(32)
    >>> np.dot([[1, 2], [3, 4]], [1, 1])
    array([3, 7])
    """
    result = _core.dot(as_array(a), as_array(b))
    return result if out is None else store_dot(result, out)


def store_dot(result: ndarray, out: Output | None) -> ndarray:
    """Writes a product to ``out``, which NumPy wants to be just like it."""
    target = as_target(out)
    same = target.dtype == result.dtype and target.shape == result.shape
    if not same or not target._c_contiguous:
        raise ValueError(
            "output array is not acceptable (must have the right datatype, number of "
            "dimensions, and be a C-Array)"
        )
    return store_exact(result, out)


@in_core
def inner(a: ArrayLike, b: ArrayLike, /) -> ndarray:
    """Inner product: the sum over the last axes of both arrays.

    Examples
    --------
    >>> import heddle as np
    >>> np.inner([1, 2, 3], [0, 1, 0])
    np.int64(2)
    """
    return _core.inner(as_array(a), as_array(b))


@in_core
def vdot(a: ArrayLike, b: ArrayLike, /) -> ndarray:
    """Dot product of the flattened arrays, the first one conjugated.

    Examples
    --------
    >>> import heddle as np
    >>> np.vdot([1 + 1j, 2], [1, 1j])
    np.complex128(1+1j)
    """
    return _core.vdot(as_array(a), as_array(b))


@in_core
def outer(a: ArrayLike, b: ArrayLike, out: Output | None = None) -> ndarray:
    """Products of all pairs of elements of the flattened arrays.

    Examples
    --------
    >>> import heddle as np
    >>> np.outer([1, 2], [10, 20, 30])
    array([[10, 20, 30],
           [20, 40, 60]])
    """
    a, b = as_array(a), as_array(b)
    if out is None:
        return _core.outer(a, b)
    return _multiply(a._reshape((-1, 1)), b._reshape((1, -1)), out=out)


def _axes(given: Any) -> tuple[int, ...]:
    return tuple(given) if hasattr(given, "__len__") else (given,)


def tensordot(a: ArrayLike, b: ArrayLike, axes: int | Sequence[Any] = 2) -> ndarray:
    """Sum of products over pairs of axes: a count of them, or two lists of axes.

    Examples
    --------
    >>> import heddle as np
    >>> a, b = np.ones((2, 3, 4)), np.ones((3, 4, 5))
    >>> np.tensordot(a, b).shape
    (2, 5)
    """
    a, b = as_array(a), as_array(b)
    if type(axes) is int:
        made = _core.tensordot(a, b, axes)
    else:
        try:
            left, right = cast("Sequence[Any]", axes)
        except TypeError:
            made = _core.tensordot(a, b, operator.index(cast("SupportsIndex", axes)))
        else:
            made = _core.tensordot(a, b, _axes(left), _axes(right))
    return made if made.ndim else made[...]  # an array also of one sum


__all__ = [
    "dot",
    "inner",
    "matmul",
    "matvec",
    "outer",
    "tensordot",
    "vdot",
    "vecdot",
    "vecmat",
]
