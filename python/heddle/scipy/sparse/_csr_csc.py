"""Compressed rows (CSR) and compressed columns (CSC)."""

from __future__ import annotations

from typing import Any

from heddle._core import ndarray
from heddle.scipy.sparse._base import sparray
from heddle.scipy.sparse._compressed import CompressedBase
from heddle.scipy.sparse._matrix import spmatrix


class CsrBase(CompressedBase):
    """What ``csr_array`` and ``csr_matrix`` have in common."""

    _format = "csr"

    def tocsr(self, copy: bool = False) -> CsrBase:
        """Itself, or a copy."""
        return self.copy() if copy else self

    def tocsc(self, copy: bool = False) -> CscBase:
        """In compressed columns."""
        if self.ndim != 2:
            raise ValueError(f"Cannot convert. CSC must be 2D. Got {self.ndim}D")
        return self._turned(self._container("csc"))

    def _getrow(self, i: int) -> Any:
        return _line(self, i, 0)

    def _getcol(self, j: int) -> Any:
        return _line(self, j, 1)


class CscBase(CompressedBase):
    """What ``csc_array`` and ``csc_matrix`` have in common."""

    _format = "csc"

    def tocsc(self, copy: bool = False) -> CscBase:
        """Itself, or a copy."""
        return self.copy() if copy else self

    def tocsr(self, copy: bool = False) -> CsrBase:
        """In compressed rows."""
        return self._turned(self._container("csr"))

    def nonzero(self) -> tuple[ndarray, ...]:
        """Coordinates of the elements that are not zero, row by row."""
        return self.tocsr().nonzero()

    def _getrow(self, i: int) -> Any:
        return _line(self, i, 0).tocsr()

    def _getcol(self, j: int) -> Any:
        return _line(self, j, 1)


def _line(a: Any, i: int, axis: int) -> Any:
    if a.ndim == 1:
        name = "getrow" if axis == 0 else "getcol"
        raise ValueError(f"{name} not provided for 1d arrays. Use indexing A[j]")
    n, i = a.shape[axis], int(i)
    if not -n <= i < n:
        raise IndexError(f"index ({i}) out of range")
    i %= n
    part = slice(i, i + 1)
    return a[part, :] if axis == 0 else a[:, part]


class csr_array(sparray, CsrBase):
    """A sparse array of compressed rows, of one or two axes.

    ``csr_array(dense)``, ``csr_array(sparse)``, ``csr_array(shape)``,
    ``csr_array((data, (i, j)), shape=(m, n))`` or
    ``csr_array((data, indices, indptr), shape=(m, n))``.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import sparse
    >>> a = sparse.csr_array([[1, 0, 2], [0, 0, 3]])
    >>> a.indptr, a.indices, a.data
    (array([0, 2, 3], dtype=int32), array([0, 2, 2], dtype=int32), array([1, 2, 3]))
    >>> a @ np.array([1, 1, 1])
    array([3, 3])
    """

    _allow_nd = (1, 2)


class csr_matrix(spmatrix, CsrBase):  # type: ignore[misc]
    """A sparse matrix of compressed rows; `csr_array` with ``*`` for the matrix product.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import sparse
    >>> sparse.csr_matrix([[1, 0, 2], [0, 0, 3]]) * np.array([1, 1, 1])
    array([3, 3])
    """


class csc_array(sparray, CscBase):
    """A sparse array of compressed columns.

    ``csc_array(dense)``, ``csc_array(sparse)``, ``csc_array(shape)``,
    ``csc_array((data, (i, j)), shape=(m, n))`` or
    ``csc_array((data, indices, indptr), shape=(m, n))``.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> a = sparse.csc_array([[1, 0, 2], [0, 0, 3]])
    >>> a.indptr, a.indices, a.data
    (array([0, 1, 1, 3], dtype=int32), array([0, 0, 1], dtype=int32), array([1, 2, 3]))
    """


class csc_matrix(spmatrix, CscBase):  # type: ignore[misc]
    """A sparse matrix of compressed columns; `csc_array` with ``*`` for the matrix product.

    Examples
    --------
    >>> from heddle.scipy import sparse
    >>> (sparse.csc_matrix([[1, 2], [0, 3]]) ** 2).toarray()
    array([[1, 8],
           [0, 9]])
    """
