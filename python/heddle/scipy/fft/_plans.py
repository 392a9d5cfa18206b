"""CuPy's plans of transforms: what was said about a transform once, to be said no more.

The libraries keep their own plans of the transforms they have done, by shape and type; a plan here
only says which transform it is, and is checked against the call.
"""

from __future__ import annotations

from collections.abc import Sequence

from heddle._core import ndarray
from heddle._typing import ArrayLike, Axes, ShapeLike
from heddle.scipy.fft import _arguments as arguments


class Plan:
    """What `get_fft_plan` gives; also a context, in which transforms need not be told of it."""

    def __init__(self, shape: tuple[int, ...], axes: tuple[int, ...], value_type: str) -> None:
        self.shape, self.axes, self.value_type = shape, axes, value_type

    def __enter__(self) -> Plan:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def __repr__(self) -> str:
        return f"Plan(shape={self.shape}, axes={self.axes}, value_type={self.value_type!r})"


def get_fft_plan(
    x: ArrayLike,
    shape: ShapeLike | None = None,
    axes: Axes | None = None,
    *,
    value_type: str = "C2C",
) -> Plan:
    """A plan of a transform of x along axes: 'C2C', 'R2C' or 'C2R', as in CuPy.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import fft
    >>> a = np.ones((3, 4), complex)
    >>> fft.fft(a, plan=fft.get_fft_plan(a, axes=1)).shape
    (3, 4)
    """
    if value_type not in ("C2C", "R2C", "C2R"):
        raise ValueError(f"value_type {value_type!r} is not one of 'C2C', 'R2C', 'C2R'")
    a = arguments.floating(x)
    lengths, along = arguments.shape_and_axes(a, shape, axes)
    if value_type == "C2R" and shape is None and along:  # of half a spectrum, as irfft has it
        lengths = (*lengths[:-1], 2 * (lengths[-1] - 1))
    return Plan(tuple(lengths), tuple(along), value_type)


def check_kind(plan: object) -> None:
    """SciPy has no plans; CuPy's are taken."""
    if plan is not None and not isinstance(plan, Plan):
        raise NotImplementedError(
            "Passing a precomputed plan is not yet supported by scipy.fft functions"
        )


def check_plan(
    plan: Plan | None, a: ndarray, lengths: Sequence[int], axes: Sequence[int], kind: str
) -> None:
    """A plan has to be of this transform."""
    if plan is None:
        return
    type_ = {"complex": "C2C", "from_real": "R2C", "to_real": "C2R"}[kind]
    along = tuple(axis % a.ndim for axis in axes)
    if (plan.value_type, plan.axes) != (type_, along) or tuple(plan.shape) != tuple(lengths):
        raise ValueError(f"{plan!r} is no plan of a transform {type_} of {lengths} along {along}")
