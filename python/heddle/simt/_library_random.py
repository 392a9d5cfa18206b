"""Random numbers for compiled functions (see `_library.py`), from a Mersenne twister.

Numbers are those that NumPy's and Python's functions draw after the same seed. `state` has the
words of the generator, then where the next one is and whether a normal number is left over, which
is in `spare` (simt::Generator). Words are worked on with 64 bits and cut to 32.
"""

# Types are inferred, and nothing here runs in Python.
# ruff: noqa: ANN001, ANN202
# mypy: ignore-errors

import math

import numpy as np


def twist(state):
    """The next 624 words: a function of its own, which is not taken along."""
    for k in range(624):
        y = (int(state[k]) & 0x80000000) | (int(state[(k + 1) % 624]) & 0x7FFFFFFF)
        word = int(state[(k + 397) % 624]) ^ (y >> 1)
        if y & 1:
            word ^= 0x9908B0DF
        state[k] = word
    state[624] = 0
    return 0


def bits(state):
    """The next 32."""
    if int(state[624]) >= 624:
        twist(state)
    place = int(state[624])
    state[624] = place + 1
    y = int(state[place])
    y ^= y >> 11
    y ^= (y << 7) & 0x9D2C5680
    y ^= (y << 15) & 0xEFC60000
    return (y ^ (y >> 18)) & 0xFFFFFFFF


def fraction(state):
    high = bits(state) >> 5
    low = bits(state) >> 6
    return (high * 67108864.0 + low) / 9007199254740992.0


def begin(state, seed):
    word = seed & 0xFFFFFFFF
    for k in range(624):
        state[k] = word
        word = (1812433253 * (word ^ (word >> 30)) + k + 1) & 0xFFFFFFFF
    state[624] = 624
    state[625] = 0


def seed_numpys(state, spare, seed):
    if seed < 0 or seed > 0xFFFFFFFF:
        raise ValueError("Seed must be between 0 and 2**32 - 1")
    begin(state, seed)


def seed_pythons(state, spare, seed):
    number = abs(seed)
    low = number & 0xFFFFFFFF
    high = (number >> 32) & 0xFFFFFFFF
    count = 1 if high == 0 else 2
    begin(state, 19650218)
    i = 1
    j = 0
    for _ in range(624):
        before = int(state[i - 1])
        key = low if j == 0 else high
        mixed = int(state[i]) ^ (((before ^ (before >> 30)) * 1664525) & 0xFFFFFFFF)
        state[i] = (mixed + key + j) & 0xFFFFFFFF
        i += 1
        j += 1
        if i >= 624:
            state[0] = state[623]
            i = 1
        if j >= count:
            j = 0
    for _ in range(623):
        before = int(state[i - 1])
        mixed = int(state[i]) ^ (((before ^ (before >> 30)) * 1566083941) & 0xFFFFFFFF)
        state[i] = (mixed - i) & 0xFFFFFFFF
        i += 1
        if i >= 624:
            state[0] = state[623]
            i = 1
    state[0] = 0x80000000


def up_to(state, most):
    """An integer from 0 to `most`: bits until some are not above it."""
    mask = most
    mask |= mask >> 1
    mask |= mask >> 2
    mask |= mask >> 4
    mask |= mask >> 8
    mask |= mask >> 16
    mask |= mask >> 32
    if most == 0:
        return 0
    if most <= 0xFFFFFFFF:
        value = bits(state) & mask
        while value > most:
            value = bits(state) & mask
        return value
    wide = ((bits(state) << 32) | bits(state)) & mask
    while wide > most:
        wide = ((bits(state) << 32) | bits(state)) & mask
    return wide


def below(state, count):
    """An integer below `count`, as Python draws it."""
    size = 0
    left = count
    while left > 0:
        left >>= 1
        size += 1
    value = count
    while value >= count:
        if size <= 32:
            value = bits(state) >> (32 - size)
        else:
            value = bits(state)
            value |= (bits(state) >> (64 - size)) << 32
    return value


# --- NumPy's ---


def random_sample(state, spare):
    return fraction(state)


def uniform(state, spare, low=0.0, high=1.0):
    return low + (high - low) * fraction(state)


def standard_normal(state, spare):
    if int(state[625]) != 0:
        state[625] = 0
        return spare[0]
    x = 0.0
    y = 0.0
    square = 0.0
    while square >= 1.0 or square == 0.0:
        x = 2.0 * fraction(state) - 1.0
        y = 2.0 * fraction(state) - 1.0
        square = x * x + y * y
    scale = math.sqrt(-2.0 * math.log(square) / square)
    spare[0] = scale * x
    state[625] = 1
    return scale * y


def normal(state, spare, loc=0.0, scale=1.0):
    if scale < 0:
        raise ValueError("scale < 0")
    return loc + scale * standard_normal(state, spare)


def lognormal(state, spare, mean=0.0, sigma=1.0):
    return math.exp(normal(state, spare, mean, sigma))


def exponential(state, spare, scale=1.0):
    if scale < 0:
        raise ValueError("scale < 0")
    return scale * -math.log(1.0 - fraction(state))


def randint(state, spare, low, high):
    if low >= high:
        raise ValueError("low >= high")
    return low + up_to(state, high - 1 - low)


def choice(state, spare, a):
    if a.size == 0:
        raise ValueError("'a' cannot be empty unless no samples are taken")
    return a[up_to(state, a.size - 1)]


def shuffle(state, spare, x):
    for i in range(x.shape[0] - 1, 0, -1):
        j = up_to(state, i)
        if x.ndim == 1:
            x[i], x[j] = x[j], x[i]
        else:
            row = x[i].copy()
            x[i] = x[j]
            x[j] = row


def permutation(state, spare, x):
    order = np.arange(x)
    shuffle(state, spare, order)
    return order


def permutation_of(state, spare, x):
    made = x.copy()
    shuffle(state, spare, made)
    return made


# --- Python's ---


def random(state, spare):
    return fraction(state)


def between(state, spare, a, b):
    return a + (b - a) * fraction(state)


def integer(state, spare, a, b):
    if a >= b:
        raise ValueError("empty range for randrange()")
    return a + below(state, b - a)


def gauss(state, spare, mu=0.0, sigma=1.0):
    if int(state[625]) != 0:
        state[625] = 0
        return mu + spare[0] * sigma
    angle = fraction(state) * (2.0 * math.pi)
    radius = math.sqrt(-2.0 * math.log(1.0 - fraction(state)))
    spare[0] = math.sin(angle) * radius
    state[625] = 1
    return mu + math.cos(angle) * radius * sigma


def expovariate(state, spare, lambd=1.0):
    return -math.log(1.0 - fraction(state)) / lambd


def one_of(state, spare, seq):
    if seq.size == 0:
        raise IndexError("Cannot choose from an empty sequence")
    return seq[below(state, seq.size)]


def mixed(state, spare, x):
    for i in range(x.shape[0] - 1, 0, -1):
        j = below(state, i + 1)
        x[i], x[j] = x[j], x[i]
