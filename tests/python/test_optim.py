"""heddle.optim against the formulas of the papers in NumPy, and SciPy's minima."""

import math
import warnings

import numpy as np
import pytest
import scipy.optimize

import heddle as hd
from heddle import optim

RNG = np.random.default_rng(31)


def params_like():
    return {"a": hd.asarray(RNG.normal(size=3)), "b": [hd.asarray(RNG.normal(size=(2, 2)))]}


def run(rule, gradients, params, jitted=False):
    """Parameters after updates by gradients, one after the other."""

    def step(gradient, state, params):
        updates, state = rule.update(gradient, state, params)
        return optim.apply_updates(params, updates), state

    if jitted:
        step = hd.jit(step)
    state = rule.init(params)
    for gradient in gradients:
        params, state = step(gradient, state, params)
    return params, state


def sgd(g, p, s, rate=0.1):
    return p - rate * g


def momentum(g, p, s):
    s["t"] = g + 0.9 * s.get("t", 0)
    return p - 0.1 * s["t"]


def nesterov(g, p, s):
    s["t"] = g + 0.9 * s.get("t", 0)
    return p - 0.1 * (g + 0.9 * s["t"])


def adam(g, p, s, decay=0.0):
    s["n"] = s.get("n", 0) + 1
    s["m"] = 0.1 * g + 0.9 * s.get("m", 0)
    s["v"] = 0.001 * g * g + 0.999 * s.get("v", 0)
    m, v = s["m"] / (1 - 0.9 ** s["n"]), s["v"] / (1 - 0.999 ** s["n"])
    return p - 0.1 * (m / (np.sqrt(v) + 1e-8) + decay * p)


def nadam(g, p, s):
    adam(g, p, s)
    m = 0.9 * s["m"] / (1 - 0.9 ** (s["n"] + 1)) + 0.1 * g / (1 - 0.9 ** s["n"])
    return p - 0.1 * m / (np.sqrt(s["v"] / (1 - 0.999 ** s["n"])) + 1e-8)


def rmsprop(g, p, s):
    s["v"] = 0.1 * g * g + 0.9 * s.get("v", 0)
    return p - 0.1 * g / np.sqrt(s["v"] + 1e-8)


RULES = {
    "sgd": (optim.sgd(0.1), sgd),
    "momentum": (optim.sgd(0.1, momentum=0.9), momentum),
    "nesterov": (optim.sgd(0.1, momentum=0.9, nesterov=True), nesterov),
    "adam": (optim.adam(0.1), adam),
    "nadam": (optim.adam(0.1, nesterov=True), nadam),
    "adamw": (optim.adamw(0.1, weight_decay=0.02), lambda g, p, s: adam(g, p, s, 0.02)),
    "rmsprop": (optim.rmsprop(0.1), rmsprop),
    "schedule": (optim.sgd(lambda count: 0.1), sgd),
    "clip": (
        optim.chain(optim.clip(0.5), optim.sgd(0.1)),
        lambda g, p, s: sgd(np.clip(g, -0.5, 0.5), p, s),
    ),
}


@pytest.mark.parametrize("jitted", [False, True])
@pytest.mark.parametrize("name", RULES)
def test_rules(name, jitted):
    rule, formula = RULES[name]
    params = params_like()
    gradients = [
        hd.tree.map(lambda p: hd.asarray(RNG.normal(size=p.shape)), params) for _ in range(4)
    ]
    found, _ = run(rule, gradients, params, jitted)
    for i, leaf in enumerate(hd.tree.leaves(found)):
        value, state = hd.asnumpy(hd.tree.leaves(params)[i]), {}
        for gradient in gradients:
            value = formula(hd.asnumpy(hd.tree.leaves(gradient)[i]), value, state)
        np.testing.assert_allclose(hd.asnumpy(leaf), value, rtol=1e-10)


@pytest.mark.parametrize("dtype", [hd.float16, hd.bfloat16, hd.float32])
def test_types_stay(dtype):
    params = {"w": hd.ones(3, dtype)}
    schedule = optim.cosine_decay_schedule(0.1, 10)
    for rule in (
        optim.sgd(0.1, momentum=0.9),
        optim.adam(schedule),
        optim.adamw(schedule),
        optim.rmsprop(0.1),
        optim.chain(optim.clip_by_global_norm(1.0), optim.sgd(schedule)),
        optim.lbfgs(0.1, linesearch=None),
    ):
        after, state = run(rule, [params, params], params)
        assert after["w"].dtype == hd.dtype(dtype)
        assert hd.tree.structure(state) == hd.tree.structure(rule.init(params))
        for one, begin in zip(
            hd.tree.leaves(state), hd.tree.leaves(rule.init(params)), strict=True
        ):
            assert (one.dtype, one.shape) == (begin.dtype, begin.shape)
    state = optim.adam(0.1, mu_dtype=hd.float32).init(params)
    assert state[0].mu["w"].dtype == hd.float32


def test_global_norm_and_decay():
    params = {"a": hd.ones(2), "b": hd.ones(2)}
    rule = optim.clip_by_global_norm(1.0)
    updates, _ = rule.update({"a": hd.full(2, 3.0), "b": hd.full(2, 4.0)}, rule.init(params))
    assert float(optim.global_norm(updates)) == pytest.approx(1)
    small = {"a": hd.full(2, 0.1), "b": hd.zeros(2)}
    assert rule.update(small, rule.init(params))[0]["a"].tolist() == [0.1, 0.1]
    for mask in ({"a": True, "b": False}, lambda params: {name: name == "a" for name in params}):
        rule = optim.add_decayed_weights(0.5, mask)
        updates, _ = rule.update(hd.tree.map(hd.zeros_like, params), rule.init(params), params)
        assert updates["a"].tolist() == [0.5, 0.5] and updates["b"].tolist() == [0, 0]
    with pytest.raises(ValueError, match="parameters"):
        rule.update(params, rule.init(params))
    with pytest.raises(ValueError, match="momentum"):
        optim.sgd(0.1, nesterov=True)
    with pytest.raises(ValueError, match="states"):
        optim.adam(0.1).update(params, (1, 2, 3), params)


SCHEDULES = {
    "constant": (optim.constant_schedule(0.3), lambda n: 0.3),
    "linear": (optim.linear_schedule(1.0, 0.0, 10, 5), lambda n: 1 - min(max(n - 5, 0) / 10, 1)),
    "polynomial": (
        optim.polynomial_schedule(2.0, 1.0, 3, 10),
        lambda n: 1 + (1 - min(n / 10, 1)) ** 3,
    ),
    "exponential": (optim.exponential_decay(2.0, 5, 0.5), lambda n: 2 * 0.5 ** (n / 5)),
    "staircase": (
        optim.exponential_decay(2.0, 5, 0.5, staircase=True, end_value=0.6),
        lambda n: max(2 * 0.5 ** (n // 5), 0.6),
    ),
    "cosine": (
        optim.cosine_decay_schedule(2.0, 10, 0.1),
        lambda n: 2 * (0.9 * (1 + math.cos(math.pi * min(n / 10, 1))) / 2 + 0.1),
    ),
    "pieces": (
        optim.piecewise_constant_schedule(1.0, {3: 0.5, 7: 0.1}),
        lambda n: 1.0 * (0.5 if n >= 3 else 1) * (0.1 if n >= 7 else 1),
    ),
    "joined": (
        optim.join_schedules([lambda n: n * 1.0, lambda n: n * 100.0], [4]),
        lambda n: n if n < 4 else 100 * (n - 4),
    ),
    "warmup": (
        optim.warmup_cosine_decay_schedule(0.0, 1.0, 4, 14, 0.1),
        lambda n: (
            n / 4 if n < 4 else 0.9 * (1 + math.cos(math.pi * min((n - 4) / 10, 1))) / 2 + 0.1
        ),
    ),
}


@pytest.mark.parametrize("name", SCHEDULES)
def test_schedules(name):
    schedule, formula = SCHEDULES[name]
    jitted = hd.jit(lambda n: hd.asarray(schedule(n)))
    for n in range(20):
        assert float(schedule(n)) == pytest.approx(formula(n))
        assert float(schedule(hd.asarray(n))) == pytest.approx(formula(n))
        assert float(jitted(hd.asarray(n))) == pytest.approx(formula(n))


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def himmelblau(x):
    return (x[0] ** 2 + x[1] - 11) ** 2 + (x[0] + x[1] ** 2 - 7) ** 2


def barrier(x):
    """Beyond 1 it is nan."""
    return -hd.log(1 - x).sum() + ((x + 2) ** 2).sum()


def minimise(f, x, steps=200, **keywords):
    rule = optim.lbfgs(**keywords)
    state = rule.init(x)
    evaluations = 1
    for _ in range(steps):
        value, slope = optim.value_and_grad_from_state(f)(x, state=state)
        if float(optim.global_norm(slope)) < 1e-9:
            break
        updates, state = rule.update(slope, state, x, value=value, grad=slope, value_fn=f)
        x = optim.apply_updates(x, updates)
        evaluations += int(state[2].num_linesearch_steps)
    return x, evaluations


MINIMA = {
    "rosenbrock": (rosenbrock, np.full(12, -1.0)),
    "himmelblau": (himmelblau, np.array([0.5, 0.5])),
    "barrier": (barrier, np.array([0.9, -30.0])),
    "quadratic": (lambda x: (x * x * hd.arange(1.0, 101.0)).sum(), np.ones(100)),
}


@pytest.mark.parametrize("name", MINIMA)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_lbfgs(name):
    f, start = MINIMA[name]
    found, evaluations = minimise(f, hd.asarray(start))
    theirs = scipy.optimize.minimize(
        lambda x: float(f(hd.asarray(x))),
        start,
        jac=lambda x: hd.asnumpy(hd.grad(f)(hd.asarray(x))),
        method="L-BFGS-B",
        options={"gtol": 1e-9, "ftol": 0, "maxiter": 500},
    )
    np.testing.assert_allclose(hd.asnumpy(found), theirs.x, atol=1e-5)
    assert evaluations < 2 * theirs.nfev + 10


def test_lbfgs_of_trees_and_without_line_search():
    target = params_like()

    def f(params):
        apart = hd.tree.map(lambda p, t: ((p - t) ** 2).sum(), params, target)
        return hd.tree.reduce(lambda a, b: a + b, apart)

    found, _ = minimise(f, hd.tree.map(hd.zeros_like, target), 20)
    for one, wanted in zip(hd.tree.leaves(found), hd.tree.leaves(target), strict=True):
        np.testing.assert_allclose(hd.asnumpy(one), hd.asnumpy(wanted), atol=1e-7)
    rule = optim.lbfgs(0.5, memory_size=3, linesearch=None)
    params = hd.tree.map(hd.zeros_like, target)
    step = hd.jit(lambda s, p: rule.update(hd.grad(f)(p), s, p))
    state = rule.init(params)
    for _ in range(40):
        updates, state = step(state, params)
        params = optim.apply_updates(params, updates)
    assert float(f(params)) < 1e-12


def test_lbfgs_with_jit_and_in_batches():
    rule = optim.lbfgs(memory_size=4)

    def step(x, state):
        value, slope = hd.value_and_grad(rosenbrock)(x)
        updates, state = rule.update(slope, state, x, value=value, grad=slope, value_fn=rosenbrock)
        return optim.apply_updates(x, updates), state

    starts = hd.asarray(RNG.normal(size=(3, 4)))
    states = [rule.init(x) for x in starts]
    stacked = hd.tree.map(lambda *leaves: hd.stack([hd.asarray(v) for v in leaves]), *states)
    found, wanted = starts, list(starts)
    recorded, jitted_state = hd.jit(step), rule.init(starts[0])
    jitted = starts[0]
    with warnings.catch_warnings():
        # Where a search takes another number of steps the call is recorded anew, to some extent.
        warnings.filterwarnings("ignore", message="jit: ")
        for _ in range(4):
            found, stacked = hd.vmap(step)(found, stacked)
            for i in range(3):
                wanted[i], states[i] = step(wanted[i], states[i])
            jitted, jitted_state = recorded(jitted, jitted_state)
            np.testing.assert_allclose(
                hd.asnumpy(found), np.stack([hd.asnumpy(x) for x in wanted]), rtol=1e-8
            )
            np.testing.assert_allclose(hd.asnumpy(jitted), hd.asnumpy(wanted[0]), rtol=1e-8)


def test_line_search_conditions():
    """Steps fulfil the strong Wolfe conditions, from short and from long ones."""
    for first in (1e-4, 1.0, 1e4):
        for f in (rosenbrock, himmelblau):
            x = hd.asarray([-1.2, 1.0])
            value, slope = hd.value_and_grad(f)(x)
            search = optim.scale_by_zoom_linesearch(40)
            state = search.init(x)._replace(learning_rate=hd.asarray(first))
            updates, state = search.update(-slope, state, x, value=value, grad=slope, value_fn=f)
            after, there = hd.value_and_grad(f)(x + updates)
            rate, descent = float(state.learning_rate), -float((slope**2).sum())
            assert float(after) <= float(value) + 1e-4 * rate * descent
            assert abs(float((there * -slope).sum())) <= 0.9 * abs(descent)
            assert float(state.value) == pytest.approx(float(after))
            np.testing.assert_allclose(hd.asnumpy(state.grad), hd.asnumpy(there))
    search = optim.scale_by_zoom_linesearch(40, max_learning_rate=0.01)
    linear = hd.sum
    updates, state = search.update(
        hd.asarray([-1.0]),
        search.init(hd.zeros(1)),
        hd.zeros(1),
        value=hd.asarray(0.0),
        grad=hd.ones(1),
        value_fn=linear,
    )
    assert float(state.learning_rate) == pytest.approx(0.01)
    with pytest.raises(ValueError, match="initial_guess"):
        optim.scale_by_zoom_linesearch(3, initial_guess_strategy="two")
    with pytest.raises(ValueError, match="line searches"):
        optim.value_and_grad_from_state(linear)(hd.ones(1), state=optim.sgd(0.1).init(hd.ones(1)))


def test_batches_of_trainings():
    """Many optimisations at once, each with a rate of its own."""

    def trained(rate, x):
        rule = optim.adam(rate)
        state = rule.init(x)
        for _ in range(3):
            updates, state = rule.update(hd.grad(rosenbrock)(x), state, x)
            x = optim.apply_updates(x, updates)
        return x

    rates, starts = hd.asarray([0.1, 0.01]), hd.asarray(RNG.normal(size=(2, 3)))
    found = hd.vmap(trained)(rates, starts)
    for i in range(2):
        wanted = trained(rates[i], starts[i])
        np.testing.assert_allclose(hd.asnumpy(found[i]), hd.asnumpy(wanted), rtol=1e-10)
