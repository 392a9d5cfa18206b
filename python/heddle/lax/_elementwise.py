"""Functions of elements, with JAX's names: each for certain types, of which nothing is promoted."""

from __future__ import annotations

import builtins
import enum
from collections.abc import Callable
from typing import Any

import heddle as hd
from heddle import special
from heddle._core import ndarray
from heddle._transform.arguments import is_number
from heddle._typing import ArrayLike, DTypeLike
from heddle.lax._operands import check_kind, kind_of, read, read_one

_Unary = Callable[[Any], hd.ndarray]
_Binary = Callable[[Any, Any], hd.ndarray]


def _described(function: Callable[..., Any], name: str, says: str, example: str) -> Any:
    function.__name__ = function.__qualname__ = name
    shown = example.split(" -> ")
    function.__doc__ = (
        f"{says}\n\n    >>> import heddle as np\n"
        f"    >>> print(np.lax.{name}({shown[0]}))\n    {shown[1]}\n"
    )
    return function


def _one(name: str, compute: Any, kinds: str, says: str, example: str) -> _Unary:
    """A function of one operand; the example is its arguments, an arrow, and what is printed."""

    def function(x: ArrayLike) -> hd.ndarray:
        return compute(read_one(name, x, kinds))  # type: ignore[no-any-return]

    return _described(function, name, says, example)  # type: ignore[no-any-return]


def _two(name: str, compute: Any, kinds: str, says: str, example: str) -> _Binary:
    """A function of two operands of one type."""

    def function(x: ArrayLike, y: ArrayLike) -> hd.ndarray:
        return compute(*read(name, kinds, x, y))  # type: ignore[no-any-return]

    return _described(function, name, says, example)  # type: ignore[no-any-return]


_FLOATS, _NUMBERS, _SIGNED = "fc", "iufc", "ifc"
_INTEGERS, _BITS, _ALL = "iu", "biu", "biufc"

# Of one operand.
abs = _one("abs", hd.abs, _NUMBERS, "The absolute value.", "-2.0 -> 2.0")
neg = _one("neg", hd.negative, _NUMBERS, "The negative.", "2.0 -> -2.0")
sign = _one(
    "sign", hd.sign, _NUMBERS, "-1, 0 or 1; of a complex number the one of size 1.", "-3 -> -1"
)
sin = _one("sin", hd.sin, _FLOATS, "Sine.", "0.0 -> 0.0")
cos = _one("cos", hd.cos, _FLOATS, "Cosine.", "0.0 -> 1.0")
tan = _one("tan", hd.tan, _FLOATS, "Tangent.", "0.0 -> 0.0")
asin = _one("asin", hd.arcsin, _FLOATS, "Inverse sine.", "0.0 -> 0.0")
acos = _one("acos", hd.arccos, _FLOATS, "Inverse cosine.", "1.0 -> 0.0")
atan = _one("atan", hd.arctan, _FLOATS, "Inverse tangent.", "0.0 -> 0.0")
sinh = _one("sinh", hd.sinh, _FLOATS, "Hyperbolic sine.", "0.0 -> 0.0")
cosh = _one("cosh", hd.cosh, _FLOATS, "Hyperbolic cosine.", "0.0 -> 1.0")
tanh = _one("tanh", hd.tanh, _FLOATS, "Hyperbolic tangent.", "0.0 -> 0.0")
asinh = _one("asinh", hd.arcsinh, _FLOATS, "Inverse hyperbolic sine.", "0.0 -> 0.0")
acosh = _one("acosh", hd.arccosh, _FLOATS, "Inverse hyperbolic cosine.", "1.0 -> 0.0")
atanh = _one("atanh", hd.arctanh, _FLOATS, "Inverse hyperbolic tangent.", "0.0 -> 0.0")
exp = _one("exp", hd.exp, _FLOATS, "e to the power of x.", "0.0 -> 1.0")
exp2 = _one("exp2", hd.exp2, _FLOATS, "2 to the power of x.", "3.0 -> 8.0")
expm1 = _one("expm1", hd.expm1, _FLOATS, "``exp(x) - 1``, exact near 0.", "0.0 -> 0.0")
log = _one("log", hd.log, _FLOATS, "The natural logarithm.", "1.0 -> 0.0")
log1p = _one("log1p", hd.log1p, _FLOATS, "``log(1 + x)``, exact near 0.", "0.0 -> 0.0")
sqrt = _one("sqrt", hd.sqrt, _FLOATS, "The square root.", "4.0 -> 2.0")
rsqrt = _one("rsqrt", lambda x: 1 / hd.sqrt(x), _FLOATS, "One over the root.", "4.0 -> 0.5")
cbrt = _one("cbrt", hd.cbrt, "f", "The cube root.", "8.0 -> 2.0")
square = _one("square", hd.square, _NUMBERS, "x times x.", "3 -> 9")
reciprocal = _one("reciprocal", lambda x: 1 / x, _FLOATS, "One over x.", "4.0 -> 0.25")


def _logistic(x: hd.ndarray) -> ndarray:
    return 1 / (1 + hd.exp(-x)) if x.dtype.kind == "c" else special.expit(x)


logistic = _one("logistic", _logistic, _FLOATS, "``1 / (1 + exp(-x))``.", "0.0 -> 0.5")
floor = _one("floor", hd.floor, "f", "The greatest integer that is not above.", "1.5 -> 1.0")
ceil = _one("ceil", hd.ceil, "f", "The least integer that is not below.", "1.5 -> 2.0")
is_finite = _one("is_finite", hd.isfinite, "f", "Neither infinite nor nan.", "1.0 -> True")
bitwise_not = _one("bitwise_not", hd.invert, _BITS, "Each bit the other way.", "5 -> -6")
population_count = _one(
    "population_count",
    lambda x: hd.bitwise_count(x.view(f"u{x.dtype.itemsize}")).astype(x.dtype),
    _INTEGERS,
    "How many bits are 1.",
    "5 -> 2",
)
real = _one("real", hd.real, "c", "The real part.", "1 + 2j -> 1.0")
imag = _one("imag", hd.imag, "c", "The imaginary part.", "1 + 2j -> 2.0")
erf = _one("erf", special.erf, "f", "The error function.", "0.0 -> 0.0")
erfc = _one("erfc", special.erfc, "f", "One minus the error function.", "0.0 -> 1.0")
erf_inv = _one("erf_inv", special.erfinv, "f", "The inverse error function.", "0.0 -> 0.0")
lgamma = _one("lgamma", special.gammaln, "f", "The logarithm of gamma(x).", "1.0 -> 0.0")
digamma = _one(
    "digamma", special.digamma, "f", "The slope of `lgamma`.", "np.ones(1) -> [-0.57721566]"
)
bessel_i0e = _one("bessel_i0e", special.i0e, "f", "``exp(-|x|) * i0(x)``.", "0.0 -> 1.0")
bessel_i1e = _one("bessel_i1e", special.i1e, "f", "``exp(-|x|) * i1(x)``.", "0.0 -> 0.0")

# Of two.
add = _two("add", hd.add, _ALL, "The sum.", "1, 2 -> 3")
sub = _two("sub", hd.subtract, _NUMBERS, "The difference.", "1, 2 -> -1")
mul = _two("mul", hd.multiply, _ALL, "The product.", "2, 3 -> 6")
max = _two("max", hd.maximum, _ALL, "The greater one.", "1, 2 -> 2")
min = _two("min", hd.minimum, _ALL, "The lesser one.", "1, 2 -> 1")
rem = _two("rem", hd.fmod, "iuf", "What division leaves, with x's sign.", "-5, 3 -> -2")
atan2 = _two("atan2", hd.arctan2, "f", "The angle of the point (y, x).", "0.0, 1.0 -> 0.0")
nextafter = _two("nextafter", hd.nextafter, "f", "The next number towards y.", "1.0, 1.0 -> 1.0")
bitwise_and = _two("bitwise_and", hd.bitwise_and, _BITS, "Bits of both.", "6, 3 -> 2")
bitwise_or = _two("bitwise_or", hd.bitwise_or, _BITS, "Bits of either.", "6, 3 -> 7")
bitwise_xor = _two("bitwise_xor", hd.bitwise_xor, _BITS, "Bits of one.", "6, 3 -> 5")
eq = _two("eq", hd.equal, _ALL, "Whether both are the same.", "1, 2 -> False")
ne = _two("ne", hd.not_equal, _ALL, "Whether they differ.", "1, 2 -> True")
lt = _two("lt", hd.less, "biuf", "Whether x is less.", "1, 2 -> True")
le = _two("le", hd.less_equal, "biuf", "Whether x is not greater.", "1, 2 -> True")
gt = _two("gt", hd.greater, "biuf", "Whether x is greater.", "1, 2 -> False")
ge = _two("ge", hd.greater_equal, "biuf", "Whether x is not less.", "1, 2 -> False")
igamma = _two(
    "igamma", special.gammainc, "f", "The lower incomplete gamma function.", "1.0, 0.0 -> 0.0"
)
igammac = _two(
    "igammac", special.gammaincc, "f", "The upper incomplete gamma function.", "1.0, 0.0 -> 1.0"
)
zeta = _two(
    "zeta", special.zeta, "f", "Hurwitz' zeta function.", "2.0 * np.ones(1), 1.0 -> [1.64493407]"
)
polygamma = _two(
    "polygamma",
    special.polygamma,
    "f",
    "The derivative of order m of `digamma`.",
    "np.ones(1), 1.0 -> [1.64493407]",
)
complex = _two(
    "complex", lambda x, y: x + y * 1j, "f", "A complex number of two parts.", "1.0, 2.0 -> (1+2j)"
)


def _divided(x: hd.ndarray, y: hd.ndarray) -> hd.ndarray:
    if kind_of(x.dtype) in "fc":
        return x / y
    # Towards zero, as C has it; NumPy's integers are rounded down.
    down = x // y
    return hd.where((down < 0) & (down * y != x), down + 1, down).astype(x.dtype)


div = _two(
    "div", _divided, _NUMBERS, "The quotient; of integers the one nearer to 0.", "-7, 2 -> -3"
)


def _shift(name: str, logical: bool, left: bool, says: str, example: str) -> _Binary:
    def compute(x: hd.ndarray, y: hd.ndarray) -> hd.ndarray:
        bits = x.dtype.itemsize * 8
        unsigned = f"u{x.dtype.itemsize}"
        far = (y < 0) | (y >= bits)
        by = hd.where(far, 0, y).astype(x.dtype)
        if left:
            return hd.where(far, 0, x << by).astype(x.dtype)
        if logical:
            moved = x.view(unsigned) >> by.view(unsigned)
            return hd.where(far, 0, moved).astype(unsigned).view(x.dtype)
        signed = x.view(f"i{x.dtype.itemsize}")  # the first bit is the sign of unsigned ones, too
        moved = hd.where(far, signed >> (bits - 1), signed >> by.view(signed.dtype))
        return moved.astype(signed.dtype).view(x.dtype)

    return _two(name, compute, _INTEGERS, says, example)


shift_left = _shift("shift_left", False, True, "Bits moved up.", "1, 3 -> 8")
shift_right_arithmetic = _shift(
    "shift_right_arithmetic", False, False, "Bits moved down, the sign kept.", "-8, 2 -> -2"
)
shift_right_logical = _shift(
    "shift_right_logical", True, False, "Bits moved down, zeros in front.", "8, 2 -> 2"
)


def pow(x: ArrayLike, y: ArrayLike) -> hd.ndarray:
    """x to the power of y; y may be of integers.

    >>> import heddle as np
    >>> print(np.lax.pow(2.0, 3))
    8.0
    """
    base = read_one("pow", x, _FLOATS)
    number = isinstance(y, (int, float)) or is_number(y)
    exponent = hd.asarray(y, dtype=base.dtype) if number else hd.asarray(y)
    if kind_of(exponent.dtype) in "biu":
        exponent = exponent.astype(base.dtype)
    return hd.power(*read("pow", _FLOATS, base, exponent))


def integer_pow(x: ArrayLike, y: int) -> hd.ndarray:
    """x to the power of an integer of Python's.

    >>> import heddle as np
    >>> print(np.lax.integer_pow(3, 2))
    9
    """
    if not isinstance(y, int):
        raise TypeError(f"lax.integer_pow: an int is wanted, not {y!r}")
    base = read_one("integer_pow", x, _NUMBERS)
    if y < 0:
        check_kind("integer_pow", base, _FLOATS)
        return 1 / integer_pow(base, -y)
    return base**y


def conj(x: ArrayLike) -> hd.ndarray:
    """The conjugate; of real numbers a complex one, too.

    >>> import heddle as np
    >>> print(np.lax.conj(1 + 2j))
    (1-2j)
    """
    array = read_one("conj", x, _FLOATS)
    if kind_of(array.dtype) == "f":
        return array + 0j
    return hd.conj(array)


def clz(x: ArrayLike) -> hd.ndarray:
    """How many bits before the first 1 are 0.

    >>> import heddle as np
    >>> print(np.lax.clz(np.array([0, 1, 255], "uint8")))
    [8 7 0]
    """
    array = read_one("clz", x, _INTEGERS)
    bits = array.dtype.itemsize * 8
    filled = array.view(f"u{array.dtype.itemsize}")
    step = 1
    while step < bits:  # ones from the first one on, to be counted
        filled = filled | (filled >> step)
        step *= 2
    return (bits - hd.bitwise_count(filled).astype("int64")).astype(array.dtype)


class RoundingMethod(enum.IntEnum):
    """What `round` makes of a half.

    >>> import heddle as np
    >>> np.lax.RoundingMethod.TO_NEAREST_EVEN.name
    'TO_NEAREST_EVEN'
    """

    AWAY_FROM_ZERO = 0
    TO_NEAREST_EVEN = 1


def round(
    x: ArrayLike, rounding_method: RoundingMethod = RoundingMethod.AWAY_FROM_ZERO
) -> hd.ndarray:
    """The nearest integer; halves go away from zero, or to the even one.

    >>> import heddle as np
    >>> print(np.lax.round(np.array([0.5, -1.5, 2.4])))
    [ 1. -2.  2.]
    """
    array = read_one("round", x, "f")
    method = RoundingMethod(rounding_method)
    if method is RoundingMethod.TO_NEAREST_EVEN:
        return hd.rint(array)
    # What is left of the whole part is exact, x + 0.5 is not.
    whole = hd.trunc(array)
    return whole + hd.where(hd.abs(array - whole) >= 0.5, hd.sign(array), 0).astype(array.dtype)


def clamp(min: ArrayLike, x: ArrayLike, max: ArrayLike) -> hd.ndarray:
    """x, or the bound that it is beyond; bounds have no dimensions, or x's shape.

    >>> import heddle as np
    >>> print(np.lax.clamp(0.0, np.array([-1.0, 0.5, 2.0]), 1.0))
    [0.  0.5 1. ]
    """
    low, array, high = read("clamp", "biuf", min, x, max)
    for bound in (low, high):
        if bound.ndim and bound.shape != array.shape:
            raise TypeError(
                f"lax.clamp: a bound of shape {bound.shape} for an array of shape {array.shape}"
            )
    return hd.minimum(hd.maximum(array, low), high)


def igamma_grad_a(a: ArrayLike, x: ArrayLike) -> hd.ndarray:
    """The slope of `igamma` along its first argument.

    >>> import heddle as np
    >>> print(np.lax.igamma_grad_a(np.ones(1), 1.0))
    [-0.43172971]
    """
    shape, point = hd.broadcast_arrays(*read("igamma_grad_a", "f", a, x))
    return hd.jvp(lambda one: special.gammainc(one, point), (shape,), (hd.ones_like(shape),))[1]


def random_gamma_grad(a: ArrayLike, x: ArrayLike) -> hd.ndarray:
    """How a gamma number x of parameter a moves with it, if it keeps its probability.

    >>> import heddle as np
    >>> print(np.lax.random_gamma_grad(np.ones(1), 1.0))
    [1.17356303]
    """
    shape, point = read("random_gamma_grad", "f", a, x)
    density = hd.exp((shape - 1) * hd.log(point) - point - special.gammaln(shape))
    return -igamma_grad_a(shape, point) / density


def betainc(a: ArrayLike, b: ArrayLike, x: ArrayLike) -> hd.ndarray:
    """The regularized incomplete beta function.

    >>> import heddle as np
    >>> print(np.lax.betainc(1.0, 1.0, 0.25))
    0.25
    """
    return special.betainc(*read("betainc", "f", a, b, x))


def convert_element_type(operand: ArrayLike, new_dtype: DTypeLike) -> hd.ndarray:
    """The array with elements of another type.

    >>> import heddle as np
    >>> np.lax.convert_element_type(np.ones(2), "int32")
    array([1, 1], dtype=int32)
    """
    array = hd.asarray(operand)
    wanted = hd.dtype(new_dtype)
    if kind_of(array.dtype) == "c" and kind_of(wanted) not in "cb":
        array = array.real
    return array.astype(wanted)


def bitcast_convert_type(operand: ArrayLike, new_dtype: DTypeLike) -> hd.ndarray:
    """The same bits as elements of another type.

    Where these are narrower there is one more dimension at the end; where they are wider, the last
    one goes, which has to have as many elements as make up one.

    >>> import heddle as np
    >>> print(np.lax.bitcast_convert_type(np.array(1.0, "float32"), "int32"))
    1065353216
    """
    array, wanted = hd.asarray(operand), hd.dtype(new_dtype)
    old, new = array.dtype.itemsize, wanted.itemsize
    if old == new:
        return hd.ascontiguousarray(array).reshape(array.shape).view(wanted)
    if old > new:
        return hd.ascontiguousarray(array[..., None]).view(wanted)
    if array.ndim == 0 or array.shape[-1] * old != new:
        raise ValueError(
            f"lax.bitcast_convert_type: {new // old} elements of {array.dtype} along the last axis "
            f"make one of {wanted}, and the shape is {array.shape}"
        )
    return hd.ascontiguousarray(array).view(wanted)[..., 0]


def reduce_precision(operand: ArrayLike, exponent_bits: int, mantissa_bits: int) -> hd.ndarray:
    """The nearest numbers that fewer bits can say; what is too large is infinite, too small 0.

    >>> import heddle as np
    >>> print(np.lax.reduce_precision(np.array(0.1), 5, 10))
    0.0999755859375
    """
    array = read_one("reduce_precision", operand, "f")
    if exponent_bits < 1 or mantissa_bits < 0:
        raise ValueError(
            f"lax.reduce_precision: {exponent_bits} bits of the exponent, {mantissa_bits} of the "
            "mantissa"
        )
    own = hd.finfo(array.dtype)
    bits = array.dtype.itemsize * 8
    drop = builtins.max(int(own.nmant) - mantissa_bits, 0)
    words = array.view(f"u{bits // 8}")
    if drop:  # halves go to the even one
        odd = (words >> drop) & 1
        words = ((words + ((1 << (drop - 1)) - 1) + odd) >> drop) << drop
    rounded = words.astype(f"u{bits // 8}").view(array.dtype)
    if exponent_bits < bits - 1 - int(own.nmant):
        most = 2 ** (exponent_bits - 1) - 1
        largest = (2.0 - 2.0 ** -builtins.min(mantissa_bits, int(own.nmant))) * 2.0**most
        least = 2.0 ** (1 - most)
        size = hd.abs(rounded)
        rounded = hd.where(size > largest, hd.copysign(hd.inf, rounded), rounded)
        rounded = hd.where(size < least, hd.copysign(0.0, rounded), rounded)
    return hd.where(hd.isfinite(array), rounded, array).astype(array.dtype)
