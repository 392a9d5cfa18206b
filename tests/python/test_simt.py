"""Kernels written in Python, against what NumPy computes: launches, types, the language."""

import cmath
import math
import operator

import numpy as np
import pytest
from support import host

import heddle as hd
from heddle import simt

TILE = 8
FACTOR = 3


@simt.kernel
def add(x, y, out):
    i = simt.grid(1)
    if i < out.size:
        out[i] = x[i] + y[i]


@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "int32", "int64", "uint8", "complex64", "float16"]
)
@pytest.mark.parametrize("n", [1, 5, 64, 1000])
def test_three_ways_to_launch(dtype, n):
    x = (np.arange(n) % 50).astype(dtype)
    y = (np.arange(n)[::-1] % 50).astype(dtype)
    for launch in (
        lambda *args: add[(n + 63) // 64, 64](*args),
        lambda *args: add(((n + 63) // 64,), (64,), args),
        lambda *args: add.forall(n)(*args),
    ):
        out = hd.zeros(n, dtype)
        launch(hd.asarray(x), hd.asarray(y), out)
        np.testing.assert_array_equal(host(out), x + y)


@simt.kernel
def unguarded(x, y, out):
    i = simt.grid(1)
    out[i] = x[i] + y[i]


@pytest.mark.host_memory
def test_indices_past_the_end_touch_nothing_on_the_cpu():
    n = 1000
    x, y = np.random.rand(n), np.random.rand(n)
    whole = np.full(n + 400, 7.0)
    out = whole[200 : 200 + n]
    unguarded[4, 298](x, y, out)
    np.testing.assert_array_equal(out, x + y)
    assert (whole[:200] == 7).all() and (whole[200 + n :] == 7).all()


@simt.kernel
def matmul(a, b, c):
    row, column = simt.grid(2)
    if row < c.shape[0] and column < c.shape[1]:
        total = 0.0
        for k in range(a.shape[1]):
            total += a[row, k] * b[k, column]
        c[row, column] = total


@simt.kernel
def tiled(a, b, c):
    sa = simt.shared.array((TILE, TILE), np.float32)
    sb = simt.shared.array((TILE, TILE), np.float32)
    x, y = simt.grid(2)
    tx, ty = simt.threadIdx.x, simt.threadIdx.y
    total = np.float32(0)
    for i in range((a.shape[1] + TILE - 1) // TILE):
        sa[ty, tx] = 0
        sb[ty, tx] = 0
        if y < a.shape[0] and tx + i * TILE < a.shape[1]:
            sa[ty, tx] = a[y, tx + i * TILE]
        if x < b.shape[1] and ty + i * TILE < b.shape[0]:
            sb[ty, tx] = b[ty + i * TILE, x]
        simt.syncthreads()
        for j in range(TILE):
            total += sa[ty, j] * sb[j, tx]
        simt.syncthreads()
    if y < c.shape[0] and x < c.shape[1]:
        c[y, x] = total


@pytest.mark.parametrize("kernel", [matmul, tiled])
@pytest.mark.parametrize("shape", [(24, 24, 24), (33, 17, 21), (5, 40, 3)])
def test_products_of_matrices(kernel, shape):
    m, k, n = shape
    a = np.random.rand(m, k).astype(np.float32)
    b = np.random.rand(k, n).astype(np.float32)
    c = hd.zeros((m, n), np.float32)
    longest = max(m, n)
    blocks = (longest + TILE - 1) // TILE
    kernel[(blocks, blocks), (TILE, TILE)](hd.asarray(a), hd.asarray(b), c)
    np.testing.assert_allclose(host(c), a @ b, rtol=1e-5)


@simt.kernel
def block_sums(x, out):
    shared = simt.shared.array(128, np.float64)
    t = simt.threadIdx.x
    i = simt.grid(1)
    shared[t] = x[i] if i < x.size else 0.0
    simt.syncthreads()
    s = simt.blockDim.x // 2
    while s > 0:
        if t < s:
            shared[t] += shared[t + s]
        simt.syncthreads()
        s //= 2
    if t == 0:
        simt.atomic.add(out, 0, shared[0])


def test_reduction_in_shared_memory():
    x = np.random.rand(1000)
    out = hd.zeros(1)
    block_sums[8, 128](hd.asarray(x), out)
    np.testing.assert_allclose(host(out)[0], x.sum())


@simt.kernel
def leaves_early(x, out):
    i = simt.grid(1)
    if i >= x.size:
        return
    total = 0
    for k in range(100):
        if k > x[i]:
            break
        if k % 2 == 0:
            continue
        total += k
    out[i] = total


def test_break_continue_return():
    x = np.arange(-3, 70)
    out = hd.zeros(x.size, np.int64)
    leaves_early[2, 64](hd.asarray(x), out)
    wanted = [sum(k for k in range(100) if k <= v and k % 2) if v >= 0 else 0 for v in x]
    np.testing.assert_array_equal(host(out), wanted)


@simt.kernel
def mandelbrot(out, limit):
    x, y = simt.grid(2)
    if y < out.shape[0] and x < out.shape[1]:
        c = complex(-2 + 3 * x / out.shape[1], -1.5 + 3 * y / out.shape[0])
        z = 0j
        n = 0
        while abs(z) <= 2 and n < limit:
            z = z * z + c
            n += 1
        out[y, x] = n


def test_loops_that_lanes_leave_one_by_one():
    out = hd.zeros((30, 40), np.int32)
    mandelbrot[(3, 4), (16, 8)](out, 50)
    wanted = np.zeros((30, 40), np.int32)
    for y in range(30):
        for x in range(40):
            c, z, n = complex(-2 + 3 * x / 40, -1.5 + 3 * y / 30), 0j, 0
            while abs(z) <= 2 and n < 50:
                z, n = z * z + c, n + 1
            wanted[y, x] = n
    assert (host(out) != wanted).mean() < 0.01  # fused products round otherwise


@simt.func
def clamp(v, low=0, high=10):
    if v < low:
        return low
    if v > high:
        return high
    return v


def scaled(v, by):
    return v * by, v + FACTOR


@simt.kernel
def calls(x, out):
    i = simt.grid(1)
    if i < x.size:
        a, b = scaled(clamp(x[i], high=20), 2)
        out[i] = a + b


def test_functions_are_taken_along():
    x = np.arange(-20.0, 40.0)
    out = hd.zeros(x.size)
    calls.forall(x.size)(hd.asarray(x), out)
    clamped = np.clip(x, 0, 20)
    np.testing.assert_array_equal(host(out), clamped * 2 + clamped + 3)


def test_globals_are_compared_at_each_launch():
    global FACTOR
    x, out = hd.zeros(4), hd.zeros(4)
    calls.forall(4)(x, out)
    assert host(out)[0] == 3
    FACTOR = 5
    calls.forall(4)(x, out)
    assert host(out)[0] == 5
    FACTOR = 3


def test_closures():
    def make(by):
        @simt.kernel
        def scale(x):
            i = simt.grid(1)
            if i < x.size:
                x[i] *= by

        return scale

    for by in (2, 3.5):
        x = hd.arange(10.0)
        make(by).forall(10)(x)
        np.testing.assert_array_equal(host(x), np.arange(10.0) * by)


@simt.kernel
def types(x, out, flag, number, pair):
    i = simt.grid(1)
    if i < out.size:
        v = x[i] * number + pair[0]
        if flag:
            v = v + pair[1]
        out[i] = v


@pytest.mark.parametrize("dtype", ["float32", "int32", "float64"])
def test_numbers_and_tuples_as_arguments(dtype):
    x = np.arange(10).astype(dtype)
    out = hd.zeros(10, dtype)
    types.forall(10)(hd.asarray(x), out, True, 3, (1, np.float32(2)))
    np.testing.assert_array_equal(host(out), x * 3 + 3)


@simt.kernel
def weak(x, out):
    i = simt.grid(1)
    if i < x.size:
        total = 0.0
        total += x[i] * 0.1
        out[i] = total * i


def test_python_numbers_are_weak():
    x = np.random.rand(50).astype(np.float32)
    out = hd.zeros(50, np.float32)
    weak.forall(50)(hd.asarray(x), out)
    np.testing.assert_array_equal(
        host(out), (x * np.float32(0.1)) * np.arange(50).astype(np.float32)
    )


@simt.kernel
def views(x, out):
    i = simt.grid(1)
    if i < x.shape[0]:
        row = x[i]
        total = 0.0
        for v in row[1:-1]:
            total += v
        for k, v in enumerate(row[::-2]):
            total += k * v
        out[i, 0] = total + len(row) + x.T[0, i] + row[-1]


def test_views_inside():
    x = np.random.rand(20, 7)
    out = hd.zeros((20, 1))
    views.forall(20)(hd.asarray(x), out)
    wanted = [
        r[1:-1].sum() + sum(k * v for k, v in enumerate(r[::-2])) + 7 + r[0] + r[-1] for r in x
    ]
    np.testing.assert_allclose(host(out)[:, 0], wanted)


@simt.kernel
def strided(x, out):
    i, j = simt.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        out[i, j] = 2 * x[i, j]


def test_layouts():
    base = np.random.rand(40, 60)
    x = hd.asarray(base)
    for view, wanted in (
        (x[::2, 1::3], base[::2, 1::3]),
        (x.T, base.T),
        (x[::-1], base[::-1]),
        (hd.broadcast_to(x[0], (5, 60)), np.broadcast_to(base[0], (5, 60))),
    ):
        out = hd.zeros(wanted.shape)
        strided[(8, 8), (8, 8)](view, out)
        np.testing.assert_array_equal(host(out), 2 * wanted)
    out = hd.zeros((40, 60))
    strided[(8, 8), (8, 8)](x[::2], out[1::2])
    wanted = np.zeros((40, 60))
    wanted[1::2] = 2 * base[::2]
    np.testing.assert_array_equal(host(out), wanted)


@simt.kernel
def mathematics(x, out):
    i = simt.grid(1)
    if i < x.size:
        v = x[i]
        out[i, 0] = math.sin(v) + np.cos(v) + math.sqrt(v) + math.exp(-v) + math.log(v + 1)
        out[i, 1] = math.atan2(v, 2.0) + math.hypot(v, 1.0) + math.floor(v) + math.ceil(v)
        out[i, 2] = min(v, 3.0) + max(v, 1.0, 2.0) + abs(-v) + round(v) + v**2 + v**0.5
        out[i, 3] = v // 2 + v % 2 + (7 // 2) + math.pi
        out[i, 4] = (
            math.erf(v) + math.tanh(v) + math.degrees(v) + math.fabs(v) + math.copysign(1.0, -v)
        )


def test_mathematics():
    x = np.random.rand(40) * 5
    out = hd.zeros((40, 5))
    mathematics.forall(40)(hd.asarray(x), out)
    erf = np.array([math.erf(v) for v in x])
    wanted = np.stack(
        [
            np.sin(x) + np.cos(x) + np.sqrt(x) + np.exp(-x) + np.log(x + 1),
            np.arctan2(x, 2) + np.hypot(x, 1) + np.floor(x) + np.ceil(x),
            np.minimum(x, 3) + np.maximum(x, 2) + x + np.rint(x) + x**2 + x**0.5,
            x // 2 + x % 2 + 3 + np.pi,
            erf + np.tanh(x) + np.degrees(x) + x - 1,
        ],
        1,
    )
    np.testing.assert_allclose(host(out), wanted, rtol=1e-13)


@simt.kernel
def integers(x, out):
    i = simt.grid(1)
    if i < x.size:
        v = x[i]
        out[i] = ((v << 3) >> 1) ^ (v & 12) | (~v & 1) + v // 3 * 5 % 7


def test_integers():
    x = np.arange(100)
    out = hd.zeros(100, np.int64)
    integers.forall(100)(hd.asarray(x), out)
    wanted = [((v << 3) >> 1) ^ (v & 12) | (~v & 1) + v // 3 * 5 % 7 for v in range(100)]
    np.testing.assert_array_equal(host(out), wanted)


@simt.kernel
def lazy(x, out):
    i = simt.grid(1)
    ok = i < x.size and x[i] > 0
    if i < out.size:
        out[i] = 1 if ok else (2 if i >= x.size or x[i] == 0 else 3)


@pytest.mark.parametrize("debug", [False, True])
def test_and_or_look_no_further(debug):
    kernel = simt.kernel(debug=debug)(lazy.py_func)
    x = np.array([1, 0, -1, 5])
    out = hd.zeros(6, np.int64)
    kernel[1, 32](hd.asarray(x), out)
    np.testing.assert_array_equal(host(out), [1, 2, 3, 1, 2, 2])


@simt.kernel
def local_memory(x, out):
    i = simt.grid(1)
    if i < x.size:
        a = simt.local.array(5, np.float64)
        for k in range(5):
            a[k] = x[i] * k
        total = 0.0
        for k in range(5):
            total += a[(k * 2 + i) % 5] * k
        out[i] = total


def test_local_arrays():
    x = np.random.rand(100)
    out = hd.zeros(100)
    local_memory.forall(100)(hd.asarray(x), out)
    wanted = [sum(x[i] * ((k * 2 + i) % 5) * k for k in range(5)) for i in range(100)]
    np.testing.assert_allclose(host(out), wanted)


def test_pending_work_is_ordered():
    x = hd.arange(1000.0)
    y = x * 2 + 1
    out = hd.zeros(1000)
    add.forall(1000)(y, x, out)
    before = out * 1
    add.forall(1000)(out, x, out)
    after = out + 0
    np.testing.assert_array_equal(host(before), np.arange(1000.0) * 3 + 1)
    np.testing.assert_array_equal(host(after), np.arange(1000.0) * 4 + 1)


def test_values_taken_before_are_what_they_were():
    x = hd.arange(10.0)
    old = x.copy()
    view = x[2:5]
    add.forall(10)(x, x, x)
    np.testing.assert_array_equal(host(old), np.arange(10.0))
    np.testing.assert_array_equal(host(x), 2 * np.arange(10.0))
    np.testing.assert_array_equal(host(view), 2 * np.arange(2.0, 5.0))


def test_arrays_of_numpy_are_written():
    x, y, out = np.arange(10.0), np.ones(10), np.zeros(10)
    add[1, 32](x, y, out)
    np.testing.assert_array_equal(out, x + 1)


def test_bad_launches():
    x = hd.zeros(4)
    with pytest.raises(TypeError, match="missing a required argument"):
        add[1, 32](x, x)
    with pytest.raises(ValueError, match="2048 threads"):
        add[1, 2048](x, x, x)
    with pytest.raises(ValueError, match="has none"):
        add[0, 32](x, x, x)
    with pytest.raises(TypeError, match="not str"):
        add[1, 32](x, "a", x)
    with pytest.raises(ValueError):
        add[1](x, x, x)
    with pytest.raises(TypeError, match="inside of a kernel"):
        simt.grid(1)
    with pytest.raises(ValueError, match="must not be written"):
        add[1, 32](x, x, hd.broadcast_to(x[:1], (4,)))


@simt.kernel
def modules(x, z, out, parts):
    import_free = 0
    for i in range(x.size):
        out[i, 0] = operator.add(x[i], operator.mul(2, x[i]))
        out[i, 1] = operator.neg(x[i]) if operator.lt(x[i], 0) else operator.pow(x[i], 2)
        out[i, 2] = math.remainder(x[i], 1.5)
        out[i, 3] = isinstance(x[i], float) + 2 * isinstance(i, int) + 4 * isinstance(x, tuple)
        parts[i, 0] = cmath.exp(z[i])
        parts[i, 1] = cmath.log(z[i], 2)
        r, angle = cmath.polar(z[i])
        parts[i, 2] = cmath.rect(r, angle)
        parts[i, 3] = cmath.phase(z[i])
        parts[i, 4] = cmath.sqrt(x[i])
        import_free += 1
    out[0, 4] = import_free


def test_modules_of_python():
    x = np.linspace(-3, 3, 9)
    z = x + 1j * x[::-1] + 0.1
    out, parts = hd.zeros((9, 5)), hd.zeros((9, 5), np.complex128)
    modules[1, 1](x, z, out, parts)
    found, parts = host(out), host(parts)
    np.testing.assert_allclose(found[:, 0], 3 * x)
    np.testing.assert_allclose(found[:, 1], np.where(x < 0, -x, x**2))
    np.testing.assert_allclose(found[:, 2], [math.remainder(v, 1.5) for v in x])
    assert (found[:, 3] == 3).all() and found[0, 4] == 9
    np.testing.assert_allclose(parts[:, 0], np.exp(z))
    np.testing.assert_allclose(parts[:, 1], [cmath.log(v, 2) for v in z])
    np.testing.assert_allclose(parts[:, 2], z)
    np.testing.assert_allclose(parts[:, 3], np.angle(z))
    np.testing.assert_allclose(parts[:, 4], np.sqrt(x + 0j))
