"""CUDA's types as classes: enumerations, handles and structures."""

from __future__ import annotations

import ctypes
import enum
import functools
import re
from collections.abc import Callable
from typing import Any

from heddle.cuda.bindings._table import Table
from heddle.cuda.bindings._values import address_of, kernel_arguments, string_address

LETTERS: dict[str, Any] = {
    "c": ctypes.c_char,
    "b": ctypes.c_byte,
    "B": ctypes.c_ubyte,
    "h": ctypes.c_short,
    "H": ctypes.c_ushort,
    "i": ctypes.c_int,
    "I": ctypes.c_uint,
    "q": ctypes.c_longlong,
    "Q": ctypes.c_ulonglong,
    "f": ctypes.c_float,
    "d": ctypes.c_double,
    "p": ctypes.c_void_p,
    "s": ctypes.c_void_p,
    "K": ctypes.c_void_p,
    "v": None,
}
_ALIGNED = {"CUtensorMap": 64}  # bytes, where C wants more than the members do


class Handle(int):
    """A number that CUDA gave: an address that only it looks behind, or a name for something."""

    _ctype: Any = ctypes.c_void_p

    def __new__(cls, init_value: Any = 0, _ptr: int = 0) -> Handle:
        if _ptr:
            init_value = cls._ctype.from_address(_ptr).value or 0
        return super().__new__(cls, 0 if init_value is None else int(init_value))

    def getPtr(self) -> int:
        """The address of a copy of it in memory, which lives as long as it does."""
        if not hasattr(self, "_held"):
            self._held = self._ctype(int(self))
        return ctypes.addressof(self._held)

    def __repr__(self) -> str:
        number = f"{int(self):#x}" if self._ctype is ctypes.c_void_p else f"{int(self)}"
        return f"<{type(self).__name__} {number}>"

    __str__ = __repr__


def _root(record: Any) -> Any:
    while record._b_base_ is not None:
        record = record._b_base_
    return record


class Record:
    """What structures and unions have in common."""

    _names: tuple[str, ...] = ()

    def __new__(cls, _ptr: int = 0) -> Any:
        if _ptr:
            return cls.from_address(_ptr)  # type: ignore[attr-defined]
        aligned = _ALIGNED.get(cls.__name__)
        if aligned is None:
            return super().__new__(cls)
        memory = (ctypes.c_char * (ctypes.sizeof(cls) + aligned))()  # type: ignore[arg-type]
        return cls.from_buffer(memory, -ctypes.addressof(memory) % aligned)  # type: ignore[attr-defined]

    def __init__(self, _ptr: int = 0) -> None:
        pass

    def getPtr(self) -> int:
        """Its address."""
        return ctypes.addressof(self)  # type: ignore[arg-type]

    def _keep(self, field: str, held: object) -> None:
        """Holds what a field points to, with the structure that this is a part of."""
        root = _root(self)
        at = ctypes.addressof(self) - ctypes.addressof(root)  # type: ignore[arg-type]
        root.__dict__.setdefault("_kept", {})[(at, field)] = held

    def _held(self, field: str) -> Any:
        root = _root(self)
        at = ctypes.addressof(self) - ctypes.addressof(root)  # type: ignore[arg-type]
        return root.__dict__.get("_kept", {}).get((at, field))

    def __repr__(self) -> str:
        return "\n".join(f"{name} : {getattr(self, name)!r}" for name in self._names)


def _plain_list(value: object) -> Any:
    return [_plain_list(v) for v in value] if isinstance(value, ctypes.Array) else value


class Types:
    """The classes of a table's types, made when they are asked for."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._classes: dict[str, Any] = {}

    def find(self, name: str) -> Any:
        """The class of a type, by any of its names."""
        name = self.table.resolved(name)
        if name not in self._classes:
            kind = self.table.kind(name)
            if kind in ("S", "U"):
                self._classes[name] = self._record(name, kind)
            else:
                self._classes[name] = self._enumeration(name) if kind == "E" else self._handle(name)
        return self._classes[name]

    def _called(self, name: str) -> dict[str, str]:
        shown = self.table.shown.get(name, name)
        return {"__module__": f"heddle.cuda.bindings.{self.table.name}", "__qualname__": shown}

    def _enumeration(self, name: str) -> enum.IntEnum:
        members: list[tuple[str, int]] = []
        following = 0
        for word in self.table.words(name):
            if word.lstrip("-").isdigit():
                following = int(word)
                members[-1] = (members[-1][0], following)
            else:
                members.append((word, following))
            following += 1
        called = self._called(name)
        return enum.IntEnum(
            called["__qualname__"],
            members,
            module=called["__module__"],
            qualname=called["__qualname__"],
        )

    def _handle(self, name: str) -> type:
        words = self.table.words(name)
        called = self._called(name)
        return type(
            called["__qualname__"],
            (Handle,),
            {"_ctype": LETTERS[words[0] if words else "p"]} | called,
        )

    def _record(self, name: str, kind: str) -> Any:
        base = ctypes.Structure if kind == "S" else ctypes.Union
        called = self._called(name)
        made: Any = type(called["__qualname__"].replace(".", "_"), (Record, base), dict(called))
        self._classes[name] = made
        fields, anonymous, names = [], [], []
        for word in self.table.words(name):
            field, _, spelled = word.partition(":")
            fields.append((f"_{field}", self.ctype(spelled)))
            if field.startswith("~"):
                anonymous.append(f"_{field}")
            else:
                names.append(field)
                setattr(made, field, self._property(field, spelled))
        made._anonymous_ = anonymous
        made._fields_ = fields
        for field in anonymous:  # their members are reached as those of the structure
            inside = dict(fields)[field]
            for inner in inside._names:
                names.append(inner)
                setattr(made, inner, _forwarded(field, inner))
        made._names = tuple(names)
        return made

    # --- types by how a table spells them ---

    def ctype(self, spelled: str) -> Any:
        """What ctypes calls a type."""
        if spelled.endswith("*"):
            return ctypes.c_void_p
        if array := re.fullmatch(r"(.*)\[(\d+)\]", spelled):
            return self.ctype(array.group(1)) * int(array.group(2))
        if spelled in LETTERS:
            return LETTERS[spelled]
        name = self.table.resolved(spelled)
        kind = self.table.kind(name)
        if kind == "E":
            return ctypes.c_uint if max(self.find(name)) >= 2**31 else ctypes.c_int
        if kind == "N":
            return LETTERS[self.table.words(name)[0]]
        return ctypes.c_void_p if kind == "H" else self.find(name)

    @functools.cache  # noqa: B019  # as many as there are types
    def reader(self, spelled: str) -> Callable[[Any], Any]:
        """Makes what people see of what ctypes gives."""
        if spelled == "s":
            return lambda value: ctypes.string_at(value) if value else None
        if spelled in ("p", "K") or spelled.endswith("*"):
            return lambda value: value or 0
        if re.fullmatch(r"c\[\d+\]", spelled):
            return lambda value: value if isinstance(value, bytes) else value.raw
        if spelled.endswith("]"):
            return _plain_list
        if spelled in LETTERS:
            return lambda value: value
        name = self.table.resolved(spelled)
        kind = self.table.kind(name)
        made = self.find(name)
        if kind == "E":
            return lambda value: _member(made, value)
        return made if kind in ("H", "N") else lambda value: value

    def pointed(self, spelled: str, value: object, kept: list[object]) -> int:
        """The address of one or several of a type."""
        if isinstance(value, Handle):
            kept.append(value)
            return value.getPtr()
        if not isinstance(value, (list, tuple)):
            return address_of(value, kept)
        if not value:
            return 0
        if spelled in ("s", "p"):
            convert = string_address if spelled == "s" else address_of
            items = [convert(v, kept) for v in value]
        else:
            is_plain = spelled in ("f", "d")
            items = [v if is_plain or isinstance(v, Record) else int(v) for v in value]
        made = (self.ctype(spelled) * len(items))(*items)
        kept.extend((made, value))
        return ctypes.addressof(made)

    def _property(self, field: str, spelled: str) -> property:
        raw = f"_{field}"
        read = self.reader_later(spelled)
        is_bytes = re.fullmatch(r"c\[(\d+)\]", spelled)

        def get(record: Any) -> Any:
            if is_bytes:  # ctypes would stop at a zero
                at = ctypes.addressof(record) + getattr(type(record), raw).offset
                return ctypes.string_at(at, int(is_bytes.group(1)))
            if spelled.endswith("*"):
                given, _ = record._held(field) or (None, None)
                if given is not None and not isinstance(given, int):
                    return given
            return read(getattr(record, raw))

        def set_it(record: Any, value: Any) -> None:
            kept: list[Any] = []
            if spelled == "K":
                setattr(record, raw, kernel_arguments(value, kept))
            elif spelled in ("p", "s"):
                setattr(
                    record, raw, (string_address if spelled == "s" else address_of)(value, kept)
                )
            elif spelled.endswith("*"):
                setattr(record, raw, self.pointed(spelled[:-1], value, kept))
            elif is_bytes:
                at = ctypes.addressof(record) + getattr(type(record), raw).offset
                size = int(is_bytes.group(1))
                ctypes.memmove(at, bytes(value).ljust(size, b"\0"), size)
            elif spelled.endswith("]"):
                setattr(record, raw, type(getattr(record, raw))(*value))
            else:
                setattr(record, raw, value)
                return
            record._keep(field, (value, kept))

        return property(get, set_it)

    def reader_later(self, spelled: str) -> Callable[[Any], Any]:
        """`reader`, found when it is first used: structures may refer to one another."""
        return lambda value: self.reader(spelled)(value)


def _member(made: Any, value: int) -> Any:
    """An enumerator; the number where a newer library has one more."""
    try:
        return made(value)
    except ValueError:
        return value


def _forwarded(through: str, field: str) -> property:
    def set_it(record: object, value: object) -> None:
        setattr(getattr(record, through), field, value)

    return property(lambda record: getattr(getattr(record, through), field), set_it)
