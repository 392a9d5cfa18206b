"""``scipy.spatial.transform``: SciPy's own rotations, of arrays on every device.

Their code is generic since SciPy 1.17: it is called with its array API mode on, and computes where
the arrays are. Splines of rotations (``RotationSpline``) are found by SciPy on the host.

Examples
--------
>>> import heddle as np
>>> from heddle.scipy.spatial.transform import Rotation
>>> turn = Rotation.from_euler("z", [90.0, 180.0], degrees=True)
>>> turn.apply(np.array([1.0, 0.0, 0.0])).round(6)
array([[ 0.,  1.,  0.],
       [-1.,  0.,  0.]])
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

from heddle._array.transfer import asnumpy
from heddle._core import ndarray, own_array
from heddle._creation.arrays import asarray
from heddle._typing import HostArray
from heddle.scipy._classes import Wrapped, _wrapped, wrap_class
from heddle.scipy._generic import _scipys

__all__ = ["RigidTransform", "Rotation", "RotationSpline", "Slerp"]  # noqa: F822


class _Transform(Wrapped):
    """What rotations and rigid transforms share: the array that says all of one."""

    _numbers: str

    @classmethod
    def _of(cls, theirs: object) -> Wrapped:
        # What is made of numbers alone, as ``identity`` is, holds NumPy's array.
        made = super()._of(theirs)
        held = getattr(theirs, "_quat" if cls._numbers == "as_quat" else "_matrix")
        if isinstance(held, own_array):
            return made
        return cls(asarray(getattr(theirs, cls._numbers)()), normalize=False)

    def __iter__(self) -> Iterator[Any]:
        if not self.shape:
            raise TypeError(f"Single {type(self).__name__.lower()} is not iterable.")
        return (self[i] for i in range(len(self)))  # type: ignore[index]  # of the classes

    def __bool__(self) -> bool:
        return True

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self).__name__, getattr(self, self._numbers)())


def _reduce(
    self: Any, left: object = None, right: object = None, return_indices: bool = False
) -> Any:
    """The rotation nearest to none among those that rotations of groups before and after make.

    Both groups are given to SciPy: its generic code takes one that is left out for something else
    than no rotation.
    """
    if left is None and right is None:
        return (self, None, None) if return_indices else self
    none = _classes()["Rotation"].identity(1)
    given = [none if group is None else group for group in (left, right)]
    function = self._class.reduce
    made, *places = _wrapped(self._called(function, (self, *given), {"return_indices": True}))
    if self.shape == ():
        made = made[0] if made.shape != () else made
    places = [None if g is None else p for g, p in zip((left, right), places, strict=True)]
    return (made, *places) if return_indices else made


def _restored(name: str, numbers: ndarray) -> Any:
    return _classes()[name](numbers, normalize=False)


class _Slerp(Wrapped):
    def __init__(self, times: object, rotations: Any) -> None:
        self._given = times, rotations
        super().__init__(times, rotations)

    def __reduce__(self) -> tuple[Any, ...]:
        return _interpolant, ("Slerp", *self._given)


class _RotationSpline:
    """A smooth curve through rotations, found and evaluated by SciPy on the host."""

    def __init__(self, times: object, rotations: Any) -> None:
        from scipy.spatial import transform

        self._given = times, rotations
        numbers = rotations.as_quat()
        self._device = numbers.device
        theirs = transform.Rotation.from_quat(asnumpy(numbers))
        self._theirs = transform.RotationSpline(_on_host(times), theirs)

    def __call__(self, times: object, order: int = 0) -> Any:
        made = self._theirs(_on_host(times), order)
        if order == 0:
            return _classes()["Rotation"](asarray(made.as_quat(), device=self._device))
        return asarray(made, device=self._device)

    def __reduce__(self) -> tuple[Any, ...]:
        return _interpolant, ("RotationSpline", *self._given)


def _on_host(value: object) -> Any:
    return asnumpy(value) if isinstance(value, own_array) else value


def _interpolant(name: str, times: HostArray, rotations: object) -> Any:
    return _classes()[name](times, rotations)


@functools.cache
def _classes() -> dict[str, Any]:
    """The classes, around those of the SciPy that is installed."""
    why = f"module {__name__!r} has no classes"
    theirs = _scipys("scipy.spatial.transform", "Rotation", why)
    if not hasattr(theirs.Rotation, "_from_raw_quat"):
        raise AttributeError(f"{why}: rotations of arrays need SciPy 1.17 or newer")

    def made(name: str, base: type, **names: Callable[..., Any] | str) -> Any:
        of = getattr(theirs, name)
        names |= {"__doc__": of.__doc__, "__module__": __name__, "__qualname__": name}
        return type(name, (base,), names)

    found = {
        "Rotation": made("Rotation", _Transform, _numbers="as_quat", reduce=_reduce),
        "RigidTransform": made("RigidTransform", _Transform, _numbers="as_matrix"),
        "Slerp": made("Slerp", _Slerp),
        "RotationSpline": made("RotationSpline", _RotationSpline),
    }
    for name in ("Rotation", "RigidTransform", "Slerp"):
        wrap_class(found[name], getattr(theirs, name))
    return found


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _classes()[name]
