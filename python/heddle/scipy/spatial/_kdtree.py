"""`KDTree`: built and asked on the device where the points are."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy

import heddle as np
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike, HostArray
from heddle.scipy.spatial._tree import Tree, as_points, box_size
from heddle.scipy.spatial._tree_kernels import nearest, within

if TYPE_CHECKING:
    from heddle.scipy.sparse._base import SparseBase


def _check_norm(p: float) -> float:
    if not p >= 1:
        raise ValueError("Only p-norms with 1<=p<=infinity permitted")
    return float(p)


class KDTree:
    """Points in a tree of boxes, for questions about neighbours.

    It is built by sorting on the device of the points, and asked there by a thread for each place
    (`workers` is checked; all cores that Heddle may use take part). Nodes hold boxes, whatever
    `compact_nodes` and `balanced_tree` say.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.spatial import KDTree
    >>> tree = KDTree(np.array([[0.0, 0.0], [1.0, 0.0], [5.0, 5.0]]))
    >>> tree.query([[0.9, 0.1], [4.0, 4.0]])
    (array([0.14142136, 1.41421356]), array([1, 2]))
    >>> tree.query_ball_point([0.0, 0.0], 1.5)
    [0, 1]
    """

    def __init__(
        self,
        data: ArrayLike,
        leafsize: int = 10,
        compact_nodes: bool = True,
        copy_data: bool = False,
        balanced_tree: bool = True,
        boxsize: object = None,
    ) -> None:
        given = as_points(data)
        if leafsize < 1:
            raise ValueError("leafsize must be at least 1")
        self.data = given.copy() if copy_data else given
        self.leafsize = int(leafsize)
        self.n, self.m = given.shape
        self.boxsize = None if boxsize is None else box_size(boxsize, given)
        self._tree = Tree(np.ascontiguousarray(given), max(int(leafsize), 1), self.boxsize)
        if self.n:
            self.maxes, self.mins = np.max(given, axis=0), np.min(given, axis=0)
        else:
            self.maxes = self.mins = np.zeros((self.m,), "f8", device=given.device)

    @property
    def size(self) -> int:
        """How many nodes the tree has."""
        return int(self._tree.low.shape[0])

    @property
    def indices(self) -> ndarray:
        """Indices of points in the order of the leaves."""
        return self._tree.index[self._tree.index < self.n]

    @property
    def index(self) -> ndarray:
        """The same under CuPy's name."""
        return self.indices

    @property
    def bounds(self) -> ndarray:
        """Boxes of the nodes, the root first: (nodes, dimensions, 2)."""
        return np.stack([self._tree.low, self._tree.high], axis=-1)

    @property
    def tree(self) -> ndarray:
        """Points in the order of the leaves."""
        return np.take(self.data, self.indices, axis=0)

    def __getstate__(self) -> dict[str, Any]:
        size = None if self.boxsize is None else np.asnumpy(self.boxsize)
        return {"data": self.data, "leafsize": self.leafsize, "boxsize": size}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__init__(state["data"], state["leafsize"], boxsize=state["boxsize"])  # type: ignore[misc]

    def _places(self, x: ArrayLike, name: str = "x") -> tuple[ndarray, tuple[int, ...]]:
        """Places as rows on the tree's device, within the periods; and their shape."""
        given = x if isinstance(x, own_array) else np.asarray(x, device=self.data.device)
        if given.dtype.kind == "c":
            raise TypeError("KDTree does not work with complex data")
        given = given.astype("f8")
        if given.ndim == 0 or given.shape[-1] != self.m:
            raise ValueError(
                f"{name} must consist of vectors of length {self.m} but has shape {given.shape}"
            )
        if not bool(np.all(np.isfinite(given))):
            raise ValueError(f"'{name}' must be finite, check for nan or inf values")
        rows = given.reshape(-1, self.m)
        if self.boxsize is not None:
            size = np.where(self.boxsize > 0, self.boxsize, 1.0)
            rows = np.where(self.boxsize > 0, rows - np.floor(rows / size) * size, rows)
        return np.ascontiguousarray(rows), given.shape[:-1]

    def query(
        self,
        x: ArrayLike,
        k: int | Sequence[int] = 1,
        eps: float = 0.0,
        p: float = 2.0,
        distance_upper_bound: float = math.inf,
        workers: int = 1,
    ) -> tuple[ndarray, ndarray]:
        """Distances and indices of the `k` nearest points, or of the k-th ones of a list.

        Where there are too few, the distance is infinite and the index the number of points.
        """
        _check_workers(workers)
        p = _check_norm(p)
        if k is None:
            raise ValueError("k must be an integer or a sequence of integers")
        rows, shape = self._places(x)
        if eps < 0:
            raise ValueError("eps must be non-negative")
        if isinstance(k, (int, numpy.integer)):
            if k < 1:
                raise ValueError("k must be greater than or equal to 1")
            wanted, alone = list(range(1, int(k) + 1)), k == 1
        else:
            wanted, alone = [int(each) for each in k], False
            if not wanted or min(wanted) < 1:
                raise ValueError("All entries of k must be greater than or equal to 1")
        most = max(wanted)
        found, places = nearest(self._tree, rows, most, float(eps), p, float(distance_upper_bound))
        if wanted != list(range(1, most + 1)):
            columns = np.asarray(numpy.array(wanted) - 1, device=found.device)
            found, places = np.take(found, columns, axis=1), np.take(places, columns, axis=1)
        if alone:
            made = found[:, 0].reshape(shape), places[:, 0].reshape(shape)
            return (made[0][()], made[1][()]) if not shape else made
        last = (*shape, len(wanted))
        return found.reshape(last), places.reshape(last)

    @overload
    def query_ball_point(
        self,
        x: ArrayLike,
        r: ArrayLike,
        p: float = 2.0,
        eps: float = 0.0,
        workers: int = 1,
        return_sorted: bool | None = None,
        return_length: Literal[False] = False,
    ) -> list[int] | HostArray: ...
    @overload
    def query_ball_point(
        self,
        x: ArrayLike,
        r: ArrayLike,
        p: float = 2.0,
        eps: float = 0.0,
        workers: int = 1,
        return_sorted: bool | None = None,
        *,
        return_length: Literal[True],
    ) -> int | ndarray: ...
    def query_ball_point(
        self,
        x: ArrayLike,
        r: ArrayLike,
        p: float = 2.0,
        eps: float = 0.0,
        workers: int = 1,
        return_sorted: bool | None = None,
        return_length: bool = False,
    ) -> Any:
        """Lists of the indices of points within `r`; or how many these are."""
        _check_workers(workers)
        rows, shape = self._places(x)
        given = r if isinstance(r, own_array) else np.asarray(r, device=rows.device)
        radius = np.broadcast_to(given.astype("f8"), shape).reshape(-1)
        counts, fill = within(self._tree, rows, radius, float(eps), _check_norm(p))
        if return_length:
            return counts.reshape(shape) if shape else int(counts[0])
        lists = _lists(counts, fill, return_sorted or (return_sorted is None and bool(shape)))
        if not shape:
            return lists[0]
        made = numpy.empty(len(lists), dtype=object)
        made[:] = lists
        return made.reshape(shape)

    def query_ball_tree(
        self, other: KDTree, r: float, p: float = 2.0, eps: float = 0.0
    ) -> list[list[int]]:
        """For each point, the indices of those of another tree within `r`."""
        self._check_other(other)
        counts, fill = self._pairs(other, r, p, eps)
        return _lists(counts, fill, False)

    def _check_other(self, other: KDTree) -> None:
        if not isinstance(other, KDTree):
            raise TypeError("other must be a KDTree")
        if other.m != self.m:
            raise ValueError("Trees passed to query_ball_tree have different dimensionality")

    def _pairs(self, other: KDTree, r: float, p: float, eps: float = 0.0) -> tuple[ndarray, Any]:
        radius = np.full((self.n,), float(r), device=self.data.device)
        rows = np.ascontiguousarray(self.data)
        return within(other._tree, rows, radius, float(eps), _check_norm(p))

    @overload
    def query_pairs(
        self, r: float, p: float = 2.0, eps: float = 0.0, output_type: Literal["set"] = "set"
    ) -> set[tuple[int, int]]: ...
    @overload
    def query_pairs(
        self, r: float, p: float = 2.0, eps: float = 0.0, *, output_type: Literal["ndarray"]
    ) -> ndarray: ...
    def query_pairs(
        self, r: float, p: float = 2.0, eps: float = 0.0, output_type: str = "set"
    ) -> Any:
        """Pairs (i, j), i < j, of points that are within `r` of one another."""
        radius = np.full((self.n,), float(r), device=self.data.device)
        rows = np.ascontiguousarray(self.data)
        counts, fill = within(self._tree, rows, radius, float(eps), _check_norm(p), later=True)
        if output_type not in ("set", "ndarray"):
            raise ValueError("Invalid output type")
        _, places, _ = fill()
        first = np.repeat(np.arange(self.n, device=rows.device), counts)
        made = np.stack([first, places], axis=1)
        if output_type == "ndarray":
            return made
        return set(map(tuple, np.asnumpy(made).tolist()))

    def count_neighbors(
        self,
        other: KDTree,
        r: ArrayLike,
        p: float = 2.0,
        weights: ArrayLike | None = None,
        cumulative: bool = True,
    ) -> ndarray:
        """How many pairs of points of both trees are within `r`, or the weights of these."""
        self._check_other(other)
        radii = numpy.asarray(np.asnumpy(r) if isinstance(r, own_array) else r, float)
        own, others = weights if isinstance(weights, tuple) else (weights, weights)
        totals = []
        edges = radii.reshape(-1)
        if not cumulative and (numpy.diff(edges) < 0).any():
            raise ValueError("r must be non-decreasing when cumulative is False")
        for each in edges:
            if weights is None:
                counts, _ = self._pairs(other, each, p)
                totals.append(np.sum(counts))
            else:
                totals.append(self._weight_within(other, each, p, own, others))
        if not totals:
            return np.zeros(radii.shape, "i8" if weights is None else "f8")
        made = np.stack([np.asarray(each) for each in totals])
        if not cumulative:
            made = np.concatenate([made[:1], made[1:] - made[:-1]])
        return made.reshape(radii.shape)[()] if not radii.shape else made.reshape(radii.shape)

    def _weight_within(
        self, other: KDTree, r: float, p: float, own: ArrayLike, others: ArrayLike
    ) -> ndarray:
        counts, fill = self._pairs(other, r, p)
        _, places, _ = fill()
        first = np.repeat(np.arange(self.n, device=self.data.device), counts)
        total: Any = np.ones(places.shape, device=places.device)
        if own is not None:
            total = total * np.take(np.asarray(own, device=places.device), first)
        if others is not None:
            total = total * np.take(np.asarray(others, device=places.device), places)
        return np.sum(total)

    @overload
    def sparse_distance_matrix(
        self,
        other: KDTree,
        max_distance: float,
        p: float = 2.0,
        output_type: Literal["dok_matrix", "coo_matrix"] = "dok_matrix",
    ) -> SparseBase: ...
    @overload
    def sparse_distance_matrix(
        self,
        other: KDTree,
        max_distance: float,
        p: float = 2.0,
        *,
        output_type: Literal["dict"],
    ) -> dict[tuple[int, int], float]: ...
    @overload
    def sparse_distance_matrix(
        self,
        other: KDTree,
        max_distance: float,
        p: float = 2.0,
        *,
        output_type: Literal["ndarray"],
    ) -> HostArray: ...
    def sparse_distance_matrix(
        self,
        other: KDTree,
        max_distance: float,
        p: float = 2.0,
        output_type: str = "dok_matrix",
    ) -> Any:
        """Distances between points of both trees that are no further than `max_distance`.

        'dict' and 'ndarray' are on the host; sparse matrices are of `heddle.scipy.sparse` where
        that is, else SciPy's.
        """
        self._check_other(other)
        if output_type not in ("dok_matrix", "coo_matrix", "dict", "ndarray"):
            raise ValueError("Invalid output type")
        counts, fill = self._pairs(other, max_distance, p)
        _, places, found = fill()
        first = np.repeat(np.arange(self.n, device=self.data.device), counts)
        i, j, v = (np.asnumpy(each) for each in (first, places, found))
        if output_type == "dict":
            pairs = zip(i.tolist(), j.tolist(), strict=True)
            return dict(zip(pairs, v.tolist(), strict=True))
        if output_type == "ndarray":
            made = numpy.empty(len(i), dtype=[("i", "i8"), ("j", "i8"), ("v", "f8")])
            made["i"], made["j"], made["v"] = i, j, v
            return made
        shape = (self.n, other.n)
        try:
            from heddle.scipy import sparse  # type: ignore[attr-defined, unused-ignore]

            matrix = sparse.coo_matrix((found, (first, places)), shape=shape)
        except ImportError:
            import scipy.sparse

            matrix = scipy.sparse.coo_matrix((v, (i, j)), shape=shape)
        return matrix if output_type == "coo_matrix" else matrix.todok()


def _check_workers(workers: int) -> None:
    if not isinstance(workers, (int, numpy.integer)) or workers == 0:
        raise ValueError(f"Invalid number of workers {workers}")


def _lists(counts: ndarray, fill: Callable[..., Any], in_order: bool) -> list[list[int]]:
    """A list of indices for each row, on the host."""
    starts, places, _ = fill()
    known = np.asnumpy(places)
    begin = np.asnumpy(starts)
    ends = begin + np.asnumpy(counts)
    made = []
    for first, last in zip(begin.tolist(), ends.tolist(), strict=True):
        part = known[first:last]
        made.append(numpy.sort(part).tolist() if in_order else part.tolist())
    return made


class cKDTree(KDTree):
    """`KDTree` under its other name, with leaves of 16 points.

    Examples
    --------
    >>> from heddle.scipy.spatial import cKDTree
    >>> cKDTree([[0.0], [3.0]]).query([[1.0]])
    (array([1.]), array([0]))
    """

    def __init__(
        self,
        data: ArrayLike,
        leafsize: int = 16,
        compact_nodes: bool = True,
        copy_data: bool = False,
        balanced_tree: bool = True,
        boxsize: object = None,
    ) -> None:
        super().__init__(data, leafsize, compact_nodes, copy_data, balanced_tree, boxsize)
