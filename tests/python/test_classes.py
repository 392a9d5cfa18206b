"""What counts as an array of Heddle's, and classes derived from ``ndarray``."""

import copy
import functools
import operator
import pickle
from typing import ClassVar

import numpy
import pytest

import heddle
from heddle import _core


def numpys(text=False):
    plain = numpy.arange(3.0)
    others = [
        numpy.array(["a", "b"]),
        numpy.array([1, None], object),
        numpy.array(["2020-01-01"], "M8[D]"),
        numpy.zeros(2, [("x", "f8")]),
        numpy.zeros(2, ">f4"),
        numpy.zeros(2, numpy.longdouble),
        plain.view(numpy.matrix),
        plain.view(numpy.recarray),
        numpy.ma.masked_equal(plain, 1),
    ]
    return others if text else [plain, plain.astype("f4"), numpy.arange(3), plain > 1]


def test_arrays_are_instances():
    x = heddle.arange(3.0)
    for one in (x, x[1:], x + 1, x.sum(), x.mean(keepdims=True)):
        assert isinstance(one, heddle.ndarray)
        assert isinstance(one, _core.own_array)
    for other in (1.0, [1.0], numpy.float64(1), None, "a"):
        assert not isinstance(other, heddle.ndarray)
    with pytest.raises(TypeError, match="own_array"):
        _core.own_array()


@pytest.mark.parametrize("x", numpys(text=True), ids=lambda x: f"{type(x).__name__}-{x.dtype}")
def test_what_functions_give_instead_of_arrays_of_ours_are_instances(x):
    assert isinstance(x, heddle.ndarray)
    assert not isinstance(x, _core.own_array)
    assert issubclass(type(x), heddle.ndarray) == (type(x) is not numpy.ndarray)


@pytest.mark.parametrize("x", numpys(), ids=lambda x: str(x.dtype))
def test_numbers_of_numpy_s_are_told_from_ours(x):
    assert not isinstance(x, heddle.ndarray)
    assert isinstance(heddle.array(x), heddle.ndarray)


def test_text_that_is_made_here_is_an_array():
    assert isinstance(heddle.array(["a", "b"]), heddle.ndarray)
    assert isinstance(heddle.array([1, None]), heddle.ndarray)


def test_functions_by_class():
    @functools.singledispatch
    def name(x):
        return "other"

    @name.register(heddle.ndarray)
    def _(x):
        return "array"

    assert name(heddle.ones(2)) == name(heddle.ones(2).sum()) == "array"
    assert name(numpy.ones(2)) == name(1) == "other"


def derived(np):
    """The class of NumPy's manual, with an attribute that results keep."""

    class InfoArray(np.ndarray):
        def __new__(cls, values, info=None):
            made = np.asarray(values).view(cls)
            made.info = info
            return made

        def __array_finalize__(self, given):
            if given is not None:
                self.info = getattr(given, "info", "none")

        def first(self):
            return self[0]

    return InfoArray


def summary(x):
    return type(x).__name__, getattr(x, "info", "no attribute"), numpy.asarray(x).tolist()


USES = {
    "made": lambda np, x: x,
    "view": lambda np, x: x[1:],
    "element": lambda np, x: (x[1], x.first()),
    "operator": lambda np, x: x + 1,
    "reflected": lambda np, x: 2 / (x + 1),
    "with an array": lambda np, x: x * np.arange(5.0),
    "beside an array": lambda np, x: np.arange(5.0) * x,
    "in place": lambda np, x: x.__iadd__(np.arange(5.0)),
    "compared": lambda np, x: x > 2,
    "ufunc": lambda np, x: (np.sqrt(x), np.add(x, 1, out=...)),
    "two operands": lambda np, x: np.maximum(np.full(5, 2.0), x),
    "method": lambda np, x: x.cumsum(),
    "function": lambda np, x: np.cumsum(x),
    "sum": lambda np, x: (np.sum(x), x.sum(), np.mean(x)),
    "shape": lambda np, x: x[:4].reshape(2, 2).T,
    "copies": lambda np, x: (x.copy(), copy.deepcopy(x)),
    "joined": lambda np, x: np.concatenate([x, x]),
    "stacked": lambda np, x: np.vstack([x, np.ones(5)]),
    "sorted": lambda np, x: np.sort(x),
    "plain": lambda np, x: np.asarray(x),
    "any": lambda np, x: np.asanyarray(x),
    "like": lambda np, x: np.zeros_like(x),
    "chosen": lambda np, x: np.where(x > 2, x, 0),
    "mask": lambda np, x: x[x > 2],
    "as type": lambda np, x: x.astype("f4"),
    "viewed": lambda np, x: x.view(np.ndarray),
    "unbound": lambda np, x: np.ndarray.__getitem__(x, slice(1, 3)),
    "sorted in place": lambda np, x: (x.sort(), x)[1],
}


@pytest.mark.host_memory
@pytest.mark.parametrize("use", USES, ids=str)
def test_derived_classes_follow_numpy_s_rules(use):
    found = []
    for np in (numpy, heddle):
        x = derived(np)(np.arange(5.0), info="metres")
        made = USES[use](np, x)
        found.append([summary(m) for m in (made if isinstance(made, tuple) else (made,))])
    assert found[1] == found[0]


@pytest.mark.host_memory
def test_derived_classes_are_classes_of_arrays():
    Info = derived(heddle)
    x = Info([1.0, 2.0], info="a")
    assert isinstance(x, heddle.ndarray) and issubclass(Info, heddle.ndarray)
    assert isinstance(x, Info) and not isinstance(heddle.ones(2), Info)

    class Further(Info):
        def __new__(cls, values):
            return super().__new__(cls, values, info="further")

    y = Further([1.0])
    assert isinstance(y, Info) and summary(y + 1) == ("Further", "further", [2.0])


class Point(heddle.ndarray):
    def __new__(cls, x=0.0, y=0.0):
        made = heddle.ndarray.__new__(cls, shape=(2,), dtype=float)
        made[:] = x, y
        return made

    @property
    def x(self):
        return self[0]

    @x.setter
    def x(self, value):
        heddle.ndarray.__setitem__(self, 0, value)


@pytest.mark.host_memory
def test_derived_classes_without_hooks():
    p = Point(1, 2)
    p.x = 5
    assert p.x == 5 and type(p + 1) is Point
    assert type(heddle.sqrt(p)) is Point
    assert float(heddle.linalg.norm(Point(3, 4))) == 5
    again = pickle.loads(pickle.dumps(p))
    assert type(again) is Point and again.tolist() == [5, 2]
    assert heddle.asarray(p).tolist() == [5, 2] and type(heddle.asarray(p)) is heddle.ndarray


@pytest.mark.host_memory
def test_ufuncs_of_derived_classes():
    class Logged(heddle.ndarray):
        calls: ClassVar = []

        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            self.calls.append((ufunc.__name__, method))
            plain = [numpy.asarray(x) for x in inputs]
            return getattr(ufunc, method)(*plain, **kwargs).view(type(self))

    x = heddle.ones(3).view(Logged)
    assert type(x + 1) is Logged and type(heddle.arange(3.0) + x) is Logged
    assert type(heddle.exp(x)) is Logged
    assert Logged.calls == [("add", "__call__"), ("add", "__call__"), ("exp", "__call__")]


@pytest.mark.host_memory
@pytest.mark.written_outside
def test_views_as_derived_classes_share_memory():
    x = heddle.zeros(3)
    x.view(derived(heddle))[1] = 7
    assert x.tolist() == [0, 7, 0]


def test_classes_of_arrays_of_ours():
    class Named(heddle.ndarray, own=True):
        name = "unnamed"

    x = Named((2, 3))
    x[...] = 2
    x.name = "two"
    assert isinstance(x, _core.own_array) and type(x) is Named and x.name == "two"
    assert float(heddle.sum(x)) == 12
    assert heddle.asarray(x) is x
    assert not isinstance(heddle.ones(2), Named) and not isinstance(numpy.array(["a"]), Named)
    y = heddle.ones(2)
    seen = y.view(Named)
    seen[0] = 3
    assert type(seen) is Named and y.tolist() == [3, 1]
    assert y.view("i8", Named).dtype == "i8"


# Where arrays of a derived class are but elements: what is made is of plain arrays, as in NumPy.
ELEMENTS = {
    "index": lambda np, v, f, g: v[f],
    "index and number": lambda np, v, f, g: v[f[0], 1],
    "mask": lambda np, v, f, g: v[:3][g > 1],
    "bounds": lambda np, v, f, g: v[f[0, 0] : f[0, 2]],
    "row written": lambda np, v, f, g: v.__setitem__(0, g),
    "rows written": lambda np, v, f, g: v.__setitem__(slice(0, 2), f),
    "written at indices": lambda np, v, f, g: v.__setitem__(f[0], 3),
    "added in place": lambda np, v, f, g: v.__iadd__(g),
    "np.add.at": lambda np, v, f, g: np.add.at(v, f[0], g),
    "np.add.reduceat": lambda np, v, f, g: np.add.reduceat(v[:, 0], f[0]),
    "np.copyto": lambda np, v, f, g: np.copyto(v[0], g),
    "take": lambda np, v, f, g: v.take(f[0], axis=0),
}


@pytest.mark.host_memory
@pytest.mark.written_outside
@pytest.mark.parametrize("use", ELEMENTS.values(), ids=ELEMENTS)
def test_derived_arrays_as_elements(use):
    made = []
    for np in (heddle, numpy):
        v = np.asarray(numpy.arange(30.0).reshape(10, 3))
        f = np.asarray([[0, 1, 2], [3, 4, 5]]).view(derived(np))
        g = np.asarray([1.0, 2.0, 3.0]).view(derived(np))
        made.append((use(np, v, f, g), v))
    for ours, theirs in zip(*made, strict=True):
        assert (ours is None) == (theirs is None)
        if theirs is not None:
            assert type(ours) is heddle.ndarray and type(theirs) is numpy.ndarray
            numpy.testing.assert_array_equal(heddle.asnumpy(ours), theirs)


@pytest.mark.host_memory
def test_methods_of_ufuncs_of_derived_arrays():
    class Plain(heddle.ndarray):
        def __array_wrap__(self, made, context=None, return_scalar=False):
            return heddle.ndarray.__array_wrap__(self, made, context, return_scalar)

    g = heddle.asarray([1.0, 2.0, 3.0]).view(Plain)
    assert type(heddle.add.accumulate(g)) is Plain
    assert heddle.add.reduce(g) == 6 and heddle.maximum.outer(g, g).shape == (3, 3)
    assert type(heddle.random.default_rng(1).normal(g)) is heddle.ndarray
    assert heddle.random.default_rng(1).choice(g) in (1, 2, 3)
    g += heddle.ones(3)
    assert type(g) is Plain and g.tolist() == [2, 3, 4]


@pytest.mark.host_memory
def test_indices_of_derived_arrays_may_be_ours():
    made = []
    for np in (heddle, numpy):
        f = np.asarray([[0, 1, 2], [3, 4, 5]]).view(derived(np))
        none = np.zeros((0, 3), bool)
        f[np.asarray([True, False]), 1] = 9
        made.append([f[:0][none], f[np.asarray([False, False])], f])
    for ours, theirs in zip(*made, strict=True):
        assert type(ours).__name__ == "InfoArray" and ours.shape == theirs.shape
        assert ours.tolist() == theirs.tolist()


def test_methods_of_ufuncs_of_what_are_no_numbers():
    words = numpy.array(["a", "b"], object)
    assert heddle.add.reduce(words) == numpy.add.reduce(words)
    assert heddle.add.accumulate(words).tolist() == ["a", "ab"]
    days = numpy.array(["2020-01-02", "2020-01-01"], "M8[D]")
    assert heddle.maximum.reduce(days) == days[0]
    with pytest.raises(TypeError):
        heddle.special.xlogy.reduce(words)


@pytest.mark.host_memory
@pytest.mark.written_outside
def test_views_as_records_share_memory():
    x = heddle.zeros((2, 3))
    rows = x.view([("r", "f8"), ("g", "f8"), ("b", "f8")])
    rows["g"] = 5
    assert type(rows) is numpy.ndarray and x.tolist() == [[0, 5, 0], [0, 5, 0]]
    assert heddle.arange(4).view("V16").shape == (2,)
    assert heddle.arange(2).view("M8[s]")[1] == numpy.datetime64(1, "s")


def with_operators(np):
    """A class that says itself what some operators do."""

    class Said(np.ndarray):
        __hash__ = None

    own = ("radd", "rsub", "rmul", "rpow", "rmatmul", "rdivmod", "iadd", "eq", "lt", "gt")
    for name in own:
        setattr(Said, f"__{name}__", lambda self, other, name=name: name)
    return np.asarray([1.0, 2.0]).view(Said)


@pytest.mark.host_memory
@pytest.mark.parametrize(
    "name",
    (
        *("add", "sub", "mul", "pow", "matmul", "mod", "truediv", "divmod", "iadd"),
        *("eq", "ne", "lt", "gt", "le"),
    ),
)
def test_operators_of_derived_classes_come_first(name):
    apply = divmod if name == "divmod" else getattr(operator, name)
    found = []
    for np in (numpy, heddle):
        made = apply(np.asarray([4.0, 6.0]), with_operators(np))
        found.append(made if isinstance(made, str) else numpy.asarray(made).tolist())
    assert found[1] == found[0]


@pytest.mark.host_memory
@pytest.mark.written_outside
def test_ufuncs_of_classes_that_ask_numpys_arrays():
    """As in NumPy's manual: arrays of the class are given on as plain ones."""

    def made(np):
        class Told(np.ndarray):
            def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
                plain = [x.view(np.ndarray) if isinstance(x, Told) else x for x in inputs]
                if out:
                    kwargs["out"] = tuple(
                        x.view(np.ndarray) if isinstance(x, Told) else x for x in out
                    )
                results = super().__array_ufunc__(ufunc, method, *plain, **kwargs)
                if results is NotImplemented or method == "at":
                    return results
                results = results if isinstance(results, tuple) else (results,)
                outs = out or (None,) * len(results)
                done = [
                    np.asarray(r).view(Told) if o is None else o
                    for r, o in zip(results, outs, strict=True)
                ]
                return done[0] if len(done) == 1 else tuple(done)

        a, b, plain = np.arange(3.0).view(Told), np.ones(3).view(Told), np.arange(3.0) + 0.5
        yield np.sin(a)
        yield from np.modf(plain + a)
        yield a + plain
        yield plain * a
        yield np.add.reduce(a)
        yield np.add(a, plain, out=b)
        yield b
        yield np.sqrt(a, out=plain)
        yield plain
        np.add.at(a, [0, 0], 1)
        yield a

    for theirs, ours in zip(made(numpy), made(heddle), strict=True):
        assert type(ours).__name__ == type(theirs).__name__
        numpy.testing.assert_array_equal(numpy.asarray(ours), numpy.asarray(theirs))
