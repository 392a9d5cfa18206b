"""Trees by the names of JAX's ``tree_util``: those of `heddle.tree`, and some for who takes them
apart by hand.

>>> import heddle as np
>>> np.tree_util.tree_map(lambda x: x * 2, {"a": 1, "b": (2, 3)})
{'a': 2, 'b': (4, 6)}
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable
from typing import Any

from heddle._transform.nodes import KINDS, KeyPath, is_named_tuple, kind_of
from heddle._typing import Tree
from heddle.tree import (
    DictKey,
    FlattenedIndexKey,
    GetAttrKey,
    SequenceKey,
    Structure,
    path_text,
    register_dataclass,
    register_pytree_node,
    register_pytree_node_class,
    register_pytree_with_keys,
    register_pytree_with_keys_class,
    register_static,
)
from heddle.tree import all as tree_all
from heddle.tree import broadcast as tree_broadcast
from heddle.tree import flatten as tree_flatten
from heddle.tree import flatten_with_path as tree_flatten_with_path
from heddle.tree import leaves as tree_leaves
from heddle.tree import leaves_with_path as tree_leaves_with_path
from heddle.tree import map as tree_map
from heddle.tree import map_with_path as tree_map_with_path
from heddle.tree import reduce as tree_reduce
from heddle.tree import reduce_associative as tree_reduce_associative
from heddle.tree import structure as tree_structure
from heddle.tree import transpose as tree_transpose
from heddle.tree import unflatten as tree_unflatten

__all__ = [
    "DictKey",
    "FlattenedIndexKey",
    "GetAttrKey",
    "KeyEntry",
    "KeyPath",
    "Partial",
    "PyTreeDef",
    "SequenceKey",
    "all_leaves",
    "flatten_one_level",
    "flatten_one_level_with_keys",
    "is_tree_node",
    "keystr",
    "register_dataclass",
    "register_pytree_node",
    "register_pytree_node_class",
    "register_pytree_with_keys",
    "register_pytree_with_keys_class",
    "register_static",
    "tree_all",
    "tree_broadcast",
    "tree_flatten",
    "tree_flatten_with_path",
    "tree_leaves",
    "tree_leaves_with_path",
    "tree_map",
    "tree_map_with_path",
    "tree_reduce",
    "tree_reduce_associative",
    "tree_structure",
    "tree_transpose",
    "tree_unflatten",
    "treedef_children",
    "treedef_is_leaf",
    "treedef_tuple",
]

PyTreeDef = Structure
KeyEntry = DictKey | SequenceKey | GetAttrKey | FlattenedIndexKey


class _Whole:
    """A partial function that is not taken apart: equal to it, and called as it is."""

    def __init__(self, func: Any) -> None:
        self.func = func

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self.func(*args, **keywords)

    def __eq__(self, other: object) -> bool:
        return bool(self.func == (other.func if isinstance(other, _Whole) else other))

    def __hash__(self) -> int:
        return hash(self.func)


class Partial(functools.partial[Any]):
    """`functools.partial` as a tree: its arguments are leaves, its function is known.

    So a function with arrays in it can be an argument of functions that are transformed.

    Examples
    --------
    >>> import heddle as np
    >>> add_one = np.tree_util.Partial(np.add, np.asarray(1.0))
    >>> print(np.jit(lambda f, x: f(x))(add_one, 2.0))
    3.0
    """

    def __new__(cls, func: Any, /, *args: Any, **keywords: Any) -> Partial:
        # functools merges partial functions into one: arguments of the inner one would be leaves.
        if isinstance(func, functools.partial):
            func = _Whole(func)
        return super().__new__(cls, func, *args, **keywords)


register_pytree_with_keys(
    Partial,
    lambda it: (((GetAttrKey("args"), it.args), (GetAttrKey("keywords"), it.keywords)), it.func),
    lambda func, parts: Partial(func, *parts[0], **parts[1]),
)


def keystr(keys: KeyPath, *, simple: bool = False, separator: str = "") -> str:
    """A path as text: as it would be written, or the bare names of its steps.

    >>> import heddle as np
    >>> path, _ = np.tree.leaves_with_path({"w": [1]})[0]
    >>> np.tree_util.keystr(path), np.tree_util.keystr(path, simple=True, separator="/")
    ("['w'][0]", 'w/0')
    """
    if not simple:
        return separator.join([str(key) for key in keys]) if separator else path_text(keys)
    names = ("key", "idx", "name")
    return separator.join(
        [str(next((getattr(key, n) for n in names if hasattr(key, n)), key)) for key in keys]
    )


def all_leaves(iterable: Iterable[object], is_leaf: Callable[[Any], bool] | None = None) -> bool:
    """Whether nothing of some is an inner node.

    >>> import heddle as np
    >>> np.tree_util.all_leaves([1, "a"]), np.tree_util.all_leaves([(1,)])
    (True, False)
    """
    return not any(
        not (is_leaf is not None and is_leaf(one)) and kind_of(one) is not None for one in iterable
    )


def is_tree_node(typ: type) -> bool:
    """Whether objects of a class are inner nodes.

    >>> import heddle as np
    >>> np.tree_util.is_tree_node(tuple), np.tree_util.is_tree_node(int)
    (True, False)
    """
    return typ in KINDS or dataclasses.is_dataclass(typ) or is_named_tuple(typ)


def flatten_one_level(tree: Tree) -> tuple[list[Any], Any]:
    """The children of a node, and what else is known of it.

    >>> import heddle as np
    >>> np.tree_util.flatten_one_level({"a": (1, 2), "b": 3})
    ([(1, 2), 3], ('a', 'b'))
    """
    pairs, known = flatten_one_level_with_keys(tree)
    return [child for _, child in pairs], known


def flatten_one_level_with_keys(tree: Tree) -> tuple[list[tuple[Any, Any]], Any]:
    """The children of a node, each with its key in a path, and what else is known of it.

    >>> import heddle as np
    >>> np.tree_util.flatten_one_level_with_keys([5])
    ([(SequenceKey(idx=0), 5)], None)
    """
    kind = kind_of(tree)
    if kind is None:
        raise ValueError(f"a {type(tree).__name__} is a leaf, and has no children")
    children, known = kind.parts(tree)
    return list(zip(kind.keys(tree), children, strict=True)), known


def treedef_children(treedef: Structure) -> list[Structure]:
    """The structures one level below.

    >>> import heddle as np
    >>> np.tree_util.treedef_children(np.tree.structure((1, [2])))
    [Structure(*), Structure([*])]
    """
    return treedef.children()


def treedef_is_leaf(treedef: Structure) -> bool:
    """Whether a structure is that of a leaf.

    >>> import heddle as np
    >>> np.tree_util.treedef_is_leaf(np.tree.structure(1))
    True
    """
    return treedef.cls is None


def treedef_tuple(treedefs: Iterable[Structure]) -> Structure:
    """The structure of a tuple of trees.

    >>> import heddle as np
    >>> np.tree_util.treedef_tuple([np.tree.structure(1), np.tree.structure([2, 3])])
    Structure((*, [*, *]))
    """
    return Structure(tuple, None, tuple(treedefs))
