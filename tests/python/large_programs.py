"""Random programs over arrays of some megabytes, of lengths that nothing divides.

What kernels do with much memory shows in no small program: they write past the caches, run band by
band, in pieces on all cores, and have short axes in registers.
"""

import random

import numpy
from support import assert_exact

import heddle

DTYPES = ["float32", "float64", "int32", "int64", "complex128", "uint8", "float16"]
LENGTHS = [59_319, 100_003, 262_147, 524_289, 777_777]
MOST = 8_000_000  # elements of all arrays of a program


def parts(rng, extent):
    """Slices that cover an axis, one after the other."""
    ends = sorted(rng.sample(range(extent + 1), min(rng.randrange(1, 7), extent + 1)))
    return [slice(a, b) for a, b in zip([0, *ends], [*ends, extent], strict=True)]


def some(rng, extent):
    """A slice of an axis that has elements, backwards now and then."""
    if rng.random() < 0.2:
        return slice(None, None, -1)
    first = rng.randrange(extent // 3 + 1)
    return slice(first, max(first + 1, extent - rng.randrange(extent // 3 + 1)), rng.choice([1, 2]))


def filled(np, x, rng):
    """Written part by part to zeros."""
    made, axis = np.zeros_like(x), rng.randrange(x.ndim)
    for part in parts(rng, x.shape[axis]):
        index = (*(slice(None),) * axis, part)
        made[index] = x[index] * 3 if rng.random() < 0.5 else x[index]
    return made + made if rng.random() < 0.6 else made


def rows(np, x, rng):
    chosen = [rng.randrange(len(x)) for _ in range(4)] if len(x) < 20 else [0]
    return x[chosen] if rng.random() < 0.5 else np.stack([x[i] * 2 for i in chosen])


def running(np, x, rng):
    """Rows or columns of a short axis, each from the one before it, in place."""
    if min(x.shape) > 20:
        return None
    part = x if x.shape[0] < 20 else x.T
    for i in range(len(part) - 1):
        part[i + 1] -= part[i]
    return None


def moved(np, x, rng):
    """A part of an array is written with its own elements."""
    index = tuple(some(rng, extent) for extent in x.shape)
    values = x[index]
    x[index] = values * 3 - 1 if rng.random() < 0.5 else values[::-1]


def masked(np, x, rng):
    made = x.copy()
    made[x.real > 2] = 0
    return made


def between(np, x, rng):
    made = np.empty((len(x), 2, *x.shape[1:]), x.dtype)
    made[:, 0], made[:, 1] = x, x[..., ::-1] + 1
    return (
        made.reshape(2 * len(x), -1) if rng.random() < 0.5 else made.swapaxes(0, 1).reshape(2, -1)
    )


STEPS = [
    filled,
    rows,
    running,
    moved,
    masked,
    between,
    lambda np, x, rng: x * 2 + x,
    lambda np, x, rng: x.T,
    lambda np, x, rng: np.concatenate([x[..., ::-1], x * 2], axis=rng.randrange(x.ndim)),
    lambda np, x, rng: np.roll(x, rng.randrange(1, 1000), axis=rng.randrange(x.ndim)),
    lambda np, x, rng: np.where(x.real > 0, x, x + 1),
    lambda np, x, rng: x - x[..., :1],
    lambda np, x, rng: np.pad(x.reshape(-1)[1:] - x.reshape(-1)[:-1], (3, 5)),
    lambda np, x, rng: x.reshape(-1)[:: rng.choice([1, 2, 3])] * 1,
]


def run(np, seed):
    """The arrays that a program leaves. With the same seed it is the same for both libraries."""
    rng = random.Random(seed)
    values = numpy.random.default_rng(seed)
    dtype = rng.choice(DTYPES)
    long, short = rng.choice(LENGTHS), rng.choice([1, 2, 3, 4, 5, 8, 9])
    arrays = [
        np.array(values.integers(-7, 8, shape).astype(dtype))
        for shape in [(short, long), (long, short), (long,)]
    ]
    for _ in range(rng.randrange(3, 12)):
        x = rng.choice(arrays)
        made = rng.choice(STEPS)(np, x, rng)
        if made is not None:
            arrays.append(made)
        while sum(each.size for each in arrays) > MOST and len(arrays) > 1:
            arrays.pop(max(range(len(arrays)), key=lambda i: arrays[i].size))
        looks, looked_at = rng.random() < 0.1, rng.choice(arrays)
        if looks and np is heddle:
            heddle.eval(looked_at)
    return arrays


def check(seed):
    with numpy.errstate(all="ignore"):
        expected = run(numpy, seed)
        found = run(heddle, seed)
        for ours, theirs in zip(found, expected, strict=True):
            assert_exact(ours, theirs)
