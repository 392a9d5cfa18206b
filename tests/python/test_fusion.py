"""What fuses into one kernel, and how much memory a fused chain takes."""

import numpy
import pytest
from support import assert_exact, launches, random_values

import heddle

HOST = heddle.default_device() == "cpu"

pytestmark = [pytest.mark.unrecorded("is about which kernels there are"), pytest.mark.waiting]


@pytest.fixture
def pair():
    a, b = (heddle.asarray(random_values("f4", (64, 128), seed, 0.5, 2)) for seed in (0, 1))
    heddle.eval(a, b)
    return a, b


def chain(a):
    for i in range(10):
        a = a * 1.01 + 0.1 if i % 2 else heddle.tanh(a) - a
    return a


def softmax(a):
    e = heddle.exp(a - a.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def standardised(a):
    return (a - a.mean(axis=1, keepdims=True)) / a.std(axis=1, keepdims=True)


def black_scholes_like(a, b):
    d1 = (heddle.log(a / b) + 0.5 * a * a) / (a * heddle.sqrt(b))
    d2 = d1 - a * heddle.sqrt(b)
    return a * heddle.tanh(d1) - b * heddle.exp(-0.02 * b) * heddle.tanh(d2)


ONE_KERNEL = {
    "elementwise": lambda a, b: heddle.sin(a) * 2 + heddle.sqrt(heddle.abs(a)),
    "chain of 20": lambda a, b: chain(a),
    "black-scholes": black_scholes_like,
    "sum of squares": lambda a, b: ((a - b) ** 2).sum(),
    "softmax": lambda a, b: softmax(a),
    "standardise": lambda a, b: standardised(a),
    "mean and var": lambda a, b: [a.mean(), a.var()],
    "mean and std of rows": lambda a, b: [a.mean(axis=1), a.std(axis=1)],
    "mean and std of columns": lambda a, b: [a.mean(axis=0), a.std(axis=0)],
    "min and max": lambda a, b: [a.min(), a.max(), a.sum()],
    "where": lambda a, b: heddle.where(a > b, a, -b) * 2,
    "cast": lambda a, b: (a.astype("f8") + b).astype("f2"),
    "transposed": lambda a, b: a.T * 2 + b.T,
    "clip and round": lambda a, b: heddle.clip(a, 0.7, 1.5).round(),
    "nansum": lambda a, b: heddle.nansum(a * b),
    "count_nonzero": lambda a, b: heddle.count_nonzero(a > b),
}


@pytest.mark.parametrize("case", ONE_KERNEL)
def test_one_kernel(case, pair):
    assert launches(lambda: ONE_KERNEL[case](*pair), *pair) == 1
    assert "1 kernel" in heddle.explain(ONE_KERNEL[case](*pair))


LAYERS = {
    "product alone": (0, lambda a, b, bias: a @ b.T),
    "transposed operands": (0, lambda a, b, bias: (b.T @ a).T),
    "vector": (0 if HOST else 1, lambda a, b, bias: b @ a[0]),  # narrow: GPUs fuse it
    "bias": (1, lambda a, b, bias: a @ b.T + bias),
    "bias and activation": (1, lambda a, b, bias: heddle.tanh(a @ b.T + bias) * 0.5),
    "softmax": (1, lambda a, b, bias: softmax(a @ b.T + bias)),
    "residual": (1, lambda a, b, bias: heddle.maximum(a @ b.T + bias, 0) + a[:, :64]),
    "stack": (1, lambda a, b, bias: heddle.maximum(a.reshape(2, 32, 128) @ b.T + bias, 0)),
    "einsum": (1, lambda a, b, bias: heddle.exp(heddle.einsum("ij,kj->ik", a, b) + bias)),
    "dot product of expressions": (1, lambda a, b, bias: (a[0] + 1) @ (b[0] * 2) * 3),
}


@pytest.mark.parametrize("case", LAYERS)
def test_kernels_around_a_product(case, pair):
    """What follows a product of matrices is one kernel; the product itself is a library's."""
    bias = heddle.asarray(random_values("f4", 64, 2))
    most, layer = LAYERS[case]
    assert launches(lambda: layer(*pair, bias), *pair, bias) == most


def test_same_values_as_numpy(pair):
    a, b = (x.get().astype("f8") for x in pair)
    e = numpy.exp(a - a.max(axis=1, keepdims=True))
    numpy.testing.assert_allclose(
        softmax(pair[0]).get(), e / e.sum(axis=1, keepdims=True), rtol=2e-6
    )
    numpy.testing.assert_allclose(float(((pair[0] - pair[1]) ** 2).sum()), ((a - b) ** 2).sum(),
                                  rtol=1e-6)  # fmt: skip


def test_nothing_runs_until_it_is_needed(pair):
    heddle.reset_stats()
    y = heddle.sin(pair[0]) + 1
    total = y.sum()
    assert heddle.stats()["launched"] == 0
    assert y.pending and total.pending
    assert float(total) == pytest.approx(float(numpy.sin(pair[0].get()).sum() + y.size), rel=1e-5)
    assert not total.pending


def test_intermediate_results_are_computed_once(pair):
    heddle.reset_stats()
    y = heddle.sin(pair[0])
    z = y * 2
    heddle.eval(z)
    assert heddle.stats()["launched"] == 1
    assert not y.pending
    heddle.eval(y)
    assert heddle.stats()["launched"] == 1


def test_constants_and_sizes_do_not_compile_again():
    def work(n, constant):
        return heddle.eval(heddle.ones(n) * constant + heddle.arange(float(n)))

    work(5000, 1.5)
    heddle.reset_stats()
    work(7000, 2.5)
    assert heddle.stats()["compiled"] == 0


def test_memory_of_a_fused_chain():
    """The result and nothing else."""
    n = 1 << 20
    a = heddle.asarray(numpy.ones(n, "f4")).eval()
    heddle.reset_stats()
    before = heddle.stats()
    y = heddle.sin(a) * 2 + heddle.sqrt(heddle.abs(a)) - a
    y.eval()
    after = heddle.stats()
    assert after["bytes_allocated"] - before["bytes_allocated"] <= 4 * n + 4096
    assert after["peak_bytes"] <= before["peak_bytes"] + 4 * n + 4096


def test_memory_of_a_fused_reduction():
    n = 1 << 20
    a = heddle.asarray(numpy.ones(n, "f4")).eval()
    heddle.reset_stats()
    before = heddle.stats()
    float(((a - 2) ** 2).sum())
    assert heddle.stats()["bytes_allocated"] - before["bytes_allocated"] <= 1 << 16


def test_long_chains_do_not_recurse():
    x = heddle.zeros(4)
    for _ in range(100_000):
        x = x + 1
    assert x.get().tolist() == [100_000] * 4
    kept = [heddle.zeros(1)]
    for _ in range(20_000):
        kept.append(kept[-1] + 1)
    del kept[:-1]
    assert float(kept[0][0]) == 20_000


def test_stats_and_explain():
    keys = [
        "compiled",
        "launched",
        "memory_hits",
        "disk_hits",
        "pack_hits",
        "bytes_allocated",
        "peak_bytes",
    ]
    assert set(keys) <= set(heddle.stats())
    text = heddle.explain(heddle.sin(heddle.ones(10)))
    assert "sin" in text
    with pytest.raises(TypeError):
        heddle.eval(3)


def test_devices_and_pool():
    assert "cpu" in heddle.devices()
    with heddle.device("cpu"):
        x = heddle.ones(3)
    assert x.device == "cpu"
    assert x.to_device("cpu") is x
    heddle.set_default_device(heddle.default_device())
    assert heddle.ones(3).device == heddle.default_device()
    with pytest.raises(ValueError):
        heddle.device("abacus")
    pool = heddle.get_default_memory_pool()
    before = pool.used_bytes()
    y = heddle.ones(1 << 18).eval()
    assert pool.used_bytes() >= before + y.nbytes
    del y
    assert pool.used_bytes() <= before + 4096
    pool.free_all_blocks()
    assert pool.total_bytes() >= pool.used_bytes()


def test_pool_limit():
    pool = heddle.get_default_memory_pool()
    pool.free_all_blocks()
    pool.set_limit(pool.total_bytes() + (1 << 20))
    try:
        assert pool.get_limit() > 0
        with pytest.raises(MemoryError):
            heddle.ones(1 << 24).eval()
    finally:
        pool.set_limit(0)
    assert float(heddle.ones(1 << 10).sum()) == 1 << 10


@pytest.mark.parametrize("first", [True, False])
def test_views_of_memory_at_moving_places(first):
    """A program that was made for some places serves others: also if reads were one by chance."""
    a = numpy.random.default_rng(3).random((40, 12))
    x = heddle.asarray(a).eval()
    flat, ours = a.ravel(), x.reshape(-1)
    places = [(i, j) for i in range(0, 20, 3) for j in (i + 1, i, i + 2, 2 * i, 30)]
    for i, j in places if first else reversed(places):
        made, wanted = (
            (y[1:] + v[j : j + 5] - y[:-1] * v[j + 1 : j + 6])
            for v, y in ((ours, ours[i : i + 6] * 2), (flat, flat[i : i + 6] * 2))
        )
        assert_exact(made, wanted)
        made, wanted = (
            (r[:, None] * r[None, ::-1] + m[j])[::2]
            for m, r in ((x, x[i] - x[j]), (a, a[i] - a[j]))
        )
        assert_exact(made, wanted)


def test_rows_one_after_the_other():
    a = numpy.random.default_rng(4).random((1000, 3))
    total, sums = 0, heddle.zeros((3, 3))
    for row, ours in zip(a, heddle.asarray(a), strict=True):
        y, z = row - a[0], ours - a[0]
        total = total + numpy.outer(y, y)
        sums += heddle.outer(z, z)
    numpy.testing.assert_allclose(sums.get(), total, rtol=1e-12)
