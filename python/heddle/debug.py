"""Looking at what transformations do."""

from __future__ import annotations

import builtins
import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy

import heddle as hd
from heddle import _core, tree
from heddle._typing import ArrayLike, DType
from heddle.random._recording import begin_call

__all__ = ["callback", "check_grads", "check_nans", "print"]


def callback(function: Callable[..., Any], *args: object, **kwargs: object) -> None:
    """Call a function with arrays, in every call of what is being recorded by `jit`.

    Under `vmap` it is called once for each row. Arrays are given as they are then, as constants
    for derivatives; what it gives is dropped.

    >>> import heddle as np
    >>> seen = []
    >>> @np.jit
    ... def f(x):
    ...     np.debug.callback(lambda s: seen.append(float(s)), x.sum())
    ...     return x * 2
    >>> for n in range(3):
    ...     _ = f(np.ones(n))
    >>> seen
    [0.0, 1.0, 2.0]
    """
    begin_call()
    leaves, structure = tree.flatten((args, kwargs))
    both = [(leaf, isinstance(leaf, _core.own_array)) for leaf in leaves]
    with_rows = [isinstance(leaf, _core.own_array) and _core.is_stand_in(leaf) for leaf in leaves]
    arrays = [_core.stop_gradient(_core.all_rows(leaf)) for leaf, one in both if one]
    rows = _core.rows_at_once() if any(with_rows) else None

    def call(given: list[hd.ndarray]) -> None:
        _core.add_script_effect(call, given)
        remaining = iter(given)
        filled = [next(remaining) if one else leaf for leaf, one in both]
        for row in [None] if rows is None else range(rows):
            of_row = [
                leaf.reshape(-1, *leaf.shape[leaf.ndim - like.ndim :])[row]
                if has_rows and row is not None
                else leaf
                for leaf, like, has_rows in zip(filled, leaves, with_rows, strict=True)
            ]
            positional, named = structure.unflatten(of_row)
            # What it looks at decides nothing.
            _core.call_unheard(functools.partial(function, *positional, **named))

    call(arrays)


def print(fmt: str, *args: object, **kwargs: object) -> None:
    """Print a text with arrays in it, in every call of what is being recorded by `jit`.

    ``fmt`` is a text for `str.format`. Under `vmap` a line is printed for each row.

    >>> import heddle as np
    >>> @np.jit
    ... def f(x):
    ...     np.debug.print("the sum is {}", x.sum())
    ...     return x * 2
    >>> _ = f(np.ones(2)), f(np.ones(2) * 2)
    the sum is 2.0
    the sum is 4.0
    """
    callback(lambda *a, **k: builtins.print(fmt.format(*a, **k)), *args, **kwargs)


@contextlib.contextmanager
def check_nans(infs: bool = False) -> Iterator[None]:
    """In the block every operation runs at once, and one that makes nan is an error.

    FloatingPointError says which operation it is and on which line; with ``infs`` also of one that
    makes an infinity. Backward passes are checked like everything else. Functions of `jit` run as
    plain code meanwhile, so that lines are those of the function.

    >>> import heddle as np
    >>> with np.debug.check_nans():
    ...     np.log(np.array([-1.0, 1.0]))
    Traceback (most recent call last):
        ...
    FloatingPointError: log makes nan, at ...
    """
    _core.start_nan_checks(infs)
    try:
        yield
    finally:
        _core.stop_nan_checks()


def _tolerance(dtype: DType) -> float:
    return {"f": 2e-2, "d": 1e-5, "F": 2e-2, "D": 1e-5}.get(numpy.dtype(dtype).char, 1e-1)


def _tolerance_for(types: Sequence[DType], given: float | Mapping[Any, float] | None) -> float:
    """A tolerance for arguments of these types; the usual one where nothing is said of a type."""
    if isinstance(given, (int, float)):
        return given
    said = {numpy.dtype(dtype): value for dtype, value in (given or {}).items()}
    return max(said.get(numpy.dtype(dtype), _tolerance(dtype)) for dtype in types)


def _random_like(given: object, generator: numpy.random.Generator) -> Any:
    def one(leaf: hd.ndarray) -> hd.ndarray:
        values = generator.normal(size=leaf.shape)
        if leaf.dtype.kind == "c":
            values = values + 1j * generator.normal(size=leaf.shape)
        return hd.asarray(values.astype(leaf.dtype), device=leaf.device)

    return tree.map(one, given)


def _moved(args: object, tangents: object, step: float) -> Any:
    return tree.map(lambda x, t: (x + step * t).astype(x.dtype), args, tangents)


def _inner(a: ArrayLike, b: ArrayLike) -> float:
    total = 0.0
    for x, y in zip(tree.leaves(a), tree.leaves(b), strict=True):
        total += float(numpy.real(numpy.sum(hd.asnumpy(x * y).astype("complex128"))))
    return total


def check_grads(
    f: Callable[..., Any],
    args: Sequence[object],
    order: int,
    modes: Sequence[str] = ("fwd", "rev"),
    atol: float | Mapping[Any, float] | None = None,
    rtol: float | Mapping[Any, float] | None = None,
    eps: float | None = None,
) -> None:
    """Compare the derivatives of a function with differences, up to an order.

    In mode 'fwd' a change along random tangents is compared with `jvp`; in mode 'rev' cotangents
    that `vjp` gives are compared with it. AssertionError where they are not close. Tolerances may
    be given for each type of arguments: ``{np.float32: 1e-2}``; the largest one counts.

    >>> import heddle as np
    >>> np.debug.check_grads(np.sin, (np.array([0.5, 1.0]),), order=2)
    """
    if isinstance(modes, str):
        modes = [modes]
    unknown = set(modes) - {"fwd", "rev"}
    if unknown:
        raise ValueError(f"check_grads: modes are 'fwd' and 'rev', not {sorted(unknown)}")
    if order < 1:
        return
    given = tuple(tree.map(lambda x: hd.asarray(x), arg) for arg in args)
    types = [leaf.dtype for leaf in tree.leaves(given)]
    if not types:
        raise ValueError("check_grads: there are no arguments")
    near = max(_tolerance(dtype) for dtype in types)
    atol, rtol = _tolerance_for(types, atol), _tolerance_for(types, rtol)
    step = eps or (1e-2 if near > 1e-3 else 1e-4)
    generator = numpy.random.default_rng(0)
    tangents = _random_like(given, generator)

    if "fwd" in modes:
        _, changes = hd.jvp(f, given, tangents)
        above, below = f(*_moved(given, tangents, step)), f(*_moved(given, tangents, -step))
        for found, high, low in zip(
            tree.leaves(changes), tree.leaves(above), tree.leaves(below), strict=True
        ):
            wanted = (hd.asnumpy(hd.asarray(high)) - hd.asnumpy(hd.asarray(low))) / (2 * step)
            numpy.testing.assert_allclose(
                hd.asnumpy(found), wanted, rtol, atol, err_msg="jvp and differences"
            )
        check_grads(lambda *xs: hd.jvp(f, xs, tangents), given, order - 1, ["fwd"], atol, rtol, eps)
    if "rev" in modes:
        value, pull = hd.vjp(f, *given)
        cotangents = _random_like(tree.map(hd.asarray, value), generator)
        found = pull(cotangents)
        above, below = f(*_moved(given, tangents, step)), f(*_moved(given, tangents, -step))
        differences = tree.map(lambda high, low: (high - low) / (2 * step), above, below)
        numpy.testing.assert_allclose(
            _inner(found, tangents),
            _inner(cotangents, differences),
            rtol,
            atol,
            err_msg="vjp and differences",
        )
        check_grads(
            lambda *xs: hd.vjp(f, *xs)[1](cotangents), given, order - 1, ["rev"], atol, rtol, eps
        )
