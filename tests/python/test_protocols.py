"""Meeting NumPy and others: __array__, ufuncs, functions, the array interface, DLPack, files."""

import array
import contextlib
import gc
import hashlib
import inspect
import io
import operator
import pickle
import sys
import typing

import numpy
import numpy.lib.recfunctions
import pytest
from compare import check
from support import COMPLEX, DTYPES, FLOATS, INTEGERS, assert_exact, bfloat16, name, random_values

import heddle
from heddle import _core


@pytest.mark.host_memory
@pytest.mark.written_outside
def test_array():
    x = heddle.arange(6.0).reshape(2, 3)
    a = numpy.asarray(x)
    assert type(a) is numpy.ndarray
    assert_exact(x, a)
    a[0, 0] = 7
    assert float(x[0, 0]) == 7
    x[0, 1] = 8
    assert a[0, 1] == 8
    assert numpy.asarray(x, dtype="f4").dtype == "f4"
    b = numpy.array(x)
    b[0, 0] = 1
    assert float(x[0, 0]) == 7
    assert numpy.array(x, copy=False, dtype="f8").shape == (2, 3)
    with pytest.raises(ValueError):
        numpy.array(x, copy=False, dtype="f4")
    assert_exact(x, heddle.asnumpy(x))
    assert x.get() is not x.get()


@pytest.mark.host_memory
@pytest.mark.parametrize("dtype", DTYPES, ids=name)
def test_views_of_all_dtypes(dtype):
    a = random_values(dtype, (3, 4))
    x = heddle.asarray(a)
    assert_exact(numpy.asarray(x), a)
    assert_exact(numpy.asarray(x.T[::2]), a.T[::2])


@pytest.mark.host_memory
@pytest.mark.written_outside
def test_results_before_an_outside_write_keep_their_values():
    x = heddle.ones(1000)
    y = x + 1
    a = numpy.asarray(x)
    z = x * 2
    a[:] = 100
    assert_exact(y, numpy.full(1000, 2.0))
    assert_exact(z, numpy.full(1000, 2.0))
    assert_exact(x, numpy.full(1000, 100.0))
    del a
    assert (x + 1).pending


def test_alias_of_numpy_memory():
    a = numpy.arange(6.0)
    x = heddle.asarray(a, copy=False)
    x += 1
    x[::2] = 9
    assert a.tolist() == [9, 2, 9, 4, 9, 6]
    y = x * 2
    a[:] = 0
    assert y.get().tolist() == [18, 4, 18, 8, 18, 12]
    b = heddle.asarray(a)
    a[:] = 5
    assert b.get().tolist() == [0] * 6


@pytest.mark.host_memory
@pytest.mark.written_outside
def test_array_interface():
    x = heddle.arange(6.0).reshape(2, 3)
    turned = x.T  # the address is good as long as this array lives
    description = turned.__array_interface__
    assert description["shape"] == (3, 2) and description["version"] == 3

    class Holder:
        __array_interface__ = description

    a = numpy.asarray(Holder())
    x[0, 0] = 5
    assert a[0, 0] == 5
    back = heddle.asarray(a, copy=False)
    back[0, 1] = 6
    assert float(x[1, 0]) == 6


@pytest.mark.host_memory
def test_array_struct():
    x = heddle.arange(6.0).reshape(2, 3)

    class Holder:
        __array_struct__ = x.__array_struct__

    assert_exact(numpy.asarray(Holder()), numpy.arange(6.0).reshape(2, 3))


@pytest.mark.host_memory
def test_memoryview():
    x = heddle.arange(6, dtype="i4").reshape(2, 3)
    view = memoryview(x)
    assert view.shape == (2, 3) and view.format == "i" and view.tolist() == [[0, 1, 2], [3, 4, 5]]
    x[0, 0] = 9
    assert view[0, 0] == 9
    assert_exact(numpy.frombuffer(heddle.ones(3), "f8"), numpy.ones(3))
    # Who wants plain bytes gets them, of any number of dimensions.
    for shape in ((), (2, 3)):
        plain = hashlib.sha256(heddle.ones(shape)).digest()
        assert plain == hashlib.sha256(numpy.ones(shape)).digest()


@pytest.mark.host_memory
@pytest.mark.parametrize("dtype", INTEGERS + FLOATS + COMPLEX, ids=name)
def test_dlpack(dtype):
    a = random_values(dtype, (3, 4))
    x = heddle.asarray(a)
    b = numpy.from_dlpack(x)
    assert_exact(x, b)
    x[0, 0] = 1
    assert b[0, 0] == 1
    y = heddle.from_dlpack(a)
    a[1, 1] = 0
    assert y[1, 1] == 0
    copied = heddle.from_dlpack(a, copy=True)
    a[1, 1] = 1
    assert copied[1, 1] == 0
    assert x.__dlpack_device__() == (1, 0)
    assert heddle.from_dlpack(x)._shares_storage(x)
    assert_exact(numpy.from_dlpack(x.T, copy=True), x.T.get())
    with pytest.raises(RuntimeError):
        x.__dlpack__(stream=1)


@pytest.mark.waiting
def test_numpy_ufuncs_run_here():
    a = random_values("f8", (3, 4))
    x = heddle.asarray(a)
    for made, expected in (
        (numpy.sqrt(x), numpy.sqrt(a)),
        (numpy.add(x, a), a + a),
        (numpy.add(a, x), a + a),
        (a + x, a + a),
        (a * x, a * a),
        (numpy.float64(2) * x, 2 * a),
        (x / numpy.float32(2), a / numpy.float32(2)),
        (numpy.add.reduce(x, axis=1), a.sum(1)),
        (numpy.maximum.accumulate(x, axis=1), numpy.maximum.accumulate(a, axis=1)),
        (numpy.multiply.outer(x, [1, 2]), numpy.multiply.outer(a, [1, 2])),
        (a < x, a < a),
        (numpy.matmul(x, a.T), x @ a.T),
        (a @ x.T, x @ a.T),
    ):
        assert isinstance(made, _core.own_array)
        expected = expected.get() if isinstance(expected, _core.own_array) else expected
        numpy.testing.assert_allclose(made.get(), expected, rtol=1e-14, atol=1e-14)
    assert numpy.sqrt(x).pending


@pytest.mark.host_memory
def test_numpy_arrays_as_out():
    a = random_values("f8", 5, low=1)
    x, out = heddle.asarray(a), numpy.zeros(5)
    assert numpy.sqrt(x, out=out) is out
    assert_exact(out, numpy.sqrt(a))
    out += x
    assert isinstance(out, numpy.ndarray)
    assert_exact(out, numpy.sqrt(a) + a)
    target = heddle.zeros(5)
    assert numpy.add(a, a, out=target) is target
    assert_exact(target, a + a)
    x += a
    assert_exact(x, a + a)


def test_numpy_functions_run_here():
    polyval2d = numpy.polynomial.polynomial.polyval2d
    a = random_values("f8", (3, 4))
    x = heddle.asarray(a)
    for made, expected in (
        (numpy.concatenate([x, a]), numpy.concatenate([a, a])),
        (numpy.sum(x, axis=0), a.sum(0)),
        (numpy.mean(x), a.mean()),
        (numpy.where(x > 0, x, 0), numpy.where(a > 0, a, 0)),
        (numpy.stack([x, x], axis=1), numpy.stack([a, a], axis=1)),
        (numpy.reshape(x, -1), a.reshape(-1)),
        (numpy.clip(x, 0, 1), a.clip(0, 1)),
        (numpy.zeros_like(x), numpy.zeros_like(a)),
        (numpy.nansum(x), numpy.nansum(a)),
        (numpy.dot(x, x.T) * 0, numpy.zeros((3, 3))),
        (polyval2d(x[0], x[1], x), polyval2d(a[0], a[1], a)),
    ):
        assert isinstance(made, _core.own_array), made
        numpy.testing.assert_allclose(made.get(), expected, rtol=1e-13, atol=1e-14)
    assert numpy.allclose(x, a) and numpy.array_equal(x, a)
    with pytest.raises(TypeError, match="no implementation found"):
        others_function(x)


@numpy._core.overrides.array_function_dispatch(lambda x: (x,))
def others_function(x):
    return x


@pytest.mark.host_memory
def test_records_of_arrays():
    records = numpy.lib.recfunctions.unstructured_to_structured(heddle.ones((3, 2)))
    assert records.dtype.names == ("f0", "f1") and records["f1"].tolist() == [1, 1, 1]


def test_types_with_parameters():
    made = heddle.ndarray[tuple[int, int], numpy.dtype[numpy.float64]]
    assert typing.get_origin(made) is heddle.ndarray
    assert typing.get_args(made)[0] == tuple[int, int]


def test_scalars_of_numpy_are_strong():
    x = heddle.ones(3, "f4")
    assert (x + numpy.float64(1)).dtype == numpy.float64
    assert (numpy.float64(1) + x).dtype == numpy.float64


def test_dtypes_are_numpy_s_own():
    assert heddle.float32 is numpy.float32 and heddle.int_ is numpy.int_
    assert heddle.dtype is numpy.dtype and numpy.dtype(heddle.bfloat16) == bfloat16
    assert heddle.ones(3, "f4").dtype is numpy.dtype("f4")
    assert heddle.pi == numpy.pi and heddle.newaxis is None
    assert heddle.finfo("f4").eps == numpy.finfo("f4").eps
    assert float(heddle.finfo(heddle.bfloat16).eps) == 2**-7
    assert heddle.finfo(heddle.ones(3, "f4")).dtype == "f4"
    for given in (numpy.float16, numpy.dtype("f8"), "f4", 1.5, numpy.float32(1), numpy.complex64):
        assert heddle.finfo(given).eps == numpy.finfo(given).eps
    assert heddle.iinfo("i4").max == 2**31 - 1


def test_promotion_helpers():
    x = heddle.ones(3, "f4")
    assert heddle.result_type(x, 1.0) == "f4" and heddle.result_type(x, "f8") == "f8"
    assert heddle.result_type(heddle.ones(3, "i1"), 3) == "i1"
    assert heddle.result_type(heddle.ones(3, "i1"), True) == "i1"
    assert heddle.promote_types("f2", heddle.bfloat16) == "f4"
    assert heddle.result_type(heddle.ones(3, heddle.bfloat16), 1.5) == bfloat16
    assert heddle.can_cast("i4", "f8") and not heddle.can_cast(x, "i4")
    assert heddle.can_cast(heddle.bfloat16, "f4")
    assert heddle.can_cast(numpy.float64(1), "f8") and not heddle.can_cast(numpy.float64(1), "i8")
    with pytest.raises(TypeError):
        heddle.can_cast(1, "i4")
    assert heddle.issubdtype(x.dtype, heddle.floating)
    assert heddle.min_scalar_type(200) == "u1"
    for left in DTYPES[:-1]:
        for right in DTYPES[:-1]:
            expected = numpy.promote_types(left, right)
            assert heddle.promote_types(left, right) == expected
            assert (
                heddle._core.common_type(heddle.empty(0, left), heddle.empty(0, right)) == expected
            )


def test_files(tmp_path):
    a, b = random_values("f4", (3, 4)), random_values("i2", 5)
    x, y = heddle.asarray(a), heddle.asarray(b)
    heddle.save(tmp_path / "x.npy", x.T)
    assert_exact(heddle.load(tmp_path / "x.npy"), a.T)
    assert_exact(numpy.load(tmp_path / "x.npy"), a.T)
    for save in (heddle.savez, heddle.savez_compressed):
        save(tmp_path / "xy.npz", x, second=y)
        with heddle.load(tmp_path / "xy.npz") as loaded:
            assert isinstance(loaded, heddle.lib.npyio.NpzFile)
            assert sorted(loaded) == ["arr_0", "second"] and len(loaded) == 2
            assert_exact(loaded["arr_0"], a)
            assert_exact(loaded["second"], b)
            assert_exact(loaded.f.second, b)
            assert sorted(dir(loaded.f)) == ["arr_0", "second"]
            with pytest.raises(AttributeError, match="third"):
                loaded.f.third
    mapped = heddle.load(tmp_path / "x.npy", mmap_mode="r+")
    mapped[0, 0] = 42
    del mapped
    assert numpy.load(tmp_path / "x.npy")[0, 0] == 42
    heddle.savetxt(tmp_path / "x.txt", x, delimiter=",")
    numpy.testing.assert_allclose(heddle.loadtxt(tmp_path / "x.txt", delimiter=",").get(), a)
    numpy.testing.assert_allclose(heddle.genfromtxt(tmp_path / "x.txt", delimiter=",").get(), a)
    masked = heddle.genfromtxt(io.StringIO("1,2\n,4"), delimiter=",", usemask=True)
    assert masked.mask.tolist() == [[False, False], [True, False]]
    buffer = io.BytesIO()
    heddle.save(buffer, y)
    buffer.seek(0)
    assert_exact(heddle.load(buffer), b)
    with pytest.raises(FileNotFoundError):
        heddle.load(tmp_path / "nothing.npy")


def test_buffers_and_strings():
    memory = bytearray(numpy.arange(4.0).tobytes())
    x = heddle.frombuffer(memory)
    x[0] = 5
    assert numpy.frombuffer(memory)[0] == 5
    assert_exact(heddle.fromstring("1 2 3", sep=" "), numpy.array([1.0, 2, 3]))
    with pytest.raises(ValueError):
        heddle.frombuffer(b"123")


class Wrapped:
    """An object whose __array__ gives an array of ours."""

    def __array__(self, dtype=None, copy=None):
        return heddle.arange(3)


class Prior(Wrapped):
    __array_priority__ = 1000.0

    def __radd__(self, other):
        return "mine"


def test_lists_of_objects_with_an_array_inside():
    assert_exact(heddle.array([Wrapped(), [4, 5, 6]]), numpy.array([[0, 1, 2], [4, 5, 6]]))
    assert_exact(heddle.asarray([[Wrapped()]], dtype="f4"), numpy.array([[[0, 1, 2]]], "f4"))
    x = heddle.zeros((2, 3))
    x[0] = Wrapped()
    x[heddle.array([1])] = Wrapped()
    assert_exact(x, numpy.array([[0.0, 1, 2], [0, 1, 2]]))


def test_objects_with_an_array_inside():
    x = heddle.ones((2, 3))
    assert_exact(heddle.sin(Wrapped()), heddle.sin(heddle.arange(3)).get())
    assert_exact(heddle.asarray(Wrapped()), numpy.arange(3))
    assert_exact(x + Wrapped(), x.get() + numpy.arange(3))
    assert_exact(Wrapped() + x, x.get() + numpy.arange(3))
    assert_exact(x[:, Wrapped()], x.get())
    assert x + Prior() == "mine"


def test_operands_that_are_buffers_or_ranges():
    x = heddle.ones(3)
    for other in (range(3), bytearray(b"abc"), memoryview(b"abc"), array.array("d", [1, 2, 3])):
        assert_exact(x * other, numpy.ones(3) * other)
    with pytest.raises(TypeError):
        x + {}


@pytest.mark.host_memory
@pytest.mark.written_outside
def test_ufuncs_of_other_libraries():
    from numpy._core import _umath_tests

    x = heddle.arange(6.0).reshape(2, 3)
    made = _umath_tests.inner1d(x, x)
    assert isinstance(made, _core.own_array)
    assert_exact(made, numpy.array([5.0, 50.0]))
    assert numpy.frompyfunc(lambda a, b: a * b, 2, 1).reduce(x[1]) == 60
    out = heddle.zeros(2)
    assert _umath_tests.inner1d(x, x, out=out) is out
    assert_exact(out, numpy.array([5.0, 50.0]))


def test_arrays_are_sequences_to_c():
    assert operator.indexOf(heddle.arange(3), 1) == 1


def test_array_api_namespace():
    x = heddle.ones(3)
    assert x.__array_namespace__() is heddle
    assert x.__array_namespace__(api_version="2023.12") is heddle
    with pytest.raises(ValueError):
        x.__array_namespace__(api_version="1066.10")
    info = heddle.__array_namespace_info__()
    assert info.default_device() in info.devices()
    assert isinstance(info.devices(), list)
    assert info.dtypes()["float32"] == heddle.float32
    assert heddle.__array_api_version__ == "2025.12"


class Length(numpy.ndarray):
    """An array with a unit, as those of astropy."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        plain = [numpy.asarray(x) for x in inputs]
        return "metres", getattr(numpy, ufunc.__name__)(*plain).tolist()


@pytest.mark.host_memory
def test_subclasses_of_numpy_s_arrays_handle_their_ufuncs():
    x, length = heddle.ones(2), numpy.arange(2.0).view(Length)
    expected = ("metres", [1.0, 2.0])
    assert heddle.add(x, length) == expected
    assert heddle.add(length, x) == expected
    assert x + length == expected
    assert length + x == expected
    assert numpy.add(x, length) == expected
    assert heddle.matmul(x, length) == ("metres", 1.0)
    # A class that adds nothing is an array like others.
    assert (x + numpy.arange(2.0).view(numpy.recarray)).tolist() == [1, 2]


@pytest.mark.host_memory
def test_array_wrap():
    x = heddle.arange(3)
    for given in (numpy.arange(4.0), heddle.arange(4.0)):
        made = x.__array_wrap__(given)
        assert type(made) is heddle.ndarray
        assert_exact(made, numpy.arange(4.0))
    assert not heddle.isscalar(x.__array_wrap__(numpy.array(2.0)))
    assert heddle.isscalar(x.__array_wrap__(numpy.array(2.0), None, True))
    with pytest.raises(TypeError, match="must be an array"):
        x.__array_wrap__([1])


class Giving:
    """Gives an array of ours where NumPy asks for one of its own."""

    def __init__(self, given):
        self.given = given

    def __array__(self, dtype=None, copy=None):
        return self.given


def test_assertions_of_numpy():
    x = heddle.arange(3.0)
    np = heddle
    np.testing.assert_equal(x, [0, 1, 2])
    np.testing.assert_equal({"a": [x, 1]}, {"a": [x + 0, 1]})
    np.testing.assert_array_equal(x, Giving(x))
    np.testing.assert_equal(np.poly1d([1, 2]), np.poly1d([1, 2]))
    with pytest.raises(AssertionError):
        np.testing.assert_array_equal(x, Giving(x + 1))
    np.testing.assert_array_equal(x, numpy.arange(3.0))
    np.testing.assert_allclose(x, x + 1e-9, atol=1e-8)
    np.testing.assert_almost_equal(x.sum(), 3)
    told = numpy.testing.build_err_msg([numpy.arange(3.0) / 3], "", precision=3)
    assert np.testing.build_err_msg([x / 3], "", precision=3) == told
    with pytest.raises(AssertionError):
        np.testing.assert_equal(x, x + 1)
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(x, x + 1)
    assert np.testing.assert_raises is numpy.testing.assert_raises


def test_comparing_text_and_dates():
    check(lambda np: np.array_equal(numpy.array(["a"]), numpy.array(["a"])))
    check(lambda np: np.array_equal(numpy.array(["a"]), np.ones(1)))
    check(lambda np: np.array_equiv(numpy.array(["a"]), numpy.array(["a", "a"])))
    check(lambda np: np.array_equal([[1], [1, 2]], [1]))


class Handler:
    """Not an array, but a class that runs ufuncs its own way."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return ufunc.__name__, method, len(inputs), kwargs


def coerced(self, dtype=None, copy=None):
    raise LookupError


OPERATORS = [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "divmod",
    "pow",
    "lshift",
    "rshift",
    "and_",
    "xor",
    "or_",
    "matmul",
]


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_ask_those_that_handle_ufuncs(name):
    apply = getattr(operator, name, divmod)
    x = heddle.arange(4).reshape(2, 2)
    assert apply(x, Handler())[1:] == ("__call__", 2, {})
    assert apply(Handler(), x)[0] == apply(x, Handler())[0]
    if name != "divmod":
        kept = x
        made = getattr(operator, "i" + name.rstrip("_"))(x, Handler())
        assert made[2] == 2 and made[3]["out"][0] is kept


def test_comparisons_ask_those_that_handle_ufuncs():
    x = heddle.ones(2)
    assert (x < Handler())[0] == "less" and (x == Handler())[0] == "equal"
    assert (Handler() >= x)[0] == "less_equal"


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_leave_others_their_turn(name):
    apply, special = getattr(operator, name, divmod), name.rstrip("_")
    answers = {f"__r{special}__": lambda self, other: "theirs", "__array__": coerced}
    preferred = type("Preferred", (), {"__array_priority__": 1, **answers})()
    unwilling = type("Unwilling", (), {"__array_ufunc__": None, **answers})()
    for np in (numpy, heddle):
        x = np.arange(4).reshape(2, 2)
        assert apply(x, preferred) == "theirs"
        assert apply(x, unwilling) == "theirs"
        reflected = getattr(x, f"__r{special}__")
        with pytest.raises((TypeError, LookupError)):
            reflected(preferred)
        with pytest.raises(TypeError):
            reflected(unwilling)


@pytest.mark.host_memory
def test_numpy_functions_with_objects():
    """As matplotlib.pyplot.bar broadcasts None with arrays: NumPy's function runs on our memory."""
    x = heddle.arange(3)
    places, hatch = numpy.broadcast_arrays(x, None)
    numpy.testing.assert_array_equal(places, [0, 1, 2])
    assert hatch.tolist() == [None] * 3
    joined = numpy.concatenate([x, numpy.array(["a"])])
    assert joined.tolist() == ["0", "1", "2", "a"]
    assert [a.tolist() for a in heddle.broadcast_arrays(x, None)] == [[0, 1, 2], [None] * 3]
    with pytest.raises(TypeError):
        numpy.concatenate([x, [1.5]], dtype=int, casting="safe")


# --- arrays of other libraries among the arguments ---


class Foreign:
    """An array that has NumPy's functions its own way."""

    answer = "done"

    def __array_function__(self, function, types, args, kwargs):
        return (function, types, args, kwargs) if self.answer else NotImplemented

    def __array__(self, dtype=None, copy=None):
        return numpy.ones(3)


@pytest.mark.parametrize(
    "use, theirs",
    [
        (lambda np, f: np.sum(f), numpy.sum),
        (lambda np, f: np.concatenate([np.ones(3), f]), numpy.concatenate),
        (lambda np, f: np.concatenate((f, np.ones(3)), axis=0), numpy.concatenate),
        (lambda np, f: np.where(np.ones(3), f, 1), numpy.where),
        (lambda np, f: np.mean(a=f, axis=0), numpy.mean),
        (lambda np, f: np.reshape(f, (3, 1)), numpy.reshape),
        (lambda np, f: np.linalg.norm(f), numpy.linalg.norm),
        (lambda np, f: np.fft.fft(f, n=3), numpy.fft.fft),
        (lambda np, f: np.tensordot(f, f, 1), numpy.tensordot),
        (lambda np, f: np.clip(f, 0, 1), numpy.clip),
        (lambda np, f: np.zeros_like(f), numpy.zeros_like),
        (lambda np, f: np.sort(f), numpy.sort),
        (lambda np, f: np.histogram(f), numpy.histogram),
    ],
)
def test_functions_ask_other_arrays(use, theirs):
    foreign = Foreign()
    function, types, args, kwargs = use(heddle, foreign)
    expected = use(numpy, foreign)
    assert function is expected[0] is theirs
    assert set(types) - {heddle.ndarray} == set(expected[1]) - {numpy.ndarray}
    assert kwargs == expected[3] and len(args) == len(expected[2])

    class Unwilling(Foreign):
        answer = ""

    with pytest.raises(TypeError, match="no implementation found"):
        use(heddle, Unwilling())
    derived, _, _, _ = heddle.concatenate([Unwilling(), foreign])
    assert derived is numpy.concatenate


def test_functions_are_pickled_and_documented():
    for function in (heddle.concatenate, heddle.histogram, heddle.linalg.norm, heddle.fft.fft):
        assert pickle.loads(pickle.dumps(function)) is function
        assert function.__doc__ and inspect.signature(function).parameters


LIKE = {
    "array": ([1, 2],),
    "asarray": ([1, 2],),
    "asanyarray": ([1, 2],),
    "ascontiguousarray": ([1, 2],),
    "asfortranarray": ([1, 2],),
    "require": ([1, 2],),
    "empty": ((2, 3),),
    "zeros": ((2, 3),),
    "ones": ((2, 3),),
    "full": ((2, 3), 7),
    "eye": (3,),
    "identity": (3,),
    "arange": (5,),
    "tri": (3,),
    "frombuffer": (bytes(16),),
    "fromfunction": (lambda i: i, (3,)),
    "fromiter": ([1.0, 2.0], float),
    "fromstring": ("1 2", float, -1),
    "loadtxt": (["1 2", "3 4"],),
    "genfromtxt": (["1 2", "3 4"],),
}


@pytest.mark.parametrize("name", LIKE)
def test_like(name):
    args, kwargs = LIKE[name], {"sep": " "} if name == "fromstring" else {}
    expected = getattr(numpy, name)(*args, **kwargs)
    like = heddle.ones(2)
    for module in (numpy, heddle):
        made = getattr(module, name)(*args, like=like, **kwargs)
        assert isinstance(made, _core.own_array) and made.shape == expected.shape
        if name != "empty":
            assert_exact(made, expected)
    assert type(getattr(heddle, name)(*args, like=numpy.ones(2), **kwargs)) is numpy.ndarray


def test_like_says_the_device():
    like = heddle.ones(2, device="shadow:0")
    for module in (numpy, heddle):
        assert module.zeros(3, like=like).device == "shadow:0"
        assert module.asarray([1.0, 2.0], like=like).device == "shadow:0"


def test_array_api_corners():
    info = heddle.__array_namespace_info__()
    assert isinstance(info.devices(), list) and "cpu" in info.devices()
    x = heddle.asarray([0.0, 1.0, 2.0])
    assert heddle.clip(x, 1.0).tolist() == [1, 1, 2]
    assert heddle.clip(x, None, 1.0).tolist() == [0, 1, 1]
    assert heddle.clip(x, a_max=1.0).tolist() == [0, 1, 1]
    assert heddle.clip(x, min=1.0).tolist() == [1, 1, 2]
    assert heddle.clip(x, 1).dtype == "f8"


@pytest.mark.host_memory
def test_ufuncs_of_others_are_not_held():
    def double(x):
        return 2 * x

    held = sys.getrefcount(double)
    for _ in range(3):
        made = numpy.frompyfunc(double, 1, 1)(heddle.arange(3))
    assert list(made) == [0, 2, 4]
    gc.collect()
    assert sys.getrefcount(double) == held


def test_no_function_of_numpys_asks_for_ever():
    x, n = heddle.array([1.0, 2.0]), heddle.array([1, 2])
    for function in vars(numpy).values():
        if isinstance(function, numpy.ufunc):
            for args in ([x, x], [n, n]):
                with contextlib.suppress(TypeError, ValueError):
                    function(*args[: function.nin])
    with pytest.raises(TypeError):
        numpy.isnat(x)
    if x._on_host:
        numpy.testing.assert_equal(x, numpy.array([1.0, 2.0]))
