"""Reverse mode: derivatives of one result with respect to many inputs.

The function runs as it always does, on real values; the core hears every node that is made of the
inputs and keeps what the way back needs (src/transform/trail.h). So control flow may depend on
values, and arrays may be written to.
"""

from __future__ import annotations

import functools
import numbers
from collections.abc import Callable, Sequence
from typing import Any, Literal, ParamSpec, TypeVar, overload

import numpy

import heddle as hd
from heddle import _core, tree
from heddle._core import ndarray
from heddle._transform.arguments import (
    check_callable,
    check_real,
    different_positions_in,
    follow,
    has_derivatives,
    name_of,
    names_of,
    shape_of,
    to_leaf,
    to_positions,
    trail,
    watched,
    without_aux,
)
from heddle._typing import HostArray, Tree

_P = ParamSpec("_P")
_R = TypeVar("_R")
_A = TypeVar("_A")

# The type of derivatives with respect to whole numbers, which there are none of: JAX's.
float0 = numpy.dtype([("float0", numpy.void, 0)])


def zero_of(like: hd.ndarray) -> HostArray | ndarray:
    """A derivative that nothing reached; of the type `float0` where there can be none."""
    if not has_derivatives(like):
        return numpy.zeros(like.shape, float0)
    return hd.zeros(like.shape, like.dtype, device=like.device)


def _check_scalar(result: object, what: str, holomorphic: bool) -> hd.ndarray:
    """The result whose derivative is asked for: one real number."""
    leaf = to_leaf(result, f"{what}: the function must give one number; its result")
    if leaf.shape != ():
        raise TypeError(
            f"{what}: the function must give one number; its result has shape {leaf.shape}. "
            "Sum it up, or use vjp or jacrev"
        )
    kind = leaf.dtype.kind
    if kind == "c" and not holomorphic:
        raise TypeError(
            f"{what}: the function must give a real number, not {leaf.dtype}; "
            "say holomorphic=True for a holomorphic function, or use vjp"
        )
    if not has_derivatives(leaf):
        raise TypeError(f"{what}: the function must give a real number; its result is {leaf.dtype}")
    if holomorphic and kind != "c":
        raise TypeError(f"{what}: holomorphic=True needs a complex result, not {leaf.dtype}")
    return leaf


def value_and_grad(
    fun: Callable[_P, _R],
    argnums: int | Sequence[int] | None = None,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
    *,
    argnames: str | Sequence[str] | None = None,
) -> Callable[_P, tuple[_R, Any]]:
    """A function that gives the result of ``fun`` and its derivative.

    ``fun`` gives one real number; with ``has_aux`` a pair of that and anything else. The derivative
    is with respect to the arguments at ``argnums``, the first one if nothing is said, or those
    named by ``argnames``, as a dictionary; with both it is a pair of the two. It is a tree of the
    same structure. Arrays that ``fun`` writes to are differentiated through; its arguments are
    copies, so those of the caller stay as they are. With ``allow_int`` integers and truth values
    may be among the arguments: their derivatives have no values, and are NumPy's arrays of
    the type `float0`.

    >>> import heddle as np
    >>> value, slope = np.value_and_grad(lambda x: (x**2).sum())(np.array([1.0, 2.0]))
    >>> print(value, slope)
    5.0 [2. 4.]
    """
    return _with_value(fun, argnums, has_aux, holomorphic, allow_int, argnames, "value_and_grad")


def _with_value(
    f: Callable[..., Any],
    argnums: int | Sequence[int] | None,
    has_aux: bool,
    holomorphic: bool,
    allow_int: bool,
    argnames: str | Sequence[str] | None,
    what: str,
) -> Callable[..., Any]:
    """value_and_grad; its errors speak of ``what``."""
    check_callable(f, what)
    names = names_of(f, argnames, what)
    if argnums is None:
        argnums = () if argnames is not None else 0
    positions = to_positions(argnums, what)
    single = not isinstance(argnums, (tuple, list))

    @functools.wraps(f)
    def transformed(*args: object, **kwargs: object) -> Any:
        at = different_positions_in(positions, len(args), what)
        for name in names:
            if name not in kwargs:
                raise TypeError(f"{what}: the call of {name_of(f)} has no argument {name!r}")
        chosen = [args[i] for i in at] + [kwargs[name] for name in names]
        places = [f"argument {i}" for i in at] + [f"argument {name!r}" for name in names]
        with trail():
            made, leaves, structure = watched(chosen, places, what, holomorphic, allow_int)
            given = list(args)
            for i, one in zip(at, made, strict=False):
                given[i] = one
            named = kwargs | dict(zip(names, made[len(at) :], strict=True))
            result, aux = without_aux(f(*given, **named), has_aux, what)
            value = _check_scalar(result, what, holomorphic)
            kept = _core.take_trail([value])
        found = iter(kept.pull([hd.ones((), value.dtype, device=value.device)]))
        reached = [next(found) if has_derivatives(leaf) else None for leaf in leaves]
        slopes = structure.unflatten(
            zero_of(leaf) if one is None else one for leaf, one in zip(leaves, reached, strict=True)
        )
        by_position = slopes[: len(at)]
        by_name = dict(zip(names, slopes[len(at) :], strict=True))
        gradient = by_position[0] if single and len(at) == 1 else by_position
        if names:
            gradient = (gradient, by_name) if at else by_name
        return ((value, aux), gradient) if has_aux else (value, gradient)

    return transformed


def grad(
    fun: Callable[_P, Any],
    argnums: int | Sequence[int] | None = None,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
    *,
    argnames: str | Sequence[str] | None = None,
) -> Callable[_P, Any]:
    """A function that gives the derivative of ``fun``, which gives one real number.

    The parameters are those of :func:`value_and_grad`; with ``has_aux`` the result is a pair of
    the derivative and what else ``fun`` gives.

    >>> import heddle as np
    >>> def f(x):
    ...     y = np.zeros(3)
    ...     y[1:] = x**3  # written, and differentiated through
    ...     return y.sum()
    >>> print(np.grad(f)(np.array([1.0, 2.0])))
    [ 3. 12.]
    """
    both = _with_value(fun, argnums, has_aux, holomorphic, allow_int, argnames, "grad")

    @functools.wraps(fun)
    def transformed(*args: object, **kwargs: object) -> Any:
        value, gradient = both(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return transformed


@overload
def vjp(
    fun: Callable[..., _R], *primals: object, has_aux: Literal[False] = False
) -> tuple[_R, Callable[[Any], tuple[Any, ...]]]: ...
@overload
def vjp(
    fun: Callable[..., tuple[_R, _A]], *primals: object, has_aux: Literal[True]
) -> tuple[_R, Callable[[Any], tuple[Any, ...]], _A]: ...
@overload
def vjp(fun: Callable[..., Any], *primals: object, has_aux: bool) -> tuple[Any, ...]: ...


def vjp(fun: Callable[..., Any], *primals: object, has_aux: bool = False) -> tuple[Any, ...]:
    """The result of ``fun``, and a function from cotangents of it to cotangents of the arguments.

    Integers and truth values have no derivatives: the cotangents of such arguments are NumPy's
    arrays of the type `float0`, and those of such results are not looked at.

    >>> import heddle as np
    >>> y, pull = np.vjp(np.sin, np.array([0.0, 1.0]))
    >>> print(pull(np.array([1.0, 0.0]))[0])
    [1. 0.]
    """
    what = "vjp"
    check_callable(fun, what)
    call = follow(fun, primals, has_aux, what)

    def pull(*results: object) -> tuple[Any, ...]:
        if len(results) != 1:
            raise TypeError(
                f"{what}: the way back of {name_of(fun)} takes one argument, a tree of cotangents "
                f"like its result, but was called with {len(results)}"
            )
        cotangents = results[0]
        given, other = tree.flatten(cotangents)
        if other != call.results:
            raise ValueError(
                f"{what}: the cotangents are a tree {other}, "
                f"the function's result is {call.results}"
            )
        arrays: list[hd.ndarray | None] = []
        paths = [path for path, _ in tree.leaves_with_path(cotangents)]
        for value, one, path in zip(call.values, given, paths, strict=True):
            where = f"{what}: the cotangent of the result{tree.path_text(path)}"
            if shape_of(one) != value.shape:
                raise ValueError(f"{where} has shape {shape_of(one)}, the result {value.shape}")
            if not has_derivatives(value):
                arrays.append(None)
                continue
            array = to_leaf(one, where, value.device)
            check_real(array, value, where, "the result")
            arrays.append(array.astype(value.dtype))
        found = iter(call.trail.pull(arrays))
        reached = [next(found) if has_derivatives(leaf) else None for leaf in call.inputs]
        made = call.arguments.unflatten(
            zero_of(leaf) if one is None else one
            for leaf, one in zip(call.inputs, reached, strict=True)
        )
        return tuple(made)

    value = call.results.unflatten(call.values)
    return (value, pull, call.aux) if has_aux else (value, pull)


def stop_gradient(x: Tree) -> Tree:
    """The same values, as constants: no derivative passes.

    >>> import heddle as np
    >>> print(np.grad(lambda x: x * np.stop_gradient(x))(3.0))
    3.0
    """

    def stopped(leaf: object) -> Any:
        if isinstance(leaf, _core.own_array):
            return _core.stop_gradient(leaf)
        if isinstance(leaf, (numbers.Number, numpy.generic, numpy.ndarray)):
            return leaf
        raise TypeError(f"stop_gradient: {leaf!r} is neither an array nor a number")

    return tree.map(stopped, x)
