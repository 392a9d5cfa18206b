"""Functions of Python's `math` that are loops: compiled along with what calls them."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from heddle.simt._registry import Handler, functions
from heddle.simt._types import Call

if TYPE_CHECKING:
    from heddle.simt._statements import Statements


def factorial(n: int) -> int:
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    made = 1
    for i in range(2, n + 1):
        made *= i
    return made


def comb(n: int, k: int) -> int:
    if n < 0:
        raise ValueError("n must be a non-negative integer")
    if k < 0:
        raise ValueError("k must be a non-negative integer")
    made = 1 if k <= n else 0
    for i in range(min(k, n - k)):
        # All of it is whole at each step. The common factor goes first, so that nothing is larger
        # than it has to be.
        common = math.gcd(made, i + 1)
        made = made // common * ((n - i) // ((i + 1) // common))
    return made


def perm(n: int, k: int = -1) -> int:
    if n < 0:
        raise ValueError("n must be a non-negative integer")
    count = n if k == -1 else k
    if count < 0:
        raise ValueError("k must be a non-negative integer")
    made = 1 if count <= n else 0
    for i in range(min(count, n)):
        made *= n - i
    return made


def isqrt(n: int) -> int:
    if n < 0:
        raise ValueError("isqrt() argument must be nonnegative")
    made = int(math.sqrt(float(n)))
    # The root of a large number is rounded.
    while made > 3037000499 or made * made > n:
        made -= 1
    while made < 3037000499 and (made + 1) * (made + 1) <= n:
        made += 1
    return made


def isclose(a: float, b: float, *, rel_tol: float = 1e-09, abs_tol: float = 0.0) -> bool:
    if a == b:
        return True
    if math.isinf(a) or math.isinf(b):
        return False
    return abs(a - b) <= max(rel_tol * max(abs(a), abs(b)), abs_tol)


def dist(p: tuple[float, ...], q: tuple[float, ...]) -> float:
    made = 0.0
    for a, b in zip(p, q, strict=True):
        made = math.hypot(made, a - b)
    return made


def prod(iterable: Iterable[Any], *, start: object = 1) -> Any:
    made = start
    for value in iterable:
        made = made * value
    return made


def calling(function: Any) -> Handler:
    def handler(s: Statements, args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Any:
        return s.call_function(Call(function, args, keywords, node))

    return handler


def know() -> None:
    """Tells what kernels may call."""
    for function in (factorial, comb, perm, isqrt, isclose, dist, prod):
        functions[getattr(math, function.__name__)] = calling(function)
