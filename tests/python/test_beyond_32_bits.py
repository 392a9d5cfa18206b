"""Arrays of more elements than 32 bits count: on GPUs with room for them, elsewhere when asked for.

HEDDLE_TEST_LARGE=1 runs them on the CPU, too: they take 12 GiB.
"""

import os

import numpy
import pytest

import heddle

SIZE = (1 << 31) + 37
NEEDED = 12 << 30


def has_room():
    if os.environ.get("HEDDLE_TEST_LARGE"):
        return True
    if not heddle.default_device().startswith("cuda"):
        return False
    return heddle.cuda.runtime.memGetInfo()[0] > NEEDED


pytestmark = pytest.mark.skipif(not has_room(), reason="needs a GPU with 12 GiB of free memory")


@pytest.fixture(scope="module")
def bytes_in_order():
    """The numbers 0 to 250 again and again: what is at a place follows from the place."""
    x = (heddle.arange(SIZE) % 251).astype("u1")
    x.eval()
    return x


def at(places):
    return (numpy.asarray(places) % 251).astype("u1")


def test_elements(bytes_in_order):
    x = bytes_in_order
    places = [0, 1, (1 << 31) - 1, 1 << 31, SIZE - 1]
    assert [int(x[p]) for p in places] == at(places).tolist()
    y = x + x[::-1]
    for p in places:
        assert int(y[p]) == (int(at(p)) + int(at(SIZE - 1 - p))) % 256
    assert (x[-5:] * 2).get().tolist() == (at(range(SIZE - 5, SIZE)) * 2).tolist()
    assert x[::1000003].get().tolist() == at(range(0, SIZE, 1000003)).tolist()


def test_reductions(bytes_in_order):
    x = bytes_in_order
    whole, rest = divmod(SIZE, 251)
    total = whole * (250 * 251 // 2) + rest * (rest - 1) // 2
    assert int(x.sum(dtype="i8")) == total
    assert int(x[1 << 30 :].max()) == 250
    high = heddle.zeros(SIZE, "i1")
    high[SIZE - 3] = 1
    assert int(high.argmax()) == SIZE - 3
    rows = x[: 1 << 31].reshape(1 << 21, 1 << 10)
    sums = rows.sum(1, dtype="i8")
    last = at(range((1 << 31) - (1 << 10), 1 << 31)).astype("i8").sum()
    assert int(sums[-1]) == last
    assert int(sums.sum()) == int(x[: 1 << 31].sum(dtype="i8"))


def test_scans_and_selections(bytes_in_order):
    x = bytes_in_order
    running = heddle.cumsum(x == 250, dtype="u4")
    assert int(running[-1]) == SIZE // 251
    found = heddle.nonzero(x[SIZE - 1000 :] == 7)[0]
    assert found.get().tolist() == numpy.nonzero(at(range(SIZE - 1000, SIZE)) == 7)[0].tolist()
    chosen = x[x == 3]
    assert chosen.size == (SIZE - 4) // 251 + 1 and int(chosen[-1]) == 3


def test_indices(bytes_in_order):
    x = bytes_in_order
    places = numpy.array([5, (1 << 31) + 5, SIZE - 1, -1, -SIZE])
    assert x[heddle.asarray(places)].get().tolist() == at(places % SIZE).tolist()
    y = heddle.zeros(SIZE, "u1")
    y[heddle.asarray(places[:3])] = heddle.asarray(numpy.array([1, 2, 3], "u1"))
    assert [int(y[p]) for p in places[:3].tolist()] == [1, 2, 3]
    assert int(y.sum(dtype="i8")) == 6


def test_long_strides(bytes_in_order):
    """Neighbours that are further apart than 31 bits count bytes."""
    x = bytes_in_order[: 1 << 31].reshape(2, 1 << 30)
    assert (x[0] + x[1])[-3:].get().tolist() == (
        (at(range((1 << 30) - 3, 1 << 30)) + at(range((1 << 31) - 3, 1 << 31))).tolist()
    )
    wide = bytes_in_order[: 1 << 31].view("f8").reshape(2, -1)
    assert wide.T[-1].get().tobytes() == (
        at(range((1 << 30) - 8, 1 << 30)).tobytes() + at(range((1 << 31) - 8, 1 << 31)).tobytes()
    )
