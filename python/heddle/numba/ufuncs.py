"""Numba's `vectorize` and `guvectorize`."""

from typing import Any

import heddle as hd
from heddle._compiled.elementwise import Elementwise, read_types
from heddle.numba.decorators import ALWAYS


def callable_function(given: Any) -> bool:
    """Whether it is what is decorated, and no signature."""
    return hasattr(given, "__code__") or hasattr(given, "py_func")


def _no_options(name: str, options: dict[str, Any]) -> None:
    given = {k: options.pop(k) for k in (*ALWAYS, "identity", "fastmath") if k in options}
    if given.get("target", "cpu") not in ("cpu", "parallel", "cuda"):
        raise ValueError(
            f"{name}: the target is 'cpu', 'parallel' or 'cuda', not {given['target']!r}"
        )
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
