"""Looking at what transformations do."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy

import heddle as hd
from heddle import tree

__all__ = ["check_grads"]


def _tolerance(dtype: Any) -> float:
    return {"f": 2e-2, "d": 1e-5, "F": 2e-2, "D": 1e-5}.get(numpy.dtype(dtype).char, 1e-1)


def _random_like(given: Any, generator: numpy.random.Generator) -> Any:
    def one(leaf: hd.ndarray) -> hd.ndarray:
        values = generator.normal(size=leaf.shape)
        if leaf.dtype.kind == "c":
            values = values + 1j * generator.normal(size=leaf.shape)
        return hd.asarray(values.astype(leaf.dtype))

    return tree.map(one, given)


def _moved(args: Any, tangents: Any, step: float) -> Any:
    return tree.map(lambda x, t: (x + step * t).astype(x.dtype), args, tangents)


def _inner(a: Any, b: Any) -> float:
    total = 0.0
    for x, y in zip(tree.leaves(a), tree.leaves(b), strict=True):
        total += float(numpy.real(numpy.sum(hd.asnumpy(x * y).astype("complex128"))))
    return total


def check_grads(
    f: Callable[..., Any],
    args: Sequence[Any],
    order: int,
    modes: Sequence[str] = ("fwd", "rev"),
    atol: float | None = None,
    rtol: float | None = None,
    eps: float | None = None,
) -> None:
    """Compare the derivatives of a function with differences, up to an order.

    In mode 'fwd' a change along random tangents is compared with `jvp`; in mode 'rev' cotangents
    that `vjp` gives are compared with it. AssertionError where they are not close.

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
    atol, rtol = near if atol is None else atol, near if rtol is None else rtol
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
