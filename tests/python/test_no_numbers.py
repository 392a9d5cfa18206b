"""Text, dates, records, objects: arrays of them are NumPy's, and so is what is made of them."""

import fractions

import numpy
import pytest
from compare import check

import heddle
from heddle import _core

BEYOND = {
    "text": ["b", "a", "c", "a"],
    "dates": numpy.array(["2020-02-01", "2020-01-01", "2021-01-01", "2020-01-01"], "M8[D]"),
    "objects": [None, (1, 2), "x", None],
    "bytes": numpy.array([b"b", b"a", b"c", b"a"]),
}


@pytest.mark.host_memory
@pytest.mark.parametrize("kind", BEYOND)
def test_arrays_of_what_is_no_number_are_numpys(kind):
    values = BEYOND[kind]
    a = heddle.array(values) if kind != "objects" else heddle.array(values, dtype=object)
    theirs = numpy.array(values) if kind != "objects" else numpy.array(values, dtype=object)
    assert type(a) is numpy.ndarray and a.dtype == theirs.dtype and a.tolist() == theirs.tolist()
    assert heddle.asarray(a) is a
    for function in (
        lambda np: np.concatenate([a, a[:1]]),
        lambda np: np.repeat(a, 2),
        lambda np: np.copy(a),
        lambda np: np.stack([a, a], axis=1),
        lambda np: np.roll(a, 1),
        lambda np: np.where(np.arange(4) > 1, a, a[::-1]),
        lambda np: np.take(a, [2, 0]),
        lambda np: np.equal(a, a[0]),
    ):
        ours, theirs = (numpy.asarray(function(np)) for np in (heddle, numpy))
        assert ours.dtype == theirs.dtype and ours.tolist() == theirs.tolist()
    if kind == "objects":
        return
    for function in (
        lambda np: np.sort(a),
        lambda np: np.argsort(a, stable=True),
        lambda np: np.unique(a, return_counts=True)[1],
        lambda np: np.isin(a, a[:1]),
        lambda np: np.searchsorted(np.sort(a), a[:2]),
    ):
        assert numpy.asarray(function(heddle)).tolist() == function(numpy).tolist()


def test_new_arrays_of_what_is_no_number():
    for make in (heddle.zeros, heddle.ones, heddle.empty):
        for dtype in ("M8[s]" if make is not heddle.ones else "m8[s]", "U3", object):
            made = make(3, dtype)
            assert type(made) is numpy.ndarray and made.dtype == dtype and made.shape == (3,)
    assert heddle.full(2, "ab").tolist() == ["ab", "ab"]
    records = heddle.zeros(2, dtype=[("a", int), ("b", float)])
    assert records["b"].tolist() == [0.0, 0.0]


@pytest.mark.host_memory
def test_arrays_like_ours_of_what_is_no_number():
    x = heddle.arange(6).reshape(2, 3)
    for make in (heddle.zeros_like, heddle.ones_like, heddle.empty_like):
        for dtype in ("m8[s]", "S5", str, object, "g", ">i4"):
            made, theirs = make(x, dtype), numpy.ones_like(numpy.ones((2, 3)), dtype)
            assert type(made) is numpy.ndarray
            assert (made.dtype, made.shape) == (theirs.dtype, theirs.shape)
    assert heddle.full_like(x, "ab", "U2", shape=2).tolist() == ["ab", "ab"]
    with pytest.raises(TypeError, match="not supported"):  # other libraries ask so what is held
        numpy.empty_like(x, dtype=object)


def test_long_doubles_are_sorted_as_complex_numbers():
    x = numpy.array([3, 1, 2], "g")
    made = heddle.sort_complex(x)
    assert made.dtype == "G" and made.tolist() == [1, 2, 3]


@pytest.mark.parametrize("dtype", ["U1", "M8[D]", "g", object, [("a", "i4"), ("b", "f8")]], ids=str)
def test_what_is_joined_by_an_index_or_mapped_is_numpys(dtype, tmp_path):
    x = numpy.arange(3).astype(dtype)
    for join in (
        lambda np: np.r_[x, x[:1]],
        lambda np: np.c_[x, x],
        lambda np: np.r_["0,2", x, x],
        lambda np: np.r_["-1", x, x],
    ):
        ours, theirs = join(heddle), join(numpy)
        assert type(ours) is numpy.ndarray and ours.dtype == theirs.dtype
        assert ours.tolist() == theirs.tolist()
    if dtype is object:
        return
    numpy.save(tmp_path / "x.npy", x)
    for mode in (None, "r", "c", "r+"):
        ours, theirs = (np.load(tmp_path / "x.npy", mode) for np in (heddle, numpy))
        assert type(ours) is type(theirs) and ours.tolist() == theirs.tolist()


@pytest.mark.host_memory
def test_text_beside_arrays_of_ours_is_joined():
    theirs = numpy.r_[numpy.array(["x"]), numpy.arange(2)]
    assert heddle.r_[numpy.array(["x"]), heddle.arange(2)].tolist() == theirs.tolist()


def test_records_are_sorted_by_their_fields():
    x = numpy.array([("b", 2), ("a", 2), ("c", 1)], [("name", "S1"), ("n", "i4")])
    order = {"order": ["n", "name"]}
    for name in ("sort", "argsort"):
        ours, theirs = (getattr(np, name)(x, **order) for np in (heddle, numpy))
        assert ours.tolist() == theirs.tolist()
    for name in ("partition", "argpartition"):
        ours, theirs = (getattr(np, name)(x, range(3), **order) for np in (heddle, numpy))
        assert ours.tolist() == theirs.tolist()
    with pytest.raises(ValueError, match="Cannot specify order when the array has no fields"):
        heddle.argsort(heddle.arange(3), order="n")


def test_histograms_between_long_doubles():
    beyond = numpy.finfo("g").eps + 1
    for np in (heddle, numpy):
        counts, edges = np.histogram(numpy.ones(1, "f4"), 1, numpy.array([beyond, 2], "g"))
        assert counts.tolist() == [0] and edges.dtype == "g"


def test_copies_keep_the_class_where_asked():
    x = numpy.ma.array([1, 2], mask=[0, 1])
    kept = heddle.copy(x, subok=True)
    assert type(kept) is type(x) and kept.mask.tolist() == [False, True] and kept is not x
    assert type(heddle.copy(x)) is heddle.ndarray


def test_numbers_are_never_numpys_arrays():
    check(lambda np: np.can_cast("i4", None))
    assert isinstance(heddle.asarray(["1", "2"], dtype=float), _core.own_array)
    for call in (
        lambda: heddle.mean(heddle.ones(3), axis="a"),
        lambda: heddle.sum(["a", "b"]),
        lambda: heddle.add(heddle.ones(3), "a"),
    ):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(ValueError, match="inhomogeneous"):
        heddle.array([[1, 2], [3]])


# --- what is no number, beside arrays of ours ---


class Symbol:
    """An object that knows numbers, and no arrays: NumPy computes with it element by element."""

    def __init__(self, text):
        self.text = text

    def __mul__(self, times):
        return Symbol(self.text * int(times)) if numpy.ndim(times) == 0 else NotImplemented

    __rmul__ = __mul__

    def __eq__(self, other):
        return (isinstance(other, float) and len(self.text) == other) or (
            isinstance(other, Symbol) and self.text == other.text
        )

    def __le__(self, other):
        return len(self.text) <= other

    def __ge__(self, other):
        return len(self.text) >= other

    __hash__ = None


class Ruler(Symbol):
    """One that wants to be asked before arrays are, as NumPy's rules allow."""

    __array_priority__ = 5

    def __radd__(self, other):
        return "asked"


DATES = numpy.array(["2020-02-01", "2020-01-01", "NaT"], "M8[D]")

BESIDE = {
    "objects": lambda np, x: x + numpy.array([1, 2.5, 3], object),
    "objects on the left": lambda np, x: numpy.array([1, 2.5, 3], object) - x,
    "a product with objects": lambda np, x: x @ numpy.array([1, 2.5, 3], object),
    "objects in a ufunc": lambda np, x: np.multiply(x, numpy.array([1, 2, 3], object)),
    "objects that are compared": lambda np, x: x == numpy.array([None, 1, 2.0], object),
    "fractions": lambda np, x: x.astype(int) * fractions.Fraction(1, 2),
    "symbols": lambda np, x: x.astype(int) * Symbol("s"),
    "symbols on the left": lambda np, x: Symbol("s") * x.astype(int),
    "not more than symbols": lambda np, x: x <= Symbol("ab"),
    "symbols that are greater": lambda np, x: Symbol("ab") >= x,
    "symbols that are equal": lambda np, x: x == Symbol("ab"),
    "nothing equals none": lambda np, x: x != None,  # noqa: E711 - elements are compared
    "text that is no number": lambda np, x: x == np.array(["0", "a", "b"]),
    "a list of text": lambda np, x: x != ["0", "a", "b"],
    "a word": lambda np, x: x != numpy.str_("a"),
    "a date": lambda np, x: x == DATES[0],
    "a choice of text": lambda np, x: np.where(x > 0, "more", "less"),
    "a choice of none": lambda np, x: np.where(x > 0, None, 1),
    "select": lambda np, x: np.select([x > 1, x > 0], ["a", "b"], "c"),
    "dates after days": lambda np, x: DATES[:1] + x.astype(int),
    "days": lambda np, x: x.astype("m8[D]"),
    "text of numbers": lambda np, x: x.astype(str),
    "bytes for other machines": lambda np, x: x.astype(">f4"),
    "zeros of other machines": lambda np, x: np.zeros(3, ">i2"),
    "an array of other machines": lambda np, x: np.array([x[1], 2], dtype=">i2"),
    "many days": lambda np, x: np.arange(np.datetime64("2020-01-01"), np.datetime64("2020-01-04")),
    "differences of dates": lambda np, x: np.diff(DATES),
    "dates that are none": lambda np, x: np.isnat(DATES),
    "text in rows": lambda np, x: np.column_stack((x, ["a", "b", "c"])),
    "text of a file": lambda np, x: np.loadtxt(["a b", "c d"], dtype=str),
    "columns of a file": lambda np, x: np.genfromtxt(["1,a", "2,b"], dtype=None, delimiter=","),
    "text of an iterator": lambda np, x: np.fromiter(iter("ab"), "U1"),
    "fractions of a polynomial": lambda np, x: float(np.polyval([1, 2], fractions.Fraction(1, 2))),
    "a fraction of elements": lambda np, x: float(np.percentile([1, 2, 3], fractions.Fraction(50))),
    "steps of fractions": lambda np, x: np.trapezoid(x, dx=fractions.Fraction(1, 2)),
    "functions of text": lambda np, x: np.char.upper(np.array(["a", "b"])),
    "formats": lambda np, x: np.char.mod("%.1f", x),
    "functions that give text": lambda np, x: np.vectorize(lambda v: "ab"[int(v) % 2])(x),
    "functions of objects": lambda np, x: np.frompyfunc(lambda v: v + 1, 1, 1)(x),
    "selected text": lambda np, x: np.array(["a", "b", "c"])[x > 0],
    "rows of names": lambda np, x: x[np.array(["a", "b", "a"]) == "a"],
    "long doubles": lambda np, x: x * np.longdouble(2) + np.ones(3, np.longdouble),
    "a ufunc for objects": lambda np, x: np.multiply(x.astype(int), 2**70, dtype=object),
    "a ufunc for long doubles": lambda np, x: np.add(x, 1, dtype=np.longdouble),
    "a signature of objects": lambda np, x: np.multiply.outer(x, x, signature="OO->O"),
    "records": lambda np, x: np.array([(1, 2.0)], [("a", int), ("b", float)])["b"] + x,
}


@pytest.mark.host_memory
@pytest.mark.parametrize("case", BESIDE)
def test_what_is_no_number_beside_arrays(case):
    theirs = BESIDE[case](numpy, numpy.arange(3.0))
    ours = BESIDE[case](heddle, heddle.arange(3.0))
    for one in (ours, theirs):
        assert isinstance(one, float) or type(one) in (numpy.ndarray, heddle.ndarray)
    ours, theirs = map(numpy.asarray, (ours, theirs))
    assert ours.dtype == theirs.dtype and ours.tolist() == theirs.tolist()


@pytest.mark.host_memory
@pytest.mark.parametrize("thing", [fractions.Fraction(1, 2), Symbol("s"), None, {}, "text"])
def test_arrays_stay_arrays_beside_objects(thing):
    """`x += thing` made another array, or an object, of the name where NumPy raises."""
    for np in (numpy, heddle):
        x = before = np.arange(3)
        with pytest.raises(TypeError):
            x *= thing
        assert x is before and x.tolist() == [0, 1, 2]


WRITTEN = {
    "a long double": lambda np, x: x.__setitem__(1, numpy.longdouble(2.5)),
    "a long double to integers": lambda np, x: x.astype(int).__setitem__(..., numpy.longdouble(7)),
    "long doubles": lambda np, x: x.__setitem__(..., numpy.ones(3, numpy.longdouble)),
    "a duration": lambda np, x: x.__setitem__(0, numpy.timedelta64(3, "s")),
    "text of numbers": lambda np, x: x.__setitem__(slice(2), numpy.array(["1.5", "2"])),
    "objects": lambda np, x: x.__setitem__(..., numpy.array([1, 2.5, 3], object)),
    "long doubles are added": lambda np, x: x.__iadd__(numpy.ones(3, numpy.longdouble)),
    "objects are added": lambda np, x: x.__iadd__(numpy.ones(3, object)),
    "durations are added": lambda np, x: x.__iadd__(numpy.ones(3, "m8[s]")),
    "a ufunc's output": lambda np, x: np.add(x, numpy.longdouble(2), out=x),
    "records": lambda np, x: x.__setitem__(0, numpy.array((1, 2.5), "i4,f8")),
}


@pytest.mark.written_outside  # NumPy adds long doubles in a view of the memory
@pytest.mark.host_memory
@pytest.mark.parametrize("case", WRITTEN)
def test_what_is_no_number_is_written_as_numpy_does(case):
    results = []
    for np in (numpy, heddle):
        x = np.arange(3.0)
        try:
            made = WRITTEN[case](np, x)
            assert made is None or made is x
            results.append(x.tolist())
        except TypeError:
            results.append((TypeError, x.tolist()))
    assert results[0] == results[1]


@pytest.mark.parametrize("text", [b"ab", bytearray(b"ab")])
def test_text_does_not_become_longer_by_arrays(text):
    """Python appended the memory."""
    for x in (numpy.arange(3), heddle.arange(3)):
        with pytest.raises((TypeError, ValueError)):
            text + x


@pytest.mark.host_memory
def test_objects_are_kept_themselves():
    """Lists among them were copied, arrays became views of NumPy's."""
    inner, x = [2, [3]], heddle.arange(3)
    held = heddle.array([1, inner, x, None], object)
    assert held[1] is inner and held[2] is x
    assert heddle.array([x, x], object).tolist() == [[0, 1, 2], [0, 1, 2]]
    assert heddle.ndarray((2,), object).dtype == object


def test_empty_records_of_a_buffer():
    """Their size, zero, was divided by."""
    empty = numpy.dtype([])
    assert heddle.frombuffer(numpy.zeros(3, empty), empty, 3).dtype == empty


def test_objects_that_are_asked_first():
    for x in (numpy.arange(3), heddle.arange(3)):
        assert x + Ruler("a") == "asked"


@pytest.mark.host_memory
def test_matrices_of_numpy():
    for np in (numpy, heddle):
        x = np.arange(3.0)
        product = np.asmatrix(np.stack([x, x])) * np.matrix(x).T
        assert type(product) is numpy.matrix and product.tolist() == [[5], [5]]


@pytest.mark.host_memory
def test_no_numbers_beside_what_is_differentiated():
    """The derivative goes no further, and that is said."""
    with pytest.warns(UserWarning, match="gradient"):
        heddle.grad(lambda x: float((x + numpy.array([1.0], object))[0]) * x.sum())(heddle.ones(1))


def test_no_numbers_of_devices():
    x = heddle.arange(3.0)
    if not x.device.startswith("cpu"):
        with pytest.raises(TypeError, match="Implicit conversion"):
            x + numpy.array([1, 2.5, 3], object)


@pytest.mark.host_memory
def test_products_with_matrices_of_numpy():
    m = numpy.matrix([[1.0, 2.0], [3.0, 4.0]])
    x = heddle.arange(4.0).reshape(2, 2)
    n = x.get()
    for ours, theirs in ((m * x, m * n), (x * m, n * m), (x + m, n + m)):
        numpy.testing.assert_array_equal(numpy.asarray(ours), numpy.asarray(theirs))


@pytest.mark.unrecorded("whoever records hears of numbers before they are known")
@pytest.mark.host_memory
@pytest.mark.parametrize(
    "given", [[1.0, 2.0, 4.0], (1, 2, 4), numpy.array([1, 2, 4], "f4")], ids=str
)
def test_numbers_made_of_others_are_numpys(given):
    for function in ("sum", "mean", "max", "argmax", "std", "median", "ptp", "prod", "any"):
        ours, theirs = (getattr(np, function)(given) for np in (heddle, numpy))
        assert type(ours) is type(theirs)
        numpy.testing.assert_allclose(ours, theirs, rtol=1e-6)
    assert type(heddle.round(2.567, 1)) is type(numpy.round(2.567, 1))
    assert isinstance(heddle.sum([1.0, heddle.ones(3).sum()]), _core.own_array)
    assert (
        heddle.grad(lambda x: heddle.sum([x[0], 2.0]) * heddle.mean(given))(heddle.ones(2))[0] > 2
    )


WRITES = {
    "put": lambda np, f, g: np.put(f, [0, 2], [5.0, 7.0]),
    "putmask": lambda np, f, g: np.putmask(f, np.arange(4) > 1, 9),
    "place": lambda np, f, g: np.place(f, np.arange(4) > 1, [7, 8]),
    "copyto": lambda np, f, g: np.copyto(f, np.ones(4), where=np.arange(4) > 2),
    "fill_diagonal": lambda np, f, g: np.fill_diagonal(g, np.arange(3.0)),
    "put_along_axis": lambda np, f, g: np.put_along_axis(f, np.array([1]), 9, 0),
    "text": lambda np, f, g: np.put(g, [0], numpy.array(["2"])),
}


@pytest.mark.host_memory
@pytest.mark.parametrize("name", WRITES)
def test_writes_to_arrays_of_numpys(name):
    """NumPy writes to its own arrays, also what is an array of ours."""
    wanted, given = ((numpy.arange(4.0), numpy.zeros((3, 3))) for _ in range(2))
    WRITES[name](numpy, *wanted)
    WRITES[name](heddle, *given)
    for theirs, ours in zip(wanted, given, strict=True):
        numpy.testing.assert_array_equal(ours, theirs)


def test_numbers_that_functions_make_of_text_are_arrays_of_ours():
    words = numpy.array(["b", "a", "b"])
    found = heddle.unique(words, return_index=True)
    assert type(found[0]) is numpy.ndarray and found[0].tolist() == ["a", "b"]
    assert type(found[1]) is heddle.ndarray and found[1].tolist() == [1, 0]
    for made in (heddle.argsort(words), heddle.isin(words, ["a"]), heddle.nonzero(words == "b")[0]):
        assert type(made) is heddle.ndarray
    assert heddle.argsort(words).tolist() == [1, 0, 2]
    out = numpy.empty(3, bool)
    assert heddle.equal(words, "b", out=out) is out and out.tolist() == [True, False, True]
