"""Transforms and factorisations are steps of pending work: nothing runs where they are called, but
where an error has to be known there."""

import contextlib
import signal
import threading
import time

import numpy
import pytest
from support import host

import heddle

pytestmark = pytest.mark.waiting

linalg = heddle.linalg
LinAlgError = numpy.linalg.LinAlgError

rng = numpy.random.default_rng(0)
MATRIX = rng.standard_normal((4, 4)) + 4 * numpy.eye(4)
POSITIVE = MATRIX @ MATRIX.T


def is_pending(x):
    return "nothing is pending" not in heddle.explain(x)


def steps(*arrays):
    """The libraries' part of what evaluation would do."""
    lines = heddle.explain(*arrays).splitlines()
    return [line.split(": ")[1] for line in lines if line.startswith("library call")]


# Fourier transforms


@pytest.mark.parametrize("function", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fftn"])
def test_transforms_are_pending(function):
    values = rng.standard_normal(16)
    x = heddle.asarray(values)
    y = getattr(heddle.fft, function)(x)
    assert steps(y) == ["fft"]
    numpy.testing.assert_allclose(host(y), getattr(numpy.fft, function)(values), atol=1e-12)
    assert not is_pending(y)


def test_transforms_go_on_from_pending_work():
    values = rng.standard_normal((8, 16)) + 1j
    x = heddle.asarray(values)
    y = abs(heddle.fft.ifft(heddle.fft.fft(x * 2) * 3)) + 1
    assert steps(y) == ["fft", "fft"]
    numpy.testing.assert_allclose(host(y), abs(values * 6) + 1)


def test_transforms_keep_what_they_were_called_with():
    values = rng.standard_normal(32)
    x = heddle.asarray(values)
    spectrum = heddle.fft.rfft(x)
    x[:] = 0
    back = heddle.fft.irfft(spectrum)
    expected = numpy.fft.rfft(values)
    numpy.testing.assert_allclose(host(back), values, atol=1e-12)
    numpy.testing.assert_allclose(host(spectrum), expected, atol=1e-12)  # not overwritten


def test_back_to_real_numbers_twice_from_one_spectrum():
    values = rng.standard_normal((4, 32))
    spectrum = heddle.fft.rfft(heddle.asarray(values))
    both = heddle.fft.irfft(spectrum), heddle.fft.irfft(spectrum * 1)
    heddle.eval(*both)
    for one in both:
        numpy.testing.assert_allclose(host(one), values, atol=1e-12)


@pytest.mark.parametrize("start", [0, 1, 2, 3])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_real_numbers_from_any_place(dtype, start):
    values = rng.standard_normal(67).astype(dtype)
    x = heddle.asarray(values)
    y = heddle.fft.rfft(x[start : start + 64])
    expected = numpy.fft.rfft(values[start : start + 64])
    numpy.testing.assert_allclose(host(y), expected, atol=1e-4 if dtype == "f4" else 1e-12)


@pytest.mark.host_memory
def test_transforms_of_shared_memory_do_not_wait():
    memory = rng.standard_normal(33)
    x = heddle.asarray(memory[1:], copy=False)
    expected = numpy.fft.rfft(memory[1:])
    y = heddle.fft.rfft(x)
    memory[:] = 0
    numpy.testing.assert_allclose(host(y), expected, atol=1e-12)


# Factorisations


def test_factorisations_that_cannot_fail_are_pending():
    x = heddle.asarray(MATRIX)
    q, r = linalg.qr(x)
    assert steps(q, r) == ["qr", "form_q"]
    assert steps(r) == ["qr"]
    numpy.testing.assert_allclose(host(r), host(linalg.qr(x, "r")))
    numpy.testing.assert_allclose(host(q) @ host(r), MATRIX)
    assert steps(linalg.det(x)) in (["determinants"], ["lu"])
    sign, logarithm = linalg.slogdet(x + 1)
    assert is_pending(sign) and is_pending(logarithm)
    expected = numpy.linalg.slogdet(MATRIX + 1)
    numpy.testing.assert_allclose([host(sign), host(logarithm)], expected)


@pytest.mark.parametrize("first", ["q", "r", "both"])
@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4), (2, 5, 3)])
@pytest.mark.parametrize("mode", ["reduced", "complete"])
def test_either_part_of_a_factorisation_may_be_needed_first(mode, shape, first):
    a = rng.standard_normal(shape)
    q, r = linalg.qr(heddle.asarray(a), mode)
    heddle.eval(*{"q": [q], "r": [r], "both": [q, r]}[first])
    numpy.testing.assert_allclose(host(q) @ host(r), a, atol=1e-12)


def test_pending_matrices_are_not_overwritten():
    x = heddle.asarray(MATRIX)
    pending = x + 1
    made = linalg.det(pending), linalg.qr(pending), linalg.inv(pending), linalg.svdvals(pending)
    heddle.eval(made)
    numpy.testing.assert_array_equal(host(pending), MATRIX + 1)
    numpy.testing.assert_array_equal(host(x), MATRIX)


@pytest.mark.cores
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers")
def test_what_was_interrupted_can_be_computed_again():
    a = rng.standard_normal((400, 80, 80))
    x = heddle.asarray(a)
    heddle.eval(linalg.qr(x[:2], "r"))  # compiled
    r = linalg.qr(x, "r")
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        with contextlib.suppress(KeyboardInterrupt):
            heddle.eval(r)
            time.sleep(0.05)  # it was done before
    finally:
        signal.signal(signal.SIGALRM, before)
    numpy.testing.assert_array_equal(host(r), host(linalg.qr(x, "r")))


def failing_calls():
    singular = numpy.stack([MATRIX, numpy.ones((4, 4)), MATRIX])
    negative = numpy.stack([POSITIVE, -POSITIVE, POSITIVE])
    missing = numpy.stack([POSITIVE, numpy.full((4, 4), numpy.nan), POSITIVE])
    sides = rng.standard_normal((3, 4, 2))
    return {
        "solve": (lambda m, a: m.linalg.solve(a, m.asarray(sides)), singular),
        "solve vector": (lambda m, a: m.linalg.solve(a, m.asarray(sides[0, :, 0])), singular),
        "inv": (lambda m, a: m.linalg.inv(a), singular),
        "cholesky": (lambda m, a: m.linalg.cholesky(a), negative),
        "cholesky upper": (lambda m, a: m.linalg.cholesky(a, upper=True), negative),
        "svd": (lambda m, a: m.linalg.svd(a)[0], missing),
        "svdvals": (lambda m, a: m.linalg.svdvals(a), missing),
        "eigh": (lambda m, a: m.linalg.eigh(a)[1], missing),
        "eigvalsh": (lambda m, a: m.linalg.eigvalsh(a), missing),
        "eig": (lambda m, a: m.linalg.eig(a)[1], missing),
        "eigvals": (lambda m, a: m.linalg.eigvals(a), missing),
    }


@pytest.mark.parametrize("call", failing_calls())
def test_errors_are_raised_at_the_call(call):
    function, matrices = failing_calls()[call]
    x = heddle.asarray(matrices) * 1  # pending
    try:
        function(heddle, x)
    except LinAlgError:
        raised = True
    else:
        raised = False
    assert raised
    numpy.testing.assert_array_equal(host(x), matrices)


@pytest.mark.parametrize("pending", [False, True])
@pytest.mark.parametrize("call", failing_calls())
def test_ignored_failures_are_nan_and_pending(call, pending):
    function, matrices = failing_calls()[call]
    x = heddle.asarray(matrices)
    good = function(heddle, heddle.asarray(matrices[[0, 0, 2]]))
    if pending:
        x = x * 1
    with heddle.errstate(linalg="ignore"):
        made = function(heddle, x)
    assert is_pending(made)
    found = host(made)
    assert numpy.isnan(found[1]).all()
    assert found.dtype == good.dtype or call in ("eig", "eigvals")
    numpy.testing.assert_array_equal(found[[0, 2]], host(good)[[0, 2]])


def test_one_singular_matrix_for_many_right_sides():
    x = heddle.ones((3, 3))
    with heddle.errstate(linalg="ignore"):
        for shape in ((3,), (3, 2), (5, 3, 2)):
            made = linalg.solve(x, heddle.ones(shape))
            assert made.shape == shape and numpy.isnan(host(made)).all()


def test_ignored_failures_of_least_squares():
    with heddle.errstate(linalg="ignore"):
        x, _, rank, s = linalg.lstsq(heddle.asarray(MATRIX), heddle.ones(4))
    numpy.testing.assert_allclose(host(x), numpy.linalg.solve(MATRIX, numpy.ones(4)))
    assert rank == 4 and s.shape == (4,)


def test_eigenvalues_that_nobody_looks_at_are_complex():
    with heddle.errstate(linalg="ignore"):
        values, vectors = linalg.eig(heddle.asarray(POSITIVE))
    assert values.dtype == vectors.dtype == numpy.complex128
    w, v = host(values), host(vectors)
    numpy.testing.assert_allclose(POSITIVE @ v, v * w, atol=1e-9)


@pytest.mark.unrecorded("is about what is held, and recording holds everything")
def test_vectors_that_nobody_wants_are_not_computed():
    a = rng.standard_normal((40, 40))
    x = heddle.asarray(a)
    with heddle.errstate(linalg="ignore"):
        values = linalg.svd(x)[1]
        ascending = linalg.eigh(x + x.T)[0]
    # With vectors another algorithm computes the values.
    numpy.testing.assert_array_equal(host(values), host(linalg.svdvals(x)))
    numpy.testing.assert_array_equal(host(ascending), host(linalg.eigvalsh(x + x.T)))


# errstate


def inverse_of_zeros():
    return linalg.inv(heddle.zeros((2, 2)))


def test_errstate_nests():
    with heddle.errstate(linalg="ignore"):
        inverse_of_zeros()
        with heddle.errstate(linalg="raise"), pytest.raises(LinAlgError):
            inverse_of_zeros()
        with heddle.errstate(divide="ignore"):  # leaves it as it is
            inverse_of_zeros()
    with pytest.raises(LinAlgError):
        inverse_of_zeros()


def test_errstate_ends_with_exceptions():
    with pytest.raises(KeyError), heddle.errstate(linalg="ignore"):
        raise KeyError
    with pytest.raises(LinAlgError):
        inverse_of_zeros()


def test_errstate_as_decorator():
    quiet = heddle.errstate(linalg="ignore", divide="ignore")(inverse_of_zeros)
    for _ in range(2):
        assert numpy.isnan(host(quiet())).all()
    with pytest.raises(LinAlgError):
        inverse_of_zeros()


def test_errstate_is_also_numpys():
    assert issubclass(heddle.errstate, numpy.errstate)
    before = numpy.geterr()
    with heddle.errstate(all="raise", under="ignore"):
        assert numpy.geterr() == dict.fromkeys(before, "raise") | {"under": "ignore"}
    assert numpy.geterr() == before
    with pytest.raises(ValueError, match="linalg must be 'raise' or 'ignore'"):
        heddle.errstate(linalg="warn")


def test_errstate_is_of_one_thread():
    raised = []

    def work():
        try:
            inverse_of_zeros()
        except LinAlgError:
            raised.append(True)

    with heddle.errstate(linalg="ignore"):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert raised == [True]


def test_products_of_what_was_written_to_parts():
    """A product reads rows of an array that were assigned as they lie there, not as they came."""

    def product(np, x, step):
        padded = np.zeros((3, 2, 1))
        padded[:, 0:1] = x
        return padded[:, 0:1:step].reshape(3, 1) @ np.asarray([[2.0]])

    x = numpy.arange(1.0, 4).reshape(3, 1, 1)
    for step in (1, 2):
        found = product(heddle, heddle.asarray(x), step)
        numpy.testing.assert_array_equal(host(found), product(numpy, x, step))


@pytest.mark.parametrize(
    "call",
    [
        lambda np, x: x @ x.T,
        lambda np, x: np.sort(x, axis=0),
        lambda np, x: np.fft.fft(x),
        lambda np, x: np.linalg.eigh(x @ x.T)[0],
        lambda np, x: np.linalg.qr(x)[1],
        lambda np, x: np.linalg.svd(x)[1],
    ],
)
def test_results_that_are_held_now_and_were_not_before(call):
    """Memory of a result that nobody held served the next operation; now somebody does."""
    values = numpy.random.default_rng(1).standard_normal((600, 520))
    x = heddle.array(values)
    expected = call(numpy, values)
    for held in (False, True, False, True):
        made = call(heddle, x)
        following = heddle.abs(made) * 2 + 1
        kept = made if held else None
        del made
        heddle.eval(following)
        if held:
            numpy.testing.assert_allclose(host(kept), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.unrecorded("is about which calls there are")
@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("count", [2, 3, 5])
def test_results_that_later_writes_cover_are_not_computed(count, scaled):
    """Their memory would be written to after those who hold it had let go."""
    a, fresh = rng.standard_normal((3, 33, 7)), rng.standard_normal((33, 7))

    def run(np, a, fresh):
        made = np.matmul(a, np.exp(a[:, :7])) * (0.5 if scaled else 1)
        for _ in range(count):
            made = np.concatenate((made[1:], fresh[None]))
        return made

    for _ in range(20):
        found = run(heddle, heddle.array(a), heddle.array(fresh))
        assert steps(found) == ([] if count >= 3 else ["matmul"])
        numpy.testing.assert_allclose(host(found), run(numpy, a, fresh), rtol=1e-10)
