"""Random numbers in compiled functions: which of NumPy's and Python's functions draw them."""

from __future__ import annotations

import ast
import random
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import numpy as np

import heddle as hd
from heddle.simt import _library_random as library
from heddle.simt._creation import _extents, _given, _host
from heddle.simt._intrinsics import geometry
from heddle.simt._operations import describe
from heddle.simt._registry import Handler, functions
from heddle.simt._state import Var
from heddle.simt._types import (
    FLOAT64,
    INT64,
    UINT32,
    Array,
    Call,
    Constant,
    Num,
    Number,
    Tuple,
)

if TYPE_CHECKING:
    from heddle.simt._host import HostCompiler
    from heddle.simt._statements import Statements

_INT = Number(INT64, True)
_WORDS, _NUMPYS, _PYTHONS = 640, 0, 1  # simt::Generator; whose generator it is
# What is called, and not taken along: it is long, and seldom needed.
CALLED = cast("tuple[types.FunctionType, ...]", (library.twist,))


def _generator(s: HostCompiler, which: int, node: ast.AST) -> list[Array]:
    """The generator of the thread: asked for once by a function, by each draw in prange."""
    if s.in_parallel:
        return _found(s, which, node)
    known = s.generators.get((id(s.prologue), which))
    if known is None:
        before, s.statements = s.statements, s.prologue
        known = s.generators[id(s.prologue), which] = (s.prologue, _found(s, which, node))
        s.statements = before
    return known[1]


def _found(s: HostCompiler, which: int, node: ast.AST) -> list[Array]:
    """Two arrays that nobody owns."""
    address = s.temporary(Num(_INT, geometry(s, "numbers", which).words), node)
    made = []
    for dtype, moved, count in ((UINT32, 0, _WORDS), (FLOAT64, 4 * _WORDS, 2)):
        array = s.held(dtype, 1, True, True)
        assert array.held is not None
        at = s.apply("add", [address, s.constant(moved)], node)
        values = [at, s.constant(0), s.constant(count), s.constant(1)]
        for number, value in zip(array.held.all(), values, strict=True):
            s.set(Var(number, _INT), value, node)
        made.append(array)
    return made


def _drawn(
    s: HostCompiler, function: Any, which: int, args: list[Any], size: object, node: ast.Call
) -> Any:
    """One number, or an array of them."""
    s.recursive.update(CALLED)
    generator = _generator(s, which, node)
    kept = [s.temporary(a, node) if isinstance(a, Num) else a for a in args]

    def one() -> Any:
        return s.call_function(Call(function, [*generator, *kept], {}, node))

    if size is None or (isinstance(size, Constant) and size.value is None):
        return one()
    before, s.statements = s.statements, []
    type_ = s.number(one(), node).type
    s.statements = before
    shape = _extents(s, size, node)
    made = s.allocate(shape, type_.dtype, False, True, node)
    s.nested(shape, lambda indices: s.store(made, indices, s.number(one(), node), node), node)
    return made


def _distribution(name: str, parameters: tuple[str, ...]) -> Handler:
    """One of NumPy's: parameters that are numbers, and a size."""

    def handler(
        state: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> Any:
        s = _host(state, f"random.{name}", node)
        given = _given(s, name, (*parameters, "size"), args, keywords, node)
        function = getattr(library, name)
        count = function.__code__.co_argcount - 2 - len(function.__defaults__ or ())
        if any(key not in given for key in parameters[:count]):
            raise s.error(node, f"{name} needs {', '.join(parameters[:count])}")
        defaults = dict(zip(parameters[count:], function.__defaults__ or (), strict=True))
        numbers = [
            s.number(given[key], node) if key in given else s.constant(defaults[key])
            for key in parameters
        ]
        return _drawn(s, function, _NUMPYS, numbers, given.get("size"), node)

    return handler


def _of_shape(name: str) -> Handler:
    """rand(2, 3) and randn(2, 3)."""

    def handler(
        state: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> Any:
        s = _host(state, f"random.{name}", node)
        if keywords:
            raise s.error(node, f"{name} takes no keywords")
        size = Tuple(list(args)) if args else None
        return _drawn(s, getattr(library, name), _NUMPYS, [], size, node)

    return handler


def _randint(
    state: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
) -> Any:
    s = _host(state, "random.randint", node)
    given = _given(s, "randint", ("low", "high", "size"), args, keywords, node)
    low, high = given.get("low"), given.get("high")
    if high is None or (isinstance(high, Constant) and high.value is None):
        low, high = s.constant(0), low
    ends = [s.integer(end, node, "for randint") for end in (low, high)]
    return _drawn(s, library.randint, _NUMPYS, ends, given.get("size"), node)


def _choice(
    state: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
) -> Any:
    s = _host(state, "random.choice", node)
    given = _given(s, "choice", ("a", "size"), args, keywords, node)
    of, size = s.settled(given.get("a"), node), given.get("size")
    if isinstance(of, Num):
        ends = [s.constant(0), s.integer(of, node, "for choice")]
        return _drawn(s, library.randint, _NUMPYS, ends, size, node)
    return _drawn(s, library.choice, _NUMPYS, [_row(s, of, node)], size, node)


def _row(s: HostCompiler, value: object, node: ast.AST, most: int = 1) -> Array:
    if not isinstance(value, Array) or not 1 <= value.ndim <= most:
        raise s.error(node, f"{describe(value)} is no row of elements")
    return value


def _permutation(
    state: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
) -> Any:
    s = _host(state, "random.permutation", node)
    given = _given(s, "permutation", ("x",), args, keywords, node)
    of = s.settled(given.get("x"), node)
    function = library.permutation if isinstance(of, Num) else library.permutation_of
    return _drawn(
        s, function, _NUMPYS, [of if isinstance(of, Num) else _row(s, of, node, 2)], None, node
    )


def _on(name: str, function: object, which: int, most: int = 1) -> Handler:
    """shuffle(x) and the like."""

    def handler(
        state: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> Any:
        s = _host(state, f"random.{name}", node)
        if keywords or len(args) != 1:
            raise s.error(node, f"{name} takes an array")
        of = s.settled(args[0], node)
        return _drawn(s, function, which, [_row(s, of, node, most)], None, node)

    return handler


def _plain(
    name: str, function: object, which: int, ends: Callable[..., list[Num]] | None = None
) -> Handler:
    """Of numbers alone."""

    def handler(
        state: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> Any:
        s = _host(state, f"random.{name}", node)
        if keywords:
            raise s.error(node, f"random.{name} takes no keywords in compiled functions")
        numbers = [s.number(a, node) for a in args]
        if ends is not None:
            numbers = ends(s, numbers, node)
        return _drawn(s, function, which, numbers, None, node)

    return handler


def _range(s: HostCompiler, numbers: list[Num], node: ast.AST) -> list[Num]:
    """randrange(stop), randrange(start, stop)."""
    if not 1 <= len(numbers) <= 2:
        raise s.error(node, "randrange takes a stop, or a start and a stop, in compiled functions")
    return [s.constant(0), *numbers] if len(numbers) == 1 else numbers


def _inclusive(s: HostCompiler, numbers: list[Num], node: ast.AST) -> list[Num]:
    if len(numbers) != 2:
        raise s.error(node, "randint takes two integers")
    return [numbers[0], s.apply("add", [numbers[1], s.constant(1)], node)]


_DISTRIBUTIONS: dict[str, tuple[str, ...]] = {
    "uniform": ("low", "high"),
    "normal": ("loc", "scale"),
    "lognormal": ("mean", "sigma"),
    "exponential": ("scale",),
    "standard_normal": (),
    "random_sample": (),
}


def know() -> None:
    """Tells which functions these are."""
    for module in (np, hd):
        names: dict[str, Handler] = {
            name: _distribution(name, parameters) for name, parameters in _DISTRIBUTIONS.items()
        }
        names |= dict.fromkeys(("random", "ranf", "sample"), names["random_sample"])
        names |= {"rand": _of_shape("random_sample"), "randn": _of_shape("standard_normal")}
        names |= {"randint": _randint, "choice": _choice, "permutation": _permutation}
        names["shuffle"] = _on("shuffle", library.shuffle, _NUMPYS, 2)
        names["seed"] = _plain("seed", library.seed_numpys, _NUMPYS)
        for name, handler in names.items():
            function = getattr(module.random, name, None)
            if function is not None:
                functions[function] = handler
    functions[random.random] = _plain("random", library.random, _PYTHONS)
    functions[random.uniform] = _plain("uniform", library.between, _PYTHONS)
    functions[random.gauss] = _plain("gauss", library.gauss, _PYTHONS)
    functions[random.expovariate] = _plain("expovariate", library.expovariate, _PYTHONS)
    functions[random.randrange] = _plain("randrange", library.integer, _PYTHONS, _range)
    functions[random.randint] = _plain("randint", library.integer, _PYTHONS, _inclusive)
    functions[random.seed] = _plain("seed", library.seed_pythons, _PYTHONS)
    functions[random.choice] = _on("choice", library.one_of, _PYTHONS)
    functions[random.shuffle] = _on("shuffle", library.mixed, _PYTHONS)
