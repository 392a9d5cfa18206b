"""What CuPy has beside NumPy's names: in heddle, and in heddle.cupyx."""

import io
import threading

import numpy
import pytest
from support import assert_exact, waiting

import heddle
from heddle import cupyx


def test_array_modules():
    x, a = heddle.ones(3), numpy.ones(3)
    assert heddle.get_array_module(x) is heddle and heddle.get_array_module(a, x) is heddle
    assert heddle.get_array_module(a) is numpy and heddle.get_array_module(2.0, [1]) is numpy
    assert heddle.get_array_module() is numpy
    assert heddle.get_array_module(x.sum()) is heddle


def test_fuse():
    @heddle.fuse
    def plain(x, y):
        return x * y

    @heddle.fuse()
    def called(x, y):
        """Doc."""
        return x * y + 1

    @heddle.fuse(kernel_name="name_of_kernel")
    def named(x):
        return x.sum()

    x = heddle.arange(4.0)
    assert_exact(plain(x, 2), numpy.arange(4.0) * 2)
    assert_exact(called(x, y=x), numpy.arange(4.0) ** 2 + 1)
    assert float(named(x)) == 6 and isinstance(plain(numpy.ones(2), 1), numpy.ndarray)
    assert (plain.__name__, called.__doc__, named.kernel_name) == (
        "plain",
        "Doc.",
        "name_of_kernel",
    )
    with pytest.raises(TypeError):
        heddle.fuse(colour="red")


def test_memoize():
    calls = []

    @heddle.memoize(for_each_device=True)
    def made(n, scale=1):
        calls.append(n)
        return n * scale

    assert made(3) == made(3) == 3 and made(3, scale=2) == 6 and calls == [3, 3]
    heddle.clear_memo()
    assert made(3) == 3 and calls == [3, 3, 3]


@pytest.mark.parametrize("dtype", ["i4", "u8", "f4", "f8"])
def test_scatter(dtype):
    for ours, theirs in (("add", "add"), ("max", "maximum"), ("min", "minimum")):
        a = numpy.arange(12).reshape(3, 4).astype(dtype)
        x = heddle.asarray(a)
        for index, value in (
            ([0, 2, 2], 5),
            ((slice(None), [1, 1]), numpy.array([[3], [4], [9]], dtype)),
            (numpy.array([True, False, True]), 1),
        ):
            assert getattr(cupyx, f"scatter_{ours}")(x, index, value) is None
            getattr(x, f"scatter_{ours}")(index, value)
            getattr(numpy, theirs).at(a, index, value)
            getattr(numpy, theirs).at(a, index, value)
            assert_exact(x, a)
    with pytest.raises(TypeError):
        cupyx.scatter_add([1, 2], [0], 1)


def test_rsqrt():
    for dtype in ("f4", "f8", "i4"):
        a = numpy.array([1, 4, 16]).astype(dtype)
        made = cupyx.rsqrt(heddle.asarray(a))
        assert_exact(made, 1 / numpy.sqrt(a))
        with waiting():
            assert heddle.explain(cupyx.rsqrt(heddle.asarray(a))).startswith("1 kernel ")
    out = heddle.zeros(3)
    assert cupyx.rsqrt(heddle.asarray([1.0, 4, 16]), out=out) is out
    assert out.tolist() == [1, 0.5, 0.25]


def test_page_locked_arrays():
    for make in (cupyx.empty_pinned, cupyx.zeros_pinned):
        for shape in (3, (2, 3), (0, 2), ()):
            a = make(shape, "f4")
            assert type(a) is numpy.ndarray and a.dtype == "f4"
            assert a.shape == numpy.zeros(shape).shape and a.flags.writeable
        assert make((2, 3), order="F").flags.f_contiguous
    assert not cupyx.zeros_pinned((5, 5)).any()
    b = numpy.ones((2, 3), "i2", order="F")
    for x in (b, heddle.asarray(b)):
        like = cupyx.zeros_like_pinned(x)
        assert (like.shape, like.dtype, like.flags.f_contiguous) == ((2, 3), "i2", True)
        assert cupyx.empty_like_pinned(x, "f8", "C", shape=(4,)).shape == (4,)
    heddle.ones((2, 3)).get(out=cupyx.empty_pinned((2, 3)))


def test_errstate():
    with cupyx.errstate(linalg="ignore"):
        assert heddle.isnan(heddle.linalg.inv(heddle.zeros((2, 2)))).all()
    assert cupyx.geterr() == {**numpy.geterr(), "linalg": "raise"}


def test_benchmark(capsys):
    x = heddle.arange(1000.0)
    calls = []

    def function(a, n, scale=1.0):
        calls.append(n)
        return (a * n * scale).sum()

    result = cupyx.profiler.benchmark(
        function, (x, 3), {"scale": 2.0}, n_repeat=5, n_warmup=2, name="sums"
    )
    assert calls == [3] * 7 and result.name == "sums"
    assert result.cpu_times.shape == (5,) and result.gpu_times.shape == (1, 5)
    assert (result.cpu_times > 0).all() and (result.gpu_times[0] >= result.cpu_times).all()
    print(result)
    assert "sums" in capsys.readouterr().out and "CPU" in result.to_str()
    short = cupyx.profiler.benchmark(lambda: None, n_repeat=10**6, max_duration=0.01)
    assert 0 < len(short.cpu_times) < 10**6
    for wrong in ({"args": [x]}, {"kwargs": 3}, {"n_repeat": 1.5}):
        with pytest.raises(ValueError):
            cupyx.profiler.benchmark(function, **wrong)


def test_time_range():
    with cupyx.profiler.time_range("part", color_id=2, sync=True) as entered:
        assert entered.message == "part"

    @cupyx.profiler.time_range()
    def function(x):
        return x + 1

    assert function(1) == 2 and function.__name__ == "function"
    with pytest.raises(ValueError), cupyx.profiler.time_range():
        pass
    with pytest.raises(ValueError):
        cupyx.profiler.time_range("a", color_id=1, argb_color=3)


def test_runtime_info():
    info = cupyx.get_runtime_info()
    assert heddle.__version__ in str(info) and info.numpy == numpy.__version__
    assert len(str(cupyx.get_runtime_info(full=False))) < len(str(info))
    with pytest.raises(AttributeError):
        info.nothing


@pytest.mark.host_memory
def test_capsules():
    x = heddle.arange(6.0).reshape(2, 3)
    for made in (heddle.fromDlpack(x.toDlpack()), heddle.fromDlpack(x)):
        assert_exact(made, numpy.arange(6.0).reshape(2, 3))
    made[0, 0] = 7  # in the same memory
    assert x[0, 0] == 7


def test_who(capsys, monkeypatch):
    """What CuPy says: global variables, each array counted once, and the sum in any case."""
    local = heddle.ones(7)
    heddle.who()
    assert (
        capsys.readouterr().out == "\nUpper bound on total bytes  =       0\n" and local.size == 7
    )
    monkeypatch.setitem(globals(), "named", heddle.ones((2, 3), "f4"))
    monkeypatch.setitem(globals(), "again", globals()["named"])
    heddle.who()
    said = capsys.readouterr().out.split("\n")
    assert said[2].split() == ["again", "2", "x", "3", "24", "float32"]
    assert said[3].split() == ["named", "(again)", "2", "x", "3", "24", "float32"]
    assert said[-2] == "Upper bound on total bytes  =       24"
    heddle.who({"other": heddle.zeros(4), "n": 5})
    assert capsys.readouterr().out.endswith("float64\n\nUpper bound on total bytes  =       32\n")


@pytest.mark.parametrize(
    "make, shape",
    [
        (lambda x: x, (24,)),
        (lambda x: x[:, ::2], (2, 2, 4)),
        (lambda x: x[:, :1], (2, 4)),
        (lambda x: x[:, :, :2], (6, 2)),
        (lambda x: x.T, (4, 3, 2)),
        (lambda x: x[:0], (0,)),
        (lambda x: x[0, 0, 0:1], ()),
        (lambda x: x[::-1], (2, 12)),
    ],
)
def test_reduced_view(make, shape):
    a = numpy.arange(24.0).reshape(2, 3, 4)
    x = make(heddle.asarray(a))
    view = x.reduced_view()
    assert view.shape == shape
    assert_exact(view.ravel(), make(a).ravel())
    if view.size:
        view[...] = 5
        assert bool((x == 5).all())
    with pytest.raises(ValueError):
        x.reduced_view("i4")


def test_names_that_numpy_dropped():
    x = heddle.asarray([[3.0, 1.0], [2.0, 0.0]])
    assert heddle.NaN != heddle.NAN and heddle.Inf == heddle.infty == heddle.PINF == -heddle.NINF
    assert numpy.signbit(heddle.NZERO) and not numpy.signbit(heddle.PZERO)
    assert heddle.float_ is numpy.float64 and heddle.complex_ is heddle.cfloat is numpy.complex128
    assert bool(heddle.sometrue(x)) and not bool(heddle.alltrue(x))
    assert float(heddle.product(x[0])) == 3 and heddle.cumproduct(x[0]).tolist() == [3, 3]
    assert heddle.msort(x).tolist() == [[2, 0], [3, 1]]
    with pytest.warns(DeprecationWarning, match="vstack"):
        assert heddle.row_stack([x, x]).shape == (4, 2)
    assert float(heddle.trapz(x[0])) == 2
    assert heddle.in1d(x, [1, 2]).tolist() == [False, True, True, False]
    assert heddle.round_(x / 3, 1)[0, 0] == 1
    assert heddle.asfarray([1, 2]).dtype == "f8" and heddle.asfarray([1], "f4").dtype == "f4"
    assert x.ptp() == heddle.ptp(x) and x.ptp(axis=1, keepdims=True).shape == (len(x), 1)
    assert heddle.AxisError is numpy.exceptions.AxisError
    assert heddle.is_available() == heddle.cuda.is_available()
    for name in heddle._later["_names.cupy"]:
        assert name in dir(heddle) and hasattr(heddle, name)


def test_byte_bounds():
    if heddle.default_device() not in ("cpu", "cuda:0"):
        pytest.skip("has no addresses")
    x = heddle.zeros((4, 5), "i4")
    low, high = heddle.byte_bounds(x)
    assert high - low == 80
    assert heddle.byte_bounds(x[::-1, ::-2]) == (low, high)
    assert heddle.byte_bounds(x[1:3, 2]) == (low + 28, low + 52)
    assert len(set(heddle.byte_bounds(x[:0]))) == 1


def test_state_of_errors():
    before = cupyx.seterr(linalg="ignore", divide="ignore")
    try:
        assert before["linalg"] == "raise"
        assert cupyx.geterr()["linalg"] == cupyx.geterr()["divide"] == "ignore"
        assert numpy.isnan(heddle.linalg.inv(heddle.zeros((2, 2))).get()).all()
        with cupyx.errstate(**before), pytest.raises(heddle.linalg.LinAlgError):
            heddle.linalg.inv(heddle.zeros((2, 2)))
    finally:
        assert cupyx.seterr(**before)["linalg"] == "ignore"
    assert cupyx.geterr() == before
    with pytest.raises(ValueError, match="linalg must be 'raise' or 'ignore', not 'warn'"):
        cupyx.seterr(linalg="warn")
    assert cupyx.geterr() == before


@pytest.mark.skipif(
    heddle.default_device().startswith("shadow"), reason="DLPack has no name for such memory"
)
def test_capsules_by_functions():
    x = heddle.arange(6.0).reshape(2, 3)
    made = heddle.fromDlpack(heddle.toDlpack(x))
    assert_exact(made, x.get())
    x[0, 0] = 9
    assert made[0, 0] == 9


def test_scatter_says_whose_array_it_needs():
    with pytest.raises(TypeError, match=r"must be a heddle\.ndarray, not a numpy\.ndarray"):
        cupyx.scatter_add(numpy.zeros(3), [0], 1.0)


def test_names_for_types_of_older_releases():
    assert (
        heddle.obj2sctype("i4") is numpy.int32
        and heddle.obj2sctype(numpy.floating) is numpy.floating
    )
    assert heddle.obj2sctype(heddle.ones(2, "f4")) is numpy.float32
    assert heddle.obj2sctype([1], default=dict) is dict and heddle.obj2sctype("nonsense") is None
    assert heddle.issctype(numpy.dtype("f8")) and not heddle.issctype(object)
    assert heddle.issubsctype(numpy.ones(2), float) and not heddle.issubsctype("i4", "f4")
    assert heddle.sctype2char("f2") == "e"
    with pytest.raises(ValueError, match="unrecognized type"):
        heddle.sctype2char([1])
    assert heddle.find_common_type([], ["i4", "i8"]) == "i8"
    assert heddle.find_common_type(["f4", "i8"], []) == "f8"
    assert heddle.find_common_type(["f8"], ["c8"]) == "c16"
    assert heddle.find_common_type(["u1"], ["i8"]) == "i8"
    assert heddle.find_common_type(["f4"], ["i8", "f8"]) == "f4"
    assert heddle.find_common_type(["f4"], ["U3"]) is None


def test_messages_of_older_releases(capsys):
    file = io.StringIO()
    heddle.disp("one", file, linefeed=False)
    heddle.disp(heddle.arange(2))
    assert file.getvalue() == "one" and capsys.readouterr().out == "[0 1]\n"
    assert heddle.safe_eval("(1, 'a')") == (1, "a")
    with pytest.raises(ValueError):
        heddle.safe_eval("print(1)")
    assert heddle.DataSource is numpy.lib.npyio.DataSource
    assert heddle.format_parser is numpy.rec.format_parser


def total(v):
    return v.sum()


GENERALIZED = [
    ({}, {}),
    ({}, {"axis": 0}),
    ({}, {"axis": 1, "keepdims": True}),
    ({}, {"keepdims": True}),
    ({}, {"axes": [(1,)]}),
    ({}, {"axes": [0, ()]}),
    ({"supports_batched": True}, {"axis": 0}),
]


@pytest.mark.parametrize(("made", "how"), GENERALIZED)
def test_generalized_sums(made, how):
    a = numpy.arange(24.0).reshape(2, 3, 4)
    function = (lambda v: v.sum(-1)) if made else total
    sums = cupyx.GeneralizedUFunc(function, "(n)->()", name="sums", doc="Doc.", **made)
    axis = how.get("axis", how["axes"][0] if "axes" in how else -1)
    expected = a.sum(axis, keepdims=how.get("keepdims", False))
    assert_exact(sums(heddle.asarray(a), **how), expected)
    out = heddle.zeros(expected.shape, "f4")
    assert sums(heddle.asarray(a), out=out, **how) is out
    assert_exact(out, expected.astype("f4"))
    assert (sums.__name__, sums.__doc__, sums.nin, sums.nout) == ("sums", "Doc.", 1, 1)


def test_generalized_products():
    a, b = numpy.arange(24.0).reshape(4, 2, 3), numpy.arange(12.0).reshape(1, 3, 4)
    product = cupyx.GeneralizedUFunc(lambda x, y: x @ y, "(i,j),(j,k)->(i,k)", name="product")
    x, y = heddle.asarray(a), heddle.asarray(b)
    assert_exact(product(x, y), a @ b)
    swapped = [(1, 2), (1, 2), (0, 2)]
    assert_exact(product(x, y, axes=swapped), numpy.matmul(a, b, axes=swapped))
    assert product(x, y, dtype="f4").dtype == "f4"
    with pytest.raises(TypeError, match="according to the rule 'safe'"):
        product(x, y, dtype="f4", casting="safe")
    for how in ({"axis": 0}, {"keepdims": True}, {"axes": [(0, 1)]}, {"axes": ((0, 1),)}):
        with pytest.raises(ValueError, match=r"^product: "):
            product(x, y, **how)
    with pytest.raises(ValueError, match="mismatch in its dimension j"):
        product(x, x)
    with pytest.raises(ValueError, match="too few dimensions"):
        product(x, y[0, 0])
    with pytest.raises(TypeError, match="takes 2 arguments, 1 were given"):
        product(x)


def test_generalized_functions_that_ask_for_elements():
    def both(v):
        return (v[0], v[1]) if float(v[0]) < float(v[1]) else (v[1], v[0])

    pairs = cupyx.GeneralizedUFunc(both, "(n)->(),()", name="pairs")
    low, high = pairs(heddle.array([[3, 1], [2, 5]]))
    assert low.tolist() == [1, 2] and high.tolist() == [3, 5]


def test_generalized_functions_by_type():
    calls = []

    def of(kind):
        def function(v):
            calls.append(kind)
            return v.sum(-1)

        return function

    sums = cupyx.GeneralizedUFunc(
        of("any"),
        "(n)->()",
        name="sums",
        supports_batched=True,
        signatures=[("h->i", of("h")), ("d->d", of("d"))],
        try_fastcall_func=lambda x, **k: 0 if x.size == 0 else NotImplemented,
    )
    made = sums(heddle.ones((2, 3), "i1"))
    assert made.dtype == "i4" and made.tolist() == [3, 3]
    assert sums(heddle.ones((2, 3), "f4")).dtype == "f8" and calls == ["h", "d"]
    assert sums(heddle.ones(0)) == 0
    with pytest.raises(TypeError, match="no function for arguments of types complex128"):
        sums(heddle.ones(3, complex))
    for text in ("(i,j)(i,j)", "(i,j)-(i,j)", "j->(i", "", "()->()->"):
        with pytest.raises(ValueError, match="is no signature"):
            cupyx.GeneralizedUFunc(total, text)


def test_generalized_functions_that_write():
    def doubled(v, out=None):
        return heddle.multiply(v, 2, out=out)

    twice = cupyx.GeneralizedUFunc(doubled, "(n)->(n)", supports_batched=True, supports_out=True)
    out = heddle.zeros((2, 3))
    assert twice(heddle.ones((2, 3)), out=out) is out and out.tolist() == [[2.0] * 3] * 2
    assert twice(heddle.ones(3)).tolist() == [2.0] * 3 and twice.__name__ == "doubled"


@pytest.mark.parametrize(
    "wait",
    [
        lambda x: x.get(),
        lambda x: float(x.sum()),
        lambda x: bool((x > 0).all()),
        lambda x: heddle.asnumpy(x),
        lambda x: x.tolist(),
        lambda x: str(x + 1),
        lambda x: heddle.cuda.Stream.null.synchronize(),
        lambda x: heddle.cuda.Device(0).synchronize(),
        lambda x: heddle.cuda.Event().synchronize(),
    ],
)
def test_waiting_is_refused(wait):
    x = heddle.arange(3.0) * 2
    with cupyx.allow_synchronize(False):
        y = x + 1
        with pytest.raises(cupyx.DeviceSynchronized, match="while disallowed"):
            wait(x)
        with cupyx.allow_synchronize(True):
            wait(x)
        with pytest.raises(cupyx.DeviceSynchronized):
            wait(x)
        others = threading.Thread(target=lambda: found.append(x.tolist()))
        found = []
        others.start()
        others.join()
    wait(x)
    assert found == [[0, 2, 4]] and y.tolist() == [1, 3, 5]
