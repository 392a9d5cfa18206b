"""Forward mode: how results change with inputs.

A way back is linear in its cotangents, and can be recorded and gone back in turn: that leads from
tangents of the inputs to those of the results. So one rule for a primitive serves both modes.
Rules of `custom_jvp` are for tangents, and applied as they are (`custom.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, overload

import numpy

import heddle as hd
from heddle import _core, tree
from heddle._transform.arguments import (
    argument_text,
    check_callable,
    check_inexact,
    check_real,
    follow,
    forward_mode,
    has_derivatives,
    name_of,
    shape_of,
    to_leaf,
    trail,
)
from heddle._transform.reverse import float0, grad, vjp, zero_of
from heddle._typing import Tree

_R = TypeVar("_R")
_A = TypeVar("_A")


def linear_map(
    f: Callable[..., Any], primals: Sequence[object], what: str, has_aux: bool
) -> tuple[Any, Callable[[Sequence[Any]], Any], Any]:
    """The result of a function, its tangents as a function of those of the arguments, and more."""
    check_callable(f, what)
    call = follow(f, primals, has_aux, what)
    with trail(), forward_mode:
        cotangents = [
            _core.watch(hd.zeros(value.shape, value.dtype, device=value.device))
            if has_derivatives(value)
            else None
            for value in call.values
        ]
        pulled = iter(call.trail.pull(cotangents))
        found = [next(pulled) if has_derivatives(leaf) else None for leaf in call.inputs]
        back = _core.take_trail([one for one in found if one is not None])

    def push(tangents: Sequence[object]) -> Any:
        given, other = tree.flatten(tuple(tangents))
        if other != call.arguments:
            raise ValueError(
                f"{what}: the tangents are a tree {other}, the arguments {call.arguments}"
            )
        arrays = []
        paths = [path for path, _ in tree.leaves_with_path(tuple(tangents))]
        for leaf, one, reached, path in zip(call.inputs, given, found, paths, strict=True):
            where = f"{what}: the tangent of {argument_text(path)}"
            if shape_of(one) != leaf.shape:
                raise ValueError(f"{where} has shape {shape_of(one)}, the argument {leaf.shape}")
            if not has_derivatives(leaf):
                _check_no_tangent(one, leaf, where)
                continue
            array = to_leaf(one, where, leaf.device)
            check_real(array, leaf, where, "the argument")
            typed = isinstance(one, (_core.own_array, numpy.ndarray, numpy.generic))
            if typed and array.dtype != leaf.dtype:
                raise TypeError(f"{where} is of type {array.dtype}, the argument of {leaf.dtype}")
            if reached is not None:
                arrays.append(array.astype(leaf.dtype))
        pushed = iter(back.pull(arrays))
        made = []
        for value in call.values:
            one = next(pushed) if has_derivatives(value) else None
            made.append(zero_of(value) if one is None else one)
        return call.results.unflatten(made)

    return call.results.unflatten(call.values), push, call.aux


def _check_no_tangent(given: object, like: hd.ndarray, where: str) -> None:
    """TypeError for a tangent of whole numbers that has values."""
    if getattr(given, "dtype", None) != float0:
        kind = getattr(given, "dtype", type(given).__name__)
        raise TypeError(
            f"{where} is of type {kind}, but the argument is of type {like.dtype}, which has no "
            f"derivatives: give numpy.zeros({like.shape}, heddle.float0), or convert the argument "
            "to a floating-point type"
        )


@overload
def jvp(
    fun: Callable[..., _R],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    has_aux: Literal[False] = False,
) -> tuple[_R, _R]: ...
@overload
def jvp(
    fun: Callable[..., tuple[_R, _A]],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    has_aux: Literal[True],
) -> tuple[_R, _R, _A]: ...
@overload
def jvp(
    fun: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], has_aux: bool
) -> tuple[Any, ...]: ...


def jvp(
    fun: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], has_aux: bool = False
) -> tuple[Any, ...]:
    """The result of ``fun``, and how it changes when the arguments change along ``tangents``.

    Integers and truth values have no derivatives: tangents of such arguments and results are
    NumPy's arrays of the type `float0`.

    >>> import heddle as np
    >>> y, change = np.jvp(np.sin, (np.array([0.0, 1.0]),), (np.array([1.0, 0.0]),))
    >>> print(change)
    [1. 0.]
    """
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise TypeError(
            "jvp: primals and tangents are tuples or lists, one for each argument, not "
            f"{type(primals).__name__} and {type(tangents).__name__}"
        )
    if len(primals) != len(tangents):
        raise TypeError(f"jvp: there are {len(primals)} primals, but {len(tangents)} tangents")
    value, push, aux = linear_map(fun, primals, "jvp", has_aux)
    made = push(tangents)
    return (value, made, aux) if has_aux else (value, made)


@overload
def linearize(
    fun: Callable[..., _R], *primals: object, has_aux: Literal[False] = False
) -> tuple[_R, Callable[..., _R]]: ...
@overload
def linearize(
    fun: Callable[..., tuple[_R, _A]], *primals: object, has_aux: Literal[True]
) -> tuple[_R, Callable[..., _R], _A]: ...
@overload
def linearize(fun: Callable[..., Any], *primals: object, has_aux: bool) -> tuple[Any, ...]: ...


def linearize(fun: Callable[..., Any], *primals: object, has_aux: bool = False) -> tuple[Any, ...]:
    """The result of ``fun``, and the linear function of tangents that is closest to it there.

    >>> import heddle as np
    >>> y, along = np.linearize(lambda x: x**2, np.array(3.0))
    >>> print(y, along(np.array(1.0)), along(np.array(2.0)))
    9.0 6.0 12.0
    """
    value, push, aux = linear_map(fun, primals, "linearize", has_aux)

    def along(*tangents: object) -> Any:
        return push(tangents)

    return (value, along, aux) if has_aux else (value, along)


def linear_transpose(fun: Callable[..., Any], *primals: object) -> Callable[[Any], tuple[Any, ...]]:
    """The transpose of a function that is linear; of the arguments only shape and type count.

    They may be `ShapeDtypeStruct`. The function is tried on some numbers: TypeError where it is
    not linear.

    >>> import heddle as np
    >>> back = np.linear_transpose(lambda x: 3 * x[:2], np.zeros(3))
    >>> print(back(np.array([1.0, 2.0]))[0])
    [3. 6. 0.]
    """
    from heddle._transform.shapes import device_of, is_shape, shape_and_type

    check_callable(fun, "linear_transpose")
    found, structure = tree.flatten_with_path(primals, is_leaf=is_shape)
    zeros = []
    for path, leaf in found:
        where = argument_text(path)
        like = shape_and_type(leaf, f"linear_transpose: {where}")
        zeros.append(hd.zeros(like.shape, like.dtype, device=device_of(leaf)))
        check_inexact(zeros[-1], "linear_transpose", where, False)
    arguments = structure.unflatten(zeros)
    _check_linear(fun, arguments)
    return vjp(fun, *arguments)[1]


def _check_linear(f: Callable[..., Any], like: Sequence[object]) -> None:
    """TypeError where a function of arguments like these is not linear: f(a + b) is f(a) + f(b)."""

    def numbers(start: int) -> list[Any]:
        def made(leaf: hd.ndarray) -> hd.ndarray:
            phases = (hd.arange(leaf.size, device=leaf.device) + start) * (1 + math.sqrt(5))
            return hd.sin(phases).reshape(leaf.shape).astype(leaf.dtype)

        return [tree.map(made, one) for one in like]

    a, b = numbers(1), numbers(1000)
    both = [tree.map(hd.add, *pair) for pair in zip(a, b, strict=True)]
    parts = [tree.leaves(f(*given)) for given in (both, a, b)]
    for whole, one, other in zip(*parts, strict=True):
        whole, one, other = hd.asarray(whole), hd.asarray(one), hd.asarray(other)
        if not has_derivatives(whole) or any(map(_core.is_stand_in, (whole, one, other))):
            continue
        size = hd.abs(one).max(initial=0) + hd.abs(other).max(initial=0)
        error = hd.abs(whole - one - other).max(initial=0)
        if error > hd.finfo(whole.dtype).eps ** 0.5 * size + hd.finfo(whole.dtype).tiny:
            raise TypeError(
                f"linear_transpose: {name_of(f)} is not linear: of a sum it does not make the sum "
                "of what it makes of the parts"
            )


def hvp(fun: Callable[..., Any], primals: Sequence[object], tangents: Sequence[object]) -> Tree:
    """The Hessian of ``fun`` with respect to its first argument, times a vector: no matrix is made.

    >>> import heddle as np
    >>> print(np.hvp(lambda x: (x**3).sum(), (np.array([1.0, 2.0]),), (np.array([1.0, 1.0]),)))
    [ 6. 12.]
    """
    return jvp(grad(fun), primals, tangents)[1]
