"""Making arrays: from data, filled, counted, grids."""

import gc
import warnings
import weakref

import numpy
import pytest
from compare import check
from support import DTYPES, STANDARD, assert_exact, name

import heddle
from heddle import _core


@pytest.mark.parametrize("dtype", DTYPES, ids=name)
def test_filled(dtype):
    check(lambda np: np.zeros((2, 3), dtype))
    check(lambda np: np.ones((2, 3), dtype, order="F"))
    check(lambda np: np.full((2, 3), 1, dtype))
    check(lambda np: np.full((2, 3), np.asarray([1, 0, 1]), dtype))
    check(lambda np: np.full_like(np.ones((2, 3), dtype), 1))
    check(lambda np: np.zeros_like(np.ones((2, 3)), dtype))
    check(lambda np: np.ones_like(np.zeros((2, 3)).T, dtype))
    check(lambda np: np.empty((0, 3), dtype))
    check(lambda np: np.empty((3, 0), dtype).shape)


def test_filled_arguments():
    check(lambda np: np.zeros(3))
    check(lambda np: np.zeros(()))
    check(lambda np: np.zeros([2, 3], int))
    check(lambda np: np.zeros(np.int64(3)))
    check(lambda np: np.zeros((2, -1)))
    check(lambda np: np.zeros(2.5))
    check(lambda np: np.zeros(3, order="K"))
    check(lambda np: np.ones((2, 3), order="f").strides)
    check(lambda np: np.full(3, 300, np.uint8))
    check(lambda np: np.full(3, -1, np.uint8))
    check(lambda np: np.full(3, 3.7, np.uint8))
    check(lambda np: np.full(3, 2.5))
    check(lambda np: np.full(3, True))
    check(lambda np: np.full(3, np.float32(1.5)))
    check(lambda np: np.full((2, 3), [1.5, 2, 3]))
    check(lambda np: np.full((2, 3), [1.5, 2]))
    check(lambda np: np.full(2, 2**63))
    check(lambda np: np.full_like(np.arange(3), 2.7))
    check(lambda np: np.zeros_like([1.0, 2.0], shape=(4,)))
    check(lambda np: np.zeros_like(np.zeros((2, 3)), shape=5, dtype=int))
    check(lambda np: np.zeros(3, "no such type"))


@pytest.mark.parametrize("function", ["empty_like", "zeros_like", "ones_like"])
def test_like_keeps_memory_order(function):
    for order in "KACF":
        check(lambda np, o=order: getattr(np, function)(np.zeros((2, 3, 4)).T, order=o).strides)
        check(
            lambda np, o=order: (
                getattr(np, function)(np.zeros((2, 3, 4)).transpose(1, 0, 2), order=o).strides
            )
        )


def test_array_from_data():
    check(lambda np: np.array([1, 2, 3]))
    check(lambda np: np.array([[1, 2.5], [3, 4]]))
    check(lambda np: np.array([True, False]))
    check(lambda np: np.array(5))
    check(lambda np: np.array(5, ndmin=2))
    check(lambda np: np.array([1, 2, 3], ndmin=3))
    check(lambda np: np.array([1.7, -2.2], dtype=int))
    check(lambda np: np.array([1, 2j]))
    check(lambda np: np.array([]))
    check(lambda np: np.array([[], []]))
    check(lambda np: np.array([[1, 2], [3]]))
    check(lambda np: np.array([300], np.uint8))
    check(lambda np: np.array([np.arange(3), np.arange(3) * 2.5]))
    check(lambda np: np.array([[np.arange(3)[1], 2], [3, np.float32(4)]]))
    check(lambda np: np.array([np.arange(3), np.arange(2)]))
    check(lambda np: np.array((np.zeros(2), [1, 2])))
    check(lambda np: np.array([1, 2], order="Q"))
    check(lambda np: np.array([1, 2], copy=False))
    check(lambda np: np.asarray([1, 2], copy=False))
    check(lambda np: np.array(np.arange(6).reshape(2, 3), order="F").strides)
    check(lambda np: np.array(np.arange(6).reshape(2, 3).T).strides)
    check(lambda np: np.asarray(range(4)))
    check(lambda np: np.asarray(np.arange(3), dtype=float, copy=False))
    check(lambda np: np.ascontiguousarray(5))
    check(lambda np: np.ascontiguousarray(np.arange(6).reshape(2, 3).T).strides)
    check(lambda np: np.asfortranarray(np.arange(6).reshape(2, 3)).strides)
    check(lambda np: np.asfortranarray(3).shape)
    check(lambda np: np.require(np.arange(6.0).reshape(2, 3), np.float32, ["F", "W"]).strides)
    check(lambda np: np.require(np.arange(3), None, ["C", "F"]))
    check(lambda np: np.copy(np.arange(4)[::-1]))
    check(lambda np: np.asarray_chkfinite([1.0, float("inf")]))
    check(lambda np: np.asarray_chkfinite([1, 2], float))
    check(lambda np: [np.isfortran(np.zeros((2, 3), order=order)) for order in "CF"])


def test_array_copies_and_asarray_does_not():
    a = heddle.arange(4)
    assert heddle.asarray(a) is a
    b = heddle.array(a)
    b[0] = 9
    assert int(a[0]) == 0
    host = numpy.arange(4)
    copied = heddle.asarray(host)
    host[0] = 7
    assert int(copied[0]) == 0


def test_alias_of_numpy_memory():
    host = numpy.arange(4.0)
    alias = heddle.asarray(host, copy=False)
    alias[1] = 9
    assert host[1] == 9
    host[2] = -1
    assert float(alias[2]) == -1
    before = alias + 1
    host[0] = 100
    assert float(before[0]) == 1
    with pytest.raises(ValueError):
        heddle.asarray(host, dtype=numpy.float32, copy=False)
    with pytest.raises(ValueError):
        heddle.asarray([1, 2], copy=False)


def test_like_argument():
    assert isinstance(heddle.zeros(3, like=numpy.zeros(1)), numpy.ndarray)
    assert isinstance(heddle.zeros(3, like=heddle.zeros(1)), _core.own_array)
    with pytest.raises(TypeError):
        heddle.zeros(3, like=3)


RANGES = [
    (5,),
    (0,),
    (-3,),
    (2, 9),
    (2, 9, 3),
    (9, 2, -2),
    (0.5,),
    (0.1, 1.0, 0.1),
    (1, 2, 0.3),
    (5, 0, -0.7),
    (1e-3, 1e3, 7.77),
    (0.0, 1e-300, 1e-301),
    (1.0, 1.0),
    (2**40, 2**40 + 4),
    (True,),
    (0, 3, 1e-17 * 1e17),
    (2**63, 2**63 + 3),
    (0, float("nan")),
    (0, float("inf")),
    (0, 5, 0),
    (0.0, 5.0, 0.0),
    (3j,),
    (0, 2 + 2j, 0.5 + 0.5j),
]


@pytest.mark.parametrize("bounds", RANGES, ids=str)
def test_arange(bounds):
    check(lambda np: np.arange(*bounds))


@pytest.mark.parametrize("dtype", STANDARD, ids=name)
def test_arange_dtype(dtype):
    check(lambda np: np.arange(10, dtype=dtype))
    check(lambda np: np.arange(2, dtype=dtype))
    check(lambda np: np.arange(1, 2, 0.15, dtype=dtype))
    check(lambda np: np.arange(0.1, 30, 0.37, dtype=dtype))
    check(lambda np: np.arange(-3, 40, 2, dtype=dtype))
    check(lambda np: np.arange(0, 5, 0.5, dtype=dtype))


def test_arange_scalars():
    check(lambda np: np.arange(np.float32(3)))
    check(lambda np: np.arange(np.int8(3), np.int8(5)))
    check(lambda np: np.arange(np.asarray(4)))
    check(lambda np: np.arange(start=1, stop=4, step=2))
    check(lambda np: np.arange(0, stop=5, dtype=np.float16))
    check(lambda np: np.arange())
    check(lambda np: np.arange(stop=4))
    check(lambda np: np.arange(stop=4, step=3))
    check(lambda np: np.arange(start=3))  # an error: by name it is not where the range stops
    check(lambda np: np.arange(start=3, step=2, dtype=float))
    check(lambda np: np.arange(start=3, stop=None))
    check(lambda np: np.arange(4, start=1))
    check(lambda np: np.arange(4, 8, start=1))
    check(lambda np: np.arange(None, 3))
    check(lambda np: np.arange(None))
    check(lambda np: np.arange(None, device="cpu"))
    check(lambda np: np.arange(stop=None))
    check(lambda np: np.arange(3, None, 2))
    check(lambda np: np.arange(3, dtype=bool))
    check(lambda np: np.arange(300, 302, dtype=np.uint8))


def test_linspace():
    for endpoint in (True, False):
        for num in (0, 1, 2, 5, 50):
            check(lambda np, n=num, e=endpoint: np.linspace(0, 1, n, endpoint=e))
            check(lambda np, n=num, e=endpoint: np.linspace(-3.3, 7, n, e, dtype=int))
            check(lambda np, n=num, e=endpoint: np.linspace(1, 3j, n, e, retstep=True)[0])
            check(lambda np, n=num, e=endpoint: np.linspace([0, 1], [5, 7.5], n, e, axis=-1))
            check(lambda np, n=num, e=endpoint: np.linspace(np.float32(0), np.float32(1), n, e))
            check(
                lambda np, n=num, e=endpoint: np.linspace(
                    np.asarray([0.0, 1.0]), np.asarray([0.0, 7.5]), n, e
                )
            )
    check(lambda np: np.linspace(0, 1, 5, retstep=True))
    check(lambda np: np.linspace(0, 1, 1, retstep=True))
    check(lambda np: np.linspace([0, 2], 4, 5, retstep=True))
    assert repr(heddle.linspace(0, 1, 5, retstep=True)[1]) == "np.float64(0.25)"
    check(lambda np: np.linspace(0, 5e-324, 3))
    check(lambda np: np.linspace(0, 1, -1))
    check(lambda np: np.linspace(0, 1, 2.5))
    check(lambda np: np.linspace(0, 10, 4, dtype=np.float32))
    check(lambda np: np.linspace([0, 1], [1, 2, 3]))


def test_logspace_and_geomspace():
    check(lambda np: np.logspace(0, 3, 4), ulp=4)
    check(lambda np: np.logspace(0, 3, 7, base=2, endpoint=False), ulp=4)
    check(lambda np: np.logspace([0, 1], 3, 4, axis=-1), ulp=4)
    check(lambda np: np.logspace(0, 3, 4, base=[2.0, 3.0]), ulp=4)
    check(lambda np: np.logspace(0, 3, 4, dtype=int))
    check(lambda np: np.geomspace(1, 1000, 4), ulp=8)
    check(lambda np: np.geomspace(-1000, -1, 4), ulp=8)
    check(lambda np: np.geomspace(1, 256, 9, endpoint=False), ulp=16)
    check(lambda np: np.geomspace([1, 10], [1000, 5], 4, axis=1), ulp=8)
    check(lambda np: np.geomspace(1j, 1000j, 4), ulp=16)
    check(lambda np: np.geomspace(0, 1, 4))


def test_triangles_and_diagonals():
    check(lambda np: np.eye(3))
    check(lambda np: np.eye(3, 5, 1, int))
    check(lambda np: np.eye(4, 2, -1, np.complex64, order="F"))
    check(lambda np: np.eye(0))
    check(lambda np: np.eye(-1))
    check(lambda np: (np.tri(-1), np.tri(3, -1), np.tril_indices(-1), np.triu_indices(-2)))
    check(lambda np: np.identity(3, bool))
    for k in (-3, -1, 0, 1, 2, 7):
        check(lambda np, k=k: np.tri(3, 4, k))
        check(lambda np, k=k: np.tril(np.arange(24).reshape(2, 3, 4), k))
        check(lambda np, k=k: np.triu(np.arange(12.0).reshape(3, 4), k))
        check(lambda np, k=k: np.tril_indices(3, k, 4))
        check(lambda np, k=k: np.triu_indices(4, k, 3))
        check(lambda np, k=k: np.triu_indices_from(np.zeros((4, 3)), k))
        check(lambda np, k=k: np.tril_indices_from(np.zeros((4, 3)), k))
        check(lambda np, k=k: np.diag(np.arange(3), k))
        check(lambda np, k=k: np.diag(np.arange(12).reshape(3, 4), k))
        check(lambda np, k=k: np.diagflat([[1, 2], [3, 4]], k))
    check(lambda np: np.tril(np.arange(3)))
    check(lambda np: np.diag(np.zeros((2, 2, 2))))
    check(lambda np: np.mask_indices(3, np.triu, 1))
    check(lambda np: np.diag_indices(3, 3))
    check(lambda np: np.diag_indices_from(np.zeros((3, 3))))
    check(lambda np: np.diag_indices_from(np.zeros((3, 4))))
    check(lambda np: np.vander([1, 2, 3], 4))
    check(lambda np: np.vander([1.5, 2, 3], increasing=True))
    check(lambda np: np.vander(np.zeros((2, 2))))


def test_grids():
    check(lambda np: np.meshgrid([1, 2, 3], [4.0, 5.0]))
    check(lambda np: np.meshgrid([1, 2, 3], [4, 5], [6, 7], indexing="ij"))
    check(lambda np: np.meshgrid([1, 2, 3], [4, 5], sparse=True))
    check(lambda np: tuple(np.meshgrid([1, 2, 3], [4, 5], sparse=True, copy=False)))
    check(lambda np: np.meshgrid([1, 2], indexing="no"))
    check(lambda np: np.meshgrid([1, 2], 3))
    check(lambda np: np.indices((2, 3)))
    check(lambda np: np.indices((2, 3), np.float32))
    check(lambda np: np.indices((2, 3), sparse=True))
    check(lambda np: np.indices(()))
    check(lambda np: np.indices((2, 1), bool))
    check(lambda np: np.indices((2, 3), bool))
    check(lambda np: np.fromfunction(lambda i, j: i * 10 + j, (3, 4)))
    check(lambda np: np.fromfunction(lambda i, j: i == j, (3, 3), dtype=int))
    check(lambda np: np.fromiter((x * x for x in range(5)), float))
    check(lambda np: np.fromiter(range(5), int, count=3))
    check(lambda np: np.fromiter(range(2), int, count=3))
    check(lambda np: np.mgrid[0:3, 1:4])
    check(lambda np: np.mgrid[[slice(3), slice(1, 4)]])
    check(lambda np: np.mgrid[0:1:5j])
    check(lambda np: np.mgrid[-1:1:5j, 0:3])
    check(lambda np: np.mgrid[0:5:2])
    check(lambda np: np.mgrid[0:1:0.25, 0:2])
    check(lambda np: np.ogrid[0:3, 1:4])
    check(lambda np: np.ogrid[0:3:4j, 1:4])
    # Python's numbers are weak.
    check(lambda np: np.mgrid[np.float32(0) : 1 : np.float32(0.25), 0:2])
    check(lambda np: np.mgrid[np.float16(0) : 1 : 3j])
    check(lambda np: np.mgrid[np.int8(0) : 4, 0 : np.int8(2)])
    check(lambda np: np.r_[np.float32(0) : 1 : 3j])
    check(lambda np: np.linspace(np.float32(0), 1, 3))
    check(lambda np: np.linspace(0, np.asarray([1, 2], np.complex64), 3))
    check(lambda np: np.linspace(np.int8(0), 1, 3))


def test_order_none_is_the_default():
    check(lambda np: np.zeros((2, 3), order=None).strides)
    check(lambda np: np.full((2, 3), 1, order=None).strides)
    a = numpy.arange(6).reshape(3, 2).T
    check(lambda np: np.asarray(a).copy(None).strides)
    check(lambda np: np.asarray(a).astype(float, order=None).strides)
    check(lambda np: np.asarray(a).ravel(None))
    check(lambda np: np.asarray(a).flatten(None))
    check(lambda np: np.asarray(a).reshape(6, order=None))


def test_diagonals_far_outside():
    for k in (2**63, -(2**70)):
        check(lambda np, k=k: np.eye(2, 3, k))
    check(lambda np: np.tri(2, k=2**63))


def test_joining_by_index():
    check(lambda np: np.r_[1:4, 0, 9])
    check(lambda np: np.r_[np.asarray([1.5, 2]), 0, 3])
    check(lambda np: np.r_[0:1:5j])
    check(lambda np: np.r_["0,2", [1, 2], [3, 4]])
    check(lambda np: np.r_["0,2,0", [1, 2], [3, 4]])
    check(lambda np: np.r_["1,3,1", [1, 2], [3, 4]])
    check(lambda np: np.r_["-1", np.ones((2, 2)), np.zeros((2, 1))])
    check(lambda np: np.r_[np.asarray([1, 2], np.int8), 3])
    check(lambda np: np.c_[[1, 2], [3, 4]])
    check(lambda np: np.c_[np.asarray([[1, 2, 3]]), 0, 0, np.asarray([[4, 5, 6]])])
    check(lambda np: np.r_[1, "x"])
    check(lambda np: np.arange(10)[np.s_[2:8:2]])
    check(lambda np: np.arange(10)[np.index_exp[::3]])


def test_copyto():
    def copied(np, target, *args, **kwargs):
        target = np.asarray(target)
        np.copyto(target, *args, **kwargs)
        return target

    check(lambda np: copied(np, [1, 2, 3], 5))
    check(lambda np: copied(np, [1, 2, 3], 5.5))
    check(lambda np: copied(np, [1, 2, 3], 5.5, casting="unsafe"))
    check(lambda np: copied(np, [1.0, 2, 3], np.arange(3)))
    check(lambda np: copied(np, [1, 2, 3], [7, 8, 9], where=[True, False, True]))
    check(lambda np: copied(np, [1, 2, 3], np.arange(3.0), where=True))
    check(lambda np: copied(np, [1, 2, 3], np.arange(2)))
    check(lambda np: copied(np, [1, 2, 3], [[7, 8, 9]]))
    check(lambda np: copied(np, [[1, 2, 3]] * 2, [7, 8, 9], where=[[True], [False]]))
    check(lambda np: copied(np, np.zeros(3, np.uint8), 300))
    check(lambda np: np.copyto([1], 1))
    check(lambda np: copied(np, [1, 2, 3], 5, where=[1, 0, 1]))


@pytest.mark.parametrize("dtype", ["i8", "u1", "f4", "f8", "?"])
@pytest.mark.parametrize("number", [3, 3.0, True, 1j])
@pytest.mark.parametrize("casting", ["no", "equiv", "safe"])
def test_copyto_casts_numbers(dtype, number, casting):
    def copied(np):
        target = np.zeros(3, dtype)
        np.copyto(target, number, casting=casting)
        return target

    check(copied)


@pytest.mark.unrecorded("is about which kernels there are")
def test_creation_stays_lazy_and_fuses():
    heddle.reset_stats()
    result = heddle.arange(1000) * 2 + heddle.ones(1000) + heddle.linspace(0, 1, 1000)
    assert heddle.stats()["launched"] == 0
    heddle.eval(result)
    assert heddle.stats()["launched"] == 1
    assert_exact(result, numpy.arange(1000) * 2 + numpy.ones(1000) + numpy.linspace(0, 1, 1000))


class Subclass(heddle.ndarray):
    def __new__(cls, count):
        made = heddle.ndarray.__new__(cls, (count,), "i4")
        made.fill(count)
        return made


@pytest.mark.host_memory
def test_constructor():
    assert heddle.ndarray((2, 3)).shape == (2, 3)
    assert heddle.ndarray(3, dtype="i4").dtype == "i4"
    check(lambda np: np.ndarray((2, 2), "i4", b"0123456789abcdefghij", offset=4, strides=(8, 4)))
    for arguments in ((), ("x",), (3, "x"), ((2,), "f8", b"123")):
        check(lambda np, given=arguments: np.ndarray(*given))


@pytest.mark.host_memory
@pytest.mark.written_outside
def test_constructor_in_memory_of_another_array():
    base = heddle.arange(8, dtype="i4")
    part = heddle.ndarray((2,), "i4", base, offset=4)
    part[0] = 9
    assert base[1] == 9


def test_subclasses_are_arrays():
    made = Subclass(3)
    assert type(made) is Subclass
    assert_exact(made + 1, numpy.full(3, 4, "i4"))
    assert_exact(heddle.concatenate([made, made]), numpy.full(6, 3, "i4"))


@pytest.mark.parametrize("make", [heddle.arange, Subclass], ids=["ndarray", "subclass"])
def test_weak_references(make):
    a = make(3)
    gone = []
    reference = weakref.ref(a, gone.append)
    other = weakref.ref(a)
    assert reference() is a and other() is a
    assert weakref.getweakrefcount(a) == 2
    view = a[1:]
    assert reference() is a
    del a
    assert reference() is view.base
    del view
    assert reference() is None and other() is None
    assert gone == [reference]
    for _ in range(300):  # memory that is used again has none of the old references
        assert weakref.getweakrefcount(make(3)) == 0


def test_many_arrays_do_not_keep_the_collector_busy():
    """As in NumPy: it looks at no array, however many there are."""
    assert not gc.is_tracked(heddle.arange(3))
    assert not gc.is_tracked(heddle.arange(3)[0])


def test_bool_is_no_extent():
    for function in (
        lambda np: np.zeros((True,)),
        lambda np: np.zeros(True),
        lambda np: np.ones(6).reshape(True, -1),
        lambda np: np.reshape(np.ones(6), (True, -1)),
        lambda np: np.ones((2, 3)).sum(axis=True),
        lambda np: np.cumsum(np.ones((2, 3)), axis=True),
        lambda np: np.ones((2, 3)).transpose(True, False),
    ):
        check(function)


@pytest.mark.host_memory
def test_copy_modes_and_memory_of_others():
    memory = bytearray(8)
    shared = heddle.asarray(memoryview(memory).cast("d"), copy=False)
    shared[0] = 1.5
    assert memory != bytearray(8)
    assert heddle.asarray(memoryview(heddle.array(3.0))) == 3
    for copy in (numpy._CopyMode.ALWAYS, numpy._CopyMode.IF_NEEDED):
        assert_exact(heddle.array([1, 2], copy=copy), numpy.array([1, 2]))
    check(lambda np: np.array([1, 2], copy=False))
    check(lambda np: np.array(1, copy=False))
    check(lambda np: np.array([1], copy="yes"))
    check(lambda np: np.array([1], ndmin=2, ndmax=1))
    assert heddle.arange(3, dtype=object).tolist() == [0, 1, 2]
    with pytest.raises(TypeError):
        heddle.arange("a", "b")


@pytest.mark.parametrize("shape", [(0, 3), (3, 0, 2), (0,), (2, 3)])
def test_strides_of_empty_arrays(shape):
    check(lambda np: np.zeros(shape).strides)
    check(lambda np: np.zeros(shape).T.strides)
    check(lambda np: np.empty(shape, order="F").strides)
    check(lambda np: (np.zeros(shape) + 1).strides)
    check(lambda np: np.zeros(shape)[:0].strides)
    check(lambda np: np.zeros(shape).view("f4").shape)


@pytest.mark.parametrize(
    "cast",
    [
        lambda np, z: z.astype(float),
        lambda np, z: np.array(z, dtype="f4"),
        lambda np, z: np.asarray(z, dtype="i8"),
        lambda np, z: np.asarray(z, dtype=bool),
        lambda np, z: np.asarray(z, dtype="c8"),
        lambda np, z: np.copyto(np.zeros(2), z, casting="unsafe"),
        lambda np, z: np.add(z, z, out=np.zeros(2), casting="unsafe"),
        lambda np, z: np.sum(z, dtype=float),
        lambda np, z: np.zeros(2).__setitem__(slice(None), z),
        lambda np, z: np.zeros(2).__setitem__([True, False], z[:1]),
        lambda np, z: (z.real, z.imag, abs(z), np.var(z), z.mean()),
    ],
)
def test_warnings_of_lost_imaginary_parts(cast):
    def program(np):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            cast(np, np.array([1j, 2.0]))
        return [w.category.__name__ for w in caught]

    check(program)


def test_arguments_of_makers_are_checked():
    for bad in (-1, 65):
        check(lambda np, n=bad: np.array([1, 2], ndmax=n))
    for most in (0, 1, 2):
        check(lambda np, n=most: np.array(np.ones((2, 2)), ndmax=n))
        check(lambda np, n=most: np.array(np.ones((2, 2)), int, ndmax=n))
    check(lambda np: np.array(3.0, ndmax=0))
    check(lambda np: np.array(3.0, ndmin=1, ndmax=0))
    check(lambda np: np.fromstring("12", "i4"))
    check(lambda np: np.diag(np.eye(3)).flags.writeable)
    check(lambda np: np.diag(np.eye(3)).__setitem__(0, 5))


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "u1", "?", "c16", "f2"])
def test_arrays_like_others_of_all_layouts(dtype):
    for view in (lambda a: a, lambda a: a.T, lambda a: a[::2], lambda a: a[1], lambda a: a[1, 1]):
        for maker in ("zeros_like", "ones_like"):
            check(lambda np, v=view, f=maker: getattr(np, f)(v(np.ones((4, 3), dtype))))
            like = getattr(numpy, maker)(view(numpy.ones((4, 3), dtype)))
            ours = getattr(heddle, maker)(view(heddle.ones((4, 3), dtype)))
            assert ours.shape == like.shape and ours.dtype == like.dtype
            assert ours.ndim == 0 or ours.strides == like.strides


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
@pytest.mark.parametrize("function", ["array", "asarray", "copy"])
def test_orders_of_copies_of_parts_of_numpys(function, order):
    # "A" asks for the order of what is given, which a part that is not dense does not have.
    whole = numpy.arange(24.0).reshape(2, 3, 4)
    for part in (
        whole,
        whole.T,
        whole[:, ::2].swapaxes(0, 2),
        whole.T[1:],
        whole[:, 0],
        whole[..., 1:],
    ):
        ours = getattr(heddle, function)(part, order=order)
        theirs = numpy.array(part, order=order)
        assert_exact(ours, theirs)
        assert ours.strides == theirs.strides


@pytest.mark.host_memory
@pytest.mark.parametrize("dtype", ["S1", "U3", "O", "M8[s]", [("a", int)]], ids=str)
@pytest.mark.parametrize(
    "call",
    [
        lambda np, dtype: np.eye(2, dtype=dtype),
        lambda np, dtype: np.identity(2, dtype=dtype),
        lambda np, dtype: np.tri(2, dtype=dtype),
        lambda np, dtype: np.linspace(0, 1, 3, dtype=dtype),
        lambda np, dtype: np.geomspace(1, 2, 3, dtype=dtype),
        lambda np, dtype: np.mean(np.ones(3), dtype=dtype),
        lambda np, dtype: np.var(np.ones(3), dtype=dtype),
    ],
)
def test_types_that_arrays_cannot_have_are_for_numpy(call, dtype):
    """A result of NumPy's, or its error."""
    try:
        theirs = call(numpy, dtype)
    except Exception as error:
        with pytest.raises(TypeError if isinstance(error, TypeError) else type(error)):
            call(heddle, dtype)
    else:
        made = call(heddle, dtype)
        assert type(made) is type(theirs)
        assert numpy.asarray(made).tolist() == numpy.asarray(theirs).tolist()


def test_grids_between_arrays():
    def grids(np):
        low, high = np.zeros(4)[:, None], np.arange(1.0, 5)[:, None]
        return [np.mgrid[low:high:4j, low:high:4j], *np.ogrid[0:1:3j, 2:5]]

    for theirs, ours in zip(grids(numpy), grids(heddle), strict=True):
        assert_exact(ours, theirs)


def test_both_orders_are_refused():
    for np in (numpy, heddle):
        with pytest.raises(ValueError, match='Cannot specify both "C" and "F" order'):
            np.require([1], float, ["C", "F"])
