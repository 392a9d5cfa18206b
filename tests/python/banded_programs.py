"""Programs whose kernels run band by band, compared with NumPy. A script: HEDDLE_BAND_BYTES=1 makes
bands of single rows of whatever is handed from kernel to kernel, so that small arrays serve."""

import sys

import numpy
from support import random_values

import heddle


def weights(np, a):
    """Costs more than to store it, wherever it is read."""
    return np.sqrt(np.abs(np.exp(a) + np.sin(a) * np.cos(a))) / (1 + np.exp(-a))


def chain(np, a):
    for _ in range(4):
        w = weights(np, a)
        a = w[2:] - w[:-2] + w[1:-1]
    return a


def chain_of_matrices(np, m):
    for _ in range(3):
        w = weights(np, m)
        m = w[2:, 1:-1] + w[:-2, 1:-1] - w[1:-1, 2:] - w[1:-1, :-2]
    return m


def backwards(np, m):
    """Rows from the other end: none of them can wait."""
    w = weights(np, m)
    return weights(np, w[::-1] + m) + weights(np, w)[::-1]


def rolled(np, m):
    w = weights(np, m)
    return weights(np, np.roll(w, 1, 0) + np.roll(w, -1, 1)) - w


def rows(np, m):
    w = weights(np, m)
    w = w / np.sum(w, 1)[:, None]
    return np.argmax(w, 1), np.max(w, 1) - np.sum(weights(np, w)[:, 1:], 1)


def columns(np, m):
    """A reduction over the rows is for all of them."""
    w = weights(np, m)
    w = weights(np, w - np.sum(w, 0) / 100)
    return w[1:] + w[:-1]


def running(np, m):
    w = np.cumsum(weights(np, m), 1)
    return weights(np, w / 100)[:, ::2] + np.cumsum(weights(np, m), 0)[:, ::2]


def results_in_between(np, m):
    u, v = weights(np, m), weights(np, 1 - m)
    east = np.zeros_like(m)
    east[:, :-1] = np.where(u[:, :-1] > v[:, 1:], u[:, 1:], v[:, :-1])
    north = np.zeros_like(m)
    north[:-1] = np.where(u[1:] > v[:-1], u[:-1], v[1:])
    change = np.zeros_like(m)
    change[1:, 1:] = east[1:, 1:] - east[1:, :-1] + north[1:, 1:] - north[:-1, 1:]
    change[0, :] = -north[0, :]
    change[:, 0] = -east[:, 0]
    return u, v, m + change


def first_and_last_rows(np, m):
    w = weights(np, m)
    z = np.zeros_like(m)
    z[1:-1] = weights(np, w)[2:] - weights(np, w)[:-2]
    z[0] = w[1] - w[0]
    z[-1] = w[-1] - w[-2]
    return weights(np, z), z


def levels(np, c):
    """Level by level down, then up."""
    below, middle = weights(np, c), 3 + weights(np, 1 - c)
    right = weights(np, c * c) + c
    count = c.shape[2]
    for k in range(1, count):
        factor = below[:, :, k] / middle[:, :, k - 1]
        middle[:, :, k] -= factor * below[:, :, k - 1]
        right[:, :, k] -= factor * right[:, :, k - 1]
    z = np.zeros_like(c)
    z[:, :, -1] = right[:, :, -1] / middle[:, :, -1]
    for k in range(count - 2, -1, -1):
        z[:, :, k] = (right[:, :, k] - below[:, :, k] * z[:, :, k + 1]) / middle[:, :, k]
    return z, middle


def written_after_it_was_read(np, m):
    """What one step reads of an array is overwritten by a later one, elsewhere."""
    w = weights(np, m)
    z = np.zeros_like(m)
    z[1:] = w[:-1]
    y = weights(np, z[2:] + z[:-2])
    z[:-1] += weights(np, w[1:])
    z[2:, 1:] = z[2:, 1:] * 2 - y[:, 1:]
    return weights(np, z), y


def written_upon_results(np, m):
    z = np.zeros_like(m)
    w = weights(np, m)
    z[1:-1, 1:-1] = weights(np, w[2:, 1:-1] - w[:-2, 1:-1])
    z[2:-2] += w[2:-2]
    return z, weights(np, z[1:] - z[:-1])


def in_place(np, m):
    x = m + 0
    w = weights(np, x)
    x[1:-1] += w[2:] - w[:-2]
    x[2:-2] -= weights(np, x)[3:-1]
    return x, w


def small_beside_large(np, m):
    row = np.sqrt(np.arange(m.shape[1]) + 1.0)
    w = weights(np, m)
    return weights(np, w[1:] * row - w[:-1]) + (np.arange(4.0) ** 2)[:, None].sum()


def random_in_between(np, m):
    """Rows that end where blocks of random words do, and rows that do not."""
    if np is numpy:
        return m[1:], m[1:, :64]  # what is added below is zero
    made = []
    for x in (m, m[:, :64]):
        noise = heddle.random.default_rng(3).random(x.shape).eval()
        w = weights(np, x + noise)
        v = weights(np, x + heddle.random.default_rng(3).random(x.shape))
        difference = w[1:] * weights(np, w)[:-1] - v[1:] * weights(np, v)[:-1]
        made.append(x[1:] + difference)
    return tuple(made)


def looked_up(np, m):
    w = weights(np, m)
    table = weights(np, np.arange(16.0))
    places = np.floor(np.clip(w, 0, 3) * 5).astype("i8")
    return table[places][1:] + weights(np, w[:-1])


PROGRAMS = [
    f
    for f in list(globals().values())
    if getattr(f, "__module__", None) == __name__
    and f.__code__.co_varnames[:1] == ("np",)
    and f is not weights
]
SHAPES = {"a": (5000,), "m": (70, 91), "c": (16, 18, 12)}


def results_of(program, np, values):
    made = program(np, values)
    return made if isinstance(made, tuple) else (made,)


def main():
    heddle._core.exchange_at_once(0)  # few elements stand for many
    for program in PROGRAMS:
        shape = SHAPES[program.__code__.co_varnames[1]]
        values = random_values("f8", shape, 0, 0, 1)
        expected = results_of(program, numpy, values)
        ours = heddle.asarray(values).eval()
        calls = [program, heddle.jit(lambda x, program=program: program(heddle, x))]
        for number, call in enumerate(calls):
            for _ in range(4):
                made = results_of(
                    lambda np, x, c=call, n=number: c(x) if n else c(np, x), heddle, ours
                )
                heddle.eval(*made)
                for got, wanted in zip(made, expected, strict=True):
                    numpy.testing.assert_allclose(
                        got.get(), wanted, rtol=1e-10, atol=1e-10, err_msg=program.__name__
                    )
            numpy.testing.assert_array_equal(ours.get(), values)
        print(
            program.__name__, "band by band" in heddle.explain(*results_of(program, heddle, ours))
        )


if __name__ == "__main__":
    sys.exit(main())
