"""Generators that ask NumPy: it draws on the host, and the current device gets a copy.

For bit generators that go from one state to the next, as Mersenne's twister, whose streams programs
expect number by number.
"""

import functools
import operator
from typing import Any

import numpy

from heddle._core import default_device, ndarray, taken
from heddle._creation import array
from heddle._inputs import normalize_axis_index

from ._arguments import is_beyond, on_host
from ._generator import Generator
from ._philox import Philox


def _on_device(value: Any) -> Any:
    """NumPy's arrays and numbers as ours, in their own memory on the host; others as they are."""
    if is_beyond(value):
        return value
    if isinstance(value, numpy.generic):
        return array(value)[()]
    if type(value) is numpy.ndarray and value.flags.owndata and value.size and _on_this_host():
        return taken(value)
    return array(value) if isinstance(value, numpy.ndarray) else value


def _on_this_host() -> bool:
    return default_device() == "cpu"


def _drawing(kind: type, name: str) -> Any:
    """A method that NumPy's method of this name does the work of."""
    source = getattr(kind, name)

    @functools.wraps(source)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        target = kwargs.get("out")
        if not isinstance(target, ndarray):
            drawn = getattr(self._host, name)(*map(on_host, args), **_mapped(kwargs))
            return drawn if drawn is target and target is not None else _on_device(drawn)
        held = _laid_out_as(target)
        getattr(self._host, name)(*map(on_host, args), **{**_mapped(kwargs), "out": held})
        target[...] = held
        return target

    return method


def _laid_out_as(target: ndarray) -> Any:
    """An array like a target, for NumPy to look at its layout and flags, and refuse it or not."""
    held = numpy.empty(target.shape, target.dtype, "F" if target._f_contiguous else "C")
    if not (target._c_contiguous or target._f_contiguous):
        held = numpy.stack([held, held], -1)[..., 0]
    held.flags.writeable = target._writeable
    return held


def _mapped(kwargs: dict[str, Any]) -> dict[str, Any]:
    return {key: on_host(value) for key, value in kwargs.items()}


def _shuffle(self: Any, x: Any, *args: Any, **kwargs: Any) -> None:
    """Put the parts of an array or a list in random order, in place."""
    if not isinstance(x, ndarray):
        self._host.shuffle(x, *args, **kwargs)
        return
    if x.ndim == 0:
        raise TypeError("len() of unsized object")
    if not x._writeable:
        raise ValueError("array is read-only")
    axis = normalize_axis_index(operator.index((*args, kwargs.get("axis", 0))[0]), x.ndim)
    # NumPy is given places for the elements: those stay where they are.
    places = numpy.arange(x.shape[axis])
    self._host.shuffle(
        places.reshape(*(1,) * axis, -1, *(1,) * (x.ndim - 1 - axis)), *args, **kwargs
    )
    x[...] = x.take(places, axis=axis)


def _with_methods(kind: type, leave: set[str]) -> Any:
    """Give a class a method for each of NumPy's that draws."""

    def give(cls: type) -> type:
        for name in dir(kind):
            if not name.startswith("_") and name not in leave and callable(getattr(kind, name)):
                setattr(cls, name, _drawing(kind, name))
        cls.shuffle = _shuffle
        return cls

    return give


@_with_methods(numpy.random.Generator, {"shuffle", "spawn", "bytes", "bit_generator"})
class HostGenerator(Generator):
    """A generator of one of NumPy's bit generators."""

    def __init__(self, bit_generator: Any) -> None:
        self._bits = bit_generator
        self._host = numpy.random.Generator(bit_generator)

    def bytes(self, length: int) -> bytes:
        """Random bytes."""
        return self._host.bytes(length)


@_with_methods(
    numpy.random.RandomState, {"shuffle", "seed", "get_state", "set_state", "bytes", "tomaxint"}
)
class RandomState:
    """NumPy's generator of old: the streams that programs with a seed expect.

    NumPy draws on the host, and the current device gets a copy.
    """

    def __init__(self, seed: Any = None) -> None:
        if isinstance(seed, Philox):
            raise TypeError("RandomState draws on the host: give it numpy.random.Philox(...)")
        self._host = numpy.random.RandomState(on_host(seed))

    def seed(self, seed: Any = None) -> None:
        """Begin the stream of a seed."""
        self._host.seed(on_host(seed))

    def get_state(self, legacy: bool = True) -> Any:
        """The state of the bit generator, as NumPy gives it."""
        return self._host.get_state(legacy)

    def set_state(self, state: Any) -> None:
        """Go on from a state."""
        self._host.set_state(state)

    def bytes(self, length: int) -> bytes:
        """Random bytes."""
        return self._host.bytes(length)

    def tomaxint(self, size: Any = None) -> Any:
        """Integers from 0 up to the greatest one."""
        return _on_device(self._host.tomaxint(size))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._host,)

    def __repr__(self) -> str:
        return f"RandomState({type(self._host._bit_generator).__name__}) at 0x{id(self):X}"


def _restored(host: numpy.random.RandomState) -> RandomState:
    made = RandomState.__new__(RandomState)
    made._host = host
    return made
