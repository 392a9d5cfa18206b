"""The functions of the module: Philox on the device, until somebody wants NumPy's stream.

Programs that never ask for a seed or a state cannot tell which numbers they get, so they get those
that are computed where arrays are, deferred and fused. From the first call of `seed`, `get_state`
or `set_state` on it is the stream of NumPy's Mersenne twister.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy

from heddle import _core
from heddle._arguments import no_value
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike, DType, DTypeLike, ShapeLike
from heddle.random._arguments import output_shape, parameter
from heddle.random._generator import Generator
from heddle.random._host import RandomState, for_numbers, place_of_size, split_type
from heddle.random._philox import Philox
from heddle.random._recording import recordings, refuse

_WORD_SPANS = 2**32  # a word is enough for as many numbers: the unevenness is below 2**-32

# NumPy's methods of old that Generator has by another name.
_RENAMED = {"random_sample": "random", "randn": "standard_normal", "rand": "random"}
# Those of Generator that take a type.
_TYPED = {"random", "standard_exponential", "standard_gamma", "standard_normal"}


class _Deferring(Generator):
    """A generator whose integers wait for nothing; it has no state that must be NumPy's."""

    def integers(
        self,
        low: Any,
        high: Any = None,
        size: Any = None,
        dtype: Any = numpy.int64,
        endpoint: bool = False,
    ) -> Any:
        """Integers from `low` up to `high`, or below it."""
        if high is None:
            low, high = 0, low
        if numpy.ndim(low) or numpy.ndim(high):
            return super().integers(low, high, size, dtype, endpoint)
        wanted = numpy.dtype(dtype)
        # Which raises NumPy's errors, for no numbers.
        super().integers(low, high, 0, dtype, endpoint)
        first = int(low)
        span = int(high) - first + bool(endpoint)
        if span > _WORD_SPANS:
            bounds = _core.full((1,), int(high) - (not endpoint), numpy.dtype(_wide(wanted)))
            shape = output_shape(size)
            drawn = self._between(first, bounds, (math.prod(shape),), wanted, True)
            return _core.drawn(drawn, shape)
        shape = output_shape(size)
        words = self._bits.reserve(math.prod(shape)).words(shape)
        values = _core.high_product(words, span)
        unsigned = values + first % 2**64 if first else values
        return unsigned.astype(wanted)


def _wide(wanted: DType) -> Any:
    return numpy.uint64 if wanted == numpy.uint64 else numpy.int64


def _is_single(value: object) -> bool:
    return isinstance(value, bool | int | float | numpy.generic | str) or value is None


class ModuleState(RandomState):
    """The generator that the functions of the module draw from."""

    def __init__(self) -> None:
        super().__init__()
        self._generator: Generator | None = _Deferring(Philox())

    @property
    def _defers(self) -> bool:
        return self._generator is not None

    def follow_numpy(self) -> None:
        """From now on the numbers are those of NumPy's stream."""
        refuse("it lets the module's functions follow NumPy's stream")
        self._generator = None

    def reset(self) -> None:
        """Begin anew, as if the module had just been imported."""
        self.__init__()  # type: ignore[misc]

    def seed(self, seed: Any = None) -> None:
        """Begin the stream of a seed: from now on the functions draw NumPy's numbers."""
        self.follow_numpy()
        super().seed(seed)
        self._tell_numpy()

    def _tell_numpy(self) -> None:
        """Let NumPy's own functions begin where these do: other libraries draw from them, and a
        program that is seeded once expects the same of all."""
        theirs: Any = numpy.random.mtrand._rand
        if type(theirs._bit_generator) is type(self._host._bit_generator):
            theirs.set_state(self._host.get_state(legacy=False))

    def get_state(self, legacy: bool = True) -> dict[str, Any] | tuple[Any, ...]:
        """The state of the bit generator, as NumPy gives it: its numbers are drawn from now on.

        Examples
        --------
        >>> import heddle as np
        >>> state = np.random.get_state()
        >>> a = np.random.rand()
        >>> np.random.set_state(state)
        >>> a == np.random.rand()
        True
        >>> np.random.reset_states()
        """
        self.follow_numpy()
        return super().get_state(legacy)

    def set_state(self, state: object) -> None:
        """Go on from a state, with NumPy's numbers.

        Examples
        --------
        >>> import heddle as np
        >>> state = np.random.get_state()
        >>> a = np.random.rand(2)
        >>> np.random.set_state(state)
        >>> np.array_equal(a, np.random.rand(2))
        True
        >>> np.random.reset_states()
        """
        self.follow_numpy()
        super().set_state(cast("Any", state))
        self._tell_numpy()

    def take(self, other: RandomState) -> None:
        """Draw what another generator draws."""
        self._draw_from(other._host)
        self._generator = other._generator if isinstance(other, ModuleState) else None

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self._host, self._generator)


def _restored(host: Any, generator: Any) -> ModuleState:
    made = ModuleState.__new__(ModuleState)
    made._draw_from(host)
    made._generator = generator
    return made


# --- how a function is done by Generator; no_value where NumPy draws it all the same ---


def _drawn(
    generator: Generator, name: str, args: Any, kwargs: dict[str, Any], dtype: DTypeLike | None
) -> Any:
    """A distribution, in the type that is asked for."""
    method = getattr(generator, name)
    single = dtype == numpy.float32
    if name in _TYPED and (single or dtype == numpy.float64):
        return method(*args, dtype=dtype, **kwargs)
    if single and name in ("normal", "uniform"):
        return _in_single(generator, method, *args, **kwargs)
    drawn = method(*args, **kwargs)
    return drawn if dtype is None else drawn.astype(dtype)


def _in_single(
    generator: Generator, method: Callable[..., Any], *args: float, **kwargs: object
) -> ndarray:
    """Normal and uniform numbers made of half as many bits."""
    given = inspect.signature(method).bind(*args, **kwargs)
    given.apply_defaults()
    first, second, size = given.arguments.values()
    a, b = parameter(first), parameter(second)
    method(first, second, (0, *output_shape(None, a, b)))  # what is wrong with the parameters
    shape = output_shape(size, a, b)
    single = numpy.dtype(numpy.float32)
    a, b = (x.astype(single) if isinstance(x, own_array) else x for x in (a, b))
    if method.__name__ == "normal":
        return a + b * generator.standard_normal(shape, dtype=single)
    return a + (b - a) * generator.random(shape, dtype=single)


def _integers(
    generator: Generator,
    low: Any,
    high: Any = None,
    size: ShapeLike | None = None,
    dtype: DTypeLike = int,
) -> Any:
    if size is None and _is_single(low) and _is_single(high):
        return no_value
    return generator.integers(low, high, size, dtype)


def _choice(
    generator: Generator,
    a: Sequence[float],
    size: ShapeLike | None = None,
    replace: Any = True,
    p: Any = None,
) -> Any:
    if size is None:
        return no_value
    if numpy.ndim(a) > 1:
        raise ValueError("a must be 1-dimensional")
    return generator.choice(a, size, replace, p)


def _ordered(generator: Generator, name: str, x: ArrayLike | None) -> Any:
    if name == "shuffle" and not isinstance(x, own_array):
        return no_value
    return getattr(generator, name)(x)


def by_generator(generator: Generator, name: str, args: Any, kwargs: dict[str, Any]) -> Any:
    """What Generator gives for a function of old; no_value where a single number is wanted, which
    NumPy draws sooner than a kernel is called."""
    args, kwargs, dtype = split_type(name, args, kwargs)
    if name in ("rand", "randn"):
        return _drawn(generator, _RENAMED[name], (args,), kwargs, dtype) if args else no_value
    if name == "randint":
        return _integers(generator, *args, **kwargs)
    if name == "choice":
        return _choice(generator, *args, **kwargs)
    if name == "multinomial" and numpy.ndim(kwargs.get("pvals", args[1:2] and args[1])) > 1:
        raise ValueError("object too deep for desired array")  # Generator takes rows of them
    if name in ("permutation", "shuffle"):
        return _ordered(generator, name, *args, **kwargs)
    place = place_of_size(name)
    if place is None:
        return no_value
    size = kwargs.get("size", args[place] if len(args) > place else None)
    parameters = (*args[:place], *(v for k, v in kwargs.items() if k != "size"))
    if size is None and all(map(_is_single, parameters)):
        return no_value
    return _drawn(generator, _RENAMED.get(name, name), args, kwargs, dtype)


def _switching(name: str) -> Any:
    """A method that draws by Generator until NumPy's stream is wanted."""
    by_numpy = getattr(RandomState, name)

    @functools.wraps(by_numpy)
    def method(self: ModuleState, *args: object, **kwargs: object) -> Any:
        for draws in recordings.stack:
            draws.note_mode(self)
        if self._generator is not None:
            made = by_generator(self._generator, name, args, kwargs)
            if made is not no_value:
                return made
        return by_numpy(self, *args, **kwargs)

    return method


for _name in dir(RandomState):
    if not _name.startswith("_") and _name not in dir(object) and _name not in vars(ModuleState):
        setattr(ModuleState, _name, for_numbers(_name, _switching(_name)))
