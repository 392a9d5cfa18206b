"""Products with the keywords of JAX: the type they are computed in, and how exactly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import heddle as hd
from heddle._transform.precision import check_precision
from heddle._typing import ArrayLike, DTypeLike


def _read(
    what: str, precision: object, kind: DTypeLike | None, *arrays: ArrayLike
) -> list[ArrayLike]:
    check_precision(what, precision)
    return list(arrays) if kind is None else [hd.asarray(a).astype(kind) for a in arrays]


def matmul(
    a: ArrayLike,
    b: ArrayLike,
    *,
    precision: object = None,
    preferred_element_type: DTypeLike | None = None,
) -> hd.ndarray:
    """The product of matrices; computed in a type if one is said.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.matmul(jnp.ones((1, 2)), jnp.ones((2, 1))))
    [[2.]]
    """
    a, b = _read("matmul", precision, preferred_element_type, a, b)
    return hd.matmul(a, b)


def dot(
    a: ArrayLike,
    b: ArrayLike,
    *,
    precision: object = None,
    preferred_element_type: DTypeLike | None = None,
) -> hd.ndarray:
    """The product over the last axis of one and the last but one of the other.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.dot(jnp.ones(2), jnp.ones(2)))
    2.0
    """
    a, b = _read("dot", precision, preferred_element_type, a, b)
    return hd.dot(a, b)


def vdot(
    a: ArrayLike,
    b: ArrayLike,
    *,
    precision: object = None,
    preferred_element_type: DTypeLike | None = None,
) -> hd.ndarray:
    """The product of all elements, the first ones conjugated.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.vdot(jnp.array([1j]), jnp.array([1j])))
    (1+0j)
    """
    return hd.vdot(*_read("vdot", precision, preferred_element_type, a, b))


def inner(
    a: ArrayLike,
    b: ArrayLike,
    *,
    precision: object = None,
    preferred_element_type: DTypeLike | None = None,
) -> hd.ndarray:
    """The product over the last axes.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.inner(jnp.ones(2), jnp.ones(2)))
    2.0
    """
    return hd.inner(*_read("inner", precision, preferred_element_type, a, b))


def tensordot(
    a: ArrayLike,
    b: ArrayLike,
    axes: int | Sequence[int] | Sequence[Sequence[int]] = 2,
    *,
    precision: object = None,
    preferred_element_type: DTypeLike | None = None,
) -> hd.ndarray:
    """The product over some axes.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.tensordot(jnp.ones((2, 2)), jnp.ones((2, 2))))
    4.0
    """
    a, b = _read("tensordot", precision, preferred_element_type, a, b)
    return hd.tensordot(a, b, axes)


def einsum(
    subscripts: str | ArrayLike,
    /,
    *operands: ArrayLike,
    optimize: bool | str | Sequence[object] = "auto",
    precision: object = None,
    preferred_element_type: DTypeLike | None = None,
) -> hd.ndarray:
    """Sums of products by letters of axes.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.einsum("ij,j->i", jnp.eye(2), jnp.arange(2.0)))
    [0. 1.]
    """
    check_precision("einsum", precision)
    kind = preferred_element_type
    given = [
        hd.asarray(one).astype(kind) if kind is not None and hasattr(one, "dtype") else one
        for one in operands
    ]
    how = True if optimize in ("auto", "optimal") else optimize
    return hd.einsum(subscripts, *given, optimize=how)


def convolve(
    a: ArrayLike,
    v: ArrayLike,
    mode: Literal["full", "same", "valid"] = "full",
    *,
    precision: object = None,
    preferred_element_type: DTypeLike | None = None,
) -> hd.ndarray:
    """The convolution of two sequences.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.convolve(jnp.arange(3.0), jnp.ones(2), precision="highest"))
    [0. 1. 3. 2.]
    """
    first, second = _read("convolve", precision, preferred_element_type, a, v)
    return hd.convolve(first, second, mode)


def correlate(
    a: ArrayLike,
    v: ArrayLike,
    mode: Literal["full", "same", "valid"] = "valid",
    *,
    precision: object = None,
    preferred_element_type: DTypeLike | None = None,
) -> hd.ndarray:
    """The correlation of two sequences.

    >>> import heddle.jax.numpy as jnp
    >>> print(jnp.correlate(jnp.arange(3.0), jnp.ones(2), precision="highest"))
    [1. 3.]
    """
    first, second = _read("correlate", precision, preferred_element_type, a, v)
    return hd.correlate(first, second, mode)
