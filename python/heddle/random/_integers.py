"""Random integers: Lemire's multiplication (2019), which has no bias and rarely draws again."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, cast, overload

import numpy

from heddle import _core
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import ArrayLike, DTypeLike, ShapeLike
from heddle.random._arguments import are_few, asked, is_array, output_shape
from heddle.random._philox import Philox

_HALF = 2**32 - 1


class Integers:
    """Methods of Generator."""

    _bits: Philox

    @overload
    def integers(
        self,
        low: int,
        high: int | None = None,
        size: None = None,
        dtype: DTypeLike = numpy.int64,
        endpoint: bool = False,
    ) -> int: ...
    @overload
    def integers(
        self,
        low: ArrayLike,
        high: ArrayLike | None = None,
        size: ShapeLike | None = None,
        dtype: DTypeLike = numpy.int64,
        endpoint: bool = False,
    ) -> ndarray: ...
    def integers(
        self,
        low: Any,
        high: Any = None,
        size: Any = None,
        dtype: Any = numpy.int64,
        endpoint: bool = False,
    ) -> ndarray | int:
        """Integers from `low` up to `high`, or below it.

        Scalar bounds give NumPy's numbers; with arrays of bounds, every element has words of its
        own.

        Examples
        --------
        >>> import heddle as np
        >>> np.random.default_rng(7).integers(1, 6, 5, endpoint=True)
        array([2, 3, 6, 3, 1])
        """
        if type(low) is int and dtype is numpy.int64 and not endpoint and not _core.recording():
            first, end = (0, low) if high is None else (low, high)
            if type(end) is int and -(2**63) <= first < end <= 2**63:
                if size is None:
                    return cast("ndarray", numpy.int64(first + self._number(end - first - 1)))
                if are_few(size):
                    drawn = self._bits.draw_integers(first, end - first - 1, output_shape(size))
                    if drawn is not None:
                        return drawn
        if low is None:
            raise TypeError("integers: a bound has to be an integer, not None")
        if high is None:
            low, high = 0, low
        wanted = numpy.dtype(dtype)
        if wanted.kind not in "iub" or wanted.itemsize > 8:
            raise TypeError(f"Unsupported dtype {wanted!r} for integers")
        if numpy.ndim(low) == 0 and numpy.ndim(high) == 0:
            low, high = (x.item() if hasattr(x, "item") else x for x in (low, high))
            asked.integers(low, high, None, wanted, endpoint)  # raises NumPy's errors
            if _core.rows_at_once() > 1:  # nobody can see which numbers to draw again
                return self._between(low, high, () if size is None else size, wanted, endpoint)
            first = int(low)
            span = int(high) - first - (0 if endpoint else 1)
            if size is None and wanted.itemsize == 8 and not _core.recording():
                return cast("ndarray", wanted.type(first + self._number(span)))
            shape = output_shape(size)
            count = math.prod(shape)

            def finished(values: ndarray) -> ndarray:
                # In unsigned numbers, where sums wrap around.
                if wanted == numpy.bool:
                    return (values | True if first else values).astype(wanted)
                unsigned = numpy.dtype(f"u{wanted.itemsize}")
                moved = values.astype(unsigned) + first % 2 ** (8 * wanted.itemsize)
                return cast("ndarray", moved.astype(wanted))

            return _core.drawn(self._bounded(count, span, wanted, finished), shape)
        return self._between(low, high, size, wanted, endpoint)

    def _number(self, span: int) -> int:
        """One number in [0, span] of 64 bits, on the host."""
        bits, draw = (32, self._bits.next_half) if span <= _HALF else (64, self._bits.next_word)
        if span == 0:
            return 0
        if span == 2**bits - 1:
            return draw()
        rejected = 2**bits % (span + 1)
        while True:
            product = draw() * (span + 1)
            if product & 2**bits - 1 >= rejected:
                return product >> bits

    def _bounded(
        self, count: int, span: int, wanted: numpy.dtype, finished: Callable[[ndarray], ndarray]
    ) -> ndarray:
        """A function of numbers in [0, span], as NumPy finds them for this type."""
        if span == 0:
            return finished(_core.full((count,), 0, numpy.dtype(numpy.uint64)))
        bits = 1 if wanted.kind == "b" else 8 * wanted.itemsize
        if bits == 64 and span <= _HALF:
            bits = 32
        if span == 2**bits - 1:
            units = self._peek(count, bits)
            self._skip(count, bits)
            return finished(units)
        return self._lemire(count, span + 1, bits, finished)

    def _peek(self, count: int, bits: int) -> ndarray:
        """The next `count` units of this many bits."""
        if bits == 64:
            return self._bits.peek_words(count)
        halves = self._bits.peek_halves(-(-count * bits // 32))
        if bits == 32:
            return halves
        if bits == 1:
            places = _core.index_along((halves.size, 32), 1).astype(numpy.uint32)
            single = (halves._reshape((halves.size, 1)) >> places) & 1
            return single._reshape((halves.size * 32,))[:count]
        kind = numpy.dtype(f"u{bits // 8}")
        return halves._view(kind)[:count]

    def _skip(self, count: int, bits: int) -> None:
        if bits == 64:
            self._bits.skip_words(count)
        else:
            self._bits.skip_halves(-(-count * bits // 32))

    def _lemire(
        self, count: int, size: int, bits: int, finished: Callable[[ndarray], ndarray]
    ) -> ndarray:
        rejected = 2**bits % size  # of 2**bits
        extra = count * rejected / 2**bits
        drawn = count
        if extra > 0.5:
            drawn = math.ceil((count + 8 * math.sqrt(extra) + 8) / (1 - rejected / 2**bits))
        while True:
            units = self._peek(drawn, bits)
            if bits == 64:
                values, rest = finished(_core.high_product(units, size)), units * size
            else:
                product = units.astype(numpy.uint64 if bits == 32 else numpy.uint32) * size
                values, rest = finished(product >> bits), product & (2**bits - 1)
            if rejected == 0:
                self._skip(count, bits)
                return values
            kept = rest >= rejected
            if drawn == count:
                every = kept.all()
                _core.eval(values, every)
                if bool(every):
                    self._skip(count, bits)
                    return values
            _core.eval(values, kept)
            found = values[kept]
            if found.size >= count:
                self._skip(drawn - _left(kept, found.size - count), bits)
                return found[:count]
            drawn += max(count - found.size, 16) * 2

    def _between(
        self, low: object, high: object, size: ShapeLike | None, wanted: numpy.dtype, endpoint: bool
    ) -> ndarray:
        wrong = "low > high" if endpoint else "low >= high"
        first = _bound(low, wanted, "low", False, wrong)
        last = _bound(high, wanted, "high", not endpoint, wrong)
        if bool((first > last).any()):
            raise ValueError(wrong)
        shape = output_shape(size, first, last)
        first = first.astype(numpy.uint64)
        span = last.astype(numpy.uint64) - first + 1  # 0: all words
        return _core.draw_between(self._bits, first, span, shape).astype(wanted)


def _left(kept: ndarray, surplus: int) -> int:
    """How many units are behind the last one that is needed, if so many kept ones are too many."""
    for length in (2 * surplus + 64, kept.size):
        places = numpy.flatnonzero(kept[-length:].get()[::-1])
        if places.size > surplus:
            break
    return int(places[surplus])


def _bound(value: Any, wanted: numpy.dtype, name: str, excluded: bool, wrong: str) -> ndarray:
    """An array of bounds that are numbers of the type themselves: less one where excluded."""
    limits = (0, 1) if wanted.kind == "b" else (numpy.iinfo(wanted).min, numpy.iinfo(wanted).max)
    least, most = limits[0] + excluded, limits[1] + excluded
    kind = numpy.dtype(numpy.uint64 if wanted == numpy.uint64 else numpy.int64)
    if not is_array(value):
        value = value if isinstance(value, numpy.ndarray) else numpy.asarray(value, object)
        if value.dtype == object:  # of Python's integers, which no one type may hold
            value = numpy.asarray(numpy.frompyfunc(int, 1, 1)(value), object)
        else:
            value = as_array(value)
    if value.size:
        if bool((value > most).any()) or (not excluded and bool((value < least).any())):
            raise ValueError(f"{name} is out of bounds for {wanted.name}")
        if bool((value < least).any()):  # so is every number that `low` can be
            raise ValueError(wrong)
    if isinstance(value, numpy.ndarray):
        return as_array(numpy.asarray(value - excluded, kind))
    if value.dtype.kind == "f":
        value = value.astype(numpy.int64 if wanted.kind == "i" else numpy.uint64)
    return cast("ndarray", value.astype(kind) - int(excluded))
