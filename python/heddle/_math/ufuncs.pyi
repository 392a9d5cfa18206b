"""NumPy's names for the ufuncs. Made by scripts/generate.py from the op table."""

from typing import Any

from heddle._core import ufunc

add: ufunc
subtract: ufunc
multiply: ufunc
divide: ufunc
floor_divide: ufunc
remainder: ufunc
fmod: ufunc
power: ufunc
float_power: ufunc
negative: ufunc
positive: ufunc
absolute: ufunc
fabs: ufunc
sign: ufunc
square: ufunc
reciprocal: ufunc
sqrt: ufunc
cbrt: ufunc
conjugate: ufunc
gcd: ufunc
lcm: ufunc
exp: ufunc
exp2: ufunc
expm1: ufunc
log: ufunc
log2: ufunc
log10: ufunc
log1p: ufunc
logaddexp: ufunc
logaddexp2: ufunc
sin: ufunc
cos: ufunc
tan: ufunc
arcsin: ufunc
arccos: ufunc
arctan: ufunc
sinh: ufunc
cosh: ufunc
tanh: ufunc
arcsinh: ufunc
arccosh: ufunc
arctanh: ufunc
arctan2: ufunc
hypot: ufunc
deg2rad: ufunc
rad2deg: ufunc
bitwise_and: ufunc
bitwise_or: ufunc
bitwise_xor: ufunc
invert: ufunc
left_shift: ufunc
right_shift: ufunc
bitwise_count: ufunc
greater: ufunc
greater_equal: ufunc
less: ufunc
less_equal: ufunc
equal: ufunc
not_equal: ufunc
logical_and: ufunc
logical_or: ufunc
logical_xor: ufunc
logical_not: ufunc
maximum: ufunc
minimum: ufunc
fmax: ufunc
fmin: ufunc
isfinite: ufunc
isinf: ufunc
isnan: ufunc
signbit: ufunc
copysign: ufunc
nextafter: ufunc
spacing: ufunc
floor: ufunc
ceil: ufunc
trunc: ufunc
rint: ufunc
heaviside: ufunc
ldexp: ufunc
divmod: ufunc
modf: ufunc
frexp: ufunc
abs: ufunc
acos: ufunc
acosh: ufunc
asin: ufunc
asinh: ufunc
atan: ufunc
atan2: ufunc
atanh: ufunc
bitwise_invert: ufunc
bitwise_left_shift: ufunc
bitwise_not: ufunc
bitwise_right_shift: ufunc
conj: ufunc
degrees: ufunc
mod: ufunc
pow: ufunc
radians: ufunc
true_divide: ufunc

_plain: tuple[type, ...]

def _dispatch(*args: Any) -> Any: ...
def check_power(u: ufunc, inputs: tuple[Any, ...], compute: Any) -> None: ...

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
