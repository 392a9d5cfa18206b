"""Types of values in kernels, and how they promote: as NumPy's, with weak numbers; or Numba's."""

from __future__ import annotations

import ast
import types
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from heddle import _core
from heddle.simt._dtypes import NAMES as NAMES
from heddle.simt._dtypes import SIZES as SIZES

BOOL, INT64, UINT64 = NAMES.index("bool"), NAMES.index("int64"), NAMES.index("uint64")
INT32, UINT32 = NAMES.index("int32"), NAMES.index("uint32")
FLOAT16, FLOAT32, FLOAT64 = (NAMES.index(n) for n in ("float16", "float32", "float64"))
BFLOAT16 = NAMES.index("bfloat16")
COMPLEX64, COMPLEX128 = NAMES.index("complex64"), NAMES.index("complex128")

# The number of an operation, of its operands, and which of these are integers in any case.
OPS: dict[str, tuple[int, int, tuple[int, ...]]] = _core.simt_ops()


def is_integer(dtype: int) -> bool:
    return BOOL < dtype <= UINT64


def is_signed(dtype: int) -> bool:
    return is_integer(dtype) and NAMES[dtype][0] == "i"


def is_float(dtype: int) -> bool:
    return FLOAT16 <= dtype <= FLOAT64


def is_complex(dtype: int) -> bool:
    return dtype >= COMPLEX64


@dataclass(frozen=True)
class Number:
    """The type of a scalar. Weak: Python's own, which takes the type of what it meets."""

    dtype: int
    weak: bool = False

    def __str__(self) -> str:
        if self.weak:
            return {INT64: "int", FLOAT64: "float", COMPLEX128: "complex"}.get(
                self.dtype, NAMES[self.dtype]
            )
        return NAMES[self.dtype]


_KIND = (0, *(1,) * 8, *(2,) * 4, *(3,) * 2)  # bool, integer, floating, complex
_WEAK = (BOOL, INT64, FLOAT64, COMPLEX128)  # what is weak of each kind


def promote(a: Number, b: Number) -> Number:
    """The type that both fit, as NumPy promotes."""
    if a.weak == b.weak:
        return Number(_core.simt_promote(a.dtype, b.dtype), a.weak)
    strong, weak = (b, a) if a.weak else (a, b)
    if _KIND[strong.dtype] >= _KIND[weak.dtype]:
        return strong
    if _KIND[weak.dtype] == 3:  # complex beside a real number: of its precision
        single = strong.dtype in (FLOAT16, BFLOAT16, FLOAT32)
        return Number(COMPLEX64 if single else COMPLEX128)
    if strong.dtype == BOOL:
        return Number(_WEAK[_KIND[weak.dtype]], True)
    return Number(FLOAT64)


def promote_numba(a: Number, b: Number) -> Number:
    """The same as Numba promotes: integers are at least of 64 bits."""
    dtype = _core.simt_promote(a.dtype, b.dtype)
    if is_integer(dtype):
        dtype = INT64 if is_signed(dtype) or (dtype < UINT64 and not _unsigned(a, b)) else UINT64
    return Number(dtype)


def _unsigned(a: Number, b: Number) -> bool:
    return all(is_integer(n.dtype) and not is_signed(n.dtype) for n in (a, b))


_ANY = (-(2**63), 2**63 - 1)
_BITS = (1, 8, 8, 16, 16, 32, 32, 64, 64)


Span = tuple[int, int]


def joined_spans(a: Span | None, b: Span | None) -> Span | None:
    return (min(a[0], b[0]), max(a[1], b[1])) if a and b else a or b


def span_of(type: Number, constant: object) -> Span | None:
    """The least and the largest that an integer of Python's may be; None for other numbers."""
    if not (type.weak and is_integer(type.dtype)):
        return None
    return (constant, constant) if isinstance(constant, int) else _ANY


def holds(dtype: int, span: Span) -> bool:
    """Whether integers of a type can be all of a span."""
    bits = _BITS[dtype]
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if is_signed(dtype) else (0, 2**bits - 1)
    return low <= span[0] and span[1] <= high


def widened(type: Number, span: Span | None) -> Number:
    """What is of a type or an integer of Python's: the latter, if the type does not hold it."""
    if span is None or type.weak or not is_integer(type.dtype) or holds(type.dtype, span):
        return type
    if type.dtype == UINT64 and span == _ANY:
        return type  # sizes and indices: nothing holds both, and they are no less than zero
    return Number(INT64 if span[1] < 2**63 else UINT64, True)


def to_dtype(value: object) -> int | None:
    """The number of a type that a constant of a program stands for; None for what is no type."""
    if value is bool:
        return BOOL
    if value is int:
        return INT64
    if value is float:
        return FLOAT64
    if value is complex:
        return COMPLEX128
    if isinstance(value, str) and value in NAMES:
        return NAMES.index(value)
    name = getattr(value, "_simt_dtype", None)  # Numba's types of ours
    if name is not None:
        return NAMES.index(name) if name in NAMES else None
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        found = np.dtype(value).name
        return NAMES.index(found) if found in NAMES else None
    return None


@dataclass(eq=False, repr=False)
class Num:
    """A scalar while a program is written: its type, and the words of its expression."""

    type: Number
    words: list[int]
    constant: Any = None  # where it is known
    simple: bool = False  # a local or a constant: reading it twice costs nothing
    reads: bool = False  # memory: what is written meanwhile matters
    member: Any = None  # the class of an Enum whose member it stands for


@dataclass(eq=False, repr=False)
class Array:
    """An array: which one of the program's, and what is known of it."""

    number: int
    dtype: int
    ndim: int
    root: int
    space: str  # parameter, shared, dynamic, local, held
    name: str = "array"
    unit: bool = False
    view: View | None = None
    extents: tuple[int, ...] = ()
    held: Held | None = None
    fresh: bool = False  # made by the expression, and nobody's yet
    numpys: bool = False  # it is, or becomes, one of NumPy's
    of: int = -1  # view: the array that it counts from; field: the bytes of the records
    field: tuple[int, int, tuple[int, ...]] | None = None  # offset, alignment, extents
    in_bytes: bool = False  # fields, and views of them: strides and offsets
    record_bytes: int = 0  # dynamic memory of records
    frozen: bool = False  # a table of the program's, which nobody writes to


@dataclass(eq=False, repr=False)
class Part:
    """Where a view lies in its array: all in elements."""

    offset: Num
    shape: list[Num]
    strides: list[Num]
    unit: bool  # the last axis is dense


@dataclass(eq=False, repr=False)
class View:
    """The locals that a view of an array is."""

    offset: int
    shape: list[int]
    strides: list[int]


@dataclass(eq=False, repr=False)
class Held:
    """The locals of an array that a name may be given anew (in host programs)."""

    address: int
    owner: int
    shape: list[int]
    strides: list[int]

    def all(self) -> list[int]:
        return [self.address, self.owner, *self.shape, *self.strides]


@dataclass(eq=False, repr=False)
class Tuple:
    items: list[Any] = field(default_factory=list)
    names: tuple[str, ...] = ()
    listed: Any = False  # written as a list, which nobody changes; of which name it is, if of one
    kind: Any = None  # the class that it is outside: of named tuples, of objects


@dataclass(eq=False, repr=False)
class List:
    """Numbers, or tuples of them, in rows with room behind them (in host programs)."""

    key: Any  # where it was made: what its elements are is kept from one run to the next
    length: Any
    parallel: bool  # it belongs to a turn of prange
    parts: list[Array] = field(default_factory=list)
    pairs: bool = False  # tuples: a row for each of their items
    rows: Any = None  # how many lists these are, one after the other
    name: str = ""
    number: int = -1  # which of the arguments it is
    mark: Any = None  # the array that says whose it is, of arguments
    held: Any = None  # the same in locals
    kinds: Any = None  # what is made of it outside, of numbers and of tuples: no list of Python's
    fixed: bool = False  # its types are given


@dataclass(eq=False, repr=False)
class Dict:
    """A dictionary of numbers, or tuples of them (in host programs)."""

    keys: List
    values: List  # as long
    live: Any  # how many entries are still there
    slots: Array  # by hashes: 0 nothing, -1 something that is gone, else an entry and 1
    alive: Array
    parallel: bool = False
    name: str = ""
    number: int = -1  # which of the arguments it is
    mark: Any = None  # the array that says whose it is, of arguments
    held: Any = None  # the same in locals
    kinds: Any = None  # what is made of it outside: no dictionary of Python's
    is_set: bool = False  # its keys are what there is
    lent: bool = False  # a set that was given, which stays as it is


@dataclass(eq=False, repr=False)
class DictView:
    """Its items, keys or values, to go over."""

    of: Dict
    what: str


@dataclass(eq=False, repr=False)
class Instance:
    """An object of a class (`heddle.numba.experimental.jitclass`), in host programs."""

    kind: Any
    record: Any  # its numbers
    arrays: dict[str, Array]  # in locals
    key: Any  # what is known of these is kept from one run to the next
    number: int = -1  # which of the arguments it is
    parallel: bool = False  # it belongs to a turn of prange
    lent: str = ""  # why its arrays stay which they are
    held: Any = None  # its record in locals, of an argument that is given other arrays


@dataclass(eq=False, repr=False)
class RecordArray:
    """Records: an array of bytes with one more axis, and NumPy's type of what is in them."""

    bytes: Array
    dtype: Any
    at: int = 0  # where they begin: records in records
    step: int = 0  # the bytes of what they are in; 0: their own

    @property
    def itemsize(self) -> int:
        return self.step or int(self.dtype.itemsize)


@dataclass(eq=False, repr=False)
class Record:
    """One record: where it is."""

    of: RecordArray
    indices: list[Any]


@dataclass(eq=False, repr=False)
class Constant:
    """Any other object of Python's: a module, a function, a type, a string, None."""

    value: Any


@dataclass(eq=False, repr=False)
class Call:
    """A call of a function of the user's."""

    function: types.FunctionType
    args: list[Any]
    keywords: dict[str, Any]
    node: ast.Call


def is_new_or_rest(value: object) -> bool:
    """Whether an index is None or an ellipsis."""
    return isinstance(value, Constant) and (value.value is None or value.value is ...)


@dataclass(eq=False, repr=False)
class Iterator:
    """A place in an array with one dimension; without an array, of numbers that are computed."""

    array: Any
    place: Num
    first: Any = None
    step: int = 0


@dataclass(eq=False, repr=False)
class Text:
    """A text: the numbers of its characters (in host programs)."""

    row: Array


@dataclass(eq=False, repr=False)
class Elements:
    """The elements of a set that is given."""

    row: Array


@dataclass(eq=False, repr=False)
class Flags:
    """How the elements of an array lie in memory."""

    array: Array


@dataclass(eq=False, repr=False)
class Flat:
    """The elements of an array, by one number each."""

    array: Array


@dataclass(eq=False, repr=False)
class Slice:
    start: Any
    stop: Any
    step: Any


@dataclass(eq=False, repr=False)
class Range:
    """Python's range, of numbers."""

    start: Any
    stop: Any
    step: Any
