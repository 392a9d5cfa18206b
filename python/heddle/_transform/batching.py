"""vmap: a function of one row, computed for all rows of a batch at once.

The function runs once, on stand-ins that have the shape of a row and no elements; the core makes
every node of all rows as it hears of it (src/transform/batching.h).
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar, cast

from heddle import _core, tree
from heddle._transform.arguments import check_callable, name_of, to_leaf
from heddle._transform.parallel import axis_of_rows, named_axis
from heddle._transform.selections import Selected
from heddle._typing import ArrayLike, Axis

_P = ParamSpec("_P")
_R = TypeVar("_R")


def _is_none(x: ArrayLike) -> bool:
    return x is None


def _is_axis(axis: object) -> bool:
    return axis is None or (isinstance(axis, int) and not isinstance(axis, bool))


def axes_of(axes: object, argument: object, where: str) -> list[int | None]:
    """The axis of each leaf of an argument: ``axes`` is a tree that begins like it."""
    leaves, structure = tree.flatten(argument)
    if _is_axis(axes):
        return [cast("int | None", axes)] * len(leaves)
    found: list[int | None] = []

    def add(axis: Axis | None, part: object) -> None:
        if not _is_axis(axis):
            raise TypeError(f"vmap: {where}: an axis is an integer or None, not {axis!r}")
        found.extend([cast("int | None", axis)] * len(tree.leaves(part)))

    try:
        tree.map(add, axes, argument, is_leaf=_is_none)
    except ValueError as error:
        raise ValueError(f"vmap: {where} does not fit the tree {structure}: {error}") from None
    return found


def rows_of(
    arguments: Sequence[tuple[str, Any, list[Any]]], axis_size: int | None, what: str
) -> int:
    """How many rows there are: all axes that are mapped have to agree."""
    found: dict[int, str] = {}
    for where, argument, axes in arguments:
        for (path, leaf), axis in zip(tree.leaves_with_path(argument), axes, strict=True):
            if axis is None:
                continue
            name = f"{where}{tree.path_text(path)}"
            shape = to_leaf(leaf, f"{what}: {name}").shape
            if not -len(shape) <= axis < len(shape):
                raise ValueError(f"{what}: {name} of shape {shape} has no axis {axis}")
            found.setdefault(shape[axis], f"axis {axis} of {name}")
    if axis_size is not None:
        found.setdefault(axis_size, "axis_size")
    if not found:
        raise ValueError(f"{what}: there is no argument with an axis to map over, nor axis_size")
    if len(found) > 1:
        listed = ", ".join(f"{place} has {size}" for size, place in found.items())
        raise ValueError(f"{what}: the numbers of rows differ: {listed}")
    return next(iter(found))


def described_arguments(
    f: Callable[..., Any],
    args: Sequence[object],
    kwargs: dict[str, object],
    in_axes: object,
    what: str,
) -> list[tuple[str, Any, list[Any]]]:
    """The arguments of a call in words, and themselves, with the axis of each leaf."""
    if isinstance(in_axes, tuple) and len(in_axes) != len(args):
        raise ValueError(
            f"{what}: in_axes has {len(in_axes)} axes, the call of {name_of(f)} {len(args)} "
            "arguments"
        )
    by_argument = in_axes if isinstance(in_axes, tuple) else (in_axes,) * len(args)
    described = [
        (f"argument {i}", argument, axes_of(axes, argument, f"in_axes[{i}]"))
        for i, (argument, axes) in enumerate(zip(args, by_argument, strict=True))
    ]
    described += [
        (f"argument {name!r}", argument, axes_of(0, argument, name))
        for name, argument in kwargs.items()
    ]
    return described


def vmap(
    fun: Callable[_P, _R],
    in_axes: object = 0,
    out_axes: object = 0,
    axis_name: object = None,
    axis_size: int | None = None,
) -> Callable[_P, _R]:
    """A function that applies ``fun`` to all rows of its arguments at once.

    ``in_axes`` says for each argument which axis the rows are along, or ``None`` where it is the
    same for all: an integer, or a tuple with one for each argument, which may be trees. Keyword
    arguments have their rows along the first axis. ``out_axes`` says the same of the results.
    By ``axis_name`` `heddle.lax.psum` and its like know the rows.

    >>> import heddle as np
    >>> dots = np.vmap(np.dot)(np.ones((3, 4)), np.arange(12.0).reshape(3, 4))
    >>> print(dots)
    [ 6. 22. 38.]
    """
    what = "vmap"
    check_callable(fun, what)
    if isinstance(in_axes, list):
        in_axes = tuple(in_axes)
    is_axis = isinstance(in_axes, (int, tuple)) and not isinstance(in_axes, bool)
    if in_axes is not None and not is_axis:
        raise TypeError(f"{what}: in_axes is an integer, None or a tuple, not {in_axes!r}")

    @functools.wraps(fun)
    def transformed(*args: object, **kwargs: object) -> Any:
        described = described_arguments(fun, args, kwargs, in_axes, what)
        rows = rows_of(described, axis_size, what)
        _core.start_batch(rows)
        slow: list[str] = []
        try:
            given = []
            for where, argument, axes in described:
                leaves, structure = tree.flatten_with_path(argument)
                given.append(
                    structure.unflatten(
                        leaf
                        if axis is None
                        else _core.enter_batch(
                            to_leaf(leaf, f"{what}: {where}{tree.path_text(path)}"), axis
                        )
                        for (path, leaf), axis in zip(leaves, axes, strict=True)
                    )
                )
            named = dict(zip(kwargs, given[len(args) :], strict=True))
            with named_axis(axis_of_rows(axis_name, rows)):
                result: Any = cast("Callable[..., Any]", fun)(*given[: len(args)], **named)
            values, results = tree.flatten_with_path(result)
            made = []
            axes_out = axes_of(out_axes, result, "out_axes")
            for (path, value), axis in zip(values, axes_out, strict=True):
                where = f"the result{tree.path_text(path)}"
                if isinstance(value, Selected):
                    raise value.refusal(f"{where} of {name_of(fun)}")
                array = to_leaf(value, f"{what}: {where}")
                if axis is None:
                    if _core.has_rows(array):
                        raise ValueError(
                            f"{what}: out_axes is None for {where}, which differs from row to row"
                        )
                    made.append(array)
                elif not -array.ndim - 1 <= axis <= array.ndim:
                    raise ValueError(
                        f"{what}: out_axes is {axis} for {where}, "
                        f"which has {array.ndim + 1} dimensions with that of the rows"
                    )
                else:
                    made.append(_core.leave_batch(array, axis))
        finally:
            slow = _core.stop_batch()
        for name in dict.fromkeys(slow):
            warnings.warn(
                f"vmap: {name} is computed row by row, as it has no rule for batches",
                RuntimeWarning,
                stacklevel=2,
            )
        return results.unflatten(made)

    return cast("Callable[_P, _R]", transformed)
