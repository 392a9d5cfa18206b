"""Trees of containers with arrays as leaves: what transformations take and give.

Tuples, lists, dictionaries (by sorted keys), named tuples, dataclasses, ``None`` (no leaves) and
registered classes are inner nodes; everything else is a leaf. Fields of dataclasses that are
``dataclasses.field(metadata={"static": True})`` are part of the structure, not leaves.

>>> import heddle as np
>>> np.tree.map(lambda x: x + 1, {"a": 1, "b": (2, 3)})
{'a': 2, 'b': (3, 4)}
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any

from heddle._names.public import publish
from heddle._transform import nodes
from heddle._transform.nodes import (
    KINDS,
    DictKey,
    FlattenedIndexKey,
    GetAttrKey,
    KeyPath,
    SequenceKey,
    kind_of,
    register_dataclass,
    register_pytree_node,
    register_pytree_node_class,
    register_pytree_with_keys,
    register_pytree_with_keys_class,
    register_static,
)
from heddle._typing import Tree

__all__ = [
    "DictKey",
    "FlattenedIndexKey",
    "GetAttrKey",
    "SequenceKey",
    "Structure",
    "all",
    "broadcast",
    "flatten",
    "flatten_with_path",
    "leaves",
    "leaves_with_path",
    "map",
    "map_with_path",
    "path_text",
    "reduce",
    "reduce_associative",
    "register_dataclass",
    "register_pytree_node",
    "register_pytree_node_class",
    "register_pytree_with_keys",
    "register_pytree_with_keys_class",
    "register_static",
    "structure",
    "transpose",
    "unflatten",
]

_IsLeaf = Callable[[Any], bool] | None


@dataclasses.dataclass(frozen=True)
class Structure:
    """The containers of a tree without its leaves: two trees of one shape have equal ones.

    Examples
    --------
    >>> import heddle as np
    >>> np.tree.structure({"a": 1, "b": (2, 3)}).num_leaves
    3
    """

    cls: type | None  # None: a leaf
    known: Hashable = None
    inside: tuple[Structure, ...] = ()

    def __hash__(self) -> int:
        try:
            return hash((self.cls, self.known, self.inside))
        except TypeError:  # what is known, as a dictionary, may be comparable without a hash
            return hash((self.cls, self.inside))

    @functools.cached_property
    def num_leaves(self) -> int:
        """How many leaves a tree of this structure has."""
        if self.cls is None:
            return 1
        return sum(child.num_leaves for child in self.inside)

    @property
    def num_nodes(self) -> int:
        """How many nodes a tree of this structure has, leaves included."""
        return 1 + sum(child.num_nodes for child in self.inside)

    def children(self) -> list[Structure]:
        """The structures one level below."""
        return list(self.inside)

    def node_data(self) -> tuple[type, Hashable] | None:
        """The class at the root, and what is known of it beside its children; None for a leaf."""
        return None if self.cls is None else (self.cls, self.known)

    def flatten_up_to(self, tree: Tree) -> list[Any]:
        """What stands in a tree at the places of this structure's leaves."""
        return _children_like(self, tree, ())

    def compose(self, inner: Structure) -> Structure:
        """This structure with another one at each of its leaves."""
        if self.cls is None:
            return inner
        return Structure(self.cls, self.known, tuple(child.compose(inner) for child in self.inside))

    def unflatten(self, leaves: Iterable[object]) -> Tree:
        """Put a tree of this structure together."""
        remaining = iter(leaves)
        made = self._made(remaining)
        if next(remaining, _NONE) is not _NONE:
            raise ValueError(f"there are more leaves than the {self.num_leaves} of {self}")
        return made

    def _made(self, leaves: Iterator[Any]) -> Any:
        if self.cls is None:
            leaf = next(leaves, _NONE)
            if leaf is _NONE:
                raise ValueError("there are too few leaves for the structure")
            return leaf
        return KINDS[self.cls].made_of(self.known, [child._made(leaves) for child in self.inside])

    def __str__(self) -> str:
        if self.cls is None:
            return "*"
        if self.cls is type(None):
            return "None"
        inside = [str(child) for child in self.inside]
        if self.cls is tuple:
            return f"({', '.join(inside)}{',' if len(inside) == 1 else ''})"
        if self.cls is list:
            return f"[{', '.join(inside)}]"
        if self.cls is dict and isinstance(self.known, tuple):
            pairs = zip(self.known, inside, strict=True)
            return "{" + ", ".join(f"{key!r}: {text}" for key, text in pairs) + "}"
        return f"{self.cls.__name__}({', '.join(inside)})"

    def __repr__(self) -> str:
        return f"Structure({self})"


_NONE = object()
_LEAF = Structure(None)


def _walk(given: object, is_leaf: _IsLeaf, found: list[Any]) -> Structure:
    kind = None if is_leaf is not None and is_leaf(given) else kind_of(given)
    if kind is None:
        found.append(given)
        return _LEAF
    children, known = kind.parts(given)
    return Structure(
        type(given), known, tuple([_walk(child, is_leaf, found) for child in children])
    )


def _walk_with_path(
    given: object,
    is_leaf: Callable[[KeyPath, Any], bool] | None,
    path: KeyPath,
    found: list[tuple[KeyPath, Any]],
) -> Structure:
    kind = None if is_leaf is not None and is_leaf(path, given) else kind_of(given)
    if kind is None:
        found.append((path, given))
        return _LEAF
    children, known = kind.parts(given)
    steps = zip(kind.keys(given), children, strict=True)
    inside = tuple(_walk_with_path(child, is_leaf, (*path, key), found) for key, child in steps)
    return Structure(type(given), known, inside)


def flatten_with_path(
    tree: Tree, is_leaf: Callable[..., bool] | None = None, is_leaf_takes_path: bool = False
) -> tuple[list[tuple[KeyPath, Any]], Structure]:
    """The leaves with their paths, and the structure around them.

    With ``is_leaf_takes_path`` the function ``is_leaf`` gets the path, too, before the value.

    >>> flatten_with_path({"w": (1, 2)})[0][1]
    ((DictKey(key='w'), SequenceKey(idx=1)), 2)
    """
    found: list[tuple[KeyPath, Any]] = []
    asks = is_leaf if is_leaf is None or is_leaf_takes_path else lambda _, value: is_leaf(value)
    made = _walk_with_path(tree, asks, (), found)
    return found, made


def path_text(path: KeyPath) -> str:
    """A path as it would be written after the tree's name.

    >>> path_text((DictKey("w"), SequenceKey(0)))
    "['w'][0]"
    """
    return "".join([str(key) for key in path])


def flatten(tree: Tree, is_leaf: _IsLeaf = None) -> tuple[list[Any], Structure]:
    """The leaves in order, and the structure around them.

    >>> flatten([1, (2, None)])
    ([1, 2], Structure([*, (*, None)]))
    """
    found: list[Any] = []
    made = _walk(tree, is_leaf, found)
    return found, made


def unflatten(treedef: Structure, leaves: Iterable[object]) -> Tree:
    """Put a tree together.

    >>> unflatten(structure((1, 2)), [3, 4])
    (3, 4)
    """
    return treedef.unflatten(leaves)


def leaves(tree: Tree, is_leaf: _IsLeaf = None) -> list[Any]:
    """The leaves in order.

    >>> leaves({"b": 1, "a": (2, 3)})
    [2, 3, 1]
    """
    return flatten(tree, is_leaf)[0]


def leaves_with_path(
    tree: Tree, is_leaf: Callable[..., bool] | None = None, is_leaf_takes_path: bool = False
) -> list[tuple[KeyPath, Any]]:
    """The leaves in order, each with its path.

    >>> leaves_with_path([5])
    [((SequenceKey(idx=0),), 5)]
    """
    return flatten_with_path(tree, is_leaf, is_leaf_takes_path)[0]


def structure(tree: Tree, is_leaf: _IsLeaf = None) -> Structure:
    """The containers without the leaves.

    >>> structure({"a": 1})
    Structure({'a': *})
    """
    return flatten(tree, is_leaf)[1]


def _children_like(made: Structure, tree: Tree, path: KeyPath) -> list[Any]:
    """What stands in a tree at the places of the leaves of a structure."""
    if made.cls is None:
        return [tree]
    kind = kind_of(tree)
    if kind is None or type(tree) is not made.cls:
        raise ValueError(
            f"trees differ at {path_text(path) or 'the root'}: {made} and {type(tree).__name__}"
        )
    parts, known = kind.parts(tree)
    children = list(parts)
    if known != made.known or len(children) != len(made.inside):
        raise ValueError(
            f"trees differ at {path_text(path) or 'the root'}: {made} and {structure(tree)}"
        )
    found = []
    for child, key, value in zip(made.inside, kind.keys(tree), children, strict=True):
        found += _children_like(child, value, (*path, key))
    return found


def map(f: Callable[..., Any], tree: Tree, *rest: object, is_leaf: _IsLeaf = None) -> Tree:
    """Apply a function to each leaf, or to the leaves of several trees at the same places.

    >>> map(lambda x, y: x + y, (1, 2), (10, 20))
    (11, 22)
    """
    first, made = flatten(tree, is_leaf)
    others = [_children_like(made, other, ()) for other in rest]
    return made.unflatten(f(*group) for group in zip(first, *others, strict=True))


def map_with_path(
    f: Callable[..., Any],
    tree: Tree,
    *rest: object,
    is_leaf: Callable[..., bool] | None = None,
    is_leaf_takes_path: bool = False,
) -> Tree:
    """The same, with the path as the first argument.

    >>> map_with_path(lambda path, x: path_text(path), {"a": 1})
    {'a': "['a']"}
    """
    found, made = flatten_with_path(tree, is_leaf, is_leaf_takes_path)
    others = [_children_like(made, other, ()) for other in rest]
    groups = zip(found, *others, strict=True)
    return made.unflatten(f(path, leaf, *more) for (path, leaf), *more in groups)


def reduce(
    function: Callable[[Any, Any], Any],
    tree: Tree,
    initializer: object = _NONE,
    is_leaf: _IsLeaf = None,
) -> Tree:
    """Combine the leaves, the first ones first.

    >>> reduce(lambda a, b: a + b, {"a": 1, "b": [2, 3]})
    6
    """
    found = leaves(tree, is_leaf)
    return (
        functools.reduce(function, found)
        if initializer is _NONE
        else functools.reduce(function, found, initializer)
    )


def reduce_associative(
    operation: Callable[[Any, Any], Any],
    tree: Tree,
    *,
    identity: object = _NONE,
    is_leaf: _IsLeaf = None,
) -> Tree:
    """Combine the leaves in pairs, then the results: a logarithm of steps one after the other.

    >>> reduce_associative(lambda a, b: a + b, {"a": 1, "b": [2, 3]})
    6
    """
    found = leaves(tree, is_leaf)
    if not found:
        if identity is _NONE:
            raise ValueError("reduce_associative: there are no leaves, and no identity")
        return identity
    while len(found) > 1:
        joined = [operation(a, b) for a, b in zip(found[::2], found[1::2], strict=False)]
        found = joined + found[2 * len(joined) :]
    return found[0]


def broadcast(prefix_tree: Tree, full_tree: Tree, is_leaf: _IsLeaf = None) -> Tree:
    """A tree like ``full_tree``, with what stands in a prefix of it at all leaves below.

    >>> broadcast({"a": 1, "b": 2}, {"a": (0, 0), "b": [0]})
    {'a': (1, 1), 'b': [2]}
    """
    values, made = flatten(prefix_tree, is_leaf)
    below = [structure(part, is_leaf) for part in _children_like(made, full_tree, ())]
    filled = [
        part.unflatten([value] * part.num_leaves) for part, value in zip(below, values, strict=True)
    ]
    return made.unflatten(filled)


def all(tree: Tree, is_leaf: _IsLeaf = None) -> bool:
    """Whether every leaf is true.

    >>> all([True, (1, 0)])
    False
    """
    return not any(not leaf for leaf in leaves(tree, is_leaf))


def transpose(
    outer_treedef: Structure, inner_treedef: Structure | None, pytree_to_transpose: Tree
) -> Tree:
    """A tree of trees inside out. TypeError where it is no such tree.

    >>> transpose(structure([1, 2]), structure((1, 2)), [(1, 2), (3, 4)])
    ([1, 3], [2, 4])
    """
    outer, inner = outer_treedef, inner_treedef
    try:
        inside = _children_like(outer, pytree_to_transpose, ())
        if inner is None:
            inner = structure(inside[0])
        rows = [_children_like(inner, one, ()) for one in inside]
    except ValueError as error:
        # Nodes of classes that know what is inside of them differ from those of the outer tree.
        flat = leaves(pytree_to_transpose)
        if inner is None or len(flat) != outer.num_leaves * inner.num_leaves:
            raise TypeError(f"transpose: {error}") from None
        step = inner.num_leaves
        rows = [flat[i : i + step] for i in range(0, len(flat), step)]
    return inner.unflatten(outer.unflatten(column) for column in zip(*rows, strict=True))


publish(__name__, *(getattr(nodes, name) for name in nodes.__all__))
