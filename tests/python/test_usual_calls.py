"""Calls that the core takes by itself: the same as those of the function in Python, and NumPy's."""

import copy
import inspect
import pickle
import warnings

import numpy as np
import pytest

import heddle as hd
from heddle import _core

MATRIX = np.arange(12.0).reshape(3, 4) - 5.5
VECTOR = np.array([3.0, -1.0, 2.0, 0.0, 7.0])
CUBE = np.arange(24).reshape(2, 1, 12) % 7
SMALL = np.array([[100, -100], [5, 6]], np.int8)
HALF = np.linspace(0, 3, 6, dtype=np.float16)
COMPLEX = MATRIX + 1j * MATRIX[::-1]
MASK = MATRIX > 0
EMPTY = np.zeros((0, 3))

ONE = [MATRIX, VECTOR, CUBE, SMALL, HALF, COMPLEX, MASK, MATRIX.T, np.asfortranarray(MATRIX)]
ONE += [MATRIX[::2, ::-1], EMPTY, np.array(2.5)]


def reductions():
    for name in ("sum", "prod", "max", "min", "any", "all", "mean", "std", "var"):
        for how in ({}, {"axis": 0}, {"axis": -1}, {"axis": (0, 1)}, {"axis": ()}, {"axis": 5}):
            yield name, how
        yield name, {"axis": 0, "keepdims": True}
    for name in ("argmax", "argmin", "cumsum", "cumprod"):
        for how in ({}, {"axis": 0}, {"axis": -1}, {"axis": None}, {"axis": 7}):
            yield name, how
    for how in ({}, {"axis": 0}, {"axis": -1}, {"axis": None}, {"axis": 3}, {"kind": "stable"}):
        yield "sort", how
    for name in ("std", "var"):
        yield from ((name, {"ddof": 1}), (name, {"ddof": 0.5}), (name, {"axis": 0, "ddof": 3}))


def shapes():
    yield from (("ravel", {}), ("ravel", {"order": "F"}), ("reshape", {"shape": -1}))
    yield from (("reshape", {"shape": (2, -1)}), ("transpose", {}), ("transpose", {"axes": (1, 0)}))
    yield from (("transpose", {"axes": (0, -1)}), ("transpose", {"axes": (1, 1)}))
    for moved in ((0, 1), (0, -1), ((0, 1), (1, 0)), ([0], [1]), (0, 9), ((0, 0), (0, 1))):
        yield "moveaxis", {"source": moved[0], "destination": moved[1]}
    yield from (("swapaxes", {"axis1": 0, "axis2": -1}), ("swapaxes", {"axis1": 0, "axis2": 8}))
    for axis in (None, 0, 1, (0, 1), -1):
        yield "squeeze", {"axis": axis}
        yield "flip", {"axis": axis}
    for axis in (0, -1, (0, 2), [0, -1], 6, (), (0, 0)):
        yield "expand_dims", {"axis": axis}
    for shift, axis in ((1, None), (-3, 0), (1, -1), ((1, 2), (0, 1)), (2, (0, 1)), (1, (0, 0))):
        yield "roll", {"shift": shift, "axis": axis}
    yield from (("roll", {"shift": (1, 2)}), ("roll", {"shift": 10**30, "axis": 0}))
    yield from (("roll", {"shift": [1], "axis": 0}), ("roll", {"shift": (1, 2), "axis": 0}))
    for shape in ((3, 4), (2, 3, 4), 5, (), (-1, 4)):
        yield "broadcast_to", {"shape": shape}


def elements():
    for axis in (-1, 0, 3):
        yield "diff", {"axis": axis}
    yield from (("diff", {"n": 2}), ("diff", {"n": 0}), ("diff", {"n": -1}), ("diff", {"n": 9}))
    for indices in ([0, 1], [[0, 1], [1, 0]], 1, [], [-1], [99], [0.5], np.array([0, 1], np.uint8)):
        for axis in (None, 0, -1):
            yield "take", {"indices": indices, "axis": axis}
    limits = ((0, 1), (0.5, None), (None, 2), (-1000, 1000), (-(10**20), 3), (1, 0.5))
    for low, high in limits:
        yield "clip", {"a_min": low, "a_max": high}


def copies():
    for name in ("zeros_like", "ones_like", "array", "asarray", "copy"):
        yield name, {}
    for name in ("zeros_like", "ones_like", "array", "asarray"):
        for dtype in ("f4", np.int8, float, "complex", np.dtype("u2"), None, "nonsense"):
            yield name, {"dtype": dtype}
    yield from (("zeros_like", {"shape": (2, 2)}), ("ones_like", {"order": "F"}))
    yield from (("array", {"ndmin": 3}), ("asarray", {"order": "F"}), ("copy", {"order": "F"}))
    for value in (3, 2.5, True, 1j, 300, -1, 1e300, 10**30, float("nan")):
        yield "full_like", {"fill_value": value}
        yield "full_like", {"fill_value": value, "dtype": "f4"}


def outcome(function, *args, **kwargs):
    """What a call gives: an array's facts and elements, or the error."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            made = function(*args, **kwargs)
            host = hd.asnumpy(made)
        except Exception as error:
            return type(error), str(error).split(" (indexed at")[0]  # where devices run behind
    flags = (made.flags.c_contiguous, made.flags.f_contiguous, made.flags.writeable)
    return host.dtype, host.shape, host.tobytes(), flags, [str(w.message) for w in told]


def tolerance(wanted):
    tight = {"e": 5e-3, "f": 1e-6, "F": 1e-6}.get(wanted.dtype.char, 1e-12)
    return {"rtol": tight, "atol": tight}


CALLS = [*reductions(), *shapes(), *elements(), *copies()]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS, ids=str)
def test_usual_calls_give_what_python_gives(call):
    name, kwargs = call
    function = getattr(hd, name)
    assert isinstance(function, _core.function)
    for given in ONE:
        mine = hd.array(given, copy=True) if given.ndim != 2 else hd.asarray(given)
        found, wanted = (
            outcome(function, mine, **kwargs),
            outcome(function.__wrapped__, mine, **kwargs),
        )
        assert repr(found) == repr(wanted), given
        by_position = outcome(function, mine, *kwargs.values())
        if name in ("moveaxis", "swapaxes", "roll", "clip", "broadcast_to", "expand_dims"):
            assert repr(by_position) == repr(found)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS, ids=str)
def test_usual_calls_give_what_numpy_gives(call):
    name, kwargs = call
    if name == "array" and "ndmin" not in kwargs:
        kwargs = kwargs | {"copy": True}
    for given in ONE:
        try:
            wanted = getattr(np, name)(given, **kwargs)
        except Exception as error:
            with pytest.raises(type(error)):
                hd.asnumpy(getattr(hd, name)(hd.asarray(given), **kwargs))
            continue
        found = getattr(hd, name)(hd.asarray(given), **kwargs)
        assert found.dtype == wanted.dtype
        assert found.shape == wanted.shape
        np.testing.assert_allclose(hd.asnumpy(found), wanted, **tolerance(wanted))


def made_of_shapes():
    for shape in ((2, 3), 4, [2, 2], (), (0, 3), (-1,), 2.5, (True, 2), np.int64(3), "ab"):
        for name in ("zeros", "ones"):
            yield name, (shape,), {}
        yield "full", (shape, 2), {}
    for dtype in ("f4", "int", bool, np.complex64, "u1", "?", None, "nonsense", "M8[s]"):
        yield from (("zeros", ((2,), dtype), {}), ("ones", ((2,),), {"dtype": dtype}))
        for value in (1, -1, 300, 2.5, True, 1j, float("inf"), 1e300, 2**63, None, "3"):
            yield "full", ((2,), value), {"dtype": dtype}
    yield from (("zeros", ((2, 3),), {"order": "F"}), ("full", ((2, 3), [1, 2, 3]), {}))
    yield from (("zeros", (), {}), ("zeros", ((2,), "f4", "C", 1), {}), ("zeros", (2,), {"x": 1}))
    for bounds in (
        (0, 1),
        (-2.5, 7),
        (3, 3),
        (5, -5),
        (0, 1e-320),
        (-0.0, -1),
        (0, 1j),
        (0, [1, 2]),
    ):
        for rest in ({}, {"num": 5}, {"num": 1}, {"num": 0}, {"num": -1}, {"num": 2.5}):
            yield "linspace", bounds, rest
        yield "linspace", bounds, {"endpoint": False}
        yield "linspace", bounds, {"num": 7, "dtype": "i4"}
        yield "linspace", bounds, {"num": 7, "dtype": "f4", "axis": -1}
    yield from (("linspace", (0, float("inf")), {"num": 3}), ("linspace", (float("nan"), 1), {}))
    for args in (
        (5,),
        (2, 9),
        (9, 2, -3),
        (0,),
        (5.0,),
        (0, 1, 0.1),
        (1, 3, 0.5),
        (2, 1),
        (0, 2.5),
    ):
        yield "arange", args, {}
        yield "arange", args, {"dtype": "f4"}
    for args in ((2**60, 2**60 + 3), (1e300, 2e300, 1e299), (0, 9, 0), (0, 1, float("nan")), (3j,)):
        yield "arange", args, {}
    yield from (("arange", (), {"stop": 3}), ("arange", (3,), {"step": 2}), ("arange", ("a",), {}))
    for args in ((3,), (3, 4), (3, None, 1), (2, 5, -1), (0,), (-1,), (2.5,), (3, 3, 10**25)):
        yield "eye", args, {}
        yield "eye", args, {"dtype": "i2"}
        yield "eye", args, {"order": "F"}


def joined():
    a, b, c = MATRIX, MATRIX + 1, VECTOR
    for name in ("concatenate", "stack", "vstack", "hstack"):
        for parts in (
            (a, b),
            [a, a, b],
            (c, c),
            (a, c),
            (),
            (SMALL, SMALL[:1]),
            (a, CUBE),
            (a.T, b.T),
        ):
            yield name, (parts,), {}
        yield name, ((np.array(1.0), np.array(2.0)),), {}
        yield name, ((c, [1, 2, 3, 4, 5]),), {}
    for axis in (0, 1, -1, None, 5, 1.5):
        yield "concatenate", ((a, b),), {"axis": axis}
        yield "stack", ((a, b), axis), {}
    yield from (("concatenate", ((a, b),), {"dtype": "f4"}), ("stack", ((c, c),), {"dtype": "f4"}))


def chosen():
    for values in ((1.0, 0.0), (1, 0.5), (MATRIX, 0), (MATRIX, MATRIX + 1), (1j, 2), (True, False)):
        for condition in (MASK, MASK[0], CUBE[0, 0, :4] > 2, MATRIX, True, np.array(True)):
            yield "where", (condition, *values), {}
    yield from (("where", (MASK, SMALL[0, 0], 300), {}), ("where", (MASK, MATRIX[0], 1), {}))
    yield from (("where", (MASK, MATRIX), {}), ("where", (MASK, VECTOR, 0), {}))
    yield from (("where", (MASK[:2, :2], SMALL, 300), {}), ("where", (MASK[:2, :2], SMALL, -5), {}))
    for exponent in (2, 3, -1, 0.5, -2.5, 1j):
        for base in (MATRIX, np.abs(SMALL), HALF, COMPLEX, 2, 2.5):
            yield "power", (base, exponent), {}
    yield from (("power", (2, np.abs(SMALL)), {}), ("power", (SMALL, SMALL), {}))
    for name in ("dot", "inner", "vdot", "outer"):
        for pair in ((VECTOR, VECTOR), (MATRIX, MATRIX.T), (MATRIX, MATRIX), (MATRIX, 2.0)):
            yield name, pair, {}


def repeated():
    a, v = MATRIX, VECTOR
    for counts in (2, (2,), (1, 3), (2, 1, 2), 0, (0, 2), -1, 1.5, [2, 2], ()):
        yield from (("tile", (a, counts), {}), ("tile", (v, counts), {}))
    for count in (2, 0, 1, -1, [1, 2, 1, 0, 3], [2], 2.5):
        yield from (("repeat", (v, count), {}), ("repeat", (a.T, count, 0), {}))
    yield from (("repeat", (a, 2, -1), {}), ("repeat", (a, 2, 5), {}), ("repeat", (a.T, 3), {}))
    for mode in ("constant", "edge", "reflect", "symmetric", "wrap", "mean", "empty?"):
        for width in (1, 0, (2, 1), ((1, 0), (0, 2)), ((1, 2),), 5, -1, 1.5, [[1, 1], [2, 2]]):
            for given in (a, v, np.asfortranarray(a), MASK, CUBE):
                yield "pad", (given, width, mode), {}
    yield from (("pad", (a, 1), {}), ("pad", (a, 1), {"constant_values": 3}))
    yield from (("pad", (EMPTY, 1), {}), ("pad", (EMPTY, 1, "edge"), {}), ("pad", (a[0, 0], 1), {}))
    for k in (0, 1, -2, 9, -9, 2**30):
        for given in (a, v, CUBE, MASK, a.T, COMPLEX, SMALL):
            yield from (("tril", (given, k), {}), ("triu", (given, k), {}))
            yield from (("diagonal", (given, k), {}), ("trace", (given, k), {}))
            yield "diag", (given, min(k, 9)), {}
    yield from (("diagonal", (CUBE, 1, 2, 0), {}), ("trace", (CUBE,), {"axis1": 0, "axis2": -1}))
    yield from (
        ("diagonal", (a, 0, 1, 1), {}),
        ("trace", (a,), {"dtype": "f4"}),
        ("tril", (1.0,), {}),
    )
    for parts in ((v, v), [a, v[:3]], (np.array(1.0), np.array(2.0)), (a, a[0]), (), (v, [1, 2])):
        yield "column_stack", (parts,), {}
    for rows in (
        [1, 2],
        [[1, 2], [3, 4.5]],
        (1, 2),
        True,
        3,
        2.5,
        1j,
        [True, 2],
        [],
        [[1], [2, 3]],
    ):
        for dtype in (None, "f4", "i1", bool):
            yield from (("array", (rows, dtype), {}), ("asarray", (rows, dtype), {}))
    yield from (("array", (300, "i1"), {}), ("array", ([2**70],), {}), ("asarray", ("text",), {}))
    yield from (("array", ([1, 2],), {"ndmin": 2}), ("asarray", (5,), {"order": "F"}))


@pytest.mark.parametrize("options", [{}, {"indexing": "ij"}, {"sparse": True}, {"copy": False}])
def test_grids(options):
    three = (VECTOR, np.arange(3), np.array(2.0))
    for given in ((), three[:1], three[:2], three, (VECTOR, [1, 2])):
        made, wanted = hd.meshgrid(*map(ours, given), **options), np.meshgrid(*given, **options)
        assert isinstance(made, tuple)
        assert len(made) == len(wanted)
        for mine, theirs in zip(made, wanted, strict=True):
            assert mine.dtype == theirs.dtype
            np.testing.assert_array_equal(hd.asnumpy(mine), theirs)
            assert (mine.base is None) == options.get("copy", True)
    with pytest.raises(ValueError, match="indexing"):
        hd.meshgrid(hd.ones(2), indexing="xz")


def ours(given):
    if isinstance(given, (tuple, list)):
        return type(given)(map(ours, given))
    return hd.asarray(given) if isinstance(given, np.ndarray) else given


MORE = [*made_of_shapes(), *joined(), *chosen(), *repeated()]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", MORE, ids=lambda call: call[0])
def test_other_usual_calls(call):
    name, args, kwargs = call
    function, mine = getattr(hd, name), tuple(map(ours, args))
    found = outcome(function, *mine, **kwargs)
    if name != "power":
        assert repr(found) == repr(outcome(function.__wrapped__, *mine, **kwargs))
    try:
        wanted = getattr(np, name)(*args, **kwargs)
    except OverflowError as error:
        pytest.skip(f"from NumPy 2.5 on, and not here: {error}")
    except Exception as error:
        assert issubclass(found[0], Exception)
        assert isinstance(error, found[0]) or issubclass(found[0], type(error))
        return
    made = function(*mine, **kwargs)
    if wanted.dtype.kind not in "biufc":
        assert type(made) is np.ndarray and made.dtype == wanted.dtype
        assert made.tolist() == wanted.tolist()
        return
    assert (made.dtype, made.shape) == (wanted.dtype, wanted.shape)
    np.testing.assert_allclose(hd.asnumpy(made), wanted, **tolerance(wanted))


def test_methods_are_functions_of_the_array():
    a, n = hd.asarray(MATRIX), MATRIX
    for made, wanted in (
        (a.sum(0), n.sum(0)),
        (a.mean(axis=1, keepdims=True), n.mean(axis=1, keepdims=True)),
        (a.std(ddof=1), n.std(ddof=1)),
        (a.clip(-1, 2), n.clip(-1, 2)),
        (a.clip(max=2), n.clip(max=2)),
        (a.astype("f4"), n.astype("f4")),
        (a.astype(int, casting="unsafe"), n.astype(int, casting="unsafe")),
        (a.copy(), n.copy()),
        (a.copy("F"), n.copy("F")),
        (a.take([1, 2], 1), n.take([1, 2], 1)),
        (a.swapaxes(0, 1), n.swapaxes(0, 1)),
    ):
        assert made.dtype == wanted.dtype
        np.testing.assert_allclose(hd.asnumpy(made), wanted, rtol=1e-14)
    assert a.astype(float, copy=False) is a
    assert a.astype(float) is not a
    assert hd.asarray(a) is a
    bound = a.sum
    assert bound.__self__ is a
    np.testing.assert_array_equal(hd.asnumpy(bound(1)), n.sum(1))
    with pytest.raises(TypeError):
        a.astype("f4", nothing=1)
    with pytest.raises(TypeError):
        hd.ndarray.sum()


def test_views_see_what_they_are_of():
    a = hd.zeros((2, 1, 3))
    for view in (
        hd.expand_dims(a, 0),
        hd.squeeze(a),
        hd.moveaxis(a, 0, 2),
        hd.swapaxes(a, 0, 1),
        hd.flip(a, 0),
        hd.transpose(a),
        hd.reshape(a, (3, 2)),
        hd.ravel(a),
    ):
        assert view.base is a
        view[...] = view + 1
    assert (hd.asnumpy(a) == 8).all()
    assert not hd.broadcast_to(a, (4, 2, 1, 3)).flags.writeable
    b = hd.ones((2, 3))
    assert hd.squeeze(b) is b


def test_a_complex_part_is_lost_with_a_warning():
    with pytest.warns(np.exceptions.ComplexWarning):
        hd.asarray(COMPLEX).astype(float)


FUNCTIONS = [n for n in dir(hd) if isinstance(getattr(hd, n), _core.function)]


def test_there_are_such_functions():
    assert len(FUNCTIONS) > 50


@pytest.mark.parametrize("name", FUNCTIONS)
def test_they_are_like_functions(name):
    function = getattr(hd, name)
    inner = function.__wrapped__
    assert inspect.isroutine(function)
    assert inspect.signature(function) == inspect.signature(inner)
    for attribute in ("__name__", "__qualname__", "__module__", "__doc__", "__annotations__"):
        assert getattr(function, attribute) == getattr(inner, attribute)
    assert function.__doc__
    assert pickle.loads(pickle.dumps(function)) is function
    assert copy.deepcopy(function) is function
    assert repr(function).startswith(f"<function {function.__name__} at")
    assert hash(function) == hash(function)
    kinds = [p.kind for p in inspect.signature(function).parameters.values()]
    if kinds[0] is not inspect.Parameter.VAR_POSITIONAL:
        with pytest.raises(TypeError):
            function()
    wrong = hd.ones((2, 2)), {"no_such_keyword": 1}
    with pytest.raises(TypeError) as error:
        function(wrong[0], **wrong[1])
    with pytest.raises(TypeError) as wanted:
        inner(wrong[0], **wrong[1])
    assert str(error.value) == str(wanted.value)


@pytest.mark.parametrize(
    "name", [n for n in dir(hd.ndarray) if isinstance(getattr(hd.ndarray, n), _core.function)]
)
def test_methods_are_like_functions(name):
    method = getattr(hd.ndarray, name)
    assert method.__name__ == name
    assert pickle.loads(pickle.dumps(method)) is method
    bound = getattr(hd.ones(2), name)
    assert inspect.signature(bound) == inspect.signature(method.__wrapped__.__get__(hd.ones(2)))


def test_subclasses_of_arrays_are_arrays():
    class Named(hd.ndarray):
        pass

    a = Named((2, 3))
    a[...] = 2
    assert float(hd.sum(a)) == 12
    assert hd.asanyarray(a) is a and type(hd.asarray(a)) is hd.ndarray
    assert hd.zeros_like(a).shape == (2, 3)


def test_like_goes_to_the_other_library():
    class Other:
        def __array_function__(self, function, types, args, kwargs):
            return function.__name__

    assert hd.zeros(3, like=Other()) == "zeros"
    assert hd.zeros(3, like=hd.ones(2)).shape == (3,)


def required(function):
    """How many arguments a function cannot do without."""
    parameters = inspect.signature(function).parameters.values()
    return sum(p.default is p.empty and p.kind in (0, 1) for p in parameters)


@pytest.mark.parametrize("space", [hd, hd.ndarray], ids=["functions", "methods"])
def test_arguments_that_are_missing(space):
    found = [f for f in vars(space).values() if isinstance(f, _core.function)]
    assert len(found) > 30
    for function in found:
        for given in (hd.array([[1.0, 2.0], [3.0, 5.0]]), hd.array([3, 1, 2]), 3, (2, 2)):
            for count in range(required(function)):
                with pytest.raises(TypeError, match="missing"):
                    function(*[given] * count)
