"""Lists and comprehensions in compiled functions."""

import numpy as np
import pytest
from njit_support import same

from heddle import njit, numba, prange
from heddle.simt import KernelError


def primes(n):
    found = []
    for i in range(2, n):
        for p in found:
            if i % p == 0:
                break
        else:
            found.append(i)
    return np.array(found)


def filled(grid):
    """A stack of pairs."""
    stack = [(0, 0)]
    count = 0
    while stack:
        i, j = stack.pop()
        if not (0 <= i < grid.shape[0] and 0 <= j < grid.shape[1]) or grid[i, j]:
            continue
        grid[i, j] = 7
        count += 1
        for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            stack.append((i + di, j + dj))
    return count


def breadth(n):
    """A queue that nothing is known of before it is used."""
    queue = []
    seen = np.zeros(n, np.int64)
    place = n // 2
    depth = 0
    while True:
        if len(queue) > 0:
            place, depth = queue.pop(0)
        if seen[place] == 0:
            seen[place] = depth + 1
            if 2 * place < n:
                queue.append((2 * place, depth + 1))
            if place > 0:
                queue.append((place - 1, depth + 1))
        if len(queue) == 0:
            break
    return seen


def changed(x):
    a = [3, 1, 2]
    a.append(7)
    a[0] = 10
    a[-1] += 5
    a.insert(1, 4)
    a.insert(-20, 8)
    b = a.copy()
    b.sort()
    c = a[1:4]
    c.reverse()
    d = a + [x]  # noqa: RUF005
    d += [2.5]
    d = [7] + [v * 2 for v in d if v > 1] + [1]
    d.extend(np.arange(3))
    e = [0] * 5
    e[2] = a.pop(1)
    a.remove(2)
    sums = sum(a), sum(d), max(a), min(c), len(d), sorted(a)[0], any(e), all(e), 4 in a, 99 in a
    return sums, a.index(1), e.count(0), np.array(a), np.array(b), np.array(c), np.array(d), b[2]


def comprehended(n, x):
    a = [i * i for i in range(n) if i % 2]
    pairs = [(i, j * 0.5) for i in range(3) for j in range(i)]
    i = 2.5
    table = np.array([[i * j for j in range(3)] for i in range(n)])
    total = sum(v * v for v in x) + sum([v for v in x if v > 1])
    most = max(abs(v) for v in x), min([v - i for v in x]), any(v > 1 for v in x)
    fine = all(x[k] <= x[k + 1] for k in range(len(x) - 1))
    return np.array(a), np.array(pairs), table, total, most, fine, np.array(list(range(n))), i


def replaced(n):
    """A name that is given new lists."""
    total = 0
    for i in range(n):
        row = []
        for j in range(i):
            row.append(j * i)
        last = row.copy()
        row = [1, 2]
        row.append(i)
        total += sum(row) + len(last) + (last[-1] if last else -5)
    return total


def pushed(items, value):
    items.append(value)
    return len(items)


def given(n):
    items = [1.5]
    for i in range(n):
        pushed(items, i * 0.5)
    return np.array(items), pushed(items, 3.0)


@pytest.mark.parametrize("decorate", [njit, numba.njit])
@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (primes, (60,)),
        (filled, ((np.random.default_rng(0).random((8, 9)) < 0.3).astype(np.int64),)),
        (breadth, (40,)),
        (changed, (1.25,)),
        (comprehended, (6, np.array([0.5, 2.0, -3.0, 1.0]))),
        (replaced, (6,)),
        (given, (20,)),
    ],
)
def test_lists(function, arguments, decorate):
    same(decorate(function), *arguments)


def test_mistakes():
    @njit
    def taken(i):
        items = [1, 2]
        items.append(3)
        return items[i]

    assert taken(-3) == 1
    for i in (3, -4):
        with pytest.raises(IndexError, match="list index out of range"):
            taken(i)

    @njit
    def emptied():
        items = [1]
        items.pop()
        return items.pop()

    with pytest.raises(IndexError, match="pop from empty list"):
        emptied()


def two_names(n):
    a = [n]
    b = a
    b.append(2)
    return len(a)


def on_all_cores(n):
    a = [0]
    for i in prange(n):
        a.append(i)
    return len(a)


def as_a_result(n):
    return [[i * 2 for i in range(n)] for _ in range(2)]


def two_kinds(n):
    a = [n]
    a.append((n, n))
    return len(a)


def while_it_grows(n):
    a = [n]
    for i in a:
        if i > 0:
            a.append(i - 1)
    return len(a)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (two_names, "one name"),
        (on_all_cores, "prange"),
        (as_a_result, "np.array"),
        (two_kinds, "one kind"),
        (while_it_grows, "changes it"),
    ],
)
def test_what_is_refused(function, said):
    with pytest.raises(KernelError, match=said):
        njit(function)(3)


def test_lists_of_tuples_are_sorted_and_searched():
    @njit
    def several(x):
        items = []
        for i in range(x.size):
            items.append((x[i], i))
        items.sort()
        there = (x[2], 2) in items
        place = items.index((x[0], 0))
        items.remove((x[1], 1))
        return items, there, place, items.count((x[3], 3))

    x = np.random.default_rng(3).integers(0, 9, 30)
    assert several(x) == several.py_func(x)


def test_lists_are_compared_and_repeated():
    @njit
    def compared(n):
        a = [i for i in range(n)]  # noqa: C416
        b = [i for i in range(3)]  # noqa: C416
        c = 2 * a
        return a == b, a != b, a == [0, 1, 2], c, len(b * n)

    for n in (2, 3):
        assert compared(n) == compared.py_func(n)


def test_lambdas_and_functions_that_name_themselves():
    assert njit(lambda x, y: x * y + 1)(3, 4) == 13

    @numba.njit("int64(int64)")
    def fibonacci(n):
        return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

    assert fibonacci(15) == 610


def test_arrays_of_lists_and_arrays():
    @njit
    def f(n):
        a, b, c = [], [], []
        for i in range(n):
            a.append(i)
            b.append(i * 2)
            c.append(i + 0.5)
        x = np.arange(3.0)
        cube = np.array([[[1, 2], [3, 4]], [[5, 6], [7, 8]]])
        rows = np.array([x, x * 2, x + 1])
        return np.array([a, b]), np.array([a, c]), cube, rows, np.array([a, b], dtype=np.float32)

    for made, wanted in zip(f(3), f.py_func(3), strict=True):
        assert made.dtype == wanted.dtype and np.array_equal(made, wanted)


def test_items_of_expressions_and_of_tuples_of_tuples():
    @njit
    def f(x, n):
        table = ((1, 2.5), (3, 4.5), (5, 6.5))
        made = 0.0
        for i in range(n):
            first, second = table[i]
            made += table[i][1] * table[-1 - i][0] + first - second
        return made, np.where(x > 1, x, -x)[1:], (x + 1)[0], (x * 2)[x > 0]

    x = np.arange(3.0)
    for made, wanted in zip(f(x, 3), f.py_func(x, 3), strict=True):
        assert np.array_equal(made, wanted)
    with pytest.raises(IndexError):
        f(x, 4)
