"""Rows of benchmarks/scipy_modules.py about sparse matrices: n is the number of elements."""

from collections.abc import Callable
from typing import Any

import numpy
from scipy_row import ScipyRow


def _matrix(n: int, seed: int = 0, format: str = "csr") -> Any:
    """Ten elements a row, at random places."""
    import scipy.sparse

    side = max(n // 10, 1)
    rng = numpy.random.default_rng(seed)
    rows = numpy.repeat(numpy.arange(side), 10)
    parts = (rng.random(side * 10), (rows, rng.integers(0, side, side * 10)))
    return getattr(scipy.sparse, f"{format}_array")(parts, shape=(side, side))


def _with_vector(format: str = "csr") -> Callable[[int], tuple[Any, ...]]:
    return lambda n: (_matrix(n, format=format), numpy.ones(max(n // 10, 1)))


def _with_columns(n: int) -> tuple[Any, ...]:
    return _matrix(n), numpy.ones((max(n // 10, 1), 16))


def _with_many_columns(n: int) -> tuple[Any, ...]:
    return _matrix(n // 8), numpy.ones((max(n // 80, 1), 128))


def _uneven(n: int) -> tuple[Any, ...]:
    """One row of a hundred has nine tenths of the elements, as hubs of graphs do."""
    import scipy.sparse

    side = max(n // 10, 100)
    rng = numpy.random.default_rng(3)
    hubs = rng.integers(0, side // 100, n - n // 10) * 100
    rows = numpy.concatenate([hubs, rng.integers(0, side, n // 10)])
    parts = (rng.random(n), (rows, rng.integers(0, side, n)))
    return scipy.sparse.coo_array(parts, shape=(side, side)).tocsr(), numpy.ones(side)


def _two(n: int) -> tuple[Any, ...]:
    return _matrix(n), _matrix(n, 1)


def _shuffled(n: int) -> tuple[Any, ...]:
    """Coordinates in no order, with some duplicates."""
    a = _matrix(n).tocoo()
    order = numpy.random.default_rng(2).permutation(a.nnz)
    return a.data[order], a.coords[0][order], a.coords[1][order]


def _values(a: Any) -> Any:
    """Something to compare: all values, in the order of rows or columns."""
    return a.data


def _coo(module: Any) -> Any:
    """CuPy has matrices only."""
    return getattr(module, "coo_array", None) or module.coo_matrix


def _diagonals(n: int) -> tuple[Any, ...]:
    """Three of them, as differences along a line have."""
    import scipy.sparse

    lines = [numpy.ones(n - 1), numpy.full(n, 4.0), numpy.ones(n - 1)]
    return scipy.sparse.diags_array(lines, offsets=[-1, 0, 1]), numpy.ones(n)


def _pairs_of_two(n: int) -> tuple[Any, ...]:
    """Blocks of two rows and columns."""
    import scipy.sparse

    side = max(n // 20, 1) * 2
    a = scipy.sparse.random_array((side, side), density=5 / side, rng=numpy.random.default_rng(4))
    return scipy.sparse.bsr_array(a, blocksize=(2, 2)), numpy.ones(side)


def _element_by_element(module: Any) -> Any:
    made = module.lil_array((100, 100))
    for i in range(100):
        made[i, i * 7 % 100] = 1.5
    return _values(made.tocsr())


SPARSE = [
    ScipyRow("csr @ vector", _with_vector(), lambda m, a, x: a @ x),
    ScipyRow("csc @ vector", _with_vector("csc"), lambda m, a, x: a @ x),
    ScipyRow("csr @ 16 columns", _with_columns, lambda m, a, x: a @ x),
    ScipyRow("csr @ 128 columns", _with_many_columns, lambda m, a, x: a @ x),
    ScipyRow("csr of uneven rows @ vector", _uneven, lambda m, a, x: a @ x),
    ScipyRow("csr @ csr", _two, lambda m, a, b: (a @ b).nnz),
    ScipyRow("csr + csr", _two, lambda m, a, b: _values(a + b)),
    ScipyRow("csr * csr", _two, lambda m, a, b: _values(a.multiply(b))),
    ScipyRow(
        "coo to csr",
        _shuffled,
        lambda m, d, i, j: _values(_coo(m)((d, (i, j))).tocsr()),
    ),
    ScipyRow("csr to csc", lambda n: (_matrix(n),), lambda m, a: _values(a.tocsc())),
    ScipyRow("transpose, to csr", lambda n: (_matrix(n),), lambda m, a: _values(a.T.tocsr())),
    ScipyRow("half of the rows", lambda n: (_matrix(n),), lambda m, a: _values(a[::2])),
    ScipyRow("first rows", lambda n: (_matrix(n),), lambda m, a: _values(a[: a.shape[0] // 2])),
    ScipyRow("sum of rows", lambda n: (_matrix(n),), lambda m, a: a.sum(axis=1)),
    ScipyRow("sum of columns", lambda n: (_matrix(n),), lambda m, a: a.sum(axis=0)),
    ScipyRow("sum", lambda n: (_matrix(n),), lambda m, a: a.sum()),
    ScipyRow("largest of rows", lambda n: (_matrix(n),), lambda m, a: _values(a.max(axis=1))),
    ScipyRow("coo @ vector", _with_vector("coo"), lambda m, a, x: a @ x),
    ScipyRow("three diagonals @ vector", _diagonals, lambda m, a, x: a @ x),
    ScipyRow("blocks @ vector", _pairs_of_two, lambda m, a, x: a @ x),
    ScipyRow("three diagonals to csr", _diagonals, lambda m, a, x: _values(a.tocsr())),
    ScipyRow("vstack of csr", _two, lambda m, a, b: _values(m.vstack([a, b]))),
    ScipyRow("main diagonal", lambda n: (_matrix(n),), lambda m, a: a.diagonal()),
    ScipyRow("100 elements of lil", lambda n: (), _element_by_element),
]
