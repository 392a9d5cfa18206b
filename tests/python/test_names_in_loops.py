"""Names that loops assign to, parameters among them: what Python computes of the same source, by
compiled functions, functions of elements, and functions that kernels call."""

import inspect
import itertools

import numpy
import pytest

import heddle
from heddle import njit
from heddle.numba import cuda


def greatest_divisor(a, b):
    while b:
        a, b = b, a % b
    return a


def hailstones(n):
    turns = 0
    while n > 1 and turns < 200:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        turns += 1
    return turns


def range_that_is_assigned(a, b, c):
    total = 0
    for i in range(a, b, c):
        total += i
        a += 2
        b -= 1
        c += 1
    return total * 100 + a + b + c


def target_that_was_the_bound(n):
    total = 0
    for n in range(n):  # noqa: B020 (that is what it is about)
        total = total * 3 + n
    return total + n * 100


def numbered(a, b):
    total = 0
    for k, i in enumerate(range(a, b)):
        a += 5
        b -= 1
        total = total * 3 + k + i
    return total


def pairs(a, b):
    total = 0
    for i, j in zip(range(a, a + b), range(b, b + 9)):  # noqa: B905 (of different lengths)
        a += 1
        b += 2
        total = total * 2 + i * j
    return total


def inner_bound(a, b):
    total = 0
    for i in range(a):
        for a in range(i):
            total += a * b
        b += 1
    return total + a


def left_early(a, b):
    total = 0
    for i in range(a + b):
        if i > 3:
            break
        a -= 1
        total += a
    else:
        total += 100
    while a < b:
        a += 1
        if a % 3 == 0:
            continue
        total += a
    return total


def sequence(a, b):
    for _ in range(3):
        a, b = b, a + b
    return a * 1000 + b


def kept_before(a, b):
    both = (a, b)
    a += 5
    return both[0] * 10 + a + both[1]


def _changed(x, y):
    x += 1
    y *= 2
    return x * 10 + y


def arguments_of_another(a, b):
    return _changed(a, a) + _changed(b, a) * 100 + a


FUNCTIONS = [
    *(greatest_divisor, hailstones, range_that_is_assigned, target_that_was_the_bound),
    *(numbered, pairs, inner_bound, left_early, sequence, kept_before, arguments_of_another),
]
NUMBERS = [1, 2, 3, 5, 8]


@pytest.fixture(params=FUNCTIONS, ids=lambda f: f.__name__)
def case(request):
    """A function, many arguments of it, and what Python makes of them."""
    count = len(inspect.signature(request.param).parameters)
    rows = list(itertools.product(NUMBERS, repeat=count))
    return request.param, rows, [request.param(*row) for row in rows]


def test_compiled_functions(case):
    function, rows, expected = case
    compiled = njit(function)
    assert [compiled(*row) for row in rows] == expected


def test_functions_of_elements(case):
    function, rows, expected = case
    made = heddle.vectorize(function)
    columns = [heddle.asarray(column) for column in zip(*rows, strict=True)]
    assert made(*columns).tolist() == expected
    assert not made.why_not


def test_parameters_of_kernels():
    """Numbers that are given to a kernel are each thread's own."""

    @cuda.jit
    def kernel(first, last, out):
        i = cuda.grid(1)
        if i < out.size:
            total = i
            while first < last:
                first += 1
                total += first
            for last in range(last):  # noqa: B020
                total += last
            out[i] = total

    out = heddle.zeros(5, "i8")
    kernel[1, 8](1, 5, out)
    assert out.tolist() == [i + 14 + 10 for i in range(5)]


def test_types_of_parameters_that_become_others():
    @njit
    def root(x, guess):
        for _ in range(30):
            guess = 0.5 * (guess + x / guess)
        return guess

    assert root(2, 1) == root(2.0, 1.0) == root.py_func(2, 1)


def test_expressions_whose_functions_are_found_by_calls():
    """No expression of arrays; what cannot be compiled is called in Python."""

    def converted(x):
        single = numpy.dtype("f").type
        return single(x)

    result = heddle.vectorize(converted)(heddle.arange(3))
    assert result.dtype == "f4" and result.tolist() == [0, 1, 2]
