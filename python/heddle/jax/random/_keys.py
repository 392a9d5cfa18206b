"""Keys and bits of JAX's random numbers: the block cipher Threefry-2x32 with twenty rounds.

J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011. A key
is two words; bits are what the cipher makes of the numbers of the elements, so that each element
depends on its place alone. It is arithmetic on arrays: it fuses with what is made of the bits, and
a batch of keys is a batch of them.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import heddle as hd
from heddle import _core
from heddle._typing import ArrayLike, DTypeLike, ShapeLike

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = 0x1BD11BDA
_WORD = 0xFFFFFFFF


def _turned(x: hd.ndarray, by: int) -> hd.ndarray:
    return (x << by) | (x >> (32 - by))


def cipher(key: hd.ndarray, x0: hd.ndarray, x1: hd.ndarray) -> tuple[hd.ndarray, hd.ndarray]:
    """Two words for each pair of words, by a key or by one for each."""
    schedule = [key[..., 0], key[..., 1], key[..., 0] ^ key[..., 1] ^ _PARITY]
    x0, x1 = x0 + schedule[0], x1 + schedule[1]
    for group in range(5):
        for by in _ROTATIONS[group % 2]:
            x0 = x0 + x1
            x1 = _turned(x1, by) ^ x0
        x0 = x0 + schedule[(group + 1) % 3]
        x1 = x1 + schedule[(group + 2) % 3] + (group + 1)
    return x0, x1


def read_key(what: str, key: hd.ndarray) -> hd.ndarray:
    """A key as two words."""
    words = hd.asarray(key)
    if words.dtype != hd.uint32 or words.shape != (2,):
        raise TypeError(
            f"random.{what}: a key is two words of uint32, as `key` and `split` make them, and not "
            f"an array of {words.dtype} and shape {words.shape}"
        )
    return words


def read_shape(shape: object) -> tuple[int, ...]:
    """A shape of an int or several."""
    try:
        return (operator.index(shape),)  # type: ignore[arg-type]
    except TypeError:
        return tuple(map(operator.index, shape))  # type: ignore[call-overload]


def _numbered(key: hd.ndarray, shape: Sequence[int]) -> tuple[hd.ndarray, hd.ndarray]:
    """Two words for each element of a shape."""
    count = math.prod(shape)
    places = hd.arange(count).reshape(tuple(shape))
    high = (places >> 32).astype("uint32") if count > _WORD else hd.zeros(tuple(shape), "uint32")
    return cipher(key, high, places.astype("uint32"))


def random_words(key: hd.ndarray, bits: int, shape: Sequence[int]) -> hd.ndarray:
    """Unsigned integers of so many random bits."""
    high, low = _numbered(key, shape)
    if bits == 64:
        return (high.astype("uint64") << 32) | low.astype("uint64")
    return (high ^ low).astype(f"uint{bits}")


def key(seed: ArrayLike, *, impl: str | None = None) -> hd.ndarray:
    """A key, made of an integer: two words of uint32.

    JAX's arrays of keys have a type of their own; here they are their words, as in `PRNGKey`.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.jax import random
    >>> random.key(7)
    array([0, 7], dtype=uint32)
    """
    if impl not in (None, "threefry2x32"):
        raise ValueError(f"random.key: there is threefry2x32, and no {impl!r}")
    if isinstance(seed, _core.own_array) and _core.is_stand_in(seed):
        number: Any = seed
    elif isinstance(seed, int):
        low, high = seed & _WORD, (seed >> 32) & _WORD
        return hd.array([high, low], dtype="uint32")
    else:
        number = hd.asarray(seed)
    if number.ndim or number.dtype.kind not in "iu":
        raise TypeError(
            f"random.key: a seed is an integer, not an array of {number.dtype} and shape "
            f"{number.shape}"
        )
    wide = number.astype("int64")
    words = [(wide >> 32) & _WORD, wide & _WORD]
    if number.dtype.itemsize < 8:
        words[0] = words[0] * 0
    return hd.stack(words).astype("uint32")


def PRNGKey(seed: ArrayLike, *, impl: str | None = None) -> hd.ndarray:
    """The same as `key`.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.PRNGKey(2**32 + 1))
    [1 1]
    """
    return key(seed, impl=impl)


def split(key: hd.ndarray, num: int | tuple[int, ...] = 2) -> hd.ndarray:
    """New keys of one, which is not to be used again.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> first, second = random.split(random.key(0))
    >>> print(first)
    [1797259609 2579123966]
    """
    shape = read_shape(num)
    return hd.stack(_numbered(read_key("split", key), shape), axis=len(shape))


def fold_in(key: hd.ndarray, data: ArrayLike) -> hd.ndarray:
    """A new key of one and a number.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.fold_in(random.key(0), 1))
    [ 928981903 3453687069]
    """
    words = read_key("fold_in", key)
    number = hd.asarray(data)
    if number.ndim or number.dtype.kind not in "iu":
        raise TypeError(
            f"random.fold_in: an integer is folded in, not an array of {number.dtype} and shape "
            f"{number.shape}"
        )
    low = (number.astype("int64") & _WORD).astype("uint32")
    return hd.stack(cipher(words, hd.zeros((), "uint32"), low))


def key_data(keys: ArrayLike) -> hd.ndarray:
    """The words of a key, or of several.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.key_data(random.key(3)))
    [0 3]
    """
    return hd.asarray(keys)


def wrap_key_data(key_bits_array: ArrayLike, *, impl: str | None = None) -> hd.ndarray:
    """The key that words are.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.wrap_key_data(random.key_data(random.key(3))))
    [0 3]
    """
    if impl not in (None, "threefry2x32"):
        raise ValueError(f"random.wrap_key_data: there is threefry2x32, and no {impl!r}")
    words = hd.asarray(key_bits_array)
    if words.dtype != hd.uint32 or words.shape[-1:] != (2,):
        raise TypeError(
            f"random.wrap_key_data: two words of uint32 are a key, not {words.dtype} of shape "
            f"{words.shape}"
        )
    return words


def key_impl(keys: ArrayLike) -> str:
    """The name of what makes bits of keys.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> random.key_impl(random.key(0))
    'threefry2x32'
    """
    wrap_key_data(keys)
    return "threefry2x32"


def clone(key: hd.ndarray) -> hd.ndarray:
    """The same key, to be used once more.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.clone(random.key(3)))
    [0 3]
    """
    return hd.asarray(key).copy()


def bits(key: hd.ndarray, shape: ShapeLike = (), dtype: DTypeLike | None = None) -> hd.ndarray:
    """Random bits as unsigned integers.

    >>> import heddle as np
    >>> from heddle.jax import random
    >>> print(random.bits(random.key(0), (2,), "uint8"))
    [167 146]
    """
    kind = hd.dtype("uint64" if dtype is None else dtype)
    if kind.kind != "u":
        raise ValueError(f"random.bits: the type is one of unsigned integers, not {kind}")
    return random_words(read_key("bits", key), kind.itemsize * 8, read_shape(shape))
