"""Einstein summation: products of arrays, summed over axes that share a label.

NumPy's arguments. The core contracts, two operands at a time.
"""

from __future__ import annotations

import operator
import string
from collections.abc import Sequence
from typing import Any, cast

import numpy as _numpy

from heddle import _core
from heddle._arguments import as_array, as_target, check_casting, check_order, dims
from heddle._core import ndarray
from heddle._linalg import einsum_path as paths
from heddle._typing import ArrayLike, Casting, DType, DTypeLike, Order, Output

_symbols = string.ascii_uppercase + string.ascii_lowercase


def _labels(subscripts: Any) -> str:
    """The labels of a list of integers and Ellipsis."""
    made = ""
    for item in subscripts:
        if item is Ellipsis:
            made += "..."
            continue
        try:
            number = operator.index(item)
        except TypeError:
            raise TypeError("each subscript must be either an integer or an ellipsis") from None
        if not 0 <= number < len(_symbols):
            raise ValueError("subscript is not within the valid range [0, 52)")
        made += _symbols[number]
    return made


def _split(args: tuple[Any, ...]) -> tuple[str, list[ndarray]]:
    """The subscripts as a string, and the operands."""
    if not args or (isinstance(args[0], str) and len(args) < 2):
        raise ValueError(
            "must specify the einstein sum subscripts string and at least one operand, or at least "
            "one operand and its corresponding subscripts list"
        )
    if isinstance(args[0], str):
        return args[0], [as_array(a) for a in args[1:]]
    pairs = len(args) // 2
    if not pairs:
        raise ValueError("einsum: an operand needs its list of subscripts")
    text = ",".join(_labels(args[2 * i + 1]) for i in range(pairs))
    if len(args) % 2:
        text += "->" + _labels(args[-1])
    return text, [as_array(args[2 * i]) for i in range(pairs)]


def _path(optimize: Any, text: str, shapes: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The path that the argument ``optimize`` asks for."""
    limit: float | None = None
    if optimize is True:
        optimize = "greedy"
    elif optimize is None:
        optimize = False
    if optimize is not False and not isinstance(optimize, str):
        if len(optimize) and optimize[0] == "einsum_path":
            return [tuple(step) for step in optimize[1:]]
        if not (
            len(optimize) == 2
            and isinstance(optimize[0], str)
            and isinstance(optimize[1], int | float)
        ):
            raise TypeError(f"Did not understand the path: {optimize}")
        optimize, limit = optimize[0], int(optimize[1])
    if optimize not in (False, "greedy", "optimal") and len(shapes) > 2:
        raise KeyError("Path name %s not found", optimize)
    search = "all" if optimize is False or len(shapes) <= 2 else optimize
    return [tuple(step) for step in _core.einsum_path(text, shapes, search, limit)]


def _types(
    operands: list[ndarray], target: ndarray | None, kind: DType | None, casting: str, storing: str
) -> DType | None:
    """The type to compute in; `casting` and `storing` are rules for the operands and the output."""
    if kind is None:
        kind = _core.common_type(*operands, *(() if target is None else (target,)))
    for i, a in enumerate(operands):
        if not _core.can_cast(a.dtype, kind, casting):
            raise TypeError(
                f"einsum: operand {i} could not be cast from {a.dtype!r} to {kind!r} according to "
                f"the rule '{casting}'"
            )
    if target is not None and not _core.can_cast(kind, target.dtype, storing):
        raise TypeError(
            f"einsum: the result could not be cast from {kind!r} to {target.dtype!r}, the type of "
            f"the output, according to the rule '{storing}'"
        )
    return kind


def _ordered(result: ndarray, order: str, operands: list[ndarray]) -> ndarray:
    if order == "A":
        order = "F" if all(a.flags.f_contiguous for a in operands) else "C"
    if order == "K" or (result._f_contiguous if order == "F" else result._c_contiguous):
        return result
    return result._copy(order)


def einsum(
    *operands: ArrayLike,
    out: Output | None = None,
    optimize: bool | str | Sequence[Any] = False,
    dtype: DTypeLike | None = None,
    order: Order = "K",
    casting: Casting | None = None,
) -> ndarray:
    """Sums of products by the labels of axes: ``einsum("ij,jk->ik", a, b)`` multiplies matrices.

    Labels that are not in the output are summed over; without ``->`` the output has those that
    occur once, in alphabetical order. Instead of a string, each operand may be followed by a list
    of integers. ``...`` stands for axes that are broadcast. A single operand of which nothing is
    summed gives a view. `optimize` names a path as in `einsum_path`; without it several operands
    are still contracted in pairs.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.arange(6).reshape(2, 3)
    >>> np.einsum("ij->i", a)
    array([ 3, 12])
    >>> np.einsum("ij,kj->ik", a, a)
    array([[ 5, 14],
           [14, 50]])
    """
    text, arrays = _split(operands)
    shapes = [a.shape for a in arrays]
    sums = optimize is not False
    plain = out is None and dtype is None and casting is None and order == "K"
    if plain and not sums and len(arrays) == 2:
        return _core.einsum(text, arrays, False, None, None)
    order = check_order(order)
    casting = None if casting is None else check_casting(casting)
    dtype = None if dtype is None else _numpy.dtype(dtype)
    if out is None and len(arrays) == 1:
        view = _core.einsum_view(arrays[0], text, sums)
        if view is not None:
            return cast("ndarray", view)
    target = None if out is None else as_target(out)
    if target is not None:
        _, output, sizes = _core.einsum_parse(text, shapes, sums)
        shape = tuple(sizes[label] for label in output)
        if target.shape != shape:
            raise ValueError(
                f"einsum: the output has shape {dims(target.shape)}, and the result {dims(shape)}"
            )
    # As in NumPy, pairs are multiplied as matmul does, and then assigned to the output.
    pairs = sums and len(arrays) > 1
    casting = casting or ("same_kind" if pairs else "safe")
    kind = _types(arrays, target, dtype, casting, "unsafe" if pairs else casting)
    # Without a path several operands are still contracted in pairs.
    usual = optimize is True or optimize is False or optimize == "greedy"
    path = None if usual else _path(optimize, text, shapes)
    result = _core.einsum(text, arrays, sums, path, kind)
    if target is not None:
        _core.write(target, result)
        return cast("ndarray", out)
    return _ordered(result, order, arrays)


def einsum_path(
    *operands: ArrayLike, optimize: bool | str | Sequence[Any] = "greedy"
) -> tuple[list[Any], str]:
    """The order in which einsum contracts the operands, and a table that describes it.

    `optimize` is 'greedy' or 'optimal', True for the first, False for all operands at once, a pair
    of a name and the most elements that a result in between may have, or a path.

    Examples
    --------
    >>> import heddle as np
    >>> a, b, c = np.ones((2, 3)), np.ones((3, 4)), np.ones((4, 5))
    >>> np.einsum_path("ij,jk,kl->il", a, b, c)[0]
    ['einsum_path', (1, 2), (0, 1)]
    """
    text, arrays = _split(operands)
    shapes = [a.shape for a in arrays]
    path = _path(optimize, text, shapes)
    expression = _core.einsum_parse(text, shapes, True)
    return ["einsum_path", *path], paths.describe(path, *expression)


__all__ = ["einsum", "einsum_path"]
