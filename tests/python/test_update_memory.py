"""What writes to parts of arrays cost in memory: in proportion to what is written.

On the CPU's pool, in bytes that were asked for and bytes in use at the same time.
"""

import numpy
import pytest

import heddle

pytestmark = [pytest.mark.unrecorded("is about memory, which recording holds"), pytest.mark.waiting]

LARGE = 10_000_000
SLACK = 1 << 16


class Memory:
    """Bytes that a block of code asks for, and the most it uses beyond what was there."""

    def __enter__(self):
        heddle.synchronize()
        heddle.reset_stats()
        self.start = heddle.stats()["peak_bytes"]
        return self

    def __exit__(self, *_):
        heddle.synchronize()
        stats = heddle.stats()
        self.allocated = stats["bytes_allocated"]
        self.peak = stats["peak_bytes"] - self.start


@pytest.fixture
def large():
    return heddle.asarray(numpy.zeros(LARGE)).eval()


TEN = {
    "slice": lambda x: x.__setitem__(slice(5, 15), 1),
    "in place": lambda x: x[5:15].__iadd__(1),
    "strided": lambda x: x.__setitem__(slice(None, None, -LARGE // 10), 2),
    "values": lambda x: x.__setitem__(slice(5, 15), heddle.arange(10.0)),
    "reads itself": lambda x: x.__setitem__(slice(5, 15), x[6:16] + x[4:14]),
    "indices": lambda x: x.__setitem__(heddle.arange(10) * 7, 1),
    "at": lambda x: heddle.add.at(x, heddle.arange(10), 1),
    "view": lambda x: x.reshape(1000, -1)[:10, 3].fill(4),
    "elements": lambda x: [x.__setitem__(i, i) for i in range(10)],
}


@pytest.mark.parametrize("write", TEN)
def test_ten_elements_of_many(write, large):
    with Memory() as memory:
        for _ in range(5):
            TEN[write](large)
        heddle.eval(large)
        TEN[write](large)
        heddle.eval(large)
    assert memory.allocated < 1 << 20


@pytest.mark.parametrize("write", TEN)
def test_ten_elements_while_readers_are_pending(write, large):
    with Memory() as memory:
        total, part = large.sum(), large[3:20] * 2
        TEN[write](large)
        assert float(large[LARGE // 2 + 1]) == 0
        heddle.eval(large)
        assert float(total) == 0 and (part.get() == 0).all()
    assert memory.allocated < 1 << 20


# Single elements are written at once, for which readers that are pending run first.
@pytest.mark.parametrize("write", [name for name in TEN if name != "elements"])
def test_ten_elements_beside_a_reader_that_is_never_looked_at(write, large):
    with Memory() as memory:
        reader = large + 1
        TEN[write](large)
        del reader
        heddle.eval(large)
    assert memory.allocated < 1 << 20


def test_ten_elements_beside_a_large_reader(large):
    """The reader takes memory for its own result, and no more is needed."""
    with Memory() as memory:
        reader = large + 1
        large[5:15] = 7
        heddle.eval(large)
        heddle.eval(reader)
    assert memory.allocated <= large.nbytes + (1 << 20)
    assert float(reader[7]) == 1 and float(large[7]) == 7


def test_copies_take_memory_once(large):
    with Memory() as memory:
        copied = large.copy()
        for i in range(20):
            large[i] = 1
            copied[i : i + 2] = 2
        heddle.eval(large, copied)
    assert memory.allocated <= large.nbytes + (1 << 20)


ROWS = {
    "number": lambda x, i: i,
    "values": lambda x, i: heddle.arange(500.0) * i,
    "row before": lambda x, i: x[i - 1] + 1,
    "numpy": lambda x, i: numpy.full(500, float(i)),
}


@pytest.mark.parametrize("look", [False, True], ids=["blind", "looking"])
@pytest.mark.parametrize("row", ROWS)
def test_row_by_row(row, look):
    with Memory() as memory:
        x = heddle.zeros((2000, 500))
        for i in range(2000):
            x[i] = ROWS[row](x, i)
            if look:
                heddle.eval(x[i, 3:4])
        heddle.eval(x)
    assert memory.allocated <= 3 * x.nbytes + SLACK
    assert memory.peak <= 2 * x.nbytes + SLACK


def test_column_by_column():
    with Memory() as memory:
        x = heddle.zeros((500, 600))
        for i in range(1, 600):
            x[:, i] = x[:, i - 1] + 1
        heddle.eval(x)
    assert memory.allocated <= 3 * x.nbytes + 600 * 1024
    assert memory.peak <= 2 * x.nbytes + SLACK


def test_rows_that_are_kept_before_they_change():
    x = heddle.asarray(numpy.ones((1000, 500))).eval()
    with Memory() as memory:
        kept = []
        for i in range(1000):
            kept.append(x[i] * 2 if i % 2 else x[i].copy())
            x[i] = 0
        heddle.eval(x, *kept)
    assert memory.allocated <= 4 * x.nbytes + SLACK
    assert all(float(k.max()) == 1 + i % 2 for i, k in enumerate(kept[:20]))


def test_element_by_element():
    for step in (lambda x, i: 2 * i, lambda x, i: x[i - 1] + 1, lambda x, i: heddle.sin(x[i - 1])):
        with Memory() as memory:
            x = heddle.zeros(20_000)
            for i in range(20_000):
                x[i] = step(x, i)
            heddle.eval(x)
        assert memory.peak <= 2 * x.nbytes + SLACK
        # Numbers on their way take less than a line of memory each.
        assert memory.allocated <= x.nbytes + 20_000 * 128 + SLACK


def test_elements_of_a_matrix():
    with Memory() as memory:
        x = heddle.zeros((100, 100))
        for i in range(100):
            for j in range(100):
                x[i, j] = i * j
        heddle.eval(x)
    assert memory.allocated <= 3 * x.nbytes + SLACK


STENCILS = {
    "in place": "u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])",
    "assigned": "u[1:-1] = 0.5 * (u[2:] + u[:-2])",
    "with borders": "u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2]); u[0] = u[1]; u[-1] = 0",
    "shifted": "u[1:] += 0.5 * u[:-1]; u *= 0.5",
}


@pytest.mark.parametrize("look", [0, 1, 100], ids=["blind", "every step", "some steps"])
@pytest.mark.parametrize("stencil", STENCILS)
def test_stencils_have_two_buffers(stencil, look):
    """A step writes into fresh memory and swaps; the old memory is used again by the next one."""
    step = compile(STENCILS[stencil], "step", "exec")
    values = numpy.zeros(20_000)
    values[9_000:11_000] = 1
    heddle.get_default_memory_pool().free_all_blocks()
    with Memory() as memory:
        u = heddle.asarray(values)
        for k in range(10_000 if stencil == "in place" else 2000):
            exec(step, {"u": u})
            if look and k % look == 0:
                heddle.eval(u)
        heddle.eval(u)
    assert memory.peak <= 2.2 * u.nbytes
    assert float(u.max()) <= 1 and float(u.sum()) > 0


def test_stencils_on_a_plane_have_two_buffers():
    u = heddle.zeros((200, 200))
    u[0] = 1
    heddle.eval(u)
    with Memory() as memory:
        for _ in range(1000):
            u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        heddle.eval(u)
    assert memory.peak <= 1.2 * u.nbytes


def ends_by_hand(np, a):
    z = np.zeros_like(a)
    z[1:-1] = a[2:] - a[:-2]
    z[0] = a[1] - a[0]
    z[-1] = a[-1] - a[-2]
    return z * 0.5


def a_few_elements(np, a):
    z = a * 2
    for k in range(10):
        z[k * 1000] = k - 1
    return z + 1


def elements_of_elements(np, a):
    z = np.sqrt(a)
    z[3] = z[4]
    z[5] += z[3] + 1
    return z - a


@pytest.mark.parametrize("program", [ends_by_hand, a_few_elements, elements_of_elements])
@pytest.mark.parametrize("size", [20_000, 200_000])
def test_single_elements_of_what_is_pending(program, size):
    """Large arrays wait with their elements; the others are made, and written to."""
    values = numpy.random.default_rng(1).random(size)
    assert (program(heddle, heddle.array(values)).get() == program(numpy, values)).all()


def test_ends_take_no_pass_of_their_own():
    values = numpy.random.default_rng(1).random(200_000)
    a = heddle.array(values)
    with Memory() as memory:
        heddle.eval(ends_by_hand(heddle, a))
    assert memory.allocated < a.nbytes + SLACK


@pytest.mark.parametrize("width, chosen", [(1, True), (2, False), (4, False)])
def test_what_is_read_in_many_places_is_memory(width, chosen):
    """A kernel would choose between rows and edges anew for each place of a window."""
    values = numpy.random.default_rng(1).random((300, 300))
    a = heddle.array(values)
    room = heddle.empty((300 + 2 * width, 300))
    room[width:-width] = a
    room[:width] = a[:width][::-1]
    room[-width:] = a[-width:][::-1]
    total = room[:300]
    padded = numpy.pad(values, ((width, width), (0, 0)), "symmetric")
    expected = padded[:300]
    for k in range(1, 2 * width + 1):
        total = total + room[k : k + 300]
        expected = expected + padded[k : k + 300]
    del room
    if heddle.default_device() == "cpu":
        assert ("chooses element by element" in heddle.explain(total)) == chosen
    numpy.testing.assert_allclose(heddle.asnumpy(total), expected, rtol=1e-14)


def test_what_ends_read_is_no_reason_for_memory():
    values = numpy.random.default_rng(1).random(200_000)
    a = heddle.array(values)
    heddle.reset_stats()
    twice = heddle.gradient(heddle.gradient(a)).eval()
    assert heddle.stats()["launched"] <= 3  # the inner part, and the ends
    assert (twice.get() == numpy.gradient(numpy.gradient(values))).all()
