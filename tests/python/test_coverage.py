"""NumPy's names: signatures as NumPy's, and errors that say what to use for what is not here."""

import importlib
import inspect
from inspect import Parameter

import numpy
import pytest
from numpy import _NoValue
from support import NEWER

import heddle
from heddle._names.absent import NUMPYS

SPACES = [
    "numpy",
    "ndarray",
    "linalg",
    "fft",
    "random",
    "random.Generator",
    "random.RandomState",
    "emath",
    "polynomial",
    "polynomial.polynomial",
    "polynomial.chebyshev",
    "polynomial.legendre",
    "polynomial.laguerre",
    "polynomial.hermite",
    "polynomial.hermite_e",
    "polynomial.polyutils",
    "polynomial.Polynomial",
    "polynomial.Chebyshev",
    "poly1d",
    "lib.stride_tricks",
]

# Where a signature is not NumPy's, and why.
EXCEPTIONS = {
    "numpy.arange": "`start` and `dtype` may be given as in releases before 2.4",
    "numpy.argsort": "`descending`, of NumPy 2.5",
    "numpy.errstate": "`linalg`, of CuPy",
    "numpy.sort": "`descending`, of NumPy 2.5",
    "lib.stride_tricks.as_strided": "`check_bounds`, of NumPy 2.5",
    "fft.fftfreq": "`dtype`, of the array API standard",
    "fft.rfftfreq": "`dtype`, of the array API standard",
    "numpy.einsum": "names the keywords that NumPy's takes without names",
    "numpy.einsum_path": "without NumPy's `einsum_call`, which is for itself",
    "numpy.info": "looks into Heddle by default",
    "numpy.matrix": "for isinstance alone",
    "numpy.flatiter": "made by arrays, not by users",
    "numpy.ndarray": "compiled, and tells nothing",
    "ndarray.choose": "takes the choices as several arguments as well, as NumPy's does",
    "ndarray.view": "names its two arguments",
    "ndarray.setflags": "takes its flags by position as well, as releases before 2.4",
}

POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
VARIABLE = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


def found(module, title):
    """The module or class of that title; None where there is none."""
    for part in () if title == "numpy" else title.split("."):
        module = getattr(module, part, None)
    return module


def public(space):
    names = getattr(space, "__all__", None) if inspect.ismodule(space) else None
    return sorted(n for n in (dir(space) if names is None else names) if not n.startswith("_"))


def signature(function):
    """The parameters of a function without self; None where NumPy does not tell."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None
    return parameters


def callables():
    for title in SPACES:
        theirs, ours = found(numpy, title), found(heddle, title)
        if ours is None:
            continue
        for name in public(theirs):
            function, mine = getattr(theirs, name), getattr(ours, name, None)
            told = callable(function) and not isinstance(function, numpy.ufunc)
            if told and mine is not None and mine is not function and signature(function):
                yield pytest.param(f"{title}.{name}", function, mine, id=f"{title}.{name}")


def same_default(theirs, ours):
    if theirs is ours or ours is _NoValue:  # ours tells what was given, as NumPy's in C
        return True
    return type(theirs) is type(ours) and bool(theirs == ours)


def differences(theirs, ours, method):
    """What tells two lists of parameters apart, in words."""
    if method:
        theirs, ours = theirs[1:], ours[1:]
    mine = {p.name: p for p in ours}
    rest = {p.kind for p in ours}
    for p in theirs:
        if p.kind in VARIABLE:
            # Ours may name what NumPy's takes without names.
            if p.kind not in rest and not (method and p.kind is Parameter.VAR_KEYWORD):
                yield f"no {p}"
        elif p.name not in mine:
            if not (method and p.kind is Parameter.POSITIONAL_ONLY):
                yield f"no {p.name}"
        elif not same_default(p.default, mine[p.name].default):
            yield f"{p.name}: {mine[p.name].default!r} for {p.default!r}"
        elif p.kind is not mine[p.name].kind and not (
            method and mine[p.name].kind is Parameter.POSITIONAL_OR_KEYWORD
        ):
            yield f"{p.name}: {mine[p.name].kind.description} for {p.kind.description}"
    order = [p.name for p in theirs if p.kind in POSITIONAL and p.name in mine]
    if order != [p.name for p in ours if p.kind in POSITIONAL and p.name in order]:
        yield f"another order than {order}"
    named = {p.name for p in theirs}
    takes_any = any(p.kind in VARIABLE for p in theirs)
    for p in ours:
        if p.name not in named and p.kind not in VARIABLE and p.name != "device":
            optional = p.default is not Parameter.empty
            if not (method and (optional or takes_any)) and not any(
                q.kind is Parameter.POSITIONAL_ONLY and q.name not in mine for q in theirs
            ):
                yield f"{p.name} is not NumPy's"


@pytest.mark.parametrize(("name", "theirs", "ours"), list(callables()))
def test_signature(name, theirs, ours):
    if name in EXCEPTIONS:
        return
    parameters = signature(ours)
    assert parameters is not None, "cannot be looked at"
    in_class = inspect.isclass(found(numpy, name.rpartition(".")[0]))
    method = in_class and not inspect.ismethod(theirs)  # class methods are without their class
    told = list(differences(signature(theirs), parameters, method))
    if NEWER:  # what only later versions than the one that is listed have
        later = ("no ", "sep: ''")  # keywords, and that a text has to have a separator
        told = [t for t in told if not t.startswith(later) and "descending" not in t]
    assert not told, f"{inspect.signature(ours)} for {inspect.signature(theirs)}: {'; '.join(told)}"


# --- what is not here ---


def test_modules_can_be_imported():
    for name in ("emath", "polynomial", "polynomial.chebyshev", "testing", "lib.stride_tricks"):
        assert importlib.import_module(f"heddle.{name}").__name__.startswith("heddle.")
    assert {"polynomial", "emath", "poly1d", "roots"} <= set(dir(heddle))


def test_what_is_numpys_own():
    for name in ("exceptions", "dtypes", "lib.array_utils", "lib.mixins"):
        theirs = importlib.import_module(f"numpy.{name}")
        assert importlib.import_module(f"heddle.{name}") is theirs
        assert found(heddle, name) is theirs
    assert heddle.lib.scimath is heddle.emath
    x = heddle.arange(6).reshape(2, 3)
    assert heddle.lib.Arrayterator(x, 3).shape == (2, 3)


def test_names_that_are_left_out_say_what_to_use():
    with pytest.raises(AttributeError, match="use float64"):
        heddle.float128
    with pytest.raises(AttributeError, match="import it from there"):
        heddle.get_include
    with pytest.raises(AttributeError, match=r"no attribute 'no_such_name'$"):
        heddle.no_such_name
    for name in numpy.__all__:
        if not hasattr(heddle, name):
            with pytest.raises(AttributeError, match=f"{name}'(: | yet; NumPy's own works)"):
                getattr(heddle, name)


RECORD = numpy.zeros(2, [("a", "i4"), ("b", "f8")])


@pytest.mark.host_memory
@pytest.mark.parametrize(
    ("values", "use"),
    [
        (numpy.array([None, 1]), "keep Python's objects in a list"),
        (numpy.array(["1", "2"]), r"x\.astype\(float\)"),
        (numpy.array([b"1"]), r"x\.astype\(float\)"),
        (numpy.array(["2020-01-01"], "M8[D]"), r"x\.astype\('int64'\)"),
        (numpy.array([3], "m8[s]"), r"x\.astype\('int64'\)"),
        (RECORD, r"x\['name'\]"),
        (numpy.array([1], "g"), "use float64"),
        (numpy.array([1], "G"), "complex128"),
    ],
    ids=["object", "str", "bytes", "datetime", "timedelta", "record", "float128", "complex256"],
)
def test_types_that_arrays_do_not_hold(values, use):
    if values.dtype.char in "gG" and values.dtype.itemsize in (8, 16) and values.dtype == "f8":
        pytest.skip("longdouble is float64 here")
    for call in (
        lambda: heddle.asarray(values),
        lambda: heddle.array(values),
        lambda: heddle.zeros(2, values.dtype),
        lambda: heddle.empty_like(values),
        lambda: heddle.full(2, values[0], values.dtype),
        lambda: heddle.concatenate([values, values]),
        lambda: heddle.ones(2, "i8").astype(values.dtype),
    ):
        made = call()
        assert type(made) is numpy.ndarray and made.dtype.kind == values.dtype.kind
    with pytest.raises(TypeError, match=use):
        heddle.ones(2)._view(values.dtype)  # what users see is below
    x = heddle.ones(3)
    try:
        wanted = numpy.ones(3).view(values.dtype)
    except (TypeError, ValueError) as refusal:
        with pytest.raises(type(refusal)):
            x.view(values.dtype)
        return
    if not x._on_host:
        with pytest.raises(TypeError, match="Implicit conversion"):
            x.view(values.dtype)
        return
    found = x.view(values.dtype)
    assert type(found) is numpy.ndarray and found.dtype == wanted.dtype
    assert found.tobytes() == wanted.tobytes()


def test_byte_order():
    turned = numpy.dtype("f8").newbyteorder()
    assert heddle.asarray(numpy.ones(2, turned)).dtype == "f8"  # values are converted
    made = heddle.zeros(2, turned)  # what arrays of ours do not hold is NumPy's
    assert type(made) is numpy.ndarray and made.dtype == turned
    x = heddle.ones(2)
    if x._on_host:
        assert x.view(turned).tolist() == numpy.ones(2).view(turned).tolist()
    else:
        with pytest.raises(TypeError, match="Implicit conversion"):
            x.view(turned)


def test_devices_of_the_array_api():
    info = heddle.__array_namespace_info__()
    assert info.default_device() in info.devices()
    assert info.capabilities() == {
        "boolean indexing": True,
        "data-dependent shapes": True,
        "max dimensions": 64,
    }
    for device in (None, *info.devices()):
        assert info.default_dtypes(device=device)["real floating"] == numpy.float64
        assert set(info.dtypes(device=device, kind="bool")) == {"bool"}
    with pytest.raises(ValueError, match="no device 'nowhere'"):
        info.dtypes(device="nowhere")
    with pytest.raises(ValueError, match="no device 'nowhere'"):
        info.default_dtypes(device="nowhere")
    x = heddle.ones(3)
    assert x.__array_namespace__() is heddle
    assert x.__array_namespace__(api_version=heddle.__array_api_version__) is heddle
    with pytest.raises(ValueError, match="not supported"):
        x.__array_namespace__(api_version="2011.01")
    assert x.to_device(x.device) is x


def test_types_of_frequencies():
    for function in ("fftfreq", "rfftfreq"):
        theirs = getattr(numpy.fft, function)(7, 0.5)
        for dtype in ("f4", "f8"):
            ours = getattr(heddle.fft, function)(7, 0.5, dtype=numpy.dtype(dtype))
            assert ours.dtype == dtype
            numpy.testing.assert_array_equal(ours.get(), theirs.astype(dtype))
        with pytest.raises(ValueError, match="real floating-point"):
            getattr(heddle.fft, function)(7, dtype=int)


@pytest.mark.parametrize("name", sorted(NUMPYS))
def test_names_that_are_numpys_own(name):
    assert getattr(heddle, name) is getattr(numpy, name)
    if isinstance(getattr(heddle, name), type):
        assert not isinstance(heddle.ones(2), getattr(heddle, name))


def test_names_of_older_releases():
    for name, instead in {"unicode_": "str_", "longcomplex": "clongdouble"}.items():
        with pytest.raises(AttributeError, match=f"has no attribute '{name}'.*Use `np.{instead}`"):
            getattr(heddle, name)
    with pytest.raises(AttributeError, match=r"has no attribute 'nosuch'$"):
        _ = heddle.nosuch
