"""What is added up by the number of its segment, with JAX's names."""

from __future__ import annotations

import operator
from typing import Any

import heddle as hd
from heddle._transform.at import Mode
from heddle._typing import ArrayLike, DType

__all__ = ["segment_max", "segment_min", "segment_prod", "segment_sum"]


def _segments(
    what: str,
    data: object,
    segment_ids: object,
    num_segments: int | None,
    first: Any,
    unique_indices: bool,
    bucket_size: int | None,
    mode: Mode,
) -> hd.ndarray:
    """``what`` of `x.at` done to an array of ``first`` for each row of the data.

    ``bucket_size`` says in which order JAX adds up, so that errors grow less; here there is one
    order for each device.
    """
    if bucket_size is not None and operator.index(bucket_size) <= 0:
        raise ValueError(f"segment_{what}: bucket_size has to be positive, not {bucket_size}")
    rows, ids = hd.asarray(data), hd.asarray(segment_ids)
    if ids.dtype.kind not in "iu":
        raise TypeError(f"segment_{what}: segment_ids have to be integers, not {ids.dtype}")
    if rows.shape[: ids.ndim] != ids.shape:
        raise ValueError(
            f"segment_{what}: segment_ids of shape {ids.shape} for data of shape {rows.shape}"
        )
    if num_segments is None:
        num_segments = int(ids.max()) + 1 if ids.size else 0
    count = operator.index(num_segments)
    if count < 0:
        raise ValueError(f"segment_{what}: num_segments is {count}")
    made = hd.full((count, *rows.shape[ids.ndim :]), first(rows.dtype), rows.dtype)
    if mode in (None, "fill", "drop"):
        # Numbers below zero are no segment either: they do not count from the end.
        ids, mode = hd.where(ids < 0, count, ids.astype("int64")), "drop"
    act = {"sum": "add", "prod": "multiply"}.get(what, what)
    change = getattr(made.at[ids], act)
    return change(rows, mode=mode, unique_indices=unique_indices)  # type: ignore[no-any-return]


def _least(dtype: DType) -> float:
    if dtype.kind == "b":
        return False
    return hd.iinfo(dtype).min if dtype.kind in "iu" else -hd.inf


def _greatest(dtype: DType) -> float:
    if dtype.kind == "b":
        return True
    return hd.iinfo(dtype).max if dtype.kind in "iu" else hd.inf


def segment_sum(
    data: ArrayLike,
    segment_ids: ArrayLike,
    num_segments: int | None = None,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    bucket_size: int | None = None,
    mode: Mode = None,
) -> hd.ndarray:
    """The sum of those rows that belong to each segment.

    ``segment_ids`` says for each row its segment; others than 0 to ``num_segments - 1`` are left
    out. Where nothing is said there are as many segments as the greatest number wants, which is a
    look at elements. ``indices_are_sorted`` and ``bucket_size`` make no difference here.

    Examples
    --------
    >>> import heddle as np
    >>> print(np.ops.segment_sum(np.arange(5), np.array([0, 0, 1, 1, 2])))
    [1 5 4]
    """
    return _segments(
        *("sum", data, segment_ids, num_segments, lambda _: 0, unique_indices, bucket_size, mode)
    )


def segment_prod(
    data: ArrayLike,
    segment_ids: ArrayLike,
    num_segments: int | None = None,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    bucket_size: int | None = None,
    mode: Mode = None,
) -> hd.ndarray:
    """The product of those rows that belong to each segment; see `segment_sum`.

    Examples
    --------
    >>> import heddle as np
    >>> print(np.ops.segment_prod(np.arange(1, 6), np.array([0, 0, 1, 1, 2]), 4))
    [ 2 12  5  1]
    """
    return _segments(
        *("prod", data, segment_ids, num_segments, lambda _: 1, unique_indices, bucket_size, mode)
    )


def segment_max(
    data: ArrayLike,
    segment_ids: ArrayLike,
    num_segments: int | None = None,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    bucket_size: int | None = None,
    mode: Mode = None,
) -> hd.ndarray:
    """The greatest of those rows that belong to each segment; the least there is without any.

    Examples
    --------
    >>> import heddle as np
    >>> print(np.ops.segment_max(np.array([3.0, 1.0, 2.0]), np.array([0, 0, 2])))
    [  3. -inf   2.]
    """
    return _segments(
        *("max", data, segment_ids, num_segments, _least, unique_indices, bucket_size, mode)
    )


def segment_min(
    data: ArrayLike,
    segment_ids: ArrayLike,
    num_segments: int | None = None,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    bucket_size: int | None = None,
    mode: Mode = None,
) -> hd.ndarray:
    """The least of those rows that belong to each segment; the greatest there is without any.

    Examples
    --------
    >>> import heddle as np
    >>> print(np.ops.segment_min(np.array([3, 1, 2]), np.array([0, 0, 1])))
    [1 2]
    """
    return _segments(
        *("min", data, segment_ids, num_segments, _greatest, unique_indices, bucket_size, mode)
    )
