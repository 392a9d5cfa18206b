"""What the ufuncs are compared with: the row of the op table says which oracle each has."""

import mpmath
import numpy
import scipy.special
from support import WIDER, bfloat16

import heddle

UFUNCS = heddle._core.ufuncs | heddle._core.special_ufuncs
NAMES = sorted(heddle._core.ufuncs)  # test_special.py has the others
SCIPY = tuple(map(int, scipy.__version__.split(".")[:2]))
_places = {"numpy": numpy, "scipy": scipy.special}
# Of rows that neither has (.oracle = ours): functions of NumPy's arrays of a type that the row
# computes in, by name.
REFERENCES = {}
mpmath.mp.prec = 100  # more than a long double has


def facts(name):
    return UFUNCS[name].facts


def oracle(name):
    """The function of NumPy or SciPy that a ufunc is compared with, or a reference of ours."""
    if facts(name)["oracle"] == "ours":
        return lambda *args: REFERENCES[name](*as_computed_in(name, args))
    return getattr(_places[facts(name)["oracle"]], name)


def as_computed_in(name, args):
    """Operands in the first type of the row that they can be cast to safely, as NumPy's ufuncs."""
    for loop in UFUNCS[name].loops:
        if loop[0] != "E" and all(numpy.can_cast(a.dtype, loop[0]) for a in args):
            return [a.astype(loop[0]) for a in args]
    if all(a.dtype.kind == "f" for a in args):
        return args  # of a type that is wider, for the digits
    raise TypeError(f"{name} does not compute in {[str(a.dtype) for a in args]}")


def reference(name, args):
    """The oracle's result; for bfloat16 computed in float32 and rounded, or in float64.
    SciPy has functions of complex numbers that we have not: TypeError."""
    function, loops = oracle(name), {loop[0] for loop in UFUNCS[name].loops}
    if args[0].dtype.kind == "c" and not loops & set("FD"):
        raise TypeError(f"{name} is for real numbers")
    if facts(name)["oracle"] == "scipy" and args[0].dtype.itemsize <= 2:
        args = [a.astype("f8") for a in args]  # as SciPy has it until 1.18, which takes float32
    with numpy.errstate(all="ignore"):
        if args[0].dtype != bfloat16:
            return function(*args)
        if "E" not in loops:
            return function(*(a.astype("f8") for a in args))
        results = function(*(a.astype("f4") for a in args))
        several = results if isinstance(results, tuple) else (results,)
        cast = tuple(r.astype(bfloat16) if r.dtype == numpy.float32 else r for r in several)
        return cast if isinstance(results, tuple) else cast[0]


def wide_reference(name, args, dtype):
    """The result computed in a type wider than dtype: by NumPy or a reference of ours, or by mpmath
    for functions of SciPy's."""
    wide = WIDER[numpy.dtype(dtype)]
    with numpy.errstate(all="ignore"):
        if facts(name)["oracle"] in ("numpy", "ours"):
            return oracle(name)(*(a.astype(wide) for a in args))
        return _by_mpmath(getattr(mpmath, name), wide, *args)


def _by_mpmath(function, wide, *args):
    def one(*numbers):
        made = function(*(mpmath.mpf(float(x)) for x in numbers))
        return wide(mpmath.nstr(made, 30))

    return numpy.vectorize(one, otypes=[wide])(*args)


def is_exact(name, dtype):
    """Whether results of this type agree with the oracle's in every bit."""
    exact = facts(name)["exact"]
    return exact == "every_bit" or (exact == "reals" and dtype.kind != "c")


def tolerance(name, dtype, usual):
    """How far a result may be from the oracle's, in ULP, where that is more than is usual."""
    if dtype.itemsize < 4:  # computed in float32, and rounded
        return usual
    return max(usual, facts(name)["complex_ulps" if dtype.kind == "c" else "ulps"])
