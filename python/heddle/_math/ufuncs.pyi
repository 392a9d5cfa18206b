"""NumPy's names for the ufuncs. Made by scripts/generate.py from the op table."""

from typing import Any

from heddle._core import ndarray, ufunc
from heddle._typing import ArrayLike, Axis, Casting, DTypeLike, Order, Output

class Binary(ufunc):
    def __call__(
        self,
        x1: ArrayLike,
        x2: ArrayLike,
        /,
        out: Output | None = None,
        *,
        where: ArrayLike = True,
        casting: Casting = "same_kind",
        order: Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
        signature: Any = None,
    ) -> ndarray: ...

class Unary(ufunc):
    def __call__(
        self,
        x: ArrayLike,
        /,
        out: Output | None = None,
        *,
        where: ArrayLike = True,
        casting: Casting = "same_kind",
        order: Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
        signature: Any = None,
    ) -> ndarray: ...

class BinaryPair(ufunc):
    def __call__(
        self,
        x1: ArrayLike,
        x2: ArrayLike,
        /,
        out: tuple[Output | None, Output | None] | None = None,
        *,
        where: ArrayLike = True,
        casting: Casting = "same_kind",
        order: Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
        signature: Any = None,
    ) -> tuple[ndarray, ndarray]: ...

class UnaryPair(ufunc):
    def __call__(
        self,
        x: ArrayLike,
        /,
        out: tuple[Output | None, Output | None] | None = None,
        *,
        where: ArrayLike = True,
        casting: Casting = "same_kind",
        order: Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
        signature: Any = None,
    ) -> tuple[ndarray, ndarray]: ...

class Ternary(ufunc):
    def __call__(
        self,
        x1: ArrayLike,
        x2: ArrayLike,
        x3: ArrayLike,
        /,
        out: Output | None = None,
        *,
        where: ArrayLike = True,
        casting: Casting = "same_kind",
        order: Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
        signature: Any = None,
    ) -> ndarray: ...

class Quaternary(ufunc):
    def __call__(
        self,
        x1: ArrayLike,
        x2: ArrayLike,
        x3: ArrayLike,
        x4: ArrayLike,
        /,
        out: Output | None = None,
        *,
        where: ArrayLike = True,
        casting: Casting = "same_kind",
        order: Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
        signature: Any = None,
    ) -> ndarray: ...

class UnaryQuadruple(ufunc):
    def __call__(
        self,
        x: ArrayLike,
        /,
        out: tuple[Output | None, Output | None, Output | None, Output | None] | None = None,
        *,
        where: ArrayLike = True,
        casting: Casting = "same_kind",
        order: Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
        signature: Any = None,
    ) -> tuple[ndarray, ndarray, ndarray, ndarray]: ...

class BinaryQuadruple(ufunc):
    def __call__(
        self,
        x1: ArrayLike,
        x2: ArrayLike,
        /,
        out: tuple[Output | None, Output | None, Output | None, Output | None] | None = None,
        *,
        where: ArrayLike = True,
        casting: Casting = "same_kind",
        order: Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
        signature: Any = None,
    ) -> tuple[ndarray, ndarray, ndarray, ndarray]: ...

class TernaryPair(ufunc):
    def __call__(
        self,
        x1: ArrayLike,
        x2: ArrayLike,
        x3: ArrayLike,
        /,
        out: tuple[Output | None, Output | None] | None = None,
        *,
        where: ArrayLike = True,
        casting: Casting = "same_kind",
        order: Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
        signature: Any = None,
    ) -> tuple[ndarray, ndarray]: ...

class QuaternaryPair(ufunc):
    def __call__(
        self,
        x1: ArrayLike,
        x2: ArrayLike,
        x3: ArrayLike,
        x4: ArrayLike,
        /,
        out: tuple[Output | None, Output | None] | None = None,
        *,
        where: ArrayLike = True,
        casting: Casting = "same_kind",
        order: Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
        signature: Any = None,
    ) -> tuple[ndarray, ndarray]: ...

class QuinaryPair(ufunc):
    def __call__(
        self,
        x1: ArrayLike,
        x2: ArrayLike,
        x3: ArrayLike,
        x4: ArrayLike,
        x5: ArrayLike,
        /,
        out: tuple[Output | None, Output | None] | None = None,
        *,
        where: ArrayLike = True,
        casting: Casting = "same_kind",
        order: Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
        signature: Any = None,
    ) -> tuple[ndarray, ndarray]: ...

class Generalized(ufunc):
    def __call__(
        self,
        x1: ArrayLike,
        x2: ArrayLike,
        /,
        out: Output | None = None,
        *,
        casting: Casting = "same_kind",
        order: Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
        signature: Any = None,
        axes: Any = ...,
        axis: Axis = ...,
        keepdims: bool = False,
    ) -> ndarray: ...

add: Binary
subtract: Binary
multiply: Binary
divide: Binary
floor_divide: Binary
remainder: Binary
fmod: Binary
power: Binary
float_power: Binary
negative: Unary
positive: Unary
absolute: Unary
fabs: Unary
sign: Unary
square: Unary
reciprocal: Unary
sqrt: Unary
cbrt: Unary
conjugate: Unary
gcd: Binary
lcm: Binary
exp: Unary
exp2: Unary
expm1: Unary
log: Unary
log2: Unary
log10: Unary
log1p: Unary
logaddexp: Binary
logaddexp2: Binary
sin: Unary
cos: Unary
tan: Unary
arcsin: Unary
arccos: Unary
arctan: Unary
sinh: Unary
cosh: Unary
tanh: Unary
arcsinh: Unary
arccosh: Unary
arctanh: Unary
arctan2: Binary
hypot: Binary
deg2rad: Unary
rad2deg: Unary
bitwise_and: Binary
bitwise_or: Binary
bitwise_xor: Binary
invert: Unary
left_shift: Binary
right_shift: Binary
bitwise_count: Unary
greater: Binary
greater_equal: Binary
less: Binary
less_equal: Binary
equal: Binary
not_equal: Binary
logical_and: Binary
logical_or: Binary
logical_xor: Binary
logical_not: Unary
maximum: Binary
minimum: Binary
fmax: Binary
fmin: Binary
isfinite: Unary
isinf: Unary
isnan: Unary
signbit: Unary
copysign: Binary
nextafter: Binary
spacing: Unary
floor: Unary
ceil: Unary
trunc: Unary
rint: Unary
heaviside: Binary
ldexp: Binary
divmod: BinaryPair
modf: UnaryPair
frexp: UnaryPair
abs: Unary
acos: Unary
acosh: Unary
asin: Unary
asinh: Unary
atan: Unary
atan2: Binary
atanh: Unary
bitwise_invert: Unary
bitwise_left_shift: Binary
bitwise_not: Unary
bitwise_right_shift: Binary
conj: Unary
degrees: Unary
mod: Binary
pow: Binary
radians: Unary
true_divide: Binary

def is_plain(a: object) -> bool: ...
def handles_ufuncs(a: object) -> bool: ...

__all__ = [
    "abs",
    "absolute",
    "acos",
    "acosh",
    "add",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_count",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "cbrt",
    "ceil",
    "conj",
    "conjugate",
    "copysign",
    "cos",
    "cosh",
    "deg2rad",
    "degrees",
    "divide",
    "divmod",
    "equal",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "float_power",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "frexp",
    "gcd",
    "greater",
    "greater_equal",
    "heaviside",
    "hypot",
    "invert",
    "isfinite",
    "isinf",
    "isnan",
    "lcm",
    "ldexp",
    "left_shift",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "mod",
    "modf",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "power",
    "rad2deg",
    "radians",
    "reciprocal",
    "remainder",
    "right_shift",
    "rint",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "spacing",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "true_divide",
    "trunc",
    "ufunc",
]
