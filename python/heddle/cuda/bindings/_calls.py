"""Functions of CUDA's libraries: arguments to C, results back."""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable, Sequence
from typing import Any

from heddle import _core
from heddle.cuda.bindings._attributes import type_of
from heddle.cuda.bindings._table import Table, table
from heddle.cuda.bindings._types import LETTERS, Handle, Types
from heddle.cuda.bindings._values import (
    address_of,
    kernel_arguments,
    option_values,
    string_address,
)

_KEYWORDS = {"from": "from_", "len": "length"}  # what CUDA Python calls these parameters
_MOST_ARCHITECTURES = 1024


class Parameter:
    """A parameter, as a table has it."""

    def __init__(self, word: str, types: Types) -> None:
        self.mark = word[0] if word[0] in ">=+" else ""
        self.name, _, spelled = word[len(self.mark) :].partition(":")
        spelled, _, self.count = spelled.partition("#")  # elements: the name of a parameter
        spelled, _, self.counted_after = spelled.partition("@")
        self.spelled, _, self.asked = spelled.partition("?")
        self.is_given, self.is_result = self.mark != ">", bool(self.mark)
        self._types = types

    def ctype(self) -> Any:
        """What the C function takes."""
        if self.is_result or self.asked or self.spelled.endswith("*"):
            return ctypes.c_void_p
        return self._types.ctype(self.spelled)

    def pass_value(self, value: Any, kept: list[object]) -> Any:
        """A value as the C function takes it."""
        spelled, kind = self.spelled, self._kind
        if spelled == "K":
            return kernel_arguments(value, kept)
        if spelled == "s":
            return string_address(value, kept)
        if spelled == "p" or kind == "H":
            return address_of(value, kept)
        if spelled.endswith("*"):
            return self._types.pointed(spelled[:-1], value, kept)
        if kind in ("S", "U") or spelled in ("f", "d"):
            return value
        return int(value)

    @functools.cached_property
    def _kind(self) -> str:
        return self._types.table.kind(self._types.table.resolved(self.spelled))


class Library:
    """A library: its table, and how it says that something failed."""

    def __init__(
        self, name: str, error: str, find: Callable[[], str], no_device: str | None = None
    ) -> None:
        self.name, self.error_name = name, error
        self._find = find
        self._no_device = no_device

    @functools.cached_property
    def table(self) -> Table:
        """What the headers declare."""
        return table(self.name)

    @functools.cached_property
    def types(self) -> Types:
        """The classes of its types."""
        return Types(self.table)

    @functools.cached_property
    def errors(self) -> Any:
        """The enumeration of what can go wrong; 0 is success."""
        return self.types.find(self.error_name)

    @functools.cached_property
    def _opened(self) -> ctypes.CDLL:
        return ctypes.CDLL(self._find())

    def why_not(self) -> object:
        """The error that all calls give where there is no GPU; None where there is one."""
        if self._no_device is None or _core.cuda.is_available():
            return None
        return self.errors[self._no_device]

    def address(self, symbol: str) -> Any:
        """A function of the library. Raises RuntimeError where it has none of the name."""
        names = [symbol]
        if os.environ.get("CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM", "0") not in ("0", ""):
            names = [f"{symbol}_ptsz", f"{symbol}_ptds", symbol]
        for name in names:
            found = getattr(self._opened, name, None)
            if found is not None:
                return ctypes.cast(found, ctypes.c_void_p).value
        raise RuntimeError(
            f"{self._opened._name} has no {symbol}: it is of another version of CUDA"
        )

    def find(self, name: str) -> Any:
        """What a name of the library's header means. Raises KeyError."""
        kind = self.table.kind(name)
        if kind == "F":
            return Function(self, name)
        if kind == "C":
            return int(self.table.words(name)[0])
        if kind:
            return self.types.find(name)
        return self.types.find(self.table.enumerators[name])[name]


class Function:
    """A function that gives a tuple: the error, and what C writes to addresses, None on errors."""

    def __init__(self, library: Library, name: str) -> None:
        symbol, result, *words = library.table.words(name)
        self._library, self._symbol, self._result = library, symbol, result
        self._parameters = [Parameter(word, library.types) for word in words]
        self._given = [p for p in self._parameters if p.is_given]
        self._results = [p for p in self._parameters if p.is_result]
        self.__name__ = self.__qualname__ = name
        self.__module__ = f"heddle.cuda.bindings.{library.name}"
        shown = [p.name + ("=0" if p.mark == "=" else "") for p in self._given]
        results = [library.error_name, *(p.name for p in self._results)]
        if not self._gives_error:
            results.append("result")
        self.__doc__ = f"{name}({', '.join(shown)}) -> ({', '.join(results)})"

    @property
    def _gives_error(self) -> bool:
        return self._library.table.resolved(self._result) == self._library.table.resolved(
            self._library.error_name
        )

    def __repr__(self) -> str:
        return f"<function {self.__module__}.{self.__doc__}>"

    @functools.cached_property
    def _function(self) -> ctypes._CFunctionType:
        types = self._library.types
        kind = ctypes.CFUNCTYPE(types.ctype(self._result), *(p.ctype() for p in self._parameters))
        return kind(self._library.address(self._symbol))

    def _bound(self, args: Sequence[object], named: dict[str, object]) -> dict[str, object]:
        """Arguments by the names of parameters."""
        if self.__name__ == "cuCtxCreate" and len(args) + len(named) == 2:
            args = (None, *args)  # as CUDA 12 has it
        if len(args) > len(self._given):
            text = (
                f"{self.__name__}() takes {len(self._given)} arguments but {len(args)} were given"
            )
            raise TypeError(text)
        values = {p.name: value for p, value in zip(self._given, args, strict=False)}
        for p in self._given[len(args) :]:
            name = p.name if p.name in named else _KEYWORDS.get(p.name, f"{p.name}_")
            if name in named:
                values[p.name] = named.pop(name)
            elif p.mark == "=":
                values[p.name] = 0
            else:
                raise TypeError(f"{self.__name__}() needs the argument {p.name!r}")
        if named:
            raise TypeError(f"{self.__name__}() has no argument {next(iter(named))!r}")
        return values

    def __call__(self, *args: object, **named: object) -> tuple[object, ...]:
        values = self._bound(args, named)
        missing = self._library.why_not()
        if missing is not None:
            count = len(self._results) + (0 if self._gives_error else 1)
            return (missing, *[None] * count)
        call = _Call(self._library.types, self._parameters, values)
        status = self._function(*call.arguments)
        if not self._gives_error:
            return (self._library.errors(0), self._library.types.reader(self._result)(status))
        if status != 0:
            error = self._library.types.reader(self._result)(status)
            return (error, *[None] * len(self._results))
        return (self._library.errors(0), *(call.result(p) for p in self._results))


class _Call:
    """The memory of one call."""

    def __init__(
        self, types: Types, parameters: Sequence[Parameter], values: dict[str, Any]
    ) -> None:
        self._types, self._values = types, values
        self._by_name = {p.name: p for p in parameters}
        self._kept: list[Any] = []  # what addresses point to
        self._memory: dict[str, Any] = {}  # of results
        self.arguments = [self._prepare(p) for p in parameters]

    def _prepare(self, p: Parameter) -> Any:
        if p.asked:
            return self._prepare_asked(p)
        if not p.is_result:
            return p.pass_value(self._values[p.name], self._kept)
        if p.name in self._memory:  # made for what comes before
            return ctypes.addressof(self._memory[p.name])
        if p.count:
            given = _MOST_ARCHITECTURES if p.count == "*" else int(self._values[p.count])
            if given == 0:
                return 0
            memory = (self._types.ctype(p.spelled) * given)()
        elif p.counted_after:
            memory = ctypes.c_void_p()
        else:
            memory = self._types.ctype(p.spelled)()
            if p.is_given:
                memory = type(memory)(int(self._values[p.name]))
        self._memory[p.name] = memory
        return ctypes.addressof(memory)

    # --- values whose type another argument says ---

    def _asked_type(self, p: Parameter, value: Any) -> str:
        enumeration = self._by_name[p.asked].spelled.rstrip("*")
        return type_of(enumeration, value)

    def _prepare_asked(self, p: Parameter) -> int:
        asked = self._values[p.asked]
        if asked is None or (isinstance(asked, (list, tuple)) and not p.is_result):
            return option_values(self._values.get(p.name), self._kept)
        if isinstance(asked, (list, tuple)):
            sizes = self._values.get(p.count) or [0] * len(asked)
            memory: Any = [self._memory_for(p, one, n) for one, n in zip(asked, sizes, strict=True)]
            self._memory[p.name] = memory
            addresses = (ctypes.c_void_p * max(1, len(memory)))(*map(ctypes.addressof, memory))
            self._kept.append(addresses)
            return ctypes.addressof(addresses)
        if p.is_result:
            size = self._values.get(p.count, 0)
            memory = self._memory_for(p, asked, size)
            if p.count and p.count not in self._values:  # the library is told, and says, how many
                self._memory[p.count] = ctypes.c_ulonglong(ctypes.sizeof(memory))
        else:
            memory = self._written(p, asked)
            if p.count:
                self._memory[p.count] = ctypes.c_ulonglong(ctypes.sizeof(memory))
        self._memory[p.name] = memory
        return ctypes.addressof(memory)

    def _written(self, p: Parameter, asked: object) -> Any:
        """A value in memory."""
        spelled, value = self._asked_type(p, asked), self._values[p.name]
        if spelled == "c":
            return ctypes.create_string_buffer(value.encode() if isinstance(value, str) else value)
        ctype = self._types.ctype(spelled)
        if isinstance(value, ctype):
            return value
        return ctype(address_of(value, self._kept))

    def _memory_for(self, p: Parameter, asked: object, size: int) -> Any:
        spelled = self._asked_type(p, asked)
        if spelled == "c":
            return (ctypes.c_char * 1024)()
        if spelled.endswith("*"):
            return (self._types.ctype(spelled[:-1]) * max(1, size // 4))()
        return self._types.ctype(spelled)()

    def _asked_result(self, p: Parameter, asked: object, memory: Any) -> Any:
        spelled = self._asked_type(p, asked)
        if spelled == "c":
            return memory.value
        if spelled.endswith("*"):
            return list(memory)
        return self._types.reader(spelled)(getattr(memory, "value", memory))

    # --- results ---

    def result(self, p: Parameter) -> Any:
        """What was written for a parameter."""
        memory: Any = self._memory.get(p.name)
        if p.asked:
            asked = self._values[p.asked]
            if isinstance(asked, (list, tuple)):
                pairs = zip(asked, memory, strict=True)
                return [self._asked_result(p, one, held) for one, held in pairs]
            return self._asked_result(p, asked, memory)
        read = self._types.reader(p.spelled)
        if p.counted_after:
            count = self._memory[p.counted_after].value
            if not count or not memory.value:
                return []
            there = (self._types.ctype(p.spelled) * count).from_address(memory.value)
            return [read(_copied(v)) for v in there]
        if not p.count:
            return read(memory.value if isinstance(memory, ctypes._SimpleCData) else memory)
        if memory is None:
            return []
        if p.spelled == "c":
            return memory.raw
        if p.count == "*":
            return [v for v in memory if v]
        after = self._memory.get(p.count)
        have = len(memory) if after is None else min(len(memory), after.value)
        return [read(v) for v in memory[:have]]


def _copied(value: object) -> Any:
    """A structure apart from memory that the library owns."""
    if isinstance(value, ctypes.Structure):
        return type(value).from_buffer_copy(value)
    return value


__all__ = ["LETTERS", "Function", "Handle", "Library"]
