"""Programs of several statements: what is computed where it is read, chosen, or passed by.

Every program is compared with NumPy and run twice: the second time its plan is there already.
"""

import numpy
import pytest
from support import assert_exact, host, launches, random_values, waiting

import heddle
from heddle import _core

pytestmark = pytest.mark.waiting

SHAPES = {1: (1000,), 2: (40, 50), 3: (9, 10, 11)}


def stencil_of_stencil(np, a):
    d = a[1:] - a[:-1]
    return d[1:] - d[:-1]


def slices_of_a_formula(np, a):
    d = a * 2 + 1
    return d[2:] - d[1:-1] * d[:-2]


def reversed_and_strided(np, a):
    d = np.sqrt(a) + 1
    return d[::-1][::3] + d[::3]


def transposed(np, m):
    t = (m * 2 + 1).T
    return t[::-1, 1:] + t[:, :-1]


def of_other_shape(np, m):
    return (m * 2).reshape(-1)[5:] + 1


def windows(np, m):
    f = m * m
    return f[1:-1, 1:-1] + f[:-2, 1:-1] + f[2:, 1:-1] + f[1:-1, :-2] + f[1:-1, 2:]


def reduced_differences(np, m):
    g = m * 3
    return (g[1:] - g[:-1]).sum(axis=0)


def differences_of_the_centred(np, m):
    h = m - m.mean(axis=1, keepdims=True)
    return h[1:] * h[:-1]


def indices_at_places(np, m):
    i = np.arange(m.shape[1]) * 2 + 1
    return i[3:10] * m[:, 3:10] + i[::-1][3:10]


def outer_product(np, a):
    v = np.exp(-a[:30])
    return v[:, None] * v[None, :]


def filled(np, a):
    z = np.zeros_like(a)
    z[1:-1] = a[2:] - a[:-2]
    z[0] = a[1] - a[0]
    z[-1] = a[-1] - a[-2]
    return z * 0.5


def filled_rows(np, m):
    z = np.zeros_like(m)
    z[1:-1, 1:-1] = m[2:, 1:-1] - m[:-2, 1:-1]
    z[:1] = m[1:2] - m[:1]
    z[:, -1:] = 7
    return z + 1


def rolled(np, a):
    return np.roll(a, 1) + np.roll(a, -1) - 2 * a


def rolled_twice(np, m):
    return np.roll(m, (1, -2), (0, 1)) - np.roll(m * 2, 3)


def joined(np, a):
    return np.concatenate([a * 2 + 1, a[:7] - 1, np.sqrt(a)])[3:-3] * 2


def padded(np, m):
    return np.pad(m * 2, ((1, 2), (0, 3)), constant_values=5) + 1


def gradients(np, a):
    return np.gradient(np.gradient(a))


def gradients_of_rows(np, m):
    x, y = np.gradient(m)
    return x * y


def carried(np, m):
    """An array that only carries values from one statement to the next."""
    parts = np.zeros((*m.shape, 2), m.dtype)
    for k in range(2):
        parts[1:-1, :, k] = m[1:-1] * (k + 1)
    total = np.zeros_like(m)
    total[1:-1] = parts[1:-1, :, 0]
    total[1:-1] += parts[1:-1, :, 1]
    return total[1:-1] + total[:-2]


def written_over(np, a):
    z = np.ones_like(a)
    z[2:50] = a[2:50]
    z[10:20] = 3
    z[2:50] = z[2:50] * 2
    return z[5:60] + z[0:55]


def every_other(np, a):
    z = np.empty_like(a)
    z[::2] = a[::2] * 2
    z[1::2] = a[1::2] - 1
    return z[1:] - z[:-1]


def backwards(np, a):
    z = np.zeros_like(a)
    z[900:100:-1] = a[:800]
    return z[50:950] + z[100:1000]


def shifted_in_place(np, a):
    u = a * 1
    for _ in range(4):
        f = u * u
        u[1:-1] = 0.5 * (f[2:] - f[:-2])
    return u


def staggered(np, m):
    h, u = m * 1.0, m * 0.1
    for _ in range(3):
        u[1:-1, 1:-1] -= 0.1 * (h[2:, 1:-1] - h[:-2, 1:-1])
        h[1:-1, 1:-1] -= 0.1 * (u[2:, 1:-1] * h[2:, 1:-1] - u[:-2, 1:-1] * h[:-2, 1:-1])
    return h + u


def chosen_at_places(np, a):
    e = np.concatenate([a[-1:] - 10, a, a[:1] + 10])
    return e[np.arange(5) * 3] + e[::-1][:5]


def sorted_parts(np, a):
    z = np.zeros_like(a)
    z[10:-10] = np.sort(a)[10:-10] * 2
    return z[5:-5] + z[:-10]


def layers(np, c):
    z = np.zeros_like(c)
    z[:, 1:, :-1] = c[:, 1:, 1:] - c[:, 1:, :-1]
    z[0] = 1
    return z[:, ::2] + z[:, 1::2]


def mask_of_a_formula(np, a):
    d = a * 2
    d[d > 4] = 1
    d[a < 2] = a[0]
    return d[1:] - d[:-1]


def mask_of_slices(np, m):
    z = np.zeros_like(m)
    z[1:-1, 1:-1] = m[2:, 1:-1] * m[:-2, 1:-1]
    z[z > 4] -= 3
    z[m[:, :1].repeat(50, axis=1) < 2] = 7
    return z + m


def mask_with_a_row(np, m):
    d = m + 1
    np.copyto(d, m[3], where=m > 2)
    d.T[d.T > 3] = 2
    d.reshape(-1)[d.reshape(-1) < 2] = 5
    return d


def elimination(np, m):
    x = m * 1
    for k in range(3):
        x[k + 1 :, k] *= x[k, k]
        x[k + 1 :, k + 1 :] -= x[k + 1 :, k, None] * x[None, k, k + 1 :]
    return x


def elements_before_and_after_writes(np, m):
    x = m * 1
    first = x[3, 4] + 0
    x[2:5, 3:6] += x[3, 4]
    x[7] = x[3, 4] * x[7]
    x[:, 1] = first + x[0, 0] - x[3, 4]
    return x


def slices_upon_slices(np, m):
    z = np.zeros_like(m)
    z[3:-2, 3:-2] = m[4:-1, 3:-2] - m[2:-3, 3:-2]
    z[3:-2, 3:-2] += m[3:-2, 4:-1]
    z[:, 0] += m[:, 0]
    z[:, 1:] += m[:, 1:] - m[:, :-1]
    return m + 2 * z


def sums_of_shared_terms(np, m):
    common = (m[1:-1, 1:-1] * 2 + m[:-2, 1:-1]) * m[2:, 1:-1]
    u, v, w = np.zeros_like(m), np.zeros_like(m), np.zeros_like(m)
    u[1:-1, 1:-1] += common
    v[1:-1, 1:-1] += common * common
    w[1:-1, 1:-1] += common - m[1:-1, 1:-1]
    u[1:-1] += v[1:-1] * m[1:-1]
    return u[1:] - u[:-1] + v[1:] - w[:-1]


def columns_from_columns(np, m):
    x, y = m * 1, m * 2
    for k in range(1, 6):
        factor = y[:, k] - x[:, k - 1]
        x[:, k] -= factor * y[:, k - 1]
        y[:, k] -= factor - y[:, k - 1]
    return x * 3 + y


def columns_from_both_sides(np, m):
    x = m * 1
    for k in range(1, 12):
        x[:, k] = x[:, k - 1] - x[:, k + 1]
    for k in range(11, 2, -1):
        x[:, k] += x[:, k - 1] - x[:, k + 2]
    return x


def rows_from_shifted_rows(np, m):
    x = m * 1
    for k in range(1, 8):
        x[k, 1:-1] = x[k - 1, 2:] - x[k + 1, :-2] + x[k, 1:-1]
    return x


def strided_columns(np, m):
    x = m * 1
    for k in range(4):
        x[::2, k] += x[1::2, k + 1]
        x[1::2, k] -= x[::2, k] + x[1::2, k + 2]
    return x


PROGRAMS = {
    f: "amc".index(f.__code__.co_varnames[1]) + 1
    for f in list(globals().values())
    if getattr(f, "__module__", None) == __name__ and f.__code__.co_varnames[:1] == ("np",)
}


@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "c8"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_program(program, dtype):
    values = random_values(dtype, SHAPES[PROGRAMS[program]], 0, 1, 3)
    expected = program(numpy, values)
    for _ in range(2):
        made = program(heddle, heddle.asarray(values)).get()
        tolerance = 0 if dtype == "i4" else 1e-12 if dtype == "f8" else 2e-4
        numpy.testing.assert_allclose(made, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_program_whose_steps_are_held(program):
    """Everything that is made on the way is looked at in the end."""
    values = random_values("f8", SHAPES[PROGRAMS[program]], 0, 1, 3)
    kept = []

    class Keeping:
        def __getattr__(self, name):
            member = getattr(heddle, name)

            def call(*args, **keywords):
                made = member(*args, **keywords)
                kept.append(made)
                return made

            return call

    made = program(Keeping(), heddle.asarray(values)).get()
    heddle.eval(*[x for x in kept if isinstance(x, _core.own_array)])
    numpy.testing.assert_allclose(made, program(numpy, values), rtol=1e-12, atol=1e-12)


@pytest.mark.unrecorded("is about which kernels there are")
@pytest.mark.parametrize(
    "program",
    [stencil_of_stencil, slices_of_a_formula, transposed, windows, reduced_differences, rolled],
    ids=lambda f: f.__name__,
)
def test_one_kernel(program):
    values = heddle.asarray(random_values("f8", SHAPES[PROGRAMS[program]], 0, 1, 3))
    assert launches(lambda: program(heddle, values), values) == 1


@pytest.mark.unrecorded("is about which kernels there are")
def test_a_formula_of_three_hundred_operations_is_one_kernel():
    a, b, c = (heddle.asarray(random_values("f8", 100, seed, 0.1, 0.2)) for seed in range(3))

    def formula():
        terms = [a, b, c]
        for i in range(150):
            terms.append(terms[-1] * terms[i // 2] + terms[-3])
        return terms[-1]

    assert launches(formula, a, b, c) == 1


@pytest.mark.unrecorded("is about which kernels there are")
def test_an_element_that_is_read_before_a_write_is_no_kernel():
    a = heddle.asarray(random_values("f8", (40, 40), 0, 1, 2))

    def program():
        x = heddle.copy(a)
        for k in range(4):
            x[k + 1 :, k] /= x[k, k]
            x[k + 1 :, k + 1 :] -= x[k + 1 :, k, None] * x[None, k, k + 1 :]
        return x

    # The copy, and two for each column.
    assert launches(program, a) <= 9


@pytest.mark.unrecorded("is about which kernels there are")
def test_levels_of_arrays_that_are_held_are_few_kernels():
    x, y = (heddle.asarray(random_values("f8", (40, 40, 20), seed, 1, 2)) for seed in (0, 1))
    before = host(x), host(y)
    heddle.eval(x, y)

    def sweep(x, y):
        for k in range(1, 20):
            factor = y[:, :, k] / x[:, :, k - 1]
            x[:, :, k] -= factor * y[:, :, k - 1]
            y[:, :, k] -= factor * x[:, :, k - 1]
        return x, y

    assert launches(lambda: sweep(x, y)) <= 4
    for found, expected in zip((x, y), sweep(*(a.copy() for a in before)), strict=True):
        assert_exact(found, expected)


@pytest.mark.unrecorded("is about which kernels there are")
def test_loops_compile_nothing_after_a_while():
    a, b = (heddle.asarray(random_values("f8", 64, seed, 0, 1)) for seed in range(2))
    x = a
    for i in range(1200):
        if i == 800:
            before = heddle._core.stats()["compiled"]
        x = (x * 0.5 + b) * 0.9 - a * 0.1
    assert heddle._core.stats()["compiled"] == before
    heddle.eval(x)


@pytest.mark.unrecorded("is about which kernels there are")
def test_loops_over_short_rows_share_their_kernels():
    u = random_values("f8", (60, 60), 0, 1, 2)

    def sweep(np, columns):
        p, q, of = np.zeros((60, 60)), np.ones((60, 60)), np.asarray(u)
        for j in range(1, columns):
            p[1:-1, j] = 0.7 / (1.3 * p[1:-1, j - 1] + of[j, 1:-1])
            q[1:-1, j] = (of[j, :-2] - 0.4 * q[1:-1, j - 1]) / (p[1:-1, j] + 1.6)
        return q

    before = heddle._core.stats()["compiled"]
    for columns in (60, 40, 31, 17, 23, 52):
        assert_exact(sweep(heddle, columns), sweep(numpy, columns))
    assert heddle._core.stats()["compiled"] - before <= 10  # once each had its own


@pytest.mark.unrecorded("is about which kernels there are")
@pytest.mark.host_memory
@pytest.mark.waiting(False)
def test_rows_put_one_by_one_into_a_fresh_array_are_no_kernels():
    source = random_values("f8", (60, 7), 0, 1, 2)
    places = numpy.random.default_rng(3).integers(0, 60, 3000)
    rows = heddle.asarray(source).eval()

    def collect():
        made = heddle.zeros((5000, 7))
        for i, place in enumerate(places.tolist()):
            made[i, :] = rows[place]
        return made

    expected = numpy.zeros((5000, 7))
    expected[: places.size] = source[places]
    assert_exact(collect(), expected)
    # The first rows wait: most of such loops are short.
    assert launches(collect, waits=False) <= 12


def test_many_rows_that_wait():
    """More of them than are looked at together when it is decided what is chosen."""
    source = random_values("f8", (60, 7), 0, 1, 2)
    places = numpy.random.default_rng(4).integers(0, 60, 700)
    rows, made = heddle.asarray(source).eval(), heddle.zeros((1000, 7))
    with waiting():
        for i, place in enumerate(places.tolist()):
            made[i] = rows[place]
        expected = numpy.zeros((1000, 7))
        expected[: places.size] = source[places]
        assert_exact(made, expected)


@pytest.mark.unrecorded("is about which kernels there are")
@pytest.mark.host_memory
def test_what_costs_much_is_not_computed_for_elements_where_it_is_not_written():
    """A row of sines, written to an array that is read at several places in the next step."""
    xs = heddle.linspace(0, 1, 256).eval()
    u = heddle.asarray(random_values("f8", (256, 256), 0, 1, 2))
    for step in range(3):
        u = sum(heddle.roll(u, s, axis) for s in (-1, 1) for axis in (0, 1)) * 0.25
        u[0, :] = heddle.sin(xs * step) ** 2
    kernels = [part for part in heddle.explain(u).split("\n\n") if part.startswith("kernel")]
    with_sines = [kernel for kernel in kernels if "sin" in kernel]
    assert with_sines and all("domain (256,)" in kernel for kernel in with_sines)


@pytest.mark.unrecorded("is about which kernels there are")
@pytest.mark.host_memory
def test_parts_that_are_moved_in_place_do_not_copy_the_rest():
    """Two shifts of one of nine populations, as in lattice Boltzmann programs."""
    values = random_values("f8", (30, 40, 9), 0, 1, 2)
    f, expected = heddle.asarray(values).eval(), values.copy()
    for np, x in ((heddle, f), (numpy, expected)):
        for i in (2, 4, 8):
            x[:, :, i] = np.roll(x[:, :, i], 1, axis=1)
            x[:, :, i] = np.roll(x[:, :, i], -1, axis=0)
    assert "are copies" not in heddle.explain(f)
    assert_exact(f, expected)


def test_what_is_forwarded_may_be_written_to_afterwards():
    a = heddle.arange(10.0)
    z = heddle.zeros(10)
    z[2:8] = a[2:8]
    part = z[3:6] * 2
    a[4] = 100
    z[4] = -1
    assert part.tolist() == [6, 8, 10]
    assert z.tolist() == [0, 0, 2, 3, -1, 5, 6, 7, 0, 0]


def test_programs_that_repeat_take_numbers_anew():
    def program(np, a, number):
        z, carried = np.zeros_like(a), np.zeros_like(a)
        z[0] = number
        z[1:-1] = a[2:] * number
        carried[2:] = z[1:-1] + z[0] * number
        carried[0] = number + 1
        z[-1] = carried[3] - carried[0]
        return z, carried[::-1] * z

    values = numpy.arange(8.0)
    for number in (1.5, -2.0, 7.0):
        for got, want in zip(
            program(heddle, heddle.asarray(values * number), number),
            program(numpy, values * number, number),
            strict=True,
        ):
            assert_exact(got, want)


def test_programs_that_repeat_at_other_places():
    a = numpy.arange(40.0)

    def program(np, a, k):
        z = np.zeros(40)
        z[k : k + 5] = a[k : k + 5] * 2
        z[k + 5 :] = a[k + 5 :] + z[k]
        return z[k + 2 :] - z[k + 1]

    for k in (3, 8, 3, 20, 8, 0):
        assert_exact(program(heddle, heddle.asarray(a), k), program(numpy, a, k))


def test_a_long_chain_of_rolls():
    """Each reads the one before at two places: too many for one kernel."""
    x, expected = heddle.ones(1000), numpy.ones(1000)
    for i in range(300):
        x, expected = (np.roll(a * 0.5 + i, 1) for np, a in ((heddle, x), (numpy, expected)))
    assert_exact(x, expected)


@pytest.mark.unrecorded("is about which kernels there are")
def test_halves_of_fresh_memory_are_one_kernel():
    a, b = (heddle.asarray(numpy.arange(1000.0) + k) for k in (0, 1))

    def f(np, a, b):
        z = np.zeros(2000)
        z[:1000] = a * b + 1
        z[1000:] = np.sqrt(a) - b
        return z

    assert heddle.explain(f(heddle, a, b)).startswith("1 kernel for")
    assert numpy.array_equal(f(heddle, a, b).get(), f(numpy, a.get(), b.get()))
