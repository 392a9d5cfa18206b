"""Writes to parts of arrays, which wait until somebody looks: NumPy's results whoever looks when.

What writes cost in memory is in test_update_memory.py.
"""

import contextlib
import gc
import os
import random

import numpy
import pytest
from support import STANDARD, assert_exact, host, name, random_values
from update_support import CODE, WRITES

import heddle

pytestmark = pytest.mark.waiting

LOOKS = ["never", "target", "readers", "all"]


def run(np, statements, looks):
    """The arrays of a program: x, y, and what was read of them before and after every write."""
    start = numpy.arange(48.0).reshape(6, 8) * 5 % 13 - 4
    names = {"np": np, "x": np.array(start), "y": np.array(start[::-1]) * 2}
    kept = []
    for statement, look in zip(statements, looks, strict=True):
        x, y = names["x"], names["y"]
        kept += [x + 1, y[1:, ::2].copy(), x.max(axis=0)]
        part = x[1:4, ::-2]
        exec(CODE[statement], names)
        del x, y
        kept += [part * 2, names["x"][::-1].copy()]
        if np is heddle:
            chosen = {"never": [], "target": [names["x"]], "readers": kept[-5:-2]}
            heddle.eval(*chosen.get(look, [names["x"], names["y"], *kept]))
        del part
    return [names["x"], names["y"], *kept]


def agree(statements, rng):
    looks = [rng.choice(LOOKS) for _ in statements]
    theirs = run(numpy, statements, looks)
    ours = run(heddle, statements, looks)
    order = list(range(len(ours)))
    rng.shuffle(order)
    dropped = set(rng.sample(order, len(order) // 3))  # pending work whose results nobody sees
    for i in dropped:
        ours[i] = None
    for i in order:
        if i not in dropped:
            try:
                assert_exact(ours[i], theirs[i])
            except AssertionError as error:
                error.add_note(f"array {i} after {list(zip(statements, looks, strict=True))}")
                raise


@pytest.mark.parametrize("statement", WRITES)
def test_write(statement):
    for look in LOOKS:
        for theirs, ours in zip(
            run(numpy, [statement], [look]), run(heddle, [statement], [look]), strict=True
        ):
            assert_exact(ours, theirs)


@pytest.mark.parametrize("first", WRITES)
def test_two_writes(first):
    rng = random.Random(first)
    for second in rng.sample(WRITES, 12):
        agree([first, second], rng)


@pytest.mark.parametrize("seed", range(int(os.environ.get("HEDDLE_TEST_WRITES", 40))))
def test_many_writes(seed):
    rng = random.Random(seed)
    agree(rng.choices(WRITES, k=rng.randint(3, 25)), rng)


# --- who reads when ---


@pytest.mark.parametrize("first", ["reader", "target", "both", "nobody"])
@pytest.mark.parametrize(
    "reader", [lambda x: x + 1, lambda x: x.sum(), lambda x: x[::2] * 2, lambda x: x.copy()]
)
@pytest.mark.parametrize("computed", [True, False])
def test_readers_before_and_after(first, reader, computed):
    x = heddle.arange(1000.0) * 2
    expected = numpy.arange(1000.0) * 2
    if computed:
        x.eval()
    before, expected_before = reader(x), reader(expected)
    x[200:500] = 0
    x[3] = -1
    expected[200:500] = 0
    expected[3] = -1
    after, expected_after = reader(x), reader(expected)
    expected_after = numpy.array(expected_after)
    x[::2] += 1
    expected[::2] += 1
    if first == "reader":
        assert_exact(before, expected_before)
    elif first == "target":
        assert_exact(x, expected)
    elif first == "both":
        heddle.eval(x, before, after)
    else:
        del before, x
        gc.collect()
        assert_exact(after, expected_after)
        return
    assert_exact(x, expected)
    assert_exact(after, expected_after)
    assert_exact(before, expected_before)


def test_copies_share_until_one_is_written():
    x = heddle.asarray(numpy.arange(1000.0))
    copies = [x.copy() for _ in range(5)]
    for i, each in enumerate(copies):
        each[i] = -1
        x[10 + i] = -2
    again = copies[2].copy()
    copies[2][...] = 7
    for i, each in enumerate(copies):
        expected = numpy.arange(1000.0)
        expected[i] = -1
        if i == 2:
            assert_exact(again, expected)
            expected[...] = 7
        assert_exact(each, expected)
    assert x.get()[:16].tolist() == [*range(10), *[-2] * 5, 15]


def test_targets_that_were_never_computed():
    for make in (
        lambda np: np.zeros((4, 5)),
        lambda np: np.ones((4, 5)) * 3,
        lambda np: np.full((4, 5), 2.5),
        lambda np: np.arange(20.0).reshape(4, 5),
        lambda np: np.eye(4, 5),
        lambda np: np.sqrt(np.arange(20.0).reshape(4, 5)) + 1,
        lambda np: np.arange(40.0).reshape(4, 10)[:, ::2] * 2,
        lambda np: np.arange(20.0).reshape(5, 4).T,
        lambda np: np.arange(20.0).reshape(5, 4).T.copy(order="F"),
        lambda np: np.broadcast_to(np.arange(5.0), (4, 5)).copy(),
        lambda np: np.arange(60.0).reshape(4, 5, 3).sum(axis=2),
        lambda np: np.arange(20.0).reshape(4, 5)[np.asarray([3, 1, 1, 0])],
        lambda np: np.arange(16.0).reshape(4, 4) @ np.ones((4, 5)),
    ):
        results = []
        for np in (numpy, heddle):
            x = make(np)
            y = x[1:] * 2
            x[1:3, ::2] = -1
            x[:, 1:] += x[:, :-1]
            x[0] = y[0]
            results.append([x, y, x.T.copy()])
        for theirs, ours in zip(*results, strict=True):
            numpy.testing.assert_allclose(host(ours), theirs, rtol=1e-15)


@pytest.mark.parametrize("dtype", STANDARD, ids=name)
def test_types(dtype):
    values = random_values(dtype, (5, 6), 1)
    for other in STANDARD:
        if not numpy.can_cast(other, dtype, "same_kind"):
            continue
        results = []
        for np in (numpy, heddle):
            x, y = np.array(values), np.asarray(random_values(other, (5, 6), 2)) * other.type(1)
            x[1:3] = y[2:4]
            x[:, ::2] = y[:, ::-2]
            x[::-2, 1] = y[0, 0]
            x[[0, 0, 4]] = y[:3]
            x[y == y[1, 1]] = y[1, 1]
            x[2:] = x[:-2]
            results.append(x)
        assert_exact(results[1], results[0])


@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_parts_of_complex_numbers(dtype):
    results = []
    for np in (numpy, heddle):
        z = np.array(random_values(dtype, 12, 5))
        before = z * 2
        z.real[1:] = z.imag[:-1]
        z.imag[::2] *= 2
        z[::3] = z[::3].conj()
        z.real[z.imag > 0] = 0
        z[2:4].imag = 7
        z.view(z.real.dtype)[-3:] = 1
        results.append([z, before, z.real.copy()])
    for theirs, ours in zip(*results, strict=True):
        assert_exact(ours, theirs)


@pytest.mark.parametrize("held", ["by nobody", "by a reader", "by a copy", "by a view"])
@pytest.mark.parametrize("dtype", STANDARD, ids=name)
def test_few_elements_in_memory(dtype, held):
    """Rows and masked numbers, where all that they need is there; others see what they held."""

    def program(np):
        x = np.asarray(random_values(dtype, (5, 7), 3)).copy()
        row = np.asarray(random_values(dtype, (7,), 4)).copy()
        mask = np.arange(7) % 3 == 1
        if np is heddle:
            heddle.eval(x, row, mask)
        keep = {
            "by nobody": lambda: None,
            "by a reader": lambda: x == x[::-1],
            "by a copy": lambda: x.copy(),
            "by a view": lambda: x[1:, 2:],
        }[held]()
        x[2] = row
        x[3, 1:6] = row[1:6]
        row[mask] = row[0]
        row[np.zeros(7, bool)] = 1
        x[4, :3] = x[2, 4:]  # moves within the array
        x[1, 1:] = x[1, :-1]
        row[mask] = 1
        x[0] = row[::-1]
        x[x == x[2, 3]] = 1
        return x, row, keep if keep is not None else x

    for ours, theirs in zip(program(heddle), program(numpy), strict=True):
        assert_exact(ours, theirs)


def test_few_elements_that_may_not_be_written():
    x = heddle.zeros((4, 5))
    row, mask = heddle.ones(5), heddle.ones((4, 5)) > 0
    heddle.eval(x, row, mask)
    x.setflags(write=False)
    with pytest.raises(ValueError, match="read-only"):
        x[1] = row
    with pytest.raises(ValueError, match="read-only"):
        x[mask] = 1
    with pytest.raises(ValueError, match="broadcast"):
        heddle.zeros((4, 5))[1] = heddle.ones(4)
    assert not x.any()


def test_arrays_of_no_dimensions():
    results = []
    for np in (numpy, heddle):
        x = np.array(5.0)
        before = x + 1
        x[...] = x * 2
        x[()] += 1
        flat = x.reshape(1)
        flat[0] -= 3
        flat[:] *= 2
        middle = x.copy()
        x[np.asarray(True)] = 4
        x[np.asarray(False)] = 9
        np.add.at(x, (), 2)
        results.append([x, before, flat, middle])
    for theirs, ours in zip(*results, strict=True):
        assert_exact(ours, theirs)


def test_reader_that_dies_before_it_is_computed():
    x = heddle.asarray(numpy.arange(1000.0))
    for k in range(200):
        reader = heddle.sin(x) + k
        chain = reader * 2
        x[k] = -1
        if k % 3 == 0:
            del reader
        elif k % 3 == 1:
            del chain
        else:
            reader = chain = None
        x[k + 1 :] += 0
    expected = numpy.arange(1000.0)
    expected[:200] = -1
    assert_exact(x, expected)


def test_views_outlive_their_base():
    x = heddle.zeros((6, 6))
    view, turned = x[1:5, ::2], x.T
    x[2] = 3
    view += 1
    del x
    turned[0] = 9
    gc.collect()
    expected = numpy.zeros((6, 6))
    expected[2] = 3
    expected[1:5, ::2] += 1
    expected.T[0] = 9
    assert_exact(view, expected[1:5, ::2])
    assert_exact(turned, expected.T)


def test_long_chains_of_writes():
    """Neither walked nor destroyed by recursion."""
    x = heddle.zeros(100)
    for i in range(50_000):
        x[i % 97 : i % 97 + 3] += 1
    expected = numpy.zeros(100)
    for i in range(50_000):
        expected[i % 97 : i % 97 + 3] += 1
    assert_exact(x, expected)
    y = heddle.zeros(100)
    for i in range(50_000):
        y[i % 97 : i % 97 + 3] += 1
    del y


def test_many_generations_at_once():
    x = heddle.zeros((30, 30))
    generations, expected = [], []
    theirs = numpy.zeros((30, 30))
    for i in range(30):
        x[i] = i
        x[:, i] += 1
        theirs[i] = i
        theirs[:, i] += 1
        generations.append(x.copy() if i % 2 else x * 1)
        expected.append(theirs.copy())
    for ours, theirs in reversed(list(zip(generations, expected, strict=True))):
        assert_exact(ours, theirs)


def test_library_calls_between_writes():
    results = []
    for np in (numpy, heddle):
        x = np.eye(6) * 4
        x[0, 1:] = 1
        product = x @ x.T
        x[1:, 0] = 2
        solved = np.linalg.solve(x, np.arange(6.0))
        x[3] = solved
        transformed = np.fft.fft(x[3])
        x[3] = 0
        ordered = np.sort(x[:, 0])
        x[:, 0] = ordered[::-1]
        x[2:4] = np.concatenate((x[:1], product[:1]))
        x[5] = np.cumsum(x[4])
        places = np.argsort(x[5])
        x[5] = x[5][places]
        results.append([x, product, solved, transformed, ordered, places])
    for theirs, ours in zip(*results, strict=True):
        assert ours.dtype == theirs.dtype
        numpy.testing.assert_allclose(host(ours), theirs, rtol=1e-12, atol=1e-13)


# --- what goes wrong in between ---

MISTAKES = {
    "shape": "x[1:4] = np.ones(7)",
    "shape in place": "x[1:] += x[:-2]",
    "row": "x[6] = 1",
    "element": "x[0, 8] = 1",
    "indices": "x[[0, 6]] = 1",
    "list": "x[2:4] = [1, 2, 3]",
    "mask": "x[np.ones(7, bool)] = 1",
    "number of values": "x[x > 1] = [1.0, 2.0]",
    "at": "np.add.at(x, [0, 0, 9], 1)",
    "cast": "n[1:] += 0.5",
    "cast of out": "np.add(x, 1, out=n)",
    "read-only": "readonly[2] = 1",
    "read-only in place": "readonly[2:] += 1",
    "read-only view": "np.broadcast_to(x, (2, 6, 8))[0, 0] = 1",
    "text": "x[2] = 'text'",
    "division": "x[2] = 1 / 0",
    "product": "x[2] = x @ x",
    "singular": "x[:6, :6] = np.linalg.inv(np.zeros((6, 6)))",
    "not positive": "x[:6, :6] = np.linalg.cholesky(-np.eye(6))",
    "argmax of nothing": "x[0] = np.zeros((0, 8)).argmax(axis=0)",
    "join": "x[...] = np.concatenate((x, y[:, :3]))",
    "name": "x[2] = nobody",
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_between_writes(mistake):
    """An exception is raised by the line that is wrong, and everything is as it was."""
    kinds = (TypeError, ValueError, IndexError, ZeroDivisionError, NameError)
    results = []
    for np in (numpy, heddle):
        x = np.arange(48.0).reshape(6, 8)
        y, n = x * 2, np.arange(8)
        readonly = np.arange(48.0)
        readonly.flags.writeable = False
        before = x + 1
        x[1:3] = y[2:4]
        n[::2] = 7
        names = {"np": np, "x": x, "y": y, "n": n, "readonly": readonly}
        for _ in range(2):
            with pytest.raises((*kinds, numpy.linalg.LinAlgError)):
                exec(MISTAKES[mistake], names)
        after = x - 1
        x[2:, ::2] += x[:-2, ::2]
        results.append([x, y, n, readonly, before, after])
    for theirs, ours in zip(*results, strict=True):
        assert_exact(ours, theirs)


def test_too_little_memory_leaves_updates_pending():
    pool = heddle.get_default_memory_pool()
    n = 1 << 20
    x = heddle.asarray(numpy.arange(float(n)))
    expected = numpy.arange(float(n))
    x.eval()
    kept = x.copy()
    pool.free_all_blocks()
    pool.set_limit(pool.used_bytes() + (1 << 20))
    try:
        for _ in range(3):
            with contextlib.suppress(MemoryError):
                # The write itself may fail, then it has not happened, or whoever looks.
                x[1:] += x[:-1]
                expected[1:] += expected[:-1]
            with contextlib.suppress(MemoryError):
                x.eval()
            with contextlib.suppress(MemoryError):
                (x * 2 + kept).eval()
    finally:
        pool.set_limit(0)
    assert_exact(x, expected)
    assert_exact(kept, numpy.arange(float(n)))


@pytest.mark.parametrize("size", [1, 2, 3, 17, 5000])
@pytest.mark.parametrize("index", [lambda p: p // 1, lambda p: p % 7000, lambda p: p + 0])
@pytest.mark.parametrize("reduction", ["sum", "max", "argmax"])
def test_places_beside_what_is_written_and_held(size, index, reduction):
    """A kernel that reduces first: places wait in the memory of a result until it is stored."""
    factor, of = numpy.arange(4, 4 + size), numpy.full(size, -9)
    places = numpy.random.default_rng(size).permutation(size).astype("i4")

    def program(xp, factor, of, places):
        held = factor * getattr(of, reduction)()
        out = xp.zeros(size, "i8")
        out[index(places.astype("i8"))] = held
        return out, held

    for ours, theirs in zip(
        program(heddle, *map(heddle.asarray, (factor, of, places))),
        program(numpy, factor, of, places),
        strict=True,
    ):
        assert_exact(ours, theirs)


@pytest.mark.parametrize("shape", [(8, 16), (64, 4), (300, 200)])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_a_kernel_reads_again_what_it_wrote_before_it_was_done(shape, axis):
    """A kernel that walks over its elements several times keeps them until the last time."""
    rng = numpy.random.default_rng(3)
    v, w = (rng.standard_normal(shape) for _ in range(2))

    def steps(xp, v, w):
        for i in range(2):
            part = v[1:-1, 1:-1]
            part -= (w[1:-1, 1:-1] - w.mean(axis=axis, keepdims=True)[:1, :1]) - part.mean(
                axis=axis, keepdims=True
            )
            v[i] += 1
        return v

    def masked(xp, v, w):
        mask = v > 1
        total = w.sum(axis=axis, keepdims=True)
        v[mask] = 5.0
        result = xp.where(mask, total, w)
        del mask
        return v, result

    for program in steps, masked:
        ours = program(heddle, heddle.array(v), heddle.array(w))
        theirs = program(numpy, v.copy(), w.copy())
        heddle.eval(*ours) if isinstance(ours, tuple) else heddle.eval(ours)
        for o, t in zip(ours, theirs, strict=True):
            numpy.testing.assert_allclose(host(o), t, rtol=1e-12, atol=1e-12)
