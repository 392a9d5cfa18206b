"""Arguments as SciPy's sparse linear algebra reads them: matrices, systems, tolerances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy

import heddle as np
from heddle import _core
from heddle._arguments import as_array
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike, DType, DTypeLike, HostArray
from heddle.scipy.sparse._base import as_sparse, is_sparse

if TYPE_CHECKING:
    from heddle.scipy.sparse._compressed import CompressedBase
    from heddle.scipy.sparse.linalg._operators import LinearOperator


def as_matrix(x: Any) -> Any:
    """A matrix of ours, dense or sparse."""
    return as_sparse(x) if is_sparse(x) else as_array(x)


def identity_like(A: CompressedBase) -> Any:
    """An identity of the size, the type and the format of a sparse matrix."""
    from heddle.scipy.sparse import csc_array

    n = A.shape[0]
    places = np.arange(n, dtype=A.tocsc().indices.dtype, device=A.device)
    ends = np.arange(n + 1, dtype=places.dtype, device=A.device)
    ones = np.ones(n, A.dtype, device=A.device)
    return csc_array((ones, places, ends), shape=A.shape).asformat(A.format)


def is_scalar(x: object) -> bool:
    """What multiplies operators as a number; as in NumPy, arrays without axes are none, but ours
    that are the results of reductions are."""
    return bool(numpy.isscalar(x)) or (isinstance(x, own_array) and x._is_scalar)


def host(a: ArrayLike) -> HostArray:
    """A copy in the host's memory, NumPy's."""
    if not isinstance(a, own_array):
        return numpy.asarray(a)
    _core.tell_of_leaving(a, "an array of NumPy's")
    return a._snapshot()


def size_of(a: ndarray) -> float:
    """The length of a vector, which the host looks at."""
    return float(norm_of(a))


def norm_of(a: ndarray) -> ndarray:
    """The length of a vector, pending."""
    return np.sqrt(square_of(a))


def square_of(a: ndarray) -> ndarray:
    if a.dtype.kind == "c":
        return (a.real**2 + a.imag**2).sum()
    return (a * a).sum()


def dot(a: ndarray, b: ndarray) -> ndarray:
    """The product of vectors, the first one conjugated, pending."""
    return (a.conj() * b).sum() if a.dtype.kind == "c" else (a * b).sum()


def coerced(*dtypes: DTypeLike) -> DType:
    """The type that solvers compute in: one of single or double precision."""
    given = [numpy.dtype(d) for d in dtypes]
    usual = [d if d.char in "fdFD" else numpy.dtype("d") for d in given]
    return numpy.result_type(*usual)


def tolerance(name: str, size: float, atol: float, rtol: float) -> float:
    if isinstance(atol, str) or atol is None or atol < 0:
        raise ValueError(
            f"'scipy.sparse.linalg.{name}' called with invalid `atol`={atol}; if set, `atol` must "
            "be a real, non-negative number."
        )
    return max(float(atol), float(rtol) * size)


def dense_device(A: LinearOperator, b: object) -> str | None:
    """Where a system is: at its matrix, else at its right side; None for what is NumPy's, which
    says that it is on the CPU, and goes where arrays are made."""
    found = getattr(getattr(A, "A", None), "device", None)
    if found is None and isinstance(b, own_array):
        found = b.device
    return found
