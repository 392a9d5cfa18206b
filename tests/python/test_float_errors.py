"""errstate and seterr: errors of floating-point operations, against NumPy's."""

import threading
import warnings

import numpy as np
import pytest

import heddle as hd

pytestmark = pytest.mark.unrecorded("records itself")

KINDS = ("divide", "over", "under", "invalid")
BIG, TINY, NAN, INF = 1e300, 1e-300, np.nan, np.inf


def error_of(module, function, operands, kind, dtype=None):
    """The text of the error that is raised, or None."""
    arrays = [module.array(x, dtype=dtype if isinstance(x, list) else None) for x in operands]
    with module.errstate(all="ignore", **{kind: "raise"}):
        try:
            made = function(module, *arrays)
            if module is hd:
                hd.eval(
                    *(
                        m
                        for m in (made if isinstance(made, tuple) else (made,))
                        if type(m) is hd.ndarray
                    )
                )
        except FloatingPointError as error:
            return str(error)
    return None


OPERATIONS = {
    "divide": (lambda m, x, y: x / y, [[1.0, 2.0], [1.0, 0.0]]),
    "divide, nothing by nothing": (lambda m, x, y: x / y, [[0.0], [0.0]]),
    "divide, beyond": (lambda m, x, y: x / y, [[BIG], [TINY]]),
    "divide, small": (lambda m, x, y: x / y, [[TINY], [BIG]]),
    "divide, well": (lambda m, x, y: x / y, [[1.0, INF, NAN, 0.0], [2.0, 2.0, 0.0, 3.0]]),
    "divide by infinity": (lambda m, x, y: x / y, [[1.0], [INF]]),
    "by a number": (lambda m, x: x / 0, [[1.0, 2.0]]),
    "a number by": (lambda m, x: 1 / x, [[1.0, 0.0]]),
    "floor_divide": (lambda m, x, y: x // y, [[1.0], [0.0]]),
    "floor_divide, integers": (lambda m, x, y: x // y, [[1, 2], [1, 0]]),
    "floor_divide, the least": (lambda m, x, y: x // y, [[1, -(2**63)], [-1, -1]]),
    "floor_divide, by a number": (lambda m, x: x // -1, [[5, -(2**63)]]),
    "floor_divide, well": (lambda m, x, y: x // y, [[-(2**63), 3], [2, -1]]),
    "remainder of the least": (lambda m, x, y: x % y, [[-(2**63)], [-1]]),
    "remainder": (lambda m, x, y: x % y, [[1.0], [0.0]]),
    "remainder, integers": (lambda m, x, y: x % y, [[1, 2], [1, 0]]),
    "fmod": (lambda m, x, y: m.fmod(x, y), [[1.0], [0.0]]),
    "fmod, integers": (lambda m, x, y: m.fmod(x, y), [[1, 2], [1, 0]]),
    "reciprocal": (lambda m, x: m.reciprocal(x), [[0.0]]),
    "add": (lambda m, x, y: x + y, [[1.7e308], [1.7e308]]),
    "add, infinities": (lambda m, x, y: x + y, [[INF], [-INF]]),
    "add, well": (lambda m, x, y: x + y, [[INF, NAN, 1.0], [1.0, 1.0, 1.0]]),
    "subtract": (lambda m, x, y: x - y, [[INF], [INF]]),
    "subtract, to nothing": (lambda m, x, y: x - y, [[1.0], [1.0]]),
    "multiply": (lambda m, x, y: x * y, [[BIG], [BIG]]),
    "multiply, small": (lambda m, x, y: x * y, [[TINY], [TINY]]),
    "multiply, subnormal": (lambda m, x, y: x * y, [[1.1e-154], [1.3e-160]]),
    "multiply, zero": (lambda m, x, y: x * y, [[0.0], [TINY]]),
    "multiply, zero by infinity": (lambda m, x, y: x * y, [[0.0], [INF]]),
    "square": (lambda m, x: m.square(x), [[BIG]]),
    "square, small": (lambda m, x: m.square(x), [[TINY]]),
    "power": (lambda m, x, y: x**y, [[BIG], [3.0]]),
    "power, pole": (lambda m, x, y: x**y, [[0.0], [-1.0]]),
    "power, roots of negatives": (lambda m, x, y: x**y, [[-8.0], [1 / 3]]),
    "power, small": (lambda m, x, y: x**y, [[0.5], [2000.0]]),
    "sqrt": (lambda m, x: m.sqrt(x), [[-1.0]]),
    "sqrt, well": (lambda m, x: m.sqrt(x), [[0.0, 4.0, INF, NAN]]),
    "log": (lambda m, x: m.log(x), [[0.0, 1.0]]),
    "log of negatives": (lambda m, x: m.log(x), [[-1.0]]),
    "log, to nothing": (lambda m, x: m.log(x), [[1.0, 2.0]]),
    "log2": (lambda m, x: m.log2(x), [[0.0]]),
    "log10": (lambda m, x: m.log10(x), [[0.0]]),
    "log1p": (lambda m, x: m.log1p(x), [[-1.0]]),
    "log1p of less": (lambda m, x: m.log1p(x), [[-2.0]]),
    "exp": (lambda m, x: m.exp(x), [[1000.0]]),
    "exp, small": (lambda m, x: m.exp(x), [[-1000.0]]),
    "exp, well": (lambda m, x: m.exp(x), [[0.0, INF, -INF, NAN]]),
    "exp2": (lambda m, x: m.exp2(x), [[2000.0]]),
    "expm1": (lambda m, x: m.expm1(x), [[1000.0]]),
    "sinh": (lambda m, x: m.sinh(x), [[1000.0]]),
    "cosh": (lambda m, x: m.cosh(x), [[-1000.0]]),
    "sin of infinity": (lambda m, x: m.sin(x), [[INF]]),
    "arcsin": (lambda m, x: m.arcsin(x), [[2.0]]),
    "arccosh": (lambda m, x: m.arccosh(x), [[0.5]]),
    "arctanh, pole": (lambda m, x: m.arctanh(x), [[1.0]]),
    "arctanh beyond": (lambda m, x: m.arctanh(x), [[2.0]]),
    "sum": (lambda m, x: x.sum(), [[1.7e308, 1.7e308]]),
    "sum of infinities": (lambda m, x: x.sum(), [[INF, -INF]]),
    "sum with nan": (lambda m, x: x.sum(), [[INF, NAN]]),
    "prod": (lambda m, x: x.prod(), [[BIG, BIG]]),
    "cumsum": (lambda m, x: m.cumsum(x), [[1.7e308, 1.7e308, 1.0]]),
    "matmul": (lambda m, x, y: x @ y, [[[BIG, 1.0], [1.0, 1.0]], [[BIG, 1.0], [1.0, 1.0]]]),
    "comparisons": (lambda m, x, y: x < y, [[NAN], [1.0]]),
    "maximum": (lambda m, x, y: m.maximum(x, y), [[NAN, INF], [1.0, 2.0]]),
    "where": (lambda m, x: m.where(x > 0, x, 1.0), [[NAN, INF, 1.0]]),
    "isnan": (lambda m, x: m.isnan(x), [[NAN, INF, 1.0]]),
    "to integers": (lambda m, x: x.astype("int64"), [[NAN, 1.0]]),
    "to integers, beyond": (lambda m, x: x.astype("int32"), [[1e20]]),
    "to integers, well": (lambda m, x: x.astype("int64"), [[1.5, -7.25]]),
    "to single": (lambda m, x: x.astype("float32"), [[BIG]]),
    "to single, small": (lambda m, x: x.astype("float32"), [[TINY]]),
    "hypot": (lambda m, x, y: m.hypot(x, y), [[1.7e308], [1.7e308]]),
}


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_operations(name, kind):
    function, operands = OPERATIONS[name]
    expected = error_of(np, function, operands, kind)
    assert error_of(hd, function, operands, kind) == expected


@pytest.mark.parametrize("dtype", ["float16", "float32", "complex64", "complex128"])
@pytest.mark.parametrize("kind", ["divide", "over", "invalid"])
def test_types(dtype, kind):
    big = float(np.finfo(dtype).max)
    for operation, operands in (
        (lambda m, x, y: x + y, [[big], [big]]),
        (lambda m, x, y: x - y, [[INF], [INF]]),
        (lambda m, x, y: x * y, [[2.0], [3.0]]),
        (lambda m, x: m.log(x), [[0.0]]),
    ):
        expected = error_of(np, operation, operands, kind, dtype)
        found = error_of(hd, operation, operands, kind, dtype)
        assert (found is None) == (expected is None), (dtype, kind, expected, found)


NUMBERS = {
    "log": (lambda m, x: m.log(x), 0.0),
    "sqrt": (lambda m, x: m.sqrt(x), -1.0),
    "exp": (lambda m, x: m.exp(x), 2000.0),
    "small": (lambda m, x: m.exp(x), -2000.0),
    "well": (lambda m, x: m.log(x), 2.0),
    "two": (lambda m, x: m.hypot(x, x), 1.7e308),
}


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("kind", KINDS)
def test_operations_on_numbers(name, kind):
    """Elements are computed with at the call, and nobody heard of it."""
    function, number = NUMBERS[name]
    element = lambda m: [function(m, m.array([number])[0])]  # noqa: E731
    of_scalar = lambda m: [function(m, np.float64(number))]  # noqa: E731
    for f in (element, of_scalar):
        assert error_of(hd, f, [], kind) == error_of(np, f, [], kind)


def test_nothing_is_raised_where_nothing_is_seen():
    x, y = hd.array([1.0, 2.0, 3.0]), hd.array([1.0, 0.0, 2.0])
    with hd.errstate(all="raise"):
        out = hd.zeros(3)
        hd.divide(x, y, out=out, where=y != 0)
        assert out.tolist() == [1.0, 0.0, 1.5]
        hd.divide(x, y, hd.zeros(3), where=[True, False, True])
        with pytest.raises(FloatingPointError, match="divide by zero encountered in divide"):
            hd.divide(x, y, out=hd.zeros(3), where=[True, True, False])


def test_a_failed_write_changes_nothing():
    x = hd.array([1.0, 2.0])
    with hd.errstate(divide="raise"), pytest.raises(FloatingPointError):
        x /= 0
    assert x.tolist() == [1.0, 2.0]
    with hd.errstate(over="raise"), pytest.raises(FloatingPointError, match="in multiply"):
        x[1:] *= hd.array([1e308])
    assert x.tolist() == [1.0, 2.0]


def test_what_was_pending_before_is_not_asked():
    x = hd.ones(3) / hd.zeros(3)
    with hd.errstate(all="raise"):
        assert (x + 1).tolist() == [np.inf] * 3


def test_blocks_nest():
    x = hd.array([1.0, 0.0])
    with hd.errstate(divide="raise", invalid="raise"):
        with hd.errstate(divide="ignore"):
            1 / x
            with pytest.raises(FloatingPointError, match="invalid value encountered in sqrt"):
                hd.sqrt(x - 1)
        with pytest.raises(FloatingPointError):
            1 / x
    1 / x
    assert hd._core.float_checks() == 0
    assert not hd._core.recording()


def test_as_a_decorator():
    @hd.errstate(divide="raise")
    def inverse(x):
        return 1 / x

    with pytest.raises(FloatingPointError):
        inverse(hd.zeros(2))
    assert hd._core.float_checks() == 0


def test_seterr():
    before = hd.seterr(all="raise")
    try:
        with pytest.raises(FloatingPointError, match="divide by zero encountered in log"):
            hd.log(hd.zeros(3))
        assert hd.geterr() == dict.fromkeys(KINDS, "raise")
        # Another thread has its own.
        found = []
        thread = threading.Thread(target=lambda: found.append(hd.log(hd.zeros(3)).tolist()))
        thread.start()
        thread.join()
        assert found == [[-np.inf] * 3]
    finally:
        assert hd.seterr(**before) == dict.fromkeys(KINDS, "raise")
    assert hd._core.float_checks() == 0
    assert hd.log(hd.zeros(1)).tolist() == [-np.inf]


def test_seterr_inside_of_a_differentiated_function():
    def f(x):
        hd.seterr(over="raise")
        return hd.exp(x).sum()

    before = hd.geterr()
    try:
        assert hd.grad(f)(hd.array([0.0])).tolist() == [1.0]
        with pytest.raises(FloatingPointError):
            hd.grad(f)(hd.array([1000.0]))
    finally:
        hd.seterr(**before)
    assert not hd._core.recording()


def test_warnings():
    x = hd.array([1.0, 0.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        1 / x  # nobody asked
    with hd.errstate(divide="warn"), pytest.warns(RuntimeWarning, match="divide by zero") as seen:
        1 / x
    assert seen[0].filename == __file__


def test_functions_that_are_told(capsys):
    x = hd.array([-1.0, 0.0])
    told = []
    before = hd.seterrcall(lambda text, flag: told.append((text, flag)))
    try:
        with hd.errstate(all="call"):
            hd.log(x)
    finally:
        hd.seterrcall(before)
    expected = []
    before = np.seterrcall(lambda text, flag: expected.append((text, flag)))
    try:
        with np.errstate(all="call"):
            np.log(np.array([-1.0, 0.0]))
    finally:
        np.seterrcall(before)
    assert told[0][0] == "divide by zero"
    assert [flag & 15 for _, flag in told] == [1, 8]
    assert [text for text, _ in told] == [text for text, _ in expected]

    class Log:
        lines = ()

        def write(self, text):
            Log.lines += (text,)

    before = hd.seterrcall(Log())
    try:
        with hd.errstate(divide="log"):
            hd.log(x)
    finally:
        hd.seterrcall(before)
    assert Log.lines == ("Warning: divide by zero encountered in log\n",)
    with hd.errstate(divide="print"):
        hd.log(x)
    assert capsys.readouterr().err == "Warning: divide by zero encountered in log\n"


def test_transformations_hear_it():
    def f(x):
        return hd.log(x).sum()

    zeros = hd.zeros(2)
    with hd.errstate(divide="raise"):
        for g in (hd.jit(f), hd.grad(f), hd.vmap(hd.log), hd.jit(hd.vmap(hd.log))):
            with pytest.raises(FloatingPointError, match="encountered in log"):
                g(zeros)
    compiled = hd.jit(f)
    compiled(hd.ones(2))
    compiled(hd.ones(2))
    with hd.errstate(divide="raise"), pytest.raises(FloatingPointError):
        compiled(zeros)


# Functions that NumPy computes without a word about what happens inside of them.
QUIET = {
    "nan_to_num": lambda m, x: m.nan_to_num(x),
    "sinc": lambda m, x: m.sinc(m.array([0.0, 1.0, 2.0])),
    "nanmean": lambda m, x: m.nanmean(x),
    "nansum": lambda m, x: m.nansum(x),
    "nanmax": lambda m, x: m.nanmax(x),
    "nanstd": lambda m, x: m.nanstd(x),
    "nanmedian": lambda m, x: m.nanmedian(x),
    "nanpercentile": lambda m, x: m.nanpercentile(x, 30),
    "median": lambda m, x: m.median(m.array([1.0, 2.0, 4.0])),
    "percentile": lambda m, x: m.percentile(m.array([1.0, 2.0, 4.0]), [10, 50]),
    "mean": lambda m, x: m.mean(m.array([1.0, 2.0, 4.0])),
    "var": lambda m, x: m.var(m.array([1.0, 2.0, 4.0])),
    "average": lambda m, x: m.average(m.array([1.0, 2.0]), weights=m.array([0.0, 2.0])),
    "angle": lambda m, x: m.angle(m.array([0.0, 1j])),
    "interp": lambda m, x: m.interp([0.0, 0.5, 3.0], [0.0, 1.0], [1.0, 2.0]),
    "histogram": lambda m, x: m.histogram(m.array([0.0, 0.0, 1.0]), bins=3),
    "gradient": lambda m, x: m.gradient(m.array([1.0, 1.0, 3.0])),
    "cov": lambda m, x: m.cov(m.array([[1.0, 2.0, 4.0], [2.0, 1.0, 0.0]])),
    "corrcoef": lambda m, x: m.corrcoef(m.array([[1.0, 2.0, 4.0], [2.0, 1.0, 0.0]])),
    "polyfit": lambda m, x: m.polyfit(m.arange(5.0), m.arange(5.0) ** 2, 2),
    "polyval": lambda m, x: m.polyval([1.0, 0.0], m.array([0.0, 2.0])),
    "linspace": lambda m, x: m.linspace(0, 1, 5),
    "logspace": lambda m, x: m.logspace(0, 3, 4),
    "geomspace": lambda m, x: m.geomspace(1, 1000, 4),
    "kaiser": lambda m, x: m.kaiser(7, 14.0),
    "hanning": lambda m, x: m.hanning(7),
    "i0": lambda m, x: m.i0(m.array([0.0, 1.0])),
    "unwrap": lambda m, x: m.unwrap(m.array([0.0, 4.0, 8.0])),
    "isclose": lambda m, x: m.isclose(x, x),
    "allclose": lambda m, x: m.allclose(x, x),
    "array_equal": lambda m, x: m.array_equal(x, x, equal_nan=True),
    "sort": lambda m, x: m.sort(x),
    "argmax": lambda m, x: m.argmax(x),
    "unique": lambda m, x: m.unique(x),
    "clip": lambda m, x: m.clip(x, 0, 1),
    "round": lambda m, x: m.round(x, 2),
    "logaddexp": lambda m, x: m.logaddexp(m.array([-INF, 1000.0]), m.array([-INF, 1000.0])),
    "hypot": lambda m, x: m.hypot(m.array([0.0, 3.0]), m.array([0.0, 4.0])),
    "arctan2": lambda m, x: m.arctan2(m.array([0.0, 3.0]), m.array([0.0, -4.0])),
    "norm": lambda m, x: m.linalg.norm(m.array([0.0, 0.0])),
    "solve": lambda m, x: m.linalg.solve(m.array([[2.0, 0.0], [0.0, 1.0]]), m.array([1.0, 2.0])),
    "inv": lambda m, x: m.linalg.inv(m.array([[2.0, 0.0], [0.0, 1.0]])),
    "svd": lambda m, x: m.linalg.svd(m.array([[2.0, 0.0], [0.0, 0.0]])),
    "eigh": lambda m, x: m.linalg.eigh(m.array([[2.0, 0.0], [0.0, 0.0]])),
    "lstsq": lambda m, x: m.linalg.lstsq(m.eye(3), m.ones(3), rcond=None)[0],
    "pinv": lambda m, x: m.linalg.pinv(m.array([[2.0, 0.0], [0.0, 0.0]])),
    "det": lambda m, x: m.linalg.det(m.array([[2.0, 0.0], [0.0, 0.0]])),
    "slogdet": lambda m, x: m.linalg.slogdet(m.array([[2.0, 0.0], [0.0, 0.0]])),
    "fft": lambda m, x: m.fft.fft(m.zeros(8)),
    "cross": lambda m, x: m.cross(m.array([1.0, 0, 0]), m.array([0, 1.0, 0])),
    "trapezoid": lambda m, x: m.trapezoid(m.zeros(4)),
    "spacing": lambda m, x: m.spacing(m.array([1.0, 0.5])),
    "ldexp": lambda m, x: m.ldexp(m.array([1.0, 0.5]), 3),
    "frexp": lambda m, x: m.frexp(m.array([0.0, INF, 3.0])),
    "modf": lambda m, x: m.modf(m.array([0.0, INF, 3.5])),
    "sign": lambda m, x: m.sign(x),
    "convolve": lambda m, x: m.convolve(m.zeros(4), m.ones(2)),
    "meshgrid": lambda m, x: m.meshgrid(m.zeros(4), m.ones(2)),
}


@pytest.mark.parametrize("name", QUIET)
def test_functions_that_say_nothing(name):
    for elements in ([NAN, INF, 1.0, 0.0, -2.0], [0.0, 1.0, 2.0]):
        results = {}
        for module in (np, hd):
            x = module.array(elements)
            with module.errstate(all="raise"):
                try:
                    QUIET[name](module, x)
                    results[module.__name__] = None
                except FloatingPointError as error:
                    results[module.__name__] = str(error)
        assert results["heddle"] == results["numpy"]


ONE = "negative absolute sqrt square exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos"
ONE += " arctan sinh cosh tanh arcsinh arccosh arctanh floor rint sign reciprocal cbrt isnan"
TWO = "add subtract multiply divide remainder fmod hypot arctan2 maximum fmin copysign less equal"


def kinds_of(module, name, *operands):
    """Which errors, but for underflow, an operation tells of."""
    told = set()
    before = module.seterrcall(lambda text, flag: told.add(text))
    try:
        with module.errstate(divide="call", over="call", invalid="call", under="ignore"):
            getattr(module, name)(*operands)
    finally:
        module.seterrcall(before)
    return told


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_all_kinds_over_extreme_numbers(dtype):
    limits = np.finfo(dtype)
    numbers = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 90.0, -800.0, INF, -INF, NAN]
    numbers += [float(limits.max), -float(limits.max), float(limits.tiny), 1e16]
    for x in numbers:
        a = np.full(3, x, dtype)
        for name in ONE.split():
            assert kinds_of(hd, name, hd.array(a)) == kinds_of(np, name, a), (name, x)
    for x, y in np.random.default_rng(0).choice(numbers, (40, 2)):
        a, b = np.full(3, x, dtype), np.full(3, y, dtype)
        for name in TWO.split():
            found = kinds_of(hd, name, hd.array(a), hd.array(b))
            assert found == kinds_of(np, name, a, b), (name, x, y)
