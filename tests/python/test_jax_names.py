"""JAX's functions by name: `heddle.jax` against what JAX itself gave, and what is ours alone."""

import functools
import json
import pathlib
import pickle

import jax_names
import numpy as np
import pytest

import heddle as hd
import heddle.jax.numpy as jnp
from heddle import jax, lax

REFERENCE = json.loads((pathlib.Path(__file__).parent / "data/jax_names.json").read_text())
TOLERANCES = {"float16": 2e-3, "float32": 4e-6}
# Those of values that a difference of probabilities is divided by.
LOOSE = {"draws_by_rejection": 1e-7}

pytestmark = pytest.mark.unrecorded("records itself")


def numbers(leaf):
    if leaf.dtype.kind == "c":
        leaf = np.stack([leaf.real, leaf.imag], -1)
    return leaf.astype("float64").ravel()


@pytest.mark.parametrize("name", REFERENCE)
def test_as_in_jax(name):
    made = hd.tree.leaves(jax_names.CASES[name](jax, jnp))
    wanted = REFERENCE[name]
    assert len(made) == len(wanted)
    for i, (leaf, (dtype, shape, values)) in enumerate(zip(made, wanted, strict=True)):
        leaf = hd.asnumpy(hd.asarray(leaf))
        assert leaf.shape == tuple(shape), (i, dtype)
        assert leaf.dtype.kind == np.dtype(dtype).kind, i
        near = TOLERANCES.get(dtype, LOOSE.get(name, 1e-9))
        np.testing.assert_allclose(numbers(leaf), values, rtol=near, atol=near, err_msg=str(i))


def test_all_cases_have_answers():
    assert REFERENCE.keys() == jax_names.CASES.keys()


# --- lax ----------------------------------------------------------------------------------------


def test_nothing_is_promoted():
    x = hd.ones(3, "float32")
    with pytest.raises(
        TypeError, match=r"lax.add: operands have to be of one type.*float32.*float64"
    ):
        lax.add(x, hd.ones(3))
    with pytest.raises(TypeError, match=r"lax\.sin: an array of int64"):
        lax.sin(hd.arange(3))
    with pytest.raises(TypeError, match="as many dimensions"):
        lax.mul(hd.ones((2, 3)), hd.ones(3))
    with pytest.raises(TypeError, match=r"1.5 is no number of the other operand's type, int64"):
        lax.max(hd.arange(3), 1.5)
    assert lax.max(x, 0.0).dtype == "float32"
    with pytest.raises(TypeError, match=r"lax\.concatenate"):
        lax.concatenate([x, hd.ones(3)], 0)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: lax.slice(hd.ones(3), (1,), (4,)), "from 1 to 4"),
        (lambda: lax.broadcast_in_dim(hd.ones(3), (2, 3), (0,)), "3 elements do not fit axis 0"),
        (lambda: lax.dot_general(hd.ones(3), hd.ones(4), (((0,), (0,)), ((), ()))), "differ"),
        (
            lambda: lax.gather(hd.ones(3), hd.zeros((2, 2), int), ((), (0,), (0,)), (1,)),
            "last axis",
        ),
        (lambda: lax.reduce_window(hd.ones(3), 0.0, lax.add, (2, 2), (1,), "VALID"), "window_dim"),
        (lambda: lax.clamp(hd.zeros(2), hd.ones(3), 1.0), "bound of shape"),
    ],
)
def test_mistakes_are_type_errors(wrong, says):
    with pytest.raises(TypeError, match=says):
        wrong()


@pytest.mark.parametrize(
    ("numbers", "says"),
    [
        (((1,), (0, 0), (0,)), "once and in order"),
        (((1,), (5,), (0,)), "not all below 2"),
        (((), (0,), (0,)), "0 axes of slices and 1 others"),
        (((1,), (), (1,), (0,), ()), "are shared with"),
        (((), (0, 1), (0,), (0,), (0,)), "shared, and something else"),
    ],
)
def test_axes_of_gathers_and_scatters(numbers, says):
    x, at = hd.ones((2, 3)), hd.zeros((4, 1), int)
    with pytest.raises(TypeError, match=says):
        lax.gather(x, at, lax.GatherDimensionNumbers(*numbers), (1, 3))
    with pytest.raises(TypeError, match=says):
        lax.scatter(x, at, hd.ones((4, 3)), lax.ScatterDimensionNumbers(*numbers))


def test_reduction_by_a_function_that_changes_the_type():
    with pytest.raises(TypeError, match="makes float64 of elements of float32"):
        lax.reduce(hd.ones(4, "float32"), 0.0, lambda a, b: (a + b).astype("float64"), (0,))


def test_unrolled_loops():
    assert float(lax.scan(lambda c, x: (c + x, c), 0.0, hd.arange(4.0), unroll=0)[0]) == 6
    with pytest.raises(ValueError, match="unroll is a number from 0 on"):
        lax.scan(lambda c, x: (c + x, c), 0.0, hd.arange(4.0), unroll=-1)


def test_axes_in_lists_and_ends_that_are_none():
    x = jnp.arange(6.0).reshape(2, 3)
    assert jnp.sum(x, [0, 1]) == jnp.max(x, axis=[0, 1]) * 3
    assert jnp.diff(x, axis=1, prepend=None, append=None).tolist() == [[1, 1], [1, 1]]
    with pytest.raises(TypeError, match="cond: the condition is a truth value"):
        lax.cond(lambda: True, lambda: 1, lambda: 2)


# --- jit ----------------------------------------------------------------------------------------


def test_lowering_of_shapes_and_types():
    like = {"x": hd.ShapeDtypeStruct((2, 3), "float32")}
    lowered = jax.jit(lambda tree, y: jnp.sin(tree["x"]) @ y).lower(
        like, jax.ShapeDtypeStruct((3,), "f4")
    )
    assert "float32[2,3] = sin" in lowered.as_text()
    made = lowered.compile()({"x": hd.ones((2, 3), "f4")}, hd.ones(3, "f4"))
    np.testing.assert_allclose(hd.asnumpy(made), np.sin([1, 1]) * 3, rtol=1e-6)


def test_jit_takes_arrays_of_numpys():
    f = hd.jit(lambda x, y: (x * y["a"]).sum())
    x, y = np.arange(3.0), {"a": np.ones(3)}
    assert [float(f(x, y)) for _ in range(3)] == [3, 3, 3]
    x[0] = 5
    assert float(f(x, y)) == 8  # read anew

    def write(x):
        x[0] = 1.0
        return x

    with pytest.raises(ValueError, match="read-only"):  # and not in vain
        hd.jit(write)(x)


def test_a_recorded_call_asks_for_the_axis_around_it():
    size = hd.jit(lambda: lax.axis_size("i"))
    place = hd.jit(lambda x: x / lax.axis_size("i") + lax.axis_index("i"))
    for rows in (2, 3, 2):
        found = hd.vmap(size, axis_name="i", axis_size=rows, out_axes=None)()
        assert int(found) == rows
        wanted = 1 / rows + np.arange(rows)
        np.testing.assert_allclose(hd.asnumpy(hd.vmap(place, axis_name="i")(hd.ones(rows))), wanted)
    inside = hd.jit(hd.vmap(lambda x: x - lax.pmean(x, "i"), axis_name="i"))
    for _ in range(2):
        assert inside(hd.arange(3.0)).tolist() == [-1, 0, 1]
    assert sum(len(known.scripts) for known in inside._known.values()) == 1


def test_disable_jit():
    calls = []
    f = hd.jit(lambda x: calls.append(0) or x + 1)
    _ = f(hd.ones(2)), f(hd.ones(2))
    assert len(calls) == 1
    with jax.disable_jit():
        _ = f(hd.ones(2)), f(hd.ones(2))
    assert len(calls) == 3
    f(hd.ones(2))
    assert len(calls) == 3
    jax.config.update("jax_disable_jit", True)
    try:
        assert jax.config.jax_disable_jit
        f(hd.ones(2))
    finally:
        jax.config.update("jax_disable_jit", False)
    assert len(calls) == 4


# --- trees --------------------------------------------------------------------------------------


def test_keys_of_paths():
    class Pair:
        def __init__(self, a, b):
            self.a, self.b = a, b

    util = hd.tree_util
    util.register_pytree_with_keys(
        Pair,
        lambda p: (((util.GetAttrKey("a"), p.a), (util.DictKey("b"), p.b)), None),
        lambda _, parts: Pair(*parts),
    )
    (first, _), (second, _) = util.tree_leaves_with_path([Pair(1, (2,))])
    assert first == (util.SequenceKey(0), util.GetAttrKey("a"))
    assert util.keystr(second) == "[0]['b'][0]"
    assert util.keystr(second, simple=True, separator="/") == "0/b/0"
    with pytest.raises(ValueError, match=r"trees differ at \[0\]\['b'\]"):
        util.tree_map(lambda x, y: x, [Pair(1, (2,))], [Pair(1, [2])])


def test_leaves_by_path():
    tree = {"a": (1, 2), "b": (3, 4)}
    found = hd.tree.leaves_with_path(
        tree, is_leaf=lambda path, _: path == (hd.tree.DictKey("a"),), is_leaf_takes_path=True
    )
    assert [leaf for _, leaf in found] == [(1, 2), 3, 4]


def test_partial_functions_are_not_merged():
    inner = functools.partial(hd.add, 1.0)
    outer = hd.tree_util.Partial(inner, 2.0)
    assert outer.args == (2.0,)
    assert outer.func == inner
    assert hash(outer.func) == hash(inner)
    assert float(outer()) == 3
    assert hd.tree.leaves(outer) == [2.0]


def test_registered_dataclasses_say_all_their_fields():
    import dataclasses

    @dataclasses.dataclass
    class State:
        x: float
        name: str

    with pytest.raises(ValueError, match=r"\['name', 'x'\], not \['x'\]"):
        hd.tree.register_dataclass(State, ["x"], [])
    hd.tree.register_dataclass(State, ["x"], ["name"])
    assert hd.tree.leaves(State(1.0, "a")) == [1.0]


def test_structures_are_taken_apart_and_pickled():
    structure = hd.tree.structure({"a": (1, 2), "b": [3]})
    assert [child.num_leaves for child in structure.children()] == [2, 1]
    assert structure.node_data() == (dict, ("a", "b"))
    assert structure.flatten_up_to({"a": ("x", "y"), "b": [{"z": 0}]}) == ["x", "y", {"z": 0}]
    assert structure.compose(hd.tree.structure((0, 0))).num_leaves == 6
    assert pickle.loads(pickle.dumps(structure)) == structure


# --- types, settings and what is left out -------------------------------------------------------


def test_types_make_arrays():
    assert hd.vmap(lambda x: jnp.float32(x))(hd.arange(3)).dtype == jnp.float32
    assert float(hd.grad(lambda x: jnp.float32(x) ** 2)(3.0)) == 6
    assert jnp.zeros(2, jnp.bfloat16).dtype == hd.bfloat16
    assert jnp.issubdtype(jnp.int8, jnp.integer)


def test_waiting():
    x = hd.ones(3) + 1
    assert x.block_until_ready() is x
    assert not x.pending
    tree = {"a": hd.ones(3) * 2}
    assert jax.block_until_ready(tree) is tree
    assert hd.vmap(lambda v: v.block_until_ready() + 1)(hd.ones(2)).tolist() == [2, 2]


def test_what_is_left_out_says_why():
    with pytest.raises(AttributeError, match="there are no jaxprs: jit"):
        jax.make_jaxpr
    with pytest.raises(AttributeError, match=r"has no attribute 'nonsense'$"):
        jax.nonsense
    with pytest.raises(ValueError, match="jax_enable_x64 cannot be False"):
        jax.config.update("jax_enable_x64", False)


def test_keys_that_are_none():
    with pytest.raises(TypeError, match="a key is two words of uint32"):
        jax.random.normal(0, (2,))
    with pytest.raises(ValueError, match="7 of 5 without replacement"):
        jax.random.choice(jax.random.key(0), 5, (7,), replace=False)


def test_a_rule_for_batches_is_missing():
    f = jax.custom_batching.custom_vmap(lambda x: x)
    with pytest.raises(AttributeError, match="there is no rule"):
        hd.vmap(f)(hd.ones(2))


def test_closures_become_arguments():
    factor = hd.array([2.0, 3.0])
    f, hoisted = jax.closure_convert(lambda x: (x * factor).sum(), hd.ones(2))
    slopes = hd.grad(lambda x, *more: f(x, *more), (0, 1))(hd.ones(2), *hoisted)
    assert [slope.tolist() for slope in slopes] == [[2, 3], [1, 1]]


def test_reductions_without_a_mask():
    x = jnp.arange(4.0)
    assert float(jnp.sum(x, where=None, initial=None)) == 6
    assert float(jnp.mean(x, where=None)) == 1.5
    assert float(x.sum(where=None)) == 6 and float(x.mean(0, where=None)) == 1.5
    assert float(x.max(where=None)) == 3 and x.std(where=None) == x.std()
    assert not x.all(where=None) and x.any(where=None)
    assert float(jnp.max(x, initial=None)) == 3
    with pytest.raises(IndexError, match="nothing along axis 1"):
        jnp.take(jnp.ones((2, 0)), jnp.array([0]), axis=1)


def test_modules_by_name():
    for name in jax.__all__:
        assert getattr(jax, name) is not None
    assert jax.sharding.Mesh is hd.Mesh
    assert jax.dlpack.from_dlpack(np.ones(2)).tolist() == [1, 1]


def test_vectorized_functions_get_arrays():
    f = jnp.vectorize(lambda n, x: x * n + x.ndim, excluded={0})
    assert f(2, jnp.ones((2, 1))).tolist() == [[2], [2]]
    g = jnp.vectorize(lambda x, y: (x + y, jnp.stack([x, y])))
    total, both = g(jnp.arange(3), jnp.arange(2)[:, None])
    assert total.tolist() == [[0, 1, 2], [1, 2, 3]]
    assert both.shape == (2, 3, 2)
    slope = hd.grad(lambda x: jnp.vectorize(jnp.sin)(x).sum())(jnp.zeros(3))
    assert slope.tolist() == [1, 1, 1]
    assert jnp.vectorize(jnp.dot, signature="(n),(n)->()")(
        jnp.ones((2, 3)), jnp.ones(3)
    ).tolist() == [3, 3]
    with pytest.raises(TypeError, match="excluded are places and names"):
        jnp.vectorize(jnp.sin, excluded={1.5})


class Cached:
    """Knows the structure of what is inside of it, as caches of leaves do."""

    def __init__(self, value, leaves=None, kind=None):
        self.leaves, self.kind = (leaves, kind) if kind else hd.tree.flatten(value)


jax.tree_util.register_pytree_node(
    Cached, lambda one: (one.leaves, one.kind), lambda kind, leaves: Cached(None, leaves, kind)
)


def test_trees_that_are_none_of_trees():
    util = jax.tree_util
    pairs, lists = util.tree_structure((0, 0)), util.tree_structure([0, 0, 0])
    with pytest.raises(TypeError, match="transpose"):
        util.tree_transpose(pairs, lists, ([1, 2], [3, 4]))
    with pytest.raises(TypeError, match="transpose"):
        util.tree_transpose(lists, pairs, {"a": (1, 2)})
    outer = util.tree_structure(Cached({"a": 1, "b": 2}))
    one, other = util.tree_transpose(outer, pairs, Cached({"a": (3, 4), "b": (5, 6)}))
    assert (one.leaves, other.leaves) == ((3, 5), (4, 6))


def test_fields_are_said_once():
    with pytest.raises(ValueError, match=r"\['x'\] are data_fields and meta_fields"):
        jax.tree_util.register_dataclass(Cached, data_fields=["x", "y"], meta_fields=["x"])
