"""heddle.scipy as a package: modules under both names, SciPy's own functions, what is not there."""

import importlib
import os
import subprocess
import sys
import threading

import numpy
import pytest
import scipy.stats

import heddle
from heddle import _core
from heddle.scipy import _generic


@pytest.mark.parametrize("name", heddle.scipy.__all__)
def test_modules_have_both_names(name):
    module = importlib.import_module(f"heddle.scipy.{name}")
    assert importlib.import_module(f"heddle.cupyx.scipy.{name}") is module
    assert getattr(heddle.scipy, name) is module is getattr(heddle.cupyx.scipy, name)
    assert module.__spec__.name == module.__name__
    assert all(hasattr(module, n) for n in module.__all__)


@pytest.mark.parametrize("name", ["linalg.lapack", "signal.windows", "sparse.linalg"])
def test_modules_in_modules_have_both_names(name):
    code = f"""
import importlib
second = importlib.import_module("heddle.cupyx.scipy.{name}")
assert second is importlib.import_module("heddle.scipy.{name}")
assert second.__name__ == "heddle.scipy.{name}" == second.__spec__.name
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_array_modules():
    of = heddle.cupyx.scipy.get_array_module
    assert of(numpy.ones(2), heddle.ones(2)) is heddle.scipy
    assert of(numpy.ones(2)) is importlib.import_module("scipy")


def test_nothing_native_needs_scipy():
    code = """
import sys
sys.modules["scipy"] = None
import heddle
for name in heddle.scipy.__all__:
    module = getattr(heddle.scipy, name)
    for each in module.__all__:
        getattr(module, each)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("space", ["heddle.scipy", "heddle.cupyx.scipy"])
def test_modules_that_are_not_there(space):
    module = importlib.import_module(space)
    with pytest.raises(AttributeError, match=r"has no attribute 'no_such_module' yet"):
        module.no_such_module
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(f"{space}.no_such_module")


def test_functions_of_scipy_stay_on_the_device():
    zscore = _generic.generic(scipy.stats.zscore)
    _generic._make_switchable()
    x = heddle.asarray([1.0, 2.0, 4.0])
    found = zscore(x)
    assert isinstance(found, _core.own_array) and found.device == x.device
    expected = scipy.stats.zscore(numpy.array([1.0, 2.0, 4.0]))
    assert isinstance(expected, numpy.ndarray)  # the mode is off again
    numpy.testing.assert_allclose(heddle.asnumpy(found), expected, rtol=1e-15)
    assert isinstance(zscore(numpy.arange(3.0)), _core.own_array)


def test_the_mode_belongs_to_the_call():
    _generic._make_switchable()
    switch = sys.modules["scipy._lib._array_api_override"]
    seen = []

    def look():
        seen.append(bool(switch.SCIPY_ARRAY_API))
        other = threading.Thread(target=lambda: seen.append(bool(switch.SCIPY_ARRAY_API)))
        other.start()
        other.join()

    before = bool(switch.SCIPY_ARRAY_API)
    _generic.generic(look)()
    assert seen == [True, before] and bool(switch.SCIPY_ARRAY_API) == before


def test_names_that_are_not_there():
    find = _generic.open_module("heddle.scipy.stats", ("zscore",))
    with pytest.raises(AttributeError, match="has no attribute 'norm' yet; SciPy's own"):
        find("norm")
    with pytest.raises(AttributeError, match=r"has no attribute 'no_such_name'$"):
        find("no_such_name")


FILTERS_IN_ITS_MODE = """
import heddle, numpy
import scipy.fft, scipy.ndimage, scipy.signal
from scipy.signal import lfilter

image, taps = numpy.arange(24.0).reshape(4, 6) % 7, numpy.array([0.5, 0.25])
uses = {
    "gaussian_filter": lambda there: scipy.ndimage.gaussian_filter(there(image), 1.0),
    "label": lambda there: scipy.ndimage.label(there(image) > 4)[0],
    "shift": lambda there: scipy.ndimage.shift(there(image), [1.5, 0.5]),
    "lfilter": lambda there: lfilter(there(taps), there(taps[::-1]), there(image), axis=0),
    "by name": lambda there: scipy.signal.medfilt(volume=there(image)),
    "butter": lambda there: scipy.signal.butter(3, there(numpy.asarray(0.3)))[1],
    "freqz": lambda there: scipy.signal.freqz(there(taps), worN=5)[1],
    "dct": lambda there: scipy.fft.dct(there(image)),
}
with heddle.device(heddle.default_device() if heddle.default_device() != "cpu" else "shadow"):
    for name, use in uses.items():
        made = use(heddle.asarray)
        assert isinstance(made, heddle._core.own_array), name
        wanted = use(numpy.asarray)
        assert isinstance(wanted, numpy.ndarray), name
        numpy.testing.assert_allclose(made.get(), wanted, rtol=1e-10, atol=1e-12)
    slices = scipy.ndimage.find_objects(heddle.asarray([0, 1, 1]))
    assert slices == [(slice(1, 3),)]
"""


def test_filters_in_scipys_array_api_mode():
    """What SciPy would give to CuPy's functions of the same names is given to ours."""
    environment = {**os.environ, "SCIPY_ARRAY_API": "1", "HEDDLE_SHADOW_DEVICE": "1"}
    for first in ("import heddle", "import scipy.signal, scipy.ndimage, scipy.fft"):
        program = f"{first}\n{FILTERS_IN_ITS_MODE}"
        subprocess.run([sys.executable, "-c", program], check=True, env=environment)


UFUNCS_IN_ITS_MODE = """
import heddle, numpy
import scipy.special._ufuncs as parts

numbers = numpy.array([0.25, 0.5])
with heddle.device(heddle.default_device() if heddle.default_device() != "cpu" else "shadow"):
    for name in ("erf", "gamma", "gammasgn", "xlogy", "betainc", "cbrt", "expm1", "exp2"):
        ufunc = getattr(parts, name)
        made = ufunc(*[heddle.asarray(numbers)] * ufunc.nin)
        assert isinstance(made, heddle._core.own_array), name
        wanted = ufunc(*[numbers] * ufunc.nin)
        numpy.testing.assert_allclose(made.get(), wanted, rtol=1e-13)
"""


def test_special_ufuncs_in_scipys_array_api_mode():
    # There names of scipy.special are functions around the ufuncs, which SciPy's own code calls.
    environment = {**os.environ, "SCIPY_ARRAY_API": "1", "HEDDLE_SHADOW_DEVICE": "1"}
    subprocess.run([sys.executable, "-c", UFUNCS_IN_ITS_MODE], check=True, env=environment)
