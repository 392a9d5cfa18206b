"""Classes that are compiled (jitclass), typed lists and dictionaries, and Python's lists."""

import pickle

import numpy as np
import pytest

from heddle import njit as own_njit
from heddle import simt
from heddle.numba import float32, float64, int32, int64, njit, prange, types
from heddle.numba.experimental import jitclass
from heddle.numba.typed import Dict, List


@jitclass([("value", int32), ("array", float32[:]), ("total", float64)])
class Bag:
    """A bag of numbers."""

    factor = 3

    def __init__(self, value):
        self.value = value
        self.array = np.zeros(value, dtype=np.float32)
        self.total = 0.0

    @property
    def size(self):
        return self.array.size

    def increment(self, by):
        for i in range(self.size):
            self.array[i] += by
        self.total += by * self.factor
        return self.array

    def grow(self):
        more = np.zeros(self.array.size * 2, np.float32)
        more[: self.array.size] = self.array
        self.array = more

    @staticmethod
    def added(x, y):
        return x + y

    def __getitem__(self, i):
        return self.array[i]

    def __setitem__(self, i, value):
        self.array[i] = value

    def __len__(self):
        return self.array.size


@jitclass([("x", float64), ("y", float64)])
class Point:
    calls: int

    def __init__(self, x=0.0, y=0.0):
        self.x, self.y = x, y
        self.calls = 0

    def dot(self, other):
        return self.x * other.x + self.y * other.y

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y

    def factorial(self, n):
        self.calls += 1
        return 1 if n <= 1 else n * self.factorial(n - 1)

    def turned(self, both):
        if both:
            return Point(-self.x, -self.y)
        return Point(-self.x, self.y)


def test_methods_attributes_and_properties():
    bag = Bag(4)
    assert bag.increment(3).tolist() == [3, 3, 3, 3] and bag.total == 9.0
    assert bag.size == len(bag) == 4 and bag.value == 4 and isinstance(bag.value, int)
    assert bag.added(1, 2) == Bag.added(1, 2) == 3 and Bag.factor == 3
    bag[1] = 8
    assert bag[1] == 8.0 and bag.array.dtype == np.float32
    assert Bag.__doc__ == "A bag of numbers." and isinstance(bag, Bag)


def test_an_object_has_another_array_after_a_method_gave_it_one():
    bag = Bag(2)
    bag.increment(1)
    before = bag.array
    bag.grow()
    assert bag.array.tolist() == [1, 1, 0, 0] and before.tolist() == [1, 1]
    bag.array = np.ones(3, np.float32)
    assert len(bag) == 3 and bag.increment(1).tolist() == [2, 2, 2]


@njit
def used(bag, n):
    for _ in range(n):
        bag.value += 1
        bag.array[0] += 1
        bag[2] += 2
    bag.array = bag.array[::2].copy()
    made = Bag(bag.value)
    made.increment(2.5)
    return made, bag.total + len(bag), bag


def test_functions_take_change_make_and_return_objects():
    bag = Bag(4)
    made, total, same = used(bag, 5)
    assert bag.value == 9 and bag.array.tolist() == [5, 10] and total == 2.0
    assert isinstance(made, Bag) and made.array.tolist() == [2.5] * 9 and made.total == 7.5
    assert same.array is bag.array
    same.value = 1
    assert bag.value == 1


@njit
def walked(n):
    at = Point(0.0, 0.0)
    for i in range(n):
        step = Point(i * 1.0, 1.0)
        at.x += step.x
        at.y += step.turned(i % 2 == 0).y
    return at + step


@njit
def swapped(n):
    p, q = Point(1.0, 2.0), Point(3.0, 4.0)
    for _ in range(n):
        p, q = q, p
        p.x += 10
    p = p + q
    return p.x, p.y, q.x


@njit
def chosen(which):
    if which > 1:
        p = Point(5.0, 6.0)
        p.x += 1
    else:
        p = Point(1.0, 2.0) if which else Point(3.0, 4.0)
    return p.x


@njit(parallel=True)
def products(p, out):
    for i in prange(out.size):
        out[i] = Point(i * 1.0, p.x).dot(p)


def test_names_loops_operators_and_recursion():
    end = walked(10)
    assert (end.x, end.y) == (54.0, 1.0)
    assert swapped(3) == (34.0, 6.0, 11.0) and swapped(0) == (4.0, 6.0, 3.0)
    assert [chosen(n) for n in range(3)] == [3.0, 1.0, 6.0]
    a = Point(3.0, y=4.0)
    assert a == Point(3, 4) and a != Point(4, 3) and (a + a).x == 6.0
    assert a.factorial(5) == 120 and a.calls == 5
    out = np.zeros(1000)
    products(a, out)
    np.testing.assert_array_equal(out, 3.0 * np.arange(1000) + 12.0)


@jitclass([("data", float64[:, :])])
class Grid:
    def __init__(self, n):
        self.data = np.ones((n, n))

    def change(self):
        self.data *= 2
        self.data[0, :] = 0
        self.data = self.data.T


@njit
def largest(n):
    best = Grid(2)
    for i in range(n):
        made = Grid(i + 2)
        made.data[0, 0] = i
        if made.data.sum() > best.data.sum():
            best = made
    return best


def test_arrays_of_any_strides_and_objects_one_after_the_other():
    grid = Grid(3)
    grid.change()
    np.testing.assert_array_equal(grid.data, [[0, 2, 2]] * 3)
    grid.change()
    np.testing.assert_array_equal(grid.data, [[0, 0, 0], [0, 4, 4], [0, 4, 4]])
    assert largest(4).data[0].tolist() == [3, 1, 1, 1, 1]


def test_mistakes_of_classes_are_told():
    bag = Bag(2)
    with pytest.raises(TypeError, match="float32"):
        bag.array = np.ones(3)
    with pytest.raises(AttributeError, match="no attribute 'other'"):
        bag.other = 1
    with pytest.raises(TypeError, match="value"):
        Bag()
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(bag)
    with pytest.raises(TypeError, match="numbers and arrays"):
        jitclass([("name", str)])(type("Named", (), {}))
    with pytest.raises(NameError, match="shadowing: x"):
        jitclass([("x", int64)])(type("Shadow", (), {"x": 1}))

    @njit
    def renamed(n):
        grid = Grid(2)
        grid = Grid(n)
        grid.data = np.ones((2, 2))

    with pytest.raises(TypeError, match="one object after the other"):
        renamed(3)

    @njit
    def wrong(bag):
        bag.array = np.ones(3)

    with pytest.raises(TypeError, match=r"float32\[:\].*float64"):
        wrong(bag)


# --- lists ---


@njit
def changed(items):
    items.append(5)
    items[0] = 7
    return sum(items)


def test_lists_that_are_arguments_are_changed():
    plain, typed = [1, 2, 3], List([1, 2, 3])
    assert changed(plain) == changed(typed) == 17
    assert plain == [7, 2, 3, 5] and list(typed) == [7, 2, 3, 5]
    assert changed([1.5]) == 12.0
    for _ in range(100):
        changed(typed)
    assert len(typed) == 104 and typed[-1] == 5


@njit
def total(pairs):
    made = 0.0
    for a, b in pairs:
        made += a * b
    return made


@njit
def with_one_more(pairs):
    pairs.append((3, 0.5))
    return pairs


def test_lists_of_tuples_and_lists_that_are_returned():
    pairs = List([(1, 2.0), (2, 3.0)])
    assert total(pairs) == total([(1, 2.0), (2, 3.0)]) == 8.0
    assert with_one_more(pairs) is pairs and pairs[2] == (3, 0.5)
    plain = [(1, 2.0)]
    assert with_one_more(plain) is plain and len(plain) == 2


@njit
def squares(n):
    made = List.empty_list(types.int32)
    for i in range(n):
        made.append(i * i)
    made.pop(0)
    return made


@njit
def untyped(n):
    made = List()
    for i in range(n):
        made.append((i, i * 0.5))
    return made


def test_functions_make_typed_lists():
    made = squares(5)
    assert isinstance(made, List) and repr(made) == "ListType[int32]([1, 4, 9, 16])"
    assert list(untyped(3)) == [(0, 0.0), (1, 0.5), (2, 1.0)]


def test_typed_lists_are_sequences():
    items = List.empty_list(float64, 4)
    items.extend([1, 2.5, -1])
    items.insert(1, 9)
    assert list(items) == [1.0, 9.0, 2.5, -1.0] and items.index(2.5) == 2 and 9 in items
    assert items.pop() == -1.0 and items.count(9) == 1 and items[::-1] == [2.5, 9.0, 1.0]
    del items[0]
    items.sort()
    items[0:1] = [1, 1]
    assert list(items) == [1.0, 1.0, 9.0] and items.copy() == items
    items.remove(9)
    items.reverse()
    assert pickle.loads(pickle.dumps(items)) == items and items != [1.0]
    items.clear()
    assert not items and list(List()) == []
    with pytest.raises(IndexError):
        items[0]
    with pytest.raises(TypeError, match="no element of a list of int64"):
        List([1]).append(2.5)
    with pytest.raises(TypeError, match="numbers"):
        List(["a"])


@njit
def appended(items, value):
    items.append(value)


def test_mistakes_of_lists_are_told():
    for items, said in (
        ([], "has no type"),
        (List(), "empty_list"),
        ([[1], [2]], "a list of lists"),
        ([1, 2.5], "of one type"),
        ([np.ones(2)], "numbers, and tuples"),
    ):
        with pytest.raises(TypeError, match=said):
            appended(items, 1)
    with pytest.raises(TypeError, match="a list of int64 takes no float64"):
        appended([1], 2.5)

    @njit
    def another(items):
        items = [1, 2]
        items.append(3)

    with pytest.raises(TypeError, match="use another name"):
        another([1])


def test_numbers_of_lists_promote_as_numpys_in_our_own():
    @own_njit
    def scaled(items, x):
        return items[0] * x

    assert scaled([2], np.float32(0.5)).dtype == np.float32
    assert scaled([True], 2) == 2


# --- dictionaries ---


@njit
def counted(items):
    found = {}
    for item in items:
        if item in found:
            found[item] += 1
        else:
            found[item] = 1
    return found


@own_njit
def by_pairs(n):
    found = {(0, 0): 0.5}
    for i in range(n):
        found[i % 7, i // 3] = i * 1.5
    total = 0.0
    for key, value in found.items():
        total += key[0] * value - key[1]
    return found, total, len(found)


def test_dictionaries_of_functions():
    x = np.random.default_rng(0).integers(0, 500, 5000)
    made, expected = counted(x), counted.py_func(x)
    assert isinstance(made, Dict) and list(made.items()) == list(expected.items())
    ours, expected = by_pairs(50), by_pairs.py_func(50)
    assert ours == expected and type(ours[0]) is dict and list(ours[0]) == list(expected[0])


@njit
def churned(d, n):
    for i in range(n):
        d[i] = i * 2
        if i % 3 == 0:
            del d[i]
        if i > 10:
            d.pop(i - 10, 0)
    return len(d), sum(list(d.values())), d.get(n - 1, -1), d.setdefault(7, 70), 7 in d


@njit
def copied(d):
    other = d.copy()
    other.clear()
    other[1] = 1
    more = {key: value * 2 for key, value in d.items() if value > 3}
    more.update(other)
    return d, more


def test_dictionaries_that_are_given_are_changed():
    typed, plain = Dict.empty(int64, int64), {}
    for n in (1000, 3, 40):
        assert churned(typed, n) == churned.py_func(plain, n)
        assert list(typed.items()) == list(plain.items())
        typed[5] = plain[5] = n
        del typed[7], plain[7]
    same, more = copied(typed)
    assert same is typed and dict(more) == copied.py_func(plain)[1]
    assert typed.copy() == plain and pickle.loads(pickle.dumps(typed)) == plain
    assert Dict({1: 2.5}) == {1: 2.5} and not Dict()


@njit
def of_floats(x):
    d = Dict.empty(float64, int32)
    for v in x:
        d[v] = d.get(v, 0) + 1
    return d


@njit
def failing(d, key):
    d[key] = 1
    for other in d:
        if other != key:
            return d[key + 1]
    return d[-1]


@njit
def growing(d):
    for key in d:
        d[key + 100] = 1


def test_keys_that_are_equal_and_keys_that_are_missing():
    x = np.array([0.5, -0.0, 0.0, 1e18, 0.5, np.inf, 1e-9])
    assert dict(of_floats(x)) == of_floats.py_func(x)
    d = Dict({1: 1})
    for _ in range(3):  # what a function that failed has put in is not half there
        with pytest.raises(KeyError):
            failing(d, 5)
        assert 1 in d and len(d) == len(list(d))
    d[5] = 2
    with pytest.raises(RuntimeError, match="changed size"):
        growing(d)
    assert d[1] == 1 and churned(d, 2)[0] + 1 == len(d) and d[7] == 70


def test_mistakes_of_dictionaries_are_told():
    for given, said in (({}, "not dict"), (Dict(), "Dict.empty")):
        with pytest.raises(TypeError, match=said):
            churned(given, 1)
    with pytest.raises(TypeError, match="does not fit"):
        Dict({1: 2})[1] = 2.5
    with pytest.raises(TypeError, match="numbers"):
        Dict()["a"] = 2

    @njit
    def maybe(d):
        return d.get(1)

    with pytest.raises(TypeError, match="second argument"):
        maybe(Dict({1: 2}))

    @njit
    def two(a, b):
        a[1] = 2
        b.append(1)
        return len(a)

    assert two(Dict({3: 4}), List([1])) == 2

    @njit
    def both(a, b):
        a[1] = 2
        return len(b)

    d = Dict({3: 4})
    with pytest.raises(ValueError, match="given twice"):
        both(d, d)


def test_kernels_have_none_of_these():
    @simt.kernel
    def length(a, out):
        out[0] = len(a)

    for given in (List([1]), Dict({1: 2}), Point()):
        with pytest.raises(TypeError, match="for compiled functions"):
            length[1, 1](given, np.zeros(1))

    @simt.kernel
    def making(out):
        items = List()
        out[0] = len(items)

    with pytest.raises(TypeError, match="kernels have arrays"):
        making[1, 1](np.zeros(1))


def test_empty_containers_take_their_arguments_by_name():
    @njit
    def made():
        items = List.empty_list(allocated=4, item_type=float64)
        items.append(1)
        known = Dict.empty(value_type=float64, key_type=int64)
        known[3] = 0.5
        return items, known

    items, known = made()
    assert list(items) == [1.0] and dict(known) == {3: 0.5}

    @njit
    def mistaken_list():
        return List.empty_list(float64, room=4)

    @njit
    def mistaken_dict():
        return Dict.empty(int64, keys=float64)

    for function, said in ((mistaken_list, "item_type, allocated"), (mistaken_dict, "key_type")):
        with pytest.raises(simt.KernelError, match=said):
            function()
