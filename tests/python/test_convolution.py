"""Convolution and pooling of heddle.nn, against loops in NumPy and SciPy; all transformations."""

import itertools

import numpy as np
import pytest
import scipy.signal
from hypothesis import given, settings
from hypothesis import strategies as st

import heddle as hd
from heddle import nn

RNG = np.random.default_rng(11)
TOLERANCE = {"float16": 2e-2, "bfloat16": 1e-1, "float32": 2e-5, "float64": 1e-12}


def windows(x, shape, strides, pads, dilation):
    """For each place of windows, in C order, the part of the padded input that is in it."""
    x = np.pad(x, [(0, 0), *pads, (0, 0)])
    reach = [(n - 1) * d + 1 for n, d in zip(shape, dilation, strict=True)]
    counts = [
        max((n - r) // s + 1, 0) for n, r, s in zip(x.shape[1:-1], reach, strides, strict=True)
    ]
    for place in itertools.product(*map(range, counts)):
        spans = tuple(
            slice(p * s, p * s + r, d)
            for p, s, r, d in zip(place, strides, reach, dilation, strict=True)
        )
        yield place, counts, x[(slice(None), *spans)]


def reference(x, w, strides, pads, between, inside, groups):
    """Sums over windows, one after the other."""
    axes = w.ndim - 2
    spread = [(n - 1) * d + 1 for n, d in zip(x.shape[1:-1], between, strict=True)]
    wide = np.zeros((x.shape[0], *spread, x.shape[-1]), x.dtype)
    wide[(slice(None), *(slice(None, None, d) for d in between))] = x
    crop = tuple(
        slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(pads, wide.shape[1:-1], strict=True)
    )
    wide = wide[(slice(None), *crop)]
    pads = [(max(a, 0), max(b, 0)) for a, b in pads]
    per, features = w.shape[-2], w.shape[-1] // groups
    made = None
    for place, counts, part in windows(wide, w.shape[:-2], strides, pads, inside):
        if made is None:
            made = np.zeros((x.shape[0], *counts, w.shape[-1]), x.dtype)
        for g in range(groups):
            channels = part[..., g * per : (g + 1) * per]
            kernel = w[..., g * features : (g + 1) * features]
            axes_of = tuple(range(axes + 1))
            sums = np.tensordot(channels, kernel, (tuple(a + 1 for a in axes_of), axes_of))
            made[(slice(None), *place, slice(g * features, (g + 1) * features))] = sums
    return made


CASES = {
    "valid": ((2, 6, 5, 3), (3, 2, 3, 4), {"padding": "VALID"}),
    "same": ((2, 6, 5, 3), (3, 3, 3, 4), {}),
    "strides": ((2, 7, 8, 3), (3, 3, 3, 4), {"strides": (2, 3)}),
    "side by side": ((1, 8, 8, 2), (2, 2, 2, 3), {"strides": 2, "padding": "VALID"}),
    "explicit": ((2, 5, 4, 2), (3, 2, 2, 3), {"padding": [(2, 0), (1, 3)]}),
    "negative": ((1, 7, 9, 2), (2, 2, 2, 3), {"padding": [(-1, 2), (-3, -1)]}),
    "dilated": ((2, 9, 8, 2), (3, 2, 2, 3), {"kernel_dilation": (2, 3), "padding": 2}),
    "spread": ((2, 4, 3, 2), (3, 3, 2, 3), {"input_dilation": (2, 3), "padding": "SAME"}),
    "spread, strides": (
        (1, 5, 4, 2),
        (2, 3, 2, 2),
        {"input_dilation": 2, "strides": (3, 2), "padding": [(-1, 2), (1, 1)]},
    ),
    "groups": ((2, 5, 5, 4), (3, 3, 2, 6), {"feature_group_count": 2}),
    "groups, strides": ((2, 5, 6, 4), (2, 3, 2, 6), {"feature_group_count": 2, "strides": 2}),
    "by channel": ((2, 5, 5, 3), (3, 3, 1, 3), {"feature_group_count": 3}),
    "by channel, twice": ((2, 6, 5, 3), (3, 2, 1, 6), {"feature_group_count": 3, "strides": 2}),
    "1x1": ((2, 3, 4, 5), (1, 1, 5, 2), {}),
    "1x1, strides": ((2, 5, 4, 5), (1, 1, 5, 2), {"strides": 2}),
    "one axis": ((2, 9, 2), (4, 2, 3), {"strides": 2}),
    "three axes": ((1, 4, 3, 5, 2), (2, 2, 3, 2, 2), {"padding": "SAME_LOWER"}),
    "no window": ((2, 2, 2, 1), (3, 3, 1, 2), {"padding": "VALID"}),
}


def reference_of(x, w, keywords):
    axes = w.ndim - 2

    def all_axes(name):
        value = keywords.get(name, 1)
        return (value,) * axes if isinstance(value, int) else value

    strides, between, inside = map(all_axes, ("strides", "input_dilation", "kernel_dilation"))
    padding = keywords.get("padding", "SAME")
    if padding == "VALID":
        pads = [(0, 0)] * axes
    elif isinstance(padding, str):
        pads = []
        for n, k, s, a, b in zip(x.shape[1:], w.shape, strides, between, inside, strict=False):
            n, k = (n - 1) * a + 1, (k - 1) * b + 1
            total = max((-(-n // s) - 1) * s + k - n, 0)
            half = total // 2
            pads.append((half, total - half) if padding == "SAME" else (total - half, half))
    else:
        pads = [(padding, padding)] * axes if isinstance(padding, int) else padding
    groups = keywords.get("feature_group_count", 1)
    return reference(x, w, strides, pads, between, inside, groups)


def arrays(name, dtype=np.float64):
    shape, kernel, keywords = CASES[name]
    x, w = (RNG.normal(size=s) for s in (shape, kernel))
    return hd.asarray(x).astype(dtype), hd.asarray(w).astype(dtype), keywords


@pytest.mark.parametrize("name", CASES)
def test_convolution(name):
    x, w, keywords = arrays(name)
    found = nn.conv(x, w, **keywords)
    wanted = reference_of(hd.asnumpy(x), hd.asnumpy(w), keywords)
    if wanted is None:
        assert 0 in found.shape
        return
    assert found.shape == wanted.shape
    np.testing.assert_allclose(hd.asnumpy(found), wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_types(dtype):
    for name in ("same", "groups", "by channel", "strides"):
        x, w, keywords = arrays(name, dtype)
        found = nn.conv(x, w, **keywords)
        assert found.dtype == x.dtype
        wanted = reference_of(hd.asnumpy(x.astype(float)), hd.asnumpy(w.astype(float)), keywords)
        scale = np.abs(wanted).max()
        found = hd.asnumpy(found.astype(float))
        np.testing.assert_allclose(found, wanted, atol=TOLERANCE[dtype] * scale)


def test_complex_numbers_and_mixed_types():
    x, w = RNG.normal(size=(2, 5, 2)) + 1j * RNG.normal(size=(2, 5, 2)), RNG.normal(size=(3, 2, 2))
    found = nn.conv(hd.asarray(x), hd.asarray(w))
    wanted = reference_of(x, w.astype(complex), {})
    np.testing.assert_allclose(hd.asnumpy(found), wanted, rtol=1e-12)
    assert nn.conv(hd.ones((1, 3, 1), hd.float32), hd.ones((1, 1, 1))).dtype == hd.float64
    assert nn.conv(hd.ones((1, 3, 1), int), hd.ones((1, 1, 1), int)).dtype == hd.float64


@pytest.mark.parametrize("shape", [(40, 30), (64, 64)])
def test_against_scipy(shape):
    image, kernel = RNG.normal(size=shape), RNG.normal(size=(5, 4))
    found = nn.conv(
        hd.asarray(image)[None, ..., None], hd.asarray(kernel)[..., None, None], padding="VALID"
    )
    wanted = scipy.signal.correlate2d(image, kernel, mode="valid")
    np.testing.assert_allclose(hd.asnumpy(found)[0, ..., 0], wanted, rtol=1e-10)


@pytest.mark.parametrize("dtype", [hd.float32, hd.float64])
def test_sizes_that_all_cores_work_on(dtype):
    x = hd.asarray(RNG.normal(size=(8, 30, 31, 6))).astype(dtype)
    w = hd.asarray(RNG.normal(size=(3, 3, 6, 10))).astype(dtype)
    found = nn.conv(x, w, strides=(1, 2))
    wanted = reference_of(*(hd.asnumpy(a.astype(float)) for a in (x, w)), {"strides": (1, 2)})
    tolerance = TOLERANCE[dtype.__name__] * 20
    np.testing.assert_allclose(hd.asnumpy(found), wanted, atol=tolerance)
    weights = hd.asarray(RNG.normal(size=wanted.shape)).astype(dtype)

    def total(x, w):
        return (nn.conv(x, w, strides=(1, 2)) * weights).sum()

    # The convolution is linear in each: along a direction the derivative is the difference.
    for i, slope in enumerate(hd.grad(total, argnums=(0, 1))(x, w)):
        along = hd.asarray(RNG.normal(size=slope.shape)).astype(dtype)
        moved = [x, w]
        moved[i] = along
        expected = float(total(*moved))
        found = float((slope.astype(float) * along.astype(float)).sum())
        np.testing.assert_allclose(found, expected, rtol=1e-2 if dtype == hd.float32 else 1e-9)


@pytest.mark.parametrize("name", [name for name in CASES if name != "no window"])
def test_derivatives(name):
    x, w, keywords = arrays(name)
    hd.debug.check_grads(lambda x, w: nn.conv(x, w, **keywords), (x, w), order=2)


def test_no_window_has_zero_slopes():
    x, w, keywords = arrays("no window")
    for slope in hd.grad(lambda x, w: nn.conv(x, w, **keywords).sum(), argnums=(0, 1))(x, w):
        assert not slope.any()


@pytest.mark.parametrize("name", ["same", "strides", "groups", "by channel", "spread, strides"])
@pytest.mark.parametrize("axes", [(0, None), (None, 0), (0, 0), (1, 2)])
def test_batches(name, axes, recwarn):
    x, w, keywords = arrays(name)
    stacked = [
        a if axis is None else hd.stack([a * (i + 1) for i in range(3)], axis)
        for a, axis in zip((x, w), axes, strict=True)
    ]

    def row(a, axis, i):
        return a if axis is None else hd.take(a, i, axis)

    def f(x, w):
        return nn.conv(x, w, **keywords)

    def slopes(x, w):
        return hd.grad(lambda x, w: (f(x, w) ** 2).sum(), argnums=(0, 1))(x, w)

    for g in (f, slopes):
        found = hd.tree.leaves(hd.vmap(g, in_axes=axes)(*stacked))
        rows = [
            hd.tree.leaves(g(*(row(a, axis, i) for a, axis in zip(stacked, axes, strict=True))))
            for i in range(3)
        ]
        for one, wanted in zip(found, map(hd.stack, zip(*rows, strict=True)), strict=True):
            np.testing.assert_allclose(hd.asnumpy(one), hd.asnumpy(wanted), rtol=1e-10, atol=1e-10)
    assert not [w for w in recwarn if "row by row" in str(w.message)]

    # The other way round: a derivative of what is batched.
    def total(x, w):
        return (hd.vmap(f, in_axes=axes)(x, w) ** 2).sum()

    hd.debug.check_grads(total, tuple(stacked), order=1, modes=["rev"], atol=1e-4, rtol=1e-4)


def test_recorded_calls():
    x, w, _ = arrays("same")
    step = hd.jit(lambda x, w: hd.grad(lambda w: (nn.relu(nn.conv(x, w)) ** 2).sum())(w))
    plain = hd.grad(lambda w: (nn.relu(nn.conv(x, w)) ** 2).sum())
    for factor in (1.0, 2.0, -1.0):
        found, wanted = step(x, w * factor), plain(w * factor)
        np.testing.assert_allclose(hd.asnumpy(found), hd.asnumpy(wanted), rtol=1e-10, atol=1e-10)


def test_views_and_results_that_are_written_to():
    x = hd.asarray(RNG.normal(size=(2, 3, 6, 6)))  # channels first
    w = hd.asarray(RNG.normal(size=(4, 3, 3, 3)))  # features, channels, extents
    found = nn.conv(hd.moveaxis(x, 1, -1), hd.transpose(w, (2, 3, 1, 0)))
    dense = nn.conv(hd.moveaxis(x, 1, -1).copy(), hd.transpose(w, (2, 3, 1, 0)).copy())
    np.testing.assert_allclose(hd.asnumpy(found), hd.asnumpy(dense), rtol=1e-12, atol=1e-12)
    before = hd.asnumpy(x).copy()
    found += 1
    found[0] = 0
    np.testing.assert_array_equal(hd.asnumpy(x), before)
    every = nn.conv(hd.moveaxis(x, 1, -1)[:, ::2, ::-1], hd.transpose(w, (2, 3, 1, 0)))
    copied = nn.conv(hd.moveaxis(x, 1, -1)[:, ::2, ::-1].copy(), hd.transpose(w, (2, 3, 1, 0)))
    np.testing.assert_allclose(hd.asnumpy(every), hd.asnumpy(copied), rtol=1e-12, atol=1e-12)


def test_wrong_arguments():
    x, w = hd.ones((1, 4, 4, 3)), hd.ones((2, 2, 3, 1))
    for bad in (
        lambda: nn.conv(x[0], w),
        lambda: nn.conv(x, hd.ones((2, 2, 2, 1))),
        lambda: nn.conv(x, w, feature_group_count=2),
        lambda: nn.conv(x, w, strides=0),
        lambda: nn.conv(x, w, strides=(1, 2, 3)),
        lambda: nn.conv(x, w, padding="WIDE"),
        lambda: nn.conv(x, w, padding=[(1, 1)]),
        lambda: nn.max_pool(x[0], (2, 2)),
        lambda: nn.max_pool(x, (2, 2), strides=(1,)),
    ):
        with pytest.raises(ValueError, match=r"conv|max_pool"):
            bad()


def test_transposed_convolution():
    for step, reach, padding in itertools.product((1, 2, 3), (1, 2, 3, 4), ("SAME", "VALID")):
        x, w = hd.asarray(RNG.normal(size=(2, 5, 3))), hd.asarray(RNG.normal(size=(reach, 3, 2)))
        found = nn.conv_transpose(x, w, strides=step, padding=padding)
        length = 5 * step if padding == "SAME" else 5 * step + max(reach - step, 0)
        assert found.shape == (2, length, 2)
        # All that an element is in, cut to the length.
        whole = np.zeros((2, 5 * step + reach, 2))
        for i, k in itertools.product(range(5), range(reach)):
            whole[:, i * step + k] += hd.asnumpy(x)[:, i] @ hd.asnumpy(w)[reach - 1 - k]
        found = hd.asnumpy(found)
        fits = [
            np.allclose(found, whole[:, i : i + length], atol=1e-12)
            for i in range(whole.shape[1] - length + 1)
        ]
        assert any(fits), (step, reach, padding)


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_random_geometries(data):
    axes = data.draw(st.integers(1, 3))

    def numbers(low, high):
        return data.draw(st.lists(st.integers(low, high), min_size=axes, max_size=axes))

    groups, per, features = (data.draw(st.integers(1, 3)) for _ in range(3))
    extents, kernel = numbers(1, 6), numbers(1, 3)
    x = RNG.normal(size=(data.draw(st.integers(1, 2)), *extents, groups * per))
    w = RNG.normal(size=(*kernel, per, groups * features))
    keywords = {
        "strides": tuple(numbers(1, 3)),
        "padding": list(zip(numbers(0, 3), numbers(0, 3), strict=True)),
        "input_dilation": tuple(numbers(1, 2)),
        "kernel_dilation": tuple(numbers(1, 2)),
        "feature_group_count": groups,
    }
    wanted = reference_of(x, w, keywords)
    found = nn.conv(hd.asarray(x), hd.asarray(w), **keywords)
    if wanted is None:
        assert found.size == 0
        return
    np.testing.assert_allclose(hd.asnumpy(found), wanted, rtol=1e-10, atol=1e-12)
    both = (hd.asarray(x), hd.asarray(w))
    hd.debug.check_grads(lambda x, w: nn.conv(x, w, **keywords), both, 1, modes=["rev"])


POOLS = {"max_pool": np.max, "min_pool": np.min, "avg_pool": np.mean}
POOLED = {
    "side by side": ((2, 6, 4, 3), (2, 2), {}),
    "rest": ((2, 7, 5, 3), (2, 3), {}),
    "overlapping": ((2, 7, 6, 2), (3, 3), {"strides": 2}),
    "one axis": ((2, 9, 2), (4,), {"strides": (1,)}),
    "many": ((1, 12, 12, 2), (7, 7), {"strides": (2, 1)}),
}


@pytest.mark.parametrize("name", POOLED)
@pytest.mark.parametrize("pool", POOLS)
def test_pooling(pool, name):
    shape, window, keywords = POOLED[name]
    x = RNG.permutation(np.prod(shape)).reshape(shape) / 10.0  # no two are alike
    found = getattr(nn, pool)(hd.asarray(x), window, **keywords)
    strides = keywords.get("strides", window)
    strides = (strides,) * len(window) if isinstance(strides, int) else strides
    none = [(0, 0)] * len(window)
    for place, counts, part in windows(x, window, strides, none, (1,) * len(window)):
        wanted = POOLS[pool](part, axis=tuple(range(1, 1 + len(window))))
        assert found.shape[1:-1] == tuple(counts)
        row = hd.asnumpy(found)[(slice(None), *place)]
        np.testing.assert_allclose(row, wanted, rtol=1e-12)
    hd.debug.check_grads(
        lambda x: getattr(nn, pool)(x, window, **keywords),
        (hd.asarray(x),),
        2,
        atol=1e-5,
        rtol=1e-5,
    )


def test_pooling_with_padding():
    x = hd.arange(1.0, 6.0).reshape(1, 5, 1)
    assert nn.max_pool(-x, (3,), (1,), "SAME").ravel().tolist() == [-1, -1, -2, -3, -4]
    assert nn.avg_pool(x, (3,), (1,), "SAME").ravel().tolist() == [1, 2, 3, 4, 3]
    means = nn.avg_pool(x, (3,), (1,), "SAME", count_include_pad=False)
    assert means.ravel().tolist() == [1.5, 2, 3, 4, 4.5]
    assert nn.max_pool(hd.arange(-5, 0).reshape(1, 5, 1), (3,), (2,), "SAME").ravel().tolist() == [
        *(-4, -2, -1),
    ]
    for dtype in TOLERANCE:
        for pool in POOLS:
            assert getattr(nn, pool)(x.astype(dtype), (2,)).dtype == x.astype(dtype).dtype


def test_pooling_in_batches_and_recorded():
    x = hd.asarray(RNG.normal(size=(3, 2, 6, 6, 2)))
    pool = hd.vmap(lambda x: nn.max_pool(x, (2, 2)))
    rows = hd.stack([nn.max_pool(row, (2, 2)) for row in x])
    np.testing.assert_array_equal(hd.asnumpy(pool(x)), hd.asnumpy(rows))
    np.testing.assert_array_equal(hd.asnumpy(hd.jit(pool)(x)), hd.asnumpy(rows))
