"""Which arguments of a function a transformation is about, and their leaves."""

from __future__ import annotations

import dataclasses
import inspect
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy

import heddle as hd
from heddle import _core, tree


def name_of(f: Callable[..., Any]) -> str:
    return getattr(f, "__name__", None) or type(f).__name__


def is_number(given: object) -> bool:
    """Whether it is a number of Python's, or the array that stands for one in a recorded call."""
    if isinstance(given, _core.own_array):
        return _core.yields(given)
    return type(given) in (bool, int, float, complex)


def check_callable(f: object, what: str) -> None:
    """TypeError for what cannot be called."""
    if not callable(f):
        raise TypeError(f"{what}: expected a callable function, got {f!r}")


def to_positions(argnums: int | Sequence[int], what: str) -> tuple[int, ...]:
    """Positions of arguments as a tuple; TypeError for anything else."""
    listed = argnums if isinstance(argnums, (tuple, list)) else (argnums,)
    found = []
    for one in listed:
        try:
            found.append(one.__index__())
        except AttributeError:
            raise TypeError(
                f"{what}: argnums must be an integer or several, not {argnums!r}"
            ) from None
    return tuple(found)


def positions_in(positions: tuple[int, ...], count: int, what: str) -> tuple[int, ...]:
    """The same counted from the first argument of a call; TypeError where there are too few."""
    for one in positions:
        if not -count <= one < count:
            raise TypeError(f"{what}: argument {one} is asked for, but the call has {count}")
    return tuple(one % count for one in positions)


def different_positions_in(positions: tuple[int, ...], count: int, what: str) -> tuple[int, ...]:
    """The same, where no argument may be there twice: nobody could say which of them is used."""
    found = positions_in(positions, count, what)
    for i, one in enumerate(found):
        if one in found[:i]:
            raise ValueError(f"{what}: argument {one} is asked for twice: argnums is {positions}")
    return found


def names_of(
    f: Callable[..., Any], argnames: str | Sequence[str] | None, what: str
) -> tuple[str, ...]:
    """Names of keyword arguments as a tuple; TypeError for one that the function has not."""
    if argnames is None:
        return ()
    names = (argnames,) if isinstance(argnames, str) else tuple(argnames)
    try:
        parameters = inspect.signature(f).parameters
    except (TypeError, ValueError):
        return names
    if not any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
        for name in names:
            if name not in parameters:
                raise TypeError(f"{what}: {name_of(f)} has no argument {name!r}")
    return names


def argument_text(path: tuple[str, ...]) -> str:
    """Words for a leaf of a tuple of arguments."""
    return f"argument {str(path[0]).strip('[]')}{tree.path_text(path[1:])}"


def shape_of(leaf: Any) -> tuple[int, ...]:
    """The shape of an array or a number: `numpy.shape`, which would ask ours by a long way."""
    return tuple(leaf.shape if isinstance(leaf, _core.own_array) else numpy.shape(leaf))


def to_leaf(leaf: object, where: str, device: str | None = None) -> hd.ndarray:
    """An array of a leaf that is a number or an array; NumPy's go to the device."""
    if isinstance(leaf, _core.own_array):
        return leaf
    if isinstance(leaf, (bool, int, float, complex, numpy.ndarray, numpy.generic)):
        made: object = hd.asarray(leaf, device=device)
        if isinstance(made, _core.own_array):
            return made
        # NumPy's own: text, dates, objects, numbers that are wider than ours.
        raise TypeError(
            f"{where} is of type {numpy.asarray(leaf).dtype}, which arrays of Heddle do not have: "
            "convert it to a type of numbers of at most 64 bits (complex: 128)"
        )
    raise TypeError(f"{where} is a {type(leaf).__name__}: arrays and numbers have derivatives")


def has_derivatives(a: hd.ndarray) -> bool:
    """Whether the type of an array is one of floating-point or complex numbers."""
    return a.dtype.kind in "fc" or a.dtype.name == "bfloat16"


def check_inexact(leaf: hd.ndarray, what: str, where: str, holomorphic: bool) -> None:
    """TypeError for a leaf that the transformation has no derivative with respect to."""
    if not has_derivatives(leaf):
        raise TypeError(
            f"{what}: {where} is of type {leaf.dtype}, which has no derivatives: "
            "convert it to a floating-point type"
        )
    if holomorphic and leaf.dtype.kind != "c":
        raise TypeError(f"{what}: holomorphic=True needs complex inputs; {where} is {leaf.dtype}")


def check_real(given: hd.ndarray, like: hd.ndarray, what: str, of: str) -> None:
    """TypeError for complex numbers along a real array: they would lose a part."""
    if given.dtype.kind == "c" and has_derivatives(like) and like.dtype.kind != "c":
        raise TypeError(f"{what} is of type {given.dtype}, {of} of type {like.dtype}")


@contextmanager
def trail(linear_rule: str = "") -> Iterator[None]:
    """Around the call of a function whose steps are kept; with a rule, which has to be linear."""
    _core.start_trail(linear_rule)
    try:
        yield
    finally:
        _core.stop_trail()


class Depth(threading.local):
    """How many blocks of a kind the thread is in: ``with`` it there, ``depth`` says so."""

    depth = 0

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(self, *_: object) -> None:
        self.depth -= 1


# Where forward mode records a way back, to go back along it in turn.
forward_mode = Depth()


def watched(
    arguments: Sequence[object],
    places: Sequence[str],
    what: str,
    holomorphic: bool = False,
    allow_int: bool = False,
) -> tuple[list[Any], list[hd.ndarray], tree.Structure]:
    """The arguments with leaves that are inputs of the trail; the leaves, and their structure."""
    made = []
    leaves: list[hd.ndarray] = []
    structures = []
    for argument, place in zip(arguments, places, strict=True):
        found, structure = tree.flatten_with_path(argument)
        inputs = []
        for path, leaf in found:
            where = f"{place}{tree.path_text(path)}"
            array = to_leaf(leaf, f"{what}: {where}")
            if allow_int and not has_derivatives(array):
                inputs.append(array.copy())  # no input of the trail: nothing comes back to it
                continue
            check_inexact(array, what, where, holomorphic)
            inputs.append(_core.watch(array))
        leaves += inputs
        structures.append(structure)
        made.append(structure.unflatten(inputs))
    return made, leaves, tree.Structure(tuple, None, tuple(structures))


def array_leaves(given: object, where: str) -> tuple[list[hd.ndarray], tree.Structure]:
    """The leaves of a tree as arrays, and its structure."""
    found, structure = tree.flatten_with_path(given)
    return [to_leaf(leaf, f"{where}{tree.path_text(path)}") for path, leaf in found], structure


def without_aux(result: object, has_aux: bool, what: str) -> tuple[Any, Any]:
    """The result of a function, and what else it gives."""
    if not has_aux:
        return result, None
    if not isinstance(result, tuple) or len(result) != 2:
        raise TypeError(f"{what}: with has_aux the function must give a pair")
    return result


@dataclasses.dataclass
class Followed:
    """A call with the trail from its arguments to its results."""

    inputs: list[hd.ndarray]
    arguments: tree.Structure
    values: list[hd.ndarray]
    results: tree.Structure
    trail: Any
    aux: Any


def follow(f: Callable[..., Any], primals: Sequence[object], has_aux: bool, what: str) -> Followed:
    """Call a function on arguments that are all inputs of a trail, but for whole numbers."""
    with trail():
        places = [f"argument {i}" for i in range(len(primals))]
        made, leaves, structure = watched(primals, places, what, allow_int=True)
        result, aux = without_aux(f(*made), has_aux, what)
        values, results = array_leaves(result, f"{what}: the result")
        return Followed(leaves, structure, values, results, _core.take_trail(values), aux)
