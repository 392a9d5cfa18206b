"""Layers of networks as functions of their input and their parameters."""

from __future__ import annotations

from typing import Any, Literal, overload

import heddle as hd
from heddle._core import ndarray
from heddle._typing import ArrayLike
from heddle.nn._activations import _inexact
from heddle.nn._normalizing import logsumexp, softmax

__all__ = ["dense", "dot_product_attention", "multi_head_attention"]


def dense(x: ArrayLike, kernel: ArrayLike, bias: ArrayLike | None = None) -> ndarray:
    """``x @ kernel + bias``, along the last axis of x.

    >>> import heddle as np
    >>> print(np.nn.dense(np.ones((1, 2)), np.ones((2, 3)), np.array([0.0, 1.0, 2.0])))
    [[2. 3. 4.]]
    """
    made = hd.matmul(x, kernel)
    return made if bias is None else made + bias


def _attention_mask(
    queries: int,
    keys: int,
    is_causal: bool,
    key_value_seq_lengths: ArrayLike | None,
    local_window_size: int | tuple[int, int] | None,
) -> Any:
    """Which keys a query sees, to broadcast with (batch, heads, queries, keys); None: all."""
    rows = hd.arange(queries).reshape(queries, 1)
    columns = hd.arange(keys).reshape(1, keys)
    mask = None

    def also(more: object) -> Any:
        return more if mask is None else mask & more

    if is_causal:
        mask = also(rows >= columns)
    if local_window_size is not None:
        left, right = (
            (local_window_size,) * 2 if isinstance(local_window_size, int) else local_window_size
        )
        mask = also((rows - left <= columns) & (columns <= rows + right))
    if key_value_seq_lengths is not None:
        mask = also(columns < hd.asarray(key_value_seq_lengths).reshape(-1, 1, 1, 1))
    return mask


def _check_attention(query: ndarray, key: ndarray, value: ndarray) -> None:
    what = "dot_product_attention"
    if query.ndim not in (3, 4) or key.ndim != query.ndim or value.ndim != query.ndim:
        raise ValueError(
            f"{what}: arrays are (batch, length, heads, size) or (length, heads, size), not of "
            f"shapes {query.shape}, {key.shape} and {value.shape}"
        )
    fits = (
        query.shape[:-3] == key.shape[:-3] == value.shape[:-3]
        and key.shape[-3:-1] == value.shape[-3:-1]
        and query.shape[-1] == key.shape[-1]
    )
    if not fits:
        raise ValueError(
            f"{what}: a query of shape {query.shape}, a key of {key.shape} and a value of "
            f"{value.shape} do not fit"
        )
    if query.shape[-2] % max(key.shape[-2], 1):
        raise ValueError(
            f"{what}: {query.shape[-2]} heads of the query are no multiple of {key.shape[-2]}"
        )


@overload
def dot_product_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    bias: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    *,
    scale: float | None = None,
    is_causal: bool = False,
    query_seq_lengths: ArrayLike | None = None,
    key_value_seq_lengths: ArrayLike | None = None,
    local_window_size: int | tuple[int, int] | None = None,
    implementation: str | None = None,
    return_residual: Literal[False] = False,
) -> ndarray: ...
@overload
def dot_product_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    bias: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    *,
    scale: float | None = None,
    is_causal: bool = False,
    query_seq_lengths: ArrayLike | None = None,
    key_value_seq_lengths: ArrayLike | None = None,
    local_window_size: int | tuple[int, int] | None = None,
    implementation: str | None = None,
    return_residual: Literal[True],
) -> tuple[ndarray, ndarray]: ...
@overload
def dot_product_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    bias: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    *,
    scale: float | None = None,
    is_causal: bool = False,
    query_seq_lengths: ArrayLike | None = None,
    key_value_seq_lengths: ArrayLike | None = None,
    local_window_size: int | tuple[int, int] | None = None,
    implementation: str | None = None,
    return_residual: bool = False,
) -> ndarray | tuple[ndarray, ndarray]: ...
def dot_product_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    bias: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    *,
    scale: float | None = None,
    is_causal: bool = False,
    query_seq_lengths: ArrayLike | None = None,
    key_value_seq_lengths: ArrayLike | None = None,
    local_window_size: int | tuple[int, int] | None = None,
    implementation: str | None = None,
    return_residual: bool = False,
) -> Any:
    """``softmax(query @ key.T * scale + bias) @ value`` in each head.

    Arrays are (batch, length, heads, size), or the same without a batch. Key and value may have
    fewer heads, each of which several of the query share. ``bias`` and ``mask`` broadcast with
    (batch, heads, queries, keys); a query sees the keys where the mask is true, with ``is_causal``
    those that are not later, and with ``local_window_size`` so many before and after. Lengths say
    how much of each sample counts. ``scale`` is ``size**-0.5`` if none is given. With
    ``return_residual`` logarithms of the sums of softmax follow, (batch, queries, heads). There is
    one ``implementation``, which JAX's "xla" means as well.

    >>> import heddle as np
    >>> q = k = v = np.arange(6.0).reshape(3, 1, 2)
    >>> print(np.nn.dot_product_attention(q, k, v, is_causal=True)[0, 0])
    [0. 1.]
    """
    if implementation not in (None, "xla"):
        raise ValueError(f"dot_product_attention: there is no implementation {implementation!r}")
    query, key, value = _inexact(query), _inexact(key), _inexact(value)
    _check_attention(query, key, value)
    if query.ndim == 3:
        made: Any = dot_product_attention(
            query[None],
            key[None],
            value[None],
            bias if bias is None or hd.ndim(bias) == 4 else hd.asarray(bias)[None],
            mask if mask is None or hd.ndim(mask) == 4 else hd.asarray(mask)[None],
            scale=scale,
            is_causal=is_causal,
            query_seq_lengths=query_seq_lengths,
            key_value_seq_lengths=key_value_seq_lengths,
            local_window_size=local_window_size,
            return_residual=return_residual,
        )
        return tuple(one[0] for one in made) if return_residual else made[0]
    batch, queries, heads, size = query.shape
    keys, shared = key.shape[1], key.shape[2]
    # (batch, heads of keys, length, size); the queries of heads that share a key follow one another
    # as more queries do.
    together = heads // max(shared, 1)
    q = hd.swapaxes(query, 1, 2)
    if together > 1:
        q = q.reshape((batch, shared, together * queries, size))
    k, v = hd.swapaxes(key, 1, 2), hd.swapaxes(value, 1, 2)
    logits = hd.matmul(q, hd.swapaxes(k, -1, -2)).reshape((batch, heads, queries, keys))
    if logits.dtype.itemsize == 2:
        logits = logits.astype(hd.float32)
    logits = logits * (size**-0.5 if scale is None else scale)
    if bias is not None:
        logits = logits + bias
    seen = _attention_mask(queries, keys, is_causal, key_value_seq_lengths, local_window_size)
    if mask is not None:
        mask = hd.asarray(mask)
        if mask.dtype != bool:
            raise TypeError(f"dot_product_attention: the mask is of type {mask.dtype}, not bool")
        seen = mask if seen is None else seen & mask
    if seen is not None:
        # Far below all others, yet finite: a query that sees nothing sees all alike.
        logits = hd.where(seen, logits, logits.dtype.type(-0.7 * float(hd.finfo(hd.float32).max)))
    weights = softmax(logits).astype(query.dtype)
    made = hd.matmul(weights.reshape((batch, shared, together * queries, keys)), v)
    made = hd.swapaxes(made.reshape((batch, heads, queries, v.shape[-1])), 1, 2)
    if query_seq_lengths is not None:
        counted = hd.arange(queries) < hd.asarray(query_seq_lengths).reshape(-1, 1)
        made = hd.where(counted[:, :, None, None], made, made.dtype.type(0))
    if not return_residual:
        return made
    return made, hd.swapaxes(logsumexp(logits, axis=-1), 1, 2)


def multi_head_attention(
    x: ArrayLike,
    params: dict[str, Any],
    num_heads: int,
    context: ArrayLike | None = None,
    *,
    mask: ArrayLike | None = None,
    is_causal: bool = False,
) -> ndarray:
    """Attention of x to itself, or to a context, by heads with kernels of their own.

    x is (batch, length, features). ``params`` has kernels ``"query"``, ``"key"``, ``"value"``
    (features, heads * size) and ``"out"`` (heads * size, features), and may have their biases
    ``"query_bias"`` and so on.

    >>> import heddle as np
    >>> eye = np.eye(4)
    >>> params = {"query": eye, "key": eye, "value": eye, "out": eye}
    >>> np.nn.multi_head_attention(np.ones((1, 3, 4)), params, num_heads=2).shape
    (1, 3, 4)
    """
    x = _inexact(x)
    context = x if context is None else _inexact(context)

    def heads(given: ndarray, name: str) -> ndarray:
        made = dense(given, params[name], params.get(f"{name}_bias"))
        if made.shape[-1] % num_heads:
            raise ValueError(f"{name}: {made.shape[-1]} features are not {num_heads} equal heads")
        return made.reshape((*made.shape[:-1], num_heads, made.shape[-1] // num_heads))

    made = dot_product_attention(
        heads(x, "query"),
        heads(context, "key"),
        heads(context, "value"),
        mask=mask,
        is_causal=is_causal,
    )
    return dense(made.reshape((*made.shape[:-2], -1)), params["out"], params.get("out_bias"))
