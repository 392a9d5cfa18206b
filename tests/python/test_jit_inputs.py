"""Functions under jit: numbers, donated arrays, repeated work, what is looked at, effects."""

import collections
import types
import warnings

import numpy as np
import pytest

import heddle as hd

pytestmark = pytest.mark.unrecorded("records itself")


def counted(f, **options):
    calls = []

    def with_count(*args, **kwargs):
        calls.append(None)
        return f(*args, **kwargs)

    return hd.jit(with_count, **options), calls


# --- numbers ---


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "c8"])
def test_numbers_are_inputs_when_they_change(dtype):
    def f(x, a, b):
        return (x * a + b * 2) / (1 + a)

    jitted, calls = counted(f)
    x = hd.arange(4).astype(dtype)
    for a, b in ((0.5, 2), (0.5, 2), (0.25, 2), (1.5, 2), (2.5, 3), (3.5, 4), (-1.5, 7)):
        found, wanted = jitted(x, a, b), f(x, a, b)
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(hd.asnumpy(found), hd.asnumpy(wanted), rtol=1e-6)
    assert len(calls) == 3  # the first call, and once when each of them changed


def test_numbers_in_trees_and_by_name():
    def f(state, *, rate):
        return {name: x - rate * state["slope"] for name, x in state.items() if name != "slope"}

    jitted, calls = counted(f)
    for rate in (0.1, 0.2, 0.3, 0.4):
        state = {"x": hd.ones(3), "slope": rate * 2}
        assert jitted(state, rate=rate)["x"].tolist() == pytest.approx([1 - rate * rate * 2] * 3)
    assert len(calls) == 2


def test_types_of_numbers_yield():
    def f(x, a):
        b = a * 2 + 1
        return x * b, hd.maximum(x, a), hd.where(x > 0, a, x), a, b, hd.asarray(a) * x

    jitted = hd.jit(f)
    x = hd.ones(2, "f4")
    for a in (1.0, 2.0, 3.0):
        for found, wanted in zip(jitted(x, a), f(x, a), strict=True):
            assert hd.asarray(found).dtype == hd.asarray(wanted).dtype
            np.testing.assert_array_equal(hd.asnumpy(found), hd.asnumpy(wanted))
    mixed = hd.jit(lambda x, n: x + n)
    for n in (1, 2, 3):
        assert mixed(hd.ones(2, "u1"), n).dtype == np.uint8
        assert mixed(hd.ones(2, bool), n).dtype == np.int64


OF_NUMBERS = {
    "sqrt": lambda x, v: x * hd.sqrt(v),
    "minimum": lambda x, v: x * hd.minimum(v, 9.0),
    "power": lambda x, v: x * hd.power(v, 2),
    "divmod": lambda x, v: x * hd.modf(v)[1],
    "operators": lambda x, v: x * (-v + 2 * v**2 - abs(v)),
    "dot": lambda x, v: hd.dot(x, v),
    "inner": lambda x, v: hd.inner(v, v) * x,
    "kron": lambda x, v: hd.kron(x, v),
    "clip": lambda x, v: hd.clip(v, v, 9.0) * x,
    "clip array": lambda x, v: hd.clip(x, -v, v),
    "real": lambda x, v: hd.real(v) * x,
    "squeeze": lambda x, v: hd.squeeze(v) * x,
    "asarray": lambda x, v: hd.asarray(v) * x,
    "geomspace": lambda x, v: hd.geomspace(v, x, 3),
    "polyval": lambda x, v: hd.polyval(x, v),
    "percentile": lambda x, v: hd.percentile(x, v),
    "quantile": lambda x, v: hd.quantile(x, v / 10),
    "lax.mul": lambda x, v: hd.lax.mul(x, v),
    "lax.gt": lambda x, v: hd.lax.gt(v, x),
    "lax.pow": lambda x, v: hd.lax.pow(x, v),
    "lax.clamp": lambda x, v: hd.lax.clamp(0.0, x, v),
    "cond": lambda x, v: hd.lax.cond(v > 0, lambda x, w: x, lambda x, w: x * w, x, v),
    "cond of a number": lambda x, v: hd.lax.cond(x[0] > 0, lambda: v, lambda: x[0]) * x,
    "switch": lambda x, v: hd.lax.switch(1, [lambda x, w: x, lambda x, w: x + w], x, v),
    "fori_loop": lambda x, v: hd.lax.fori_loop(0, 3, lambda i, c: c * x[0], v) * x,
    "scan": lambda x, v: hd.lax.scan(lambda c, one: (c + one, c * v), v, x),
    "result_type": lambda x, v: hd.zeros(2, hd.result_type(x, v)),
}


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_numbers_that_became_inputs_have_the_types_of_numbers(name):
    f = OF_NUMBERS[name]
    jitted = hd.jit(f)
    x = hd.asarray(np.array([1.0, 2.0, 3.0], "f4"))
    for v in (1.5, 2.5, 3.5, 1.25):
        found, wanted = hd.tree.leaves(jitted(x, v)), hd.tree.leaves(f(x, v))
        for one, other in zip(found, wanted, strict=True):
            assert hd.asarray(one).dtype == hd.asarray(other).dtype
            np.testing.assert_allclose(hd.asnumpy(one), hd.asnumpy(other), rtol=1e-5)


def test_numbers_that_are_looked_at():
    def f(x, n, scale):
        for _ in range(n):
            x = x * scale
        return x if scale > 0 else -x

    jitted, calls = counted(f)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n, scale in ((1, 2.0), (2, 2.0), (3, 2.0), (3, 4.0), (2, -1.0), (3, 2.0), (1, 2.0)):
            assert jitted(hd.ones(2), n, scale).tolist() == f(hd.ones(2), n, scale).tolist()
    assert len(calls) <= 8
    for _ in range(2):
        calls.clear()
        for n, scale in ((1, 2.0), (2, 2.0), (3, 2.0), (3, 4.0), (2, -1.0)):
            jitted(hd.ones(2), n, scale)
    assert not calls


def test_truths_are_constants():
    jitted, calls = counted(lambda x, up: x + 1 if up else x - 1)
    for up in (True, False, True, False):
        assert jitted(hd.zeros(1), up).tolist() == [1 if up else -1]
    assert len(calls) == 2


# --- what is shared ---


def test_an_array_that_nobody_knows_of_is_not_the_argument():
    x = hd.arange(3.0).eval()
    hidden = collections.deque([x.copy()])  # which shares its elements still

    @hd.jit
    def f(x):
        return x * 10 + hidden[0]

    assert f(x).tolist() == [0, 11, 22]
    assert f(x + 1).tolist() == [10, 21, 32]
    assert hidden[0].tolist() == [0, 1, 2]


def test_arrays_in_modules_and_slots():
    module = types.ModuleType("mine")
    module.weights = hd.ones(2)

    class Model:
        __slots__ = ("bias",)

    model = Model()
    model.bias = hd.zeros(2)
    space = {"module": module, "model": model}
    exec("def f(x):\n    return x * module.weights + model.bias", space)
    f = hd.jit(space["f"])
    assert f(hd.ones(2)).tolist() == [1, 1]
    module.weights[:] = 3
    model.bias[:] = 1
    assert f(hd.ones(2)).tolist() == [4, 4]
    module.weights = hd.full(2, 5.0)
    assert f(hd.ones(2)).tolist() == [6, 6]
    model.bias = hd.full(2, 2.0)
    assert f(hd.ones(2)).tolist() == [7, 7]


# --- work ---


def test_repeated_and_dead_work_is_left_out():
    def f(x):
        unused = hd.exp(x) @ hd.ones(4)
        del unused
        a = hd.sin(x) * 2
        b = hd.sin(x) * 2
        return a + b

    lowered = hd.jit(f).lower(hd.ones((3, 4)))
    text = lowered.as_text()
    assert text.count("sin") == 1
    assert text.count("multiply") == 1
    assert "exp" not in text
    assert "matmul" not in text
    x = hd.arange(12.0).reshape(3, 4)
    jitted = hd.jit(f)
    for _ in range(2):
        np.testing.assert_allclose(hd.asnumpy(jitted(x)), hd.asnumpy(f(x)), rtol=1e-15)


def test_writes_to_equal_arrays_stay_apart():
    def f(x):
        a, b = hd.zeros(3), hd.zeros(3)
        a[0], b[0] = x[0], x[0]
        b[1] = 5
        c, d = x * 2, x * 2
        d[2] = 9
        return a, b, c, d

    jitted = hd.jit(f)
    for i in range(3):
        x = hd.arange(3.0) + i
        for found, wanted in zip(jitted(x), f(x), strict=True):
            assert found.tolist() == wanted.tolist()
        found = jitted(x)
        found[2][0] = 77  # no view of another
        assert found[3].tolist() == f(x)[3].tolist()


def test_lowered_and_compiled():
    lowered = hd.jit(lambda x, y: (hd.sin(x) + y).sum()).lower(hd.ones(1000), hd.ones(1000))
    assert "sin" in lowered.as_text()
    compiled = lowered.compile()
    assert "1 kernel" in compiled.as_text()
    cost = compiled.cost_analysis()
    assert cost["kernels"] == 1
    assert cost["library calls"] == 0
    assert cost["bytes read"] == 16000
    assert cost["bytes written"] == 8
    memory = compiled.memory_analysis()
    assert memory["argument_size_in_bytes"] == 16000
    assert memory["output_size_in_bytes"] == 8
    assert compiled(hd.zeros(1000), hd.ones(1000)) == 1000
    x = hd.ones(3)

    def writes(a):
        a += 1

    hd.jit(writes).lower(x)
    assert x.tolist() == [1, 1, 1]


# --- donated arrays ---


def test_donated_memory_is_used():
    n = 1 << 20
    step = hd.jit(lambda u: u * 2 + 1, donate_argnums=0)
    u = hd.ones(n).eval()
    pool = hd._core.pool(hd.default_device())
    for i in range(4):
        v = step(u)
        v.eval()
        if i == 0:
            held = pool.used_bytes()
        assert u[0] == 0  # nothing is left of it
        u = v
    assert pool.used_bytes() <= held
    assert u[0] == 31


def test_donated_trees_and_results_that_are_views():
    @hd.jit(donate_argnames="state")
    def step(x, state):
        state["a"] += x
        return state, x * 2

    for _ in range(3):
        state = {"a": hd.ones(2), "b": hd.ones(2)}
        made, _ = step(hd.ones(2), state=state)
        assert made["a"].tolist() == [2, 2]
        assert made["b"].tolist() == [1, 1]
    with pytest.raises(TypeError, match="donate_argnums"):
        hd.jit(lambda x: x, donate_argnums=3)(hd.ones(2))


# --- loops ---


def test_passes_recorded_as_one():
    xs = hd.arange(7.0)

    def body(c, x):
        return c * 0.5 + x, c * x

    wanted = hd.lax.scan(body, hd.array(1.0), xs)
    for unroll in (0, 2, 3, 7, 100, True, False):
        found = hd.lax.scan(body, hd.array(1.0), xs, unroll=unroll)
        assert float(found[0]) == float(wanted[0])
        assert found[1].tolist() == wanted[1].tolist()
        back = hd.lax.scan(body, hd.array(1.0), xs, reverse=True, unroll=unroll)
        assert back[1].tolist() == hd.lax.scan(body, hd.array(1.0), xs, reverse=True)[1].tolist()
    for unroll in (-1, 2.5):
        with pytest.raises(ValueError, match="unroll"):
            hd.lax.scan(body, hd.array(1.0), xs, unroll=unroll)


def test_a_long_loop_is_planned_in_equal_pieces():
    def solver(u):
        for _ in range(3000):
            u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        return u

    jitted, calls = counted(solver)
    jitted(hd.arange(30.0) ** 2 % 7).eval()
    hd.reset_stats()
    found = jitted(hd.arange(30.0) ** 2 % 7).eval()
    assert hd.stats()["compiled"] <= 2
    assert len(calls) == 1
    u = np.arange(30.0) ** 2 % 7
    for _ in range(3000):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    np.testing.assert_allclose(hd.asnumpy(found), u, rtol=1e-12)


# --- indices ---


def test_other_indices_are_no_other_way():
    jitted, calls = counted(lambda a, i: a[i] + a.take(i) + hd.take(a, i, axis=0))
    for i in range(6):
        places = np.array([i, 9 - i, 3])
        found = jitted(hd.arange(10.0), hd.asarray(places))
        assert found.tolist() == (3.0 * places).tolist()
    assert len(calls) == 1
    with pytest.raises(IndexError, match="17 is out of bounds"):
        jitted(hd.arange(10.0), hd.asarray([17, 0, 0])).tolist()


def test_elements_of_arrays_in_trees():
    calls = []

    @hd.jit
    def f(p, y):
        calls.append(1)
        return p["a"] * y + p["b"][0]

    x = hd.arange(3.0)
    for i in range(3):
        assert f({"a": x[i], "b": [np.float32(i)]}, x).tolist() == [i, i * 2, i * 3]
        assert f({"a": np.float64(i), "b": (np.float32(i),)}, x).tolist() == [i, i * 2, i * 3]
    assert len(calls) == 2  # one for each tree
    slopes = hd.jit(hd.grad(lambda p: p["a"] ** 2))
    assert [float(slopes({"a": np.float64(v)})["a"]) for v in (1, 2, 3)] == [2, 4, 6]
    assert f({"a": np.ones(3), "b": [1]}, x).tolist() == [1, 2, 3]


def test_copies_that_grad_makes_are_left_out():
    text = hd.jit(hd.grad(lambda w: (w @ w).sum())).lower(hd.ones((3, 3))).as_text()
    assert "cast(%0)" not in text

    def f(x):
        y = x.copy()
        y[0] = 5
        z = x.copy()
        return y * x, z, x

    recorded = hd.jit(f)
    for _ in range(3):
        x = hd.arange(3.0)
        y, z, same = recorded(x)
        assert (y.tolist(), z.tolist(), same is not z) == ([0, 1, 4], [0, 1, 2], True)
        z[0] = 7
        assert x.tolist() == [0, 1, 2]


def test_contents_that_change_in_place():
    names, table = {"a"}, np.ones(3)
    known = {"table": np.zeros((2, 2))}
    x = hd.arange(3.0)
    f, calls = counted(
        lambda x: x * len(names) * table + known["table"].sum() + (5 if "b" in names else 0)
    )

    def check(number):
        plain = hd.asnumpy(x) * len(names) * table + known["table"].sum() + 5 * ("b" in names)
        np.testing.assert_array_equal(hd.asnumpy(f(x)), plain)
        assert len(calls) == number

    check(1)
    check(1)
    names.add("b")
    check(2)
    table[1] = 7
    check(3)
    known["table"][0, 0] = 1
    check(4)
    check(4)


def test_the_line_that_decides_is_said():
    def f(x):
        return x * int(x[0])

    line = f.__code__.co_firstlineno + 1
    jitted = hd.jit(f)
    with pytest.warns(RuntimeWarning, match=rf"test_jit_inputs\.py:{line}"):
        for i in range(12):
            assert int(jitted(hd.array([i]))[0]) == i * i


def test_arguments_said_by_position_are_given_by_name_and_the_other_way_round():
    calls = []

    def f(x, count, mode="power"):
        calls.append(None)
        return x**count if mode == "power" else x[:count]

    x = hd.arange(4.0)
    for how in (
        {"static_argnums": 1, "static_argnames": "mode"},
        {"static_argnames": ("count", "mode")},
        {"static_argnums": (1, 2)},
    ):
        jitted = hd.jit(f, **how)
        for args, kwargs in (
            ((x, 2), {}),
            ((x,), {"count": 2}),
            ((x, 2, "part"), {}),
            ((x, 2), {"mode": "part"}),
            ((x,), {"count": 3, "mode": "part"}),
        ):
            expected = f(*args, **kwargs)
            calls.clear()
            for _ in range(3):
                np.testing.assert_array_equal(
                    hd.asnumpy(jitted(*args, **kwargs)), hd.asnumpy(expected)
                )
            assert len(calls) == 1
    state = hd.ones(3)
    np.testing.assert_array_equal(
        hd.asnumpy(hd.jit(lambda state, x: state + x, donate_argnums=0)(state=state, x=hd.ones(3))),
        [2, 2, 2],
    )
    np.testing.assert_array_equal(hd.asnumpy(state), [0, 0, 0])
    with pytest.raises(ValueError, match="has no argument 'other'"):
        hd.jit(f, static_argnames="other")


@pytest.mark.parametrize("places", [{"static_argnums": 2}, {"donate_argnums": (0, -3)}])
def test_positions_that_are_not_there(places):
    def f(x, n=2):
        return x * n

    with pytest.raises(TypeError, match=f"2 arguments .* none at .*{next(iter(places))}"):
        hd.jit(f, **places)
    assert hd.jit(lambda *xs: xs[0], **places)(1.0, 2.0, 3.0) == 1.0


def test_dictionaries_keep_the_order_of_their_keys():
    def joined(given):
        return hd.concatenate([hd.atleast_1d(one) for one in given.values()])

    def doubled(given):
        return {key: one * 2 for key, one in given.items()}

    jitted, same_keys = hd.jit(joined), hd.jit(doubled)
    for keys in ("ba", "ab", "cab", "ba"):
        for value in (1.0, 2.0), (hd.ones(2), hd.zeros(1)):
            given = dict(zip(keys, (*value, hd.ones(1)), strict=False))
            for kind in dict, lambda given: collections.defaultdict(int, given):
                for _ in range(2):
                    assert jitted(kind(given)).tolist() == joined(given).tolist()
            for _ in range(2):
                assert list(same_keys(given)) == list(given)
    given = {"b": hd.arange(2.0), "a": hd.arange(3.0)}
    slopes = hd.grad(lambda given: (joined(given) * hd.arange(5.0)).sum())(given)
    assert list(slopes) == ["b", "a"]
    assert slopes["b"].tolist() == [0, 1]
    named = hd.jit(lambda **given: hd.stack(list(given.values())))
    for _ in range(2):
        assert named(b=1.0, a=2.0).tolist() == [1, 2]
        assert named(a=2.0, b=1.0).tolist() == [2, 1]


@pytest.mark.parametrize("captured", [False, True])
def test_integers_that_an_array_cannot_hold(captured):
    """Plain code refuses them, and so does a call that was recorded with others."""
    small = hd.arange(3, dtype="u1")
    jitted = hd.jit((lambda n: small + n) if captured else lambda n, x: x + n)
    rest = () if captured else (small,)
    for _ in range(2):
        for n in (3, 4, 5, 200, 201, 300, 301, -3, -4, 2**70):
            if 0 <= n < 256:
                assert jitted(n, *rest).tolist() == (small + n).tolist()
            else:
                with pytest.raises(OverflowError):
                    jitted(n, *rest)
    beyond = hd.jit(lambda x, n: x + n)
    for n in (1, 2, 2**70, 3, 2**70):
        assert beyond(hd.ones(2), n).tolist() == [n + 1.0] * 2


def test_floating_point_errors_that_the_function_asks_for():
    def f(x):
        with hd.errstate(divide="raise"):
            return hd.log(x)

    jitted = hd.jit(f)
    with pytest.warns(RuntimeWarning, match="errstate"):
        jitted(hd.ones(2))
    for _ in range(2):
        assert jitted(hd.ones(2)).tolist() == [0, 0]
        with pytest.raises(FloatingPointError, match="divide by zero"):
            jitted(hd.zeros(2))
