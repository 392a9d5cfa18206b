"""What a function reads beside its arguments: arrays, which are inputs of it, and the rest, which
has to be what it was for a recorded call to hold."""

from __future__ import annotations

import dis
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy

import heddle as hd

_FIXED = (int, float, complex, str, bytes, bool, type(None), type, types.ModuleType)
_MOST = 10_000  # objects that are looked at


_GLOBALS = ("LOAD_GLOBAL", "LOAD_NAME")
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")


def _names(code: types.CodeType, operations: Sequence[str]) -> Iterator[str]:
    """The names that code reads by these instructions."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in operations:
            yield instruction.argval
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant, operations)


def _is_ours(name: str | None) -> bool:
    return (name or "").partition(".")[0] in ("heddle", "numpy")


def _is_others(name: str | None) -> bool:
    """Whether a module is no part of the program: its state is nothing that it computes with."""
    return _is_ours(name) or (name or "").partition(".")[0] in sys.stdlib_module_names


class Guards:
    """The globals, closure cells and attributes that a function and its callees read.

    Numbers, strings and functions are compared by identity or value, containers, arrays of NumPy's
    and attributes of objects element by element. Arrays found on the way are `arrays`.
    """

    def __init__(self, f: Callable[..., Any], others: Sequence[object] = ()) -> None:
        self.arrays: list[hd.ndarray] = []
        self._cells: list[tuple[types.CellType, Any]] = []
        self._globals: list[tuple[dict[str, Any], str, Any]] = []
        self._attributes: list[tuple[dict[str, Any], dict[str, Any]]] = []
        self._lists: list[tuple[Any, list[Any]]] = []
        self._dicts: list[tuple[dict[Any, Any], dict[Any, Any]]] = []
        self._slots: list[tuple[Any, str, Any]] = []
        self._contents: list[tuple[Any, Any]] = []  # that change in place: sets, NumPy's arrays
        self._seen: set[int] = set()
        for value in (f, *others):
            self._add(value)

    def drop_changed(self) -> None:
        """No longer compare what is not what it was: the function itself has changed it."""
        self._cells = [(cell, value) for cell, value in self._cells if _same(_inside(cell), value)]
        self._globals = [
            (names, name, value)
            for names, name, value in self._globals
            if _same(names.get(name), value)
        ]
        self._lists = [
            (items, before)
            for items, before in self._lists
            if len(items) == len(before) and all(map(_same, items, before))
        ]
        self._slots = [
            (one, name, value)
            for one, name, value in self._slots
            if _same(getattr(one, name, None), value)
        ]
        self._contents = [pair for pair in self._contents if _same_contents(*pair)]
        for now, before in (*self._attributes, *self._dicts):
            for name in [name for name in before if not _same(now.get(name), before[name])]:
                del before[name]

    def has_arrays_of(self, other: Guards) -> bool:
        """Whether names and attributes have the same arrays."""
        return len(self.arrays) == len(other.arrays) and all(
            one is another for one, another in zip(self.arrays, other.arrays, strict=True)
        )

    def hold(self) -> bool:
        """Whether everything is what it was."""
        for cell, value in self._cells:
            if not _same(_inside(cell), value):
                return False
        for names, name, value in self._globals:
            if not _same(names.get(name), value):
                return False
        for one, name, value in self._slots:
            if not _same(getattr(one, name, None), value):
                return False
        for now, before in (*self._attributes, *self._dicts):
            for name, value in before.items():
                if name not in now or not _same(now[name], value):
                    return False
        for items, held in self._lists:
            if len(items) != len(held) or not all(map(_same, items, held)):
                return False
        return self._hold_contents()

    def _hold_contents(self) -> bool:
        return all(_same_contents(now, before) for now, before in self._contents)

    def quick(self) -> tuple[object, ...]:
        """What the core compares by identity before anybody asks `hold`."""
        names = list(self._globals)
        for now, before in (*self._attributes, *self._dicts):
            names += [(now, name, value) for name, value in before.items()]
        cells = [(cell, "cell_contents", value) for cell, value in self._cells]
        contents = self._hold_contents if self._contents else None
        return names, cells + self._slots, list(self._lists), self.hold, contents

    def _add(self, value: Any) -> None:
        is_array = isinstance(value, hd.ndarray)  # some pose as numbers
        fixed = isinstance(value, _FIXED) and not is_array
        if fixed or id(value) in self._seen or len(self._seen) > _MOST:
            return
        self._seen.add(id(value))
        if is_array:
            self.arrays.append(value)
        elif isinstance(value, types.FunctionType):
            self._add_function(value)
        elif isinstance(value, types.MethodType):
            self._add(value.__func__)
            self._add(value.__self__)
        elif isinstance(value, (list, tuple)):
            self._lists.append((value, list(value)))
            for item in value:
                self._add(item)
        elif isinstance(value, dict):
            self._dicts.append((value, dict(value)))
            for item in value.values():
                self._add(item)
        elif isinstance(value, (set, frozenset)):
            self._contents.append((value, set(value)))
            for item in value:
                self._add(item)
        elif isinstance(value, numpy.ndarray):
            # What cannot be written to is what it was.
            if value.flags.writeable or value.base is not None:
                self._contents.append((value, value.copy()))
        elif hasattr(value, "__wrapped__"):
            self._add(value.__wrapped__)
        elif hasattr(value, "__dict__") and not _is_ours(type(value).__module__):
            self._attributes.append((vars(value), dict(vars(value))))
            for item in vars(value).values():
                self._add(item)
            if callable(value):
                self._add(type(value).__call__)
        if not is_array and not _is_others(type(value).__module__):
            self._add_slots(value)

    def _add_slots(self, value: object) -> None:
        for kind in type(value).__mro__:
            slots = vars(kind).get("__slots__", ())
            for name in (slots,) if isinstance(slots, str) else slots:
                if hasattr(value, name):
                    self._slots.append((value, name, getattr(value, name)))
                    self._add(getattr(value, name))

    def _add_module(self, module: types.ModuleType, names: set[str]) -> None:
        """What code that has these names may read of a module."""
        if _is_others(module.__name__) or id(module) in self._seen:
            return
        self._seen.add(id(module))
        for name in names & vars(module).keys():
            value = vars(module)[name]
            self._globals.append((vars(module), name, value))
            if isinstance(value, types.ModuleType):
                self._add_module(value, names)
            else:
                self._add(value)

    def _add_function(self, f: types.FunctionType) -> None:
        if _is_ours(f.__module__):
            # A transformed function is of ours, and has the user's in its closure.
            for cell in f.__closure__ or ():
                self._add_cell(cell)
            return
        for cell in f.__closure__ or ():
            self._add_cell(cell)
        for value in (*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values()):
            self._add(value)
        attributes: set[str] | None = None
        for name in set(_names(f.__code__, _GLOBALS)):
            if name not in f.__globals__:
                continue
            value = f.__globals__[name]
            self._globals.append((f.__globals__, name, value))
            if isinstance(value, types.ModuleType):
                if attributes is None:
                    attributes = set(_names(f.__code__, _ATTRIBUTES))
                self._add_module(value, attributes)
            else:
                self._add(value)

    def _add_cell(self, cell: types.CellType) -> None:
        try:
            value = cell.cell_contents
        except ValueError:
            return  # it is empty still
        self._cells.append((cell, value))
        self._add(value)


def _same_contents(now: Any, before: Any) -> bool:
    if not isinstance(now, numpy.ndarray):
        return bool(now == before)
    if now.shape != before.shape or now.dtype != before.dtype:
        return False
    if now.dtype.hasobject:
        return all(map(_same, now.flat, before.flat))
    # Bit for bit: a nan is what it was, and a zero of another sign is not.
    return bool(now.tobytes() == before.tobytes())


def _inside(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _same(now: object, before: object) -> bool:
    if now is before:
        return True
    # Equal numbers and strings; what else is equal need not do the same.
    if isinstance(now, hd.ndarray):
        return False
    return type(now) is type(before) and isinstance(now, _FIXED) and bool(now == before)
