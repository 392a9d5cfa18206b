"""Named axes, collectives, pmap and shard_map; vectorize with a signature."""

import threading

import numpy as np
import pytest
from support import assert_near

import heddle as hd

pytestmark = pytest.mark.unrecorded("records itself")

# However many there are; two parts on one device are two threads.
PARTS = [None, 1, 2, 3]


def devices(parts):
    return None if parts is None else [hd.default_device()] * parts


def test_collectives_of_rows():
    x = hd.array([1.0, 2.0, 5.0])

    def f(x):
        lax = hd.lax
        return (
            lax.psum(x, "i"),
            lax.pmean(x, "i"),
            lax.pmax(x, "i"),
            lax.pmin(x, "i"),
            lax.axis_index("i"),
            lax.psum({"a": x * 2}, "i")["a"],
            lax.all_gather(x, "i"),
            lax.psum(1.0, "i"),
            lax.axis_size("i"),
        )

    made = hd.vmap(f, axis_name="i")(x)
    wanted = (8, 8 / 3, 5, 1, None, 16, [1, 2, 5], 3, 3)
    for found, one in zip(made, wanted, strict=True):
        if one is None:
            assert found.tolist() == [0, 1, 2]
        else:
            assert found.tolist() == [one] * 3
    with pytest.raises(NameError, match="'j'"):
        hd.vmap(lambda x: hd.lax.psum(x, "j"), axis_name="i")(x)


def test_nested_axes():
    x = hd.arange(6.0).reshape(2, 3)
    inner = hd.vmap(lambda x: hd.lax.psum(x, "j"), axis_name="j")
    assert hd.vmap(inner, axis_name="i")(x).tolist() == [[3] * 3, [12] * 3]
    outer = hd.vmap(lambda r: hd.lax.psum(r, "i"), axis_name="i")
    assert outer(x).tolist() == [[3, 5, 7]] * 2


def test_derivatives_of_collectives():
    f = hd.vmap(lambda x: x * hd.lax.psum(x, "i"), axis_name="i")
    x = hd.array([1.0, 2.0])
    assert hd.grad(lambda x: f(x).sum())(x).tolist() == [6, 6]
    # Inside of the mapped function, too: each row has its part in the results of all.
    inside = hd.vmap(hd.grad(lambda x: hd.lax.psum(x, "i") ** 2), axis_name="i")
    assert inside(x).tolist() == [12, 12]
    mean = hd.vmap(hd.grad(lambda x: hd.lax.pmean(x**2, "i") * x), axis_name="i")
    assert mean(x).tolist() == [2.5 + 3 * 1, 2.5 + 3 * 2]


SHIFT = [(0, 1), (1, 2), (2, 0)]
INSIDE = {
    "psum": lambda x: x * hd.lax.psum(x * x, "i"),
    "pmean": lambda x: x * hd.lax.pmean(hd.sin(x), "i"),
    "pmax": lambda x: x * hd.lax.pmax(x * x, "i"),
    "pmin": lambda x: x * hd.lax.pmin({"a": x * x}, "i")["a"],
    "all_gather": lambda x: (hd.lax.all_gather(x * x, "i") * hd.arange(1, 4)).sum() * x,
    "ppermute": lambda x: hd.lax.ppermute(x * x, "i", SHIFT) * x,
    "all_to_all": lambda x: (hd.lax.all_to_all(x * hd.arange(3.0), "i", 0, 0) * x).sum(),
    "psum_scatter": lambda x: hd.lax.psum_scatter(x**2 * hd.arange(3.0), "i") * x,
    "jit": hd.jit(lambda x: x * hd.lax.psum(x * x, "i")),
    "checkpoint": hd.checkpoint(lambda x: x * hd.lax.psum(x * x, "i")),
}


@pytest.mark.parametrize("name", INSIDE)
def test_derivatives_inside_of_what_is_mapped(name):
    """A row's derivative is that of the sum of what all rows give."""
    f, x = INSIDE[name], hd.array([0.3, 0.9, 0.5])

    def of_all(x):
        return hd.vmap(f, axis_name="i")(x).sum()

    def mapped(f):
        return hd.vmap(f, axis_name="i")

    slope = hd.grad(of_all)(x)
    assert_near(mapped(hd.grad(f))(x), slope)
    assert_near(hd.jit(mapped(hd.grad(f)))(x), slope)
    along = mapped(lambda x: hd.jvp(f, (x,), (x,))[1])(x)
    assert_near(along, hd.jvp(mapped(f), (x,), (x,))[1])
    second = hd.grad(lambda x: hd.grad(of_all)(x).sum())(x)
    if name not in ("jit", "checkpoint"):
        assert_near(mapped(hd.grad(hd.grad(f)))(x), second)
    assert_near(hd.grad(lambda x: mapped(hd.grad(f))(x).sum())(x), second)


def _passes(loop):
    def run(body, x):
        if loop == "fori_loop":
            return hd.lax.fori_loop(0, 3, lambda _, x: body(x), x)
        if loop == "scan":
            return hd.lax.scan(lambda x, _: (body(x), None), x, None, length=3)[0]
        if loop == "while_loop":
            made = hd.lax.while_loop(lambda c: c[1] < 3, lambda c: (body(c[0]), c[1] + 1), (x, 0))
            return made[0]
        for _ in range(3):
            x = body(x)
        return x

    return run


@pytest.mark.parametrize("loop", ["fori_loop", "scan", "while_loop"])
def test_rows_that_meet_in_every_pass(loop):
    """Loops do not hear what is computed of all rows: they took that of the first pass for all."""
    x = hd.array([0.3, 0.9, 0.5])

    def body(x):
        return x * 0.5 + hd.lax.psum(x * x, "i") - hd.lax.all_gather(x, "i")[0]

    def inner(x):  # with derivatives in each pass
        return hd.grad(body)(x)

    for step in body, inner:
        for mapped in (
            lambda run, step=step: hd.vmap(lambda x: run(step, x), axis_name="i"),
            lambda run, step=step: hd.jit(hd.vmap(lambda x: run(step, x), axis_name="i")),
            lambda run, step=step: hd.vmap(hd.grad(lambda x: run(step, x)), axis_name="i"),
            lambda run, step=step: hd.jacrev(hd.vmap(lambda x: run(step, x), axis_name="i")),
            lambda run, step=step: hd.pmap(
                lambda x: run(step, x), axis_name="i", devices=devices(1)
            ),
        ):
            assert_near(mapped(_passes(loop))(x), mapped(_passes(None))(x))


@pytest.mark.parametrize("parts", [2, 3])
def test_parts_that_meet_in_every_pass(parts):
    x = hd.arange(6.0) / 10

    def mapped(loop):
        def f(x):
            return _passes(loop)(lambda x: x * 0.5 + hd.lax.psum(x, "i"), x)

        blocks = hd.shard_map(
            f,
            mesh=hd.make_mesh((parts,), ("i",), devices=devices(parts)),
            in_specs=hd.P("i"),
            out_specs=hd.P("i"),
        )
        return hd.pmap(f, axis_name="i", devices=devices(parts))(x), blocks(x)

    for made, wanted in zip(mapped("fori_loop"), mapped(None), strict=True):
        assert_near(made, wanted)


def test_functions_of_all_rows_in_loops():
    """Functions of matrices, and rules for batches, take all rows at once outside of the batch."""
    a = hd.random.default_rng(0).random((2, 3, 3)) / 10
    rows = hd.jax.custom_batching.custom_vmap(hd.sin)
    rows.def_vmap(lambda axis_size, in_batched, x: (hd.sin(x), in_batched[0]))
    for f in (lambda a: hd.scipy.linalg.expm(a) / 2, rows):

        def passes(a, f=f):
            return hd.lax.fori_loop(0, 3, lambda _, a: f(a), a)

        assert_near(hd.vmap(passes)(a), hd.stack([f(f(f(one))) for one in a]))
        slope = hd.vmap(hd.grad(lambda a, f=passes: f(a).sum()))(a)
        wanted = hd.stack([hd.grad(lambda a, f=passes: f(a).sum())(one) for one in a])
        assert_near(slope, wanted)


def test_collectives_over_an_axis_outside_of_another_one():
    x = np.random.default_rng(2).normal(size=(3, 4, 3, 2))
    collectives = {
        "sum": (lambda a: hd.lax.psum(a, "i"), lambda x: x.sum(0) + 0 * x),
        "max": (lambda a: hd.lax.pmax(a, "i"), lambda x: x.max(0) + 0 * x),
        "gathered": (
            lambda a: hd.lax.all_gather(a, "i", axis=1),
            lambda x: np.stack([np.moveaxis(x, 0, 2)] * 3),
        ),
        "turned": (
            lambda a: hd.lax.ppermute(a, "i", [(0, 1), (1, 2), (2, 0)]),
            lambda x: x[[2, 0, 1]],
        ),
        "swapped": (lambda a: hd.lax.all_to_all(a, "i", 0, 0), lambda x: x.transpose(2, 1, 0, 3)),
    }
    for f, wanted in collectives.values():
        mapped = hd.vmap(hd.vmap(f, axis_name="j"), axis_name="i")
        for g in (mapped, hd.jit(mapped)):
            assert_near(hd.asnumpy(g(hd.asarray(x))), wanted(x))
        inside = hd.grad(lambda a, f=f: hd.sin(f(a)).sum())
        slopes = hd.vmap(hd.vmap(inside, axis_name="j"), axis_name="i")(hd.asarray(x))
        outside = hd.grad(lambda x, mapped=mapped: hd.sin(mapped(x)).sum())
        assert_near(hd.asnumpy(slopes), hd.asnumpy(outside(hd.asarray(x))))


def test_collectives_over_several_axes():
    def f(x):
        return hd.lax.psum(x, ("i", "j")), hd.lax.pmax(x, ["i", "j"]), hd.lax.pmin(x, ("j", "i"))

    x = hd.arange(6.0).reshape(2, 3)
    made = hd.vmap(hd.vmap(f, axis_name="j"), axis_name="i")(x)
    for found, expected in zip(made, (15, 5, 0), strict=True):
        assert found.tolist() == [[expected] * 3] * 2


@pytest.mark.parametrize("parts", PARTS)
def test_pmap(parts):
    x, y = hd.arange(12.0).reshape(6, 2), hd.arange(2.0)

    def f(x, y, power):
        return x**power + hd.lax.psum(x, "i") * y, {"first": x[0], "row": hd.lax.axis_index("i")}

    mapped = hd.pmap(
        f,
        axis_name="i",
        in_axes=(0, None, None),
        static_broadcasted_argnums=2,
        devices=devices(parts),
    )
    made, more = mapped(x, y, 2)
    a = hd.asnumpy(x)
    assert_near(hd.asnumpy(made), a**2 + a.sum(0) * hd.asnumpy(y))
    assert more["first"].tolist() == a[:, 0].tolist()
    assert more["row"].tolist() == list(range(6))


@pytest.mark.parametrize("parts", [1, 2])
def test_pmap_of_axes(parts):
    x = hd.arange(8.0).reshape(2, 4)
    mapped = hd.pmap(lambda c: c * 2, in_axes=1, out_axes=1, devices=devices(parts))
    assert mapped(x).tolist() == (x * 2).tolist()
    assert hd.pmap(hd.sum, devices=devices(parts))(x).tolist() == [6, 22]


def test_a_part_that_fails_ends_the_others():
    def f(x):
        if threading.current_thread() is not threading.main_thread():
            raise KeyError("mine")
        return hd.lax.psum(x, "i")

    with pytest.raises(KeyError):
        hd.pmap(f, axis_name="i", devices=devices(2))(hd.ones(2))


@pytest.mark.parametrize("parts", [1, 2, 4])
def test_shard_map(parts):
    mesh = hd.make_mesh((parts,), ("x",), devices=devices(parts))
    a, b = hd.arange(32.0).reshape(8, 4), hd.ones((4, 3))

    def f(block, b):
        assert block.shape == (8 // parts, 4)
        total = hd.lax.psum(block.sum(), "x")
        return block @ b, total

    product, total = hd.shard_map(
        f, mesh=mesh, in_specs=(hd.P("x"), hd.P()), out_specs=(hd.P("x"), hd.P())
    )(a, b)
    assert_near(hd.asnumpy(product), hd.asnumpy(a) @ hd.asnumpy(b))
    assert float(total) == 496


def test_shard_map_of_two_axes():
    mesh = hd.make_mesh((2, 2), ("x", "y"), devices=devices(4))
    a, b = hd.arange(16.0).reshape(4, 4), hd.arange(16.0).reshape(4, 4) % 5

    def product(a, b):  # rows by x, what is summed over by y
        return hd.lax.psum(a @ b, "y")

    f = hd.shard_map(product, mesh=mesh, in_specs=(hd.P("x", "y"), hd.P("y")), out_specs=hd.P("x"))
    assert_near(hd.asnumpy(f(a, b)), hd.asnumpy(a) @ hd.asnumpy(b))
    both = hd.shard_map(
        lambda a: a * (hd.lax.axis_index("x") * 2 + hd.lax.axis_index("y")),
        mesh=mesh,
        in_specs=hd.P(("x", "y")),
        out_specs=hd.P(("x", "y")),
    )
    assert hd.asnumpy(both(hd.ones(4))).tolist() == [0, 1, 2, 3]


def test_bad_meshes():
    with pytest.raises(ValueError, match="devices are needed"):
        hd.make_mesh((1000,), ("x",))
    mesh = hd.make_mesh((2,), ("x",), devices=devices(2))
    f = hd.shard_map(lambda a: a, mesh=mesh, in_specs=hd.P("x"), out_specs=hd.P("x"))
    with pytest.raises(ValueError, match="cannot be cut into 2"):
        f(hd.ones(3))
    g = hd.shard_map(lambda a: a, mesh=mesh, in_specs=hd.P("z"), out_specs=hd.P())
    with pytest.raises(ValueError, match="'z'"):
        g(hd.ones(2))
    with pytest.raises(ValueError, match="names"):
        hd.Mesh([hd.default_device()], ("x", "y"))


# --- vectorize ---


def test_signatures_are_batched():
    calls = 0

    def distance(a, b):
        nonlocal calls
        calls += 1
        return hd.sqrt(((a - b) ** 2).sum())

    x = np.random.default_rng(3).normal(size=(5, 1, 3))
    y = np.random.default_rng(4).normal(size=(4, 3))
    found = hd.vectorize(distance, signature="(n),(n)->()")(hd.asarray(x), hd.asarray(y))
    assert_near(hd.asnumpy(found), np.sqrt(((x - y) ** 2).sum(-1)))
    assert calls == 1


def test_several_results_and_types():
    both = hd.vectorize(lambda a: (a.sum(), a * 2), signature="(n)->(),(n)", otypes=["f4", "f8"])
    total, twice = both(hd.arange(6.0).reshape(2, 3))
    assert (total.dtype, twice.dtype) == (np.float32, np.float64)
    assert total.tolist() == [3, 12]
    assert twice.tolist() == [[0, 2, 4], [6, 8, 10]]


def test_functions_that_ask_for_elements_are_called_for_each():
    def sign(a):
        return 1.0 if a.sum() > 0 else -1.0

    f = hd.vectorize(sign, signature="(n)->()")
    assert f(hd.array([[1.0, 2.0], [-5.0, 1.0]])).tolist() == [1, -1]
    plain = hd.vectorize(lambda a, b: a if a > b else b)
    assert plain(hd.arange(3.0), 1.0).tolist() == [1, 1, 2]
    with pytest.raises(ValueError, match="core"):
        hd.vectorize(lambda a: a, signature="(m,n)->()")(hd.ones(3))
