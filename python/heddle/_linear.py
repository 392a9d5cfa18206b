"""Products of vectors and matrices, as broadcast products and sums that fuse into one kernel."""

import math
import operator
from typing import Any

import numpy as _numpy

from heddle import _core
from heddle._arguments import as_target, dims, normalize_axes, store_exact
from heddle._core import ndarray, ufuncs
from heddle._generalized import define
from heddle._inputs import as_array

_multiply, _add = ufuncs["multiply"], ufuncs["add"]
_float32 = _numpy.dtype(_numpy.float32)


def _contract(a: ndarray, b: ndarray, kind: Any) -> ndarray:
    """Sum over the last axis of the broadcast product, computed in one type.

    Sums of half precision are rounded once, at the end.
    """
    if kind.itemsize == 2 and kind.kind in "fV":
        return _contract(a, b, _float32)._astype(kind, "K")
    a = a if a.dtype == kind else a._astype(kind, "K")
    b = b if b.dtype == kind else b._astype(kind, "K")
    if kind.kind == "b":
        product = _core.apply(ufuncs["logical_and"], (a, b), None)
        return _core.reduce(ufuncs["logical_or"], product, (product.ndim - 1,), False, None)
    product = _core.apply(_multiply, (a, b), None)
    return _core.reduce(_add, product, (product.ndim - 1,), False, kind)


def matrix_product(a: ndarray, b: ndarray, kind: Any) -> ndarray:
    """Stacks of matrices: by BLAS where it has the type, else as a sum of products."""
    if _core.has_matmul(kind):
        a = a if a.dtype == kind else a._astype(kind, "K")
        b = b if b.dtype == kind else b._astype(kind, "K")
        return _core.matrix_product(a, b)
    return _contract(_insert(a, -2), _insert(_swapped(b), -3), kind)


def _insert(a: ndarray, axis: int) -> ndarray:
    """The array with a new axis of length one."""
    return a[(..., None) + (slice(None),) * (-axis - 1)]


def _swapped(a: ndarray) -> ndarray:
    axes = list(range(a.ndim))
    axes[-2], axes[-1] = axes[-1], axes[-2]
    return a._transpose(tuple(axes))


def _matmul(a: ndarray, b: ndarray, kind: Any) -> ndarray:
    row, column = a.ndim == 1, b.ndim == 1
    result = matrix_product(_insert(a, -2) if row else a, _insert(b, -1) if column else b, kind)
    if not row and not column:
        return result
    if row and column:
        return result[0, 0]
    shape = result.shape[: result.ndim - 2]
    shape += () if row else result.shape[-2:-1]
    shape += () if column else result.shape[-1:]
    return result._reshape(shape)


def _vecdot(a: ndarray, b: ndarray, kind: Any) -> ndarray:
    return _contract(_conjugated(a), b, kind)


def _matvec(a: ndarray, b: ndarray, kind: Any) -> ndarray:
    return _contract(a, _insert(b, -2), kind)


def _vecmat(a: ndarray, b: ndarray, kind: Any) -> ndarray:
    return _contract(_insert(_conjugated(a), -2), _swapped(b), kind)


matmul = define("matmul", _matmul)
vecdot = define("vecdot", _vecdot)
matvec = define("matvec", _matvec)
vecmat = define("vecmat", _vecmat)


def _conjugated(a: ndarray) -> ndarray:
    return _core.apply(ufuncs["conjugate"], (a,), None) if a.dtype.kind == "c" else a


def _aligned(a: ndarray, b: ndarray, axis: int) -> None:
    if a.shape[-1] != b.shape[axis]:
        at = axis % b.ndim
        raise ValueError(
            f"shapes {dims(a.shape)} and {dims(b.shape)} not aligned: {a.shape[-1]} "
            f"(dim {a.ndim - 1}) != {b.shape[axis]} (dim {at})"
        )


def dot(a: Any, b: Any, out: Any = None) -> Any:
    """Dot product: the sum over the last axis of a and the last but one of b."""
    a, b = as_array(a), as_array(b)
    if a.ndim == 0 or b.ndim == 0:
        result = _core.apply(_multiply, (a, b), None)
    else:
        _aligned(a, b, -2 if b.ndim > 1 else -1)
        b = _swapped(b) if b.ndim > 1 else b
        result = _pairs(a, b)
    if out is not None:
        target = as_target(out)
        if (
            target.dtype != result.dtype
            or target.shape != result.shape
            or not (target._c_contiguous)
        ):
            raise ValueError(
                "output array is not acceptable (must have the right datatype, number of "
                "dimensions, and be a C-Array)"
            )
    return store_exact(result, out)


def _pairs(a: ndarray, b: ndarray) -> ndarray:
    """Sums over the last axes of all pairs of vectors of a and b."""
    kind = _core.common_type(a, b)
    if a.ndim > 1 and b.ndim > 1 and _core.has_matmul(kind):
        length = a.shape[-1]
        rows = a._reshape((math.prod(a.shape[:-1]), length))
        columns = b._reshape((math.prod(b.shape[:-1]), length))
        return matrix_product(rows, _swapped(columns), kind)._reshape(a.shape[:-1] + b.shape[:-1])
    if b.ndim > 1:
        a = a._reshape(a.shape[:-1] + (1,) * (b.ndim - 1) + a.shape[-1:])
    return _contract(a, b, kind)


def inner(a: Any, b: Any, /) -> ndarray:
    """Inner product: the sum over the last axes of both arrays."""
    a, b = as_array(a), as_array(b)
    if a.ndim == 0 or b.ndim == 0:
        return _core.apply(_multiply, (a, b), None)
    _aligned(a, b, -1)
    return _pairs(a, b)


def vdot(a: Any, b: Any, /) -> ndarray:
    """Dot product of the flattened arrays, the first one conjugated."""
    a, b = as_array(a)._reshape((-1,)), as_array(b)._reshape((-1,))
    if a.size != b.size:
        raise ValueError(f"cannot reshape array of size {b.size} into shape {dims(a.shape)}")
    return _pairs(_conjugated(a), b)


def outer(a: Any, b: Any, out: Any = None) -> Any:
    """Products of all pairs of elements of the flattened arrays."""
    a, b = as_array(a)._reshape((-1, 1)), as_array(b)._reshape((1, -1))
    if out is None:
        return _core.apply(_multiply, (a, b), None)
    return _multiply(a, b, out=out)


def tensordot(a: Any, b: Any, axes: Any = 2) -> ndarray:
    """Sum of products over pairs of axes: a count of them, or two lists of axes."""
    a, b = as_array(a), as_array(b)
    try:
        left, right = axes
    except TypeError:
        count = operator.index(axes)
        left, right = tuple(range(-count, 0)), tuple(range(count))
    left = tuple(left) if hasattr(left, "__len__") else (left,)
    right = tuple(right) if hasattr(right, "__len__") else (right,)
    if len(left) != len(right):
        raise ValueError("shape-mismatch for sum")
    left, right = normalize_axes(left, a.ndim), normalize_axes(right, b.ndim)
    if any(a.shape[i] != b.shape[j] for i, j in zip(left, right, strict=True)):
        raise ValueError("shape-mismatch for sum")
    free_a = tuple(i for i in range(a.ndim) if i not in left)
    free_b = tuple(i for i in range(b.ndim) if i not in right)
    inner_size = math.prod(a.shape[i] for i in left)
    shape_a, shape_b = [a.shape[i] for i in free_a], [b.shape[i] for i in free_b]
    rows = a._transpose(free_a + left)._reshape((math.prod(shape_a), inner_size))
    columns = b._transpose(free_b + right)._reshape((math.prod(shape_b), inner_size))
    return _pairs(rows, columns)._reshape((*shape_a, *shape_b))


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
