"""The Laplacian of a grid, as an operator."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy

import heddle as np
from heddle._core import ndarray
from heddle._typing import DTypeLike
from heddle.scipy.sparse.linalg._operators import LinearOperator

if TYPE_CHECKING:
    from heddle.scipy.sparse._dia import DiaBase

_BOUNDARIES = ("dirichlet", "neumann", "periodic")


class LaplacianNd(LinearOperator):
    """The Laplacian of a grid of any number of axes, with its eigenvalues and eigenvectors.

    A product is an expression of shifted views: no matrix is stored.

    Parameters
    ----------
    grid_shape : tuple of int
    boundary_conditions : {'neumann', 'dirichlet', 'periodic'}
    dtype : dtype

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.sparse.linalg import LaplacianNd
    >>> L = LaplacianNd((4,), boundary_conditions="dirichlet")
    >>> L @ np.array([0, 0, 1, 0])
    array([ 0,  1, -2,  1])
    >>> L.toarray()
    array([[-2,  1,  0,  0],
           [ 1, -2,  1,  0],
           [ 0,  1, -2,  1],
           [ 0,  0,  1, -2]], dtype=int8)
    """

    def __init__(
        self,
        grid_shape: Sequence[int],
        *,
        boundary_conditions: str = "neumann",
        dtype: DTypeLike = numpy.int8,
    ) -> None:
        if boundary_conditions not in _BOUNDARIES:
            raise ValueError(
                f"Unknown value {boundary_conditions!r} is given for 'boundary_conditions' "
                "parameter. The valid options are 'dirichlet', 'periodic', and 'neumann' (default)."
            )
        self.grid_shape = tuple(grid_shape)
        self.boundary_conditions = boundary_conditions
        n = math.prod(self.grid_shape)
        super().__init__(dtype, (n, n))

    # --- spectra ---

    def _sorted(self, m: int | None) -> tuple[Any, Any]:
        """Eigenvalues in ascending order, the last m of them, and the numbers of waves."""
        total = numpy.zeros(self.grid_shape)
        for axis, n in enumerate(self.grid_shape):
            j = numpy.arange(n)
            angle = {
                "dirichlet": (j + 1) / (2 * (n + 1)),
                "neumann": j / (2 * n),
                "periodic": (j + 1) // 2 / n,
            }[self.boundary_conditions]
            shape = [-1 if a == axis else 1 for a in range(len(self.grid_shape))]
            total += (-4 * numpy.sin(numpy.pi * angle) ** 2).reshape(shape)
        order = numpy.argsort(total.ravel())
        order = order if m is None else order[-m:]
        return total.ravel()[order], numpy.unravel_index(order, self.grid_shape)

    def eigenvalues(self, m: int | None = None) -> ndarray:
        """The m largest eigenvalues, or all, in ascending order.

        Examples
        --------
        >>> import heddle as np
        >>> from heddle.scipy.sparse.linalg import LaplacianNd
        >>> np.round(LaplacianNd((3,)).eigenvalues(), 6)
        array([-3., -1.,  0.])
        """
        return np.asarray(self._sorted(m)[0])

    def _waves(self, j: object, n: int) -> Any:
        """Eigenvectors of one axis, a column for each number."""
        place = numpy.arange(n)[:, None]
        j = numpy.asarray(j)[None, :]
        if self.boundary_conditions == "dirichlet":
            made = numpy.sqrt(2 / (n + 1)) * numpy.sin(numpy.pi * (place + 1) / (n + 1) * (j + 1))
        elif self.boundary_conditions == "neumann":
            scale = numpy.sqrt(numpy.where(j == 0, 1, 2) / n)
            made = scale * numpy.cos(numpy.pi * (place + 0.5) / n * j)
        else:
            angle = numpy.pi * (place + 0.5) / n
            alternating = (j + 1 == n) & (n % 2 == 0)
            wave = numpy.where(j % 2 == 1, numpy.sin(angle * (j + 1)), numpy.cos(angle * j))
            wave = numpy.where(alternating & (j > 0), 1 - 2 * (place % 2), wave)
            scale = numpy.sqrt(numpy.where((j == 0) | alternating, 1, 2) / n)
            made = scale * wave
        made[numpy.abs(made) < numpy.finfo(float).eps] = 0
        return made

    def eigenvectors(self, m: int | None = None) -> ndarray:
        """The eigenvectors of the m largest eigenvalues, or all, in columns.

        Examples
        --------
        >>> from heddle.scipy.sparse.linalg import LaplacianNd
        >>> LaplacianNd((3, 4)).eigenvectors(2).shape
        (12, 2)
        """
        _, numbers = self._sorted(m)
        count = len(numbers[0])
        made = numpy.ones((1, count))
        for j, n in zip(numbers, self.grid_shape, strict=True):
            made = (made[:, None, :] * self._waves(j, n)[None]).reshape(-1, count)
        return np.asarray(made)

    # --- matrices ---

    def toarray(self) -> ndarray:
        """The matrix, dense.

        Examples
        --------
        >>> from heddle.scipy.sparse.linalg import LaplacianNd
        >>> LaplacianNd((2,)).toarray()
        array([[-1,  1],
               [ 1, -1]], dtype=int8)
        """
        n = self.shape[0]
        made: ndarray = self._matmat(np.eye(n, dtype=numpy.int8)).astype(self.dtype)
        return made

    def tosparse(self) -> DiaBase:
        """The matrix, sparse, as diagonals.

        Examples
        --------
        >>> from heddle.scipy.sparse.linalg import LaplacianNd
        >>> LaplacianNd((2, 2)).tosparse().toarray().shape
        (4, 4)
        """
        from heddle.scipy.sparse import coo_array

        n = self.shape[0]
        places = numpy.arange(n).reshape(self.grid_shape)
        rows, columns, values = [], [], []

        def add(row: Any, column: Any, value: int) -> None:
            rows.append(row.ravel())
            columns.append(column.ravel())
            values.append(numpy.full(row.size, value, numpy.int8))

        for axis, length in enumerate(self.grid_shape):
            first = places.take([0], axis)
            last = places.take([length - 1], axis)
            before = places.take(range(length - 1), axis)
            after = places.take(range(1, length), axis)
            add(places, places, -2)
            add(before, after, 1)
            add(after, before, 1)
            if self.boundary_conditions == "neumann":
                add(first, first, 1)
                add(last, last, 1)
            elif self.boundary_conditions == "periodic":
                add(first, last, 1)
                add(last, first, 1)
        given = (np.asarray(numpy.concatenate(part)) for part in (rows, columns))
        data = np.asarray(numpy.concatenate(values))
        made = coo_array((data, tuple(given)), shape=self.shape)
        made.sum_duplicates()
        return made.astype(self.dtype).todia()

    # --- products ---

    def _matvec(self, x: Any) -> Any:
        axes = len(self.grid_shape)
        X = x.reshape((*self.grid_shape, -1))
        Y = -2 * axes * X
        for axis, n in enumerate(self.grid_shape):
            before = (slice(None),) * axis
            inner, outer = (*before, slice(1, n)), (*before, slice(0, n - 1))
            first, last = (*before, slice(0, 1)), (*before, slice(n - 1, n))
            Y[inner] += X[outer]
            Y[outer] += X[inner]
            if self.boundary_conditions == "neumann":
                Y[first] += X[first]
                Y[last] += X[last]
            elif self.boundary_conditions == "periodic":
                Y[first] += X[last]
                Y[last] += X[first]
        return Y.reshape(-1, X.shape[-1])

    def _matmat(self, X: object) -> Any:
        return self._matvec(X)

    def _adjoint(self) -> LinearOperator:
        return self

    def _transpose(self) -> LinearOperator:
        return self
