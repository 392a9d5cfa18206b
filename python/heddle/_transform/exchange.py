"""Collectives that move arrays between rows or blocks of a named axis, with JAX's names.

Each is what its row takes out of what all of them have.
"""

from __future__ import annotations

from collections.abc import Sequence

import heddle as hd
from heddle import tree
from heddle._transform.parallel import all_gather, axis_index, axis_size, psum
from heddle._typing import Tree


def ppermute(x: Tree, axis_name: object, perm: Sequence[tuple[int, int]]) -> Tree:
    """The array of another row: pairs say from where to where; nothing sent to is zeros.

    >>> import heddle as np
    >>> shift = [(0, 1), (1, 2), (2, 0)]
    >>> print(np.vmap(lambda x: np.lax.ppermute(x, "i", shift), axis_name="i")(np.arange(3.0)))
    [2. 0. 1.]
    """
    count = axis_size(axis_name)
    sources = [-1] * count
    for source, target in perm:
        if not (0 <= source < count and 0 <= target < count) or sources[target] >= 0:
            raise ValueError(f"ppermute: perm {list(perm)} for an axis of {count} rows")
        sources[target] = source
    if len({source for source, _ in perm}) != len(perm):
        raise ValueError(f"ppermute: a row is sent twice: {list(perm)}")
    mine = hd.asarray(sources)[axis_index(axis_name)]

    def one(rows: hd.ndarray) -> hd.ndarray:
        found = rows[hd.maximum(mine, 0)]
        return hd.where(mine >= 0, found, 0).astype(rows.dtype)

    return tree.map(one, all_gather(x, axis_name))


def pshuffle(x: Tree, axis_name: object, perm: Sequence[int]) -> Tree:
    """The array of the row that ``perm`` says for each.

    >>> import heddle as np
    >>> print(np.vmap(lambda x: np.lax.pshuffle(x, "i", [1, 2, 0]), axis_name="i")(np.arange(3.0)))
    [1. 2. 0.]
    """
    if sorted(perm) != list(range(axis_size(axis_name))):
        raise ValueError(f"pshuffle: {list(perm)} is no permutation of the rows")
    return ppermute(x, axis_name, [(source, target) for target, source in enumerate(perm)])


def pbroadcast(x: Tree, axis_name: object, source: int) -> Tree:
    """The array of one row, for all of them.

    >>> import heddle as np
    >>> print(np.vmap(lambda x: np.lax.pbroadcast(x, "i", 2), axis_name="i")(np.arange(3.0)))
    [2. 2. 2.]
    """
    return tree.map(lambda rows: rows[source], all_gather(x, axis_name))


def all_to_all(
    x: Tree, axis_name: object, split_axis: int, concat_axis: int, *, tiled: bool = False
) -> Tree:
    """Parts of an array, one from each row: a transpose of an axis and the rows.

    Axis ``split_axis`` has as many elements as there are rows, or with ``tiled`` a multiple.

    Examples
    --------
    >>> import heddle as np
    >>> swap = np.vmap(lambda x: np.lax.all_to_all(x, "i", 0, 0), axis_name="i")
    >>> print(swap(np.arange(4.0).reshape(2, 2)))
    [[0. 2.]
     [1. 3.]]
    """
    count, place = axis_size(axis_name), axis_index(axis_name)

    def one(leaf: object) -> hd.ndarray:
        array = hd.asarray(leaf)
        extent = array.shape[split_axis]
        if extent % count if tiled else extent != count:
            raise ValueError(
                f"all_to_all: axis {split_axis} of an array of shape {array.shape} is split among "
                f"{count} rows"
            )
        axis = split_axis % array.ndim
        parts = array.reshape((*array.shape[:axis], count, -1, *array.shape[axis + 1 :]))
        if not tiled:
            parts = hd.squeeze(parts, axis + 1)
        rows = all_gather(parts, axis_name)  # (rows, ..., parts, ...)
        mine = hd.take(rows, place, axis=axis + 1)
        if not tiled:
            return hd.moveaxis(mine, 0, concat_axis)
        return hd.concatenate([mine[i] for i in range(count)], concat_axis)

    return tree.map(one, x)


def pswapaxes(x: Tree, axis_name: object, axis: int) -> Tree:
    """An axis of the array and that of the rows, the one for the other.

    >>> import heddle as np
    >>> print(np.vmap(lambda x: np.lax.pswapaxes(x, "i", 0), axis_name="i")(np.eye(2) + 1))
    [[2. 1.]
     [1. 2.]]
    """
    return all_to_all(x, axis_name, axis, axis)


def psum_scatter(
    x: Tree, axis_name: object, *, scatter_dimension: int = 0, tiled: bool = False
) -> Tree:
    """The part that belongs to each row of the sum over all rows.

    >>> import heddle as np
    >>> print(np.vmap(lambda x: np.lax.psum_scatter(x, "i"), axis_name="i")(np.ones((2, 2))))
    [2. 2.]
    """
    count, place = axis_size(axis_name), axis_index(axis_name)

    def one(total: hd.ndarray) -> hd.ndarray:
        extent = total.shape[scatter_dimension]
        if extent % count if tiled else extent != count:
            raise ValueError(
                f"psum_scatter: axis {scatter_dimension} of an array of shape {total.shape} is "
                f"split among {count} rows"
            )
        places = (
            place * (extent // count) + hd.arange(extent // count, device=total.device)
            if tiled
            else place
        )
        return hd.take(total, places, axis=scatter_dimension)

    return tree.map(one, psum(x, axis_name))
