"""Shapes and types of results, without computing them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import heddle as hd
from heddle import _core, tree
from heddle._transform.arguments import to_leaf
from heddle._transform.batching import vmap
from heddle._typing import Tree

Array = hd.ndarray  # what annotations of JAX's programs say


@dataclasses.dataclass(frozen=True)
class ShapeDtypeStruct:
    """A shape and a type: an array without elements.

    >>> import heddle as np
    >>> np.ShapeDtypeStruct((2, 3), "float32").size
    6
    """

    shape: tuple[int, ...]
    dtype: Any

    def __post_init__(self) -> None:
        if self.dtype is None:
            raise ValueError("ShapeDtypeStruct: dtype must be said, and is None")
        if None in self.shape:
            raise ValueError(f"ShapeDtypeStruct: an extent is an integer, not None: {self.shape}")
        object.__setattr__(self, "shape", tuple(self.shape))
        object.__setattr__(self, "dtype", hd.dtype(self.dtype))

    @property
    def ndim(self) -> int:
        """How many dimensions it has."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many elements it would have."""
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object: the shape has no dimensions")
        return self.shape[0]


def is_shape(leaf: object) -> bool:
    """Whether something is a `ShapeDtypeStruct`: a leaf of trees here, and no dataclass of two."""
    return isinstance(leaf, ShapeDtypeStruct)


def shape_and_type(leaf: object, where: str) -> ShapeDtypeStruct:
    """Those of an array, a number, or anything that says them."""
    if not isinstance(leaf, _core.own_array) and hasattr(leaf, "shape") and hasattr(leaf, "dtype"):
        return ShapeDtypeStruct(leaf.shape, leaf.dtype)
    array = to_leaf(leaf, where)
    return ShapeDtypeStruct(array.shape, array.dtype)


def device_of(leaf: object) -> str | None:
    """Where an array is; whatever else has no elements, or is where new arrays are."""
    return leaf.device if isinstance(leaf, _core.own_array) else None


def eval_shape(fun: Callable[..., Any], *args: Tree, **kwargs: Tree) -> Tree:
    """The shapes and types of what a function gives, as a tree; nothing is computed.

    Arguments are arrays, numbers, or what has a shape and a dtype, as `ShapeDtypeStruct`. The
    function cannot look at elements, as under `vmap`.

    >>> import heddle as np
    >>> like = np.ShapeDtypeStruct((3, 1000), "float32")
    >>> np.eval_shape(lambda a: a @ a.T, like)
    ShapeDtypeStruct(shape=(3, 3), dtype=dtype('float32'))
    """

    def row(leaf: object) -> hd.ndarray:
        like = shape_and_type(leaf, "eval_shape: an argument")
        return hd.zeros((1, *like.shape), like.dtype, device=device_of(leaf))

    leaves, structure = tree.flatten((args, kwargs), is_leaf=is_shape)

    def of_leaves(*given: object) -> Any:
        positional, named = structure.unflatten(given)
        return fun(*positional, **named)

    made = vmap(of_leaves, axis_size=1)(*map(row, leaves))
    return tree.map(lambda a: ShapeDtypeStruct(a.shape[1:], a.dtype), made)
