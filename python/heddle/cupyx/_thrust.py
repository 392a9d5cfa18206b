"""CuPy's ``cupyx.jit.thrust``: what one thread does to ranges of elements.

A range is two iterators, as ``x.begin()`` and ``x.end()`` of an array with one dimension. Policies
(`device`, `host`, `seq`) are there to be said: a function of a kernel is carried out by the thread
that calls it, one element after the other.
"""

from __future__ import annotations

import ast
import types
from typing import TYPE_CHECKING, Any

from heddle.simt import _ranges as library
from heddle.simt._types import INT64, Array, Call, Constant, Iterator, Num, Number, Tuple
from heddle.simt._whole import Lazy

if TYPE_CHECKING:
    from heddle.simt._statements import Statements

__all__ = ["device", "host", "make_constant_iterator", "make_counting_iterator", "seq"]


class Policy:
    """How a function is carried out; in a kernel, by the thread that calls it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<thrust.{self.name}>"


device, host, seq = Policy("device"), Policy("host"), Policy("seq")


class _OfKernels:
    """What is called inside of kernels, and nowhere else."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, *args: object, **keywords: object) -> Any:
        raise RuntimeError(f"cupyx.jit.thrust.{self.__name__} is called inside of kernels")

    def __repr__(self) -> str:
        return f"<thrust.{self.__name__}>"


class _Numbers(_OfKernels):
    """An iterator whose elements are computed."""

    def __init__(self, name: str, step: int) -> None:
        super().__init__(name)
        self.step = step

    def _simt_call(
        self, s: Statements, args: list[Any], keywords: dict[str, Any], node: ast.Call
    ) -> Iterator:
        if len(args) != 1 or keywords:
            raise s.error(node, f"{self.__name__} takes a number")
        first = s.temporary(s.number(args[0], node, f"in {self.__name__}"), node)
        return Iterator(None, s.constant(0, Number(INT64, True)), first, self.step)


make_constant_iterator = _Numbers("make_constant_iterator", 0)
make_counting_iterator = _Numbers("make_counting_iterator", 1)


class Algorithm(_OfKernels):
    """A function of ranges, in one form or several: a function of the library; what it takes, a
    letter each (``r`` the begin and the end of a range, ``i`` an iterator, ``v`` a number); and of
    which of these arrays its results are iterators (``v``: a number, nothing: nothing)."""

    def __init__(self, name: str, *forms: tuple[types.FunctionType, str, str]) -> None:
        super().__init__(name)
        self.forms = forms

    def _simt_call(
        self, s: Statements, args: list[Any], keywords: dict[str, Any], node: ast.Call
    ) -> Any:
        policy = args[0].value if args and isinstance(args[0], Constant) else None
        wanted = " or ".join(_described(kinds) for _, kinds, _ in self.forms)
        if keywords or not isinstance(policy, Policy):
            raise s.error(node, f"thrust.{self.__name__} takes a policy, {wanted}")
        values = [_iterator(a, s, node) for a in args[1:]]
        for function, kinds, gives in self.forms:
            matched = _matched(values, kinds)
            if matched is None:
                continue
            given, arrays = matched
            made = s.call_function(Call(function, given, {}, node))
            if gives in ("", "v"):
                return made
            places = made.items if isinstance(made, Tuple) else [made]
            found: list[Any] = [
                Iterator(arrays[int(which)], s.temporary(s.number(place, node), node))
                for which, place in zip(gives, places, strict=True)
            ]
            return found[0] if len(found) == 1 else Tuple(found)
        raise s.error(node, f"thrust.{self.__name__} takes a policy, {wanted}")


def _iterator(value: object, s: Statements, node: ast.AST) -> Any:
    """Memory with one dimension is an iterator, as a pointer is."""
    if isinstance(value, Array) and value.ndim == 1:
        return Iterator(value, s.constant(0, Number(INT64, True)))
    if isinstance(value, Lazy) and value.origin is not None:
        return Iterator(value.origin[0], s.integer(value.origin[1], node, "as a distance"))
    return value


def _described(kinds: str) -> str:
    names = {"r": "the begin and the end of a range", "i": "an iterator", "v": "a number"}
    return ", ".join(names[kind] for kind in kinds)


def _matched(values: list[Any], kinds: str) -> tuple[list[Any], list[Any]] | None:
    """Arguments of a library function, and the arrays among them; None where they do not fit."""
    given: list[Any] = []
    arrays: list[Any] = []
    rest = list(values)
    for kind in kinds:
        count = 2 if kind == "r" else 1
        taken, rest = rest[:count], rest[count:]
        if len(taken) < count:
            return None
        if kind == "v":
            if not isinstance(taken[0], Num):
                return None
            given.append(taken[0])
            continue
        if not all(isinstance(one, Iterator) and one.array is not None for one in taken):
            return None
        arrays.append(taken[0].array)
        given += [taken[0].array, *(one.place for one in taken)]
    return None if rest else (given, arrays)


_FORMS: dict[str, list[tuple[str, str]]] = {
    "adjacent_difference": [("ri", "1")],
    "binary_search": [("rv", "v"), ("rri", "2")],
    "copy": [("ri", "1")],
    "count": [("rv", "v")],
    "equal": [("ri", "v")],
    "equal_range": [("rv", "00")],
    "exclusive_scan": [("ri", "1"), ("riv", "1")],
    "exclusive_scan_by_key": [("rii", "2"), ("riiv", "2")],
    "fill": [("rv", "")],
    "find": [("rv", "0")],
    "gather": [("rii", "2")],
    "inclusive_scan": [("ri", "1")],
    "inclusive_scan_by_key": [("rii", "2")],
    "inner_product": [("riv", "v")],
    "is_sorted": [("r", "v")],
    "is_sorted_until": [("r", "0")],
    "lower_bound": [("rv", "0"), ("rri", "2")],
    "mismatch": [("ri", "01")],
    "reduce": [("r", "v"), ("rv", "v")],
    "reduce_by_key": [("riii", "23")],
    "remove": [("rv", "0")],
    "remove_copy": [("riv", "1")],
    "replace": [("rvv", "")],
    "replace_copy": [("rivv", "1")],
    "reverse": [("r", "")],
    "reverse_copy": [("ri", "1")],
    "scatter": [("rii", "")],
    "sequence": [("r", ""), ("rv", ""), ("rvv", "")],
    "set_difference": [("rri", "2")],
    "set_difference_by_key": [("rriiii", "45")],
    "set_intersection": [("rri", "2")],
    "set_intersection_by_key": [("rriii", "34")],
    "set_symmetric_difference": [("rri", "2")],
    "set_symmetric_difference_by_key": [("rriiii", "45")],
    "set_union": [("rri", "2")],
    "set_union_by_key": [("rriiii", "45")],
    "sort": [("r", "")],
    "sort_by_key": [("ri", "")],
    "stable_sort": [("r", "")],
    "stable_sort_by_key": [("ri", "")],
    "swap_ranges": [("ri", "1")],
    "unique": [("r", "0")],
    "unique_by_key": [("ri", "01")],
    "upper_bound": [("rv", "0"), ("rri", "2")],
}


def _algorithm(name: str, forms: list[tuple[str, str]]) -> Algorithm:
    # A second form is a function of its own: name_1.
    names = [name, *(f"{name}_{i}" for i in range(1, len(forms)))]
    return Algorithm(
        name,
        *(
            (getattr(library, inner), kinds, gives)
            for inner, (kinds, gives) in zip(names, forms, strict=True)
        ),
    )


globals().update({name: _algorithm(name, forms) for name, forms in _FORMS.items()})
__all__ += [*_FORMS]
