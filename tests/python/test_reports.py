"""Errors and warnings that depend on elements: at the call where the host sees those, else later.

The device that runs behind the host is the shadow device of conftest.py: `there`.
"""

import inspect
import subprocess
import sys
import textwrap
import warnings

import numpy
import pytest

import heddle

OTHER = "shadow:0"
NAN = numpy.nan
ROWS = numpy.array([[1.0, NAN, 3.0], [NAN, NAN, NAN]])
FINE = numpy.array([[1.0, NAN, 3.0], [NAN, 5.0, NAN]])


def there(values, dtype=None):
    return heddle.asarray(values, dtype, device=OTHER)


def here(values, dtype=None):
    return heddle.asarray(values, dtype, device="cpu")


def line_of_caller():
    frame = inspect.currentframe().f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


# What is refused: (name of the operation, a call of a library and a maker of arrays that fails,
# the same that does not).
REFUSED = {
    "power": (
        lambda np, make: np.power(make([2, 3, 4]), make([1, -1, 2])),
        lambda np, make: np.power(make([2, 3, 4]), make([1, 0, 2])),
    ),
    "power of one": (
        lambda np, make: make([2, 3, 4], "i4") ** make([-1], "i2"),
        lambda np, make: make([2, 3, 4], "i4") ** make([1], "i2"),
    ),
    "power to out": (
        lambda np, make: np.power(
            make([2, 3]), make([1, -1]), out=make([0, 0]), dtype="i8", casting="unsafe"
        ),
        lambda np, make: np.power(
            make([2, 3]), make([1, 1]), out=make([0, 0]), dtype="i8", casting="unsafe"
        ),
    ),
    "nanargmin": (
        lambda np, make: np.nanargmin(make(ROWS), axis=1),
        lambda np, make: np.nanargmin(make(FINE), axis=1),
    ),
    "nanargmax": (
        lambda np, make: np.nanargmax(make(ROWS[1])),
        lambda np, make: np.nanargmax(make(FINE[1])),
    ),
    "nanargmax of dimensions kept": (
        lambda np, make: np.nanargmax(make(ROWS.astype("f2")), 1, keepdims=True),
        lambda np, make: np.nanargmax(make(FINE.astype("f2")), 1, keepdims=True),
    ),
    "average": (
        lambda np, make: np.average(make([[1.0, 2.0]] * 2), 1, weights=make([[1, -1], [1, 2]])),
        lambda np, make: np.average(make([[1.0, 2.0]] * 2), 1, weights=make([[1, 1], [1, 2]])),
    ),
    "choose": (
        lambda np, make: np.choose(make([0, 2, 1]), [make([1, 2, 3]), make([4, 5, 6])]),
        lambda np, make: np.choose(make([0, 1, 1]), [make([1, 2, 3]), make([4, 5, 6])]),
    ),
    "ravel_multi_index": (
        lambda np, make: np.ravel_multi_index((make([0, 1]), make([0, -1])), (2, 3)),
        lambda np, make: np.ravel_multi_index((make([0, 1]), make([0, 2])), (2, 3)),
    ),
    "unravel_index": (
        lambda np, make: np.unravel_index(make([0, 6]), (2, 3)),
        lambda np, make: np.unravel_index(make([0, 5]), (2, 3)),
    ),
    "searchsorted": (
        lambda np, make: np.searchsorted(make([3.0, 1.0]), make([2.0]), sorter=make([1, 2])),
        lambda np, make: np.searchsorted(make([3.0, 1.0]), make([2.0]), sorter=make([1, 0])),
    ),
    "quantile": (
        lambda np, make: np.quantile(
            make([1.0, 2.0]), 0.5, weights=make([1.0, -1.0]), method="inverted_cdf"
        ),
        lambda np, make: np.quantile(
            make([1.0, 2.0]), 0.5, weights=make([1.0, 3.0]), method="inverted_cdf"
        ),
    ),
    "quantile of no weight": (
        lambda np, make: np.quantile(
            make([1.0, 2.0]), 0.5, weights=make([0.0, 0.0]), method="inverted_cdf"
        ),
        lambda np, make: np.quantile(
            make([1.0, 2.0]), 0.5, weights=make([0.0, 1.0]), method="inverted_cdf"
        ),
    ),
    "cov": (
        lambda np, make: np.cov(make([[1.0, 2.0, 4.0]]), aweights=make([1.0, -1.0, 1.0])),
        lambda np, make: np.cov(make([[1.0, 2.0, 4.0]]), aweights=make([1.0, 2.0, 1.0])),
    ),
    "cov of parts": (
        lambda np, make: np.cov(make([[1.0, 2.0, 4.0]]), fweights=make([1.0, 0.5, 1.0])),
        lambda np, make: np.cov(make([[1.0, 2.0, 4.0]]), fweights=make([1, 2, 1])),
    ),
}


def failure(function):
    with pytest.raises(Exception) as caught, numpy.errstate(all="ignore"):
        function()
    return caught.type, str(caught.value)


@pytest.mark.parametrize("case", REFUSED)
def test_what_the_host_sees_is_refused_at_the_call(case):
    wrong, right = REFUSED[case]
    assert failure(lambda: wrong(heddle, here)) == failure(lambda: wrong(numpy, numpy.array))
    assert_same(right(heddle, here), right(numpy, numpy.array))


@pytest.mark.parametrize("case", REFUSED)
def test_what_a_device_finds_is_refused_at_the_next_look(case):
    wrong, right = REFUSED[case]
    kind, text = failure(lambda: wrong(numpy, numpy.array))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pytest records others, which is a look
        made = wrong(heddle, there)
    heddle.eval(*(made if isinstance(made, tuple) else (made,)))
    with pytest.raises(kind) as caught:
        heddle.synchronize()
    said = str(caught.value)
    if case != "unravel_index":  # which index it is only the device knows
        assert said.startswith(text)
    assert f"({case.split()[0]} at {__file__}:" in said
    heddle.synchronize()  # said once
    assert_same(right(heddle, there), right(numpy, numpy.array))
    heddle.synchronize()


def assert_same(ours, theirs):
    if not isinstance(theirs, tuple):
        ours, theirs = (ours,), (theirs,)
    for a, b in zip(ours, theirs, strict=True):
        assert a.dtype == b.dtype
        numpy.testing.assert_allclose(a.get(), b)


def test_an_error_names_the_line_of_the_call():
    x = there([1, 2]) ** there([0, -1])
    line = line_of_caller().rsplit(":", 1)[0] + f":{inspect.currentframe().f_lineno - 1}"
    with pytest.raises(ValueError, match="negative integer powers") as caught:
        (x + 1).get()
    assert str(caught.value).endswith(f"(power at {line})")


def test_nothing_waits_for_what_may_be_refused():
    x, y = there(numpy.arange(1, 7)), there(FINE)
    heddle.eval(x, y)
    heddle.reset_stats()
    results = x**x, heddle.nanargmin(y, 1), heddle.average(y, weights=there(FINE))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results += heddle.nanmean(y, 1), heddle.nanmax(y, 1), heddle.nanvar(y, 1)
    assert heddle.stats()["launched"] == 0
    heddle.eval(*results)


@pytest.mark.parametrize("count", [1, 7, 64, 1000, 100_003])
@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8"])
def test_one_wrong_element_anywhere(count, dtype):
    exponents = numpy.ones(count, dtype)
    x = there(numpy.ones(count, dtype))
    (x ** there(exponents)).get()
    for wrong in {0, count // 2, count - 1}:
        exponents[:] = 1
        exponents[wrong] = -1
        with pytest.raises(ValueError, match="negative integer powers"):
            (x ** there(exponents)).get()
    for part in (slice(1, None), slice(None, -1), slice(None, None, 2)):  # wrong ones left out
        exponents[:] = -1
        exponents[part] = 1
        assert (x[part] ** there(exponents)[part]).get().sum() == len(exponents[part])


def test_static_refusals_stay_at_the_call():
    x = there([1, 2, 3])
    with pytest.raises(ValueError, match="negative integer powers"):
        x**-1
    with pytest.raises(ValueError, match="negative integer powers"):
        heddle.power(x, -1)
    with pytest.raises(ValueError, match="negative integer powers"):
        heddle.power.at(x, there([0]), -1)
    assert (there([], int) ** there([-1])).shape == (0,)
    assert (there([1.0]) ** there([-1])).get() == 1


def test_updates_of_powers():
    x = there([2, 3, 4])
    heddle.power.at(x, there([0, 1]), there([2, -2]))
    with pytest.raises(ValueError, match=r"negative integer powers.*power at"):
        heddle.synchronize()


def test_more_uses_than_there_are_words():
    x, one = there([2, 3]), there([1, 1])
    for _ in range(3000):
        x = x**one
    assert x.get().tolist() == [2, 3]
    bad = x ** there([1, -1])
    with pytest.raises(ValueError, match="negative integer powers"):
        bad.get()


def test_choices_by_probabilities():
    rng = heddle.random.default_rng(1)
    for p, text in (
        ([0.5, NAN, 0.5], "contain NaN"),
        ([1.5, -1.0, 0.5], "not non-negative"),
        ([0.5, 0.1, 0.1], "do not sum to 1"),
    ):
        with pytest.raises(ValueError, match=text):  # the host has them
            rng.choice(3, 2, p=p)
        with heddle.device(OTHER):
            drawn = rng.choice(3, 2, p=there(p))
            with pytest.raises(ValueError, match=rf"{text}.*\(choice at"):
                drawn.get()
    with pytest.raises(ValueError, match="Fewer non-zero"):
        rng.choice(3, 2, replace=False, p=[0, 1, 0])


# --- warnings

WARNED = {
    "nanmean": lambda np, make: np.nanmean(make(ROWS), 1),
    "nanmax": lambda np, make: np.nanmax(make(ROWS), 1),
    "nanmin of dimensions kept": lambda np, make: np.nanmin(make(ROWS), 1, keepdims=True),
    "nanvar": lambda np, make: np.nanvar(make(ROWS), 1),
    "nanstd": lambda np, make: np.nanstd(make(FINE), 1, ddof=1),
    "nanmedian": lambda np, make: np.nanmedian(make(ROWS), 1),
    "nanmedian of a row": lambda np, make: np.nanmedian(make(ROWS[1])),
    "nanquantile": lambda np, make: np.nanquantile(make(ROWS), [0.25, 0.5], 1),
    "mean": lambda np, make: np.mean(make(FINE), 1, where=make([[True] * 3, [False] * 3])),
    "var": lambda np, make: np.var(
        make([[1.0, 2.0, 3.0]] * 2), 1, ddof=1, where=make([[True] * 3, [True] + [False] * 2])
    ),
    "mean of nothing": lambda np, make: np.mean(make([])),
    "cov": lambda np, make: np.cov(make([[1.0, 2.0]]), fweights=make([1, 0])),
    "polyfit": lambda np, make: np.polyfit(make([1.0, 1.0, 1.0]), make([1.0, 2.0, 3.0]), 2),
}


def recorded(function):
    with warnings.catch_warnings(record=True) as found, numpy.errstate(all="ignore"):
        warnings.simplefilter("always")
        function()
    # NumPy's own arithmetic warns of what ours does silently.
    return [w for w in found if "encountered in" not in str(w.message)]


@pytest.mark.parametrize("make", [here, there])
@pytest.mark.parametrize("case", WARNED)
def test_recorded_warnings_come_at_the_call(case, make):
    call = WARNED[case]
    theirs, ours = recorded(lambda: call(numpy, numpy.array)), recorded(lambda: call(heddle, make))
    assert [(w.category, str(w.message)) for w in ours] == [
        (w.category, str(w.message)) for w in theirs
    ]
    assert all(w.filename == __file__ for w in ours)
    lines = range(call.__code__.co_firstlineno, call.__code__.co_firstlineno + 4)
    assert all(w.lineno in lines for w in ours)


@pytest.mark.parametrize("make", [here, there])
@pytest.mark.parametrize("case", WARNED)
def test_warnings_as_errors_come_at_the_call(case, make):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises((RuntimeWarning, numpy.exceptions.RankWarning)):
            WARNED[case](heddle, make)


def test_pytest_sees_a_warning_of_a_device():
    with pytest.warns(RuntimeWarning, match="Mean of empty slice"):
        heddle.nanmean(there(ROWS), 1)


@pytest.mark.waiting
@pytest.mark.parametrize("make", [here, there])
def test_nobody_looks_for_what_is_ignored(make):
    x = make(ROWS)
    heddle.eval(x)
    heddle.reset_stats()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mean = heddle.nanmean(x, 1)
    assert heddle.stats()["launched"] == 0
    assert heddle.asnumpy(mean)[0] == 2


def run(program):
    """What a program writes to its standard error."""
    text = "import heddle, warnings, numpy\nx = heddle.asarray([numpy.nan], device='shadow:0')\n"
    done = subprocess.run(
        [sys.executable, "-c", text + textwrap.dedent(program).lstrip()],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stderr


def test_a_warning_comes_at_the_next_look_with_the_line_of_the_call():
    assert run("""
        import sys
        m = heddle.nanmean(x)

        n = heddle.nanmax(x)
        print("none yet", file=sys.stderr)
        heddle.eval(m, n)
        heddle.synchronize()
        print("said", file=sys.stderr)
        m.get()
    """).splitlines() == [
        "none yet",
        "<string>:4: RuntimeWarning: Mean of empty slice",
        "<string>:6: RuntimeWarning: All-NaN slice encountered",
        "said",
    ]


def test_filters_of_the_call_decide():
    assert run("""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            m = heddle.nanmean(x)
        m.get()
        m = heddle.nanmean(x)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            m.get()
        for action in "default", "always", "once":
            with warnings.catch_warnings():
                warnings.simplefilter(action)
                for _ in range(2):
                    heddle.nanmax(x).get()
    """).splitlines() == [
        "<string>:7: RuntimeWarning: Mean of empty slice",
        "<string>:15: RuntimeWarning: All-NaN slice encountered",
        "<string>:15: RuntimeWarning: All-NaN slice encountered",
        "<string>:15: RuntimeWarning: All-NaN slice encountered",
        "<string>:15: RuntimeWarning: All-NaN slice encountered",
    ]


def test_logs_have_the_warnings_of_devices():
    said = run("""
        import logging
        logging.basicConfig(format="%(name)s %(message)s")
        logging.captureWarnings(True)
        heddle.nanmean(x).get()
    """)
    assert said.startswith("py.warnings <string>:6: RuntimeWarning: Mean of empty slice")


def test_a_hook_that_fails_spoils_nothing():
    said = run("""
        m = heddle.nanmean(x)
        h = x + 1
        warnings.showwarning = lambda *a, **k: 1 / 0
        assert numpy.isnan(m.get())
        assert numpy.isnan(h.get()).all()
    """)
    assert "ZeroDivisionError" in said
