"""LAPACK's and BLAS's routines by name, as far as programs call them: on arrays of every device.

A routine has the name, arguments and results of SciPy's wrapper; matrices may be stacks where the
routine is one of a stack here. There is one for all types: the letter before its name says in
which it computes.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Sequence
from typing import Any, Literal, overload

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import linalg as _core
from heddle._core import ndarray
from heddle._typing import ArrayLike, DType, DTypeLike
from heddle.scipy._generic import on_host
from heddle.scipy.linalg import _kernels as kernels
from heddle.scipy.linalg._arguments import adjoint, columns, transposed
from heddle.scipy.linalg._equations import substituted

_letters = {"s": "f4", "d": "f8", "c": "c8", "z": "c16"}
_Function = Callable[..., Any]


def _status(bad: ndarray) -> ndarray | int:
    """LAPACK's number: of one matrix an int, of a stack an array."""
    return int(bad) if bad.ndim == 0 else bad


# --- LAPACK ---


def _gtsv(
    dtype: str, dl: ArrayLike, d: ndarray, du: ArrayLike, b: ArrayLike
) -> tuple[ndarray | int, ...]:
    below, middle, above, right = (as_array(each).astype(dtype) for each in (dl, d, du, b))
    if right.ndim == middle.ndim:
        right, vector = right[..., None], True
    else:
        vector = False
    factors, x, info = kernels.tridiagonal_factors(below, middle, above, right)
    return (*factors, x[..., 0] if vector else x, _status(info))


def _getrf(dtype: str, a: ArrayLike) -> tuple[object, ...]:
    factors, pivots = _core.lu(as_array(a).astype(dtype))
    zero = np.diagonal(factors, axis1=-2, axis2=-1) == 0
    first = np.where(np.any(zero, axis=-1), np.argmax(zero, axis=-1) + 1, 0)
    return factors, pivots.astype("i4"), _status(first)


def _getrs(dtype: str, lu: Any, piv: Any, b: ArrayLike, trans: int = 0) -> tuple[object, ...]:
    right, vector = columns(as_array(b).astype(dtype))
    x = substituted(as_array(lu).astype(dtype), as_array(piv), right, trans)
    return x[..., 0] if vector else x, 0


def _gesv(dtype: str, a: ArrayLike, b: ArrayLike) -> tuple[object, ...]:
    factors, pivots, info = _getrf(dtype, a)
    x, _ = _getrs(dtype, factors, pivots, b)
    return factors, pivots, x, info


def _potrf(dtype: str, a: ArrayLike, lower: bool = False, clean: bool = True) -> tuple[object, ...]:
    given = as_array(a).astype(dtype)
    with np.errstate(linalg="ignore"):
        c = _core.cholesky(given, not lower)
    bad = np.any(np.isnan(c), axis=(-2, -1)).astype("i4")
    if not clean:
        c = c + (np.triu(given, 1) if lower else np.tril(given, -1))
    return c, _status(bad)


def _potrs(dtype: str, c: Any, b: Any, lower: bool = False) -> tuple[object, ...]:
    from heddle.scipy.linalg._cholesky import cholesky_solution

    right, vector = columns(as_array(b).astype(dtype))
    x = cholesky_solution(as_array(c).astype(dtype), right, bool(lower))
    return x[..., 0] if vector else x, 0


def _posv(dtype: str, a: ArrayLike, b: ArrayLike, lower: bool = False) -> tuple[object, ...]:
    c, info = _potrf(dtype, a, lower)
    x, _ = _potrs(dtype, c, b, lower)
    return c, x, info


def _trtrs(
    dtype: str,
    a: ArrayLike,
    b: ArrayLike,
    lower: bool = False,
    trans: int = 0,
    unitdiag: bool = False,
) -> tuple[object, ...]:
    matrix = as_array(a).astype(dtype)
    right, vector = columns(as_array(b).astype(dtype))
    zero = np.diagonal(matrix, axis1=-2, axis2=-1) == 0
    first = np.where(np.any(zero, axis=-1), np.argmax(zero, axis=-1) + 1, 0)
    if trans:
        matrix, lower = adjoint(matrix) if trans == 2 else transposed(matrix), not lower
    x = _core.solve_triangular(matrix, right, bool(lower), bool(unitdiag))
    info = 0 if unitdiag else _status(first)
    return x[..., 0] if vector else x, info


def _gbsv(dtype: str, kl: int, ku: int, ab: Any, b: ArrayLike) -> tuple[object, ...]:
    bands = as_array(ab).astype(dtype)
    right, vector = columns(as_array(b).astype(dtype))
    factors, pivots, x, info = kernels.banded_factors(kl, ku, bands[..., kl:, :], right)
    return factors, pivots, x[..., 0] if vector else x, _status(info)


def _pbsv(dtype: str, ab: Any, b: ArrayLike, lower: bool = False) -> tuple[object, ...]:
    from heddle.scipy.linalg._cholesky import _lower_diagonals, _upper_diagonals

    bands = as_array(ab).astype(dtype)
    right, vector = columns(as_array(b).astype(dtype))
    factors, info = kernels.banded_cholesky(bands if lower else _lower_diagonals(bands))
    x = kernels.banded_substitution(factors, right)
    c = factors if lower else _upper_diagonals(factors)
    return c, x[..., 0] if vector else x, _status(info)


def _ptsv(dtype: str, d: ndarray, e: ndarray, b: ArrayLike) -> tuple[object, ...]:
    middle, beside = as_array(d).astype(dtype), as_array(e).astype(dtype)
    below = np.concatenate([beside, np.zeros_like(middle[..., :1])], axis=-1)
    right = as_array(b).astype(dtype)
    vector = right.ndim == middle.ndim
    if vector:
        right = right[..., None]
    factors, info = kernels.banded_cholesky(np.stack([middle, below], axis=-2))
    x = kernels.banded_substitution(factors, right)
    diagonal = factors[..., 0, :]
    made = (diagonal * diagonal).real, (factors[..., 1, :-1] / diagonal[..., :-1])
    return (*made, x[..., 0] if vector else x, _status(info))


def _geqrf(dtype: str, a: ArrayLike) -> tuple[object, ...]:
    h, tau = _core.qr_raw(as_array(a).astype(dtype))
    return transposed(h), tau, np.zeros((1,), dtype), 0


LAPACK: dict[str, _Function] = {
    "gtsv": _gtsv,
    "getrf": _getrf,
    "getrs": _getrs,
    "gesv": _gesv,
    "potrf": _potrf,
    "potrs": _potrs,
    "posv": _posv,
    "trtrs": _trtrs,
    "gbsv": _gbsv,
    "pbsv": _pbsv,
    "ptsv": _ptsv,
    "geqrf": _geqrf,
}

# --- BLAS ---


def _turned(dtype: str, a: ArrayLike, trans: int) -> ndarray:
    given = as_array(a).astype(dtype)
    return given if not trans else adjoint(given) if trans == 2 else transposed(given)


def _gemm(
    dtype: str,
    alpha: float,
    a: ndarray,
    b: ndarray,
    beta: ArrayLike = 0.0,
    c: ArrayLike | None = None,
    trans_a: int = 0,
    trans_b: int = 0,
) -> ndarray:
    made: ndarray = alpha * (_turned(dtype, a, trans_a) @ _turned(dtype, b, trans_b))
    return (made if c is None else made + beta * as_array(c)).astype(dtype)


def _elements(size: int, n: int | None, off: int, inc: int) -> slice:
    """Those that a routine takes of a vector: n of them from `off` on, each `inc`-th."""
    step = abs(inc)
    if step == 0 or not 0 <= off < max(size, 1):
        raise ValueError(f"a vector of {size} elements has none with offset {off}, increment {inc}")
    most = (size - 1 - off) // step + 1
    if n is None:
        n = most
    if not 0 <= n <= most:
        raise ValueError(
            f"a vector of {size} elements has no {n} with offset {off}, increment {inc}"
        )
    last = off + (n - 1) * step
    if inc > 0 or n == 0:
        return slice(off, off + n * step, step)
    return slice(last, off - 1 if off else None, -step)  # BLAS begins with the last


def _part(
    dtype: str, x: ndarray, n: int | None = None, offx: int = 0, incx: int = 1
) -> tuple[ndarray, slice]:
    given = as_array(x).astype(dtype)
    return given, _elements(given.size, n, offx, incx)


def _gemv(
    dtype: str,
    alpha: float,
    a: ndarray,
    x: ndarray,
    beta: ArrayLike = 0.0,
    y: ArrayLike | None = None,
    offx: int = 0,
    incx: int = 1,
    offy: int = 0,
    incy: int = 1,
    trans: int = 0,
) -> ndarray:
    matrix = _turned(dtype, a, trans)
    if (offx, incx, offy, incy) == (0, 1, 0, 1):
        product: ndarray = alpha * (matrix @ as_array(x).astype(dtype))
        return (product if y is None else product + beta * as_array(y)).astype(dtype)
    given, taken = _part(dtype, x, matrix.shape[-1], offx, incx)
    made: ndarray = alpha * (matrix @ given[taken])
    size = offy + (matrix.shape[-2] - 1) * abs(incy) + 1
    whole = np.zeros(size, dtype) if y is None else as_array(y).astype(dtype, copy=True)
    into = _elements(whole.size, matrix.shape[-2], offy, incy)
    whole[into] = made if y is None else made + beta * whole[into]
    return whole


def _axpy(
    dtype: str,
    x: ndarray,
    y: ndarray,
    n: int | None = None,
    a: Any = 1.0,
    offx: int = 0,
    incx: int = 1,
    offy: int = 0,
    incy: int = 1,
) -> ndarray:
    given, taken = _part(dtype, x, n, offx, incx)
    whole = as_array(y).astype(dtype, copy=True)
    into = _elements(whole.size, len(range(*taken.indices(given.size))), offy, incy)
    whole[into] += (a * given[taken]).astype(dtype)
    return whole


def _dot(
    dtype: str,
    x: ndarray,
    y: ndarray,
    n: int | None = None,
    offx: int = 0,
    incx: int = 1,
    offy: int = 0,
    incy: int = 1,
    conjugated: bool = False,
) -> ndarray:
    first, taken = _part(dtype, x, n, offx, incx)
    count = len(range(*taken.indices(first.size)))
    second, beside = _part(dtype, y, count, offy, incy)
    left = first[taken]
    return np.sum((left.conj() if conjugated else left) * second[beside])


def _dotc(
    dtype: str,
    x: Any,
    y: Any,
    n: int | None = None,
    offx: int = 0,
    incx: int = 1,
    offy: int = 0,
    incy: int = 1,
) -> ndarray:
    return _dot(dtype, x, y, n, offx, incx, offy, incy, conjugated=True)


def _nrm2(dtype: str, x: ndarray, n: int | None = None, offx: int = 0, incx: int = 1) -> ndarray:
    given, taken = _part(dtype, x, n, offx, incx)
    return np.linalg.norm(given[taken])


def _asum(dtype: str, x: ndarray, n: int | None = None, offx: int = 0, incx: int = 1) -> ndarray:
    whole, taken = _part(dtype, x, n, offx, incx)
    given = whole[taken]
    return np.sum(np.abs(given.real) + (np.abs(given.imag) if given.dtype.kind == "c" else 0))


def _scal(
    dtype: str, a: Any, x: Any, n: int | None = None, offx: int = 0, incx: int = 1
) -> ndarray:
    given, taken = _part(dtype, as_array(x).copy(), n, offx, incx)
    given[taken] = (a * given[taken]).astype(dtype)
    return given


def _ger(
    dtype: str,
    alpha: Any,
    x: Any,
    y: Any,
    incx: int = 1,
    incy: int = 1,
    a: ArrayLike | None = None,
) -> ndarray:
    left, rows = _part(dtype, x, None, 0, incx)
    right, columns = _part(dtype, y, None, 0, incy)
    made: ndarray = alpha * np.outer(left[rows], right[columns])
    return (made if a is None else made + as_array(a)).astype(dtype)


def _trsm(
    dtype: str,
    alpha: float,
    a: ArrayLike,
    b: ndarray,
    side: int = 0,
    lower: int = 0,
    trans_a: int = 0,
    diag: int = 0,
) -> ndarray:
    matrix, upper_lower = _turned(dtype, a, trans_a), bool(lower) != bool(trans_a)
    right = (alpha * as_array(b)).astype(dtype)
    if not side:
        solved: ndarray = _core.solve_triangular(matrix, right, upper_lower, bool(diag))
        return solved
    made = _core.solve_triangular(
        transposed(matrix), transposed(right), not upper_lower, bool(diag)
    )
    return transposed(made)


BLAS: dict[str, _Function] = {
    "gemm": _gemm,
    "gemv": _gemv,
    "axpy": _axpy,
    "dot": _dot,
    "dotu": _dot,
    "dotc": _dotc,
    "nrm2": _nrm2,
    "asum": _asum,
    "scal": _scal,
    "ger": _ger,
    "geru": _ger,
    "trsm": _trsm,
}


class Routine:
    """A routine of one type, as SciPy's wrappers are: with `typecode`, `dtype` and `prefix`."""

    def __init__(self, letter: str, name: str, function: _Function) -> None:
        self.typecode = self.prefix = letter
        self.dtype = numpy.dtype(_letters[letter])
        self.__name__ = letter + name
        self.__doc__ = f"{letter + name}, with the arguments and results of SciPy's wrapper."
        self.int_dtype = numpy.dtype("i4")
        self._function = function
        functools.update_wrapper(self, function, assigned=("__module__",), updated=())

    def __call__(self, *args: ArrayLike, **kwargs: object) -> Any:
        for name in [name for name in kwargs if name.startswith("overwrite_")]:
            del kwargs[name]  # a permission that nobody needs
        return self._function(_letters[self.typecode], *args, **kwargs)

    def __repr__(self) -> str:
        return f"<routine {self.__name__}>"


def _hosted(module: str, letter: str, name: str) -> Routine | None:
    """SciPy's own wrapper of a routine that is not here: arrays are copied to the host and back."""
    try:
        theirs = importlib.import_module(f"scipy.linalg.{module}")
    except ImportError:
        return None
    if not hasattr(theirs, letter + name):
        return None
    function = on_host(getattr(theirs, letter + name))
    return Routine(letter, name, lambda dtype, *args, **kwargs: function(*args, **kwargs))


def find(table: dict[str, _Function], name: str) -> Routine:
    """The routine of a name with its letter."""
    letter, rest = name[:1], name[1:]
    if letter in _letters and not name.startswith("__"):
        if rest in table:
            return Routine(letter, rest, table[rest])
        if (hosted := _hosted("lapack" if table is LAPACK else "blas", letter, rest)) is not None:
            return hosted
    raise AttributeError(f"no routine {name!r}: there are {', '.join(sorted(table))}")


def find_best_blas_type(
    arrays: Sequence[Any] = (), dtype: DTypeLike | None = None
) -> tuple[str, DType, bool]:
    """The letter of the type that routines for arrays compute in, the type, and an order.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import linalg
    >>> linalg.find_best_blas_type((np.ones(3, np.float32),))
    ('s', dtype('float32'), False)
    """
    dtypes = [as_array(a).dtype for a in arrays] or [numpy.dtype(dtype or "f8")]
    found = numpy.result_type(*dtypes)
    char = {"f": "s", "e": "s", "F": "c", "D": "z"}.get(
        found.char, "z" if found.kind == "c" else "d"
    )
    if any(d.kind in "iub" for d in dtypes):
        char = "z" if found.kind == "c" else "d"
    return char, numpy.dtype(_letters[char]), False


def _found(
    table: dict[str, _Function], names: Any, arrays: Any, dtype: Any, kind: str
) -> Routine | list[Routine]:
    letter, _, _ = find_best_blas_type(arrays, dtype)
    made = []
    for given in (names,) if isinstance(names, str) else names:
        # What is orthogonal for real matrices is unitary for complex ones.
        name = "un" + given[2:] if letter in "cz" and given[:3] in ("org", "orm") else given
        if name in table:
            made.append(Routine(letter, name, table[name]))
        elif (hosted := _hosted(kind.lower(), letter, name)) is not None:
            made.append(hosted)
        else:
            raise ValueError(f"{kind} function {letter + name} could not be found")
    return made[0] if isinstance(names, str) else made


@overload
def get_lapack_funcs(
    names: str,
    arrays: Sequence[Any] = (),
    dtype: DTypeLike | None = None,
    ilp64: bool | Literal["preferred"] = False,
) -> Callable[..., Any]: ...
@overload
def get_lapack_funcs(
    names: list[str] | tuple[str, ...],
    arrays: Sequence[Any] = (),
    dtype: DTypeLike | None = None,
    ilp64: bool | Literal["preferred"] = False,
) -> list[Callable[..., Any]]: ...
def get_lapack_funcs(
    names: Any,
    arrays: Sequence[Any] = (),
    dtype: DTypeLike | None = None,
    ilp64: bool | Literal["preferred"] = False,
) -> Any:
    """LAPACK's routines by name, for the type of arrays; those that are here run where these are.

    Integers are as wide as they have to be, whatever ``ilp64`` says.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import linalg
    >>> d = np.array([2.0, 2.0, 2.0])
    >>> gtsv = linalg.get_lapack_funcs("gtsv", (d,))
    >>> *_, x, info = gtsv([1.0, 1.0], d, [1.0, 1.0], [3.0, 4.0, 3.0])
    >>> x
    array([1., 1., 1.])
    """
    return _found(LAPACK, names, arrays, dtype, "LAPACK")


@overload
def get_blas_funcs(
    names: str,
    arrays: Sequence[Any] = (),
    dtype: DTypeLike | None = None,
    ilp64: bool | Literal["preferred"] = False,
) -> Callable[..., Any]: ...
@overload
def get_blas_funcs(
    names: list[str] | tuple[str, ...],
    arrays: Sequence[Any] = (),
    dtype: DTypeLike | None = None,
    ilp64: bool | Literal["preferred"] = False,
) -> list[Callable[..., Any]]: ...
def get_blas_funcs(
    names: Any,
    arrays: Sequence[Any] = (),
    dtype: DTypeLike | None = None,
    ilp64: bool | Literal["preferred"] = False,
) -> Any:
    """BLAS's routines by name, for the type of arrays; ``ilp64`` as in `get_lapack_funcs`.

    Examples
    --------
    >>> from heddle.scipy import linalg
    >>> linalg.get_blas_funcs("gemm")(2.0, [[1.0]], [[3.0]])
    array([[6.]])
    """
    return _found(BLAS, names, arrays, dtype, "BLAS")
