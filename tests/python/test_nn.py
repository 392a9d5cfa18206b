"""heddle.nn: activations, sums to one, losses, normalisation, attention and first values."""

import doctest
import importlib
import math

import numpy as np
import pytest
import scipy.special

import heddle as hd
from heddle import nn

RNG = np.random.default_rng(21)
HALVES = [hd.float16, hd.bfloat16]
MODULES = [
    *("nn._activations", "nn._convolution", "nn._layers", "nn._losses", "nn._normalizing"),
    *("nn.initializers", "optim", "optim._base", "optim._gradients", "optim._lbfgs"),
    *("optim._line_search", "optim._schedules"),
]


@pytest.mark.parametrize("module", MODULES)
def test_examples_in_docstrings(module):
    failed, tried = doctest.testmod(importlib.import_module(f"heddle.{module}"))
    assert tried and not failed


def phi(x):
    return scipy.special.ndtr(x)


X = np.concatenate([np.linspace(-6, 6, 25), [-700.0, -30.0, -1e-9, 1e-9, 30.0, 700.0]])
ACTIVATIONS = {
    "celu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "hard_sigmoid": lambda x: np.clip(x + 3, 0, 6) / 6,
    "hard_silu": lambda x: x * np.clip(x + 3, 0, 6) / 6,
    "hard_tanh": lambda x: np.clip(x, -1, 1),
    "identity": lambda x: x,
    "leaky_relu": lambda x: np.where(x > 0, x, 0.01 * x),
    "log_sigmoid": scipy.special.log_expit,
    "mish": lambda x: x * np.tanh(np.logaddexp(x, 0)),
    "relu": lambda x: np.maximum(x, 0),
    "relu6": lambda x: np.clip(x, 0, 6),
    "selu": lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x)),
    "sigmoid": scipy.special.expit,
    "silu": lambda x: x * scipy.special.expit(x),
    "soft_sign": lambda x: x / (1 + np.abs(x)),
    "softplus": lambda x: np.logaddexp(x, 0),
    "sparse_plus": lambda x: np.where(x < -1, 0, np.where(x > 1, x, (x + 1) ** 2 / 4)),
    "sparse_sigmoid": lambda x: np.clip((x + 1) / 2, 0, 1),
    "squareplus": lambda x: (x + np.sqrt(x * x + 4)) / 2,
    "tanh": np.tanh,
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations(name):
    f = getattr(nn, name)
    with np.errstate(over="ignore"):
        wanted = ACTIVATIONS[name](X)
    np.testing.assert_allclose(hd.asnumpy(f(hd.asarray(X))), wanted, rtol=1e-13, atol=1e-300)
    for dtype in (*HALVES, hd.float32):
        assert f(hd.asarray(X).astype(dtype)).dtype == hd.dtype(dtype)
    assert hd.isnan(f(hd.asarray([np.nan]))).all()
    # Slopes are finite everywhere.
    assert hd.isfinite(hd.grad(lambda x: f(x).sum())(hd.asarray(X))).all()
    inside = hd.asarray(RNG.uniform(-5, 5, size=9) + 0.0123)
    hd.debug.check_grads(f, (inside,), order=2)
    np.testing.assert_allclose(
        hd.asnumpy(hd.vmap(hd.grad(f))(inside)),
        hd.asnumpy(hd.grad(lambda x: f(x).sum())(inside)),
        rtol=1e-12,
    )


def test_activations_with_arguments():
    x = hd.asarray(X[:25])
    np.testing.assert_allclose(
        hd.asnumpy(nn.gelu(x, approximate=False)), X[:25] * phi(X[:25]), rtol=1e-12, atol=1e-15
    )
    # What is left of numbers far below zero is small, and not zero.
    far = np.array([-9.0, -6.0], "float32")
    made = hd.asnumpy(nn.gelu(hd.asarray(far), approximate=False))
    np.testing.assert_allclose(made, far * phi(far.astype("float64")), rtol=1e-5)
    assert abs(nn.gelu(x) - nn.gelu(x, approximate=False)).max() < 1e-3
    assert nn.gelu(x.astype(hd.bfloat16), approximate=False).dtype == hd.bfloat16
    hd.debug.check_grads(lambda x: nn.gelu(x, approximate=False), (x,), order=2)
    halves = hd.asarray(RNG.normal(size=(3, 8)))
    first, second = np.split(hd.asnumpy(halves), 2, axis=1)
    wanted = first * scipy.special.expit(second)
    np.testing.assert_allclose(hd.asnumpy(nn.glu(halves)), wanted, rtol=1e-13)
    with pytest.raises(ValueError, match="halves"):
        nn.glu(hd.ones(3))
    positive = np.array([1e-10, 0.1, math.log(2), 1.0, 40.0])
    np.testing.assert_allclose(
        hd.asnumpy(nn.log1mexp(hd.asarray(positive))), np.log1p(-np.exp(-positive)), rtol=1e-5
    )
    np.testing.assert_allclose(
        hd.asnumpy(nn.celu(x, 2.0)), np.where(x.get() > 0, x.get(), 2 * np.expm1(x.get() / 2))
    )
    for kink, slope in ((nn.relu, 0), (nn.relu6, 0), (nn.hard_tanh, 1), (nn.soft_sign, 1)):
        assert hd.grad(kink)(0.0) == slope
    assert hd.grad(nn.sigmoid)(0.0) == 0.25


MATRIX = RNG.normal(size=(4, 5, 6)) * 3
MASK = RNG.uniform(size=MATRIX.shape) > 0.3


@pytest.mark.parametrize("axis", [-1, 0, (0, 2), None])
def test_sums_to_one(axis):
    a, mask = hd.asarray(MATRIX), hd.asarray(MASK)
    axes = axis
    wanted = scipy.special.softmax(MATRIX, axis=axis)
    np.testing.assert_allclose(hd.asnumpy(nn.softmax(a, axis=axes)), wanted, rtol=1e-12)
    np.testing.assert_allclose(
        hd.asnumpy(nn.log_softmax(a, axis=axes)), scipy.special.log_softmax(MATRIX, axis=axis)
    )
    hidden = np.where(MASK, MATRIX, -np.inf)
    np.testing.assert_allclose(
        hd.asnumpy(nn.softmax(a, axis=axes, where=mask)), scipy.special.softmax(hidden, axis=axis)
    )
    sums = scipy.special.logsumexp
    np.testing.assert_allclose(hd.asnumpy(nn.logsumexp(a, axis=axes)), sums(MATRIX, axis=axis))
    np.testing.assert_allclose(
        hd.asnumpy(nn.logsumexp(a, axis=axes, where=mask, keepdims=True)),
        sums(hidden, axis=axis, keepdims=True),
    )
    found = nn.logsumexp(a, axis=axes, b=a, return_sign=True)
    for one, other in zip(found, sums(MATRIX, axis, MATRIX, return_sign=True), strict=True):
        np.testing.assert_allclose(hd.asnumpy(one), other)
    for f in (nn.softmax, nn.log_softmax, nn.logsumexp, nn.logmeanexp, nn.standardize):
        hd.debug.check_grads(lambda a, f=f: f(a, axis=axes), (a,), order=2, atol=1e-5, rtol=1e-5)


def test_edges_of_sums():
    inf = np.inf
    for row in ([inf, 1.0], [-inf, -inf], [1e4, 1e4], [-1e4, -1e4 + 1]):
        found = nn.logsumexp(hd.asarray(row))
        np.testing.assert_allclose(float(found), scipy.special.logsumexp(row))
    assert hd.isnan(nn.logsumexp(hd.zeros(2), b=-hd.ones(2)))
    slopes = hd.grad(nn.logsumexp)(hd.asarray([-inf, 0.0, 0.0]))
    assert slopes.tolist() == [0, 0.5, 0.5]
    for dtype in (*HALVES, hd.float32):
        assert nn.softmax(hd.ones(3, dtype)).dtype == hd.dtype(dtype)
        assert abs(float(nn.softmax(hd.ones(64, dtype)).astype(float).sum()) - 1) < 1e-2
    means = nn.logmeanexp(hd.asarray(MATRIX), axis=1, where=hd.asarray(MASK))
    wanted = np.log((np.exp(MATRIX) * MASK).sum(axis=1) / MASK.sum(axis=1))
    np.testing.assert_allclose(hd.asnumpy(means), wanted)
    assert nn.one_hot(hd.asarray([[0, 2], [-1, 3]]), 3, axis=0).shape == (3, 2, 2)
    assert nn.one_hot(hd.asarray([0, 2, 5]), 3, dtype=int).tolist() == [
        *([1, 0, 0], [0, 0, 1], [0, 0, 0]),
    ]


def test_softmax_is_one_kernel():
    x = hd.asarray(RNG.normal(size=(64, 128)))
    for f in (nn.softmax, nn.log_softmax, nn.layer_norm):
        f(x).eval()
        hd.reset_stats()
        f(x).eval()
        assert hd.stats()["launched"] == 1, f


def test_losses():
    logits, labels = RNG.normal(size=(7, 4)) * 5, RNG.integers(0, 4, size=7)
    a, b = hd.asarray(logits), hd.asarray(labels)
    logs = scipy.special.log_softmax(logits, axis=1)
    wanted = -logs[np.arange(7), labels]
    found = nn.softmax_cross_entropy_with_integer_labels(a, b)
    np.testing.assert_allclose(hd.asnumpy(found), wanted)
    found = nn.softmax_cross_entropy(a, nn.one_hot(b, 4))
    np.testing.assert_allclose(hd.asnumpy(found), wanted)
    found = nn.softmax_cross_entropy_with_integer_labels(a.T, b, axis=0)
    np.testing.assert_allclose(hd.asnumpy(found), wanted)
    with pytest.raises(TypeError, match="whole numbers"):
        nn.softmax_cross_entropy_with_integer_labels(a, b.astype(float))
    truth = hd.asarray(RNG.uniform(size=logits.shape))
    p = scipy.special.expit(logits)
    wanted = -truth.get() * np.log(p) - (1 - truth.get()) * np.log1p(-p)
    np.testing.assert_allclose(hd.asnumpy(nn.sigmoid_binary_cross_entropy(a, truth)), wanted)
    other = RNG.normal(size=logits.shape)
    errors = logits - other
    c = hd.asarray(other)
    np.testing.assert_allclose(hd.asnumpy(nn.squared_error(a, c)), errors**2)
    np.testing.assert_allclose(hd.asnumpy(nn.l2_loss(a)), logits**2 / 2)
    np.testing.assert_allclose(hd.asnumpy(nn.log_cosh(a, c)), np.log(np.cosh(errors)), atol=1e-12)
    np.testing.assert_allclose(
        hd.asnumpy(nn.huber_loss(a, c, 2.0)), scipy.special.huber(2.0, errors)
    )
    cosine = (
        (logits * other).sum(1) / np.linalg.norm(logits, axis=1) / np.linalg.norm(other, axis=1)
    )
    np.testing.assert_allclose(hd.asnumpy(nn.cosine_similarity(a, c)), cosine)
    signs = np.sign(other)
    np.testing.assert_allclose(
        hd.asnumpy(nn.hinge_loss(a, hd.asarray(signs))), np.maximum(0, 1 - logits * signs)
    )
    first, second = (scipy.special.softmax(x, axis=1) for x in (logits, other))
    np.testing.assert_allclose(
        hd.asnumpy(nn.kl_divergence(hd.log(hd.asarray(first)), hd.asarray(second))),
        scipy.special.rel_entr(second, first).sum(axis=1),
    )
    np.testing.assert_allclose(hd.asnumpy(nn.smooth_labels(nn.one_hot(b, 4), 0.2)).sum(1), 1)
    with pytest.raises(ValueError, match="shape"):
        nn.squared_error(a, c[:3])
    for f in (nn.huber_loss, nn.log_cosh, nn.cosine_similarity, nn.sigmoid_binary_cross_entropy):
        hd.debug.check_grads(f, (a, c), order=2, atol=1e-5, rtol=1e-5)
    hd.debug.check_grads(
        lambda x: nn.softmax_cross_entropy_with_integer_labels(x, b), (a,), order=2
    )
    # What two vectors of length 0 have in common has no slope, and none is made up.
    assert hd.isfinite(
        hd.grad(lambda x: nn.cosine_similarity(x, x, epsilon=1e-6))(hd.zeros(3))
    ).all()


def standardized(x, axis, epsilon):
    return (x - x.mean(axis, keepdims=True)) / np.sqrt(x.var(axis, keepdims=True) + epsilon)


def test_normalisation():
    x, a = MATRIX, hd.asarray(MATRIX)
    scale, bias = RNG.normal(size=(2, 6))
    s, b = hd.asarray(scale), hd.asarray(bias)
    np.testing.assert_allclose(
        hd.asnumpy(nn.layer_norm(a, s, b)), standardized(x, -1, 1e-6) * scale + bias
    )
    np.testing.assert_allclose(
        hd.asnumpy(nn.rms_norm(a, s)), x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-6) * scale
    )
    grouped = standardized(x.reshape(4, 5, 2, 3), (1, 3), 1e-6).reshape(x.shape)
    np.testing.assert_allclose(hd.asnumpy(nn.group_norm(a, 2, s, b)), grouped * scale + bias)
    with pytest.raises(ValueError, match="groups"):
        nn.group_norm(a, 4)
    stats = {"mean": hd.zeros(6), "var": hd.ones(6)}
    found, after = nn.batch_norm(a, stats, s, b, use_running_average=False, momentum=0.9)
    np.testing.assert_allclose(
        hd.asnumpy(found), standardized(x, (0, 1), 1e-5) * scale + bias, rtol=1e-10, atol=1e-12
    )
    np.testing.assert_allclose(hd.asnumpy(after["mean"]), 0.1 * x.mean((0, 1)), atol=1e-12)
    np.testing.assert_allclose(hd.asnumpy(after["var"]), 0.9 + 0.1 * x.var((0, 1)))
    found, same = nn.batch_norm(a, after, use_running_average=True)
    mean, var = (hd.asnumpy(after[name]) for name in ("mean", "var"))
    np.testing.assert_allclose(hd.asnumpy(found), (x - mean) / np.sqrt(var + 1e-5))
    assert same is after
    first = nn.batch_norm(
        a, {"mean": hd.zeros(5), "var": hd.ones(5)}, use_running_average=False, axis=1
    )[0]
    np.testing.assert_allclose(hd.asnumpy(first), standardized(x, (0, 2), 1e-5))
    for f in (
        nn.layer_norm,
        nn.rms_norm,
        lambda x: nn.group_norm(x, 3),
        lambda x: nn.batch_norm(x, stats, use_running_average=False)[0],
    ):
        hd.debug.check_grads(f, (a,), order=2, atol=1e-5, rtol=1e-5)
        for dtype in (*HALVES, hd.float32):
            assert f(a.astype(dtype)).dtype == hd.dtype(dtype)


def attended(q, k, v, seen=None, bias=0.0, scale=None):
    """Attention of NumPy's arrays, head by head."""
    made = np.zeros((*q.shape[:3], v.shape[-1]))
    for batch in range(q.shape[0]):
        for head in range(q.shape[2]):
            of_key = head // (q.shape[2] // k.shape[2])
            scores = q[batch, :, head] @ k[batch, :, of_key].T
            scores = scores * (q.shape[-1] ** -0.5 if scale is None else scale)
            scores = (
                scores + np.broadcast_to(bias, (q.shape[0], q.shape[2], *scores.shape))[batch, head]
            )
            if seen is not None:
                shape = (q.shape[0], q.shape[2], *scores.shape)
                scores = np.where(np.broadcast_to(seen, shape)[batch, head], scores, -1e300)
            made[batch, :, head] = scipy.special.softmax(scores, axis=1) @ v[batch, :, of_key]
    return made


QUERY = RNG.normal(size=(2, 7, 4, 5))
KEY, VALUE = RNG.normal(size=(2, 9, 2, 5)), RNG.normal(size=(2, 9, 2, 3))
VISIBLE = RNG.uniform(size=(2, 1, 7, 9)) > 0.4
BIAS = RNG.normal(size=(4, 7, 9))
ROWS, COLUMNS = np.arange(7)[:, None], np.arange(9)
ATTENTION = {
    "plain": ({}, {}),
    "scale": ({"scale": 0.3}, {"scale": 0.3}),
    "causal": ({"is_causal": True}, {"seen": ROWS >= COLUMNS}),
    "mask": ({"mask": hd.asarray(VISIBLE)}, {"seen": VISIBLE}),
    "bias": ({"bias": hd.asarray(BIAS)}, {"bias": BIAS}),
    "all": (
        {"mask": hd.asarray(VISIBLE), "bias": hd.asarray(BIAS), "is_causal": True},
        {"seen": VISIBLE & (ROWS >= COLUMNS), "bias": BIAS},
    ),
    "window": ({"local_window_size": 2}, {"seen": np.abs(ROWS - COLUMNS) <= 2}),
    "window of two": (
        {"local_window_size": (1, 3)},
        {"seen": (COLUMNS >= ROWS - 1) & (COLUMNS <= ROWS + 3)},
    ),
    "lengths": (
        {"key_value_seq_lengths": hd.asarray([9, 4])},
        {"seen": np.array([9, 4]).reshape(2, 1, 1, 1) > COLUMNS},
    ),
}


@pytest.mark.parametrize("name", ATTENTION)
def test_attention(name):
    keywords, described = ATTENTION[name]
    arrays = tuple(map(hd.asarray, (QUERY, KEY, VALUE)))
    wanted = attended(QUERY, KEY, VALUE, **described)

    def attend(q, k, v):
        return nn.dot_product_attention(q, k, v, **keywords)

    np.testing.assert_allclose(hd.asnumpy(attend(*arrays)), wanted, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(hd.asnumpy(hd.jit(attend)(*arrays)), wanted, rtol=1e-10, atol=1e-12)
    hd.debug.check_grads(attend, arrays, order=1, atol=1e-5, rtol=1e-5)
    stacked = tuple(hd.stack([a, -a]) for a in arrays)
    rows = hd.vmap(attend)(*stacked)
    np.testing.assert_allclose(hd.asnumpy(rows[0]), wanted, rtol=1e-10, atol=1e-12)
    for dtype, tolerance in ((hd.float32, 1e-5), (hd.float16, 2e-2), (hd.bfloat16, 1e-1)):
        found = attend(*(a.astype(dtype) for a in arrays))
        assert found.dtype == hd.dtype(dtype)
        np.testing.assert_allclose(hd.asnumpy(found.astype(float)), wanted, atol=tolerance)


def test_more_of_attention():
    q, k, v = map(hd.asarray, (QUERY, KEY, VALUE))
    one = nn.dot_product_attention(q[0], k[0], v[0], mask=hd.asarray(VISIBLE[0]))
    wanted = nn.dot_product_attention(q, k, v, mask=hd.asarray(VISIBLE))[0]
    np.testing.assert_allclose(hd.asnumpy(one), hd.asnumpy(wanted), rtol=1e-12)
    made, sums = nn.dot_product_attention(q, k, v, return_residual=True)
    assert made.shape == (2, 7, 4, 3)
    scores = QUERY[0, :, 1] @ KEY[0, :, 0].T * 5**-0.5
    np.testing.assert_allclose(hd.asnumpy(sums)[0, :, 1], scipy.special.logsumexp(scores, axis=1))
    short = nn.dot_product_attention(q, k, v, query_seq_lengths=hd.asarray([3, 7]))
    assert not short[0, 3:].any()
    assert short[0, :3].any()
    for bad in (
        lambda: nn.dot_product_attention(q[0, 0], k[0, 0], v[0, 0]),
        lambda: nn.dot_product_attention(q, k, v[:, :4]),
        lambda: nn.dot_product_attention(q[:, :, :3], k, v),
    ):
        with pytest.raises(ValueError, match="dot_product_attention"):
            bad()
    with pytest.raises(TypeError, match="bool"):
        nn.dot_product_attention(q, k, v, mask=hd.ones((7, 9)))
    x = hd.asarray(RNG.normal(size=(2, 6, 8)))
    params = {
        name: hd.asarray(RNG.normal(size=(8, 8))) for name in ("query", "key", "value", "out")
    }
    params["out_bias"] = hd.asarray(RNG.normal(size=8))
    heads = [
        (hd.asnumpy(x) @ hd.asnumpy(params[name])).reshape(2, 6, 2, 4)
        for name in ("query", "key", "value")
    ]
    wanted = attended(*heads).reshape(2, 6, 8) @ hd.asnumpy(params["out"]) + hd.asnumpy(
        params["out_bias"]
    )
    found = nn.multi_head_attention(x, params, 2)
    np.testing.assert_allclose(hd.asnumpy(found), wanted, rtol=1e-10)
    with pytest.raises(ValueError, match="heads"):
        nn.multi_head_attention(x, params, 3)


INITIALIZERS = {
    "glorot_uniform": 2 / (72 + 144),
    "glorot_normal": 2 / (72 + 144),
    "lecun_uniform": 1 / 72,
    "lecun_normal": 1 / 72,
    "he_uniform": 2 / 72,
    "he_normal": 2 / 72,
}


@pytest.mark.parametrize("name", INITIALIZERS)
def test_first_values(name):
    shape = (50, 3, 3, 8, 16)  # many kernels, for statistics
    init = getattr(nn.initializers, name)(batch_axis=0)
    for dtype in (hd.float32, hd.bfloat16):
        found = init(hd.random.default_rng(3), shape, dtype)
        assert (found.shape, found.dtype) == (shape, hd.dtype(dtype))
        spread = float(found.astype(float).var())
        assert abs(spread / INITIALIZERS[name] - 1) < 0.05
        assert abs(float(found.astype(float).mean())) < 5e-3
    np.testing.assert_array_equal(
        hd.asnumpy(init(7, shape)), hd.asnumpy(init(hd.random.default_rng(7), shape))
    )


def test_more_first_values():
    init = nn.initializers
    assert init.zeros(0, (2, 3), hd.float32).dtype == hd.float32
    assert init.ones(0, (2,)).tolist() == [1, 1]
    assert init.constant(3)(0, (2,)).tolist() == [3, 3]
    values = init.truncated_normal(2.0, lower=-1.0, upper=0.5)(1, (2000,))
    assert values.min() >= -2 and values.max() <= 1
    assert abs(float(init.uniform(0.5)(1, (2000,)).mean()) - 0.25) < 0.02
    for shape, axis in (((6, 3), -1), ((3, 6), -1), ((4, 2, 3), 1)):
        q = hd.asnumpy(init.orthogonal(2.0, column_axis=axis)(2, shape))
        q = np.moveaxis(q, axis, -1).reshape(-1, shape[axis])
        product = q.T @ q if q.shape[0] >= q.shape[1] else q @ q.T
        np.testing.assert_allclose(product, 4 * np.eye(len(product)), atol=1e-12)
    kernel = hd.asnumpy(init.delta_orthogonal()(2, (3, 3, 2, 4)))
    np.testing.assert_allclose(kernel[1, 1] @ kernel[1, 1].T, np.eye(2), atol=1e-12)
    assert np.abs(kernel).sum() == pytest.approx(np.abs(kernel[1, 1]).sum())
    for bad in (
        lambda: init.variance_scaling(1, "fan", "normal"),
        lambda: init.variance_scaling(1, "fan_in", "cauchy"),
        lambda: init.he_normal()(0, (3,)),
        lambda: init.orthogonal()(0, (3,)),
        lambda: init.delta_orthogonal()(0, (3, 3, 4, 2)),
        lambda: init.truncated_normal(lower=1, upper=1),
    ):
        with pytest.raises(ValueError, match=r"variance_scaling|orthogonal|truncated_normal"):
            bad()


def test_softmax_of_nothing():
    nothing = hd.zeros((3, 0))
    for f in (nn.softmax, nn.log_softmax):
        assert f(nothing).shape == (3, 0)
        assert hd.grad(lambda x, f=f: f(x).sum())(nothing).shape == (3, 0)


def test_softmax_where_nothing_counts():
    x, none = hd.arange(3.0), hd.zeros(3, bool)
    assert nn.softmax(x, where=none).tolist() == [0, 0, 0]
    assert hd.grad(lambda x: nn.softmax(x, where=none).sum())(x).tolist() == [0, 0, 0]


def test_attention_by_the_name_of_its_implementation():
    q = hd.arange(6.0).reshape(3, 1, 2)
    one = nn.dot_product_attention(q, q, q)
    assert (one == nn.dot_product_attention(q, q, q, implementation="xla")).all()
    with pytest.raises(ValueError, match="no implementation 'cudnn'"):
        nn.dot_product_attention(q, q, q, implementation="cudnn")


def test_activations_of_complex_numbers():
    z = np.array([0.3 + 0.2j, -1.2 + 0.5j, 2 - 1j])
    made = hd.asnumpy(nn.soft_sign(hd.asarray(z)))
    np.testing.assert_allclose(made, z / (1 + abs(z)), rtol=1e-14)
    made = hd.asnumpy(hd.lax.logistic(hd.asarray(z)))
    np.testing.assert_allclose(made, 1 / (1 + np.exp(-z)), rtol=1e-14)
