"""Memory seen from both sides, and results that are scalars in NumPy."""

import array
import gc
import itertools
import math
import operator
import pickle

import numpy
import pytest
from support import DTYPES, STANDARD, assert_exact, name, random_values

import heddle

pytestmark = pytest.mark.written_outside

VIEWS = {
    "whole": lambda x: x,
    "part": lambda x: x[1:3],
    "transposed": lambda x: x.T,
    "strided": lambda x: x[::2, 1::2],
    "reversed": lambda x: x[::-1, ::-1],
    "column": lambda x: x[:, 1],
    "new axis": lambda x: x[:, None],
    "broadcast": lambda x: (numpy if isinstance(x, numpy.ndarray) else heddle).broadcast_to(
        x, (2, *x.shape)
    ),
}
EXPORTS = {
    "asarray": numpy.asarray,
    "dlpack": numpy.from_dlpack,
    "memoryview": lambda x: numpy.asarray(memoryview(x)),
    "array interface": lambda x: numpy.asarray(Interface(x)),
}


class Interface:
    """Only the protocol, nothing else; keeps the array."""

    def __init__(self, x):
        self.x = x
        self.__array_interface__ = x.__array_interface__


@pytest.mark.host_memory
@pytest.mark.parametrize("view", [v for v in VIEWS if v != "broadcast"])
@pytest.mark.parametrize("export", EXPORTS)
def test_writes_are_seen_on_both_sides(view, export):
    x = heddle.arange(24.0).reshape(4, 6)
    seen = VIEWS[view](x)
    before = x * 2
    outside = EXPORTS[export](seen)
    assert_exact(seen, outside)
    outside[...] = 50
    assert (seen.get() == 50).all() and (VIEWS[view](x).get() == 50).all()
    seen += 1
    assert (outside == 51).all()
    x[...] = 7
    assert (outside == 7).all()
    seen[...] = heddle.arange(float(seen.size)).reshape(seen.shape)
    assert_exact(seen, outside)
    assert_exact(before, numpy.arange(24.0).reshape(4, 6) * 2)


@pytest.mark.host_memory
@pytest.mark.parametrize("export", EXPORTS)
def test_results_before_an_outside_write_never_change(export):
    x = heddle.arange(1000.0)
    pending = heddle.sqrt(x)
    part = x[10:20]
    outside = EXPORTS[export](part)
    later = x + 1
    of_part = part * 2
    total = x.sum()
    element = x[15]
    copied = x.copy()
    outside[:] = -1
    expected = numpy.arange(1000.0)
    assert_exact(pending, numpy.sqrt(expected))
    assert_exact(later, expected + 1)
    assert_exact(of_part, expected[10:20] * 2)
    assert float(total) == expected.sum() and float(element) == 15
    assert_exact(copied, expected)
    assert float(x[15]) == -1


# A raw address has no end: the array stays shared as long as it lives.
@pytest.mark.host_memory
@pytest.mark.parametrize("export", [e for e in EXPORTS if e != "array interface"])
def test_deferral_resumes(export):
    x = heddle.arange(1000.0)
    heddle.eval(x)
    assert (x + 1).pending
    outside = EXPORTS[export](x)
    assert not (x + 1).pending and not (x[::2] * 2).pending
    second = outside[5:]
    del outside
    gc.collect()
    assert not (x + 1).pending
    del second
    gc.collect()
    assert (x + 1).pending
    x += 1
    assert float(x[0]) == 1


@pytest.mark.host_memory
def test_address_stays_while_somebody_looks():
    x = heddle.zeros(1000)
    outside = numpy.asarray(x)
    address = outside.ctypes.data
    for step in range(5):
        x[:] = heddle.ones(1000) * step
        x += 1
        assert numpy.asarray(x).ctypes.data == address
    assert (outside == 5).all()


@pytest.mark.parametrize("dtype", DTYPES, ids=name)
def test_aliases_of_all_types(dtype):
    a = random_values(dtype, (3, 4))
    x = heddle.asarray(a, copy=False)
    assert_exact(x, a)
    x[1] = x[0]
    assert_exact(a[1].copy(), a[0].copy())
    a[2] = a[0]
    assert_exact(x, a)


@pytest.mark.parametrize("view", [v for v in VIEWS if v != "broadcast"])
def test_aliases_of_views(view):
    base = numpy.arange(24.0).reshape(4, 6)
    a = VIEWS[view](base)
    x = heddle.asarray(a, copy=False)
    assert x.shape == a.shape
    assert all(
        mine == theirs or n == 1
        for mine, theirs, n in zip(x.strides, a.strides, a.shape, strict=True)
    )
    expected = base.copy()
    changed = VIEWS[view](expected)
    x += 1
    changed += 1
    assert_exact(base.copy(), expected)
    x[0] = 5
    changed[0] = 5
    assert_exact(base.copy(), expected)
    result = x * 2
    base[...] = 0
    assert_exact(result, changed * 2)
    assert (x.get() == 0).all()


def test_aliases_that_cannot_be_written():
    a = numpy.arange(6.0)
    a.flags.writeable = False
    for given in (a, numpy.frombuffer(bytes(48)), numpy.broadcast_to(numpy.ones(1), 6)):
        x = heddle.asarray(given, copy=False)
        assert not x.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            x[0] = 1
        with pytest.raises(ValueError, match="read-only"):
            x += 1
        assert not numpy.asarray(x).flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            numpy.asarray(x)[0] = 1
        assert_exact(x * 2, given * 2)
    with pytest.raises(BufferError):
        memoryview_writable(heddle.asarray(a, copy=False))


def memoryview_writable(x):
    """Asks for a buffer to write to."""
    view = memoryview(x)
    if view.readonly:
        raise BufferError("read-only")
    return view


def test_what_cannot_be_shared():
    record = numpy.zeros(5, [("a", "i1"), ("b", "f8")])
    for given in (record["b"], numpy.zeros(3, ">f8"), [1, 2], 3.5, range(3)):
        with pytest.raises(ValueError):
            heddle.asarray(given, copy=False)
    assert_exact(heddle.asarray(record["b"]), numpy.zeros(5))
    assert_exact(heddle.asarray(numpy.arange(3, dtype=">f8")), numpy.arange(3.0))
    with pytest.raises(ValueError):
        heddle.asarray(numpy.ones(3, "f8"), dtype="f4", copy=False)


@pytest.mark.host_memory
def test_products_of_few_elements():
    """How products of a length are computed is remembered: here shared memory asks first."""
    generator = numpy.random.default_rng(3)
    for dtype, length, step in itertools.product(["f4", "f8", "i8"], range(1, 40), [1, 2, -1]):
        a = generator.integers(-9, 9, length).astype(dtype)
        b = generator.integers(-9, 9, length * abs(step)).astype(dtype)[::step]
        shared, plain = heddle.asarray(a, copy=False), heddle.asarray(a)
        other = heddle.asarray(generator.integers(-9, 9, length * 2).astype(dtype))[::2]
        for one in (shared, plain):
            for second in (heddle.asarray(b, copy=False), heddle.asarray(b), other, one):
                wanted = numpy.dot(a, second.get())
                assert one @ second == heddle.dot(second, one) == wanted, (dtype, length, step)


@pytest.mark.host_memory
def test_memory_outlives_its_owner_and_the_other_way_round():
    outside = numpy.asarray(heddle.ones(1000) * 3)
    gc.collect()
    heddle.eval([heddle.zeros(1000) for _ in range(10)])
    assert (outside == 3).all()
    x = heddle.asarray(numpy.full(1000, 4.0), copy=False)
    y = x + 1
    gc.collect()
    assert float(x.sum()) == 4000 and float(y.sum()) == 5000
    released = array.array("d", [1, 2, 3])
    z = heddle.frombuffer(released)
    with pytest.raises(BufferError):
        released.append(4)
    del z
    gc.collect()
    released.append(4)


@pytest.mark.host_memory
def test_chains_of_views_there_and_back():
    x = heddle.arange(10.0)
    back = heddle.asarray(numpy.asarray(x)[::2], copy=False)
    back[0] = 100
    assert float(x[0]) == 100
    x[2] = 200
    assert float(back[1]) == 200
    y = back + x[::2]
    assert float(y[0]) == 200


def test_out_and_in_place_on_shared_memory_that_overlaps():
    a = numpy.arange(10.0)
    x = heddle.asarray(a, copy=False)
    x[1:] = x[:-1]
    expected = numpy.arange(10.0)
    expected[1:] = expected[:-1].copy()
    assert_exact(a.copy(), expected)
    heddle.add(x[:-1], x[1:], out=x[1:])
    expected[1:] = expected[:-1] + expected[1:]
    assert_exact(a.copy(), expected)
    other = heddle.asarray(a, copy=False)  # two storages, one memory
    x[:] = 1
    assert (other.get() == 1).all()
    other += x
    assert (x.get() == 2).all()


@pytest.mark.host_memory
def test_memoryview_formats():
    for dtype in STANDARD:
        a = random_values(dtype, (2, 3))
        view = memoryview(heddle.asarray(a))
        expected = memoryview(a)
        assert (view.format, view.shape, view.strides) == (
            expected.format,
            expected.shape,
            expected.strides,
        )
        assert view.nbytes == a.nbytes and bytes(view) == a.tobytes()
        view.release()
    assert bytes(heddle.arange(3, dtype="i1")) == b"\0\1\2"
    with pytest.raises(BufferError):
        memoryview(heddle.ones(3, heddle.bfloat16))


# --- scalars ---

MAKE = {
    "element": lambda x: x[2],
    "element of two": lambda x: x.reshape(2, 3)[1, 0] - 1,
    "sum": lambda x: x[:3].sum() - 1,
    "max": lambda x: x[:3].max(),
    "method": lambda x: x.reshape(6)[2],
}


@pytest.mark.parametrize("make", MAKE)
@pytest.mark.parametrize("dtype", ["i4", "i8", "u1", "f4", "f8"])
def test_scalars_are_as_handy_as_numpy_s(make, dtype):
    s = MAKE[make](heddle.arange(6, dtype=dtype))
    n = s.dtype.type(2)
    assert s.shape == () and s == 2
    assert hash(s) == hash(n) and {s: 1}[2] == 1 and s in {2} and {n: "x"}[s] == "x"
    assert s in [1, 2] and [1, 2, 3].index(s) == 1
    for convert in (
        int,
        float,
        complex,
        bool,
        round,
        abs,
        operator.neg,
        str,
        math.sqrt,
        math.floor,
    ):
        assert convert(s) == convert(n)
    assert math.isclose(math.exp(s), math.exp(n)) and math.hypot(s, s) == math.hypot(n, n)
    for spec in ("", "5", ".3f", "e", "08.2f", "+.1f", "g", "%"):
        if numpy.dtype(dtype).kind != "f" and spec == "":
            assert f"{s}" == f"{n}"
        assert format(s, spec) == format(n, spec)
    assert f"{s!s}" == f"{n!s}" and f"{s:>8}" == f"{n:>8}"
    for op in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
        assert bool(op(s, 3)) == op(2, 3) and bool(op(3, s)) == op(3, 2)
    assert sorted([heddle.asarray(3.0), s, 1]) == [1, 2, 3] and max(s, 1) == 2
    assert s.item() == 2 and type(s.item()) is type(n.item())
    assert pickle.loads(pickle.dumps(s)) == 2
    if numpy.dtype(dtype).kind in "iu":
        assert operator.index(s) == 2 and list(range(s)) == [0, 1] and "abc"[s] == "c"
        assert [0, 1, 2][s] == 2 and "x" * int(s) == "xx" and hex(s) == "0x2"
        assert numpy.zeros(s).shape == (2,) and heddle.zeros(s).shape == (2,)
        assert heddle.arange(6)[s] == 2 and heddle.arange(6)[:s].shape == (2,)
        assert f"{s:d}" == "2" and f"{s:x}" == "2" and f"{s:03d}" == "002"
    else:
        assert round(s + 0.25, 1) == round(n + n.dtype.type(0.25), 1)
        with pytest.raises(TypeError):
            range(s)


def test_scalars_are_snapshots():
    x = heddle.arange(6.0)
    y, total = x[0], x.sum()
    x[0] = 5
    assert y == 0 and total == 15
    before = y
    y += 1
    assert y == 1 and before == 0 and x[0] == 5
    again = x.sum()
    again[()] = 3
    assert again == 3 and total == 15 and x.sum() == 20
    assert x[1:2].shape == (1,)  # a view
    view = x[1:2]
    x[1] = 9
    assert view[0] == 9


def test_scalars_are_strong():
    one = heddle.arange(3, dtype="f8")[1]
    assert (heddle.ones(3, "f4") + one).dtype == "f8"
    assert (heddle.ones(3, "f4") + 1.0).dtype == "f4"
    assert (heddle.arange(3, dtype="u1")[1] + 1).dtype == "u1"
    assert (heddle.ones(3, "i1") * heddle.arange(3, dtype="i4").sum()).dtype == "i8"


def test_scalars_cost_nothing_until_they_are_needed():
    x = heddle.arange(1000.0)
    heddle.eval(x)
    heddle.reset_stats()
    element, total = x[3] * 2, x.sum() / 7
    assert heddle.stats()["launched"] == 0
    assert element == 6 and total == x.sum() / 7


def test_truth_and_membership():
    x = heddle.arange(4)
    assert x[1] and not x[0] and not x[:0].any() and x.any()
    assert 3 in x and 7 not in x
    assert (x == x).all() and not (x != x).any()
    assert [i for i in x if i > 1] == [2, 3]
    assert dict(zip(x, "abcd", strict=True))[2] == "c"


def test_methods_of_python_s_numbers():
    def program(np):
        x = np.array([1.5, 2.5])
        return x.sum().is_integer(), x[0].is_integer(), x[0].as_integer_ratio(), x[0].hex()

    assert program(heddle) == program(numpy)
    assert not hasattr(heddle.ones(2), "is_integer") and not hasattr(heddle.array(1.0), "hex")


def test_names_that_are_missing_say_so():
    with pytest.raises(AttributeError, match=r"no attribute 'nothing'$"):
        heddle.nothing
    for missed in ("object_", "str_", "datetime64", "void", "exceptions", "longdouble"):
        assert getattr(heddle, missed) is getattr(numpy, missed)


# --- memory that is not aligned is copied ---


@pytest.mark.parametrize("dtype", STANDARD, ids=name)
def test_unaligned_buffers(dtype):
    for offset in (0, 1, 2, 4):
        memory = bytes(offset) + random_values(dtype, 5).tobytes()
        expected = numpy.frombuffer(memory, dtype, 5, offset)
        with heddle.device("cpu"):
            assert_exact(heddle.frombuffer(memory, dtype, 5, offset), expected)
            assert_exact(heddle.ndarray((5,), dtype, memory, offset), expected)
            assert_exact(heddle.asarray(expected), expected)
            assert_exact(heddle.from_dlpack(expected.copy()), expected)
        assert_exact(heddle.add(heddle.ones(5, dtype), expected), numpy.ones(5, dtype) + expected)


def test_unaligned_memory_by_dlpack():
    class Producer:
        def __init__(self, a):
            self.a = a

        def __dlpack__(self, **kwargs):
            return self.a.__dlpack__(**kwargs)

        def __dlpack_device__(self):
            return self.a.__dlpack_device__()

    memory = bytearray(1) + bytearray(numpy.arange(4.0).tobytes())
    unaligned = numpy.frombuffer(memory, "f8", 4, 1)
    made = heddle.from_dlpack(Producer(unaligned))
    assert_exact(made, unaligned)
    made[0] = 7  # in memory of its own
    assert unaligned[0] == 0
    for refused in (
        lambda: heddle.from_dlpack(Producer(unaligned), copy=False),
        lambda: heddle.asarray(unaligned, copy=False),
    ):
        with pytest.raises(ValueError):
            refused()
    assert_exact(heddle.frombuffer(memory[1:], ">f8"), unaligned.view("u8").byteswap().view("f8"))
