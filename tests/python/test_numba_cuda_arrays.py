"""Arrays of ``heddle.numba.cuda``: what Numba's device arrays do, on any device."""

import numpy as np
import pytest

import heddle as hd
from heddle.numba import cuda

record = np.dtype([("a", "f8"), ("b", "i4"), ("s", "S3"), ("h", "f4", (2,))], align=True)
outer = np.dtype([("x", "i4"), ("y", record)], align=True)


@pytest.mark.parametrize("shape", [(2, 5), (2, 5, 2), (2, 5, 2, 3)])
def test_order_is_kept_on_the_way_to_the_device(shape):
    c = np.arange(np.prod(shape)).reshape(shape)
    f = np.asfortranarray(c)
    on_c, on_f = cuda.to_device(c), cuda.to_device(f)
    assert on_c.is_c_contiguous() and not on_c.is_f_contiguous()
    assert on_f.is_f_contiguous() and not on_f.is_c_contiguous()
    assert on_f.strides == f.strides
    back = on_f.copy_to_host()
    assert back.flags.f_contiguous
    np.testing.assert_array_equal(back, c)
    np.testing.assert_array_equal(on_f.ravel(order="F").copy_to_host(), f.ravel(order="F"))


@pytest.mark.parametrize("like", [cuda.device_array_like, cuda.mapped_array_like])
def test_arrays_like_others_have_their_order(like):
    a = np.zeros((10, 12))
    for given in (a, np.asfortranarray(a), a.T, np.asfortranarray(a)[::2], a[::2, ::3].T):
        assert like(given).strides == np.empty_like(given).strides
        assert like(cuda.to_device(given)).strides == np.empty_like(given).strides


def test_shapes_are_integers():
    for wrong in (1.23, np.float64(1.23), np.array(1.5), [1.1], (1.1, 2), np.array([1.1, 2.2])):
        with pytest.raises(TypeError):
            cuda.device_array(wrong)
    assert cuda.device_array(np.array([10, 4]), np.bool_).shape == (10, 4)
    assert cuda.device_array([10, 4]).shape == (10, 4)
    assert cuda.device_array(np.int64(3)).shape == (3,)


def test_what_numpy_gives_of_device_arrays():
    a = np.arange(12).reshape(3, 4)
    on_device = cuda.to_device(a)
    np.testing.assert_array_equal(np.transpose(on_device).copy_to_host(), a.T)
    np.testing.assert_array_equal(np.transpose(on_device, axes=(1, 0)).copy_to_host(), a.T)


def test_streams_of_arrays():
    stream = cuda.stream()
    x = cuda.device_array((3, 3), np.float64, stream=stream)
    assert x.stream == stream
    assert x.bind(stream).stream == stream
    y = cuda.to_device(np.ones(3))
    bound = y.bind(stream)
    assert bound.stream == stream and y.stream == 0
    bound[0] = 5
    assert y.copy_to_host()[0] == 5


def test_records_are_read_and_written_in_place():
    x = cuda.device_array(3, record)
    for i in range(x.size):
        x[i]["a"] = (i + 1) / 2
        x[i]["b"] = i + 1
        x[i]["s"] = str(i + 1) * 3
        x[i]["h"][1] = i + 0.5
    found = x.copy_to_host()
    for i in range(3):
        assert x[i]["a"] == (i + 1) / 2 == found[i]["a"]
        assert x[i]["b"] == i + 1
        assert x[i]["s"] == (str(i + 1) * 3).encode() == found[i]["s"]
        assert x[i]["h"][1] == i + 0.5
    np.testing.assert_array_equal(x["b"].copy_to_host(), [1, 2, 3])
    x["a"] = 7.0
    x[1:]["b"] = 4
    x[0] = np.array((1, 2, b"xyz", (3, 4)), record)[()]
    found = x.copy_to_host()
    assert found["a"].tolist() == [1, 7, 7] and found["b"].tolist() == [2, 4, 4]
    assert found["s"][0] == b"xyz" and found["h"][0].tolist() == [3, 4]


def test_records_in_records_are_written_in_place():
    x = cuda.to_device(np.zeros(2, outer))
    x[1]["y"]["b"] = 1
    x[1]["y"]["h"][0] = 2.0
    assert x[1]["y"]["b"] == 1 and x[1]["y"]["h"][0] == 2
    found = x.copy_to_host()
    assert found["y"]["b"].tolist() == [0, 1] and found["y"]["h"][1, 0] == 2


def test_packed_records_are_written_in_place():
    packed = np.dtype([("c", "i1"), ("v", "f8")])
    x = cuda.to_device(np.zeros(3, packed))
    x[1]["v"] = 2.5
    assert x[1]["v"] == 2.5
    assert x.copy_to_host()["v"].tolist() == [0, 2.5, 0]


def test_kernels_see_one_record():
    @cuda.jit
    def fill(r):
        r.a = 3.0
        r.b = 4

    x = cuda.to_device(np.zeros(3, record))
    fill[1, 1](x[1])
    assert x.copy_to_host()["b"].tolist() == [0, 4, 0]


def test_arrays_of_others_have_the_methods():
    x = cuda.as_cuda_array(hd.arange(3.0))
    assert x.copy_to_host().tolist() == [0, 1, 2]


@pytest.mark.parametrize("make", ["stream", "default_stream", "per_thread_default_stream"])
def test_streams_are_waited_for_at_the_end(make):
    stream = getattr(cuda, make)()
    with stream.auto_synchronize() as held:
        assert held is stream
    assert isinstance(stream, type(cuda.stream()))
