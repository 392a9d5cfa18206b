"""What compilers have written is found on disk by those who come later, if it still holds."""

import math
import types

import numpy as np
import pytest

import heddle as hd
from heddle import _core, simt
from heddle._compiled import saved
from heddle.simt._compiler import Compiler
from heddle.simt._host import HostCompiler

FACTOR = 3


def helper(x):
    return math.floor(x) + FACTOR


class Settings:
    shift = 10


@simt.func
def weight(i):
    return i % FACTOR


def total(x, n):
    s = 0
    for i in range(min(n, len(x))):
        s += helper(x[i]) * Settings.shift * weight(i)
    if n < 0:
        raise ValueError("negative")
    return s


@pytest.fixture
def kept():
    """Skips where there is no cache on disk."""
    key = b"k" * 32
    _core.cache_store(key, b"there")
    if _core.cache_load(key) != b"there":
        pytest.skip("there is no cache on disk")


def never(self, signature):
    raise AssertionError("compiled again")


def moved(function, **names):
    """The same function, with other globals."""
    return types.FunctionType(
        function.__code__, {**function.__globals__, **names}, function.__name__
    )


def test_it_is_found(kept, monkeypatch):
    x = np.arange(5.0)
    wanted = hd.njit(total)(x, 4)
    assert wanted == total(x, 4)
    monkeypatch.setattr(HostCompiler, "compile", never)
    again = hd.njit(total)
    assert again(x, 4) == wanted
    with pytest.raises(ValueError, match="negative"):
        again(x, -1)
    with pytest.raises(AssertionError, match="compiled again"):
        again(x.astype(np.float32), 4)


@pytest.mark.parametrize(
    "names",
    [
        {"FACTOR": 4},
        {"Settings": types.SimpleNamespace(shift=7)},
        {"helper": lambda x: 1},
        {"min": max},
        {"math": np},
    ],
)
def test_it_is_not_found_where_something_has_changed(kept, monkeypatch, names):
    x = np.arange(5.0)
    hd.njit(total)(x, 4)
    monkeypatch.setattr(HostCompiler, "compile", never)
    if "FACTOR" in names or "math" in names:
        changed = moved(total, helper=moved(helper, **names))
    else:
        changed = moved(total, **names)
    with pytest.raises(AssertionError, match="compiled again"):
        hd.njit(changed)(x, 4)
    assert hd.njit(moved(total))(x, 4) == total(x, 4)


def test_options_and_signatures_are_told_apart(kept):
    def keys(**options):
        return saved._key(total, "pM1ui", options)

    assert keys(numba=True) != keys(numba=False)
    assert saved._key(total, "pM1ui", {}) != saved._key(total, "pM1si", {})
    assert saved._key(total, "r0:pC2u", {}) is None


def test_what_cannot_be_compared_is_not_kept(kept, monkeypatch):
    class Odd:
        size = 3

    odd = Odd()

    def sized(n):
        return n + odd.size

    assert hd.njit(sized)(1) == 4
    monkeypatch.setattr(HostCompiler, "compile", never)
    with pytest.raises(AssertionError, match="compiled again"):
        hd.njit(sized)(1)


def doubled(x):
    i = simt.grid(1)
    if i < x.size:
        x[i] *= FACTOR


def test_kernels_are_found(kept, monkeypatch):
    x = hd.ones(10)
    simt.kernel(doubled)[1, 32](x)
    monkeypatch.setattr(Compiler, "compile", never)
    simt.kernel(doubled)[1, 32](x)
    assert x[3] == 9
    with pytest.raises(AssertionError):
        simt.kernel(doubled, debug=True)[1, 32](x)


def test_functions_of_the_package_are_told_apart_by_their_code():
    def one(x):
        return x + 1

    def other(x):
        return x + 2

    def renamed(function, module):
        made = types.FunctionType(function.__code__, {}, "same")
        made.__module__, made.__qualname__ = module, "same"
        return saved._print_of(made)

    for module in ("heddle.scipy.signal._kernels", "program"):
        assert renamed(one, module) != renamed(other, module)
    assert renamed(one, "heddle.simt._math") == renamed(other, "heddle.simt._math")
