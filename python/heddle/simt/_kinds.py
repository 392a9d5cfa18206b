"""What tuples and numbers of compiled functions are outside of them: lists, named tuples, members.

Signatures and results have a number for each class, in this process.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable
from typing import Any

from heddle._compiled.shared import or_none, put_back, same_object
from heddle._compiled.texts import to_text


def list_of(elements: Any) -> list[Any]:
    """A list of the elements of an array."""
    return elements[0].tolist()  # type: ignore[no-any-return]


@dataclasses.dataclass(frozen=True)
class ListOf:
    """Makes a list of tuples, or of what is made of them, of an array for each of their items."""

    kind: Any

    def __call__(self, columns: Any) -> list[Any]:
        rows = zip(*(column.tolist() for column in columns), strict=True)
        if self.kind is tuple or self.kind is list:
            return [self.kind(row) for row in rows]
        return [self.kind(*row) for row in rows]


@dataclasses.dataclass(frozen=True)
class SetOf:
    """Makes a set of numbers, or of tuples of them, of a row for each of their items."""

    pairs: bool

    def __call__(self, columns: Any) -> set[Any]:
        rows = [column.tolist() for column in columns]
        return set(zip(*rows, strict=True)) if self.pairs else set(rows[0])


def text_of(inner: Any) -> str:
    """A text of a row of its characters."""
    return to_text(inner[0])


# These have the same numbers in all processes.
_kinds: list[Any] = [list, list_of, ListOf(tuple), ListOf(list), put_back, same_object, or_none]
_kinds += [SetOf(False), SetOf(True), text_of, slice, range]
SAME_EVERYWHERE = len(_kinds)
_numbers: dict[Any, int] = {kind: number for number, kind in enumerate(_kinds)}


def number_of(kind: Callable[[Any], Any]) -> int:
    """The number of a class, or of a function that makes something of a tuple."""
    if kind not in _numbers:
        _numbers[kind] = len(_kinds)
        _kinds.append(kind)
    return _numbers[kind]


def kind_of(number: int) -> Any:
    """The class that has a number."""
    return _kinds[number]


def names_of(kind: Any) -> tuple[str, ...]:
    """The names of a class's fields."""
    if hasattr(kind, "_simt_fields"):
        return tuple(kind._simt_fields)
    if dataclasses.is_dataclass(kind):
        return tuple(kind.__dataclass_fields__)
    return tuple(kind._fields)


def is_whole_number(kind: object) -> bool:
    """Whether members of an enumeration are integers as well, which equal others."""
    return isinstance(kind, type) and issubclass(kind, (int, float))


def made(inner: Any, number: str) -> Any:
    """An object of a class, of its items or its value."""
    kind = _kinds[int(number)]
    if not isinstance(kind, type) or kind is list or issubclass(kind, enum.Enum):
        return kind(inner)
    return kind(**dict(zip(names_of(kind), inner, strict=True)))
