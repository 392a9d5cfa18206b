"""Which classes are inner nodes of trees, and what the steps of a path are: for `heddle.tree`."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

__all__ = [
    "DictKey",
    "FlattenedIndexKey",
    "GetAttrKey",
    "SequenceKey",
    "register_dataclass",
    "register_pytree_node",
    "register_pytree_node_class",
    "register_pytree_with_keys",
    "register_pytree_with_keys_class",
    "register_static",
]

_T = TypeVar("_T", bound=type)
_FlattenWithKeys = Callable[[Any], tuple[Iterable[tuple[Any, Any]], Hashable]]


@dataclasses.dataclass(frozen=True)
class DictKey:
    """A step of a path: a key of a dictionary.

    >>> import heddle as np
    >>> print(np.tree.DictKey("w"))
    ['w']
    """

    key: Hashable

    def __str__(self) -> str:
        return f"[{self.key!r}]"


@dataclasses.dataclass(frozen=True)
class SequenceKey:
    """A step of a path: a place in a tuple or a list.

    >>> import heddle as np
    >>> print(np.tree.SequenceKey(1))
    [1]
    """

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"


@dataclasses.dataclass(frozen=True)
class GetAttrKey:
    """A step of a path: an attribute.

    >>> import heddle as np
    >>> print(np.tree.GetAttrKey("x"))
    .x
    """

    name: str

    def __str__(self) -> str:
        return f".{self.name}"


@dataclasses.dataclass(frozen=True)
class FlattenedIndexKey:
    """A step of a path: a child of a registered class that does not say what it is called.

    >>> import heddle as np
    >>> print(np.tree.FlattenedIndexKey(0))
    [<flat index 0>]
    """

    key: int

    def __str__(self) -> str:
        return f"[<flat index {self.key}>]"


KeyPath = tuple[Any, ...]  # one of the four for each step, or what a registered class says


class Kind(NamedTuple):
    """How a class is taken apart and put together."""

    # The children, and what else there is to know.
    parts: Callable[[Any], tuple[Iterable[Any], Hashable]]
    keys: Callable[[Any], Iterable[Any]]  # of the children, in a path
    made_of: Callable[[Hashable, list[Any]], Any]


def _sorted_keys(given: dict[Any, Any]) -> list[str]:
    try:
        return sorted(given)
    except TypeError:
        raise TypeError(
            f"a dictionary in a tree needs keys that can be sorted: {list(given)}"
        ) from None


class Keys(tuple[Any, ...]):
    """The sorted keys of a dictionary that has them in another order, and that order.

    Dictionaries of equal keys are alike; what is made like one has its order, as code that goes
    through its values expects.
    """

    order: tuple[Any, ...]


def _dict_parts(given: dict[Any, Any]) -> tuple[list[Any], tuple[Any, ...]]:
    keys = _sorted_keys(given)
    known = tuple(keys)
    if keys != (order := list(given)):
        known = Keys(keys)
        known.order = tuple(order)
    return [given[key] for key in keys], known


def _items(keys: Any, children: Sequence[object]) -> Iterable[tuple[Any, Any]]:
    if not isinstance(keys, Keys):
        return zip(keys, children, strict=True)
    by_key = dict(zip(keys, children, strict=True))
    return ((key, by_key[key]) for key in keys.order)


def _dict_keys(given: dict[Any, Any]) -> list[DictKey]:
    return [DictKey(key) for key in _sorted_keys(given)]


def _default_parts(given: Any) -> tuple[list[Any], Hashable]:
    children, keys = _dict_parts(given)
    return children, (given.default_factory, keys)


def _made_default(known: Any, children: Sequence[object]) -> collections.defaultdict[Any, Any]:
    return collections.defaultdict(known[0], _items(known[1], children))


def _places(given: Iterable[object]) -> list[SequenceKey]:
    return [SequenceKey(i) for i, _ in enumerate(given)]


KINDS: dict[type, Kind] = {
    tuple: Kind(lambda given: (given, None), _places, lambda _, children: tuple(children)),
    list: Kind(lambda given: (given, None), _places, lambda _, children: children),
    dict: Kind(_dict_parts, _dict_keys, lambda keys, children: dict(_items(keys, children))),
    collections.OrderedDict: Kind(
        lambda given: (list(given.values()), tuple(given)),
        lambda given: [DictKey(key) for key in given],
        lambda keys, children: collections.OrderedDict(zip(keys, children, strict=True)),  # type: ignore[call-overload]
    ),
    collections.defaultdict: Kind(_default_parts, _dict_keys, _made_default),
    type(None): Kind(lambda _: ((), None), lambda _: (), lambda _, __: None),
}


# Classes that are made of named fields alone; the core takes them apart, too.
FIELDS: dict[type, tuple[str, ...]] = {}


def _kind_of_fields(cls: type, fields: tuple[str, ...], others: tuple[str, ...] = ()) -> Kind:
    def parts(given: object) -> tuple[list[Any], Hashable]:
        known = tuple(getattr(given, name) for name in others)
        return [getattr(given, name) for name in fields], known

    def made_of(known: Any, children: Sequence[object]) -> Any:
        named = dict(zip(fields, children, strict=True)) | dict(zip(others, known, strict=True))
        return cls(**named)

    FIELDS.pop(cls, None)
    if not others:
        FIELDS[cls] = fields
    return Kind(parts, lambda _: [GetAttrKey(name) for name in fields], made_of)


def is_named_tuple(cls: type) -> bool:
    """Whether a class is one of tuples whose elements have names."""
    return issubclass(cls, tuple) and hasattr(cls, "_fields")


def kind_of(given: object) -> Kind | None:
    """How an object is taken apart; None for a leaf."""
    cls = type(given)
    found = KINDS.get(cls)
    if found is not None:
        return found
    if is_named_tuple(cls):
        KINDS[cls] = _kind_of_fields(cls, cls._fields)  # type: ignore[attr-defined]
    elif dataclasses.is_dataclass(cls):
        register_dataclass(cls)
    else:
        return None
    return KINDS[cls]


def register_pytree_node(
    nodetype: type,
    flatten_func: Callable[[Any], tuple[Iterable[Any], Hashable]],
    unflatten_func: Callable[[Any, Any], Any],
    flatten_with_keys_func: _FlattenWithKeys | None = None,
) -> None:
    """Make a class an inner node: it is taken apart into children and something that is known.

    ``flatten_with_keys_func`` gives pairs of a key for paths and a child instead of children.

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

    def numbered(given: object) -> list[FlattenedIndexKey]:
        return [FlattenedIndexKey(i) for i, _ in enumerate(flatten_func(given)[0])]

    def named(given: object) -> list[Any]:
        assert flatten_with_keys_func is not None
        return [key for key, _ in flatten_with_keys_func(given)[0]]

    FIELDS.pop(nodetype, None)
    KINDS[nodetype] = Kind(
        flatten_func,
        numbered if flatten_with_keys_func is None else named,
        lambda known, children: unflatten_func(known, tuple(children)),
    )


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


def register_pytree_with_keys(
    nodetype: type,
    flatten_with_keys: _FlattenWithKeys,
    unflatten_func: Callable[[Any, Any], Any],
    flatten_func: Callable[[Any], tuple[Iterable[Any], Hashable]] | None = None,
) -> None:
    """Make a class an inner node whose children have keys, by which paths call them.

    Examples
    --------
    >>> import heddle as np
    >>> class Named:
    ...     def __init__(self, a):
    ...         self.a = a
    >>> np.tree.register_pytree_with_keys(
    ...     Named,
    ...     lambda it: (((np.tree.GetAttrKey("a"), it.a),), None),
    ...     lambda _, parts: Named(*parts),
    ... )
    >>> np.tree.path_text(np.tree.leaves_with_path([Named(1)])[0][0])
    '[0].a'
    """

    def without_keys(given: object) -> tuple[list[Any], Hashable]:
        children, known = flatten_with_keys(given)
        return [child for _, child in children], known

    register_pytree_node(nodetype, flatten_func or without_keys, unflatten_func, flatten_with_keys)


def register_pytree_with_keys_class(cls: _T) -> _T:
    """The same for a class with ``tree_flatten_with_keys`` and ``tree_unflatten``; a decorator.

    Examples
    --------
    >>> import heddle as np
    >>> @np.tree.register_pytree_with_keys_class
    ... class Point:
    ...     def __init__(self, x):
    ...         self.x = x
    ...     def tree_flatten_with_keys(self):
    ...         return ((np.tree.GetAttrKey("x"), self.x),), None
    ...     @classmethod
    ...     def tree_unflatten(cls, data, parts):
    ...         return cls(*parts)
    >>> np.tree.leaves_with_path(Point(3))
    [((GetAttrKey(name='x'),), 3)]
    """
    plain = (lambda given: given.tree_flatten()) if hasattr(cls, "tree_flatten") else None
    register_pytree_with_keys(
        cls,
        lambda given: given.tree_flatten_with_keys(),
        cls.tree_unflatten,  # type: ignore[attr-defined]
        plain,
    )
    return cls


def register_static(cls: _T) -> _T:
    """Make a class a node without leaves: its objects are part of the structure; a decorator.

    >>> import heddle as np
    >>> @np.tree.register_static
    ... class Name(str):
    ...     pass
    >>> np.tree.leaves((1, Name("a")))
    [1]
    """
    register_pytree_node(cls, lambda given: ((), given), lambda known, _: known)
    return cls


def register_dataclass(
    nodetype: _T,
    data_fields: Iterable[str] | None = None,
    meta_fields: Iterable[str] | None = None,
    drop_fields: Iterable[str] = (),
) -> _T:
    """Say which fields of a dataclass are children, and which are known: part of the structure.

    Where nothing is said, fields with ``metadata={"static": True}`` are known, as in classes that
    nobody registered. ``drop_fields`` are neither: objects are made without them.

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
    known, dropped = tuple(meta_fields or ()), tuple(drop_fields)
    data_fields = None if data_fields is None else tuple(data_fields)
    both = sorted({*(data_fields or ())} & {*known})
    if both:
        raise ValueError(f"register_dataclass: {both} are data_fields and meta_fields")
    if dataclasses.is_dataclass(nodetype):
        found = [f for f in dataclasses.fields(nodetype) if f.init and f.name not in dropped]
        if meta_fields is None and data_fields is None:
            known = tuple(f.name for f in found if f.metadata.get("static", False))
        if data_fields is None:
            data_fields = tuple(f.name for f in found if f.name not in known)
        said, wanted = {*data_fields, *known}, {f.name for f in found}
        if said != wanted:
            raise ValueError(
                f"register_dataclass: data_fields and meta_fields of {nodetype.__name__} have to "
                f"be the fields that it is made of, {sorted(wanted)}, not {sorted(said)}"
            )
    elif data_fields is None:
        raise TypeError(
            f"register_dataclass: {nodetype.__name__} is no dataclass: data_fields are needed"
        )
    KINDS[nodetype] = _kind_of_fields(nodetype, data_fields, known)
    return nodetype
