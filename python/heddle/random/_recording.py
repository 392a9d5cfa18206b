"""What a call draws while `jit` records it, so that repeating the call draws anew.

Generators are state. A recorded call notes each generator when it first draws of it; when the call
is repeated, they go on as they did then, and the words that they pass are those that the call gets.
What NumPy draws on the host is drawn by the same calls again.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from heddle import _core
from heddle._core import ndarray
from heddle._typing import HostArray

if TYPE_CHECKING:
    from heddle.random._old_style import ModuleState
    from heddle.random._philox import Philox


class _Recordings(threading.local):
    def __init__(self) -> None:
        self.stack: list[Draws] = []


recordings = _Recordings()


class Draws:
    """The generators that a recorded call draws of, and how they go on."""

    def __init__(self) -> None:
        self.problem = ""  # why the call cannot be repeated
        self._in_batch = _core.rows_at_once() > 1
        self.batches = _core.batch_depth()  # around it
        self.left_batch = False  # whether it computed with all rows of one of these
        self._streams: dict[int, tuple[Any, Any]] = {}  # and their states at the first draw
        self._made: dict[int, bool] = {}  # in the call itself, and whether without a seed
        self._after: dict[int, Any] = {}
        self._modes: list[tuple[Any, Any, Any]] = []
        self._calls: list[tuple[Any, Callable[[], Any]]] = []

    def __enter__(self) -> Draws:
        recordings.stack.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        recordings.stack.remove(self)
        self._after = {name: bits.snapshot() for name, (bits, _) in self._streams.items()}

    @property
    def any(self) -> bool:
        """Whether anything was drawn."""
        return bool(self._streams or self._calls)

    @property
    def in_batch(self) -> bool:
        """Whether rows of a batch draw in it."""
        return self._in_batch and self.any

    def undo(self) -> None:
        """The generators are where they were; what NumPy drew stays drawn."""
        for bits, before in self._streams.values():
            bits.restore_snapshot(before)

    @contextlib.contextmanager
    def once_more(self) -> Iterator[None]:
        """What is drawn now are the same words again, and the generators stay where they are."""
        now = [(bits, bits.snapshot()) for bits, _ in self._streams.values()]
        self.undo()
        # Rows of batches that have come since have them in common.
        before = _core.set_drawing_batches(self.batches)
        try:
            yield
        finally:
            _core.set_drawing_batches(before)
            for bits, state in now:
                bits.restore_snapshot(state)

    @property
    def can_be_had_again(self) -> bool:
        """Whether `once_more` knows all words: not those of NumPy, nor of a seed nobody gave."""
        return not self._calls and not any(self._made.values())

    # --- while it is recorded ---

    def note(self, bits: Philox) -> None:
        """A bit generator is about to be drawn of."""
        if id(bits) not in self._streams:
            self._streams[id(bits)] = bits, bits.snapshot()

    def note_made(self, bits: Philox, without_seed: bool) -> None:
        """The call has made a bit generator."""
        self._made[id(bits)] = without_seed
        self.note(bits)

    def note_mode(self, state: ModuleState) -> None:
        """The module's functions draw of one generator or of another."""
        if not self._modes:
            self._modes.append((state, state._generator, state._host))

    def add_call(self, host: object, call: Callable[[], Any]) -> None:
        """NumPy has drawn."""
        self._calls.append((host, call))

    def begin_call(self) -> None:
        """Something is about to happen that is no array: NumPy draws, or a function is called."""

    # --- when it is repeated ---

    def begin(self, sources: list[int], may_fail: bool) -> Repeated | None:
        """Let the generators go on as they did; None where they are not as they were."""
        if any(
            state._generator is not generator or state._host is not host
            for state, generator, host in self._modes
        ):
            return None
        for outer in recordings.stack:
            for state, _, _ in self._modes:
                outer.note_mode(state)
        repeated = Repeated()
        moved: dict[int, Any] = {}
        for name, (bits, before) in self._streams.items():
            if name in self._made:
                moved[name] = (bits.fresh_key() if self._made[name] else before[0]), 0
                continue
            bits.touch()
            with bits.lock:
                now = bits.snapshot()
                found = bits.repeat(before, self._after[name])
            if found is None:
                repeated.undo()
                return None
            repeated.before.append((bits, now))
            moved[name] = found
        repeated.streams = [_words(*moved[name]) for name in sources]
        if may_fail:
            bit_generators = {id(host): _bits_of(host) for host, _ in self._calls}
            repeated.hosts = [(bits, bits.state) for bits in bit_generators.values()]
        repeated.late = [_as_array(drawn_on_host(host, call)) for host, call in self._calls]
        return repeated


class NotALoop(BaseException):
    """The body of a loop does what is no step of its recording."""


class LoopBody(Draws):
    """The body of a loop that is recorded once: nothing may happen that each pass does anew."""

    def note(self, bits: object) -> None:
        raise NotALoop

    def note_made(self, bits: object, without_seed: bool) -> None:
        raise NotALoop

    def note_mode(self, state: object) -> None:
        raise NotALoop

    def begin_call(self) -> None:
        raise NotALoop


def rows_along(a: ndarray, depth: int) -> ndarray:
    """The rows of an array along a batch, by its place from the outermost on.

    Calls and loops inside of the batch that are being recorded do not hear what is made of them,
    and cannot repeat it.
    """
    inside = [draws for draws in recordings.stack if draws.batches > depth]
    if any(isinstance(draws, LoopBody) for draws in inside):
        raise NotALoop
    for draws in inside:
        draws.left_batch = True
    return _core.rows_along(a, depth)


def in_loop_body() -> bool:
    """Whether the body of a loop is being recorded."""
    return any(isinstance(draws, LoopBody) for draws in recordings.stack)


def begin_call() -> None:
    """Tell those who record that something happens which each repeated call does anew."""
    for draws in reversed(recordings.stack):
        draws.begin_call()


class Repeated:
    """What a repeated call draws."""

    def __init__(self) -> None:
        self.before: list[tuple[Any, Any]] = []
        self.hosts: list[tuple[Any, Any]] = []
        self.streams: list[Any] = []
        self.late: list[Any] = []

    def undo(self) -> None:
        """The call does not serve: the generators are where they were."""
        for bits, state in self.before:
            bits.restore_snapshot(state)
        for host, state in self.hosts:
            host.state = state


def _words(key: tuple[int, int], moved: int) -> tuple[tuple[int, int], tuple[int, ...]]:
    return key, tuple(moved >> 64 * i & (2**64 - 1) for i in range(4))


def _bits_of(host: Any) -> Any:
    return getattr(host, "_bit_generator", None) or host.bit_generator


def _as_array(value: object) -> ndarray:
    from heddle._creation.arrays import array

    return value if isinstance(value, _core.own_array) else array(value)


def refuse(why: str) -> None:
    """What cannot be repeated has happened to a generator."""
    for draws in recordings.stack:
        draws.problem = draws.problem or why


def drawn_on_host(host: object, call: Callable[[], Any]) -> Any:
    """What NumPy draws: an array for each row of a batch, drawn anew when a call is repeated.

    Elsewhere it is what the call gives.
    """
    rows = _core.rows_at_once()
    if rows == 1 and not recordings.stack:
        return call()
    begin_call()
    import numpy

    from heddle._creation.arrays import array

    def whole() -> HostArray:
        return numpy.stack([call() for _ in range(rows)]) if rows > 1 else numpy.asarray(call())

    made = array(whole())
    if recordings.stack:
        for draws in recordings.stack:
            draws.add_call(host, whole)
        _core.add_script_input(made)
    if rows > 1:
        return _core.row_of_drawn(made)
    return _core.drawn(made, made.shape)
