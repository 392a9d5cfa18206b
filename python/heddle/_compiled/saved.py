"""What compilers have written, kept on disk for the next process.

Types are inferred in Python, which takes longer than loading code that is there. So what became of
a function is kept by its code, the signature and the options, together with everything it has read:
the way to it from the function, and what was found there. All that is compared before it is used.
"""

from __future__ import annotations

import enum
import hashlib
import marshal
import os
import re
import sys
import types
from typing import Any

import numpy as np

from heddle import _core
from heddle.simt._choices import CELL, GLOBAL, Absent
from heddle.simt._constants import constant_of
from heddle.simt._kinds import SAME_EVERYWHERE, kind_of, names_of

_mark: str | None = None
# The compiler's own folders: `_made_by` looks at their files.
_FOLDERS = ("simt", "_compiled", "numba_cuda", "cupyx")


class _Unknown(Exception):
    """Something that cannot be compared from one process to the next."""


def _made_by() -> str:
    """Of the compiler itself: other sources write other programs."""
    global _mark
    if _mark is None:
        root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        facts: list[Any] = [sys.version, np.__version__, _core.__file__]
        facts.append(os.stat(_core.__file__).st_mtime_ns)
        for folder in _FOLDERS:
            with os.scandir(os.path.join(root, folder)) as files:
                for file in sorted(files, key=lambda f: f.name):
                    if file.name.endswith(".py"):
                        found = file.stat()
                        facts.append((file.name, found.st_size, found.st_mtime_ns))
        _mark = repr(facts)
    return _mark


def _is_the_compilers(module: str) -> bool:
    """Whether the name of a function of this module says all: what it does is told by the mark."""
    package, _, rest = module.partition(".")
    return package == "numpy" or (
        package == "heddle" and (not rest or rest.partition(".")[0] in _FOLDERS)
    )


def _code(code: types.CodeType) -> tuple[object, ...]:
    constants = tuple(
        _code(c) if isinstance(c, types.CodeType) else (type(c).__name__, repr(c))
        for c in code.co_consts
    )
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    where = (code.co_filename, code.co_firstlineno, code.co_linetable, code.co_name)
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    return (code.co_code, constants, names, where, counts)


def _print_of(value: object) -> Any:
    """What tells a value from others, in any process."""
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return (type(value).__name__, repr(value))
    if isinstance(value, tuple):
        return (type(value).__qualname__, tuple(_print_of(item) for item in value))
    if isinstance(value, (np.generic, np.dtype)):
        return (type(value).__name__, repr(value))
    if isinstance(value, types.ModuleType):
        return ("module", value.__name__)
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
        digest = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        return ("array", value.dtype.str, value.shape, digest)
    inner = getattr(value, "py_func", None)
    if isinstance(inner, types.FunctionType):
        said = (getattr(value, "_options", None), getattr(value, "_simt_signatures", None))
        return (type(value).__qualname__, _print_of(inner), repr(said))
    if isinstance(value, types.FunctionType):
        if _is_the_compilers(value.__module__ or ""):
            return ("function", value.__module__, value.__qualname__)
        defaults = value.__kwdefaults__ or {}
        named = tuple((k, _print_of(v)) for k, v in sorted(defaults.items()))
        return ("function", _code(value.__code__), _print_of(value.__defaults__ or ()), named)
    module = getattr(value, "__module__", None)
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if isinstance(name, str) and isinstance(value, (type, types.BuiltinFunctionType)):
        return ("name", module, name)
    kind = type(value)
    if isinstance(name, str) and kind.__module__.partition(".")[0] in ("heddle", "numpy"):
        return ("name", kind.__module__, kind.__qualname__, name)
    if kind.__module__.partition(".")[0] == "heddle":
        return ("object", kind.__module__, kind.__qualname__, repr(value))
    raise _Unknown(value)


def _key(function: types.FunctionType, signature: str, options: dict[str, object]) -> bytes | None:
    if "r" in signature:
        return None  # types of records have numbers of this process
    # Classes have numbers of this process, too: their names and fields say what they are.
    constants = [constant_of(int(number)) for number in re.findall(r"o(\d+):", signature)]
    signature = re.sub(r"([{e])(\d+):", lambda m: m[1] + _class(int(m[2])) + ":", signature)
    signature = re.sub(r"o\d+:", "o", signature)
    try:
        given = tuple(_print_of(constant) for constant in constants)
        parts = (_made_by(), signature, given, sorted(options.items()), _print_of(function))
    except _Unknown:
        return None
    return hashlib.sha256(repr(parts).encode()).digest()


def _class(number: int) -> str:
    kind = kind_of(number)
    fields = "" if issubclass(kind, (enum.Enum, slice, range)) else names_of(kind)
    return f"{kind.__module__}.{kind.__qualname__}{fields}"


def _follow(
    function: types.FunctionType, path: tuple[tuple[int, str], ...]
) -> tuple[Any, str | None, Any]:
    """Where a path leads: who holds the value, by which name, and the value."""
    holder: Any = None
    name: str | None = None
    value: Any = function
    for step, name in path:
        if step == CELL:
            inner = getattr(value, "py_func", value)
            holder = inner.__closure__[inner.__code__.co_freevars.index(name)]
            name, value = None, holder.cell_contents
        elif step == GLOBAL:
            holder = getattr(value, "py_func", value).__globals__
            value = holder.get(name, Absent)
        else:
            holder = getattr(value, "__dict__", None)
            value = getattr(value, name)
    return holder, name, value


def find(
    function: types.FunctionType, signature: str, options: dict[str, object]
) -> tuple[Any, ...] | None:
    """What was made of a function in another process; None where that is not known."""
    key = _key(function, signature, options)
    data = None if key is None else _core.cache_load(key)
    if data is None:
        return None
    try:
        words, texts, name, read, layout, failures = marshal.loads(data)
        guards = []
        for path, guarded, printed in read:
            found = _follow(function, path)
            if repr(_print_of(found[2])) != printed:
                return None
            if guarded:
                guards.append(found)
    except (_Unknown, ValueError, EOFError, TypeError, KeyError, AttributeError, IndexError):
        return None
    if layout is None:
        return words, texts, name, guards
    import builtins

    from heddle.simt._results import Failures

    known = {n: (getattr(builtins, kind), said, where) for n, kind, said, where in failures}
    guards = [] if options["numba"] else guards  # as Numba: see HostCompiler
    return words, texts, name, guards, layout, Failures(function, known)


def keep(
    function: types.FunctionType,
    signature: str,
    options: dict[str, Any],
    made: tuple[Any, ...],
    read: dict[Any, tuple[Any, bool, Any]],
) -> None:
    """Puts what was made on disk, if all it has read can be found and compared again."""
    key = _key(function, signature, options)
    if key is None:
        return
    words, texts, name, _, *rest = made
    layout, failures = None, []
    try:
        seen = []
        for path, guarded, value in read.values():
            if path is None:
                return
            seen.append((path, guarded, repr(_print_of(value))))
        if rest:
            layout = rest[0]
            kinds = [int(number) for number in re.findall(r"k(\d+):", layout)]
            if "r" in layout or any(number >= SAME_EVERYWHERE for number in kinds):
                return  # records again, and classes
            for number, (kind, said, where) in rest[1].known.items():
                if kind.__module__ != "builtins":
                    return
                failures.append((number, kind.__name__, said, where))
        data = marshal.dumps((words, texts, name, seen, layout, failures))
    except (_Unknown, ValueError):
        return
    _core.cache_store(key, data)
