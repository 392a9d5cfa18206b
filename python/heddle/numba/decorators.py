"""Numba's decorators: what they say, and what it means here."""

from typing import Any

import heddle as hd
from heddle._compiled.elementwise import Elementwise, read_types
from heddle._compiled.functions import Function, options_of
from heddle._compiled.signatures import ArrayType, Signature, Type, read_signature
from heddle.simt._types import NAMES

# What Numba has and does not matter here: code is always kept, never holds the interpreter, and
# checks its indices.
_ALWAYS = ("boundscheck", "cache", "nogil", "nopython", "debug", "inline", "looplift", "target")


def letters(signature: Signature) -> str:
    """A signature as the core writes those of calls (src/python/simt_call.h)."""
    made = ""
    for one in signature.arguments:
        if isinstance(one, ArrayType):
            dtype = chr(ord("A") + NAMES.index(one.element.name))
            made += f"p{dtype}{one.ndim}{'u' if one.dense else 's'}"
        elif isinstance(one, Type):
            plain = {"int64": "i", "float64": "f", "complex128": "c", "bool": "b"}
            made += plain.get(one.name) or f"n{chr(ord('A') + NAMES.index(one.name))}"
        else:
            raise TypeError(f"{one!r} is no type of an argument")
    return made


def njit(*args: Any, **options: Any) -> Any:
    """Numba's `njit`: compiles a function of loops over arrays and numbers; see `heddle.njit`.

    Types are Numba's: integers have 64 bits, and a division by zero is an error, unless
    ``error_model="numpy"``. `prange` is on all cores with ``parallel=True``. Signatures that are
    given are compiled at once; other types are when they come.
    """
    given = {name: options.pop(name) for name in _ALWAYS if name in options}
    if given.get("nopython") is False:
        raise ValueError("jit: there is no object mode; everything is compiled, or an error")
    known = {
        "parallel": bool(options.pop("parallel", False)),
        "fastmath": bool(options.pop("fastmath", False)),
        "error_model": options.pop("error_model", "python"),
    }
    if options.pop("forceobj", False) or options.pop("locals", None):
        raise ValueError("jit: there is no object mode, and types of locals are inferred")
    if options:
        raise TypeError(f"jit: there is no option '{next(iter(options))}'")
    signatures: list[Signature] = []
    if args and not callable_function(args[0]):
        listed = args[0] if isinstance(args[0], list) else [args[0]]
        for one in listed:
            signature = read_signature(one)
            if signature is None:
                raise TypeError(f"jit: {one!r} is no signature")
            signatures.append(signature)
        args = args[1:]

    def decorate(function: Any) -> Function:
        made = Function(function, **options_of(numba=True, **known))
        for signature in signatures:
            made._compile_for(letters(signature))
        return made

    return decorate(args[0]) if args else decorate


def callable_function(given: Any) -> bool:
    """Whether it is what is decorated, and no signature."""
    return hasattr(given, "__code__") or hasattr(given, "py_func")


def jit(*args: Any, **options: Any) -> Any:
    """Numba's `jit`, which is `njit`: there is no object mode."""
    return njit(*args, **options)


def _no_options(name: str, options: dict[str, Any]) -> None:
    given = {k: options.pop(k) for k in (*_ALWAYS, "identity", "fastmath") if k in options}
    if given.get("target", "cpu") not in ("cpu", "parallel"):
        raise ValueError(f"{name}: the target is 'cpu' or 'parallel', not {given['target']!r}")
    if options or given.get("identity") is not None or given.get("fastmath"):
        raise TypeError(f"{name}: there is no such option: {[*options] or given}")


class DUFunc(Elementwise):
    """A function of numbers for all elements, in Numba's types: made by `vectorize`."""

    def outer(self, a: Any, b: Any) -> Any:
        """The function of all pairs of elements."""
        a, b = hd.asarray(a), hd.asarray(b)
        return self(a.reshape(*a.shape, *(1,) * b.ndim), b)


def vectorize(*args: Any, **options: Any) -> Any:
    """Numba's `vectorize`: a function of numbers for all elements of arrays, in Numba's types."""
    _no_options("vectorize", options)
    if args and callable_function(args[0]):
        return DUFunc(args[0], [], numba=True)
    signatures = read_types(args[0]) if args else []
    if signatures is None:
        raise TypeError(f"vectorize: {args[0]!r} are no signatures")
    return lambda function: DUFunc(function, signatures, numba=True)


def guvectorize(*args: Any, **options: Any) -> Any:
    """Numba's `guvectorize`; see `heddle.guvectorize`."""
    from heddle._compiled.general import guvectorize as ours

    _no_options("guvectorize", options)
    return ours(*args, numba=True)
