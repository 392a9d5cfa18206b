"""Linear operators: what multiplies vectors, whether or not it has elements."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, SupportsIndex, overload

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike, DType, DTypeLike, HostArray, ShapeLike
from heddle.scipy.sparse._base import as_sparse, is_sparse
from heddle.scipy.sparse._typing import DenseArray
from heddle.scipy.sparse.linalg._inputs import is_scalar

_Product = Callable[[Any], Any]


class LinearOperator:
    """What multiplies vectors: given by functions, or by a class that has `_matvec` or `_matmat`.

    Operators are added, multiplied, scaled, raised to powers and transposed without computing
    anything; a product with an array is an array of its device.

    Parameters
    ----------
    shape : tuple of int
        Numbers of rows and columns.
    matvec : callable
        The product with a vector.
    rmatvec : callable, optional
        The product of the adjoint with a vector.
    matmat : callable, optional
        The product with a matrix; else column by column.
    dtype : dtype, optional
        Of products; else found by a product with zeros.
    rmatmat : callable, optional
        The product of the adjoint with a matrix.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse.linalg import LinearOperator
    >>> doubled = LinearOperator((2, 2), matvec=lambda v: 2 * v, rmatvec=lambda v: 2 * v)
    >>> doubled @ np.ones(2)
    array([2., 2.])
    >>> (doubled.H @ doubled + doubled**3) @ np.ones(2)
    array([12., 12.])
    """

    ndim = 2
    __array_ufunc__ = None  # products with arrays on the left are ours
    __array_priority__ = 20

    shape: tuple[int, int]
    dtype: Any
    args: tuple[Any, ...] = ()

    def __new__(cls, *args: object, **kwargs: object) -> LinearOperator:
        if cls is LinearOperator:
            return super().__new__(OfFunctions)
        made = super().__new__(cls)
        if cls._matvec is LinearOperator._matvec and cls._matmat is LinearOperator._matmat:
            warnings.warn(
                "LinearOperator subclass should implement at least one of _matvec and _matmat.",
                RuntimeWarning,
                stacklevel=2,
            )
        return made

    @overload
    def __init__(
        self,
        shape: ShapeLike,
        matvec: _Product,
        rmatvec: _Product | None = None,
        matmat: _Product | None = None,
        dtype: DTypeLike | None = None,
        rmatmat: _Product | None = None,
    ) -> None: ...
    @overload
    def __init__(self, dtype: DTypeLike | None, shape: ShapeLike) -> None: ...
    def __init__(self, dtype: DTypeLike | None, shape: Sequence[int]) -> None:  # type: ignore[misc]
        try:
            sizes = tuple(shape)
            valid = len(sizes) == 2 and all(_is_size(n) for n in sizes)
        except TypeError:
            valid = False
        if not valid:
            raise ValueError(f"invalid shape {shape!r} (must be 2-d)")
        self.dtype = None if dtype is None else numpy.dtype(dtype)
        self.shape = (int(sizes[0]), int(sizes[1]))

    def _init_dtype(self) -> None:
        """Where no type is known, that of a product with zeros."""
        if self.dtype is None:
            zeros = np.zeros(self.shape[1], numpy.int8)
            try:
                self.dtype = as_array(self.matvec(zeros)).dtype
            except OverflowError:  # a number of Python's that int8 has not
                self.dtype = numpy.dtype(int)

    # --- what a class has at least one of ---

    def _matvec(self, x: Any) -> Any:
        return self.matmat(x.reshape(-1, 1))

    def _matmat(self, X: object) -> ndarray:
        return _columns(self.matvec, X, self.shape[0])

    def _rmatvec(self, x: ndarray) -> Any:
        if type(self)._adjoint is not LinearOperator._adjoint:
            return self.H.matvec(x)
        if type(self)._rmatmat is not LinearOperator._rmatmat:
            return self._rmatmat(x.reshape(-1, 1)).reshape(-1)
        raise NotImplementedError("rmatvec is not defined")

    def _rmatmat(self, X: object) -> Any:
        if type(self)._adjoint is not LinearOperator._adjoint:
            return self.H.matmat(X)
        return _columns(self.rmatvec, X, self.shape[1])

    def _adjoint(self) -> LinearOperator:
        return _Adjoint(self)

    def _transpose(self) -> LinearOperator:
        return _Transposed(self)

    # --- products ---

    def matvec(self, x: object) -> ndarray:
        """The product with a vector, (n,) or (n, 1).

        Examples
        --------
        >>> import heddle as np
        >>> from heddle.scipy.sparse.linalg import aslinearoperator
        >>> aslinearoperator(np.array([[1.0, 2.0], [3.0, 4.0]])).matvec(np.array([1.0, 1.0]))
        array([3., 7.])
        """
        return self._vector(self._matvec, x, self.shape[1], self.shape[0])

    def rmatvec(self, x: ArrayLike) -> ndarray:
        """The product of the adjoint with a vector.

        Examples
        --------
        >>> import heddle as np
        >>> from heddle.scipy.sparse.linalg import aslinearoperator
        >>> aslinearoperator(np.array([[1.0, 2.0], [3.0, 4.0]])).rmatvec(np.array([1.0, 1.0]))
        array([4., 6.])
        """
        return self._vector(self._rmatvec, x, self.shape[0], self.shape[1])

    @staticmethod
    def _vector(product: _Product, x: Any, taken: int, given: int) -> ndarray:
        v = x if isinstance(x, own_array) else as_array(x)
        if v.shape not in ((taken,), (taken, 1)):
            raise ValueError("dimension mismatch")
        found = product(v)
        made = found if isinstance(found, own_array) else as_array(found)
        if made.shape == (given,) and v.ndim == 1:
            return made
        if made.size != given:
            raise ValueError("invalid shape returned by user-defined matvec()")
        return made.reshape((given,) if v.ndim == 1 else (given, 1))

    def matmat(self, X: object) -> ndarray:
        """The product with a matrix.

        Examples
        --------
        >>> import heddle as np
        >>> from heddle.scipy.sparse.linalg import aslinearoperator
        >>> aslinearoperator(np.array([[1.0, 2.0], [3.0, 4.0]])).matmat(np.eye(2))
        array([[1., 2.],
               [3., 4.]])
        """
        return self._matrix(self._matmat, X, self.shape[1])

    def rmatmat(self, X: object) -> ndarray:
        """The product of the adjoint with a matrix.

        Examples
        --------
        >>> import heddle as np
        >>> from heddle.scipy.sparse.linalg import aslinearoperator
        >>> aslinearoperator(np.array([[1.0, 2.0], [3.0, 4.0]])).rmatmat(np.eye(2))
        array([[1., 3.],
               [2., 4.]])
        """
        return self._matrix(self._rmatmat, X, self.shape[0])

    def _matrix(self, product: _Product, X: Any, taken: int) -> ndarray:
        sparse = is_sparse(X)
        given = as_sparse(X) if sparse else as_array(X)
        if given.ndim != 2:
            raise ValueError(f"expected 2-d ndarray or matrix, not {given.ndim}-d")
        if given.shape[0] != taken:
            raise ValueError(f"dimension mismatch: {self.shape}, {given.shape}")
        try:
            made = product(given)
        except Exception as error:
            if sparse:
                raise TypeError(
                    "Unable to multiply a LinearOperator with a sparse matrix. Wrap the matrix in "
                    "aslinearoperator first."
                ) from error
            raise
        return made if is_sparse(made) else as_array(made)

    @overload
    def dot(self, x: LinearOperator | complex) -> LinearOperator: ...
    @overload
    def dot(self, x: DenseArray | Sequence[object]) -> ndarray: ...
    def dot(self, x: Any) -> Any:
        """The product with an array, an operator or a number.

        Examples
        --------
        >>> import heddle as np
        >>> from heddle.scipy.sparse.linalg import aslinearoperator
        >>> aslinearoperator(np.eye(2)).dot(3.0).matvec(np.ones(2))
        array([3., 3.])
        """
        if isinstance(x, LinearOperator):
            return _Composed(self, x)
        if is_scalar(x):
            return _Scaled(self, x)
        given = x if is_sparse(x) else as_array(x)
        if given.ndim == 1 or (given.ndim == 2 and given.shape[1] == 1):
            return self.matvec(given)
        if given.ndim == 2:
            return self.matmat(given)
        raise ValueError(f"expected 1-d or 2-d array or matrix, got {x!r}")

    def _dot_from_left(self, x: Any) -> Any:
        if isinstance(x, LinearOperator):
            return _Composed(x, self)
        given = x if is_sparse(x) else as_array(x)
        if given.ndim == 1 or (given.ndim == 2 and given.shape[0] == 1):
            return self.T.matvec(given.T).T
        if given.ndim == 2:
            return self.T.matmat(given.T).T
        raise ValueError(f"expected 1-d or 2-d array or matrix, got {x!r}")

    __call__ = dot

    @overload
    def __mul__(self, x: LinearOperator | complex) -> LinearOperator: ...
    @overload
    def __mul__(self, x: DenseArray | Sequence[object]) -> ndarray: ...
    def __mul__(self, x: Any) -> Any:
        return self.dot(x)

    @overload
    def __rmul__(self, x: LinearOperator | complex) -> LinearOperator: ...
    @overload
    def __rmul__(self, x: DenseArray | Sequence[object]) -> ndarray: ...
    def __rmul__(self, x: Any) -> Any:
        return _Scaled(self, x) if is_scalar(x) else self._dot_from_left(x)

    @overload
    def __matmul__(self, x: LinearOperator) -> LinearOperator: ...
    @overload
    def __matmul__(self, x: DenseArray | Sequence[object]) -> ndarray: ...
    def __matmul__(self, x: Any) -> Any:
        _no_scalar(x)
        return self.dot(x)

    @overload
    def __rmatmul__(self, x: LinearOperator) -> LinearOperator: ...
    @overload
    def __rmatmul__(self, x: DenseArray | Sequence[object]) -> ndarray: ...
    def __rmatmul__(self, x: Any) -> Any:
        _no_scalar(x)
        return self._dot_from_left(x)

    def __truediv__(self, x: complex) -> LinearOperator:
        if not is_scalar(x):
            raise ValueError("Can only divide a linear operator by a scalar.")
        return _Scaled(self, 1.0 / x)

    def __pow__(self, p: object) -> LinearOperator:
        return _Power(self, p) if is_scalar(p) else NotImplemented

    def __add__(self, x: object) -> LinearOperator:
        return _Sum(self, x) if isinstance(x, LinearOperator) else NotImplemented

    def __neg__(self) -> LinearOperator:
        return _Scaled(self, -1)

    def __sub__(self, x: LinearOperator) -> LinearOperator:
        return self.__add__(-x)

    def __repr__(self) -> str:
        rows, columns = self.shape
        of = "unspecified dtype" if self.dtype is None else f"dtype={self.dtype}"
        return f"<{rows}x{columns} {type(self).__name__} with {of}>"

    def adjoint(self) -> LinearOperator:
        """The adjoint, also as `H`.

        Examples
        --------
        >>> import heddle as np
        >>> from heddle.scipy.sparse.linalg import aslinearoperator
        >>> aslinearoperator(np.array([[1.0, 2j]])).adjoint() @ np.array([1.0])
        array([1.+0.j, 0.-2.j])
        """
        return self._adjoint()

    def transpose(self) -> LinearOperator:
        """The transpose, also as `T`.

        Examples
        --------
        >>> import heddle as np
        >>> from heddle.scipy.sparse.linalg import aslinearoperator
        >>> aslinearoperator(np.array([[1.0, 2j]])).transpose() @ np.array([1.0])
        array([1.+0.j, 0.+2.j])
        """
        return self._transpose()

    @property
    def H(self) -> LinearOperator:
        return self.adjoint()

    @property
    def T(self) -> LinearOperator:
        return self.transpose()


def _is_size(n: SupportsIndex) -> bool:
    try:
        return bool(int(n) == n and n >= 0)
    except (TypeError, ValueError):
        return False


def _no_scalar(x: object) -> None:
    if is_scalar(x):
        raise ValueError("Scalar operands are not allowed, use '*' instead")


def _columns(product: _Product, X: Any, rows: int) -> ndarray:
    """A product column by column."""
    if X.shape[1] == 0:
        return np.zeros((rows, 0), X.dtype, device=getattr(X, "device", None))
    made = [as_array(product(X[:, j].reshape(-1, 1))) for j in range(X.shape[1])]
    return np.concatenate([each.reshape(-1, 1) for each in made], axis=1)


def _common_dtype(*values: object) -> DType:
    known = [v.dtype if hasattr(v, "dtype") else type(v) for v in values]
    return numpy.result_type(*(d for d in known if d is not None))


class OfFunctions(LinearOperator):
    """An operator that functions were given for."""

    def __init__(
        self,
        shape: ShapeLike,
        matvec: _Product,
        rmatvec: _Product | None = None,
        matmat: _Product | None = None,
        dtype: DTypeLike | None = None,
        rmatmat: _Product | None = None,
    ) -> None:
        super().__init__(dtype, shape)
        self._functions = (matvec, rmatvec, matmat, rmatmat)
        self._init_dtype()

    def _matvec(self, x: ndarray | HostArray) -> Any:
        return self._functions[0](x)

    def _rmatvec(self, x: object) -> Any:
        if self._functions[1] is None:
            raise NotImplementedError("rmatvec is not defined")
        return self._functions[1](x)

    def _matmat(self, X: object) -> Any:
        product = self._functions[2]
        return super()._matmat(X) if product is None else product(X)

    def _rmatmat(self, X: object) -> Any:
        product = self._functions[3]
        return _columns(self.rmatvec, X, self.shape[1]) if product is None else product(X)

    def _adjoint(self) -> LinearOperator:
        matvec, rmatvec, matmat, rmatmat = self._functions
        swapped: Any = (self.shape[1], self.shape[0]), rmatvec, matvec, rmatmat, self.dtype, matmat
        return OfFunctions(*swapped)


class _Turned(LinearOperator):
    def __init__(self, A: LinearOperator) -> None:
        super().__init__(A.dtype, (A.shape[1], A.shape[0]))
        self.args = (A,)


class _Adjoint(_Turned):
    def _matvec(self, x: object) -> Any:
        return self.args[0]._rmatvec(x)

    def _rmatvec(self, x: object) -> Any:
        return self.args[0]._matvec(x)

    def _matmat(self, X: object) -> Any:
        return self.args[0]._rmatmat(X)

    def _rmatmat(self, X: object) -> Any:
        return self.args[0]._matmat(X)

    def _adjoint(self) -> LinearOperator:
        found: LinearOperator = self.args[0]
        return found


class _Transposed(_Turned):
    def _matvec(self, x: Any) -> ndarray:
        return as_array(self.args[0]._rmatvec(x.conj())).conj()

    def _rmatvec(self, x: ndarray) -> ndarray:
        return as_array(self.args[0]._matvec(x.conj())).conj()

    def _matmat(self, X: Any) -> Any:
        return self.args[0]._rmatmat(X.conj()).conj()

    def _rmatmat(self, X: Any) -> Any:
        return self.args[0]._matmat(X.conj()).conj()


class _Sum(LinearOperator):
    def __init__(self, A: LinearOperator, B: LinearOperator) -> None:
        if A.shape != B.shape:
            raise ValueError(f"cannot add {A} and {B}: shape mismatch")
        super().__init__(_common_dtype(A, B), A.shape)
        self.args = (A, B)

    def _matvec(self, x: object) -> Any:
        return self.args[0].matvec(x) + self.args[1].matvec(x)

    def _rmatvec(self, x: object) -> Any:
        return self.args[0].rmatvec(x) + self.args[1].rmatvec(x)

    def _matmat(self, X: object) -> Any:
        return self.args[0].matmat(X) + self.args[1].matmat(X)

    def _rmatmat(self, X: object) -> Any:
        return self.args[0].rmatmat(X) + self.args[1].rmatmat(X)

    def _adjoint(self) -> LinearOperator:
        return _Sum(self.args[0].H, self.args[1].H)


class _Composed(LinearOperator):
    def __init__(self, A: LinearOperator, B: LinearOperator) -> None:
        if A.shape[1] != B.shape[0]:
            raise ValueError(f"cannot multiply {A} and {B}: shape mismatch")
        super().__init__(_common_dtype(A, B), (A.shape[0], B.shape[1]))
        self.args = (A, B)

    def _matvec(self, x: object) -> Any:
        return self.args[0].matvec(self.args[1].matvec(x))

    def _rmatvec(self, x: object) -> Any:
        return self.args[1].rmatvec(self.args[0].rmatvec(x))

    def _matmat(self, X: object) -> Any:
        return self.args[0].matmat(self.args[1].matmat(X))

    def _rmatmat(self, X: object) -> Any:
        return self.args[1].rmatmat(self.args[0].rmatmat(X))

    def _adjoint(self) -> LinearOperator:
        return _Composed(self.args[1].H, self.args[0].H)


class _Scaled(LinearOperator):
    def __init__(self, A: LinearOperator, alpha: Any) -> None:
        if isinstance(A, _Scaled):
            A, alpha = A.args[0], alpha * A.args[1]
        super().__init__(numpy.result_type(type(alpha), _common_dtype(A)), A.shape)
        self.args = (A, alpha)

    def _matvec(self, x: object) -> Any:
        return self.args[1] * self.args[0].matvec(x)

    def _rmatvec(self, x: object) -> Any:
        return numpy.conj(self.args[1]) * self.args[0].rmatvec(x)

    def _matmat(self, X: object) -> Any:
        return self.args[1] * self.args[0].matmat(X)

    def _rmatmat(self, X: object) -> Any:
        return numpy.conj(self.args[1]) * self.args[0].rmatmat(X)

    def _adjoint(self) -> LinearOperator:
        return _Scaled(self.args[0].H, numpy.conj(self.args[1]))


class _Power(LinearOperator):
    def __init__(self, A: LinearOperator, p: Any) -> None:
        if A.shape[0] != A.shape[1]:
            raise ValueError(f"square LinearOperator expected, got {A!r}")
        if not _is_size(p):
            raise ValueError("non-negative integer expected as p")
        super().__init__(A.dtype, A.shape)
        self.args = (A, int(p))

    def _repeated(self, product: _Product, x: object) -> Any:
        for _ in range(self.args[1]):
            x = product(x)
        return x

    def _matvec(self, x: object) -> Any:
        return self._repeated(self.args[0].matvec, x)

    def _rmatvec(self, x: object) -> Any:
        return self._repeated(self.args[0].rmatvec, x)

    def _matmat(self, X: object) -> Any:
        return self._repeated(self.args[0].matmat, X)

    def _rmatmat(self, X: object) -> Any:
        return self._repeated(self.args[0].rmatmat, X)

    def _adjoint(self) -> LinearOperator:
        return _Power(self.args[0].H, self.args[1])


class MatrixLinearOperator(LinearOperator):
    """The operator of a matrix, dense or sparse.

    The adjoint of a sparse matrix is made once, and kept.
    """

    def __init__(self, A: Any) -> None:
        super().__init__(A.dtype, A.shape)
        self.A = A
        self.args = (A,)
        self._kept: MatrixLinearOperator | None = None
        self._rows: Any = None
        self._source: Any = None

    def _matvec(self, x: ndarray | HostArray) -> Any:
        return self._matmat(x)

    def _matmat(self, X: object) -> Any:
        if self._rows is None:  # products of rows are the quickest
            self._rows = self.A.tocsr() if is_sparse(self.A) else self.A
        return self._rows @ X

    def _adjoint(self) -> LinearOperator:
        if self._source is not None:  # no operator holds itself
            return MatrixLinearOperator(self._source)
        if self._kept is None:
            conjugate = self.A.conj() if self.A.dtype.kind == "c" else self.A
            self._kept = MatrixLinearOperator(conjugate.T)
            self._kept._source = self.A
        return self._kept

    def _transpose(self) -> LinearOperator:
        if self.A.dtype.kind == "c":
            return MatrixLinearOperator(self.A.T)
        return self._adjoint()


class IdentityOperator(LinearOperator):
    """The operator that gives what it takes."""

    def __init__(self, shape: ShapeLike, dtype: DTypeLike | None = None) -> None:
        super().__init__(dtype, shape)

    def _matvec(self, x: ndarray | HostArray) -> Any:
        return x

    def _rmatvec(self, x: ndarray) -> ndarray:
        return x

    def _matmat(self, X: object) -> Any:
        return X

    def _rmatmat(self, X: object) -> Any:
        return X

    def _adjoint(self) -> LinearOperator:
        return self


def aslinearoperator(A: object) -> LinearOperator:
    """An operator of a matrix, dense or sparse, or of an object that has `shape` and `matvec`.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse.linalg import aslinearoperator
    >>> aslinearoperator(np.ones((2, 3)))
    <2x3 MatrixLinearOperator with dtype=float64>
    """
    if isinstance(A, LinearOperator):
        return A
    if isinstance(A, (own_array, numpy.ndarray)):
        if A.ndim > 2:
            raise ValueError("array must have ndim <= 2")
        return MatrixLinearOperator(np.atleast_2d(as_array(A)))
    if is_sparse(A):
        return MatrixLinearOperator(as_sparse(A))
    from heddle.scipy.sparse.linalg._scipys_operators import is_scipys, of_scipys

    if is_scipys(A):
        return of_scipys(A)
    if not (hasattr(A, "shape") and hasattr(A, "matvec")):
        raise TypeError("type not understood")
    return OfFunctions(
        A.shape,
        A.matvec,
        rmatvec=getattr(A, "rmatvec", None),
        rmatmat=getattr(A, "rmatmat", None),
        dtype=getattr(A, "dtype", None),
    )
