"""Samples and orders of given things: choice, permutation and its kin."""

import math
import operator
import warnings
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast, overload

import numpy

from heddle import _core
from heddle._arguments import as_array, normalize_axis_index
from heddle._core import ndarray, own_array
from heddle._runtime.reports import refuse_if
from heddle._typing import ArrayLike, Output, ShapeLike
from heddle.random._arguments import is_array, output_shape, parts, population
from heddle.random._philox import Philox

_Out = TypeVar("_Out", bound=Output)


class Samples:
    """Methods of Generator."""

    _bits: Philox
    # Its other methods, which these call.
    integers: Callable[..., ndarray]
    random: Callable[..., ndarray]

    def _order(self, count: int, wanted: int | None = None) -> ndarray:
        """The numbers below `count` in random order, or the first of them."""
        return _core.draw_order(self._bits, count, wanted)

    def permutation(self, x: ArrayLike, axis: int = 0) -> ndarray:
        """The numbers below `x`, or the parts of an array along an axis, in random order.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).permutation(5)
        array([4, 3, 2, 1, 0])
        """
        if isinstance(x, int | numpy.integer):
            return self._order(max(int(x), 0))
        a = population(x)
        if a.ndim == 0:
            if a.dtype.kind in "iu":
                return self._order(int(a))
            raise numpy.exceptions.AxisError(axis, 0)
        axis = normalize_axis_index(axis, a.ndim)
        return parts(a, self._order(a.shape[axis]).to_device(a.device), axis)

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Put the parts of an array, along an axis, or of a list, in random order, in place.

        Examples
        --------
        >>> import heddle as np
        >>> x = np.arange(5)
        >>> np.random.default_rng(7).shuffle(x)
        >>> np.sort(x)
        array([0, 1, 2, 3, 4])
        """
        if isinstance(x, memoryview):
            x = numpy.asarray(x)
        if isinstance(x, own_array):
            axis = normalize_axis_index(axis, x.ndim)
            if not x._writeable:
                raise ValueError("array is read-only")
            there = self._order(x.shape[axis]).to_device(x.device)
            _core.write(x, x.take(there, axis=axis))
        elif isinstance(x, numpy.ndarray):
            axis = normalize_axis_index(axis, x.ndim)
            if not x.flags.writeable:
                raise ValueError("array is read-only")
            x[...] = x.take(self._order(x.shape[axis]).get(), axis=axis)
        else:
            if axis != 0:
                raise NotImplementedError("Axis argument is only supported on ndarray objects")
            if not isinstance(x, Sequence):
                warnings.warn(
                    f"you are shuffling a '{type(x).__name__}' object which is not a subclass of "
                    "'Sequence': what of it are views of its memory may be there twice afterwards",
                    UserWarning,
                    stacklevel=2,
                )
            order = self._order(len(x)).get()
            parts = [x[i] for i in order]
            for i, part in enumerate(parts):
                x[i] = part

    @overload
    def permuted(self, x: ArrayLike, *, axis: int | None = None, out: None = None) -> ndarray: ...
    @overload
    def permuted(self, x: ArrayLike, *, axis: int | None = None, out: _Out) -> _Out: ...
    def permuted(
        self, x: ArrayLike, *, axis: int | None = None, out: Output | None = None
    ) -> Output:
        """The elements of each line along an axis in an order of its own.

        Examples
        --------
        >>> import heddle as np
        >>> x = np.arange(6).reshape(2, 3)
        >>> np.random.default_rng(7).permuted(x, axis=1).sum(axis=1)
        array([ 3, 12])
        """
        from heddle._arguments import as_target

        a = as_array(x)
        if a.ndim == 0:
            raise TypeError("permuted: an array of no dimension has no order")
        target = None if out is None else as_target(out)
        if target is not None and target.shape != a.shape:
            raise ValueError("out must have the same shape as x")
        if axis is not None:
            axis = normalize_axis_index(axis, a.ndim)
        result = _core.draw_permuted(self._bits, a, axis)
        if target is None:
            return result
        _core.write(target, result)
        return cast("Output", out)

    def choice(
        self,
        a: ArrayLike,
        size: ShapeLike | None = None,
        replace: bool = True,
        p: ArrayLike | None = None,
        axis: int = 0,
        shuffle: bool = True,
    ) -> ndarray:
        """Elements of an array, or numbers below an integer, with or without repetition.

        `shuffle` changes nothing: samples without repetition are always in random order.

        Examples
        --------
        >>> import heddle as np
        >>> rng = np.random.default_rng(7)
        >>> rng.choice(5, 3, replace=False)
        array([4, 3, 2])
        >>> rng.choice(["a", "b"], 3).shape
        (3,)
        """
        del shuffle
        things, count = _population(a, axis)
        shape = output_shape(size)
        wanted = math.prod(shape)
        if count == 0 and wanted:
            raise ValueError(
                "a must be a positive integer unless no samples are taken"
                if things is None
                else "a cannot be empty unless no samples are taken"
            )
        least = wanted if not replace and wanted <= count else 0
        weights = None if p is None else _probabilities(p, count, least)
        index: Any
        if replace and size is None and weights is None:
            index = self.integers(0, max(count, 1))
        elif replace:
            index = self._with_repetition(count, shape, weights)
        else:
            index = _core.drawn(self._without_repetition(count, wanted, weights), shape)
        if things is None:
            return cast("ndarray", index)
        return parts(things, index, axis)

    def _with_repetition(
        self, count: int, shape: tuple[int, ...], weights: ndarray | None
    ) -> ndarray:
        if weights is None:
            return self.integers(0, max(count, 1), shape)
        sums = weights.cumsum()
        sums = sums / sums[-1]
        return _core.searchsorted(sums, self.random(shape), True)

    def _without_repetition(self, count: int, wanted: int, weights: ndarray | None) -> ndarray:
        if wanted > count:
            raise ValueError("Cannot take a larger sample than population when replace is False")
        if weights is None:
            return self._order(count, wanted)
        # Of clocks that go at these rates, the first ones to ring.
        times = _core.draw("standard_exponential", self._bits, (), (count,)) / weights
        return _core.argsort(_core.select(weights == 0, math.inf, times), 0)[:wanted]


def _population(a: Any, axis: int) -> tuple[ndarray | None, int]:
    """The array to choose from, None for numbers, and how many there are."""
    if (a.ndim if is_array(a) else numpy.ndim(a)) == 0:
        try:
            count = operator.index(a.item() if hasattr(a, "item") else a)
        except TypeError as problem:
            raise ValueError(f"a must be a sequence or an integer, not {type(a)}") from problem
        if count < 0:
            raise ValueError("a must be a positive integer unless no samples are taken")
        return None, count
    things = population(a)
    return things, things.shape[normalize_axis_index(axis, things.ndim)]


def _probabilities(p: object, count: int, least: int) -> ndarray:
    """The probabilities of so many things, of which at least some are not zero."""
    # What the host has it checks itself, at once.
    given = p if isinstance(p, own_array) else numpy.asarray(p, numpy.float64)
    weights = as_array(as_array(given), numpy.float64)
    if weights.ndim != 1:
        raise ValueError("p must be 1-dimensional")
    if weights.size != count:
        raise ValueError("a and p must have same size")
    total = given.sum()
    tolerance = max(math.sqrt(numpy.finfo(numpy.float64).eps), 1e-8)
    for wrong, text in (
        (total != total, "Probabilities contain NaN"),
        (given < 0, "Probabilities are not non-negative"),
        (
            abs(total - 1.0) > tolerance,
            "Probabilities do not sum to 1. See Notes section of docstring for more information.",
        ),
        ((given > 0).sum() < least, "Fewer non-zero entries in p than size"),
    ):
        weights = refuse_if(wrong, weights, ValueError, text, "choice")
    return weights
