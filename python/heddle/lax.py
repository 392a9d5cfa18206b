"""Control flow as functions, with JAX's names: loops and branches for all transformations.

Plain Python loops and branches are differentiated as well; these are for long loops, whose body is
recorded once (as `jit` has it) and repeated, and for branches under `vmap`, where a condition
differs from row to row.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import heddle as hd
from heddle import _core, tree
from heddle._transform.compiling import Jitted
from heddle._transform.parallel import (
    all_gather,
    axis_index,
    axis_size,
    pmax,
    pmean,
    pmin,
    psum,
)

__all__ = [
    "all_gather",
    "associative_scan",
    "axis_index",
    "axis_size",
    "cond",
    "fori_loop",
    "map",
    "pmax",
    "pmean",
    "pmin",
    "psum",
    "scan",
    "select",
    "stop_gradient",
    "switch",
    "while_loop",
]


def _recorded(f: Callable[..., Any]) -> Jitted:
    return f if isinstance(f, Jitted) else Jitted(f)


def _arrays(given: Any) -> Any:
    return tree.map(hd.asarray, given)


def _check_same(before: Any, after: Any, what: str) -> None:
    old, new = tree.structure(before), tree.structure(after)
    if old != new:
        raise TypeError(f"{what}: the body gives a tree {new} for a carry {old}")
    for (path, one), (_, other) in zip(
        tree.leaves_with_path(before), tree.leaves_with_path(after), strict=True
    ):
        other = hd.asarray(other)
        if one.shape != other.shape or one.dtype != other.dtype:
            raise TypeError(
                f"{what}: the carry{tree.path_text(path)} is {one.dtype}{list(one.shape)}, and the "
                f"body makes it {other.dtype}{list(other.shape)}"
            )


def scan(
    f: Callable[[Any, Any], tuple[Any, Any]],
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
) -> tuple[Any, Any]:
    """Carry a value through a loop over the rows of ``xs``, and stack what each pass gives.

    ``f(carry, x)`` gives the next carry, of the same types, and a result. It is recorded once, as
    `jit` has it, and repeated for each pass; with ``unroll`` so many passes are recorded as one,
    which repeats with less to do in Python (True: all of them, False: one).

    >>> import heddle as np
    >>> total, sums = np.lax.scan(lambda c, x: (c + x, c + x), 0.0, np.arange(4.0))
    >>> print(total, sums)
    6.0 [0. 1. 3. 6.]
    """
    at_once = _passes_at_once(unroll)
    rows, structure = tree.flatten(xs)
    rows = [hd.asarray(row) for row in rows]
    lengths = {row.shape[0] for row in rows} | (set() if length is None else {int(length)})
    if len(lengths) != 1:
        raise ValueError(
            "scan: there is no length" if not lengths else f"scan: lengths differ: {lengths}"
        )
    count = lengths.pop()
    carry = _arrays(init)
    order = list(range(count - 1, -1, -1) if reverse else range(count))
    results: list[Any] = [None] * count

    def passes(carry: Any, given: list[Any]) -> tuple[Any, list[Any]]:
        made = []
        for x in given:
            one = f(carry, x)
            if not isinstance(one, tuple) or len(one) != 2:
                raise TypeError("scan: the body must give a pair: the next carry, and a result")
            _check_same(carry, one[0], "scan")
            carry = _arrays(one[0])
            made.append(one[1])
        return carry, made

    body = _recorded(passes)
    each = count if at_once is None else at_once
    for begin in range(0, count, max(each, 1)):
        places = order[begin : begin + each]
        given = [structure.unflatten(row[i, ...] for row in rows) for i in places]
        carry, made = body(carry, given)
        for i, result in zip(places, made, strict=True):
            results[i] = result
    if count == 0:
        return carry, None
    return carry, tree.map(lambda *leaves: hd.stack([hd.asarray(v) for v in leaves]), *results)


def _passes_at_once(unroll: int | bool) -> int | None:
    """How many passes of a loop are recorded as one; None: all."""
    if isinstance(unroll, bool):
        return None if unroll else 1
    if not isinstance(unroll, int) or unroll < 1:
        raise ValueError(f"scan: unroll is a positive integer or a truth value, not {unroll!r}")
    return unroll


def fori_loop(lower: Any, upper: Any, body_fun: Callable[[Any, Any], Any], init_val: Any) -> Any:
    """``for i in range(lower, upper): val = body_fun(i, val)``.

    >>> import heddle as np
    >>> print(np.lax.fori_loop(0, 5, lambda i, x: x + i, np.array(0)))
    10
    """
    carry = _arrays(init_val)
    body = _recorded(body_fun)
    for i in range(int(lower), int(upper)):
        made = body(hd.asarray(i), carry)
        if i == int(lower):
            _check_same(carry, made, "fori_loop")
        carry = _arrays(made)
    return carry


def while_loop(
    cond_fun: Callable[[Any], Any], body_fun: Callable[[Any], Any], init_val: Any
) -> Any:
    """``while cond_fun(val): val = body_fun(val)``; under vmap until no row goes on.

    >>> import heddle as np
    >>> print(np.lax.while_loop(lambda x: x < 100, lambda x: x * 2, np.array(3)))
    192
    """
    carry = _arrays(init_val)
    body = _recorded(body_fun)
    while True:
        goes_on = hd.asarray(cond_fun(carry))
        if goes_on.shape != ():
            raise TypeError(f"while_loop: the condition has shape {goes_on.shape}, not ()")
        if not _core.is_true_anywhere(goes_on.astype(bool)):
            return carry
        made = body(carry)
        _check_same(carry, made, "while_loop")
        if _core.is_stand_in(goes_on):
            carry = tree.map(functools.partial(hd.where, goes_on), made, carry)
        else:
            carry = _arrays(made)


def cond(
    pred: Any, true_fun: Callable[..., Any], false_fun: Callable[..., Any], *operands: Any
) -> Any:
    """``true_fun(*operands) if pred else false_fun(*operands)``; under vmap both, and a choice.

    >>> import heddle as np
    >>> f = lambda x: np.lax.cond(x > 0, lambda v: v * 2, lambda v: -v, x)
    >>> print(np.vmap(f)(np.array([1.0, -3.0])))
    [2. 3.]
    """
    return switch(hd.asarray(pred).astype(bool).astype(int), [false_fun, true_fun], *operands)


def switch(index: Any, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
    """``branches[index](*operands)``, where an index beyond the ends means the end.

    >>> import heddle as np
    >>> print(np.lax.switch(1, [np.sin, np.square], np.array(3.0)))
    9.0
    """
    if not branches:
        raise ValueError("switch: there are no branches")
    place = hd.clip(hd.asarray(index), 0, len(branches) - 1)
    if place.shape != ():
        raise TypeError(f"switch: the index has shape {place.shape}, not ()")
    if not _core.is_stand_in(place):
        return branches[int(place)](*operands)
    made = branches[0](*operands)
    for i, branch in enumerate(branches[1:], 1):
        other = branch(*operands)
        if tree.structure(made) != tree.structure(other):
            raise TypeError(
                f"switch: branches give trees {tree.structure(made)} and {tree.structure(other)}"
            )
        made = tree.map(lambda a, b, i=i: hd.where(place == i, b, a), made, other)
    return made


def map(f: Callable[[Any], Any], xs: Any, *, batch_size: int | None = None) -> Any:
    """Apply a function to the rows of arrays, one after the other, or some at a time.

    >>> import heddle as np
    >>> print(np.lax.map(np.sum, np.ones((3, 2))))
    [2. 2. 2.]
    """
    if batch_size is None:
        return scan(lambda _, x: ((), f(x)), (), xs)[1]
    rows = tree.leaves(xs)[0].shape[0]
    mapped = hd.vmap(f)
    parts = [
        mapped(tree.map(lambda leaf, i=i: leaf[i : i + batch_size], xs))
        for i in range(0, rows, batch_size)
    ]
    return tree.map(lambda *leaves: hd.concatenate(leaves), *parts)


def associative_scan(
    fn: Callable[[Any, Any], Any], elems: Any, reverse: bool = False, axis: int = 0
) -> Any:
    """The running result of an associative function along an axis, in a logarithm of steps.

    >>> import heddle as np
    >>> print(np.lax.associative_scan(np.maximum, np.array([1, 3, 2, 5])))
    [1 3 3 5]
    """
    leaves, structure = tree.flatten(elems)
    arrays = [hd.moveaxis(hd.asarray(leaf), axis, 0) for leaf in leaves]
    if reverse:
        arrays = [a[::-1] for a in arrays]
    count = arrays[0].shape[0]
    reach = 1
    while reach < count:
        before = structure.unflatten([a[:-reach] for a in arrays])
        after = structure.unflatten([a[reach:] for a in arrays])
        joined = tree.leaves(fn(before, after))
        arrays = [
            hd.concatenate([a[:reach], hd.asarray(new)])
            for a, new in zip(arrays, joined, strict=True)
        ]
        reach *= 2
    if reverse:
        arrays = [a[::-1] for a in arrays]
    return structure.unflatten([hd.moveaxis(a, 0, axis) for a in arrays])


def select(pred: Any, on_true: Any, on_false: Any) -> Any:
    """``on_true`` where the condition holds, else ``on_false``, of one shape and type.

    >>> import heddle as np
    >>> print(np.lax.select(np.array([True, False]), np.ones(2), np.zeros(2)))
    [1. 0.]
    """
    a, b = hd.asarray(on_true), hd.asarray(on_false)
    if a.shape != b.shape or a.dtype != b.dtype:
        raise TypeError(
            f"select: the cases are {a.dtype}{list(a.shape)} and {b.dtype}{list(b.shape)}"
        )
    return hd.where(pred, a, b)


def stop_gradient(x: Any) -> Any:
    """The same values, as constants: see `heddle.stop_gradient`.

    >>> import heddle as np
    >>> print(np.grad(lambda x: x * np.lax.stop_gradient(x))(3.0))
    3.0
    """
    return hd.stop_gradient(x)
