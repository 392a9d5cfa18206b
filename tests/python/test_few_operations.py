"""Operations on few elements in memory, which are computed at the call: to the last bit what they
are where they wait, whatever operands are like, and nothing that waited is lost by it."""

import zlib

import numpy
import pytest
from oracles import NAMES
from support import host, waiting

import heddle

DTYPES = "?bBhHiIlLefdFD"
LENGTH = 13


def values(dtype, seed):
    rng = numpy.random.default_rng(seed)
    made = rng.uniform(-3, 3, (LENGTH, 3))
    if numpy.dtype(dtype).kind == "c":
        made = made + 1j * rng.uniform(-3, 3, (LENGTH, 3))
    if numpy.dtype(dtype).kind in "fc":
        made.flat[:4] = 0.0, numpy.inf, numpy.nan, -0.0
    if numpy.dtype(dtype).kind == "u":
        made = numpy.abs(made)
    return made.astype(dtype)


def operands(count, dtype, kind):
    """Operands of one kind, in memory: rows, columns, one array several times, numbers, matrices
    and what lies the other way round."""
    made = [heddle.asarray(values(dtype, seed)) for seed in range(count)]
    heddle.eval(*made)
    if kind == "columns":
        return [m[:, i] for i, m in enumerate(made)]
    if kind == "same":
        return [made[0][:, 0]] * count
    if kind == "number":
        return [made[0][0], *[values(dtype, 0).item(4)] * (count - 1)]
    if kind == "matrices":
        return made
    if kind == "reversed":
        return [m[::-1, 0] for m in made]
    return [m[i] for i, m in enumerate(made)]


KINDS = ["rows", "columns", "same", "number", "matrices", "reversed"]


def outcome(function, args, waits):
    try:
        with waiting(waits), numpy.errstate(all="ignore"):
            made = function(*args)
            made = made if isinstance(made, tuple) else (made,)
            return [(host(m).dtype, host(m).shape, host(m).tobytes()) for m in made]
    except (TypeError, ValueError) as error:
        return type(error)


@pytest.mark.parametrize("name", NAMES)
def test_every_operation(name):
    function = getattr(heddle, name, None) or heddle._core.ufuncs[name]
    count = function.nin
    if getattr(function, "signature", None):
        pytest.skip("is about matrices")
    places = zlib.crc32(name.encode())
    for i, kind in enumerate(KINDS):
        dtype = DTYPES[(places + i * 5) % len(DTYPES)]
        args = operands(count, dtype, kind)
        assert outcome(function, args, False) == outcome(function, args, True), (kind, dtype)


@pytest.mark.parametrize("left", DTYPES)
def test_types_mix(left):
    for right in DTYPES:
        a, b = heddle.asarray(values(left, 0)[0]), heddle.asarray(values(right, 1)[0])
        heddle.eval(a, b)
        for operate in (heddle.multiply, heddle.maximum, heddle.less, heddle.where):
            args = (a > 0, a, b) if operate is heddle.where else (a, b)
            made = [outcome(operate, args, waits) for waits in (False, True)]
            assert made[0] == made[1], (left, right, operate)


@pytest.mark.unrecorded("what is recorded waits")
@pytest.mark.skipif(heddle.default_device() != "cpu", reason="elements of host memory")
def test_what_is_computed_at_the_call():
    a = heddle.asarray(numpy.arange(24.0).reshape(4, 6)).eval()
    big = heddle.ones(5000).eval()

    def is_pending(x):
        return heddle._core.explain(x).startswith(("1 kernel", "2 kernels"))

    assert not any(map(is_pending, (a + 1, a[:, 2] * a[:, 3], a[0].astype("f4"), a == a)))
    assert all(map(is_pending, (big + 1, a[::-1] + 1, a + a[0], heddle.arange(5) * 2)))
    with waiting():
        assert is_pending(a + 1)


def test_what_was_computed_keeps_its_elements():
    a = heddle.asarray(numpy.arange(6.0)).eval()
    b = a + 1
    late = a[::-1] * b  # waits
    a[2] = 100
    a += b
    assert b.tolist() == [1, 2, 3, 4, 5, 6]
    assert late.tolist() == [5, 8, 9, 8, 5, 0]
    assert a.tolist() == [1, 3, 103, 7, 9, 11]


def test_small_arrays_are_written_where_they_are():
    for lib in (numpy, heddle):
        x = lib.zeros((4, 3))
        seen, kept = x[1:], x.copy()
        x[0] = [1, 2, 3]
        x[1] = x[0] * 2
        x[:, 1] = x[:, 0] + x[:, 2]
        x[2:] = 7
        before = x + 0
        x[...] = 5
        seen[0] += 1
        assert kept.tolist() == [[0] * 3] * 4
        assert before.tolist() == [[1, 4, 3], [2, 8, 6], [7, 7, 7], [7, 7, 7]]
        assert x.tolist() == [[5] * 3, [6] * 3, [5] * 3, [5] * 3]


def test_rows_and_columns_of_recurrences():
    rng = numpy.random.default_rng(3)
    source = rng.random((40, 60))

    def columns(lib):
        x, made = lib.asarray(source), lib.empty_like(lib.asarray(source))
        made[:, 0] = x[:, 0]
        for j in range(1, 60):
            made[:, j] = 0.5 * x[:, j] + 0.25 * made[:, j - 1] - made[::-1, j - 1] * 0.1
        return made

    def rows(lib):
        x, made = lib.asarray(source), lib.zeros((40, 60), "f4")
        for i in range(1, 40):
            made[i] = made[i - 1] * 0.5 + x[i]
            made[i - 1, 1:] -= made[i, :-1]
        return made

    for program in (columns, rows):
        expected = program(numpy)
        for waits in (False, True):
            with waiting(waits):
                assert host(program(heddle)).tobytes() == expected.tobytes()
