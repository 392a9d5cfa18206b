"""Types by Numba's names, and signatures of them. In kernels they convert."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from heddle._typing import DTypeLike
from heddle.simt._dtypes import NAMES, letter_of
from heddle.simt._kinds import kind_of, number_of
from heddle.simt._records import key_of, type_of

_NAMES = {
    "boolean": "bool",
    "bool_": "bool",
    "b1": "bool",
    **{n: n for n in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")},
    **{n: n for n in ("float16", "float32", "float64", "complex64", "complex128")},
    **{"intp": "int64", "uintp": "uint64", "int_": "int64", "uint": "uint64", "long_": "int64"},
    **{"intc": "int32", "uintc": "uint32", "byte": "uint8", "char": "int8", "uchar": "uint8"},
    **{"short": "int16", "ushort": "uint16", "longlong": "int64", "ulonglong": "uint64"},
    **{"float_": "float32", "double": "float64", "size_t": "uint64", "ssize_t": "int64"},
    **{"ulong": "uint64", "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64"},
    **{"u1": "uint8", "u2": "uint16", "u4": "uint32", "u8": "uint64"},
    **{"f2": "float16", "f4": "float32", "f8": "float64", "c8": "complex64", "c16": "complex128"},
}
# What Python has itself; as an argument it is passed as that.
_PYTHONS: dict[str, Any] = {"int64": int, "float64": float, "complex128": complex, "bool": bool}
_PLAIN = {"int64": "i", "float64": "f", "complex128": "c", "bool": "b"}


class _Argument:
    """What an argument may be."""

    def __call__(self, *values: object) -> Any:
        return Signature(self, values)

    def letters(self, arrays: str) -> str:
        """As the core writes it (src/python/simt_call.h); `arrays`: whose they are."""
        raise NotImplementedError

    def distance(self, value: object) -> int | None:
        """How far a value is from it: 0 it is one, 1 it fits, 2 some of it; None: neither."""
        raise NotImplementedError

    def converted(self, value: object) -> Any:
        return value

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __getitem__(self, axes: slice | tuple[slice, ...]) -> ArrayType:
        slices = axes if isinstance(axes, tuple) else (axes,)
        return ArrayType(self, len(slices), slices[-1].step == 1, slices[0].step == 1)


class Type(_Argument):
    """A type of numbers: called with a number it converts, with types it is a signature.

    Examples
    --------
    >>> from heddle.numba import float64, int64
    >>> float64(3)
    np.float64(3.0)
    >>> float64(int64, int64)
    float64(int64, int64)
    >>> float64[:, ::1]
    float64[:, ::1]
    """

    def __init__(self, name: str) -> None:
        self.name = self._simt_dtype = name
        self.dtype = self.numpys = np.dtype(name)

    @property
    def bitwidth(self) -> int:
        """How many bits its numbers have."""
        return 8 * self.dtype.itemsize

    @property
    def signed(self) -> bool:
        """Whether integers of it may be below zero."""
        return self.dtype.kind != "u"

    def __call__(self, *values: object) -> Any:
        if len(values) == 1 and not isinstance(values[0], _Argument):
            return self.dtype.type(values[0])
        return Signature(self, values)

    def letters(self, arrays: str) -> str:
        return _PLAIN.get(self.name) or "n" + letter_of(self.name)

    def distance(self, value: object) -> int | None:
        found = typeof(value, None)
        if not isinstance(found, Type):
            return None
        if self.dtype.kind != "c" and found.dtype.kind == "c":
            return None
        if found.name == self.name:
            return 0
        return 1 if np.can_cast(found.dtype, self.dtype) else 2

    def converted(self, value: object) -> Any:
        plain = _PYTHONS.get(self.name)
        return plain(value) if plain is not None else self.dtype.type(value)

    def __repr__(self) -> str:
        return self.name


class _Other(_Argument):
    """A type that NumPy has not: for people to read.

    Examples
    --------
    >>> from heddle.numba import bfloat16
    >>> bfloat16
    bfloat16
    """

    dtype = numpys = None

    def __init__(self, name: str) -> None:
        self.name = self._simt_dtype = name

    def letters(self, arrays: str) -> str:
        return "n" + letter_of(self.name)

    def distance(self, value: object) -> int | None:
        found = typeof(value, None)
        return 1 if isinstance(found, Type) and found.dtype.kind != "c" else None

    def __repr__(self) -> str:
        return self.name


class RecordType(_Argument):
    """Records of NumPy's: made by `from_dtype`.

    Examples
    --------
    >>> import numpy
    >>> from heddle.numba import types
    >>> types.from_dtype(numpy.dtype([("x", "f8"), ("n", "i4")]))
    Record([('x', '<f8'), ('n', '<i4')])
    """

    def __init__(self, dtype: DTypeLike) -> None:
        self.dtype = self.numpys = self._simt_record = np.dtype(dtype)

    def letters(self, arrays: str) -> str:
        return f"{key_of(self.dtype)}{arrays}{letter_of('uint8')}1u"

    def distance(self, value: object) -> int | None:
        return 0 if isinstance(value, np.void) and value.dtype == self.dtype else None

    def __repr__(self) -> str:
        return f"Record({self.dtype})"


class ArrayType(_Argument):
    """Arrays of a type and a number of dimensions: ``float64[:, :]``, ``float64[::1]``.

    Examples
    --------
    >>> from heddle.numba import float64
    >>> rows = float64[:, ::1]
    >>> rows.ndim, rows.layout, rows.dtype
    (2, 'C', float64)
    """

    def __init__(self, element: Any, ndim: int, dense: bool, fortran: bool = False) -> None:
        # By Numba's name `dtype` is one of its types, not NumPy's.
        self.element = self.dtype = element
        self.ndim, self.dense = ndim, dense
        self.fortran = fortran and ndim > 1
        self.numpys = element.numpys

    @property
    def layout(self) -> str:
        """'C', 'F' or 'A' for any."""
        return "C" if self.dense else "F" if self.fortran else "A"

    def letters(self, arrays: str) -> str:
        # Most arrays are dense, whatever is said of them.
        unit = "s" if self.fortran else "u"
        if isinstance(self.element, RecordType):
            return f"{key_of(self.numpys)}{arrays}{letter_of('uint8')}{self.ndim + 1}u"
        return f"{arrays}{letter_of(self.element.name)}{self.ndim}{unit if self.ndim else 's'}"

    def distance(self, value: object) -> int | None:
        dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
        if dtype is None or shape is None or isinstance(value, np.generic):
            return None
        if np.dtype(dtype) != self.numpys or len(shape) != self.ndim:
            return None
        flags = getattr(value, "flags", None)
        if flags is not None and self.layout != "A" and self.ndim:
            name = "C_CONTIGUOUS" if self.dense else "F_CONTIGUOUS"
            return 0 if flags[name] else None
        return 0

    def __repr__(self) -> str:
        axes = [":"] * self.ndim
        if self.dense:
            axes[-1] = "::1"
        elif self.fortran:
            axes[0] = "::1"
        return f"{self.element}[{', '.join(axes)}]"


class TupleType(_Argument):
    """Tuples: ``Tuple((float64, int64))``, ``UniTuple(int64, 2)``.

    Examples
    --------
    >>> from heddle.numba import float64, int64, types
    >>> types.Tuple((float64, int64))
    Tuple(float64, int64)
    """

    def __init__(self, items: Any, kind: Any = None) -> None:
        self.types, self.kind = tuple(items), kind  # kind: the class of named ones

    @property
    def count(self) -> int:
        """How many items there are."""
        return len(self.types)

    @property
    def dtype(self) -> _Argument:
        """The type of all items, where it is one."""
        first: _Argument = self.types[0]
        return first

    def __len__(self) -> int:
        return len(self.types)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.types)

    def __getitem__(  # type: ignore[override]
        self, index: int | slice
    ) -> _Argument | tuple[_Argument, ...]:
        # Of a type of tuples arrays are not made: an index is one of its items.
        found: _Argument | tuple[_Argument, ...] = self.types[index]
        return found

    def letters(self, arrays: str) -> str:
        begin = "(" if self.kind is None else f"{{{number_of(self.kind)}:"
        return begin + "".join(t.letters(arrays) for t in self.types) + ")"

    def distance(self, value: object) -> int | None:
        if not isinstance(value, tuple) or len(value) != len(self.types):
            return None
        found = [t.distance(v) for t, v in zip(self.types, value, strict=True)]
        return None if None in found else max((n for n in found if n is not None), default=0)

    def converted(self, value: Any) -> Any:
        items = [t.converted(v) for t, v in zip(self.types, value, strict=True)]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)

    def __repr__(self) -> str:
        return f"Tuple({', '.join(map(str, self.types))})"


class FunctionType(_Argument):
    """Functions as arguments: what they are given and give. Each is compiled in where it is."""

    def __init__(self, signature: Signature) -> None:
        self.signature = signature

    def letters(self, arrays: str) -> str:
        raise LookupError("which function it is is known when it is given")

    def distance(self, value: object) -> int | None:
        return 0 if callable(value) else None

    def __repr__(self) -> str:
        return f"FunctionType[{self.signature}]"


class NoneType(_Argument):
    """None as an argument, and no result.

    Examples
    --------
    >>> from heddle.numba import float64, none
    >>> float64(float64, none)
    float64(float64, none)
    """

    def letters(self, arrays: str) -> str:
        return "N"

    def distance(self, value: object) -> int | None:
        return 0 if value is None else None

    def __repr__(self) -> str:
        return "none"


class Void:
    """No result.

    Examples
    --------
    >>> from heddle.numba import float64, void
    >>> void(float64[:])
    void(float64[:])
    """

    def __call__(self, *values: object) -> Signature:
        return Signature(None, values)

    def __repr__(self) -> str:
        return "void"


class Signature:
    """Types of arguments, and of the result.

    Examples
    --------
    >>> from heddle.numba import float64, int64
    >>> signature = float64(int64, int64)
    >>> signature.args, signature.return_type
    ((int64, int64), float64)
    """

    def __init__(self, result: Any, arguments: tuple[Any, ...]) -> None:
        self.result, self.arguments = result, tuple(arguments)
        for one in self.arguments:
            if not isinstance(one, _Argument):
                raise TypeError(f"{one!r} is no type of an argument")

    @property
    def args(self) -> tuple[Any, ...]:
        """The types of the arguments, by Numba's name."""
        return self.arguments

    @property
    def return_type(self) -> Any:
        """The type of the result, by Numba's name."""
        return self.result

    def letters(self, arrays: str) -> str:
        """As the core writes it; `arrays`: 'a' for ours, 'p' for NumPy's."""
        return "".join(one.letters(arrays) for one in self.arguments)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Signature) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"{self.result or 'void'}({', '.join(map(str, self.arguments))})"


class TypeClass(type):
    """A name of Numba's that types are asked for: ``isinstance(x, types.Array)``."""

    holds: Callable[[Any], bool]

    def __instancecheck__(cls, value: object) -> bool:
        return bool(cls.holds(value))


class Array(metaclass=TypeClass):
    """Numba's ``types.Array(dtype, ndim, layout)``.

    Arrays that may not be written to are of every such type: a function that would write to one
    refuses it when it is called, so `readonly` only says what is meant.

    Examples
    --------
    >>> from heddle.numba import types
    >>> types.Array(types.float64, 2, "C")
    float64[:, ::1]
    """

    def __new__(  # type: ignore[misc]
        cls,
        dtype: DTypeLike | None,
        ndim: int,
        layout: str = "C",
        readonly: bool = False,
        *,
        aligned: bool = True,
    ) -> ArrayType:
        """The type of arrays of that many dimensions."""
        if not aligned:
            raise ValueError(
                "types.Array: elements are aligned; use records for those that are not"
            )
        return ArrayType(dtype, ndim, layout == "C", layout == "F")

    @staticmethod
    def holds(value: object) -> bool:
        """Whether it is a type of arrays."""
        return isinstance(value, ArrayType)


class Tuple(metaclass=TypeClass):
    """Tuples of these types.

    Examples
    --------
    >>> from heddle.numba import types
    >>> types.Tuple((types.float64, types.int64))
    Tuple(float64, int64)
    """

    def __new__(cls, types: object) -> TupleType:  # type: ignore[misc]
        """The type of such tuples."""
        return TupleType(types)

    @staticmethod
    def holds(value: object) -> bool:
        """Whether it is a type of tuples whose items are of several types."""
        return isinstance(value, TupleType) and not UniTuple.holds(value)


class UniTuple(metaclass=TypeClass):
    """Tuples of so many of one type.

    Examples
    --------
    >>> from heddle.numba import types
    >>> types.UniTuple(types.int64, 2)
    Tuple(int64, int64)
    """

    def __new__(cls, dtype: DTypeLike | None, count: int) -> TupleType:  # type: ignore[misc]
        """The type of such tuples."""
        return TupleType((dtype,) * count)

    @staticmethod
    def holds(value: object) -> bool:
        """Whether it is a type of tuples whose items are of one type."""
        return isinstance(value, TupleType) and len({*map(repr, value.types)}) == 1


def from_dtype(dtype: DTypeLike | None) -> Type | RecordType:
    """The type that has NumPy's: numbers, or records.

    Examples
    --------
    >>> from heddle.numba import types
    >>> from heddle.numba.types import from_dtype
    >>> from_dtype("float32")
    float32
    """
    found = np.dtype(dtype)
    return RecordType(found) if found.names is not None else _known[found.name]


def typeof(value: object, *default: object) -> Any:
    """The type of a value, as an argument.

    Examples
    --------
    >>> from heddle.numba.types import typeof
    >>> typeof(2.5)
    float64
    """
    if value is None:
        return none
    if isinstance(value, tuple):
        kind = type(value) if hasattr(value, "_fields") else None
        return TupleType([typeof(v) for v in value], kind)
    plain = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}.get(type(value))
    if plain is not None:
        return _known[plain]
    dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
    if dtype is None or shape is None or (np.dtype(dtype).name not in NAMES and not dtype.names):
        if isinstance(value, (int, float)):
            return _known["int64" if isinstance(value, int) else "float64"]
        if default:
            return default[0]
        raise ValueError(f"cannot determine the type of {type(value).__name__}")
    element = from_dtype(dtype)
    if isinstance(value, np.generic) or (not isinstance(value, np.ndarray) and not len(shape)):
        return element
    flags = getattr(value, "flags", None)
    dense = flags is None or bool(flags["C_CONTIGUOUS"])
    fortran = not dense and flags is not None and bool(flags["F_CONTIGUOUS"])
    return ArrayType(element, len(shape), dense, fortran)


def read_signature(given: object) -> Signature | None:
    """A signature of its text, or of types alone; None for what is none.

    Examples
    --------
    >>> from heddle import numba as nb
    >>> nb.read_signature("float64(int64)")
    float64(int64)
    """
    if isinstance(given, Signature):
        return given
    if isinstance(given, _Argument):
        return Signature(None, (given,))
    if isinstance(given, tuple) and all(isinstance(t, _Argument) for t in given):
        return Signature(None, given)
    if isinstance(given, str):
        names = {name: globals()[name] for name in __all__}
        try:
            made = eval(given, {"__builtins__": {}}, names)
        except Exception as error:
            raise ValueError(f"'{given}' is no signature: {error}") from error
        if isinstance(made, Signature):
            return made
        return Signature(None, made if isinstance(made, tuple) else (made,))
    return None


def read_signatures(given: object, what: str) -> list[Signature]:
    """Those that a decorator is given: one, or a list."""
    made = []
    for one in given if isinstance(given, list) else [given]:
        signature = read_signature(one)
        if signature is None:
            raise TypeError(f"{what}: {one!r} is no signature")
        made.append(signature)
    return made


def matched(
    signatures: list[Signature], args: tuple[Any, ...], what: str
) -> tuple[Signature, tuple[Any, ...]]:
    """The signature that arguments fit best, and the arguments as it has them."""
    best: list[Signature] = []
    least = 0
    for signature in signatures:
        if len(signature.arguments) != len(args):
            continue
        found = [t.distance(v) for t, v in zip(signature.arguments, args, strict=True)]
        if None in found:
            continue
        far = sum(n for n in found if n is not None)
        if not best or far < least:
            best, least = [signature], far
        elif far == least and far > 0:
            best.append(signature)
    if not best:
        given = ", ".join(str(typeof(a, type(a).__name__)) for a in args)
        known = "; ".join(map(str, signatures))
        raise TypeError(
            f"{what}: no matching definition for argument type(s) {given}; it has {known}"
        )
    if len(best) > 1:
        given = ", ".join(str(typeof(a)) for a in args)
        known = "; ".join(map(str, best))
        raise TypeError(f"{what}: ambiguous overloading for {given}: {known}")
    types = best[0].arguments
    return best[0], tuple(t.converted(v) for t, v in zip(types, args, strict=True))


def signature_of(letters: str) -> Signature:
    """What the core's letters say."""
    types, rest = _types_of(letters)
    assert not rest
    return Signature(None, tuple(types))


def _types_of(letters: str) -> tuple[list[Any], str]:
    made: list[Any] = []
    record: Any = None
    while letters and letters[0] != ")":
        letter, letters = letters[0], letters[1:]
        if letter in "({":
            kind = None
            if letter == "{":
                number, _, letters = letters.partition(":")
                kind = kind_of(int(number))
            inner, letters = _types_of(letters)
            made.append(TupleType(inner, kind))
            letters = letters[1:]
        elif letter == "N":
            made.append(none)
        elif letter == "e":
            letters = letters.partition(":")[2]
        elif letter == "r":
            number, _, letters = letters.partition(":")
            record = RecordType(type_of(int(number)))
        elif letter in "ap":
            name, ndim = NAMES[ord(letters[0]) - ord("A")], int(letters[1])
            dense = letters[2] == "u"
            letters = letters[3:]
            if record is not None:
                made.append(record if ndim == 1 else ArrayType(record, ndim - 1, False))
                record = None
            else:
                made.append(ArrayType(_known.get(name) or _Other(name), ndim, dense))
        elif letter == "n":
            name, letters = NAMES[ord(letters[0]) - ord("A")], letters[1:]
            made.append(_known.get(name) or _Other(name))
        else:
            plain = {"i": "int64", "f": "float64", "c": "complex128", "b": "bool"}[letter]
            made.append(_known[plain])
    return made, letters


_known = {name: Type(name) for name in {*_NAMES.values()}}
globals().update({name: _known[stands_for] for name, stands_for in _NAMES.items()})
void, none, bfloat16 = Void(), NoneType(), _Other("bfloat16")
__all__: list[str] = [*_NAMES, "void", "none", "bfloat16", "Array", "Tuple", "UniTuple"]

_ABSENT = {
    "optional": "a name is of one type: give a number that means nothing, as nan or -1",
    "deferred_type": "classes are not there: use arrays of records, and indices for links",
    **dict.fromkeys(("ffi", "ffi_forced_object"), "functions of C are not called in kernels"),
    **dict.fromkeys(
        ("dim3", "Dim3", "grid_group", "GridGroup"), "it has a value only inside of a kernel"
    ),
}


def __getattr__(name: str) -> object:
    if not name.startswith("_"):
        from heddle._compiled.type_classes import NAMED

        if name in NAMED:
            return NAMED[name]
    why = f": {_ABSENT[name]}" if name in _ABSENT else ""
    raise AttributeError(f"module 'heddle.numba.types' has no attribute '{name}'{why}")
