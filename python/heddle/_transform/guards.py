"""What a function reads beside its arguments: arrays, which are inputs of it, and the rest, which
has to be what it was for a recorded call to hold."""

from __future__ import annotations

import array
import collections
import functools
import math
import types
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy

import heddle as hd
from heddle import _core
from heddle._transform.reads import is_machinery, is_others, is_ours, is_standard, reads_of

_FIXED = (int, float, complex, str, bytes, bool, type(None), types.ModuleType, numpy.generic)
_MOST = 10_000  # objects that are looked at
_BYTES = (bytearray, array.array, memoryview)
_METHODS = (types.FunctionType, staticmethod, classmethod)
_NO_VALUES = ("__dict__", "__weakref__")  # slots that hold no value
# What code may ask for that is nobody's attribute, by the names of who says it.
_SETTINGS: dict[str, Callable[[], Any]] = {
    "geterr": numpy.geterr,
    "geterrcall": numpy.geterrcall,
    "getbufsize": numpy.getbufsize,
    "get_printoptions": numpy.get_printoptions,
}
_CACHES = (type(functools.lru_cache(len)),)
_EMPTY = object()  # what a cell or a slot without a value has


class Guards:
    """The globals, closure cells and attributes that a function and its callees read.

    Numbers, strings and functions are compared by identity or value, containers, arrays of NumPy's
    and attributes of objects element by element. Of modules and classes those names are compared
    that code reads. Arrays found on the way are `arrays`.
    """

    def __init__(self, f: Callable[..., Any], others: Sequence[object] = ()) -> None:
        self.arrays: list[hd.ndarray] = []
        self.too_many = False  # objects for all of them to be compared
        self._cells: list[tuple[types.CellType, Any]] = []
        self._globals: list[tuple[Mapping[str, Any], str, Any]] = []
        self._attributes: list[tuple[dict[str, Any], dict[str, Any]]] = []
        self._lists: list[tuple[Any, list[Any]]] = []
        self._dicts: list[tuple[Mapping[Any, Any], dict[Any, Any]]] = []
        self._sizes: list[tuple[Any, int]] = []  # a name that is new may be read, too
        self._orders: list[tuple[dict[Any, Any], list[Any]]] = []  # of keys
        self._absent: list[tuple[dict[str, Any], str]] = []  # builtins' names, and nobody's
        self._slots: list[tuple[Any, str, Any]] = []
        self._contents: list[tuple[Any, Any]] = []  # that change in place: sets, NumPy's arrays
        self._settings: dict[str, Any] = {}
        self._seen: set[int] = set()
        self._pending: list[Any] = [f, *others]
        self._names: set[str] = set()  # attributes that code reads, of whatever object
        self._owners: list[Mapping[str, Any]] = []  # classes, and modules that code passes on
        self._guarded: set[tuple[int, str]] = set()
        while self._pending:
            while self._pending:
                self._look_into(self._pending.pop())
            self._add_owned()
        for name in self._names & _SETTINGS.keys():
            self._settings[name] = _SETTINGS[name]()

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
            if _same(getattr(one, name, _EMPTY), value)
        ]
        self._contents = [pair for pair in self._contents if _same_contents(*pair)]
        # What is in a cache stays, until somebody clears it.
        self._contents = [
            (now, now.cache_info().misses if isinstance(now, _CACHES) else before)
            for now, before in self._contents
        ]
        self._settings = {
            name: before for name, before in self._settings.items() if _SETTINGS[name]() == before
        }
        self._sizes = [(items, size) for items, size in self._sizes if len(items) == size]
        self._orders = [(items, keys) for items, keys in self._orders if list(items) == keys]
        self._absent = [(names, name) for names, name in self._absent if name not in names]
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
            if not _same(getattr(one, name, _EMPTY), value):
                return False
        for now, before in (*self._attributes, *self._dicts):
            for name, value in before.items():
                if name not in now or not _same(now[name], value):
                    return False
        for items, held in self._lists:
            if len(items) != len(held) or not all(map(_same, items, held)):
                return False
        if any(name in names for names, name in self._absent):
            return False
        if any(len(items) != size for items, size in self._sizes):
            return False
        return all(list(now) == keys for now, keys in self._orders) and self._hold_contents()

    def _hold_contents(self) -> bool:
        if any(_SETTINGS[name]() != before for name, before in self._settings.items()):
            return False
        return all(_same_contents(now, before) for now, before in self._contents)

    def quick(self) -> tuple[object, ...]:
        """What the core compares by identity before anybody asks `hold`."""
        names: list[tuple[Any, ...]] = list(self._globals)
        for now, before in (*self._attributes, *self._dicts):
            names += [(now, name, value) for name, value in before.items()]
        cells = [(cell, "cell_contents", value) for cell, value in self._cells]
        contents = self._hold_contents if self._contents or self._settings else None
        keys = self._orders, self._absent
        return (
            names,
            cells + self._slots,
            list(self._lists),
            self.hold,
            contents,
            self._sizes,
            *keys,
        )

    def _look_into(self, value: Any) -> None:
        is_array = isinstance(value, _core.own_array)  # some pose as numbers
        if isinstance(value, type):
            self._add_class(value)
            self._add_class(type(value))
            return
        fixed = isinstance(value, _FIXED) and not is_array
        if fixed or id(value) in self._seen:
            return
        if len(self._seen) >= _MOST:
            self.too_many = True
            return
        self._seen.add(id(value))
        if is_array:
            self.arrays.append(value)
            return
        if isinstance(value, types.FunctionType):
            self._add_function(value)
            return
        if isinstance(value, types.MethodType):
            self._pending += value.__func__, value.__self__
            return
        if isinstance(value, types.BuiltinMethodType):
            self._pending.append(value.__self__)
            return
        self._add_items(value)
        self._add_attributes(value)
        self._add_class(type(value))

    def _add_items(self, value: object) -> None:
        if isinstance(value, (list, tuple)):
            self._lists.append((value, list(value)))
            self._pending += value
        elif isinstance(value, (dict, types.MappingProxyType)):
            self._add_dict(value, self._dicts)
        elif isinstance(value, (set, frozenset)):
            self._contents.append((value, set(value)))
            self._pending += value
        elif isinstance(value, collections.deque):
            self._contents.append((value, list(value)))
            self._pending += value
        elif isinstance(value, weakref.ref):
            self._contents.append((value, value() is not None))
            self._pending.append(value())
        elif isinstance(value, _BYTES):
            self._contents.append((value, bytes(value)))
        elif isinstance(value, numpy.ndarray):
            # What cannot be written to is what it was.
            if value.flags.writeable or value.base is not None:
                self._contents.append((value, value.copy()))
        elif isinstance(value, _CACHES):
            self._contents.append((value, value.cache_info().misses))
        elif isinstance(value, functools.partial):
            self._pending += value.func, value.args, value.keywords

    def _add_dict(self, names: Any, kept: list[Any]) -> None:
        kept.append((names, dict(names)))
        self._sizes.append((names, len(names)))
        if isinstance(names, collections.OrderedDict):
            self._contents.append((names, list(names)))
        elif isinstance(names, dict):
            self._orders.append((names, list(names)))
        self._pending += names.values()

    def _add_attributes(self, value: object) -> None:
        attributes = _attribute(value, "__dict__")
        if is_machinery(type(value).__module__):
            # What has a function of the user's is a function: jit, custom_jvp.
            self._pending.append(_attribute(value, "__wrapped__"))
            if isinstance(attributes, dict):
                self._pending += (
                    one for one in attributes.values() if callable(one) or isinstance(one, tuple)
                )
            return
        if isinstance(attributes, dict) and attributes is not value:
            self._add_dict(attributes, self._attributes)
        if not is_standard(type(value).__module__):
            self._add_slots(value)

    def _add_slots(self, value: object) -> None:
        for kind in type(value).__mro__:
            slots = vars(kind).get("__slots__", ())
            for slot in (slots,) if isinstance(slots, str) else slots:
                if slot in _NO_VALUES:
                    continue
                is_private = slot.startswith("__") and not slot.endswith("__")
                name = f"_{kind.__name__.lstrip('_')}{slot}" if is_private else slot
                now = _attribute(value, name, _EMPTY)
                self._slots.append((value, name, now))
                self._pending.append(now)

    def _add_class(self, kind: type) -> None:
        """Names that code reads are found by `_add_owned`, when all code is known."""
        for one in kind.__mro__:
            if not is_others(one.__module__) and id(one) not in self._seen:
                self._seen.add(id(one))
                self._owners.append(vars(one))
                self._sizes.append((vars(one), len(vars(one))))

    def _add_owned(self) -> None:
        for owner in self._owners:
            for name, value in owner.items():
                # Special methods are called by what is no name: an index, a sum.
                special = name.startswith("__") and isinstance(value, _METHODS)
                if special or name in self._names:
                    self._add_named(owner, name)

    def _add_named(self, names: Mapping[str, Any], name: str, tails: object = ((),)) -> None:
        """What a name of a module or a class is, of which code reads these attributes."""
        value = names[name]
        owner = id(value) if isinstance(names, types.MappingProxyType) else id(names)
        is_new = (owner, name) not in self._guarded
        if is_new:
            self._guarded.add((owner, name))
            self._globals.append((names, name, value))
        if isinstance(value, types.ModuleType):
            self._add_module(value, tails)
        elif is_new:
            if isinstance(value, property):
                self._pending.append(value.fget)
            elif isinstance(value, (staticmethod, classmethod)):
                self._pending.append(value.__func__)
            else:
                self._pending.append(value)

    def _add_module(self, module: types.ModuleType, tails: Any) -> None:
        """What code reads of a module: names, and names of these."""
        if is_others(module.__name__):
            return
        for tail in tails:
            if not tail:  # it is given to somebody: every attribute that is read may be its
                if id(module) not in self._seen:
                    self._seen.add(id(module))
                    self._owners.append(vars(module))
            elif tail[0] in vars(module):
                self._add_named(vars(module), tail[0], (tail[1:],))
            else:
                self._absent.append((vars(module), tail[0]))

    def _add_function(self, f: types.FunctionType) -> None:
        if is_ours(f.__module__):
            # A transformed function is of ours, and has the user's in its closure.
            for cell in f.__closure__ or ():
                self._add_cell(cell)
            return
        reads = reads_of(f.__code__)
        self._names |= reads.attributes | (reads.names.keys() & _SETTINGS.keys())
        for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
            self._add_cell(cell, reads.names.get(name, ((),)))
        self._slots.append((f, "__code__", f.__code__))  # reloaders put another one there
        for name in ("__defaults__", "__kwdefaults__"):
            if (defaults := getattr(f, name)) is not None:
                self._slots.append((f, name, defaults))
                self._pending.append(defaults)
        if f.__dict__:
            self._add_dict(f.__dict__, self._attributes)
        for name, tails in reads.names.items():
            if name in f.__globals__:
                self._add_named(f.__globals__, name, tails)
            elif name not in f.__code__.co_freevars:
                self._absent.append((f.__globals__, name))
        for module, tails in reads.modules():
            self._add_module(module, tails)

    def _add_cell(self, cell: types.CellType, tails: object = ((),)) -> None:
        try:
            value = cell.cell_contents
        except ValueError:
            self._cells.append((cell, _EMPTY))
            return
        self._cells.append((cell, value))
        if isinstance(value, types.ModuleType):
            self._add_module(value, tails)
        else:
            self._pending.append(value)


def _attribute(value: object, name: str, otherwise: object = None) -> Any:
    """An attribute, or what to say where there is none; asking for it may raise anything."""
    try:
        return getattr(value, name, otherwise)
    except Exception:
        return otherwise


def _same_contents(now: Any, before: Any) -> bool:
    if isinstance(now, collections.deque):
        return len(now) == len(before) and all(map(_same, now, before))
    if isinstance(now, weakref.ref):
        return (now() is not None) is before
    if isinstance(now, _CACHES):  # fewer calls are counted where somebody has cleared it
        return bool(now.cache_info().misses >= before)
    if isinstance(now, collections.OrderedDict):
        return bool(list(now) == before)
    if isinstance(now, _BYTES):
        return bool(bytes(now) == before)
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
        return _EMPTY


def _same(now: Any, before: Any) -> bool:
    if now is before:
        return True
    # Equal numbers and strings; what else is equal need not do the same.
    if isinstance(now, _core.own_array) or type(now) is not type(before):
        return False
    if isinstance(now, numpy.generic):
        return bool(now.dtype == before.dtype and now.tobytes() == before.tobytes())
    return isinstance(now, _FIXED) and bool(now == before) and same_signs(now, before)


def same_signs(one: object, other: object) -> bool:
    """Whether equal numbers have the same signs: zeros have two."""
    if isinstance(one, float) and isinstance(other, float):
        return one != 0 or math.copysign(1, one) == math.copysign(1, other)
    if isinstance(one, complex) and isinstance(other, complex):
        return same_signs(one.real, other.real) and same_signs(one.imag, other.imag)
    return True
