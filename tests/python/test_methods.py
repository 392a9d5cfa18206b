"""Methods and attributes of arrays against NumPy's."""

import collections.abc
import copy
import math
import pickle
import sys

import numpy
import pytest
from compare import check
from support import DTYPES, STANDARD, assert_exact, bfloat16, host, name, random_values, same_error

import heddle
from heddle import _core

PLAIN = [
    lambda a: a.sum(),
    lambda a: a.sum(0),
    lambda a: a.mean(axis=1, keepdims=True),
    lambda a: a.prod(1),
    lambda a: a.min(0),
    lambda a: a.max(),
    lambda a: a.argmin(1),
    lambda a: a.argmax(),
    lambda a: a.any(0),
    lambda a: a.all(),
    lambda a: a.cumsum(1),
    lambda a: a.cumprod(),
    lambda a: a.clip(-1, 2),
    lambda a: a.round(1),
    lambda a: a.take([1, 0], 1),
    lambda a: a.repeat(2, 0),
    lambda a: a.reshape(4, 3),
    lambda a: a.reshape((2, -1)),
    lambda a: a.reshape(-1),
    lambda a: a.reshape(4, 3, order="F"),
    lambda a: a.ravel(),
    lambda a: a.ravel("F"),
    lambda a: a.flatten(),
    lambda a: a.flatten("F"),
    lambda a: a.transpose(),
    lambda a: a.transpose(1, 0),
    lambda a: a.transpose((1, 0)),
    lambda a: a.swapaxes(0, 1),
    lambda a: a[:1].squeeze(),
    lambda a: a.astype("i4"),
    lambda a: a.astype(bool, order="F"),
    lambda a: a.copy(),
    lambda a: a.view("i8"),
    lambda a: a.nonzero()[0],
    lambda a: a.compress([True, False, True], 0),
    lambda a: a.diagonal(),
    lambda a: a.diagonal(1),
    lambda a: a.trace(),
    lambda a: a.conj(),
    lambda a: a.real,
    lambda a: a.imag,
    lambda a: a.T,
    lambda a: a.mT,
    lambda a: a.dot(a.T) * 0,
    lambda a: a.byteswap().byteswap(),
    lambda a: a.flat[3],
    lambda a: a.flat[2:9:3],
    lambda a: a.flat[[1, 5]],
    lambda a: a.flat.copy(),
]


@pytest.mark.parametrize("number", range(len(PLAIN)))
def test_methods(number):
    a = random_values("f8", (3, 4))
    expected, actual = PLAIN[number](a), PLAIN[number](heddle.asarray(a))
    assert isinstance(actual, _core.own_array | numpy.generic)
    assert actual.dtype == expected.dtype and actual.shape == expected.shape
    numpy.testing.assert_allclose(host(actual), expected, rtol=1e-13, atol=1e-13)
    if expected.ndim == 2:
        assert actual.strides == expected.strides or 1 in expected.shape or not actual.size


def test_every_method_of_numpy_is_here_or_known_to_be_missing():
    later = {"argpartition", "argsort", "partition", "searchsorted", "sort"}
    never = {"getfield", "setfield", "__array_finalize__", "__array_wrap__", "__array_struct__"}
    never |= {"__setstate__", "__array_namespace__", "__delitem__", "_set_dtype", "_set_shape"}
    for attribute in dir(numpy.ndarray):
        if attribute not in later | never:
            assert hasattr(heddle.ndarray, attribute), attribute


@pytest.mark.parametrize("source", DTYPES, ids=name)
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_astype_of_all_pairs(source):
    a = random_values(source, 20, low=0, high=100)
    for target in DTYPES:
        assert_exact(heddle.asarray(a).astype(target), a.astype(target))


def test_astype_keywords():
    x = heddle.arange(6.0).reshape(2, 3)
    assert x.astype("f8", copy=False) is x
    assert x.astype("f8") is not x
    assert x.astype("f8", order="F", copy=False) is not x
    assert x.astype("f4", order="F").flags.f_contiguous
    same_error(lambda m: m.ones(3).astype("i4", casting="safe"))
    same_error(lambda m: m.ones(3).astype("i4", casting="foo"))
    same_error(lambda m: m.ones(3).astype("no such type"))
    with pytest.warns(numpy.exceptions.ComplexWarning):
        heddle.ones(3, complex).astype(float)


def test_item():
    a = numpy.arange(6).reshape(2, 3)
    x = heddle.asarray(a)
    for args in ((4,), (-1,), (1, 2), ((0, 1),)):
        assert x.item(*args) == a.item(*args) and type(x.item(*args)) is int
    assert heddle.asarray([2.5]).item() == 2.5
    same_error(lambda m: m.ones(3).item())
    same_error(lambda m: m.ones(3).item(3))
    same_error(lambda m: m.ones((3, 3)).item(0, 3))


def test_fill_and_flat_assignment():
    a, x = numpy.zeros((3, 4)), heddle.zeros((3, 4))
    for m in (a, x):
        m.fill(3)
        m[::2].T.flat = [1, 2, 3]
        m.T.flat[1:4] = 9
        m.flat[[0, -1]] = [7, 8]
        m.flat[5] = 4
    assert_exact(x, a)
    flat = x.flat
    assert len(flat) == 12 and [float(v) for v in flat] == a.ravel().tolist()
    next(iter(flat))
    assert flat.coords == (0, 1) and flat.index == 1
    same_error(lambda m: m.zeros(3).flat[3])


def test_real_and_imaginary_parts_are_views():
    a = random_values("c16", (3, 4))
    x = heddle.asarray(a)
    assert_exact(x.real, a.real)
    assert_exact(x.imag, a.imag)
    for m in (a, x):
        m.real[0] = 5
        m.imag = 2
        m.real *= 2
    assert_exact(x, a)
    same_error(lambda m: setattr(m.ones(3), "imag", 1))


def test_flags():
    for make in (
        lambda m: m.zeros((3, 4)),
        lambda m: m.zeros((3, 4)).T,
        lambda m: m.zeros((3, 4))[:, ::2],
        lambda m: m.zeros(3),
    ):
        ours, theirs = make(heddle).flags, make(numpy).flags
        for flag in ("C_CONTIGUOUS", "F_CONTIGUOUS", "WRITEABLE", "ALIGNED", "FORC", "FNC"):
            assert ours[flag] == theirs[flag], flag
        assert ours.c_contiguous == theirs.c_contiguous
    assert repr(heddle.zeros(3).flags) == repr(numpy.zeros(3).flags)
    with pytest.raises(KeyError):
        heddle.zeros(3).flags["Q"]
    x = heddle.zeros(3)
    x.flags.writeable = False
    with pytest.raises(ValueError):
        x[0] = 1
    with pytest.raises(ValueError):
        x += 1
    with pytest.raises(ValueError):
        heddle.add(1, 1, out=x)
    x.setflags(write=True)
    x[0] = 1


VIEWS = [
    lambda np, x: x[1:],
    lambda np, x: x[...],
    lambda np, x: x[1:][:, 1:],
    lambda np, x: x.T,
    lambda np, x: x.T.transpose(),
    lambda np, x: x.reshape(9),
    lambda np, x: x.ravel(),
    lambda np, x: x.view(),
    lambda np, x: x.view("i8"),
    lambda np, x: x.diagonal(),
    lambda np, x: np.diag(x),
    lambda np, x: x.real,
    lambda np, x: x.imag,
    lambda np, x: x.swapaxes(0, 1),
    lambda np, x: x[None].squeeze(),
    lambda np, x: np.broadcast_to(x, (2, 3, 3)),
    lambda np, x: np.expand_dims(x, 0),
    lambda np, x: np.flip(x),
    lambda np, x: np.rot90(x),
    lambda np, x: np.moveaxis(x, 0, 1),
    lambda np, x: np.split(x, 3)[1],
    lambda np, x: x[[0, 1]],
    lambda np, x: x.copy(),
    lambda np, x: x.T.copy("K"),
    lambda np, x: x + 1,
    lambda np, x: x.astype("c8"),
    lambda np, x: x.flatten(),
    lambda np, x: x.T.ravel(),
    lambda np, x: x[0, 0],
    lambda np, x: np.zeros((2, 3), order="F"),
    lambda np, x: np.ones_like(x.T),
    lambda np, x: np.empty((2, 3), order="F"),
    lambda np, x: np.full_like(x[:, None].transpose(2, 0, 1), 3),
    lambda np, x: np.array(x, order="F"),
    lambda np, x: np.arange(6).reshape(2, 3),
]


@pytest.mark.parametrize("make", VIEWS)
def test_base(make):
    def program(np):
        x = np.ones((3, 3), complex)
        made = make(np, x)
        return made.base is x, made.base is None, made.flags.owndata, x.base is None

    assert program(heddle) == program(numpy)


def test_base_of_memory_of_others():
    memory = numpy.arange(4.0)
    shared = heddle.asarray(memory, copy=False)
    assert shared.base is memory and not shared.flags.owndata
    assert shared[1:].base is shared
    octets = bytes(16)
    for made in (heddle.frombuffer(octets), heddle.ndarray((2,), buffer=octets)):
        assert made.base is octets and not made.flags.owndata
        with pytest.raises(ValueError):
            made.setflags(write=True)
    y = heddle.arange(4)[1:]  # keeps its base alive
    assert y.base.tolist() == [0, 1, 2, 3] and y.base is y.base


def test_scalars_cannot_be_written():
    def program(np):
        x = np.arange(3)
        return x[0].flags.writeable, x.sum().flags.writeable, x[0, ...].flags.writeable

    assert program(heddle) == program(numpy)


def test_iteration_and_containment():
    a = numpy.arange(6.0).reshape(2, 3)
    x = heddle.asarray(a)
    assert [row.tolist() for row in x] == a.tolist()
    assert [float(v) for v in x[0]] == [0, 1, 2]
    assert 4 in x and 9 not in x
    _, second = x
    assert second.tolist() == [3, 4, 5]
    same_error(lambda m: iter(m.asarray(1.0)))
    same_error(lambda m: len(m.asarray(1.0)))
    assert list(reversed(x[0].tolist())) == [float(v) for v in reversed(x[0])]


@pytest.mark.parametrize("dtype", DTYPES, ids=name)
def test_copies_and_pickles(dtype):
    a = random_values(dtype, (3, 4))
    x = heddle.asarray(a)
    for make in (copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))):
        made = make(x.T)
        assert_exact(made, a.T)
        made[0, 0] = 1
        made[0, 0] = 0
        assert_exact(x, a)
    scalar = pickle.loads(pickle.dumps(x[0, 0]))
    assert hash(scalar) == hash(x[0, 0])


def test_shared_objects_stay_shared_in_deep_copies():
    x = heddle.ones(3)
    both = copy.deepcopy([x, x])
    both[0][0] = 5
    assert float(both[1][0]) == 5


@pytest.mark.parametrize("dtype", STANDARD, ids=name)
def test_scalars(dtype):
    """Where NumPy gives a scalar, the 0-d array is as handy as one."""
    a = random_values(dtype, 4, low=1, high=3)
    y, s = heddle.asarray(a)[1:2].max(), a[1]
    assert y.shape == () and y.dtype == s.dtype
    assert hash(y) == hash(s) and {y: 1}[s.item()] == 1
    assert bool(y == s) and y.item() == s.item()
    assert bool(y) == bool(s) and complex(y) == complex(s)
    if dtype.kind != "c":
        assert int(y) == int(s) and float(y) == float(s)
        assert round(y) == round(s.item()) and math.floor(y) == math.floor(s)
        assert math.ceil(y) == math.ceil(s) and math.trunc(y) == math.trunc(s.item())
        assert math.sqrt(y) == math.sqrt(s)
        assert f"{y:5.2f}" == f"{s.item():5.2f}"
    if dtype.kind in "iu":
        assert list(range(y)) == list(range(s)) and [1, 2, 3, 4][y] == [1, 2, 3, 4][s]
        assert f"{y:04d}" == f"{s:04d}"
    assert (y + 1).dtype == (s + 1).dtype


def test_scalars_are_snapshots():
    x = heddle.arange(3)
    y = x[0]
    x[0] = 5
    assert int(y) == 0
    total = x.sum()
    x += 1
    assert int(total) == 8
    view = x[0, ...]
    x[0] = 9
    assert int(view) == 9


def test_scalars_are_strongly_typed():
    x = heddle.asarray([1, 2], "f4")
    assert (x * heddle.asarray([2.0])[0]).dtype == numpy.float64
    assert (x * 2.0).dtype == numpy.float32


def test_rounding():
    assert round(heddle.asarray(2.5)) == 2
    assert float(round(heddle.asarray(2.567), 2)) == 2.57
    with pytest.raises(TypeError):
        round(heddle.ones(3))


def test_conversion_errors():
    for convert in (int, float, bool, complex):
        same_error(lambda m, c=convert: c(m.ones(3)))
    same_error(lambda m: bool(m.ones(0)))
    same_error(lambda m: [1, 2][m.asarray(1.0)])
    same_error(lambda m: hash(m.ones(3)))


def test_arrays_are_not_hashable():
    x = heddle.arange(3.0)
    assert not isinstance(x, collections.abc.Hashable)
    same_error(lambda m: hash(m.asarray(5)))
    assert isinstance(x.sum(), collections.abc.Hashable) and {x.sum(): 1}[3.0] == 1
    assert bool(x.sum() == 3) and bool(x.sum() != 2) and bool(x.sum() < 4)


def test_sizes_in_memory():
    for m in (numpy, heddle):
        x = m.ones(1000)
        assert sys.getsizeof(x) > x.nbytes > sys.getsizeof(x[2:])


def test_lists_and_bytes(tmp_path):
    for dtype in STANDARD:
        a = random_values(dtype, (3, 4))
        x = heddle.asarray(a)
        assert x.tolist() == a.tolist()
        assert x.T.tobytes() == a.T.tobytes()
        assert x.tobytes("F") == a.tobytes("F")
        assert bytes(memoryview(x.to_device("cpu"))) == a.tobytes()
    x.tofile(tmp_path / "raw")
    assert_exact(heddle.fromfile(tmp_path / "raw", dtype), a.ravel())
    assert heddle.asarray(2.5).tolist() == 2.5


def test_views():
    x = heddle.zeros((2, 3))
    y = x.view()
    y[0] = 1
    assert float(x[0, 0]) == 1
    assert_exact(x.view(numpy.int64), x.get().view(numpy.int64))
    assert_exact(x.view("u1"), x.get().view("u1"))
    same_error(lambda m: m.ones((2, 3), "f4")[:, ::2].view("f8"))
    bits = heddle.asarray(random_values(bfloat16, 4)).view("u2")
    assert_exact(bits, random_values(bfloat16, 4).view("u2"))


@pytest.mark.host_memory
def test_setting_and_getting_dtype_related_attributes():
    a, x = numpy.zeros((3, 4), "f4"), heddle.zeros((3, 4), "f4")
    for attribute in ("dtype", "shape", "strides", "ndim", "size", "itemsize", "nbytes"):
        assert getattr(a, attribute) == getattr(x, attribute)
    assert x.data.shape == (3, 4)
    assert x.ctypes.shape[0] == 3


def test_resize_in_place():
    def resized(np, *shape, **kwargs):
        x = np.arange(6)
        x.resize(*shape, **kwargs)
        return x

    for given in ((3,), ((2, 2),), (3, 4), (0,), ((),), (None,), (), (3, 2), ((-1, 6),), (2.5,)):
        check(lambda np, shape=given: resized(np, *shape, refcheck=False))
    check(lambda np: resized(np, 3, refcheck="x"))
    x = heddle.arange(6)
    part = x[1:3]
    x.resize(2)
    assert part.tolist() == [1, 2]
    with pytest.raises(ValueError):
        part.resize(5)


def test_clip_and_conjugate_as_methods():
    check(lambda np: np.arange(6).clip(3))
    check(lambda np: np.arange(6).clip(max=3))
    check(lambda np: np.arange(6).clip(1, 3, np.zeros(6, int)))
    check(lambda np: np.array([1 + 2j, 3]).conjugate(np.zeros(2, complex)))
    check(lambda np: np.array([1 + 2j, 3]).conj(out=np.zeros(2)))


@pytest.mark.parametrize("dtype", ["u1", "i4", "f8", "c16"])
@pytest.mark.parametrize(
    "value", [-1, 300, 2.5, True, 2**70, numpy.int8(-1), [1], [-1, 300, 2], 2j]
)
def test_real_parts_are_set_as_elements_are(dtype, value):
    """Numbers that do not fit are refused, as NumPy does from 2.5 on."""
    since = numpy.lib.NumpyVersion(numpy.__version__) >= "2.5.0"

    def written(np):
        a = np.ones(3, dtype)
        if since or np is heddle:
            a.real = value
        else:
            a.real[...] = value
        return a

    check(written)
