"""Convolutions with JAX's signatures and layouts, over the one there is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import heddle as hd
from heddle._core import ndarray
from heddle._transform.precision import check_precision
from heddle._typing import ArrayLike

_Padding = str | Sequence[tuple[int, int]]


class ConvDimensionNumbers(NamedTuple):
    """Which axes of the input, the kernel and the result are which.

    The input's and the result's are batch, channels and then extents; the kernel's are features,
    channels and extents.

    >>> import heddle as np
    >>> np.lax.conv_dimension_numbers((1, 8, 3), (2, 3, 4), ("NHC", "HIO", "NHC"))
    ConvDimensionNumbers(lhs_spec=(0, 2, 1), rhs_spec=(2, 1, 0), out_spec=(0, 2, 1))
    """

    lhs_spec: tuple[int, ...]
    rhs_spec: tuple[int, ...]
    out_spec: tuple[int, ...]


def conv_dimension_numbers(
    lhs_shape: Sequence[int], rhs_shape: Sequence[int], dimension_numbers: object
) -> ConvDimensionNumbers:
    """The axes that three strings such as ``('NHWC', 'HWIO', 'NHWC')`` mean.

    None means that batch (or features) and channels come first.

    >>> import heddle as np
    >>> np.lax.conv_dimension_numbers((1, 3, 8), (2, 3, 4), None).lhs_spec
    (0, 1, 2)
    """
    if isinstance(dimension_numbers, ConvDimensionNumbers):
        return dimension_numbers
    rank = len(lhs_shape)
    if len(rhs_shape) != rank:
        raise TypeError(
            f"conv: an input of shape {tuple(lhs_shape)} and a kernel of shape {tuple(rhs_shape)} "
            "have different numbers of axes"
        )
    if dimension_numbers is None:
        same = tuple(range(rank))
        return ConvDimensionNumbers(same, same, same)
    if not isinstance(dimension_numbers, (tuple, list)) or len(dimension_numbers) != 3:
        raise TypeError(f"conv: dimension_numbers are three strings, not {dimension_numbers!r}")
    for text, pair in zip(dimension_numbers, ("NC", "OI", "NC"), strict=True):
        if not isinstance(text, str) or len(text) != rank or len(set(text)) != rank:
            raise TypeError(
                f"conv: dimension_numbers have a letter for each of {rank} axes, not {text!r}"
            )
        if not set(pair) <= set(text):
            raise TypeError(f"conv: dimension_numbers {text!r} need the letters {pair}")
    # The kernel says in which order windows' axes are counted.
    extents = [letter for letter in dimension_numbers[1] if letter not in "OI"]
    for text, pair in zip(dimension_numbers, ("NC", "OI", "NC"), strict=True):
        if set(text) - set(pair) != set(extents):
            raise TypeError(f"conv: dimension_numbers {tuple(dimension_numbers)} name other axes")
    lhs, rhs, out = (
        (text.index(pair[0]), text.index(pair[1]), *(text.index(one) for one in extents))
        for text, pair in zip(dimension_numbers, ("NC", "OI", "NC"), strict=True)
    )
    return ConvDimensionNumbers(lhs, rhs, out)


def _operands(
    lhs: ArrayLike, rhs: ArrayLike, precision: object, preferred_element_type: Any, what: str
) -> tuple[ndarray, ndarray]:
    check_precision(what, precision)
    x, kernel = hd.asarray(lhs), hd.asarray(rhs)
    if x.dtype != kernel.dtype:
        raise TypeError(
            f"{what}: an input of type {x.dtype} and a kernel of type {kernel.dtype}: "
            "they have to be the same"
        )
    for dtype in (x.dtype, hd.dtype(preferred_element_type or x.dtype)):
        if not hd.issubdtype(dtype, hd.inexact) and dtype != hd.bfloat16:
            raise TypeError(
                f"{what}: elements of type {dtype}: convert them to a floating-point type"
            )
    if preferred_element_type is not None:
        x, kernel = x.astype(preferred_element_type), kernel.astype(preferred_element_type)
    return x, kernel


def _batch_groups_as_channels(
    x: ndarray, features: int, count: int, feature_groups: int, what: str
) -> ndarray:
    """Images of one part of the batch, whose channels are those of all parts side by side."""
    if count < 1:
        raise ValueError(f"{what}: batch_group_count={count} is not positive")
    if feature_groups != 1:
        raise ValueError(
            f"{what}: batch_group_count={count} and feature_group_count={feature_groups}: "
            "one of them has to be 1"
        )
    for name, extent in (("batch", x.shape[0]), ("kernel's features", features)):
        if extent % count:
            raise ValueError(
                f"{what}: batch_group_count={count} does not divide the {name}, {extent}"
            )
    parts = x.reshape(count, x.shape[0] // count, *x.shape[1:])
    return hd.moveaxis(parts, 0, -2).reshape(*parts.shape[1:-1], count * x.shape[-1])


def conv_general_dilated(
    lhs: ArrayLike,
    rhs: ArrayLike,
    window_strides: Sequence[int],
    padding: _Padding,
    lhs_dilation: Sequence[int] | None = None,
    rhs_dilation: Sequence[int] | None = None,
    dimension_numbers: object = None,
    feature_group_count: int = 1,
    batch_group_count: int = 1,
    precision: object = None,
    preferred_element_type: object = None,
    out_sharding: object = None,
) -> ndarray:
    """Convolution, with JAX's parameters; the kernel is not turned round.

    ``dimension_numbers`` says where batch, channels and extents are, as
    ``('NHWC', 'HWIO', 'NHWC')``; without it they are (batch, channels, extents...) and
    (features, channels / groups, extents...). ``lhs_dilation - 1`` zeros are put between the
    elements of the input, ``rhs_dilation - 1`` between those of the kernel. ``padding`` is
    ``'SAME'``, ``'SAME_LOWER'``, ``'VALID'`` or a pair for each axis, which may be negative.
    ``batch_group_count`` parts of the batch are convolved with as many parts of the features.

    >>> import heddle as np
    >>> x = np.arange(5.0).reshape(1, 1, 5)
    >>> print(np.lax.conv_general_dilated(x, np.ones((1, 1, 2)), (1,), [(1, 0)]).ravel())
    [0. 1. 3. 5. 7.]
    """
    what = "conv_general_dilated"
    if out_sharding is not None:
        raise NotImplementedError(f"{what}: out_sharding is not there")
    x, kernel = _operands(lhs, rhs, precision, preferred_element_type, what)
    axes = conv_dimension_numbers(x.shape, kernel.shape, dimension_numbers)
    if x.ndim < 3:
        raise ValueError(f"{what}: an input of shape {x.shape} has no axis that windows move over")
    count = x.ndim - 2
    batch, channels, *extents = axes.lhs_spec
    features, inside, *windows = axes.rhs_spec
    images, weights = x.transpose((batch, *extents, channels)), (*windows, inside, features)
    if batch_group_count != 1:
        images = _batch_groups_as_channels(
            images, kernel.shape[features], batch_group_count, feature_group_count, what
        )
    made = hd.nn.conv(
        images,
        kernel.transpose(weights),
        strides=tuple(window_strides),
        padding=padding
        if isinstance(padding, str)
        else [(before, after) for before, after in padding],
        input_dilation=(1,) * count if lhs_dilation is None else tuple(lhs_dilation),
        kernel_dilation=(1,) * count if rhs_dilation is None else tuple(rhs_dilation),
        feature_group_count=feature_group_count * batch_group_count,
    )
    order = [0] * made.ndim
    for place, axis in zip(axes.out_spec, (0, made.ndim - 1, *range(1, count + 1)), strict=True):
        order[place] = axis
    return made.transpose(order)


def conv(
    lhs: ArrayLike,
    rhs: ArrayLike,
    window_strides: Sequence[int],
    padding: str,
    precision: object = None,
    preferred_element_type: object = None,
) -> ndarray:
    """Convolution of a (batch, channels, extents...) with a (features, channels, extents...).

    >>> import heddle as np
    >>> x = np.arange(5.0).reshape(1, 1, 5)
    >>> print(np.lax.conv(x, np.ones((1, 1, 3)), (1,), "SAME").ravel())
    [1. 3. 6. 9. 7.]
    """
    return conv_general_dilated(
        lhs,
        rhs,
        window_strides,
        padding,
        precision=precision,
        preferred_element_type=preferred_element_type,
    )


def conv_with_general_padding(
    lhs: ArrayLike,
    rhs: ArrayLike,
    window_strides: Sequence[int],
    padding: _Padding,
    lhs_dilation: Sequence[int] | None,
    rhs_dilation: Sequence[int] | None,
    precision: object = None,
    preferred_element_type: object = None,
) -> ndarray:
    """The same with zeros between elements, and padding in numbers.

    >>> import heddle as np
    >>> x = np.arange(3.0).reshape(1, 1, 3)
    >>> kernel = np.ones((1, 1, 2))
    >>> print(np.lax.conv_with_general_padding(x, kernel, (1,), [(0, 1)], (2,), (1,)).ravel())
    [0. 1. 1. 2. 2.]
    """
    return conv_general_dilated(
        lhs,
        rhs,
        window_strides,
        padding,
        lhs_dilation,
        rhs_dilation,
        precision=precision,
        preferred_element_type=preferred_element_type,
    )


_LAST = {
    3: ("NHC", "HIO", "NHC"),
    4: ("NHWC", "HWIO", "NHWC"),
    5: ("NHWDC", "HWDIO", "NHWDC"),
}


def _padding_back(reach: int, stride: int, padding: str | tuple[int, int]) -> tuple[int, int]:
    """The padding of the convolution that leads from windows of a padded one to its input."""
    if padding == "SAME":
        total = reach + stride - 2
        before = reach - 1 if stride > reach - 1 else -(-total // 2)
    elif padding == "VALID":
        total = reach + stride - 2 + max(reach - stride, 0)
        before = reach - 1
    elif isinstance(padding, str):
        raise ValueError(f"conv_transpose: padding is 'SAME', 'VALID' or numbers, not {padding!r}")
    else:
        return reach - 1 - padding[0], reach - 1 - padding[1]
    return before, total - before


def conv_transpose(
    lhs: ArrayLike,
    rhs: ArrayLike,
    strides: Sequence[int],
    padding: _Padding,
    rhs_dilation: Sequence[int] | None = None,
    dimension_numbers: object = None,
    transpose_kernel: bool = False,
    precision: object = None,
    preferred_element_type: object = None,
    use_consistent_padding: bool = False,
) -> ndarray:
    """Convolution of the input with ``strides - 1`` zeros between its elements: it gets larger.

    Without ``dimension_numbers`` channels come last, as in ``('NHWC', 'HWIO', 'NHWC')``. A name as
    ``padding`` is that of the convolution whose way back this is; numbers are this one's own,
    unless ``use_consistent_padding``. ``transpose_kernel`` turns the kernel round and swaps its
    channels and features.

    >>> import heddle as np
    >>> x, kernel = np.ones((1, 2, 1)), np.ones((2, 1, 1))
    >>> print(np.lax.conv_transpose(x, kernel, (2,), "SAME").ravel())
    [1. 1. 1. 1.]
    """
    what = "conv_transpose"
    x, kernel = _operands(lhs, rhs, precision, preferred_element_type, what)
    if dimension_numbers is None:
        dimension_numbers = _LAST.get(x.ndim)
        if dimension_numbers is None:
            raise ValueError(f"{what}: an input of shape {x.shape} needs dimension_numbers")
    axes = conv_dimension_numbers(x.shape, kernel.shape, dimension_numbers)
    windows = axes.rhs_spec[2:]
    inside = (1,) * len(windows) if rhs_dilation is None else tuple(rhs_dilation)
    if isinstance(padding, str) or use_consistent_padding:
        each: Any = [padding.upper()] * len(windows) if isinstance(padding, str) else padding
        padding = [
            _padding_back((kernel.shape[axis] - 1) * dilation + 1, stride, one)
            for axis, dilation, stride, one in zip(windows, inside, strides, each, strict=True)
        ]
    if transpose_kernel:
        kernel = hd.flip(kernel, windows).swapaxes(axes.rhs_spec[0], axes.rhs_spec[1])
    ones = (1,) * len(windows)
    return conv_general_dilated(x, kernel, ones, padding, strides, inside, axes)
