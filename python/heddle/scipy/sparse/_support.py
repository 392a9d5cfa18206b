"""Arguments as SciPy's sparse arrays read them: types, shapes, axes, dense operands, SciPy's."""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Collection, Iterable, Sequence
from math import prod
from typing import Any

import numpy

import heddle as np
from heddle import _core
from heddle._core import ndarray, own_array
from heddle._typing import DType, DTypeLike, HostArray
from heddle.scipy._errors import OfScipy

DENSE = (ndarray, numpy.ndarray)
INT32_MAX = 2**31 - 1

_names = (
    "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64 complex64 complex128"
)
SUPPORTED = [numpy.dtype(name) for name in _names.split()]


class SparseWarning(OfScipy, Warning, module="scipy.sparse"):
    """What sparse arrays warn of."""


class SparseEfficiencyWarning(SparseWarning):
    """An operation is slow for this format, or makes a dense result."""


def check_pointers(first: int, last: int, indices: ndarray, data: ndarray) -> None:
    """Raises ValueError where rows that begin and end there are none of these elements."""
    if first != 0:
        raise ValueError("index pointer should start with 0")
    if indices.shape[0] != data.shape[0]:
        raise ValueError("indices and data should have the same size")
    if last > indices.shape[0]:
        raise ValueError(
            "Last value of index pointer should be less than the size of index and data arrays"
        )


def is_followed(*arrays: object) -> bool:
    """Whether derivatives or rows of a batch are followed through what is made of arrays.

    Kernels and the host are no way for these: plain operations are.
    """
    if _core.batch_depth():
        return True
    for a in arrays:  # noqa: SIM110  # products of small matrices wait for this
        if isinstance(a, own_array) and _core.is_differentiated(a):
            return True
    return False


# --- types ---


@functools.lru_cache(1024)
def upcast(*dtypes: DType) -> numpy.dtype[Any]:
    """The first type of sparse arrays that holds what these do."""
    wanted = numpy.result_type(*dtypes)
    for dtype in SUPPORTED:
        if numpy.can_cast(wanted, dtype):
            return dtype
    raise TypeError(f"no supported conversion for types: {dtypes!r}")


def check_dtype(
    dtype: DTypeLike | None, like: ndarray | None = None, default: DTypeLike | None = None
) -> numpy.dtype[Any]:
    """A type that sparse arrays can have: `dtype`, that of `like`, or `default`."""
    if dtype is None:
        dtype = getattr(like, "dtype", default)
        if dtype is None:
            raise TypeError("could not interpret data type")
    found = numpy.dtype(dtype).newbyteorder("=")
    if found not in SUPPORTED:
        names = ", ".join(t.name for t in SUPPORTED)
        raise ValueError(
            f"scipy.sparse does not support dtype {found}. The only supported types are: {names}."
        )
    return numpy.dtype(found)


def sum_dtype(dtype: DType) -> numpy.dtype[Any]:
    """What NumPy sums this type in."""
    if dtype.kind == "u":
        return numpy.dtype(numpy.uint64)
    return numpy.dtype(numpy.int64) if dtype.kind in "bi" else dtype


def scalar_dtype(dtype: numpy.dtype[Any], scalar: object) -> numpy.dtype[Any]:
    """The type of an array of this type times a number."""
    return numpy.dtype((numpy.zeros(1, dtype) * host_scalar(scalar)).dtype)  # type: ignore[no-any-return]


def host_scalar(x: object) -> Any:
    """A number as Python or NumPy has it."""
    if isinstance(x, own_array):
        return x._snapshot()[()]
    return x[()] if isinstance(x, numpy.ndarray) else x


def get_index_dtype(
    arrays: Sequence[ndarray | HostArray] | ndarray | HostArray = (),
    maxval: float | None = None,
    check_contents: bool = False,
) -> type[numpy.int32] | type[numpy.int64]:
    """The type for indices that these arrays hold, up to `maxval`: int32 unless that is too small.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> sparse.get_index_dtype(maxval=3)
    <class 'numpy.int32'>
    >>> sparse.get_index_dtype(maxval=2**40)
    <class 'numpy.int64'>
    """
    if maxval is not None and int(maxval) > INT32_MAX:
        return numpy.int64
    for array in (arrays,) if isinstance(arrays, DENSE) else arrays:
        a = array if isinstance(array, DENSE) else numpy.asarray(array)
        if numpy.can_cast(a.dtype, numpy.int32):
            continue
        if check_contents:
            if a.size == 0:
                continue
            if a.dtype.kind in "iu":
                low, high = extremes(a)
                if low >= -INT32_MAX - 1 and high <= INT32_MAX:
                    continue
        return numpy.int64
    return numpy.int32


def safely_cast_index_arrays(
    A: Any, idx_dtype: DTypeLike = numpy.int32, msg: str = ""
) -> ndarray | tuple[ndarray, ...]:
    """The index arrays of a sparse array in another type, or ValueError where they do not fit.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import sparse
    >>> indices, indptr = sparse.safely_cast_index_arrays(sparse.csr_array([[1, 2]]), np.int64)
    >>> indices.dtype
    dtype('int64')
    """
    text = msg or f"dtype {idx_dtype}"
    limit = numpy.iinfo(idx_dtype).max
    large = max(A.shape) > limit
    if A.format in ("csc", "csr", "bsr"):
        rows, columns = A.blocksize if A.format == "bsr" else (1, 1)
        if int(A.indptr[-1]) * rows > limit:
            raise ValueError(f"indptr values too large for {text}")
        if large and bool((A.indices.astype(numpy.int64) * columns > limit).any()):
            raise ValueError(f"indices values too large for {text}")
        return A.indices.astype(idx_dtype, copy=False), A.indptr.astype(idx_dtype, copy=False)
    if A.format == "coo":
        if large and any(bool((c > limit).any()) for c in A.coords):
            raise ValueError(f"coords values too large for {text}")
        return tuple(c.astype(idx_dtype, copy=False) for c in A.coords)
    if A.format == "dia":
        if large and bool((A.offsets > limit).any()):
            raise ValueError(f"offsets values too large for {text}")
        offsets: ndarray = A.offsets.astype(idx_dtype, copy=False)
        return offsets
    raise TypeError(
        f"Format {A.format} is not associated with index arrays. "
        "DOK and LIL have dict and list, not array."
    )


def extremes(a: ndarray | HostArray) -> tuple[int, int]:
    """The least and the largest of integers, by one look."""
    if isinstance(a, numpy.ndarray):
        return int(a.min()), int(a.max())
    low, high = np.stack([a.min(), a.max()]).tolist()
    return low, high


# --- shapes and axes ---


def is_integer(x: object) -> bool:
    """Whether it is an index; numbers with a fraction of zero are errors."""
    if isinstance(x, (int, numpy.integer)):
        return True
    if isinstance(x, DENSE):
        if x.ndim != 0:
            return False
    elif not isinstance(x, (float, complex, numpy.generic)) and not hasattr(x, "__index__"):
        return False
    try:
        operator.index(x)
    except (TypeError, ValueError):
        try:
            loose = bool(int(x) == x)
        except (TypeError, ValueError, OverflowError):
            return False
        if loose:
            raise ValueError("Inexact indices into sparse matrices are not allowed") from None
        return False
    return True


def is_shape(x: Any, allowed: Collection[int]) -> bool:
    return len(x) in allowed and all(is_integer(n) for n in x)


def check_shape(
    args: Any, current: tuple[int, ...] | None = None, *, allowed: Collection[int] = (2,)
) -> tuple[int, ...]:
    """A shape, given as one argument or as several; with `current` one to reshape to."""
    if len(args) == 0:
        raise TypeError("function missing 1 required positional argument: 'shape'")
    given = args
    if len(args) == 1:
        given = args[0] if isinstance(args[0], Iterable) else (args[0],)
    shape = tuple(operator.index(n) for n in given)
    if current is None:
        if len(shape) not in allowed:
            raise ValueError(f"shape must have length in {allowed}. Got new_shape={shape}")
        if any(n < 0 for n in shape):
            raise ValueError("'shape' elements cannot be negative")
        return shape
    size = prod(current)
    unknown = [i for i, n in enumerate(shape) if n < 0]
    if len(unknown) > 1:
        raise ValueError("can only specify one unknown dimension")
    if unknown:
        place = unknown[0]
        others = prod(shape[:place] + shape[place + 1 :])
        if others == 0 or size % others:
            text = tuple("newshape" if n < 0 else n for n in shape)
            raise ValueError(f"cannot reshape array of size {size} into shape {text}")
        shape = (*shape[:place], size // others, *shape[place + 1 :])
    elif prod(shape) != size:
        raise ValueError(f"cannot reshape array of size {size} into shape {shape}")
    if len(shape) not in allowed:
        raise ValueError(f"shape must have length in {allowed}. Got new_shape={shape}")
    return shape


def check_axis(axis: object, ndim: int) -> tuple[int, ...] | None:
    """Axes from 0 on; None for all of them."""
    if axis is None:
        return None
    if isinstance(axis, tuple):
        if not axis:
            raise ValueError(
                "sparse does not accept 0D axis (). Either use toarray (for dense) "
                "or copy (for sparse)."
            )
    else:
        if not isinstance(axis, (int, numpy.integer)) or isinstance(axis, bool):
            raise TypeError(f"axis must be an integer/tuple of ints, not {type(axis)}")
        axis = (axis,)
    found = []
    for given in axis:
        if not is_integer(given):
            raise TypeError(f"axis must be an integer. (given {given})")
        place = int(given) + ndim if given < 0 else int(given)
        if not 0 <= place < ndim:
            raise ValueError("axis out of range for ndim")
        found.append(place)
    if len(found) != len(set(found)):
        raise ValueError("duplicate value in axis")
    return None if len(found) == ndim else tuple(found)


def reshape_keywords(keywords: dict[str, Any]) -> tuple[str, bool]:
    keywords = dict(keywords)
    order, copy = keywords.pop("order", "C"), keywords.pop("copy", False)
    if keywords:
        raise TypeError(f"reshape() got unexpected keywords arguments: {', '.join(keywords)}")
    if order not in ("C", "F"):
        raise ValueError("'order' must be 'C' or 'F'")
    return order, bool(copy)


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    try:
        return tuple(numpy.broadcast_shapes(*shapes))
    except ValueError as error:
        raise ValueError("shapes cannot be broadcast to a single shape.") from error


# --- operands ---


def is_scalar(x: object) -> bool:
    return x.ndim == 0 if isinstance(x, DENSE) else bool(numpy.isscalar(x))


def is_foreign(x: object) -> bool:
    """Whether it is one of SciPy's own sparse objects, by its module."""
    base = sys.modules.get("scipy.sparse")
    return base is not None and bool(base.issparse(x))


def as_dense(x: object, device: str | None = None) -> ndarray | None:
    """Something array-like as an array; None where it is nothing of the kind."""
    try:
        if isinstance(x, own_array):
            return x
        if isinstance(x, numpy.ndarray):
            return np.asarray(x, device=device) if x.dtype != object else None
        if isinstance(x, (str, bytes)) or x is None:
            return None
        found = numpy.asarray(x) if not _holds_ours(x) else x
        if isinstance(found, numpy.ndarray) and found.dtype.kind not in "biufc":
            return None
        return np.asarray(found, device=device)
    except (TypeError, ValueError):
        return None


def refused(x: object, otherwise: Exception) -> Exception:
    """The error for what `as_dense` does not take: SciPy's for arrays of objects, text and dates,
    which says the type, or another."""
    try:
        check_dtype(numpy.asarray(x).dtype)
    except ValueError as error:
        return error
    return otherwise


def _holds_ours(x: object) -> bool:
    return isinstance(x, (list, tuple)) and any(
        isinstance(v, own_array) or _holds_ours(v) for v in x
    )


def given_array(
    x: object, dtype: DTypeLike | None = None, device: str | None = None, copy: bool = False
) -> ndarray:
    """An argument that must be an array; one of ours of this type is shared, unless `copy`."""
    if (
        isinstance(x, (complex, numpy.complexfloating))
        and numpy.dtype(dtype or complex).kind in "iuf"
    ):
        raise TypeError(f"a complex number cannot become {numpy.dtype(dtype)}")
    if isinstance(x, own_array):
        if dtype is not None and x.dtype != dtype:
            return x.astype(dtype)
        return x.copy() if copy else x
    if not _holds_ours(x):
        x = x if isinstance(x, numpy.ndarray) else numpy.asarray(x, dtype)
        if x.dtype.kind not in "biufc":
            raise ValueError(f"sparse arrays do not support dtype {x.dtype}")
        if x.dtype in (numpy.longdouble, numpy.clongdouble) and dtype is None:
            raise ValueError(f"sparse arrays do not support dtype {x.dtype}")
    return np.asarray(x, dtype=dtype, device=device)


def device_of(*arrays: object) -> str | None:
    """Where the first of ours is; None if there is none."""
    for a in arrays:
        if isinstance(a, own_array):
            return a.device
        if isinstance(a, tuple):
            found = device_of(*a)
            if found is not None:
                return found
    return None
