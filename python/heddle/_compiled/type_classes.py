"""Classes of types by Numba's names, for functions that choose by the types of what they get.

``isinstance(x, types.Integer)`` asks a type, and not a value (`heddle.numba.extending.overload`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from heddle._compiled import signatures as _signatures
from heddle._compiled.signatures import (
    FunctionType,
    NoneType,
    RecordType,
    TupleType,
    Type,
    TypeClass,
    _Argument,
)


class Container(_Argument):
    """A type of lists, sets or dictionaries, of texts, functions and the like: what it is of."""

    def __init__(self, kind: str, *of: Any, value: Any = None) -> None:
        self.kind, self.of, self.value = kind, of, value

    @property
    def dtype(self) -> Any:
        """What its elements are."""
        return self.of[0]

    @property
    def key_type(self) -> Any:
        """What keys of dictionaries are."""
        return self.of[0]

    @property
    def value_type(self) -> Any:
        """What values of dictionaries are."""
        return self.of[1]

    @property
    def py_func(self) -> Any:
        """The function as it was written."""
        return getattr(self.value, "py_func", self.value)

    @property
    def instance_type(self) -> Any:
        """Of a type that is a value: the type itself."""
        return self.of[0]

    def __repr__(self) -> str:
        if self.value is not None:
            name = getattr(self.value, "__name__", repr(self.value))
            return f"{self.kind}({name} at {id(self.value):#x})"
        return f"{self.kind}({', '.join(map(repr, self.of))})" if self.of else self.kind


class LiteralNumber(Type):
    """The type of a number that is known when the function is compiled."""

    def __init__(self, name: str, value: Any) -> None:
        super().__init__(name)
        self.literal_value = value

    @property
    def literal_type(self) -> Any:
        """The type that others of its kind have."""
        return _signatures._known[self.name]

    def __repr__(self) -> str:
        return f"Literal[{type(self.literal_value).__name__}]({self.literal_value!r})"


class LiteralText(Container):
    """The type of a text that is known when the function is compiled."""

    def __init__(self, text: str) -> None:
        super().__init__("unicode_type")
        self.literal_value = text

    def __repr__(self) -> str:
        return f"Literal[str]({self.literal_value})"


unicode_type = Container("unicode_type")


def _kind(value: Any) -> str:
    """As NumPy names kinds of types; nothing for what is none of numbers."""
    return value.dtype.kind if isinstance(value, Type) else ""


def _class(name: str, what: str, holds: Callable[[Any], bool]) -> Any:
    body = {"__doc__": f"{what} Asked of types by `isinstance`.", "holds": staticmethod(holds)}
    return TypeClass(name, (), body)


def _of(*kinds: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, Container) and value.kind in kinds


Number = _class("Number", "Integers, floats and complex.", lambda v: _kind(v) in {*"iufc"})
Integer = _class("Integer", "Integers.", lambda v: _kind(v) in {*"iu"})
Float = _class("Float", "Floats.", lambda v: _kind(v) == "f")
Complex = _class("Complex", "Complex numbers.", lambda v: _kind(v) == "c")
Boolean = _class("Boolean", "Booleans.", lambda v: _kind(v) == "b")
NumberClass = _class("NumberClass", "Types of numbers as values.", _of("class"))
DType = _class("DType", "NumPy's types as values.", _of("dtype"))
Buffer = _class("Buffer", "Arrays.", lambda v: isinstance(v, _signatures.ArrayType))
BaseTuple = _class("BaseTuple", "Tuples.", lambda v: isinstance(v, TupleType))
BaseNamedTuple = _class(
    "BaseNamedTuple", "Named tuples.", lambda v: isinstance(v, TupleType) and v.kind is not None
)
Record = _class("Record", "Records.", lambda v: isinstance(v, RecordType))
Literal = _class("Literal", "What is known.", lambda v: isinstance(v, (LiteralNumber, LiteralText)))
IntegerLiteral = _class(
    "IntegerLiteral", "Known integers.", lambda v: isinstance(v, LiteralNumber) and Integer.holds(v)
)
BooleanLiteral = _class(
    "BooleanLiteral",
    "Known booleans.",
    lambda v: isinstance(v, LiteralNumber) and Boolean.holds(v),
)
StringLiteral = _class("StringLiteral", "Known texts.", lambda v: isinstance(v, LiteralText))
UnicodeType = _class("UnicodeType", "Texts.", _of("unicode_type"))
List = _class("List", "Lists of Python's.", _of("reflected list"))
ListType = _class("ListType", "Typed lists.", _of("ListType"))
DictType = _class("DictType", "Typed dictionaries.", _of("DictType"))
Set = _class("Set", "Sets.", _of("reflected set"))
SliceType = _class("SliceType", "Slices.", _of("slice"))
RangeType = _class("RangeType", "Ranges.", _of("range"))
Function = _class("Function", "Functions of Python's and NumPy's.", _of("Function"))
Dispatcher = _class("Dispatcher", "Compiled functions.", _of("type(CPUDispatcher)"))
Callable_ = _class("Callable", "Functions.", _of("Function", "type(CPUDispatcher)"))
ClassInstanceType = _class("ClassInstanceType", "Objects of jitclass.", _of("instance"))
Omitted = _class("Omitted", "Defaults: functions get them as they are.", lambda v: False)
Optional = _class("Optional", "What may be None: no name is.", lambda v: False)

NAMED: dict[str, Any] = {
    **{k: v for k, v in globals().items() if isinstance(v, TypeClass)},
    **{"Callable": Callable_, "NoneType": NoneType, "unicode_type": unicode_type},
    **{"string": unicode_type, "ArrayCompatible": Buffer, "FunctionType": FunctionType},
}
del NAMED["Callable_"]
