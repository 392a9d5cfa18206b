"""The bit generator Philox: its state on the host, its words wherever arrays are computed."""

import threading
from typing import Any

import numpy

from heddle import _core
from heddle.random._arguments import on_host

_WORD = 2**64 - 1
_COUNTER = 2**256 - 1
_BLOCK = 4  # words


def _join(words: Any) -> int:
    return sum(int(word) << 64 * i for i, word in enumerate(words))


def _split(value: int, count: int) -> tuple[int, ...]:
    return tuple(value >> 64 * i & _WORD for i in range(count))


def block(key: tuple[int, int], counter: int) -> tuple[int, ...]:
    """The four words of one counter, on the host."""
    return tuple(_core.random_block(key, _split(counter, 4)))


class Reserved:
    """Blocks that one call has for itself: planes of words, each with one word an element."""

    def __init__(self, key: tuple[int, int], counter: int, blocks: int) -> None:
        self.key, self.counter, self.blocks = key, counter, blocks

    def words(self, shape: Any, plane: int = 0, dtype: Any = numpy.uint64) -> _core.ndarray:
        """One word for every element."""
        start = _split(self.counter + plane * self.blocks & _COUNTER, 4)
        return _core.random_words(self.key, start, shape, dtype)


class Philox:
    """Philox 4x64-10, a counter-based bit generator, seeded as NumPy's and with NumPy's words.

    Words are a function of their place in the stream. Any device computes them, and computes the
    same; drawing numbers only advances the counter that this object has.
    """

    def __init__(self, seed: Any = None, counter: Any = None, key: Any = None) -> None:
        made = numpy.random.Philox(on_host(seed), counter=on_host(counter), key=on_host(key))
        self.lock = threading.RLock()
        self._seed_seq = getattr(made, "seed_seq", None)
        self._restore(made.state)

    # --- state ---

    def _restore(self, state: dict[str, Any]) -> None:
        counter, key = _join(state["state"]["counter"]), state["state"]["key"]
        key = (int(key[0]), int(key[1]))
        buffer = tuple(int(word) for word in state["buffer"])
        used = int(state["buffer_pos"])
        if used < _BLOCK and buffer != block(key, counter):
            raise ValueError("the state's buffer does not hold the words of its counter")
        self._key, self._counter, self._used = key, counter, used
        self._buffer: tuple[int, ...] | None = buffer  # None: the words of the counter
        # Half a word that is left: the half itself, or the counter and the place of its word.
        has_half = bool(state["has_uint32"])
        self._half: int | tuple[int, int] | None = int(state["uinteger"]) if has_half else None
        self._last_half: int | tuple[int, int] = int(state["uinteger"])

    def _value_of(self, half: int | tuple[int, int]) -> int:
        if isinstance(half, int):
            return half
        counter, place = half
        return block(self._key, counter)[place] >> 32

    @property
    def state(self) -> dict[str, Any]:
        """NumPy's dictionary of counter, key and buffers."""
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
        checked = numpy.random.Philox(0)
        checked.state = value
        with self.lock:
            self._restore(checked.state)

    @property
    def seed_seq(self) -> Any:
        """The seed sequence that the key came from; None where the key was given."""
        return self._seed_seq

    def spawn(self, n_children: int) -> list["Philox"]:
        """Independent generators, seeded from children of the seed sequence."""
        if not hasattr(self._seed_seq, "spawn"):
            raise TypeError("The underlying SeedSequence does not implement spawning.")
        return [type(self)(child) for child in self._seed_seq.spawn(n_children)]

    def advance(self, delta: int) -> "Philox":
        """Move the counter by `delta` blocks, forward or back."""
        with self.lock:
            self._counter = self._counter + int(delta) & _COUNTER
            self._used, self._buffer = _BLOCK, (0,) * _BLOCK
            self._half, self._last_half = None, 0
        return self

    def jumped(self, jumps: int = 1) -> "Philox":
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

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (type(self),), self.__getstate__()

    # --- words ---

    def reserve(self, count: int, planes: int = 1, per_word: int = 1) -> Reserved:
        """Whole blocks with `planes` words for each of `count` elements, or parts of words."""
        with self.lock:
            blocks = -(-count // (_BLOCK * per_word))
            reserved = Reserved(self._key, self._counter + 1 & _COUNTER, blocks)
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

    def words(self, shape: tuple[int, ...]) -> _core.ndarray:
        """The next words of the stream."""
        count = _size(shape)
        with self.lock:
            counter, place = self._begin()
            if count:
                self._consume(count)
        return _draw(self._key, counter, place, shape, count, numpy.uint64)

    def peek_words(self, count: int) -> _core.ndarray:
        """The next words, which stay the next ones."""
        with self.lock:
            counter, place = self._begin()
            return _draw(self._key, counter, place, (count,), count, numpy.uint64)

    def skip_words(self, count: int) -> None:
        """Advance by words."""
        with self.lock:
            if count:
                self._consume(count)

    def peek_halves(self, count: int) -> _core.ndarray:
        """The next half words as NumPy takes them, which stay the next ones."""
        with self.lock:
            return self._halves(count)

    def _halves(self, count: int) -> _core.ndarray:
        counter, place = self._begin()
        if self._half is None:
            return _draw(self._key, counter, 2 * place, (count,), count, numpy.uint32)
        # The half that is left belongs to the word before, unless whole words were drawn since.
        before = (counter, place - 1) if place else (counter - 1 & _COUNTER, _BLOCK - 1)
        drawn = _draw(self._key, before[0], 2 * before[1] + 1, (count,), count, numpy.uint32)
        if count and self._half != before:
            first = _core.index_along((count,), 0) == 0
            drawn = _core.select(first, numpy.uint32(self._value_of(self._half)), drawn)
        return drawn

    def skip_halves(self, count: int) -> None:
        """Advance by half words."""
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
        count = _size(shape)
        with self.lock:
            drawn = self._halves(count)
            self.skip_halves(count)
        return drawn if shape == (count,) else _core.drawn(drawn, shape)

    def random_raw(self, size: Any = None, output: bool = True) -> Any:
        """The next words of the stream; only skipped where `output` is false."""
        shape = () if size is None else _as_shape(size)
        if not output:
            self.skip_words(_size(shape))
            return None
        return self.words(shape)


def _remade(kind: type) -> Philox:
    return kind.__new__(kind)


def _as_shape(size: Any) -> tuple[int, ...]:
    from heddle._arguments import as_shape

    return as_shape(size)


def _size(shape: tuple[int, ...]) -> int:
    count = 1
    for extent in shape:
        count *= extent
    return count


def _draw(
    key: tuple[int, int], counter: int, place: int, shape: Any, count: int, dtype: Any
) -> _core.ndarray:
    """Words, or half words, from a place of the first block on."""
    start = _split(counter, 4)
    if place == 0:
        return _core.random_words(key, start, shape, dtype)
    return _core.drawn(_core.random_words(key, start, (place + count,), dtype)[place:], shape)
