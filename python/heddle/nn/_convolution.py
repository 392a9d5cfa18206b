"""Convolution and pooling: windows that move over the axes between the batch and the channels."""

import functools
from collections.abc import Sequence
from typing import Any

import heddle as hd
from heddle import _core
from heddle._core import ndarray, ufunc
from heddle._typing import ArrayLike
from heddle.nn._activations import _inexact

__all__ = ["avg_pool", "conv", "conv_transpose", "max_pool", "min_pool"]

_Numbers = int | Sequence[int]
_Padding = str | int | Sequence[int | tuple[int, int]]
# Windows of at most this many elements are written out as operations on slices, which fuse with
# what is around them and have derivatives that are slices.
_WRITTEN_OUT = 32


def _for_axes(given: _Numbers, axes: int, what: str) -> tuple[int, ...]:
    """A number for each axis that windows move over."""
    numbers = (given,) * axes if isinstance(given, int) else tuple(given)
    if len(numbers) != axes:
        raise ValueError(f"{what}: {given} for {axes} axes")
    if any(number < 1 for number in numbers):
        raise ValueError(f"{what}: they are positive, not {given}")
    return numbers


def _pads(
    padding: _Padding,
    extents: Sequence[int],
    reaches: Sequence[int],
    strides: tuple[int, ...],
    what: str,
) -> list[tuple[int, int]]:
    """Zeros before and after each axis: as said, or as 'SAME', 'SAME_LOWER' and 'VALID' mean."""
    axes = len(strides)
    if isinstance(padding, str):
        name = padding.upper()
        if name == "VALID":
            return [(0, 0)] * axes
        if name not in ("SAME", "SAME_LOWER"):
            raise ValueError(
                f"{what}: padding is 'SAME', 'SAME_LOWER', 'VALID' or numbers, not {padding!r}"
            )
        # As many windows as elements, but for strides.
        pads = []
        for extent, reach, stride in zip(extents, reaches, strides, strict=True):
            total = max((-(-extent // stride) - 1) * stride + reach - extent, 0)
            less, more = total // 2, total - total // 2
            pads.append((less, more) if name == "SAME" else (more, less))
        return pads
    if isinstance(padding, int):
        return [(padding, padding)] * axes
    pads = [(one, one) if isinstance(one, int) else tuple(one) for one in padding]  # type: ignore[misc]
    if len(pads) != axes:
        raise ValueError(f"{what}: padding {padding} for {axes} axes")
    return pads


def conv(
    x: ArrayLike,
    kernel: ArrayLike,
    bias: ArrayLike | None = None,
    *,
    strides: _Numbers = 1,
    padding: _Padding = "SAME",
    input_dilation: _Numbers = 1,
    kernel_dilation: _Numbers = 1,
    feature_group_count: int = 1,
) -> ndarray:
    """Convolution over all axes between the first and the last.

    x is (batch, extents..., channels), the kernel (extents..., channels / groups, features) and the
    result (batch, windows..., features). As in other libraries of networks the kernel is not turned
    round. ``padding`` is ``'SAME'``, ``'SAME_LOWER'``, ``'VALID'``, a number, or one or a pair of
    them for each axis.

    >>> import heddle as np
    >>> x = np.arange(5.0).reshape(1, 5, 1)
    >>> print(np.nn.conv(x, np.ones((3, 1, 1))).ravel())
    [1. 3. 6. 9. 7.]
    >>> print(np.nn.conv(x, np.ones((3, 1, 1)), padding="VALID", strides=2).ravel())
    [3. 9.]
    """
    x, kernel = _inexact(x), _inexact(kernel)
    axes = kernel.ndim - 2
    if axes < 1 or x.ndim != kernel.ndim:
        raise ValueError(
            f"conv: an input (batch, extents..., channels) of shape {x.shape} and a kernel "
            f"(extents..., channels, features) of shape {kernel.shape} do not fit"
        )
    steps = _for_axes(strides, axes, "conv: strides")
    between = _for_axes(input_dilation, axes, "conv: input_dilation")
    inside = _for_axes(kernel_dilation, axes, "conv: kernel_dilation")
    extents = [(n - 1) * d + 1 for n, d in zip(x.shape[1:-1], between, strict=True)]
    reaches = [(n - 1) * d + 1 for n, d in zip(kernel.shape[:-2], inside, strict=True)]
    pads = _pads(padding, extents, reaches, steps, "conv")
    before, after = [a for a, _ in pads], [b for _, b in pads]
    made = _core.conv(x, kernel, steps, before, after, between, inside, feature_group_count)
    return made if bias is None else made + bias


def conv_transpose(
    x: ArrayLike,
    kernel: ArrayLike,
    bias: ArrayLike | None = None,
    *,
    strides: _Numbers = 1,
    padding: _Padding = "SAME",
    kernel_dilation: _Numbers = 1,
) -> ndarray:
    """Convolution of the input with ``strides - 1`` zeros between its elements: it gets larger.

    With ``'SAME'`` the result has ``strides`` times the extents of the input; with ``'VALID'`` it
    has all windows that meet an element.

    >>> import heddle as np
    >>> print(np.nn.conv_transpose(np.ones((1, 2, 1)), np.ones((2, 1, 1)), strides=2).ravel())
    [1. 1. 1. 1.]
    """
    kernel = _inexact(kernel)
    axes = kernel.ndim - 2
    steps = _for_axes(strides, axes, "conv_transpose: strides")
    inside = _for_axes(kernel_dilation, axes, "conv_transpose: kernel_dilation")
    if isinstance(padding, str):
        pads = []
        for n, dilation, step in zip(kernel.shape[:-2], inside, steps, strict=True):
            reach = (n - 1) * dilation + 1
            total = reach + step - 2
            if padding.upper() == "SAME":
                before = reach - 1 if step > reach - 1 else -(-total // 2)
            elif padding.upper() == "VALID":
                total += max(reach - step, 0)
                before = reach - 1
            else:
                raise ValueError(
                    f"conv_transpose: padding is 'SAME', 'VALID' or numbers, not {padding!r}"
                )
            pads.append((before, total - before))
        padding = pads
    return conv(
        x,
        kernel,
        bias,
        padding=padding,
        input_dilation=steps,
        kernel_dilation=inside,
    )


def _windows(
    x: ndarray,
    window_shape: Sequence[int],
    strides: int | Sequence[int] | None,
    padding: _Padding,
    empty: float,
    what: str,
) -> tuple[Any, list[tuple[int, int]], tuple[int, ...]]:
    """The input with what counts for nothing around it, that padding, and strides."""
    axes = len(window_shape)
    if x.ndim != axes + 2:
        raise ValueError(
            f"{what}: windows {tuple(window_shape)} move over {axes} axes of a "
            f"(batch, extents..., channels), not of shape {x.shape}"
        )
    steps = _for_axes(window_shape if strides is None else strides, axes, f"{what}: strides")
    pads = _pads(padding, x.shape[1:-1], window_shape, steps, what)
    if any(before or after for before, after in pads):
        x = hd.pad(x, [(0, 0), *pads, (0, 0)], constant_values=empty)
    return x, pads, steps


def _places(window_shape: Sequence[int]) -> list[tuple[int, ...]]:
    places: list[tuple[int, ...]] = [()]
    for extent in window_shape:
        places = [(*place, i) for place in places for i in range(extent)]
    return places


def _pooled(
    x: ndarray, window_shape: Sequence[int], steps: tuple[int, ...], combine: ufunc
) -> ndarray:
    """A ufunc over the elements of each window."""
    counts = [
        max((extent - window) // step + 1, 0)
        for extent, window, step in zip(x.shape[1:-1], window_shape, steps, strict=True)
    ]
    places = _places(window_shape)
    if len(places) <= _WRITTEN_OUT:
        parts = []
        for place in places:
            spans = [
                slice(i, i + (count - 1) * step + 1 if count else i, step)
                for i, count, step in zip(place, counts, steps, strict=True)
            ]
            parts.append(x[(slice(None), *spans)])
        made: ndarray = functools.reduce(combine, parts)
        return made
    axes = tuple(range(1, 1 + len(steps)))
    windows = hd.lib.stride_tricks.sliding_window_view(x, tuple(window_shape), axes)
    windows = windows[(slice(None), *(slice(None, None, step) for step in steps))]
    reduced: ndarray = combine.reduce(windows, axis=tuple(range(-len(steps), 0)))
    return reduced


def max_pool(
    x: ArrayLike,
    window_shape: Sequence[int],
    strides: _Numbers | None = None,
    padding: _Padding = "VALID",
) -> ndarray:
    """The largest element of each window. Windows lie side by side if no strides are given.

    >>> import heddle as np
    >>> x = np.array([1.0, 5.0, 2.0, 3.0]).reshape(1, 4, 1)
    >>> print(np.nn.max_pool(x, (2,)).ravel())
    [5. 3.]
    """
    x = hd.asarray(x)
    lowest = -hd.inf if x.dtype.kind not in "iu" else int(hd.iinfo(x.dtype).min)
    padded, _, steps = _windows(x, window_shape, strides, padding, lowest, "max_pool")
    return _pooled(padded, window_shape, steps, hd.maximum)


def min_pool(
    x: ArrayLike,
    window_shape: Sequence[int],
    strides: _Numbers | None = None,
    padding: _Padding = "VALID",
) -> ndarray:
    """The smallest element of each window, likewise.

    Examples
    --------
    >>> import heddle as np
    >>> x = np.arange(4.0).reshape(1, 4, 1)
    >>> np.nn.min_pool(x, (2,), strides=(2,)).ravel()
    array([0., 2.])
    """
    x = hd.asarray(x)
    highest = hd.inf if x.dtype.kind not in "iu" else int(hd.iinfo(x.dtype).max)
    padded, _, steps = _windows(x, window_shape, strides, padding, highest, "min_pool")
    return _pooled(padded, window_shape, steps, hd.minimum)


def avg_pool(
    x: ArrayLike,
    window_shape: Sequence[int],
    strides: _Numbers | None = None,
    padding: _Padding = "VALID",
    count_include_pad: bool = True,
) -> ndarray:
    """The mean of each window, with padding counted as zeros, or not at all.

    >>> import heddle as np
    >>> x = np.array([1.0, 5.0, 2.0, 4.0]).reshape(1, 4, 1)
    >>> print(np.nn.avg_pool(x, (2,)).ravel())
    [3. 3.]
    """
    x = _inexact(x)
    padded, pads, steps = _windows(x, window_shape, strides, padding, 0, "avg_pool")
    total = _pooled(padded, window_shape, steps, hd.add)
    if count_include_pad or not any(before or after for before, after in pads):
        return total / float(hd.prod(hd.asarray(window_shape)))
    ones = hd.pad(
        hd.ones((1, *x.shape[1:-1], 1), x.dtype, device=x.device), [(0, 0), *pads, (0, 0)]
    )
    return total / _pooled(ones, window_shape, steps, hd.add)
