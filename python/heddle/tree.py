"""Trees of containers with arrays as leaves: what transformations take and give.

Tuples, lists, dictionaries (by sorted keys), named tuples, dataclasses, ``None`` (no leaves) and
registered classes are inner nodes; everything else is a leaf. Fields of dataclasses that are
``dataclasses.field(metadata={"static": True})`` are part of the structure, not leaves.

>>> import heddle as np
>>> np.tree.map(lambda x: x + 1, {"a": 1, "b": (2, 3)})
{'a': 2, 'b': (3, 4)}
"""

from __future__ import annotations

import collections
import dataclasses
import functools
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from heddle._core import ndarray
from heddle._typing import Tree

__all__ = [
    "Structure",
    "all",
    "flatten",
    "flatten_with_path",
    "leaves",
    "leaves_with_path",
    "map",
    "map_with_path",
    "path_text",
    "reduce",
    "register_dataclass",
    "register_pytree_node",
    "register_pytree_node_class",
    "structure",
    "transpose",
    "unflatten",
]

_T = TypeVar("_T", bound=type)
_IsLeaf = Callable[[Any], bool] | None


class _Kind(NamedTuple):
    """How a class is taken apart and put together."""

    # The children with their names in a path, and what else there is to know.
    parts: Callable[[Any], tuple[list[tuple[str, Any]], Hashable]]
    made_of: Callable[[Hashable, list[Any]], Any]


def _sorted_keys(given: dict[Any, Any]) -> list[str]:
    try:
        return sorted(given)
    except TypeError:
        raise TypeError(
            f"a dictionary in a tree needs keys that can be sorted: {list(given)}"
        ) from None


def _dict_parts(given: dict[Any, Any]) -> tuple[list[tuple[str, Any]], Hashable]:
    keys = _sorted_keys(given)
    return [(f"[{key!r}]", given[key]) for key in keys], tuple(keys)


def _ordered_parts(given: dict[Any, Any]) -> tuple[list[tuple[str, Any]], Hashable]:
    return [(f"[{key!r}]", value) for key, value in given.items()], tuple(given)


def _default_parts(given: Any) -> tuple[list[tuple[str, Any]], Hashable]:
    children, keys = _dict_parts(given)
    return children, (given.default_factory, keys)


def _made_default(known: Any, children: Sequence[object]) -> Any:
    return collections.defaultdict(known[0], zip(known[1], children, strict=True))


def _sequence_parts(given: Iterable[object]) -> tuple[list[tuple[str, Any]], Hashable]:
    return [(f"[{i}]", child) for i, child in enumerate(given)], None


_KINDS: dict[type, _Kind] = {
    tuple: _Kind(_sequence_parts, lambda _, children: tuple(children)),
    list: _Kind(_sequence_parts, lambda _, children: children),
    dict: _Kind(_dict_parts, lambda keys, children: dict(zip(keys, children, strict=True))),  # type: ignore[call-overload]
    collections.OrderedDict: _Kind(
        _ordered_parts,
        lambda keys, children: collections.OrderedDict(zip(keys, children, strict=True)),  # type: ignore[call-overload]
    ),
    collections.defaultdict: _Kind(_default_parts, _made_default),
    type(None): _Kind(lambda _: ([], None), lambda _, __: None),
}


# Classes that are made of named fields alone; the core takes them apart, too.
_FIELDS: dict[type, tuple[str, ...]] = {}


def _kind_of_fields(cls: type, fields: tuple[str, ...], others: tuple[str, ...] = ()) -> _Kind:
    def parts(given: object) -> tuple[list[tuple[str, Any]], Hashable]:
        known = tuple(getattr(given, name) for name in others)
        return [(f".{name}", getattr(given, name)) for name in fields], known

    def made_of(known: Any, children: Sequence[object]) -> Any:
        named = dict(zip(fields, children, strict=True)) | dict(zip(others, known, strict=True))
        return cls(**named)

    _FIELDS.pop(cls, None)
    if not others:
        _FIELDS[cls] = fields
    return _Kind(parts, made_of)


def _kind(given: object) -> _Kind | None:
    cls = type(given)
    found = _KINDS.get(cls)
    if found is not None:
        return found
    if isinstance(given, tuple) and hasattr(cls, "_fields"):
        _KINDS[cls] = _kind_of_fields(cls, cls._fields)
    elif dataclasses.is_dataclass(cls):
        register_dataclass(cls)
    else:
        return None
    return _KINDS[cls]


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
    children: tuple[Structure, ...] = ()

    @functools.cached_property
    def num_leaves(self) -> int:
        """How many leaves a tree of this structure has."""
        if self.cls is None:
            return 1
        return sum(child.num_leaves for child in self.children)

    def unflatten(self, leaves: Iterable[object]) -> Any:
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
        return _KINDS[self.cls].made_of(
            self.known, [child._made(leaves) for child in self.children]
        )

    def __str__(self) -> str:
        if self.cls is None:
            return "*"
        if self.cls is type(None):
            return "None"
        inside = [str(child) for child in self.children]
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


def _walk(
    given: object, is_leaf: _IsLeaf, path: tuple[str, ...], found: list[tuple[tuple[str, ...], Any]]
) -> Structure:
    kind = None if is_leaf is not None and is_leaf(given) else _kind(given)
    if kind is None:
        found.append((path, given))
        return _LEAF
    children, known = kind.parts(given)
    inside = tuple(_walk(child, is_leaf, (*path, name), found) for name, child in children)
    return Structure(type(given), known, inside)


def flatten_with_path(
    tree: Tree, is_leaf: _IsLeaf = None
) -> tuple[list[tuple[tuple[str, ...], Any]], Structure]:
    """The leaves with their paths, and the structure around them.

    >>> flatten_with_path({"w": (1, 2)})[0]
    [(("['w']", '[0]'), 1), (("['w']", '[1]'), 2)]
    """
    found: list[tuple[tuple[str, ...], Any]] = []
    made = _walk(tree, is_leaf, (), found)
    return found, made


def path_text(path: tuple[str, ...]) -> str:
    """A path as it would be written after the tree's name.

    >>> path_text(("['w']", "[0]"))
    "['w'][0]"
    """
    return "".join(path)


def flatten(tree: Tree, is_leaf: _IsLeaf = None) -> tuple[list[Any], Structure]:
    """The leaves in order, and the structure around them.

    >>> flatten([1, (2, None)])
    ([1, 2], Structure([*, (*, None)]))
    """
    found, made = flatten_with_path(tree, is_leaf)
    return [leaf for _, leaf in found], made


def unflatten(structure: Structure, leaves: Iterable[object]) -> Any:
    """Put a tree together.

    >>> unflatten(structure((1, 2)), [3, 4])
    (3, 4)
    """
    return structure.unflatten(leaves)


def leaves(tree: Tree, is_leaf: _IsLeaf = None) -> list[Any]:
    """The leaves in order.

    >>> leaves({"b": 1, "a": (2, 3)})
    [2, 3, 1]
    """
    return flatten(tree, is_leaf)[0]


def leaves_with_path(tree: Tree, is_leaf: _IsLeaf = None) -> list[tuple[tuple[str, ...], Any]]:
    """The leaves in order, each with its path.

    >>> leaves_with_path([5])
    [(('[0]',), 5)]
    """
    return flatten_with_path(tree, is_leaf)[0]


def structure(tree: Tree, is_leaf: _IsLeaf = None) -> Structure:
    """The containers without the leaves.

    >>> structure({"a": 1})
    Structure({'a': *})
    """
    return flatten(tree, is_leaf)[1]


def _children_like(made: Structure, tree: Tree, path: tuple[str, ...]) -> list[ndarray]:
    """What stands in a tree at the places of the leaves of a structure."""
    if made.cls is None:
        return [tree]
    kind = _kind(tree)
    if kind is None or type(tree) is not made.cls:
        raise ValueError(
            f"trees differ at {path_text(path) or 'the root'}: {made} and {type(tree).__name__}"
        )
    children, known = kind.parts(tree)
    if known != made.known or len(children) != len(made.children):
        raise ValueError(
            f"trees differ at {path_text(path) or 'the root'}: {made} and {structure(tree)}"
        )
    found = []
    for child, (name, value) in zip(made.children, children, strict=True):
        found += _children_like(child, value, (*path, name))
    return found


def map(f: Callable[..., Any], tree: Any, *rest: Any, is_leaf: _IsLeaf = None) -> Any:
    """Apply a function to each leaf, or to the leaves of several trees at the same places.

    >>> map(lambda x, y: x + y, (1, 2), (10, 20))
    (11, 22)
    """
    first, made = flatten(tree, is_leaf)
    others = [_children_like(made, other, ()) for other in rest]
    return made.unflatten(f(*group) for group in zip(first, *others, strict=True))


def map_with_path(f: Callable[..., Any], tree: Tree, *rest: object, is_leaf: _IsLeaf = None) -> Any:
    """The same, with the path as the first argument.

    >>> map_with_path(lambda path, x: path_text(path), {"a": 1})
    {'a': "['a']"}
    """
    found, made = flatten_with_path(tree, is_leaf)
    others = [_children_like(made, other, ()) for other in rest]
    groups = zip(found, *others, strict=True)
    return made.unflatten(f(path, leaf, *more) for (path, leaf), *more in groups)


def reduce(
    f: Callable[[Any, Any], Any], tree: Tree, initializer: object = _NONE, is_leaf: _IsLeaf = None
) -> Any:
    """Combine the leaves, the first ones first.

    >>> reduce(lambda a, b: a + b, {"a": 1, "b": [2, 3]})
    6
    """
    found = leaves(tree, is_leaf)
    return (
        functools.reduce(f, found)
        if initializer is _NONE
        else functools.reduce(f, found, initializer)
    )


def all(tree: Tree, is_leaf: _IsLeaf = None) -> bool:
    """Whether every leaf is true.

    >>> all([True, (1, 0)])
    False
    """
    return not any(not leaf for leaf in leaves(tree, is_leaf))


def transpose(outer: Structure, inner: Structure | None, tree: Tree) -> Any:
    """A tree of trees inside out.

    >>> transpose(structure([1, 2]), structure((1, 2)), [(1, 2), (3, 4)])
    ([1, 3], [2, 4])
    """
    inside = _children_like(outer, tree, ())
    if inner is None:
        inner = structure(inside[0])
    rows = [_children_like(inner, one, ()) for one in inside]
    return inner.unflatten(outer.unflatten(column) for column in zip(*rows, strict=True))


def register_pytree_node(
    cls: type,
    flatten_func: Callable[[Any], tuple[Iterable[Any], Hashable]],
    unflatten_func: Callable[[Any, Any], Any],
) -> None:
    """Make a class an inner node: it is taken apart into children and something that is known.

    Examples
    --------
    >>> import heddle as np
    >>> class Pair:
    ...     def __init__(self, a, b):
    ...         self.a, self.b = a, b
    >>> np.tree.register_pytree_node(
    ...     Pair, lambda pair: ((pair.a, pair.b), None), lambda _, parts: Pair(*parts)
    ... )
    >>> np.tree.leaves(Pair(1, 2))
    [1, 2]
    """

    def parts(given: object) -> tuple[list[tuple[str, Any]], Hashable]:
        children, known = flatten_func(given)
        return [(f"[{i}]", child) for i, child in enumerate(children)], known

    _FIELDS.pop(cls, None)
    _KINDS[cls] = _Kind(parts, lambda known, children: unflatten_func(known, tuple(children)))


def register_pytree_node_class(cls: _T) -> _T:
    """The same for a class with ``tree_flatten`` and ``tree_unflatten``; a decorator.

    Examples
    --------
    >>> import heddle as np
    >>> @np.tree.register_pytree_node_class
    ... class Point:
    ...     def __init__(self, x):
    ...         self.x = x
    ...     def tree_flatten(self):
    ...         return (self.x,), None
    ...     @classmethod
    ...     def tree_unflatten(cls, data, parts):
    ...         return cls(*parts)
    >>> np.tree.map(lambda x: x + 1, Point(1)).x
    2
    """
    register_pytree_node(cls, lambda given: given.tree_flatten(), cls.tree_unflatten)  # type: ignore[attr-defined]
    return cls


def register_dataclass(
    cls: _T, data_fields: Iterable[str] | None = None, meta_fields: Iterable[str] = ()
) -> _T:
    """Say which fields of a dataclass are children, and which are known: part of the structure.

    Where nothing is said, fields with ``metadata={"static": True}`` are known, as in classes that
    nobody registered.

    Examples
    --------
    >>> import heddle as np
    >>> from dataclasses import dataclass
    >>> @np.tree.register_dataclass
    ... @dataclass
    ... class State:
    ...     position: float
    ...     speed: float
    >>> np.tree.leaves(State(1.0, 2.0))
    [1.0, 2.0]
    """
    known = tuple(meta_fields)
    if data_fields is None:
        found = [field for field in dataclasses.fields(cls) if field.init]  # type: ignore[arg-type]
        known = known or tuple(field.name for field in found if field.metadata.get("static", False))
        data_fields = [field.name for field in found if field.name not in known]
    _KINDS[cls] = _kind_of_fields(cls, tuple(data_fields), known)
    return cls
