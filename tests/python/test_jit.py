"""Functions whose calls are recorded once and repeated: against running them."""

import dataclasses
import threading
import warnings
from typing import NamedTuple

import numpy as np
import pytest
from transform_cases import MATRIX, REDUCTIONS, VIEWS, WRITES

import heddle as hd

RNG = np.random.default_rng(7)
CASES = {**REDUCTIONS, **VIEWS, **{f.__name__: f for f in WRITES}}
# How many elements there are depends on them: rows of a batch would differ in shape.
SIZED = {"mask", "masked"}

pytestmark = pytest.mark.unrecorded("records itself")


def same(found, wanted, tolerance=0):
    assert found.shape == wanted.shape
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(hd.asnumpy(found), hd.asnumpy(wanted), rtol=tolerance, atol=0)


@pytest.mark.parametrize("name", CASES)
def test_against_plain_code(name):
    f = CASES[name]
    calls = 0

    def counted(x):
        nonlocal calls
        calls += 1
        return f(x)

    jitted = hd.jit(counted)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for i in range(4):
            x = MATRIX + i * 1e-3
            same(hd.asarray(jitted(hd.asarray(x))), hd.asarray(f(hd.asarray(x))), 1e-12)
    # Functions that look at elements to check them are recorded again where these differ.
    assert calls <= 4


@pytest.mark.parametrize("name", [name for name in CASES if name not in SIZED])
def test_compositions(name):
    f = CASES[name]
    g = hd.grad(lambda x: hd.asarray(f(x)).sum())
    batch = hd.asarray(MATRIX + RNG.uniform(-1e-3, 1e-3, size=(3, 3, 4)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        jitted = hd.jit(g)
        for x in batch:
            same(jitted(x), g(x), 1e-12)
        many = hd.jit(hd.vmap(g))
        for x in (batch, batch + 1e-3):
            same(many(x), hd.vmap(g)(x), 1e-12)
        inside = hd.jit(f)
        same(hd.grad(lambda x: hd.asarray(inside(x)).sum())(batch[0]), g(batch[0]), 1e-12)
        same(hd.grad(lambda x: hd.asarray(inside(x)).sum())(batch[1]), g(batch[1]), 1e-12)
        same(hd.vmap(inside)(batch), hd.vmap(f)(batch), 1e-12)


def test_it_is_recorded_once_for_a_signature():
    calls = []

    @hd.jit
    def f(x, y=2.0):
        calls.append((x.shape, y))
        return x * y

    for n in (3, 3, 4, 3):
        assert f(hd.ones(n)).tolist() == [2] * n
    assert calls == [((3,), 2.0), ((4,), 2.0)]
    assert f(hd.ones(3), y=3.0).tolist() == [3] * 3
    assert f(hd.ones(3), y=hd.array(4.0)).tolist() == [4] * 3
    assert f(hd.ones(3, "f4")).dtype == np.float32
    assert f(hd.ones((4, 3))[:, 1]).tolist() == [2] * 4  # another layout
    assert len(calls) == 6
    f.clear_cache()
    f(hd.ones(3))
    assert len(calls) == 7


def test_effects_on_arguments():
    def f(x, y):
        x[1:] += y[:-1]
        y *= 2
        return x[::2]

    jitted = hd.jit(f)
    for i in range(3):
        x, y, a, b = (hd.arange(6.0) + i for _ in range(4))
        wanted, found = f(x, y), jitted(a, b)
        assert found.tolist() == wanted.tolist()
        assert a.tolist() == x.tolist()
        assert b.tolist() == y.tolist()
        found[0] = 77  # a view, of what is the first element
        assert a[0] == 77
    same_twice = hd.arange(6.0)
    wanted = hd.arange(6.0)
    f(wanted, wanted)
    jitted(same_twice, same_twice)
    assert same_twice.tolist() == wanted.tolist()


def test_arguments_that_share_what_neither_has_written():
    def f(x, y):
        x += 1
        return x * y

    jitted = hd.jit(f)
    for i in range(3):
        x = hd.arange(4.0) + i
        y = x.copy()
        wanted = (hd.asnumpy(x) + 1) * hd.asnumpy(y)
        assert jitted(x, y).tolist() == wanted.tolist()
        assert y.tolist() == (np.arange(4.0) + i).tolist()


def test_results_are_views_of_one_another():
    @hd.jit
    def f(x):
        y = x * 2
        return {"whole": y, "part": (y[1:], y.T)}

    for i in range(3):
        made = f(hd.ones((3, 2)) + i)
        made["part"][0][0] = 9
        assert made["whole"].tolist() == [[2 + 2 * i] * 2, [9, 9], [2 + 2 * i] * 2]
        assert made["part"][1][0].tolist() == [2 + 2 * i, 9, 2 + 2 * i]


def test_arrays_outside_are_read_anew_and_written():
    kept, total = hd.array([1.0, 2.0]), hd.zeros(2)

    @hd.jit
    def f(x):
        total[:] += x * kept
        return total.sum()

    wanted = np.zeros(2)
    for i in range(4):
        wanted += (i + 1) * hd.asnumpy(kept)
        assert f(hd.ones(2) * (i + 1)) == wanted.sum()
        kept[0] = i
    assert total.tolist() == wanted.tolist()


FACTOR = 2.0


def scaled(x):
    return x * FACTOR


def test_globals_closures_and_attributes_are_compared():
    global FACTOR

    class Model:
        def __init__(self):
            self.power = 2
            self.parts = [1.0]

        @hd.jit
        def __call__(self, x):
            return x**self.power + self.parts[0]

    shift = 1.0

    @hd.jit
    def f(x):
        return scaled(x) + shift

    x = hd.ones(2) * 3
    assert f(x).tolist() == [7, 7]
    FACTOR = 3.0
    assert f(x).tolist() == [10, 10]
    shift = 2.0
    assert f(x).tolist() == [11, 11]
    FACTOR = 2.0
    assert f(x).tolist() == [8, 8]
    model = Model()
    assert model(x).tolist() == [10, 10]
    model.power = 1
    assert model(x).tolist() == [4, 4]
    model.parts[0] = 5.0
    assert model(x).tolist() == [8, 8]


def test_values_that_decide_are_compared():
    calls = 0

    @hd.jit
    def f(x):
        nonlocal calls
        calls += 1
        y = x.copy()
        y[0] = 100
        if x.sum() > 0:
            return y * 2
        x[:] = 0
        return -y

    for sign in (1, -1, 2, -2, 3):
        x = hd.ones(2) * sign
        assert f(x).tolist() == ([200, 2 * sign] if sign > 0 else [-100, -sign])
        assert x.tolist() == ([sign] * 2 if sign > 0 else [0, 0])
    assert calls == 2


def test_what_goes_another_way_each_time_runs_as_plain_code():
    @hd.jit
    def f(x):
        return x * float(x.sum())

    with pytest.warns(RuntimeWarning, match=r"f .*test_jit.py.* runs as plain code: .*another way"):
        for i in range(12):
            assert f(hd.ones(2) * i).tolist() == [2 * i * i] * 2


def test_names_that_get_other_arrays():
    state = hd.zeros(2)

    @hd.jit
    def f(x):
        nonlocal state
        state = state + x
        return state * 2

    with pytest.warns(RuntimeWarning, match="other arrays"):
        assert f(hd.ones(2)).tolist() == [2, 2]
    assert f(hd.ones(2)).tolist() == [4, 4]
    assert state.tolist() == [2, 2]


def test_random_numbers_are_drawn_anew():
    generator = hd.random.default_rng(3)
    other = hd.random.default_rng(3)

    @hd.jit
    def f(x):
        return x + generator.random(3)

    for _ in range(3):
        assert f(hd.zeros(3)).tolist() == other.random(3).tolist()


def test_sizes_that_depend_on_elements():
    """They are compared at each call, and the elements are not."""
    calls = []
    total = hd.zeros(4)

    def f(x):
        calls.append(None)
        total[x > 0] += x[x > 0]
        return x[x > 0] * 2, hd.nonzero(x > 0)[0]

    jitted = hd.jit(f)
    expected = np.zeros(4)
    counts = set()
    for i in range(1, 12):
        x = np.roll([1.0 * i, 3.0, -1.0, -2.0], i) if i != 5 else np.ones(4) * i
        x = x if i != 7 else -x
        chosen, places = jitted(hd.asarray(x))
        np.testing.assert_array_equal(hd.asnumpy(chosen), hd.asnumpy(x[x > 0] * 2))
        np.testing.assert_array_equal(hd.asnumpy(places), np.nonzero(x > 0)[0])
        expected[x > 0] += x[x > 0]
        np.testing.assert_array_equal(hd.asnumpy(total), hd.asnumpy(expected))
        counts.add((x > 0).sum())
    assert len(calls) == len(counts) == 2

    slopes = hd.jit(hd.grad(lambda x: (x[x > 0] ** 2).sum()))
    for x in ([1.0, -1.0, 2.0], [-3.0, 4.0, 5.0], [1.0, 2.0, 3.0], [3.0, 2.0, 1.0]):
        np.testing.assert_array_equal(
            hd.asnumpy(slopes(hd.array(x))), hd.asnumpy(2 * np.maximum(x, 0))
        )
    inner = hd.jit(lambda x: x[x > 0])
    outer = hd.jit(lambda x: inner(x).sum())
    for x in ([1.0, -1.0, 2.0], [-3.0, 4.0, 5.0], [1.0, 2.0, 3.0], [3.0, 2.0, 1.5]):
        assert outer(hd.array(x)) == sum(e for e in x if e > 0)


def test_sizes_that_are_recorded_inside_of_another_call():
    calls = []

    def f(x, mask):
        calls.append(None)
        y = hd.zeros_like(x)
        y[mask] = x[mask] ** 2
        return y

    inner = hd.jit(f)
    outer = hd.jit(lambda x, mask: inner(x, mask) + 1)
    x = np.arange(6.0)
    for i in range(4):
        mask = np.roll([True, True, False, True, False, False], i)
        expected = np.where(mask, x**2, 0)
        made = inner if i > 0 else outer
        result = made(hd.array(x), hd.array(mask))
        np.testing.assert_array_equal(hd.asnumpy(result), expected + (made is outer))
    assert len(calls) == 1


def test_sizes_that_differ_in_each_call():
    f = hd.jit(lambda x: x[x > 0].sum())
    with pytest.warns(RuntimeWarning, match="test_jit.py"):
        for i in range(12):
            assert f(hd.arange(12.0) - i) == sum(range(12 - i))


def test_other_results():
    @hd.jit
    def f(x):
        return {"sum": x.sum(), "name": "f", "shape": x.shape, "none": None}

    for i in range(3):
        made = f(hd.ones(3) * i)
        assert (made["sum"], made["name"], made["shape"], made["none"]) == (3 * i, "f", (3,), None)


def test_static_arguments():
    calls = []

    @hd.jit(static_argnums=1, static_argnames=("mode",))
    def f(x, n, mode="add"):
        calls.append((n, mode))
        return x + n if mode == "add" else x * n

    x = hd.ones(2)
    assert f(x, 3).tolist() == f(x, 3).tolist() == [4, 4]
    assert f(x, 4, mode="mul").tolist() == [4, 4]
    assert calls == [(3, "add"), (4, "mul")]
    with pytest.raises(TypeError, match="hashable"):
        f(x, [1])


def test_shared_memory_is_written_as_plain_code_does():
    theirs = np.ones(3)
    x = hd.asarray(theirs, copy=False)

    @hd.jit
    def f(y):
        y += 1
        return y * 2

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for i in range(3):
            assert f(x).tolist() == [2 * (i + 2)] * 3
            assert theirs.tolist() == [i + 2] * 3


@pytest.mark.host_memory
def test_memory_that_is_shared_later():
    @hd.jit
    def f(y):
        y += 1
        return y * 2

    x = hd.ones(3)
    f(x)
    view = np.asarray(x)
    assert f(x).tolist() == [6] * 3
    assert view.tolist() == [3] * 3


def test_exceptions():
    calls = 0

    @hd.jit
    def f(x):
        nonlocal calls
        calls += 1
        raise KeyError("mine")

    for _ in range(2):
        with pytest.raises(KeyError):
            f(hd.ones(2))
    assert calls == 2
    assert not hd._core.recording()
    with pytest.raises(TypeError, match="hashable"):
        hd.jit(lambda x: x)({1})
    with pytest.raises(TypeError, match="function"):
        hd.jit(3)


def test_errors_of_elements_come_in_every_call():
    f = hd.jit(lambda a: hd.linalg.inv(a))
    assert f(hd.eye(2)).tolist() == [[1, 0], [0, 1]]
    with pytest.raises(np.linalg.LinAlgError):
        f(hd.zeros((2, 2)))
    g = hd.jit(lambda a, i: a[i])
    assert g(hd.arange(3.0), hd.array([2, 0])).tolist() == [2, 0]
    with pytest.raises(IndexError, match="5 is out of bounds"):
        g(hd.arange(3.0), hd.array([5, 0])).tolist()


def test_a_loop_in_place():
    def step(u, dt):
        u[1:-1] += dt * (u[2:] - 2 * u[1:-1] + u[:-2])

    jitted = hd.jit(step)
    u, v = hd.arange(50.0) ** 2 % 7, hd.arange(50.0) ** 2 % 7
    for _ in range(30):
        step(u, 0.1)
        jitted(v, 0.1)
    assert u.tolist() == v.tolist()


def test_threads():
    f = hd.jit(lambda x, y: hd.sin(x) * y + x)
    wrong = []

    def work(i):
        x = hd.arange(100.0) + i
        wanted = hd.asnumpy(hd.sin(x) * i + x)
        for _ in range(50):
            if not np.array_equal(hd.asnumpy(f(x, hd.ones(100) * i)), wanted):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_numbers_that_are_arguments_and_outside():
    w = hd.array(0.5) + 0.0  # poses as a NumPy scalar
    f = hd.jit(lambda c, v: c * w + v)
    c = hd.asarray(w)
    for v in hd.arange(3.0):
        wanted = float(c) * 0.5 + float(v)
        c = f(c, v)
        assert float(c) == wanted


def near(found, wanted, rtol=1e-9):
    found, wanted = hd.asnumpy(hd.asarray(found)), hd.asnumpy(hd.asarray(wanted))
    np.testing.assert_allclose(found, wanted, rtol=rtol)


def equal(found, wanted):
    near(found, wanted, 0)


class State(NamedTuple):
    count: object
    moments: object


@dataclasses.dataclass
class Layer:
    weights: object
    bias: object


def test_trees_are_taken_apart_and_put_together():
    calls = []

    def f(layers, state, *, rate, name="plain", flags=(True, None)):
        calls.append(None)
        made = [Layer(one.weights * rate, one.bias + 1) for one in layers]
        return made, State(state.count + 1, {"m": state.moments["z"], "k": None}), name, flags[0], 7

    jitted = hd.jit(f)
    for i in range(5):
        # New containers each time; keys in another order are another recording.
        layers = [Layer(hd.arange(3.0) + i, hd.ones(2)), Layer(hd.ones(2) * i, hd.zeros(1))]
        moments = {"a": hd.ones(2), "z": hd.arange(2.0) * i}
        state = State(hd.array(i), moments if i % 2 else dict(reversed(moments.items())))
        made, after, name, flag, seven = jitted(layers, state, rate=hd.array(2.0))
        assert type(made) is list and type(made[0]) is Layer and type(after) is State
        equal(made[0].weights, 2 * (np.arange(3.0) + i))
        equal(made[1].bias, [1])
        assert int(after.count) == i + 1
        equal(after.moments["m"], np.arange(2.0) * i)
        assert after.moments["k"] is None and (name, flag, seven) == ("plain", True, 7)
    assert len(calls) == 2
    assert jitted(layers, state, rate=hd.array(2.0), name="other")[2] == "other"
    assert jitted(layers, state, rate=hd.array(2.0), flags=(False, None))[3] is False
    assert jitted(layers, state, rate=hd.array(2.0))[2] == "plain"
    assert len(calls) == 4
    with pytest.raises(KeyError):
        jitted(layers, State(hd.array(1), {"a": hd.ones(2), "y": hd.ones(2)}), rate=hd.array(2.0))


def test_results_of_trees_that_are_views():
    f = hd.jit(lambda tree: {"whole": tree["x"], "part": tree["x"][1:], "sum": tree["x"].sum()})
    for _ in range(3):
        x = hd.arange(3.0)
        made = f({"x": x})
        made["part"][0] = 10
        equal(x, [0, 10, 2])
        equal(made["whole"], [0, 10, 2])


def test_a_class_that_is_registered_later_is_taken_apart_by_its_functions():
    class Pair(NamedTuple):
        a: object
        b: object

    f = hd.jit(lambda pair: pair.a * 2)
    one = Pair(hd.ones(2), hd.zeros(2))
    for _ in range(2):
        equal(f(one), [2, 2])
    hd.tree.register_pytree_node(Pair, lambda p: ((p.b, p.a), None), lambda _, c: Pair(c[1], c[0]))
    for _ in range(2):
        equal(f(one), [2, 2])
        equal(f(Pair(hd.zeros(2), hd.ones(2))), [0, 0])


DERIVED = {
    "sort": lambda x: hd.sort(x) * hd.arange(4.0),
    "solve": lambda x: hd.linalg.solve(hd.eye(4) * 5 + hd.outer(x, x), x),
    "eigh": lambda x: hd.linalg.eigvalsh(hd.outer(x, x) + hd.diag(x)),
    "pinv": lambda x: hd.linalg.pinv(x.reshape(2, 2) + hd.eye(2)),
    "median": lambda x: hd.median(x) * x,
    "norm": lambda x: hd.linalg.norm(x) * x,
    "prod": lambda x: hd.prod(x) + hd.cumprod(x),
    "gamma": lambda x: hd.special.gammaln(hd.abs(x) + 1),
}


@pytest.mark.parametrize("name", DERIVED)
def test_a_call_that_was_recorded_is_differentiated_later(name):
    def f(x):
        return DERIVED[name](x).sum()

    x = hd.array([0.5, -1.0, 2.0, 0.25])
    jitted, outer = hd.jit(f), hd.jit(lambda x: hd.jit(f)(x) * 2)
    for _ in range(2):  # plain, differentiated, and plain again
        near(jitted(x), f(x))
        near(hd.grad(jitted)(x), hd.grad(f)(x))
        near(outer(x), 2 * f(x))
        near(hd.grad(outer)(x), 2 * hd.grad(f)(x))
        rows = hd.stack([x, x + 1])
        near(hd.vmap(hd.grad(jitted))(rows), hd.stack([hd.grad(f)(row) for row in rows]))
        near(hd.jvp(jitted, (x,), (x,))[1], hd.jvp(f, (x,), (x,))[1])


def test_functions_and_arguments_that_cannot_be_recorded():
    def steps(x):
        yield x

    async def later(x):
        return x

    for f in (steps, later):
        with pytest.raises(TypeError, match="cannot be repeated"):
            hd.jit(f)
    with pytest.raises(ValueError, match=r"'x' of .* is static and cannot be donated"):
        hd.jit(lambda x: x, static_argnames="x", donate_argnames="x")
    with pytest.raises(ValueError, match=r"argument 0 of .* is static"):
        hd.jit(lambda x, /: x, static_argnums=0, donate_argnums=(0,))
    with pytest.raises(ValueError, match=r"'a' of .* cannot be given by name"):
        hd.jit(lambda a, /, c: c, static_argnames=("a", "c"))
    with pytest.raises(ValueError, match=r"'args' of .* cannot be given by name"):
        hd.jit(lambda *args, c: c, donate_argnames="args")
    with pytest.raises(TypeError, match="static argument 1: ndarray is not hashable"):
        hd.jit(lambda x, y: x, static_argnums=1)(hd.ones(2), np.ones(2))
    with pytest.raises(TypeError, match="an argument: bytearray is not hashable"):
        hd.jit(lambda x, y: x)(hd.ones(2), bytearray(b"a"))
