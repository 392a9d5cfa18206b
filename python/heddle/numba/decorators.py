"""Numba's decorators: what they say, and what it means here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, overload

from heddle._compiled.functions import Function, decorated, options_of
from heddle.numba import config

if TYPE_CHECKING:
    from heddle._compiled.signatures import Signature

# What Numba has and does not matter here: code is always kept, never holds the interpreter, and
# checks its indices.
ALWAYS = ("boundscheck", "cache", "nogil", "nopython", "debug", "inline", "looplift", "target")


@overload
def njit(function: Callable[..., Any], /, **options: object) -> Function: ...
@overload
def njit(
    signatures: str | Sequence[Any] | Signature | None = None, /, **options: object
) -> Callable[[Callable[..., Any]], Function]: ...
def njit(*args: Any, **options: Any) -> Any:
    """Numba's `njit`: compiles a function of loops over arrays and numbers; see `heddle.njit`.

    Types are Numba's: integers have 64 bits, and a division by zero is an error, unless
    ``error_model="numpy"``. `prange` is on all cores with ``parallel=True``. Types that are given
    are compiled at once, and arguments and results are converted to them, as is what names are
    given whose types `locals` says.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.numba import njit
    >>> @njit
    ... def total(x):
    ...     made = 0.0
    ...     for i in range(x.size):
    ...         made += x[i]
    ...     return made
    >>> total(np.arange(5.0))
    10.0
    """
    given = {name: options.pop(name) for name in ALWAYS if name in options}
    if given.get("nopython") is False:
        raise ValueError("jit: there is no object mode; everything is compiled, or an error")
    known = {
        "parallel": bool(options.pop("parallel", False)),
        "fastmath": bool(options.pop("fastmath", False)),
        "error_model": options.pop("error_model", "python"),
        "locals": options.pop("locals", None),
    }
    if options.pop("forceobj", False):
        raise ValueError("jit: there is no object mode; everything is compiled, or an error")
    if options:
        raise TypeError(f"jit: there is no option '{next(iter(options))}'")
    if config.DISABLE_JIT:
        return args[0] if args and callable(args[0]) else lambda function: function
    if len(args) > 1:
        return decorated(args[0], options_of(numba=True, **known))(args[1])
    return decorated(args[0] if args else None, options_of(numba=True, **known))


@overload
def jit(function: Callable[..., Any], /, **options: object) -> Function: ...
@overload
def jit(
    signatures: str | Sequence[Any] | Signature | None = None, /, **options: object
) -> Callable[[Callable[..., Any]], Function]: ...
def jit(*args: Any, **options: object) -> Any:
    """Numba's `jit`, which is `njit`: there is no object mode.

    Examples
    --------
    >>> from heddle.numba import jit
    >>> @jit(nopython=True)
    ... def half(n):
    ...     return n // 2
    >>> half(9)
    4
    """
    return njit(*args, **options)
