"""Functions under njit: loops on all cores, whole arrays, memory of their own, what is refused."""

import collections

import numpy as np
import pytest
from njit_support import element, same
from recorder import tape

import heddle as hd
from heddle import njit, prange, simt
from heddle.simt import KernelError

# --- loops on all cores ---


def test_prange():
    @njit
    def f(x, out):
        total, product, most, least, bits = 0.0, 1.0, -np.inf, np.inf, 0
        for i in prange(x.shape[0]):
            row = x[i]
            s = 0.0
            for j in range(row.size):
                s += row[j]
            out[i] = s
            total += s
            product *= 1.0 + s * 1e-6
            most = max(most, s)
            least = min(least, s)
            bits |= 1 << (i % 8)
        return total, product, most, least, bits

    x = np.random.default_rng(2).random((1000, 7))
    same(f, x, np.zeros(1000), rtol=1e-9)
    same(f, x[:0], np.zeros(0))


def test_prange_with_steps_and_failures():
    @njit
    def f(x, a, b):
        n = 0
        for i in prange(a, b, -2):
            x[i] = i
            n += 1
        return n

    x = np.zeros(100)
    assert f(x, 99, 0) == 50 and x[99] == 99 and x[98] == 0 and x[1] == 1
    with pytest.raises(IndexError, match="size 100"):
        f(x, 300, 0)

    @njit
    def allocates(n):
        total = 0
        for i in prange(n):
            y = np.zeros(i % 5 + 1, np.int64)
            y[:] = 1
            total += y.sum()
        return total

    assert allocates(100) == 300


# --- whole arrays ---


@njit
def expressions(a, b, s):
    c = a * 2 + b / s
    c[1:] = c[:-1] + 1
    c += np.sqrt(np.abs(b))
    d = np.where(c > 1, c, -c)
    d[::2] = 0
    return c, d, c.sum(), d.max(), np.mean(c), (c > 0).any(), a @ b


def test_whole_arrays():
    rng = np.random.default_rng(3)
    for n in (1, 2, 17):
        same(expressions, rng.standard_normal(n), rng.standard_normal(n), 3.0)

    @njit
    def broadcast(a, b):
        return a + b

    same(broadcast, np.ones((3, 1)), np.arange(4.0))
    with pytest.raises(ValueError, match="broadcast"):
        broadcast(np.ones(3), np.ones(4))

    @njit
    def products(a, b):
        return a @ b, np.dot(a[0], b)

    same(products, rng.random((3, 4)), rng.random((4, 2)))


def test_creation():
    @njit
    def f(n, t):
        a = np.arange(2, n, 3)
        b = np.arange(0.0, 1.0, t)
        c = np.linspace(0, 1, n)
        d = np.full((2, n), t)
        e = np.array([[1, 2], [3, 4]])
        g = a.astype(np.float32)
        return a, b, c, d, e, g, np.ones_like(d), e.T.copy()

    same(f, 10, 0.25)
    same(f, 1, 0.3)


# --- what is refused ---


def test_what_is_no_part_of_it_is_refused_with_its_line():
    def lists(x):
        return [[i * 2 for i in range(x)] for _ in range(2)]

    def threads(x):
        return hd.simt.grid(1)

    def kinds(x):
        if x > 0:
            return 1
        return (1, 2)

    def generators(x):
        yield x

    def leaves(x):
        for i in prange(x):
            if i > 3:
                break

    for function, said in (
        (lists, "np.array"),
        (threads, "no threads"),
        (kinds, "one kind"),
        (generators, "generators"),
        (leaves, "break"),
    ):
        with pytest.raises(KernelError, match=said) as caught:
            njit(function)(1)
        assert "test_njit_loops.py" in str(caught.value) and "^" in str(caught.value)


def test_arguments_that_are_refused():
    with pytest.raises(TypeError, match="object"):
        element(object(), 1)
    with pytest.raises(TypeError, match="type"):
        element(np.array(["a"]), 0)
    with pytest.raises(OverflowError):
        element(np.arange(3), 2**70)
    x = np.zeros(3)
    x.flags.writeable = False

    @njit
    def write(x):
        x[0] = 1

    with pytest.raises(ValueError, match="read-only"):
        write(x)
    with pytest.raises(TypeError):
        njit(3)


def test_it_can_be_looked_at():
    assert "define" in element.inspect_llvm(np.zeros(3), 1)
    assert element.__name__ == "element" and "element" in repr(element)
    assert element.py_func(np.arange(3), 1) == 1
    assert len(element.signatures) >= 1


def _target(into, a):
    """An array, and what of it is written."""
    if into == "its argument":
        return a, a
    if into == "a column":
        y = hd.zeros((4, 1))
        return y, y[:, 0]
    y = hd.zeros(8)
    return y, y[::2] if into == "every other" else y


@pytest.mark.parametrize("into", ["a new array", "its argument", "a column", "every other"])
def test_what_is_written_is_heard_by_jit(into):
    @njit
    def double(x, y):
        s = 0.0
        for i in range(x.size):
            s += x[i]
            y[i] = x[i] * 2
        return s

    def f(a):
        y, written = _target(into, a)
        s = double(a, written)
        return y * s + 1

    recorded = hd.jit(f)
    for k in range(6):
        values = np.arange(4.0) + k // 2
        a, b = hd.asarray(values.copy()), hd.asarray(values.copy())
        np.testing.assert_array_equal(hd.asnumpy(recorded(a)), hd.asnumpy(f(b)))
        np.testing.assert_array_equal(hd.asnumpy(a), hd.asnumpy(b))
    with tape() as heard:
        hd.asnumpy(f(hd.asarray(np.arange(4.0))))
    assert heard[0].rewritten == 0, heard[0]


def test_nothing_is_differentiated():
    """A derivative of zero would be made up."""

    @njit
    def squares(x):
        total = 0.0
        for value in x:
            total += value * value
        return total

    @njit
    def doubled(x, out):
        for i in range(x.size):
            out[i] = 2 * x[i]

    def written(x):
        out = hd.zeros(3)
        doubled(x, out)
        return (out * x).sum()

    x = hd.arange(3.0)
    for f in (squares, written, lambda x: squares(hd.sin(x))):
        for transformed in (hd.grad(f), lambda x, f=f: hd.jvp(f, (x,), (x,))):
            with pytest.raises(TypeError, match="compiled function has no derivative"):
                transformed(x)
    assert hd.grad(lambda x: squares(hd.stop_gradient(x)) * x.sum())(x).tolist() == [5, 5, 5]
    assert squares(x) == 5


def test_memory_of_a_function():
    @njit
    def reversed_by_four(x, y):
        for i in prange(x.size // 4):
            four = simt.local.array(4, x.dtype)
            for k in range(4):
                four[k] = x[4 * i + k]
            for k in range(4):
                y[4 * i + k] = four[-1 - k]

    for dtype in (np.float64, np.int8, np.complex64):
        x = np.arange(400).astype(dtype)
        y = np.zeros_like(x)
        reversed_by_four(x, y)
        assert (y == x.reshape(100, 4)[:, ::-1].ravel()).all()


def test_memory_of_a_function_stays_there():
    @njit
    def given():
        own = simt.local.array(4, np.float64)
        own[0] = 1
        return own

    @njit
    def twice(n):
        own = simt.local.array(4, np.float64)
        other = simt.local.array(4, np.float64)
        for _ in range(n):
            own = other
        return own[0]

    @njit
    def outside(x):
        own = simt.local.array(4, np.float64)
        for i in prange(x.size):
            own[0] = x[i]

    @njit
    def large():
        own = simt.local.array(100_000, np.float64)
        return own[0]

    @njit
    def beyond(i):
        own = simt.local.array(4, np.float64)
        own[i] = 1
        return own[i]

    with pytest.raises(KernelError, match="belongs to the function"):
        given()
    with pytest.raises(KernelError, match="belongs to the function"):
        twice(3)
    with pytest.raises(KernelError, match="inside of the loop"):
        outside(np.ones(5))
    with pytest.raises(KernelError, match=r"use np\.empty"):
        large()
    assert beyond(-4) == 1
    with pytest.raises(IndexError):
        beyond(4)
    with pytest.raises(IndexError):
        beyond(-5)


def test_loops_of_any_length_and_shape_run_once():
    """Short loops stay in their thread, longer ones do not: each turn runs once, whatever it was
    the time before."""

    @njit
    def work(sizes, y):
        for i in prange(sizes.size):
            total = 0
            for k in range(sizes[i]):
                total += k
            y[i] += total + 1

    for sizes in ([1] * 1000, [100_000] * 8, [1] * 1000, [1] * 60 + [300_000], [2] * 3, []):
        y = np.zeros(len(sizes), int)
        n = np.array(sizes, int)
        for _ in range(3):
            work(n, y)
        assert (y == 3 * (n * (n - 1) // 2 + 1)).all()


def test_loops_over_all_places():
    @njit
    def places(x):
        total = 0.0
        for i, k in np.ndindex(x.shape):
            total += x[i, k] * (10 * i + k)
        for place in np.ndindex(x.shape[0], x.shape[1]):
            total += x[place]
        for (i, k), value in np.ndenumerate(x):
            total += value * (i - k)
        for i, value in enumerate(x.flat):
            total += i * value
        return total

    for x in (np.random.default_rng(0).random((3, 4)), np.ones((4, 3)).T, np.ones((0, 3))):
        np.testing.assert_allclose(places(x), places.py_func(x), rtol=1e-13)


Pair = collections.namedtuple("Pair", ("a", "b"), defaults=(5,))


def test_named_tuples_are_made_by_name():
    @njit
    def made(x):
        one, other = Pair(b=3, a=x), Pair(x)
        return one.a * 10 + one.b, other.b

    @njit
    def wrong(x):
        return Pair(x, a=2).a

    assert made(2) == (23, 5)
    with pytest.raises(KernelError, match="Pair takes a, b"):
        wrong(1)


def test_views_that_turns_which_are_written_out_set_again():
    @njit
    def turned(x):
        total = 0.0
        for i in range(3):
            back = x[::-1]
            part = x[i : i + 2]
            back[0] += 1.0
            total += part.sum() * (i + 1)
        for step in (1, 2):
            every = x[::step]
            total += every[1]
        return total

    same(turned, np.arange(6.0))


def test_checked_turns_name_the_first_index_that_is_wrong():
    @njit
    def around(u, out, k):
        for j in range(u.shape[1]):
            out[k, j] = u[k - 1, j - 1] + u[k, j - 2]

    u, out = np.arange(12.0).reshape(3, 4), np.zeros((3, 4))
    around(u, out, 0)
    expected = [u[-1, j - 1] + u[0, j - 2] for j in range(4)]
    np.testing.assert_array_equal(out[0], expected)
    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 with size 3"):
        around(u, out, 3)
    with pytest.raises(IndexError, match="index -4 is out of bounds for axis 0 with size 3"):
        around(u, out, -3)

    @njit
    def beyond(u, k):
        total = 0.0
        for j in range(k):
            total += u[1, j, -j]
        return total

    cube = np.arange(60.0).reshape(3, 4, 5)
    assert beyond(cube, 4) == sum(cube[1, j, -j] for j in range(4))
    with pytest.raises(IndexError, match="index 4 is out of bounds for axis 1 with size 4"):
        beyond(cube, 5)
    with pytest.raises(IndexError, match="index -6 is out of bounds for axis 2 with size 5"):
        beyond(np.zeros((3, 9, 5)), 8)


def branched(g, n):
    t = 0
    for k in range(3):
        if g + k >= 0:  # noqa: SIM108
            r = range(n - k)
        else:
            r = range(-g, n)
        for i in r:
            t = t * 3 + i
    return t


def renamed(n):
    r = range(n)
    s = r
    r = range(2, n, 2)
    n = 2
    t = 0
    for i in s:
        t += i
    for i in range(10, 0, -3):
        t = t * 2 + i
    return t, len(r), len(s)


def test_names_that_are_several_ranges():
    for args in ((2, 7), (-2, 7), (-1, 6), (-5, 6)):
        assert njit(branched)(*args) == branched(*args)
    assert njit(renamed)(7) == renamed(7)
