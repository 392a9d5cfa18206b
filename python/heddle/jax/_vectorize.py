"""Functions of single elements, or of parts, for whole arrays: by `vmap`, as in JAX."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection
from typing import Any

import heddle as hd
from heddle import tree


def vectorize(
    pyfunc: Callable[..., Any],
    *,
    excluded: Collection[int | str] = frozenset(),
    signature: str | None = None,
) -> Callable[..., Any]:
    """A function of single elements for arrays, which broadcast; the function gets arrays.

    With a ``signature`` it is one of parts, as in NumPy. Arguments that are None, and those at
    ``excluded`` places or with such names, are given as they are.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.vectorize(lambda x, y: jnp.maximum(x, y) * 2)(jnp.arange(3), 1))
    [2 2 4]
    """
    if signature is not None:
        return hd.vectorize(pyfunc, excluded=set(excluded), signature=signature)
    left_out = {one for one in excluded if isinstance(one, int)}
    by_name = {one for one in excluded if isinstance(one, str)}
    if len(left_out) + len(by_name) != len(set(excluded)):
        raise TypeError(f"vectorize: excluded are places and names, not {excluded!r}")

    @functools.wraps(pyfunc)
    def function(*args: object, **kwargs: object) -> Any:
        fixed = {i for i, one in enumerate(args) if i in left_out or one is None}
        named = {name: one for name, one in kwargs.items() if name in by_name}
        other = [name for name in kwargs if name not in by_name]
        given = [hd.asarray(one) for i, one in enumerate(args) if i not in fixed]
        given += [hd.asarray(kwargs[name]) for name in other]
        shape = hd.broadcast_shapes(*[one.shape for one in given])

        def one(*elements: object) -> Any:
            rest = iter(elements)
            positional = [args[i] if i in fixed else next(rest) for i in range(len(args))]
            return pyfunc(*positional, **named, **dict(zip(other, rest, strict=True)))

        if not given or not shape:
            return one(*given)
        made = hd.vmap(one)(*[hd.broadcast_to(a, shape).ravel() for a in given])
        return tree.map(lambda leaf: leaf.reshape((*shape, *leaf.shape[1:])), made)

    return function
