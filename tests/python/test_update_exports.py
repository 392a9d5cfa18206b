"""Writes to parts of arrays whose memory others see."""

import gc

import numpy
import pytest
from support import assert_exact
from update_support import CODE, WRITES

import heddle

pytestmark = pytest.mark.waiting

EXPORTS = {
    "numpy": numpy.asarray,
    "memoryview": lambda x: numpy.asarray(memoryview(x)),
    "dlpack": numpy.from_dlpack,
}


@pytest.mark.host_memory
@pytest.mark.written_outside
@pytest.mark.parametrize("export", EXPORTS)
@pytest.mark.parametrize("statement", [w for w in WRITES if "; " not in w])
def test_exported_memory_is_written_at_once(export, statement):
    start = numpy.arange(48.0).reshape(6, 8) * 5 % 13 - 4
    theirs, expected_y = start.copy(), start[::-1] * 2
    exec(CODE[statement], {"np": numpy, "x": theirs, "y": expected_y})
    x = heddle.asarray(start)
    x[0, 0] += 0
    outside = EXPORTS[export](x)
    address = outside.ctypes.data
    y = heddle.asarray(start[::-1].copy()) * 2
    before = x + 1
    exec(CODE[statement], {"np": heddle, "x": x, "y": y})
    assert_exact(outside, theirs)  # nobody looked at x
    assert numpy.asarray(x).ctypes.data == address
    outside[2] = 100
    assert (x.get()[2] == 100).all()
    assert_exact(before, start + 1)


@pytest.mark.host_memory
def test_pending_writes_are_there_when_memory_is_exported():
    x = heddle.arange(20.0)
    view = x[::2]
    view += 1
    x[5:] *= 2
    outside = numpy.asarray(view)
    expected = numpy.arange(20.0)
    expected[::2] += 1
    expected[5:] *= 2
    assert_exact(expected[::2], outside)
    x[4] = -1
    view[-1] = -2
    assert outside[2] == -1 and outside[-1] == -2
    del outside
    gc.collect()
    x[6] = -3
    assert view.get()[3] == -3


@pytest.mark.host_memory
def test_aliases_of_memory_of_others():
    a = numpy.arange(24.0).reshape(4, 6)
    x = heddle.asarray(a, copy=False)
    pending = x * 2
    x[1:] += x[:-1]
    assert a[1].tolist() == [6, 8, 10, 12, 14, 16]
    a[2] = 0
    x[2, 3] = 5
    x.T[0] = -1
    assert a[2].tolist() == [-1, 0, 0, 5, 0, 0]
    assert_exact(pending, numpy.arange(24.0).reshape(4, 6) * 2)
