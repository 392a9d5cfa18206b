"""What `heddle.explain` says of whole programs, word for word, and that it is what happens."""

import json
import os
import re
import subprocess
import sys

import numpy
import pytest
from support import waiting

import heddle

pytestmark = [
    pytest.mark.unrecorded("is about which kernels there are"),
    pytest.mark.host_memory,  # what is stored and what is computed again depends on the device
]


@pytest.fixture(autouse=True)
def nothing_at_once():
    """Few elements are enough to say what waits, and how it is planned."""
    with waiting():
        yield


def arrays():
    """Two of 1000 elements and a matrix, in memory that nobody else holds."""
    a, b = numpy.linspace(1, 2, 1000), numpy.linspace(3, 4, 1000)
    return [heddle.asarray(x) for x in (a, b, numpy.linspace(0, 1, 2000).reshape(40, 50))]


def shared_terms(a, b, m):
    t = a * 2 + b
    return t * heddle.sin(t) + heddle.sqrt(t)


def zeros_and_slices(a, b, m):
    z = heddle.zeros(1000)
    z[1:-1] = a[2:] - a[:-2]
    z[:1] = a[1:2] - a[:1]
    z[-1:] = a[-1:] - a[-2:-1]
    return z * 0.5


def sum_of_rolls(a, b, m):
    return heddle.roll(a, 1) + heddle.roll(a, -1) - 2 * a


def stencil_in_place(a, b, m):
    m[1:-1, 1:-1] += 0.25 * (m[2:, 1:-1] + m[:-2, 1:-1] - 2 * m[1:-1, 1:-1])
    return m


def in_place(a, b, m):
    m[1:-1] += 1
    return m


def mean_and_variance(a, b, m):
    return m.mean(axis=1), m.var(axis=1)


def product_between(a, b, m):
    return heddle.exp(m - 1) @ (m.T * 2) + 1


def long_formula(a, b, m):
    x = a
    for _ in range(60):
        x = heddle.sin(x) * b + a
    return x


def stored(a, b, m):
    g = heddle.exp(-a)
    return g[2:] * g[:-2] + g[1:-1]


def computed_again(a, b, m):
    f = m * m + 1
    return f[1:-1, 1:-1] + f[:-2, 1:-1] + f[2:, 1:-1]


def forty_slices(a, b, m):
    for i in range(40):
        a[i * 10 : i * 10 + 10 + i % 2] = b[i * 7 : i * 7 + 10 + i % 2] * i
    return a


def carried(a, b, m):
    parts = heddle.zeros((*m.shape, 2))
    for k in range(2):
        parts[1:-1, :, k] = m[1:-1] * (k + 1)
    total = heddle.zeros_like(m)
    total[1:-1] = parts[1:-1, :, 0]
    total[1:-1] += parts[1:-1, :, 1]
    return total[1:-1] + total[:-2]


def by_a_mask(a, b, m):
    u = a.cumsum()
    u[u > 1.5] = 0
    return u


def a_formula_by_a_mask(a, b, m):
    u = a * 1
    u[u > 1.5] = 0
    return u


def at_indices(a, b, m):
    i = heddle.asarray(numpy.arange(0, 1000, 3))
    return (a * 2 + 1)[i]


def rows_that_flow_back(a, b, m):
    e = heddle.exp(m - m.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def unrelated(a, b, m):
    return a * 2, m + 1, b.sum()


def made(program):
    heddle.eval(*(given := arrays()))
    result = program(*given)
    return result if isinstance(result, tuple) else (result,)


PROGRAMS = {
    f.__name__: f
    for f in list(globals().values())
    if getattr(f, "__code__", None) and f.__code__.co_varnames[:3] == ("a", "b", "m")
}

TEXTS = {
    "shared_terms": """
1 kernel for 6 operations

kernel 1: domain (1000,), 10 instructions
  computes: multiply x2, add x2, sin, sqrt
  reads 16,000 bytes, writes 8,000: float64(1000,)

in all: reads 16,000 bytes, writes 8,000; at least 16,000 and 8,000 (inputs and results once)
""",
    "zeros_and_slices": """
1 kernel for 8 operations

kernel 1: domain (1000,), 24 instructions
  computes: subtract x3, multiply
  chooses element by element: what 3 writes leave
  reads 8,000 bytes, writes 8,000: float64(1000,)

not needed: 1 operation
in all: reads 8,000 bytes, writes 8,000; at least 8,000 and 8,000 (inputs and results once)
""",
    "sum_of_rolls": """
1 kernel for 7 operations

kernel 1: domain (1000,), 21 instructions
  computes: add, multiply, subtract
  chooses element by element: what 4 writes leave
  reads 8,000 bytes, writes 8,000: float64(1000,)

in all: reads 8,000 bytes, writes 8,000; at least 8,000 and 8,000 (inputs and results once)
""",
    "stencil_in_place": """
1 kernel for 6 operations

kernel 1: domain (38,48), 11 instructions
  computes: add x2, multiply x2, subtract, write
  reads 17,392 bytes, writes 16,000: float64(40,50)
  not in place, as elements are overwritten that are read elsewhere: 1,408 bytes are copies

in all: reads 17,392 bytes, writes 16,000; at least 15,984 and 14,592 (inputs and results once)
""",
    "in_place": """
1 kernel for 2 operations

kernel 1: domain (38,50), 4 instructions
  computes: add, write
  reads 15,200 bytes, writes 15,200: float64(40,50) in place

in all: reads 15,200 bytes, writes 15,200; at least 15,200 and 15,200 (inputs and results once)
""",
    "mean_and_variance": """
1 kernel for 8 operations

kernel 1: domain (40,50), reduction over axes (1,), 14 instructions
  computes: add.reduce x3, divide x3, subtract, multiply
  reads 16,000 bytes, writes 640: float64(40,) x2

in all: reads 16,000 bytes, writes 640; at least 16,000 and 640 (inputs and results once)
""",
    "product_between": """
2 kernels and 1 library call for 5 operations

kernel 1: domain (40,50), 8 instructions
  computes: subtract, exp, multiply
  reads 16,000 bytes, writes 32,000: float64(40,50) x2

library call 2: matmul
  reads 32,000 bytes, writes 12,800: float64(40,40)

kernel 3: domain (40,40), 4 instructions
  computes: add
  reads 12,800 bytes, writes 12,800: float64(40,40)
  apart from the library call before: a call of a library

in all: reads 60,800 bytes, writes 57,600; at least 16,000 and 12,800 (inputs and results once)
""",
    "long_formula": """
5 kernels for 180 operations

kernel 1: domain (1000,), 40 instructions
  computes: sin x13, multiply x12, add x12
  reads 16,000 bytes, writes 8,000: float64(1000,)

kernels 2 to 4, each: domain (1000,), 43 instructions
  computes: multiply x13, add x13, sin x13
  reads 24,000 bytes, writes 8,000: float64(1000,)
  apart from the kernel before: cut: work of 600 in all, 512 at most; 8,000 bytes cross the cut

kernel 5: domain (1000,), 30 instructions
  computes: multiply x9, add x9, sin x8
  reads 24,000 bytes, writes 8,000: float64(1000,)
  apart from the kernel before: cut: work of 600 in all, 512 at most; 8,000 bytes cross the cut

in all: reads 112,000 bytes, writes 40,000; at least 16,000 and 8,000 (inputs and results once)
""",
    "stored": """
2 kernels for 4 operations

kernel 1: domain (1000,), 4 instructions
  computes: negative, exp
  reads 8,000 bytes, writes 8,000: float64(1000,)

kernel 2: domain (998,), 6 instructions
  computes: multiply, add
  reads 8,000 bytes, writes 7,984: float64(998,)
  apart from the kernel before: read through a view at 3 places; computing again costs 42, memory 24

in all: reads 16,000 bytes, writes 15,984; at least 8,000 and 7,984 (inputs and results once)
""",
    "computed_again": """
1 kernel for 4 operations

kernel 1: domain (38,48), 13 instructions
  computes: multiply, add x3
  at 3 places: multiply, add
  reads 15,984 bytes, writes 14,592: float64(38,48)

in all: reads 15,984 bytes, writes 14,592; at least 15,984 and 14,592 (inputs and results once)
""",
    "forty_slices": """
40 kernels for 80 operations

kernel 1: domain (10,), 4 instructions
  computes: multiply, write
  reads 80 bytes, writes 80: float64(1000,) in place

steps 2 to 39: 19 times these 2

kernel 2: domain (11,), 4 instructions
  computes: multiply, write
  reads 88 bytes, writes 88: float64(1000,) in place
  apart from the kernel before: another iteration space

kernel 3: domain (10,), 4 instructions
  computes: multiply, write
  reads 80 bytes, writes 80: float64(1000,) in place
  apart from the kernel before: another iteration space

kernel 40: domain (11,), 4 instructions
  computes: multiply, write
  reads 88 bytes, writes 88: float64(1000,) in place
  apart from the kernel before: another iteration space

in all: reads 3,360 bytes, writes 3,360; at least 2,272 and 3,208 (inputs and results once)
""",
    "carried": """
1 kernel for 6 operations

kernel 1: domain (38,50), 17 instructions
  computes: multiply x2, cast, add x2
  at 2 places: multiply x2, add
  chooses element by element: what 1 write leaves
  reads 15,600 bytes, writes 15,200: float64(38,50)

never run: 3 writes, as what they wrote is read where it comes from
in all: reads 15,600 bytes, writes 15,200; at least 15,600 and 15,200 (inputs and results once)
""",
    "by_a_mask": """
2 kernels for 4 operations

kernel 1: domain (1000,), scan over axes (0,), 6 instructions
  computes: add.accumulate, greater, cast
  reads 8,000 bytes, writes 9,000: float64(1000,), bool(1000,)

kernel 2: domain (1000,), 3 instructions
  computes: write
  reads 1,000 bytes, writes 8,000: float64(1000,) in place
  apart from the kernel before: written into by a mask, indices, an accumulation or as another type

in all: reads 9,000 bytes, writes 17,000; at least 8,000 and 8,000 (inputs and results once)
""",
    "a_formula_by_a_mask": """
1 kernel for 4 operations

kernel 1: domain (1000,), 8 instructions
  computes: multiply, greater, cast, select
  reads 8,000 bytes, writes 8,000: float64(1000,)

in all: reads 8,000 bytes, writes 8,000; at least 8,000 and 8,000 (inputs and results once)
""",
    "at_indices": """
2 kernels for 4 operations

kernel 1: domain (1000,), 6 instructions
  computes: multiply, add
  reads 8,000 bytes, writes 8,000: float64(1000,)

kernel 2: domain (334,), 10 instructions
  computes: cast, gather
  reads 5,344 bytes, writes 2,672: float64(334,)
  apart from the kernel before: read at arbitrary places

in all: reads 13,344 bytes, writes 10,672; at least 10,672 and 2,672 (inputs and results once)
""",
    "rows_that_flow_back": """
1 kernel for 5 operations

kernel 1: domain (40,50), reduction over axes (1,), 10 instructions
  computes: maximum.reduce, subtract, exp, add.reduce, divide
  reads 32,000 bytes, writes 16,000: float64(40,50)

in all: reads 32,000 bytes, writes 16,000; at least 16,000 and 16,000 (inputs and results once)
""",
    "unrelated": """
3 kernels for 3 operations

kernel 1: domain (1000,), 4 instructions
  computes: multiply
  reads 8,000 bytes, writes 8,000: float64(1000,)

kernel 2: domain (40,50), 4 instructions
  computes: add
  reads 16,000 bytes, writes 16,000: float64(40,50)
  apart from the kernel before: another iteration space

kernel 3: domain (1000,), reduction over axes (0,), 3 instructions
  computes: add.reduce
  reads 8,000 bytes, writes 8: float64()
  apart from the kernel before: another iteration space

in all: reads 32,000 bytes, writes 24,008; at least 32,000 and 24,008 (inputs and results once)
""",
}


@pytest.mark.parametrize("name", TEXTS)
def test_text(name):
    results = made(PROGRAMS[name])
    assert heddle.explain(*results) == TEXTS[name].lstrip("\n")
    assert heddle.explain(*results) == TEXTS[name].lstrip("\n")  # looking changes nothing
    heddle.eval(*results)
    assert heddle.explain(*results) == "nothing is pending: the data is in memory\n"


def test_bytes_are_those_that_move():
    found = subprocess.run(
        [sys.executable, __file__],
        env={**os.environ, "HEDDLE_COUNT_BYTES": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    for name, (said, counted) in json.loads(found.stdout).items():
        assert said == counted, name


def test_readers_of_what_is_overwritten_run_too():
    """They are pending and were made before: the write waits for them, and is in place."""
    a = heddle.asarray(numpy.arange(1000.0)).eval()
    b = a * 2
    a[10:900] = 5
    text = heddle.explain(a)
    assert "multiply" in text and "float64(1000,) in place" in text
    a.eval()
    assert not b.pending


def test_what_somebody_holds_is_written():
    a = heddle.asarray(numpy.arange(1000.0)).eval()
    b = a * 2
    c = b[1:] + b[:-1]
    assert "2 kernels" in heddle.explain(c)
    assert "read through a view, as somebody holds it" in heddle.explain(c)
    del b
    assert "1 kernel " in heddle.explain(c)


def test_threads_have_graphs_of_their_own():
    import threading

    parts = []
    thread = threading.Thread(target=lambda: parts.append(heddle.arange(10.0) * 2))
    thread.start()
    thread.join()
    assert "nothing is pending" in heddle.explain(parts[0])


def count():
    """For each program the kernels and bytes that are said, and those that are counted."""
    found = {}
    for name, program in PROGRAMS.items():
        results = made(program)
        text = heddle.explain(*results)
        kernels = re.match(r"(\d+) kernel", text)
        read, written = re.search(r"in all: reads ([\d,]+) bytes, writes ([\d,]+);", text).groups()
        said = [int(x.replace(",", "")) for x in (kernels[1], read, written)]
        before = heddle.stats()
        heddle.eval(*results)
        after = heddle.stats()
        names = ("launched", "bytes_read", "bytes_written")
        found[name] = (said, [after[k] - before[k] for k in names])
    return found


if __name__ == "__main__":
    with waiting():
        print(json.dumps(count()))
