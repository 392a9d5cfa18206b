"""Functions, types, texts, ranges and slices as arguments of compiled functions."""

import functools
import heapq
import math
import numbers

import numpy as np
import pytest
from njit_support import same

import heddle
from heddle import njit
from heddle.numba import njit as numba_njit


@njit
def square(x):
    return x * x


def following(x):
    return x + 1


@njit
def applied(f, x):
    return f(x)


@njit
def mapped(f, x):
    out = np.empty_like(x)
    for i in range(x.size):
        out[i] = f(x[i])
    return out


def made(k):
    def shifted(x):
        return x + k

    return shifted


def test_functions_are_arguments():
    assert applied(square, 3.0) == 9.0
    assert applied(following, 3) == 4
    assert applied(lambda v: v * 10, 3) == 30
    assert applied(math.sin, 2.0) == math.sin(2.0)
    assert applied(np.sqrt, 4.0) == 2.0
    assert applied(heddle.sqrt, 9.0) == 3.0
    np.testing.assert_array_equal(mapped(square, np.arange(4.0)), np.arange(4.0) ** 2)


def test_types_are_arguments():
    @njit
    def filled(dtype, value):
        return np.full(3, value, dtype), dtype(value)

    for dtype in (np.float32, np.int8, np.dtype("uint16").type):
        got = filled(dtype, 2)
        assert got[0].dtype == dtype and got[0].tolist() == [2, 2, 2]


def test_closures_are_told_apart():
    got = [applied(made(k), 10) for k in (1, 2, 1, 3)]
    assert got == [11, 12, 11, 13]


def test_closures_made_anew_are_compiled_once():
    before = None
    for _ in range(5):
        applied(made(77), 1.5)
        count = len(applied.signatures)
        assert before in (None, count)
        before = count


def test_a_closure_that_changes():
    held = [1]
    step = 1

    def counted(x):
        return x + step

    assert applied(counted, 1) == 2
    step = 5
    assert applied(counted, 1) == 6
    assert held == [1]


def test_functions_in_tuples_and_by_default():
    @njit
    def both(functions, x):
        return functions[0](x) + functions[1](x)

    assert both((square, following), 3) == 13

    @njit
    def usual(x, f=square):
        return f(x)

    assert usual(4) == 16 and usual(4, following) == 5


def test_functions_for_kernels():
    from heddle import simt

    @simt.kernel
    def kernel(f, x, out):
        i = simt.grid(1)
        if i < out.size:
            out[i] = f(x[i])

    x, out = np.arange(5.0), np.zeros(5)
    kernel[1, 8](square, x, out)
    np.testing.assert_array_equal(out, x * x)
    kernel[1, 8](following, x, out)
    np.testing.assert_array_equal(out, x + 1)


def test_ranges_and_slices():
    @njit
    def walked(r):
        total = 0
        for i in r:
            total += i
        return total, len(r)

    for r in (range(5), range(2, 9, 3), range(9, 2, -2), range(0)):
        assert walked(r) == (sum(r), len(r))

    @njit
    def part(x, s):
        t = slice(1, None)
        return x[s].sum(), x[t][0]

    x = np.arange(10)
    assert part(x, slice(2, 5)) == (9, 1)
    assert part(x, slice(None, None, -1)) == (45, 1)

    @njit
    def within(n):
        return n in range(3, 10), n in range(10, 3, -2), n not in range(0, 100, 7)

    for n in (2, 3, 4, 10, 14):
        same(within, n)


@njit
def chosen(mode, x):
    if mode == "double":
        return 2.0 * x
    if mode in ("half", "middle"):
        return x / 2
    return -x


@njit
def counted_letters(text, letter):
    n = 0
    for one in text:
        if one == letter:
            n += 1
    return n


def test_texts_are_arguments():
    assert chosen("double", 3.0) == 6.0
    assert chosen("half", 3.0) == 1.5
    assert chosen("middle", 3.0) == 1.5
    assert chosen("other", 3.0) == -3.0
    assert counted_letters("mississippi", "s") == 4
    assert counted_letters("grün über", "ü") == 2
    assert counted_letters("", "s") == 0


TEXTS = ["", "a", "abc", "hello world", "  padded ", "ABC", "naïve", "😀 x", "12", "-7", "abcabc"]


@pytest.mark.parametrize("text", TEXTS)
def test_texts(text):
    @njit
    def several(s):
        t = s + "c"
        return len(s), t, s * 2, s[1:], s[::-1], t[0], t[-1], "bc" in s, s < "abc", s >= "b"

    @njit
    def asked(s):
        return (
            s.find("c"),
            s.find("", -4, -6),
            s.find("c", 1, -1),
            s.rfind("c"),
            s.count("b"),
            s.startswith("ab"),
            s.endswith("c"),
            s.strip(),
            s.lstrip(),
            s.rstrip(),
            s.replace("b", "xyz"),
            s.strip("ac"),
            s.zfill(5),
            s.rjust(6),
            s.ljust(6),
            s.isspace(),
        )

    @njit
    def codes(s):
        made = 0
        for one in s:
            made = made * 31 + ord(one)
        return made

    for function in (several, asked, codes):
        got, expected = function(text), function.py_func(text)
        assert got == expected if not isinstance(expected, int) else got == _wrapped(expected)
    if text.isascii():

        @njit
        def letters(s):
            return s.upper(), s.lower(), s.isdigit(), s.isalpha(), s.isalnum(), s.isupper()

        assert letters(text) == letters.py_func(text)


def _wrapped(value):
    return (value + 2**63) % 2**64 - 2**63


def test_texts_of_numbers():
    @njit
    def said(n):
        return str(n), f"n={n}, {n + 1}", "x" + str(n == 3)

    for n in (0, 3, -1, 10, -120, 2**63 - 1, -(2**63)):
        expected = str(n), f"n={n}, {_wrapped(n + 1)}", "x" + str(n == 3)
        assert said(n) == expected

    @njit
    def read(s):
        return int(s) + 1

    assert read(" -41 ") == -40
    with pytest.raises(ValueError, match="invalid literal"):
        read("x1")
    assert njit(_letter)(960) == "π"


def _letter(n):
    return chr(n)


def test_texts_that_become_others():
    @njit
    def joined(n):
        made = ""
        for i in range(n):
            made = made + chr(97 + i)
        kind = "long" if n > 3 else "short"
        return made, kind

    assert joined(3) == ("abc", "short")
    assert joined(5) == ("abcde", "long")


def test_mistakes_of_texts():
    @njit
    def letter(s, i):
        return s[i]

    with pytest.raises(IndexError, match="string index out of range"):
        letter("abc", 3)
    with pytest.raises(heddle.simt.KernelError, match="texts have no 'split'"):
        njit(_split)("a b")


def _split(s):
    return s.split()


def test_bytes():
    @njit
    def total(row):
        made = 0
        for one in row:
            made += one
        return made

    assert total(b"hello") == sum(b"hello")
    assert numba_njit(total.py_func)(bytearray(b"xyz")) == sum(b"xyz")
    assert total(memoryview(np.arange(4.0))) == 6


def test_asked_of_values():
    @numba_njit
    def asked(n, x):
        found = 0
        if hasattr(x, "shape"):
            found += 1
        if not hasattr(n, "shape"):
            found += 2
        return found + getattr(n, "real"), type(n)(2.7), getattr(n, "nothing", 5)  # noqa: B009

    assert asked(3, np.zeros(2)) == (6, 2, 5)


def test_tuples():
    @njit
    def compared(a, b):
        t, u = (1, a), (1, b)
        return t < u, t <= u, t > u, t >= u, (1, a) > (1,), t.index(a), (a, b, a).count(a)

    for a, b in ((1, 2), (2, 1), (3, 3)):
        same(compared, a, b)

    @njit
    def missing(a):
        return (1, 2).index(a)

    with pytest.raises(ValueError, match="not in tuple"):
        missing(3)


def test_heaps_and_functions_of_functions():
    @njit
    def sorted_by_heap(x):
        heap = [x[0]]
        for one in x[1:]:
            heapq.heappush(heap, one)
        out = np.empty_like(x)
        for i in range(x.size):
            out[i] = heapq.heappop(heap)
        return out

    x = np.random.default_rng(1).integers(0, 50, 40)
    np.testing.assert_array_equal(sorted_by_heap(x), np.sort(x))

    @njit
    def dijkstra(n):
        heap = [(0.5, 1)]
        for i in range(n):
            heapq.heappush(heap, ((i * 7) % 5 + 0.25, i))
        total = 0.0
        while len(heap) > 0:
            cost, node = heapq.heappop(heap)
            total = total * 0.5 + cost * node
        return total

    assert dijkstra(9) == dijkstra.py_func(9)

    @njit
    def folded(x):
        total = 0
        for one in map(square, x):
            total += one
        return functools.reduce(lambda a, b: a * 2 + b, x, 1), total

    assert folded(np.arange(4)) == (functools.reduce(lambda a, b: a * 2 + b, range(4), 1), 14)


@njit
def is_of_kinds(x):
    plain = (isinstance(x, bool), isinstance(x, int), isinstance(x, float), isinstance(x, complex))
    rows = (
        isinstance(x, str),
        isinstance(x, list),
        isinstance(x, set),
        isinstance(x, (range, slice)),
    )
    numpys = (isinstance(x, np.ndarray), isinstance(x, np.floating), isinstance(x, numbers.Real))
    return plain, rows, numpys, isinstance(x, (tuple, np.integer)), isinstance(x, object)


GIVEN = [True, 2.5, 3j, "abc", [1, 2], [(1, 2)], (1, 2), {1, 2}, range(3), slice(1, 2), None]
GIVEN += [np.ones(2), np.float32(1.5), np.int8(3), np.complex64(1j)]


@pytest.mark.parametrize("value", GIVEN, ids=repr)
def test_what_an_argument_is_of(value):
    if not isinstance(value, (bool, float, complex, np.generic)):
        assert is_of_kinds(value) == is_of_kinds.py_func(value)
    # Which of both libraries a number comes from is not known: it is one of either.
    made = is_of_kinds(value)
    assert made[0][2] == isinstance(value, (float, np.floating))
    assert made[0][1] == isinstance(value, (int, np.integer))


def test_what_is_made_inside_is_of():
    @njit
    def made():
        mapping, row, group, text = {1: 2.0}, [1, 2], {3}, "a" + "b"
        known = isinstance(mapping, dict), isinstance(row, list), isinstance(group, set)
        return known, isinstance(text, str), isinstance(np.ones(2) + 1, np.ndarray)

    assert made() == made.py_func()
