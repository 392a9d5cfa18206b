"""What compiled functions give: objects of the classes that Python's own calls give."""

import enum
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest
from support import assert_same

import heddle as hd
from heddle import numba, simt
from heddle.simt import KernelError

Point = namedtuple("Point", "x y")
both = pytest.mark.parametrize("njit", [hd.njit, numba.njit])


class Color(enum.Enum):
    RED = 1
    GREEN = 2


class Fruit(enum.Enum):
    APPLE = 1


class Size(enum.IntEnum):
    SMALL = 1
    LARGE = 5


@dataclass
class Body:
    mass: float
    place: tuple


def same(function, *args):
    wanted = function.py_func(*args)
    given = function(*args)
    assert type(given) is type(wanted)
    assert given == wanted


@both
def test_lists(njit):
    @njit
    def written(a, b):
        return [a, b, a], [[a, b], [b, a]]

    @njit
    def grown(n):
        made = []
        for i in range(n):
            made.append(i * 0.5)
        return made

    @njit
    def pairs(n):
        return [(i, i * 0.5) for i in range(n)], n

    @njit
    def ordered(x):
        return sorted(x)

    @njit
    def rows(n):
        points = [Point(i, i * 2) for i in range(n)]
        return [[i, i + 1] for i in range(n)], points, points[1].y

    same(rows, 3)
    same(written, 1, 2)
    same(grown, 4)
    same(grown, 0)
    same(pairs, 3)
    same(ordered, np.array([3, 1, 2]))


@both
def test_returns_are_all_lists_or_none(njit):
    @njit
    def mixed(a):
        if a > 0:
            return [a, a]
        return (a, a)

    with pytest.raises(KernelError, match="one kind"):
        mixed(1)


@both
def test_named_tuples_and_objects(njit):
    @njit
    def made(a, b):
        if a > 0:
            return Point(a, b)
        return Point(b, a)

    @njit
    def given(p):
        return p, Point(p.y, p.x)

    same(made, 1, 2)
    same(made, -1, 2)
    same(given, Point(1, 2.5))

    @njit
    def moved(body):
        return body

    same(moved, Body(2.0, (1, 2)))


def test_classes_with_the_same_fields():
    Other = namedtuple("Other", "x y")

    @hd.njit
    def given(p):
        return p

    assert type(given(Point(1, 2))) is Point
    assert type(given(Other(1, 2))) is Other


@both
def test_members_of_enumerations(njit):
    @njit
    def chosen(a, b, first):
        return a if first else b

    @njit
    def compared(a, b):
        return a == b, a != b

    @njit
    def is_red(a):
        return a is Color.RED

    same(chosen, Color.RED, Color.GREEN, True)
    same(chosen, Size.SMALL, Size.LARGE, False)
    for pair in [(Color.RED, Color.RED), (Color.RED, Color.GREEN), (Color.RED, Fruit.APPLE)]:
        same(compared, *pair)
    for pair in [(Color.RED, 1), (Size.SMALL, 1), (Size.LARGE, Size.LARGE)]:
        same(compared, *pair)
    same(is_red, Color.RED)
    same(is_red, Color.GREEN)

    @njit
    def larger(size):
        size = size + 1
        return size

    same(larger, Size.LARGE)


def test_members_as_arguments_of_kernels():
    @simt.kernel
    def fill(out, color):
        i = simt.grid(1)
        if i < out.size:
            out[i] = 1 if color is Color.GREEN else 2

    out = hd.zeros(4)
    fill[1, 4](out, Color.GREEN)
    assert out.tolist() == [1, 1, 1, 1]
    fill[1, 4](out, Color.RED)
    assert out.tolist() == [2, 2, 2, 2]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@both
def test_whole_arrays_divided_by_zero_raise_nothing(njit):
    @njit
    def quotients(a, b):
        return a / b

    @njit
    def whole(a, b):
        return a // b, a % b

    a, b = np.array([1.0, 0.0, -2.0]), np.array([0.0, 0.0, 4.0])
    np.testing.assert_array_equal(quotients(a, b), a / b)
    np.testing.assert_array_equal(quotients(a, 0.0), a / 0.0)
    i, j = np.array([5, -7, 3]), np.array([0, 2, -2])
    for ours, numpys in zip(whole(i, j), (i // j, i % j), strict=True):
        np.testing.assert_array_equal(ours, numpys)

    @njit
    def mean(a):
        return np.nanmean(a)

    assert np.isnan(mean(np.zeros(0)))


def test_numbas_complex_numbers_divided_by_zero():
    @numba.njit
    def quotient(a, b):
        return a / b

    with pytest.raises(ZeroDivisionError):
        quotient(1j, 0j)


@both
def test_arrays_with_gaps_of_another_shape_are_copies(njit):
    @njit
    def row(a):
        b = a.ravel()
        b[0] = 100
        return b

    @njit
    def shaped(a):
        b = a.reshape(6, 1)
        b[0, 0] = 100
        return b

    for function in (row, shaped):
        for make in (lambda a: a, lambda a: a.T, lambda a: a[::-1], lambda a: a[:, ::-1]):
            mine, numpys = np.arange(6).reshape(2, 3), np.arange(6).reshape(2, 3)
            np.testing.assert_array_equal(function(make(mine)), function.py_func(make(numpys)))
            np.testing.assert_array_equal(mine, numpys)


@both
def test_chains_of_comparisons_look_no_further_than_they_must(njit):
    @njit
    def within(n, y):
        return 0 <= n < len(y) == y[n]

    @njit
    def ascending(n, y):
        return y[n] < y[n + 1] < y[n + 2] <= 3

    y = np.array([1, 3, 3])
    for n in (-1, 1, 2, 3, 7):
        assert within(n, y) == within.py_func(n, y)
    assert ascending(0, np.array([1, 2, 3]))
    assert not ascending(0, np.array([2, 1]))  # the third is not there


@both
def test_whether_two_arrays_are_one_is_refused(njit):
    @njit
    def one(a, b):
        return a is b

    with pytest.raises(KernelError, match="two arrays are one"):
        one(np.ones(3), np.ones(3))

    @njit
    def absent(a):
        return a is None, a is not None

    assert absent(np.ones(3)) == (False, True)


def test_the_border_of_stencils_into_given_arrays():
    def below(a):
        return a[0, 0] - a[1, 0]

    a = np.arange(12).reshape(3, 4)
    for options, border in (({"cval": 7}, 7), ({}, 1)):
        function = numba.stencil(**options)(below)

        @numba.njit
        def inside(a):
            out = np.ones_like(a)
            function(a, out=out)  # noqa: B023 - it is called in its turn
            return out

        out = np.ones_like(a)
        function(a, out=out)
        wanted = np.full_like(a, -4)
        wanted[-1] = border
        np.testing.assert_array_equal(out, wanted)
        assert_same(inside(a), wanted)
    assert_same(numba.stencil(below)(a)[-1], 0)


@both
def test_tuples_of_their_own_items(njit):
    @njit
    def turned(p, n):
        for _ in range(n):
            p = (p[1], p[0])
        return p

    @njit
    def nested(n):
        p = (1, (2, 3.0))
        q = ((1, 2), (3, 4))
        for _ in range(n):
            p = (p[1][0], (p[0] + 1, p[1][1] + p[0]))
            q = (q[1], q[0])
        return p, q

    @njit
    def named(p, n):
        for _ in range(n):
            p = Point(p.y, p.x + 1)
        return p if n > 2 else Point(0, 0)

    @njit
    def both_of(p, n):
        q = ((1, 2), (n, 4))
        for _ in range(n):
            p, q = (q[1][0], p[1] + 1), (q[1], p)
        return p, q

    same(both_of, (5, 6), 4)
    same(turned, (1, 2), 3)
    same(nested, 3)
    same(named, Point(1, 2), 5)
    same(named, Point(1, 2), 2)


@both
def test_parts_of_lists_and_tuples(njit):
    @njit
    def parts(n):
        a = [1.5, 2.5, 3.5]
        t = (1, 2, 3)
        return a[1:], a, t[:2], list(t), n

    same(parts, 1)
