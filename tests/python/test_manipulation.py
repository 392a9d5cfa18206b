"""Shapes, axes, joining, splitting, repeating, padding, editing."""

import warnings

import numpy
import pytest
from compare import check
from support import DTYPES, assert_exact, name

import heddle


def grid(np, *shape, dtype=int):
    count = int(numpy.prod(shape))
    return np.arange(count, dtype=dtype).reshape(shape)


def test_reshape_and_ravel():
    for order in "CFA":
        for view in (lambda a: a, lambda a: a.T, lambda a: a[:, ::2], lambda a: a[::-1]):
            check(lambda np, v=view, o=order: np.reshape(v(grid(np, 4, 6)), (-1, 2), order=o))
            check(lambda np, v=view, o=order: np.ravel(v(grid(np, 4, 6)), o))
            check(lambda np, v=view: np.ravel(v(grid(np, 4, 6)), "K"))
    check(lambda np: np.reshape(grid(np, 6), 6))
    check(lambda np: np.reshape(grid(np, 6), (4,)))
    check(lambda np: np.reshape(grid(np, 6), (-1, -1)))
    check(lambda np: np.reshape(grid(np, 6), (-1, 4)))
    check(lambda np: np.reshape(grid(np, 6), (2, 3), order="K"))
    check(lambda np: np.reshape(grid(np, 6), (2, 3), order="X"))
    check(lambda np: np.reshape(grid(np, 2, 3).T, 6, copy=False))
    check(lambda np: np.reshape(grid(np, 2, 3), (3, 2), copy=False))
    check(lambda np: np.reshape(np.zeros((0, 3)), (3, -1)))
    check(lambda np: np.reshape(np.zeros((0, 3)), (0, -1)))
    check(lambda np: np.reshape(5, (1, 1)))
    check(lambda np: np.reshape(grid(np, 6), (2, 3), copy="never"))
    check(lambda np: grid(np, 6).reshape(2, 3, copy=numpy._CopyMode.NEVER))
    check(lambda np: np.reshape(np.zeros((2, 0, 3)), (0, 1, 5)).strides)
    check(lambda np: np.zeros(0).reshape(0, 1, 2).strides)
    check(lambda np: np.ravel([[1, 2], [3, 4]], order="F"))


def test_ravel_copies_and_memory_order():
    for np in (numpy, heddle):
        a = np.arange(6)
        b = a[::2].ravel()
        b += 10
        assert a.tolist() == list(range(6))
        assert np.shares_memory(a.ravel(), a)
    for shape in ((3, 2, 4), (2, 1, 3)):
        check(lambda np, s=shape: np.broadcast_to(np.arange(s[-1]), s).ravel("K"))
        check(lambda np, s=shape: np.broadcast_to(np.arange(s[-1]), s).T.ravel("K"))
    a = numpy.arange(6).reshape(2, 3)
    check(lambda np: np.broadcast_to(np.asarray(a)[:, None], (2, 4, 3)).ravel("K"))
    check(lambda np: np.broadcast_to(np.asarray(a).T[:, None], (3, 4, 2)).flatten("K"))
    check(lambda np: np.asarray(a)[::-1].T.ravel("K"))


def test_shape_queries():
    check(lambda np: (np.shape([[1, 2]]), np.ndim([[1, 2]]), np.size([[1, 2]])))
    check(lambda np: np.size(np.zeros((2, 3)), 1))
    check(lambda np: np.size(np.zeros((2, 3)), 2))
    check(lambda np: (np.shape(3), np.ndim(3.0), np.size(3)))
    for other in (None, "text", float, [None, "text"], numpy.zeros((2, 3), object)):
        check(lambda np, x=other: (np.shape(x), np.ndim(x), np.size(x)))


def test_axes():
    check(lambda np: np.transpose(grid(np, 2, 3, 4)))
    check(lambda np: np.transpose(grid(np, 2, 3, 4), (1, 0, 2)))
    check(lambda np: np.permute_dims(grid(np, 2, 3, 4), (-1, 0, 1)))
    check(lambda np: np.transpose(grid(np, 2, 3), (0,)))
    check(lambda np: np.transpose(grid(np, 2, 3), (0, 0)))
    check(lambda np: np.transpose(grid(np, 2, 3), (0, 5)))
    check(lambda np: np.matrix_transpose(grid(np, 2, 3, 4)))
    check(lambda np: np.matrix_transpose(grid(np, 2)))
    check(lambda np: np.moveaxis(grid(np, 2, 3, 4), 0, -1))
    check(lambda np: np.moveaxis(grid(np, 2, 3, 4), [0, 1], [-1, 0]))
    check(lambda np: np.moveaxis(grid(np, 2, 3, 4), [0, 1], [-1]))
    check(lambda np: np.moveaxis(grid(np, 2, 3, 4), 3, 0))
    check(lambda np: np.moveaxis(grid(np, 2, 3, 4), [0, 0], [1, 2]))
    for axis in range(-3, 3):
        for start in range(-3, 4):
            check(lambda np, a=axis, s=start: np.rollaxis(grid(np, 2, 3, 4), a, s))
    check(lambda np: np.rollaxis(grid(np, 2, 3, 4), 0, 5))
    check(lambda np: np.swapaxes(grid(np, 2, 3, 4), 0, -1))
    check(lambda np: np.swapaxes(grid(np, 2, 3, 4), 0, 3))
    check(lambda np: np.squeeze(np.zeros((1, 2, 1))))
    check(lambda np: np.squeeze(np.zeros((1, 2, 1)), 0))
    check(lambda np: np.squeeze(np.zeros((1, 2, 1)), (0, -1)))
    check(lambda np: np.squeeze(np.zeros((1, 2, 1)), 1))
    check(lambda np: np.squeeze(np.zeros((1, 2, 1)), 5))
    check(lambda np: np.squeeze([[5]]))
    check(lambda np: np.expand_dims(grid(np, 2, 3), 1))
    check(lambda np: np.expand_dims(grid(np, 2, 3), (0, -1)))
    check(lambda np: np.expand_dims(grid(np, 2, 3), 4))
    check(lambda np: np.expand_dims(5, 0))


def test_at_least():
    for function in ("atleast_1d", "atleast_2d", "atleast_3d"):
        for value in (5, [1, 2], [[1, 2]], [[[1], [2]]], [[[[1]]]]):
            check(lambda np, f=function, v=value: getattr(np, f)(v))
        check(lambda np, f=function: getattr(np, f)(1, [2, 3]))


def test_broadcasting():
    check(lambda np: np.broadcast_to([1, 2, 3], (2, 3)))
    check(lambda np: np.broadcast_to(5, (2, 3)))
    check(lambda np: np.broadcast_to([1, 2, 3], (2, 4)))
    check(lambda np: np.broadcast_to([1, 2, 3], ()))
    check(lambda np: np.broadcast_to([1, 2, 3], (-1, 3)))
    check(lambda np: np.broadcast_to(np.zeros((1, 0)), (3, 0)))
    check(lambda np: np.broadcast_arrays([1, 2, 3], [[1], [2]]))
    check(lambda np: np.broadcast_arrays([1, 2, 3], [1, 2]))
    check(lambda np: np.broadcast_shapes((2, 1), (3,), ()))
    check(lambda np: np.broadcast_shapes((2,), (3,)))
    check(lambda np: np.broadcast([1, 2, 3], [[1], [2]]).shape)
    check(lambda np: [tuple(map(int, p)) for p in np.broadcast([1, 2, 3], [[1], [2]])])
    check(lambda np: np.broadcast([1, 2], [1, 2, 3]))


@pytest.mark.parametrize("dtype", DTYPES, ids=name)
def test_concatenate_types(dtype):
    check(lambda np: np.concatenate([np.ones(2, dtype), np.zeros(3, dtype)]))
    check(lambda np: np.concatenate([np.ones(2, dtype), np.zeros(3, np.float32)]))
    check(lambda np: np.stack([np.ones((2, 2), dtype), np.zeros((2, 2), np.int16)], -1))
    check(lambda np: np.concatenate([np.ones(2, dtype), [1, 0]], dtype=dtype, casting="unsafe"))


def test_concatenate():
    check(lambda np: np.concatenate([grid(np, 2, 3), grid(np, 1, 3)]))
    check(lambda np: np.concatenate([grid(np, 2, 3), grid(np, 2, 1)], axis=-1))
    check(lambda np: np.concatenate([grid(np, 2, 3), grid(np, 4)], axis=None))
    check(lambda np: np.concat((grid(np, 2, 3).T, grid(np, 2, 3)[:, ::-1].T)))
    check(lambda np: np.concatenate([np.zeros((0, 3)), np.ones((2, 3))]))
    check(lambda np: np.concatenate([]))
    check(lambda np: np.concatenate([1, 2]))
    check(lambda np: np.concatenate([np.zeros(2), np.zeros((2, 2))]))
    check(lambda np: np.concatenate([np.zeros((2, 3)), np.zeros((3, 3))], axis=1))
    check(lambda np: np.concatenate([np.zeros(2)], axis=1))
    check(lambda np: np.concatenate([np.zeros(2), np.zeros(2)], dtype=int))
    check(lambda np: np.concatenate([np.zeros(2), np.zeros(2)], dtype=int, casting="unsafe"))
    check(lambda np: np.concatenate([np.zeros(2), np.zeros(2)], out=np.zeros(3)))
    check(lambda np: np.concatenate([np.zeros(2), np.ones(2)], out=np.zeros(4, np.float32)))
    check(lambda np: np.concatenate([np.zeros(2), np.ones(2)], out=np.zeros(4, int)))
    check(lambda np: np.concatenate([np.zeros(2)], out=np.zeros(2), dtype=float))
    check(lambda np: np.concatenate(grid(np, 2, 3)))


def test_concatenate_out_overlaps_inputs():
    def shifted(np):
        a = np.arange(6)
        np.concatenate([a[2:4], a[:4]], out=a)
        return a

    check(shifted)


@pytest.mark.host_memory
@pytest.mark.written_outside
@pytest.mark.parametrize("join", ["concatenate", "stack"])
def test_joins_are_written_to_arrays_of_numpys(join):
    parts = [heddle.arange(3), heddle.arange(3) * 10]
    shape = (6,) if join == "concatenate" else (2, 3)
    for dtype in (int, float, "S4"):
        out = numpy.zeros(shape, dtype)
        made = getattr(heddle, join)(parts, out=out, casting="unsafe")
        theirs = getattr(numpy, join)([p.get() for p in parts]).astype(dtype)
        assert made is out
        numpy.testing.assert_array_equal(out, theirs)
    with pytest.raises(ValueError, match="Output array is the wrong shape"):
        getattr(heddle, join)(parts, out=numpy.zeros(5))
    with pytest.raises(TypeError, match="'out' must be an array"):
        getattr(heddle, join)(parts, out=[0] * 6)


def test_stacks():
    for function in ("stack", "vstack", "hstack", "dstack", "column_stack"):
        check(lambda np, f=function: getattr(np, f)([grid(np, 3), grid(np, 3)]))
        check(lambda np, f=function: getattr(np, f)([grid(np, 2, 3), grid(np, 2, 3)]))
        check(lambda np, f=function: getattr(np, f)((1, 2.5)))
        check(lambda np, f=function: getattr(np, f)([grid(np, 2, 3), grid(np, 3)]))
        check(lambda np, f=function: getattr(np, f)([]))
        check(lambda np, f=function: getattr(np, f)(grid(np, 2, 2, 2)))
    for axis in range(-3, 3):
        check(lambda np, a=axis: np.stack([grid(np, 2, 3), grid(np, 2, 3)], a))
    check(lambda np: np.stack([grid(np, 2, 3)], 3))
    check(lambda np: np.stack([grid(np, 3), grid(np, 3)], out=np.zeros((2, 3))))
    check(lambda np: np.vstack([grid(np, 3), grid(np, 3)], dtype=np.float32))


def test_block():
    check(lambda np: np.block([[np.eye(2), np.zeros((2, 3))], [np.ones((3, 2)), np.eye(3)]]))
    check(lambda np: np.block([1, 2, 3]))
    check(lambda np: np.block([np.zeros(2), 3]))
    check(lambda np: np.block([[1, 2], [3]]))
    check(lambda np: np.block([[1, 2], 3]))
    check(lambda np: np.block([[1, 2], []]))
    check(lambda np: np.block([(1, 2)]))
    check(lambda np: np.block(grid(np, 2, 3)))
    check(lambda np: np.block([[np.zeros((2, 1, 2)), 1], [2, np.ones((2, 3, 2))]]))


def test_splits():
    check(lambda np: np.split(grid(np, 6), 3))
    check(lambda np: np.split(grid(np, 6), 4))
    check(lambda np: np.split(grid(np, 6), [2, 3, 9]))
    check(lambda np: np.split(grid(np, 4, 6), 3, axis=1))
    check(lambda np: np.array_split(grid(np, 7), 3))
    check(lambda np: np.array_split(grid(np, 2, 7), 4, axis=-1))
    check(lambda np: np.array_split(grid(np, 7), 0))
    check(lambda np: np.hsplit(grid(np, 6), 2))
    check(lambda np: np.hsplit(grid(np, 2, 6), 2))
    check(lambda np: np.hsplit(5, 2))
    check(lambda np: np.vsplit(grid(np, 4, 2), [1]))
    check(lambda np: np.vsplit(grid(np, 4), 2))
    check(lambda np: np.dsplit(grid(np, 2, 2, 4), 2))
    check(lambda np: np.dsplit(grid(np, 2, 2), 2))
    check(lambda np: np.unstack(grid(np, 2, 3), axis=1))
    check(lambda np: np.unstack(np.asarray(5)))


def test_repeat_and_tile():
    check(lambda np: np.repeat([1, 2, 3], 2))
    check(lambda np: np.repeat([[1, 2], [3, 4]], 2, axis=0))
    check(lambda np: np.repeat([[1, 2], [3, 4]], [1, 3], axis=1))
    check(lambda np: np.repeat([[1, 2], [3, 4]], 0))
    check(lambda np: np.repeat([1, 2, 3], np.asarray([0, 1, 2])))
    check(lambda np: np.repeat([1, 2, 3], [1, 2]))
    check(lambda np: np.repeat([1, 2, 3], -1))
    check(lambda np: np.repeat([1, 2, 3], [2]))
    check(lambda np: np.repeat([1, 2, 3], 2.5))
    check(lambda np: np.repeat(5, 3))
    check(lambda np: np.repeat([1, 2, 3], 2, axis=1))
    for reps in (2, (2, 1), (1, 2, 3), (0, 2), (), 1):
        check(lambda np, r=reps: np.tile(grid(np, 2, 3), r))
        check(lambda np, r=reps: np.tile(5, r))
        check(lambda np, r=reps: np.tile(grid(np, 6)[::2], r))
    check(lambda np: np.tile([1, 2], -1))


def test_roll():
    for shift, axis in [
        (2, None), (-3, None), (1, 0), (-1, 1), ((1, 2), (0, 1)), (1, (0, 1)), ((1, 2), 0),
        (100, 1), (0, 0), ((1, 1), (0, 0)), (1, 2), ((1, 2, 3), (0, 1)),
    ]:  # fmt: skip
        check(lambda np, s=shift, a=axis: np.roll(grid(np, 3, 4), s, a))
    for shift in (2**70 + 1, -(2**70), (3, -(2**70))):
        check(lambda np, s=shift: np.roll(grid(np, 3, 4), s, (0, 1) if np.iterable(s) else 1))
    for dtype in (bool, "i2", "c16"):
        check(
            lambda np, t=dtype: np.roll(
                grid(np, 3, 4, 5, dtype=t).T[::-1, ::2], (1, 2, 3), (0, 1, 2)
            )
        )
    check(lambda np: np.roll(np.zeros((0, 3)), 1, 0))
    check(lambda np: np.roll(5, 1))


def test_flips():
    for axis in (None, 0, -1, (0, 2), ()):
        check(lambda np, a=axis: np.flip(grid(np, 2, 3, 4), a))
    check(lambda np: np.flip(grid(np, 2, 3), 2))
    check(lambda np: np.fliplr(grid(np, 2, 3)))
    check(lambda np: np.fliplr(grid(np, 3)))
    check(lambda np: np.flipud(grid(np, 3)))
    check(lambda np: np.flipud(5))
    for k in range(-2, 6):
        check(lambda np, k=k: np.rot90(grid(np, 2, 3, 4), k))
        check(lambda np, k=k: np.rot90(grid(np, 2, 3, 4), k, (2, 0)))
    check(lambda np: np.rot90(grid(np, 2, 3), 1, (0, 0)))
    check(lambda np: np.rot90(grid(np, 2, 3), 1, (0, 5)))
    check(lambda np: np.rot90(grid(np, 2, 3), 1, (0,)))


WIDTHS = [1, 0, (2, 3), ((1, 2), (3, 4)), ((0, 7), (11, 0)), [[2, 1]]]
MODES = [
    ("constant", {}),
    ("constant", {"constant_values": 5}),
    ("constant", {"constant_values": ((1, 2), (3, 4))}),
    ("edge", {}),
    ("linear_ramp", {}),
    ("linear_ramp", {"end_values": (5, -3)}),
    ("maximum", {}),
    ("maximum", {"stat_length": 2}),
    ("mean", {}),
    ("mean", {"stat_length": ((2, 1), (3, 2))}),
    ("median", {}),
    ("minimum", {"stat_length": 3}),
    ("reflect", {}),
    ("reflect", {"reflect_type": "odd"}),
    ("symmetric", {}),
    ("symmetric", {"reflect_type": "odd"}),
    ("wrap", {}),
]


@pytest.mark.parametrize("mode, kwargs", MODES, ids=str)
def test_pad(mode, kwargs):
    for width in WIDTHS:
        for dtype in (int, float):
            check(lambda np, w=width, t=dtype: np.pad(grid(np, 3, 4, dtype=t), w, mode, **kwargs))
    if not isinstance(kwargs.get("stat_length"), tuple) and "constant_values" not in kwargs:
        check(lambda np: np.pad(grid(np, 1), 3, mode, **kwargs))
        check(lambda np: np.pad(grid(np, 5, dtype=np.int8), (12, 13), mode, **kwargs))
        check(lambda np: np.pad(np.zeros((0, 2)), ((0, 0), (1, 1)), mode, **kwargs))
        check(lambda np: np.pad(np.zeros((0, 2)), ((1, 0), (1, 1)), mode, **kwargs))


@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric", "wrap"])
def test_pad_copies_neighbours_of_any_layout(mode):
    for extent in (1, 2, 3, 4):  # less, as many and more than the padding asks for
        for width in ((0, 3), (3, 0), (2, 3), (1, 1)):
            check(lambda np, n=extent, w=width: np.pad(grid(np, n), w, mode))
            check(lambda np, n=extent, w=width: np.pad(grid(np, n, 5)[:, ::-2], (w, (1, 2)), mode))
    check(lambda np: np.pad(grid(np, 2, 3, 4, dtype="c8").T, ((1, 2), (2, 1), (1, 1)), mode))


def test_pad_arguments():
    def fill(row, widths, axis, kwargs):
        row[: widths[0]] = kwargs.get("value", 7)
        if widths[1]:
            row[-widths[1] :] = axis

    check(lambda np: np.pad(grid(np, 2, 3), 2, fill))
    check(lambda np: np.pad(grid(np, 2, 3), ((1, 0), (0, 2)), fill, value=9))
    check(lambda np: np.pad(grid(np, 2, 3), {0: (1, 2)}))
    check(lambda np: np.pad(grid(np, 2, 3), {-1: 2}, "edge"))
    check(lambda np: np.pad(grid(np, 2, 3), 1, "empty")[1:-1, 1:-1])
    check(lambda np: np.pad(grid(np, 2, 3), -1))
    check(lambda np: np.pad(grid(np, 2, 3), 1.5))
    check(lambda np: np.pad(grid(np, 2, 3), 1, "unknown"))
    check(lambda np: np.pad(grid(np, 2, 3), 1, "edge", stat_length=1))
    check(lambda np: np.pad(grid(np, 2, 3), ((1, 2), (3, 4), (5, 6))))
    check(lambda np: np.pad(grid(np, 3), 1, "maximum", stat_length=0))
    check(lambda np: np.pad(grid(np, 3), 0, "maximum", stat_length=0))
    check(lambda np: np.pad(grid(np, 2, 3).T, 1, "edge").flags.f_contiguous)


@pytest.mark.parametrize("dtype", ["?", "i2", "f4", "f8", "c16", "f2"])
def test_insert_many(dtype):
    rng = numpy.random.default_rng(3)
    values = rng.integers(0, 100, 70_001).astype(dtype)
    places = rng.integers(-70_001, 70_002, 500)
    for where in (places, numpy.zeros(9, int), numpy.full(70, 70_001), numpy.arange(70_001)):
        check(lambda np, w=where: np.insert(np.asarray(values), np.asarray(w), 1))
    check(lambda np: np.insert(np.asarray(values)[::-2], np.asarray(places[:3] // 4), [5, 6, 7]))
    check(lambda np: np.insert(np.asarray(values[:0]), [0, 0, 0], 1))


def test_delete_and_insert():
    for obj in (1, -1, [0, 2], [0, 0, 1], slice(1, 3), slice(None, None, 2), [], [True, False] * 3):
        check(lambda np, o=obj: np.delete(grid(np, 6), o))
    for obj in (0, [1, 2], slice(None, -1), 5, [7]):
        for axis in (0, 1, None):
            check(lambda np, o=obj, a=axis: np.delete(grid(np, 3, 4), o, a))
    check(lambda np: np.delete(grid(np, 40), list(range(0, 40, 2))))
    check(lambda np: np.delete(grid(np, 3), 1.5))
    check(lambda np: np.delete(grid(np, 3), [True]))
    check(lambda np: np.delete(grid(np, 3), 0, 1))
    for obj in (slice(None), [0, 1, 2], [True] * 3):
        check(lambda np, o=obj: np.delete(grid(np, 3), o))
        check(lambda np, o=obj: np.delete(grid(np, 2, 3), o, 1))
    for obj in (1, -1, 6, 7, [0, 2], [2, 0], [1, 1], slice(1, 3), [], [3]):
        check(lambda np, o=obj: np.insert(grid(np, 6), o, 99))
    check(lambda np: np.insert(grid(np, 6), [1, 2], [50, 60]))
    check(lambda np: np.insert(grid(np, 6), 1, [50, 60, 70]))
    check(lambda np: np.insert(grid(np, 3, 4), 1, 99, axis=1))
    check(lambda np: np.insert(grid(np, 3, 4), 1, [1, 2, 3], axis=1))
    check(lambda np: np.insert(grid(np, 3, 4), -1, [[1, 2, 3], [4, 5, 6]], axis=1))
    check(lambda np: np.insert(grid(np, 3, 4).T, 4, [1, 2, 3], axis=0))
    for wrong in ([1, 2], [[[1]]], [[1, 2, 3, 4]] * 2):
        check(lambda np, v=wrong: np.insert(grid(np, 3, 4), 1, v, axis=1))
        check(lambda np, v=wrong: np.insert(grid(np, 3, 4), [1], v, axis=1))
    check(lambda np: np.insert(grid(np, 3, 4), [1], [[1], [2], [3]], axis=1))
    check(lambda np: np.insert(grid(np, 3, 4), [0, 3], [[1], [2], [3]], axis=1))
    check(lambda np: np.insert(grid(np, 3, 4), 1, [1, 2, 3, 4], axis=0))
    check(lambda np: np.insert(grid(np, 3, 4), 1, [[1, 2, 3, 4]] * 2, axis=0))
    check(lambda np: np.insert(grid(np, 3), 1, 2.7))
    check(lambda np: np.insert(grid(np, 3), 1.5, 2))


def test_append_resize_trim():
    check(lambda np: np.append([1, 2], [[3], [4]]))
    check(lambda np: np.append([[1, 2]], [[3, 4]], axis=0))
    check(lambda np: np.append([[1, 2]], [3, 4], axis=0))
    check(lambda np: np.resize([1, 2, 3], (2, 4)))
    check(lambda np: np.resize([1, 2, 3], 2))
    check(lambda np: np.resize([], 2))
    check(lambda np: np.resize([1, 2], (0, 3)))
    check(lambda np: np.resize([1, 2], -1))
    for trim in ("fb", "f", "b", "B", "x"):
        check(lambda np, t=trim: np.trim_zeros(np.asarray([0, 0, 1, 0, 2, 0]), t))
        check(lambda np, t=trim: np.trim_zeros([0, 0, 1, 0, 2, 0], t))
        check(lambda np, t=trim: np.trim_zeros(np.zeros(3), t))
        check(lambda np, t=trim: np.trim_zeros(np.pad(np.ones((2, 2)), 1), t))
    check(lambda np: np.trim_zeros(np.pad(np.ones((2, 2)), 1), axis=0))


def test_products():
    check(lambda np: np.kron([1, 10], [1, 2, 3]))
    check(lambda np: np.kron(np.eye(2), np.ones((2, 3))))
    check(lambda np: np.kron(grid(np, 2, 2), [1, 2]))
    check(lambda np: np.kron(3, grid(np, 2, 2)))
    check(lambda np: np.kron(grid(np, 2, 1, 2), grid(np, 2, 2)))
    check(lambda np: np.cross([1, 2, 3], [4, 5, 6]))
    check(lambda np: np.cross(grid(np, 2, 3), [4.0, 5, 6]))
    check(lambda np: np.cross(grid(np, 3, 2), grid(np, 3, 2) * 2, axis=0))
    check(lambda np: np.cross(grid(np, 2, 3), grid(np, 2, 3)[::-1], axisc=0))
    check(lambda np: np.cross([1], [2]))


def cross_with_two(np, a, b):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # NumPy's, of vectors of two
        return np.cross(np.asarray(a), np.asarray(b))


@pytest.mark.skipif(
    numpy.lib.NumpyVersion(numpy.__version__) >= "2.5.0", reason="NumPy refuses them since 2.5"
)
def test_products_of_vectors_of_two():
    for dtype in ("?", "i1", "u8", "f4", "c8"):
        for a, b in (((1, 1), (1, 0, 1)), ((1, 0, 1), (1, 1)), ((0, 1), (1, 1))):
            for types in (("?", dtype), (dtype, "?")):
                pair = [numpy.array(v, t) for v, t in zip((a, b), types, strict=True)]
                check(lambda np, p=pair: cross_with_two(np, *p))
    # No term is zero times infinity.
    check(lambda np: cross_with_two(np, [numpy.inf, 1.0], [1.0, 2, 3]))
    check(lambda np: cross_with_two(np, [1.0, 2, numpy.inf], [1.0, -0.0]))


def test_astype():
    check(lambda np: np.astype(np.arange(3.7), np.int8))
    check(lambda np: np.astype(np.arange(3), float, copy=False))
    check(lambda np: np.astype([1, 2], float))
    a = heddle.arange(3)
    assert heddle.astype(a, a.dtype, copy=False) is a


def test_views_and_copies_as_numpy_makes_them():
    views = {
        "reshape": lambda np, a: np.reshape(a, (4, 3)),
        "reshape F": lambda np, a: np.reshape(a, (4, 3), order="F"),
        "ravel": lambda np, a: np.ravel(a),
        "ravel strided": lambda np, a: np.ravel(a[:, ::2]),
        "ravel K": lambda np, a: np.ravel(a.T, "K"),
        "transpose": lambda np, a: np.transpose(a),
        "squeeze": lambda np, a: np.squeeze(a[:1]),
        "expand_dims": lambda np, a: np.expand_dims(a, 0),
        "flip": lambda np, a: np.flip(a),
        "rot90": lambda np, a: np.rot90(a),
        "split": lambda np, a: np.split(a, 3)[1],
        "broadcast": lambda np, a: np.broadcast_arrays(a, np.zeros((2, 3, 4)))[0],
        "atleast_3d": lambda np, a: np.atleast_3d(a),
        "diagonal": lambda np, a: np.diagonal(a, 1),
        "roll": lambda np, a: np.roll(a, 1),
        "tile": lambda np, a: np.tile(a, 1),
        "repeat": lambda np, a: np.repeat(a, 1),
        "take": lambda np, a: np.take(a, 0, axis=0),
        "concatenate": lambda np, a: np.concatenate([a]),
        "pad": lambda np, a: np.pad(a, 0, "edge"),
        "real": lambda np, a: np.real(a),
        "windows": lambda np, a: np.lib.stride_tricks.sliding_window_view(a, (2, 2)),
    }
    for what, function in views.items():
        shared = []
        for np in (numpy, heddle):
            a = np.arange(12).reshape(3, 4)
            shared.append(bool(np.shares_memory(a, function(np, a))))
        assert shared[0] == shared[1], what


@pytest.mark.parametrize(
    "function",
    [
        lambda np: np.concatenate([np.float32([1]), 1.0], axis=None),
        lambda np: np.concatenate([np.int8([1]), 300], axis=None),
        lambda np: np.r_[np.int8([1]), 5],
        lambda np: np.r_[np.int8([1]), 300],
        lambda np: np.choose([0, 1], (np.float32([1, 2]), 1.0)),
        lambda np: np.choose([1, 1], (1000, np.uint8([1, 2]))),
        lambda np: np.choose([0, 1], (np.arange(2.0), [5.0, 6.0]), out=np.zeros(2, "i4")),
        lambda np: np.astype(numpy.int64(10), np.float64),
    ],
)
def test_numbers_are_weak_where_arrays_meet(function):
    check(function)


def test_arrays_as_axes_and_shapes():
    check(lambda np: np.ones((2, 3, 4)).transpose(np.array([2, 0, 1])))
    check(lambda np: np.ones(6).reshape(np.array([2, 3])))


@pytest.mark.parametrize("axis", [True, 1.0, numpy.float64(1), "1", numpy.int8(1), None])
@pytest.mark.parametrize(
    "call",
    [
        lambda np, x, axis: np.take(x, [0], axis=axis),
        lambda np, x, axis: np.concatenate([x, x], axis=axis),
        lambda np, x, axis: np.stack([x, x], axis=axis),
        lambda np, x, axis: np.repeat(x, 2, axis=axis),
        lambda np, x, axis: np.squeeze(x[..., :1], axis=axis),
        lambda np, x, axis: np.compress([True], x, axis=axis),
        lambda np, x, axis: np.packbits(x > 0, axis=axis),
        lambda np, x, axis: np.append(x, x, axis=axis),
        lambda np, x, axis: np.flip(x, axis=axis),
        lambda np, x, axis: np.roll(x, 1, axis=axis),
        lambda np, x, axis: np.sum(x, axis=axis),
        lambda np, x, axis: np.cumsum(x, axis=axis),
        lambda np, x, axis: np.argmax(x, axis=axis),
        lambda np, x, axis: np.delete(x, 0, axis=axis),
        lambda np, x, axis: np.expand_dims(x, axis),
        lambda np, x, axis: np.swapaxes(x, 0, axis),
    ],
)
def test_what_counts_as_an_axis(call, axis):
    check(lambda np: call(np, np.arange(4.0).reshape(2, 2), axis))


def test_diagonals_given_as_floats():
    check(lambda np: np.tri(3, k=1.0))
    check(lambda np: np.triu(np.ones((3, 3)), k=-1.0))


def test_broadcasts_of_broadcasts():
    def parts(np):
        shapes = [(6, 7), (5, 6, 1), (7,), (5, 1, 7)]
        arrays = [np.zeros(shape) for shape in shapes]
        inner = np.broadcast(np.broadcast(*arrays[:0]), np.broadcast(*arrays[:2]), *arrays[2:])
        return inner.shape, inner.nd, inner.size, inner.numiter, len(inner.iters)

    check(parts)


@pytest.mark.parametrize("shift", [0, 1, -2, 7, -100, 2**70, (1, -1), (3, 4), [1, 2], True, 1.0])
@pytest.mark.parametrize("axis", [None, 0, -1, 1, (0, 1), (1, 1), (-1, 0), 2, (0, 5), [0, 1]])
def test_rolls_by_all_kinds_of_shifts(shift, axis):
    check(lambda np: np.roll(np.arange(15).reshape(3, 5), shift, axis))
    check(lambda np: np.roll(np.zeros((0, 5)), shift, axis))


@pytest.mark.parametrize("shape", [(2, 3), (1,), (), (2,), (4,)])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_resize_copies(count, shape):
    def resized(np):
        a = np.arange(count) + 5
        made = np.resize(a, shape)
        a[...] = 0
        made += 1
        return a, made

    check(resized)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u8", "f4", "?"])
@pytest.mark.parametrize(
    "value", [300, -129, 2**40, -1, 127, 2**63, "a", "3", None, 1.5, (1, 300)], ids=repr
)
def test_values_that_do_not_fit_into_what_is_padded(dtype, value):
    def padded(np):
        try:
            return np.pad(np.ones(2, dtype), 1, constant_values=value)
        except (OverflowError, TypeError, ValueError) as error:
            return type(error)

    ours, theirs = padded(heddle), padded(numpy)
    if isinstance(theirs, type):
        assert ours is theirs
    else:
        assert_exact(ours, theirs)


@pytest.mark.parametrize("name", ["stack", "vstack", "hstack", "dstack", "column_stack"])
def test_generators_are_no_sequences(name):
    check(lambda np: getattr(np, name)(np.ones(2) for _ in range(3)))
