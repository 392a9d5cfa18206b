"""The bit generator Philox: its state on the host, its words wherever arrays are computed."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, cast, overload

import numpy

from heddle import _core
from heddle._core import ndarray
from heddle._typing import DTypeLike, HostArray, ShapeLike
from heddle.random._arguments import on_host
from heddle.random._recording import recordings, refuse

_WORD = 2**64 - 1
_COUNTER = 2**256 - 1
_BLOCK = 4  # words


def _join(words: HostArray) -> int:
    return sum(int(word) << 64 * i for i, word in enumerate(words))


def _split(value: int, count: int) -> tuple[int, ...]:
    return tuple(value >> 64 * i & _WORD for i in range(count))


def block(key: tuple[int, int], counter: int) -> tuple[int, ...]:
    """The four words of one counter, on the host."""
    return tuple(_core.random_block(key, _split(counter, 4)))


# The key, the counter, how many words of it are used, these words, and what is left of halves.
Snapshot: TypeAlias = tuple[
    tuple[int, int],
    int,
    int,
    "tuple[int, ...] | None",
    "int | tuple[int, int] | None",
    "int | tuple[int, int]",
]


class Philox:
    """Philox 4x64-10, a counter-based bit generator, seeded as NumPy's and with NumPy's words.

    Words are a function of their place in the stream. Any device computes them, and computes the
    same; drawing numbers only advances the counter that this object has.

    Examples
    --------
    >>> import heddle as np
    >>> np.random.Generator(np.random.Philox(7)).integers(0, 10, 3)
    array([2, 4, 9])
    """

    _key: tuple[int, int]
    _buffer: tuple[int, ...] | None  # None: the words of the counter
    # Half a word that is left: the half itself, or the counter and the place of its word.
    _half: int | tuple[int, int] | None
    _last_half: int | tuple[int, int]

    def __init__(self, seed: object = None, counter: object = None, key: object = None) -> None:
        made = numpy.random.Philox(on_host(seed), counter=on_host(counter), key=on_host(key))
        self.lock = threading.RLock()
        self._seed_seq: Any = getattr(made, "seed_seq", None)
        self._restore(made.state)
        for draws in recordings.stack:
            draws.note_made(self, seed is None and key is None)

    # --- state ---

    def snapshot(self) -> Snapshot:
        """Where it is, to be gone on from or back to."""
        return self._key, self._counter, self._used, self._buffer, self._half, self._last_half

    def restore_snapshot(self, state: Snapshot) -> None:
        """Go back to where it was."""
        with self.lock:
            self._key, self._counter, self._used, self._buffer, self._half, self._last_half = state

    def repeat(self, before: Snapshot, after: Snapshot) -> tuple[tuple[int, int], int] | None:
        """Go on as from one state to another. Gives the key, and how much further the counter is
        than it was there; None where that would take other parts of words."""
        _, counter, used, _, half, _ = before
        if self._used != used or _moved(self._half, -self._counter) != _moved(half, -counter):
            return None
        moved = self._counter - counter & _COUNTER
        _, end, self._used, self._buffer, half, last_half = after
        self._counter = end + moved & _COUNTER
        self._half = _moved(half, moved)
        self._last_half = cast("int | tuple[int, int]", _moved(last_half, moved))
        return self._key, moved

    @staticmethod
    def fresh_key() -> tuple[int, int]:
        """A key that the system gives."""
        return Philox()._key

    def touch(self) -> None:
        """It is about to be drawn of."""
        for draws in recordings.stack:
            draws.note(self)

    def _restore(self, state: Mapping[str, Any]) -> None:
        counter, key = _join(state["state"]["counter"]), state["state"]["key"]
        key = (int(key[0]), int(key[1]))
        buffer = tuple(int(word) for word in state["buffer"])
        used = int(state["buffer_pos"])
        if used < _BLOCK and buffer != block(key, counter):
            raise ValueError("the state's buffer does not hold the words of its counter")
        self._key, self._counter, self._used = key, counter, used
        self._buffer = buffer
        self._half = int(state["uinteger"]) if bool(state["has_uint32"]) else None
        self._last_half = int(state["uinteger"])

    def _value_of(self, half: int | tuple[int, int]) -> int:
        if isinstance(half, int):
            return half
        counter, place = half
        return block(self._key, counter)[place] >> 32

    @property
    def state(self) -> dict[str, Any]:
        """NumPy's dictionary of counter, key and buffers."""
        refuse("it reads the state of a generator")
        with self.lock:
            buffer = self._buffer
            if buffer is None:
                buffer = block(self._key, self._counter)
            return {
                "bit_generator": "Philox",
                "state": {
                    "counter": numpy.array(_split(self._counter, 4), numpy.uint64),
                    "key": numpy.array(self._key, numpy.uint64),
                },
                "buffer": numpy.array(buffer, numpy.uint64),
                "buffer_pos": self._used,
                "has_uint32": int(self._half is not None),
                "uinteger": self._value_of(self._last_half),
            }

    @state.setter
    def state(self, value: dict[str, Any]) -> None:
        refuse("it sets the state of a generator")
        checked: Any = numpy.random.Philox(0)
        checked.state = value
        with self.lock:
            self._restore(checked.state)

    @property
    def seed_seq(self) -> numpy.random.SeedSequence:
        """The seed sequence that the key came from; None where the key was given."""
        found: numpy.random.SeedSequence = self._seed_seq
        return found

    def spawn(self, n_children: int) -> list[Philox]:
        """Independent generators, seeded from children of the seed sequence."""
        if not hasattr(self._seed_seq, "spawn"):
            raise TypeError("The underlying SeedSequence does not implement spawning.")
        refuse("it spawns generators")
        return [type(self)(child) for child in self._seed_seq.spawn(n_children)]

    def advance(self, delta: int) -> Philox:
        """Move the counter by `delta` blocks, forward or back."""
        self.touch()
        with self.lock:
            self._counter = self._counter + int(delta) & _COUNTER
            self._used, self._buffer = _BLOCK, (0,) * _BLOCK
            self._half, self._last_half = None, 0
        return self

    def jumped(self, jumps: int = 1) -> Philox:
        """A new generator, as if 2**128 blocks had been drawn, this many times."""
        other = type(self).__new__(type(self))
        other.__setstate__(self.__getstate__())
        return other.advance(int(jumps) << 128)

    def __getstate__(self) -> tuple[dict[str, Any], Any]:
        return self.state, self._seed_seq

    def __setstate__(self, saved: tuple[dict[str, Any], Any]) -> None:
        self.lock = threading.RLock()
        self._seed_seq = saved[1]
        self._restore(saved[0])

    def __reduce__(self) -> tuple[object, ...]:
        return _remade, (type(self),), self.__getstate__()

    # --- words ---

    def reserve(self, count: int, planes: int = 1, per_word: int = 1) -> _core.Reserved:
        """Whole blocks with `planes` words for each of `count` elements, or parts of words."""
        self.touch()
        count *= _core.rows_at_once()
        with self.lock:
            blocks = -(-count // (_BLOCK * per_word))
            first = _split(self._counter + 1 & _COUNTER, 4)
            reserved = _core.Reserved(self._key, first, blocks, id(self))
            self._counter = self._counter + blocks * planes & _COUNTER
            self._used, self._buffer = _BLOCK, None
            return reserved

    def _begin(self) -> tuple[int, int]:
        """The counter of the next word's block, and the word's place in it."""
        if self._used < _BLOCK:
            return self._counter, self._used
        return self._counter + 1 & _COUNTER, 0

    def _consume(self, count: int) -> tuple[int, int]:
        """Advance by words; gives the counter and place of the last one."""
        counter, place = self._begin()
        last = place + count - 1
        self._counter, self._used = counter + last // _BLOCK & _COUNTER, last % _BLOCK + 1
        self._buffer = None
        return self._counter, last % _BLOCK

    def next_word(self) -> int:
        """The next word, on the host: while nobody records."""
        with self.lock:
            if self._used == _BLOCK:
                self._counter = self._counter + 1 & _COUNTER
                self._used, self._buffer = 0, None
            words = self._buffer
            if words is None:
                words = self._buffer = block(self._key, self._counter)
            self._used += 1
            return int(words[self._used - 1])

    def next_half(self) -> int:
        """The next half of a word, the same way."""
        with self.lock:
            if self._half is not None:
                half, self._half = self._value_of(self._half), None
                return half
            word = self.next_word()
            self._half = self._last_half = word >> 32
            return word & 2**32 - 1

    def draw(self, name: str, parameters: Sequence[Any], shape: tuple[int, ...] | None) -> Any:
        """Numbers of a distribution, or a number of Python's where there is no shape: while nobody
        records."""
        with self.lock:
            if self._counter > _WORD >> 1:
                made = _core.draw(name, self, parameters, shape or ())
                return made.item() if shape is None else made
            drawn, self._counter, self._used = _core.draw_at_once(
                name, self._key, self._counter, self._used, parameters, shape
            )
            self._buffer = None
            return drawn

    def draw_integers(self, first: int, span: int, shape: tuple[int, ...]) -> _core.ndarray | None:
        """A few integers in [first, first + span], on the host: while nobody records. None where
        the counter is too far."""
        with self.lock:
            if self._counter > _WORD >> 1:
                return None
            half = None if self._half is None else self._value_of(self._half)
            drawn, self._counter, self._used, self._half, last = _core.draw_integers_at_once(
                self._key, self._counter, self._used, half, first, span, shape
            )
            self._buffer = None
            if last is not None:
                self._last_half = last
            return cast("_core.ndarray", drawn)

    def words(self, shape: tuple[int, ...]) -> _core.ndarray:
        """The next words of the stream."""
        self.touch()
        count = _size(shape) * _core.rows_at_once()
        with self.lock:
            counter, place = self._begin()
            if count:
                self._consume(count)
        return self._draw(counter, place, shape, numpy.uint64)

    def _draw(
        self, counter: int, place: int, shape: tuple[int, ...], dtype: DTypeLike
    ) -> _core.ndarray:
        """Words, or half words, from a place of a block on."""
        start = _split(counter, 4)
        drawn = _core.random_words(self._key, start, shape, dtype, place, id(self))
        return _core.drawn(drawn, shape) if place else drawn

    def peek_words(self, count: int) -> _core.ndarray:
        """The next words, which stay the next ones."""
        self.touch()
        with self.lock:
            counter, place = self._begin()
            return self._draw(counter, place, (count,), numpy.uint64)

    def skip_words(self, count: int) -> None:
        """Advance by words."""
        self.touch()
        with self.lock:
            if count:
                self._consume(count)

    def peek_halves(self, count: int) -> _core.ndarray:
        """The next half words as NumPy takes them, which stay the next ones."""
        self.touch()
        with self.lock:
            return self._halves(count)

    def _halves(self, count: int) -> _core.ndarray:
        counter, place = self._begin()
        if self._half is None:
            return self._draw(counter, 2 * place, (count,), numpy.uint32)
        # The half that is left belongs to the word before, unless whole words were drawn since.
        before = (counter, place - 1) if place else (counter - 1 & _COUNTER, _BLOCK - 1)
        drawn = self._draw(before[0], 2 * before[1] + 1, (count,), numpy.uint32)
        if count and self._half != before:
            first = _core.index_along((count,), 0) == 0
            half: Any = numpy.uint32(self._value_of(self._half))
            if recordings.stack and isinstance(self._half, tuple):
                # Another one in each call that is repeated; in a batch none is.
                of_counter, of_place = self._half
                half = self._draw(of_counter, 2 * of_place + 1, (1,), numpy.uint32)
            drawn = _core.select(first, half, drawn)
        return drawn

    def skip_halves(self, count: int) -> None:
        """Advance by half words."""
        self.touch()
        with self.lock:
            if count and self._half is not None:
                self._half = None
                count -= 1
            if count:
                last = self._consume(-(-count // 2))
                self._last_half = last
                self._half = last if count % 2 else None

    def halves(self, shape: tuple[int, ...]) -> _core.ndarray:
        """The next half words, as uint32."""
        self.touch()
        count = _size(shape)
        rows = _core.rows_at_once()
        if rows > 1:  # each begins with a whole word
            with self.lock:
                self._half = None
                counter, place = self._begin()
                self.skip_halves(count * rows)
            return self._draw(counter, 2 * place, shape, numpy.uint32)
        with self.lock:
            drawn = self._halves(count)
            self.skip_halves(count)
        return drawn if shape == (count,) else _core.drawn(drawn, shape)

    @overload
    def random_raw(
        self, size: ShapeLike | None = None, output: Literal[True] = True
    ) -> ndarray: ...
    @overload
    def random_raw(self, size: ShapeLike | None, output: Literal[False]) -> None: ...
    @overload
    def random_raw(self, size: ShapeLike | None = None, *, output: Literal[False]) -> None: ...
    def random_raw(self, size: ShapeLike | None = None, output: bool = True) -> ndarray | None:
        """The next words of the stream; only skipped where `output` is false."""
        shape = () if size is None else _as_shape(size)
        if not output:
            self.skip_words(_size(shape))
            return None
        return self.words(shape)


def _remade(kind: type[Philox]) -> Philox:
    return kind.__new__(kind)


def _as_shape(size: ShapeLike) -> tuple[int, ...]:
    from heddle._arguments import as_shape

    return as_shape(size)


def _size(shape: tuple[int, ...]) -> int:
    count = 1
    for extent in shape:
        count *= extent
    return count


def _moved(half: int | tuple[int, int] | None, by: int) -> int | tuple[int, int] | None:
    """The place of half a word, with another counter."""
    return half if half is None or isinstance(half, int) else (half[0] + by & _COUNTER, half[1])
