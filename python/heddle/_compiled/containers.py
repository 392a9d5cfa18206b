"""Lists and dictionaries of typed elements that compiled functions and Python share."""

from __future__ import annotations

import dataclasses
from collections.abc import (
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
    MutableSequence,
    Sequence,
)
from typing import Any, overload

import numpy as np

from heddle._compiled.shared import numbered
from heddle.simt._dtypes import NAMES

_PLAIN = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}
_SAYS = (
    "has numbers, and tuples of numbers, of one type: for other things use an array, "
    "or several lists"
)


def _type_of(value: object) -> np.dtype[Any] | None:
    """The type of a number; None for what is none."""
    plain = _PLAIN.get(type(value))
    if plain is not None:
        return np.dtype(plain)
    dtype = getattr(value, "dtype", None)
    if dtype is None or getattr(value, "shape", None) != ():
        return None
    return np.dtype(dtype) if np.dtype(dtype).name in NAMES else None


def types_of(value: object, what: str) -> tuple[bool, list[np.dtype[Any]]]:
    """Whether an element is a tuple, and the types of its numbers."""
    pairs = isinstance(value, tuple)
    items = list(value) if isinstance(value, tuple) else [value]
    found = [_type_of(item) for item in items]
    made = [dtype for dtype in found if dtype is not None]
    if not items or len(made) < len(items):
        given = "a tuple of other things" if pairs else type(value).__name__
        raise TypeError(f"{what} {_SAYS}, not {given}")
    return pairs, made


def named_types(given: Any, what: str) -> tuple[bool, list[np.dtype[Any]]]:
    """The same of a type of Numba's: a number's, or a tuple's of numbers."""
    inner = getattr(given, "types", None)
    names = [getattr(one, "_simt_dtype", None) for one in ([given] if inner is None else inner)]
    if not names or any(name is None for name in names):
        raise TypeError(f"{what} {_SAYS}, not {given}")
    return inner is not None, [np.dtype(name) for name in names]


class List(MutableSequence[Any]):
    """A list whose elements are of one type, and which compiled functions change in place.

    Elements are numbers, or tuples of numbers. Without a type it has that of the first element.

    Examples
    --------
    >>> from heddle.numba import njit
    >>> from heddle.numba.typed import List
    >>> @njit
    ... def double(items):
    ...     for i in range(len(items)):
    ...         items[i] *= 2
    ...     items.append(0)
    >>> items = List([1, 2, 3])
    >>> double(items)
    >>> items
    ListType[int64]([2, 4, 6, 0])
    """

    _simt_fields = ("_count", "_parts")

    def __init__(self, iterable: Iterable[Any] = ()) -> None:
        self._count = np.zeros(2, np.int64)  # who it is, and how many elements it has
        self._count[0] = numbered(self)
        self._rows: list[np.ndarray[Any, Any]] = []
        self._pairs = False
        for item in iterable:
            self.append(item)

    @classmethod
    def empty_list(cls, item_type: Any, allocated: int = 0) -> List:
        """A list without elements, of a type of Numba's.

        Examples
        --------
        >>> from heddle.numba import typed, types
        >>> len(typed.List.empty_list(types.float64))
        0
        """
        made = cls()
        made._begin(*named_types(item_type, "typed.List"), allocated)
        return made

    def _begin(self, pairs: bool, types: list[np.dtype[Any]], room: int) -> None:
        self._pairs = pairs
        self._rows = [np.zeros(max(room, 8), dtype) for dtype in types]

    @property
    def _parts(self) -> Any:
        """What functions are given: a row of elements, or one for each item of tuples."""
        if not self._rows:
            raise TypeError("an empty list without a type: use List.empty_list(type)")
        return tuple(self._rows) if self._pairs else self._rows[0]

    def put_back(self, count: int, *rows: Any) -> None:
        """What a function has left in it."""
        self._count[1] = count
        self._rows = list(rows)

    def itself(self) -> Any:
        """What it is to Python."""
        return self

    def _stored(self, value: object) -> list[Any]:
        pairs, types = types_of(value, "typed.List")
        if not self._rows:
            self._begin(pairs, types, 8)
        fits = pairs == self._pairs and len(types) == len(self._rows)
        if not fits or not all(
            np.can_cast(a, row.dtype, "same_kind") for a, row in zip(types, self._rows, strict=True)
        ):
            raise TypeError(f"{value!r} is no element of a list of {self._type()}")
        return list(value) if isinstance(value, tuple) else [value]

    def _type(self) -> str:
        names = ", ".join(row.dtype.name for row in self._rows)
        return f"Tuple({names})" if self._pairs else names or "undefined"

    def _place(self, index: int) -> int:
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError("list index out of range")
        return place

    def __len__(self) -> int:
        return int(self._count[1])

    def _element(self, place: int) -> Any:
        items = tuple(row[place].item() for row in self._rows)
        return items if self._pairs else items[0]

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> List: ...

    def __getitem__(self, index: int | slice) -> Any:
        if not isinstance(index, slice):
            return self._element(self._place(index))
        made = List()
        made._take(self._pairs, [row[: len(self)][index] for row in self._rows])
        return made

    def _take(self, pairs: bool, rows: list[np.ndarray[Any, Any]]) -> None:
        self._pairs, self._rows = pairs, [row.copy() for row in rows]
        self._count[1] = len(self._rows[0]) if self._rows else 0

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            items = list(self)
            items[index] = value
            self.clear()
            self.extend(items)
            return
        place = self._place(index)
        for row, item in zip(self._rows, self._stored(value), strict=True):
            row[place] = item

    def __delitem__(self, index: Any) -> None:
        where = index if isinstance(index, slice) else self._place(index)
        self._take(self._pairs, [np.delete(row[: len(self)], where) for row in self._rows])

    def __iter__(self) -> Iterator[Any]:
        columns = [row[: len(self)].tolist() for row in self._rows]
        return (
            iter(zip(*columns, strict=True)) if self._pairs else iter(columns[0] if columns else ())
        )

    def append(self, value: Any) -> None:
        """Adds an element at the end."""
        items = self._stored(value)
        count = len(self)
        for i, item in enumerate(items):
            if count == len(self._rows[i]):
                self._rows[i] = np.resize(self._rows[i], 2 * count + 8)
            self._rows[i][count] = item
        self._count[1] = count + 1

    def insert(self, index: int, value: Any) -> None:
        """Adds an element before a place."""
        items = self._stored(value)
        start = slice(index, None).indices(len(self))[0]
        rows = zip(self._rows, items, strict=True)
        self._take(self._pairs, [np.insert(row[: len(self)], start, item) for row, item in rows])

    def clear(self) -> None:
        """Takes all elements out; it keeps their type."""
        self._count[1] = 0

    def copy(self) -> List:
        """A list of the same elements."""
        return self[:]

    def sort(self, key: Any = None, reverse: bool = False) -> None:
        """Sorts it in place."""
        for place, item in enumerate(sorted(self, key=key, reverse=reverse)):
            self[place] = item

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (List, list)) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return _list_again, (self._pairs, [row[: len(self)] for row in self._rows])

    def __repr__(self) -> str:
        return f"ListType[{self._type()}]({list(self)!r})"


def _list_again(pairs: bool, rows: list[np.ndarray[Any, Any]]) -> List:
    made = List()
    made._take(pairs, rows)
    return made


def list_of_rows(inner: Any) -> List:
    """What a function has made: a row of numbers, or one for each item of tuples."""
    return _list_again(False, list(inner))


def list_of_tuples(inner: Any) -> List:
    """The same of tuples."""
    return _list_again(True, list(inner))


class _Reflected(List):
    """A list of Python's while a function has it."""

    def __init__(self, given: list[Any]) -> None:
        super().__init__()
        self._given = given
        if not given:
            raise TypeError(
                "an empty list has no type: give typed.List.empty_list(type), or an array"
            )
        for item in given:
            if isinstance(item, list):
                raise TypeError(
                    "a list of lists is no argument: give an array, np.array(x), or typed lists"
                )
        pairs, types = types_of(given[0], "a list that is an argument")
        count = len(types)
        for item in given[1:]:
            also, more = types_of(item, "a list that is an argument")
            if also != pairs or len(more) != count or more != types:
                raise TypeError("the elements of a list that is an argument are of one type")
        columns = zip(*given, strict=True) if pairs else [given]
        self._pairs = pairs
        rows = zip(columns, types, strict=True)
        self._rows = [np.array(column, dtype) for column, dtype in rows]
        self._count[1] = len(given)

    def put_back(self, count: int, *rows: Any) -> None:
        super().put_back(count, *rows)
        self._given[:] = list(self)

    def itself(self) -> Any:
        return self._given


def of_list(given: list[Any]) -> List:
    """A list of Python's, as functions are given it: what they change is put back."""
    return _Reflected(given)


class Dict(MutableMapping[Any, Any]):
    """A dictionary whose keys are of one type, and its values, which compiled functions change.

    Both are numbers, or tuples of numbers. Without types it has those of the first entry.

    Examples
    --------
    >>> from heddle.numba import njit, types
    >>> from heddle.numba.typed import Dict
    >>> @njit
    ... def count(items, found):
    ...     for item in items:
    ...         found[item] = found.get(item, 0) + 1
    >>> found = Dict.empty(types.int64, types.int64)
    >>> count([3, 1, 3], found)
    >>> found
    {3: 2, 1: 1}
    """

    _simt_fields = ("_count", "_rows")

    def __init__(self, others: Mapping[Any, Any] | Iterable[tuple[Any, Any]] = ()) -> None:
        # Who it is, how many entries its rows have, and how many of these are still there.
        self._count = np.zeros(3, np.int64)
        self._count[0] = numbered(self)
        self._types: list[tuple[bool, list[np.dtype[Any]]]] = []  # of keys, and of values
        self._known: dict[Any, Any] | None = {}  # None: functions have changed the rows
        self._arrays: list[Any] = []  # none: they are not made yet
        self._lent = False  # a function has them: one that fails does not put them back
        self.update(others)

    @classmethod
    def empty(cls, key_type: Any, value_type: Any, n_keys: int = 0) -> Dict:
        """One without entries, of Numba's types.

        ``n_keys`` says how many are expected, which nothing here needs: it grows by itself.

        Examples
        --------
        >>> from heddle.numba import typed, types
        >>> len(typed.Dict.empty(types.int64, types.float64))
        0
        """
        made = cls()
        made._types = [named_types(given, "typed.Dict") for given in (key_type, value_type)]
        return made

    @property
    def _rows(self) -> tuple[Any, ...]:
        """What functions are given: a table of hashes, what is there, keys and values."""
        if not self._types:
            raise TypeError("an empty dictionary without types: use Dict.empty(key, value)")
        known = self._entries() if self._lent or not self._arrays else {}
        if not self._arrays:
            parts: list[Any] = [np.zeros(0, np.int64), np.ones(max(8, len(known)), np.uint8)]
            both = (list(known), list(known.values()))
            for (pairs, types), items in zip(self._types, both, strict=True):
                columns = list(zip(*items, strict=True)) if pairs else [items]
                for i, dtype in enumerate(types):
                    row = np.zeros(len(parts[1]), dtype)
                    row[: len(known)] = columns[i] if known else 0
                    parts.append(row)
            self._arrays = parts
            self._count[1:] = len(known)
        self._lent = True
        keys, values = self._split(self._arrays[2:])
        return (*self._arrays[:2], keys, values)

    def _split(self, rows: list[Any]) -> tuple[Any, Any]:
        (pairs, keys), (value_pairs, _) = self._types
        first, second = rows[: len(keys)], rows[len(keys) :]
        return tuple(first) if pairs else first[0], tuple(second) if value_pairs else second[0]

    def put_back(self, count: int, live: int, *arrays: Any) -> None:
        """What a function has left in it."""
        self._count[1:] = count, live
        self._arrays, self._known, self._lent = list(arrays), None, False

    def itself(self) -> Any:
        """What it is to Python."""
        return self

    def _entries(self) -> dict[Any, Any]:
        if self._lent:
            self._known, self._lent = None, False
            self._known, self._arrays = self._entries(), []
        if self._known is None:
            alive = self._arrays[1][: self._count[1]] != 0
            columns = [row[: self._count[1]][alive].tolist() for row in self._arrays[2:]]
            self._known = _entries_of(columns, *(len(t) if p else 0 for p, t in self._types))
        return self._known

    def __getitem__(self, key: Any) -> Any:
        return self._entries()[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        found = [types_of(one, "typed.Dict") for one in (key, value)]
        if not self._types:
            self._types = found
        made = []
        for one, (pairs, types), (own, given) in zip((key, value), self._types, found, strict=True):
            fits = own == pairs and len(given) == len(types)
            if not fits or not all(map(_is_near, given, types)):
                raise TypeError(f"{one!r} does not fit into a dictionary of {self._type()}")
            items = one if pairs else (one,)
            plain = [t.type(item).item() for t, item in zip(types, items, strict=True)]
            made.append(tuple(plain) if pairs else plain[0])
        self._entries()[made[0]] = made[1]
        self._arrays = []

    def __delitem__(self, key: Any) -> None:
        del self._entries()[key]
        self._arrays = []

    def __iter__(self) -> Iterator[Any]:
        return iter(self._entries())

    def __len__(self) -> int:
        return len(self._entries())

    def __contains__(self, key: object) -> bool:
        return key in self._entries()

    def copy(self) -> Dict:
        """A dictionary of the same entries."""
        return _dict_again(self._types, dict(self._entries()))

    def _type(self) -> str:
        names = [", ".join(t.name for t in types) for _, types in self._types]
        return ",".join(
            f"Tuple({n})" if pairs else n for n, (pairs, _) in zip(names, self._types, strict=True)
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _dict_again, (self._types, self._entries())

    def __repr__(self) -> str:
        return repr(self._entries())


def _is_near(given: np.dtype[Any], own: np.dtype[Any]) -> bool:
    return bool(np.can_cast(given, own, "same_kind"))


def _entries_of(columns: list[list[Any]], keys: int, values: int) -> dict[Any, Any]:
    """A dictionary of rows; `keys`, `values`: how many numbers their tuples have, 0: none."""
    split = max(1, keys)
    first = list(zip(*columns[:split], strict=True)) if keys else columns[0]
    second = list(zip(*columns[split:], strict=True)) if values else columns[split]
    return dict(zip(first, second, strict=True))


def _dict_again(types: list[tuple[bool, list[np.dtype[Any]]]], known: dict[Any, Any]) -> Dict:
    made = Dict()
    made._types, made._known = types, known
    return made


@dataclasses.dataclass(frozen=True)
class DictOf:
    """Makes a dictionary of the rows that a function gives: a typed one, or Python's."""

    keys: int
    values: int
    typed: bool

    def __call__(self, inner: Any) -> Any:
        known = _entries_of([row.tolist() for row in inner], self.keys, self.values)
        if not self.typed:
            return known
        split = max(1, self.keys)
        types = [[row.dtype for row in rows] for rows in (inner[:split], inner[split:])]
        return _dict_again([(self.keys > 0, types[0]), (self.values > 0, types[1])], known)


def _need_host(s: Any, node: Any) -> None:
    if not s.host:
        raise s.error(node, "typed containers are for compiled functions; kernels have arrays")


def _by_name(
    s: Any, args: list[Any], keywords: dict[str, Any], names: Sequence[str], what: str, node: Any
) -> list[Any]:
    """Arguments in the order of their names; an error for those that there are not."""
    given = dict(zip(names, args, strict=False))
    twice = [name for name in keywords if name in given or name not in names]
    if len(args) > len(names) or twice:
        raise s.error(node, f"{what} takes {', '.join(names)}")
    given |= keywords
    return [given.get(name) for name in names]


def _new_dict(s: Any, args: list[Any], keywords: dict[str, Any], node: Any) -> Any:
    """A call of the class in a compiled function."""
    _need_host(s, node)
    if keywords or len(args) > 1:
        raise s.error(node, "typed.Dict takes a dictionary, or nothing")
    made = s.new_dictionary(args[0] if args else None, node)
    made.kinds = DictOf
    return made


def _new_empty_dict(s: Any, args: list[Any], keywords: dict[str, Any], node: Any) -> Any:
    _need_host(s, node)
    # Where it begins to grow makes no difference to anybody.
    *given, _ = _by_name(
        s, args, keywords, ("key_type", "value_type", "n_keys"), "Dict.empty", node
    )
    if None in given:
        raise s.error(node, "Dict.empty takes the types of keys and values")
    try:
        types = [named_types(s._plain(one, node), "typed.Dict") for one in given]
    except TypeError as error:
        raise s.error(node, str(error)) from error
    numbers = [(pairs, [NAMES.index(t.name) for t in found]) for pairs, found in types]
    return s.new_dictionary(None, node, numbers)


Dict._simt_call = staticmethod(_new_dict)  # type: ignore[attr-defined]
Dict.empty.__func__._simt_call = _new_empty_dict  # type: ignore[attr-defined]


def _new(s: Any, args: list[Any], keywords: dict[str, Any], node: Any) -> Any:
    """A call of the class in a compiled function."""
    _need_host(s, node)
    if keywords or len(args) > 1:
        raise s.error(node, "typed.List takes elements, or nothing")
    return s.typed_list(args[0] if args else None, node)


def _new_empty(s: Any, args: list[Any], keywords: dict[str, Any], node: Any) -> Any:
    _need_host(s, node)
    item_type, _ = _by_name(s, args, keywords, ("item_type", "allocated"), "List.empty_list", node)
    if item_type is None:
        raise s.error(node, "List.empty_list takes a type, and for how many elements there is room")
    try:
        pairs, types = named_types(s._plain(item_type, node), "typed.List")
    except TypeError as error:
        raise s.error(node, str(error)) from error
    return s.typed_list(None, node, pairs, [NAMES.index(t.name) for t in types])


List._simt_call = staticmethod(_new)  # type: ignore[attr-defined]
List.empty_list.__func__._simt_call = _new_empty  # type: ignore[attr-defined]
List._simt_kinds = (list_of_rows, list_of_tuples)  # type: ignore[attr-defined]
