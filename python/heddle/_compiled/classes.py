"""Classes whose objects compiled functions know: `heddle.numba.experimental.jitclass`."""

from __future__ import annotations

import types
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from heddle._compiled.functions import Function, options_of
from heddle._compiled.shared import numbered, owner_of
from heddle._compiled.signatures import ArrayType, Type, typeof

_ANNOTATED = {int: "int64", float: "float64", complex: "complex128", bool: "bool"}
# What a class of Python's has anyway.
_NOT_TAKEN = ("__dict__", "__weakref__", "__module__", "__qualname__", "__annotations__")


class _Owner:
    """The memory of an object: its numbers as a record, and arrays."""

    def __init__(self, kind: Any, record: Any, arrays: dict[str, Any]) -> None:
        self.kind, self.record, self.arrays = kind, record, arrays
        self.record["_number"] = numbered(self)

    def put_back(self, *arrays: Any) -> None:
        """The arrays that a function has left it with."""
        self.arrays.update(zip(self.kind._simt_arrays, arrays, strict=True))


class Object:
    """The base of such classes."""

    _simt_fields: tuple[str, ...]
    _simt_numbers: np.dtype[Any]
    _simt_arrays: dict[str, ArrayType]
    _simt_boxes: _Boxes
    _own: _Owner

    def __new__(cls, *args: Any, **keywords: Any) -> Any:
        arrays = {n: np.empty((0,) * t.ndim, t.numpys) for n, t in cls._simt_arrays.items()}
        made = object.__new__(cls)
        made._own = _Owner(cls, np.zeros(1, cls._simt_numbers), arrays)
        return made

    @property
    def _record(self) -> Any:
        return self._own.record

    def __setattr__(self, name: str, value: object) -> None:
        if name != "_own" and not hasattr(type(self), name):
            raise AttributeError(f"'{type(self).__name__}' has no attribute '{name}'")
        object.__setattr__(self, name, value)

    def __reduce__(self) -> Any:
        raise TypeError(f"objects of {type(self).__name__} are not pickled")

    @classmethod
    def _simt_call(cls, s: Any, args: list[Any], keywords: dict[str, Any], node: Any) -> Any:
        """A call of the class in a compiled function."""
        if not s.host:
            raise s.error(node, f"objects of {cls.__name__} are for compiled functions")
        return s.new_instance(cls, args, keywords, node)


class _Boxes:
    """Makes an object of what a function gives: its record and arrays."""

    def __init__(self, kind: Any) -> None:
        self._simt_box = kind

    def __call__(self, inner: Any) -> Any:
        record, *arrays = inner
        kind = self._simt_box
        made = object.__new__(kind)
        found = owner_of(record)
        if found is None:
            found = _Owner(kind, record, dict(zip(kind._simt_arrays, arrays, strict=True)))
        made._own = found
        return made


def _number(name: str) -> property:
    def get(self: Object) -> Any:
        return self._own.record[name][0].item()

    def put(self: Object, value: Any) -> None:
        if isinstance(value, complex) and self._own.record.dtype[name].kind != "c":
            raise TypeError(f"'{name}' is a real number")
        self._own.record[name][0] = value

    return property(get, put)


def _array(name: str, given: ArrayType) -> property:
    def get(self: Object) -> Any:
        return self._own.arrays[name]

    def put(self: Object, value: Any) -> None:
        array = np.asarray(value)
        if array.dtype != given.numpys or array.ndim != given.ndim:
            raise TypeError(f"'{name}' is {given}, and not {typeof(array, type(value).__name__)}")
        self._own.arrays[name] = array

    return property(get, put)


class _ClassType:
    """What Numba's specifications call ``Class.class_type.instance_type``."""

    def __init__(self, kind: Any) -> None:
        self.instance_type = kind


def _specification(cls: type, given: Any) -> dict[str, Any]:
    pairs = list(given.items()) if isinstance(given, Mapping) else list(given or ())
    made: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        annotations = vars(base).get("__annotations__", {})
        for name, kind in annotations.items():
            if isinstance(kind, str):
                kind = {k.__name__: k for k in _ANNOTATED}.get(kind, kind)
            made[name] = typeof(kind(0)) if kind in _ANNOTATED else kind
    for name, kind in pairs:
        if not isinstance(name, str):
            raise TypeError(f"jitclass: fields have names, not {name!r}")
        made[name] = kind
    for name, kind in made.items():
        if not isinstance(kind, (Type, ArrayType)) or not isinstance(kind.numpys, np.dtype):
            raise TypeError(
                f"jitclass: '{name}' is {kind!r}: fields of classes are numbers and arrays of "
                "numbers; give the function other objects beside this one"
            )
        if isinstance(kind, ArrayType) and kind.numpys.names is not None:
            raise TypeError(f"jitclass: '{name}': fields are no arrays of records")
    return made


def _compiled(value: Any) -> Any:
    options = options_of(numba=True)
    if isinstance(value, types.FunctionType):
        return Function(value, **options)
    if isinstance(value, staticmethod):
        return staticmethod(Function(value.__func__, **options))
    if isinstance(value, property):
        getter, setter = (
            None if part is None else Function(part, **options) for part in (value.fget, value.fset)
        )
        return property(getter, setter, None, value.__doc__)
    if isinstance(value, classmethod):
        raise TypeError("jitclass: methods of the class itself are not compiled; use staticmethod")
    return value


def _made(cls: type, given: Any) -> Any:
    fields = _specification(cls, given)
    taken: dict[str, Any] = {}
    for base in reversed(cls.__mro__[:-1]):
        if hasattr(base, "_simt_fields"):
            raise TypeError(f"jitclass: {cls.__name__} cannot be derived from {base.__name__}")
        taken |= {n: v for n, v in vars(base).items() if n not in _NOT_TAKEN}
    clash = sorted(set(fields) & set(taken))
    if clash:
        raise NameError(f"name shadowing: {', '.join(clash)}")
    names = {name: _compiled(value) for name, value in taken.items()}
    names |= {"__module__": cls.__module__, "__qualname__": cls.__qualname__}
    numbers = [(n, t.dtype) for n, t in fields.items() if isinstance(t, Type)]
    arrays = {n: t for n, t in fields.items() if isinstance(t, ArrayType)}
    names |= {name: _number(name) for name, _ in numbers}
    names |= {name: _array(name, type_) for name, type_ in arrays.items()}
    names["_simt_fields"] = ("_record", *arrays)
    names["_simt_numbers"] = np.dtype([("_number", np.int64), *numbers], align=True)
    names["_simt_arrays"] = arrays
    made = type(cls.__name__, (Object,), names)
    made._simt_boxes = _Boxes(made)  # type: ignore[attr-defined]
    made.class_type = _ClassType(made)  # type: ignore[attr-defined]
    return made


def jitclass(cls_or_spec: Any = None, spec: Iterable[tuple[str, Any]] | Any = None) -> Any:
    """A class whose methods are compiled, and whose objects compiled functions take and make.

    `spec` says the types of its attributes: numbers, and arrays of numbers, by Numba's types;
    attributes that are annotated need none. Python's code sees the same memory.

    Examples
    --------
    >>> import numpy
    >>> from heddle.numba import float64, njit
    >>> from heddle.numba.experimental import jitclass
    >>> @jitclass([("total", float64), ("seen", float64[:])])
    ... class Meter:
    ...     def __init__(self, n):
    ...         self.total = 0.0
    ...         self.seen = numpy.zeros(n)
    ...     def add(self, i, x):
    ...         self.seen[i] = x
    ...         self.total += x
    >>> @njit
    ... def run(meter):
    ...     for i in range(meter.seen.size):
    ...         meter.add(i, i * 0.5)
    >>> meter = Meter(4)
    >>> run(meter)
    >>> meter.total, meter.seen.tolist()
    (3.0, [0.0, 0.5, 1.0, 1.5])
    """
    if isinstance(cls_or_spec, type):
        return _made(cls_or_spec, spec)
    if cls_or_spec is not None and spec is not None:
        raise TypeError("jitclass takes a class and its specification, or the latter alone")
    given = spec if cls_or_spec is None else cls_or_spec
    return lambda cls: _made(cls, given)
