"""Trees as one vector, by JAX's name."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import heddle as hd
from heddle import tree
from heddle._core import ndarray
from heddle._transform.arguments import to_leaf
from heddle._typing import Tree

__all__ = ["ravel_pytree"]


def ravel_pytree(pytree: Tree) -> tuple[hd.ndarray, Callable[[Any], Any]]:
    """All elements of a tree's leaves in one vector, and the function that leads back.

    The vector has a type that all leaves fit; the way back gives each leaf its own, or, where all
    leaves have one type, that of the vector it is given.

    Examples
    --------
    >>> import heddle as np
    >>> flat, unravel = np.flatten_util.ravel_pytree({"a": np.ones(2), "b": 3.0})
    >>> print(flat)
    [1. 1. 3.]
    >>> unravel(flat * 2)
    {'a': array([2., 2.]), 'b': array(6.)}
    """
    found, structure = tree.flatten(pytree)
    leaves = [to_leaf(leaf, "ravel_pytree: a leaf") for leaf in found]
    if not leaves:
        flat = hd.zeros(0)
    else:
        common = hd.result_type(*leaves)
        flat = hd.concatenate([leaf.ravel().astype(common) for leaf in leaves])
    shapes = [(leaf.shape, leaf.dtype) for leaf in leaves]
    ends = list(itertools.accumulate(leaf.size for leaf in leaves))
    size, dtype = flat.size, flat.dtype
    alike = all(leaf.dtype == dtype for leaf in leaves)

    def unravel(vector: ndarray) -> Any:
        given = hd.asarray(vector)
        if given.shape != (size,):
            raise ValueError(f"unravel: a vector of shape {(size,)} is wanted, not {given.shape}")
        if not alike and given.dtype != dtype:
            raise TypeError(f"unravel: a vector of {dtype} is wanted, not of {given.dtype}")
        parts = zip([0, *ends], ends, shapes, strict=False)
        return structure.unflatten(
            [
                given[first:end].reshape(shape).astype(given.dtype if alike else kind)
                for first, end, (shape, kind) in parts
            ]
        )

    return flat, unravel
