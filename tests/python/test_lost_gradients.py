"""Elements that leave an array which is differentiated: what is made of them is constant."""

import copy
import math
import operator
import pickle
import warnings

import numpy as np
import pytest

import heddle as hd

LEAVING = {
    "float": float,
    "int": int,
    "complex": lambda x: complex(x).real,
    "item": lambda x: x.item(),
    "tolist": lambda x: x.tolist(),
    "math.sin": math.sin,
    "math.floor": math.floor,
    "round": round,
    "asnumpy": hd.asnumpy,
    "get": lambda x: x.get(),
    "tobytes": lambda x: len(x.tobytes()),
    "pickle": pickle.dumps,
}
ON_THE_HOST = {
    "numpy.asarray": np.asarray,
    "memoryview": lambda x: memoryview(x).nbytes,
}
STAYING = {
    "bool": bool,
    "if": lambda x: 1.0 if x > 0 else 2.0,
    "comparison": lambda x: (x > 0) + (x == 3),
    "str": str,
    "format": lambda x: f"{x}",
    "shape": lambda x: x.shape,
    "stop_gradient": lambda x: float(hd.stop_gradient(x)),
    "max": lambda x: max(x, 1),
    "round to digits": lambda x: round(x, 1),
    "copy": copy.deepcopy,
}


def used(function):
    def f(x):
        function(x)
        return x * x

    return f


@pytest.mark.parametrize("name", LEAVING)
@pytest.mark.parametrize("transform", ["grad", "jvp"])
def test_warns_once_for_each_line(name, transform):
    f = used(LEAVING[name])
    along = {
        "grad": lambda: hd.grad(f)(3.0),
        "jvp": lambda: hd.jvp(f, (hd.array(3.0),), (hd.array(1.0),))[1],
    }[transform]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        globals().pop("__warningregistry__", None)
        for _ in range(3):
            assert float(along()) == 6
    lost = [one for one in caught if one.category is hd.LostGradientWarning]
    assert len(lost) == 1
    assert lost[0].filename == __file__


@pytest.mark.host_memory
@pytest.mark.parametrize("name", ON_THE_HOST)
def test_memory_that_others_see(name):
    with pytest.warns(hd.LostGradientWarning):
        hd.grad(used(ON_THE_HOST[name]))(3.0)


@pytest.mark.parametrize("name", STAYING)
def test_what_decides_or_shows_says_nothing(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert float(hd.grad(used(STAYING[name]))(3.0)) == 6


def test_values_outside_say_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y = hd.array(2.0)
        assert float(hd.grad(lambda x: x * float(y) + float(hd.sin(y)))(3.0)) == 2
        value, slope = hd.value_and_grad(lambda x: x * x)(3.0)
        assert (float(value), float(slope)) == (9, 6)


@pytest.mark.unrecorded("is about who records")
def test_modes():
    assert hd.get_lost_gradients() == "warn"
    f = hd.grad(lambda x: x * float(x))
    try:
        hd.set_lost_gradients("raise")
        with pytest.raises(TypeError, match=r"float.* is differentiated"):
            f(3.0)
        assert not hd._core.recording()
        hd.set_lost_gradients("ignore")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert float(f(3.0)) == 3
    finally:
        hd.set_lost_gradients("warn")
    with pytest.raises(ValueError, match="mode"):
        hd.set_lost_gradients("loud")


def _rows_of_lists(x):
    made = hd.zeros((3, 2))
    made[0] = [x[0] * 2, x[1]]
    made[1:] = [[x[1], 1.0], [2.0, x[0]]]
    made[:, ::-1] = made * [x[0], 3.0]
    made[[2, 0]] += (x[1], x[0])
    return made


def _counted(x):
    return hd.fromiter((one * 2 for one in x), float, count=2)


HELD_BY_LISTS = {
    "writes": _rows_of_lists,
    "operator": lambda x: [x[0] * 2, x[1]] * hd.ones(2),
    "in place": lambda x: operator.iadd(x * 1.0, [x[1], x[0] ** 2]),
    "at": lambda x: (x * 3).at[:2].set([x[1], x[0]]),
    "mask": lambda x: hd.where([True, False], [x[0], x[1]], (x[1], 2.0)),
    "fromiter": _counted,
    "full": lambda x: hd.full((3, 2), [x[0], x[1]]),
    "pad": lambda x: hd.pad(x[None], 1, constant_values=[(x[0], 1.0), (x[1], x[0] * 2)]),
    "pad by one": lambda x: hd.pad(x, (0, 2), constant_values=x[0]),
}


@pytest.mark.parametrize("name", HELD_BY_LISTS)
def test_lists_of_elements_are_followed(name, recwarn):
    """They were looked at, so that what was made of them had no derivative, or no rows."""
    f, x = HELD_BY_LISTS[name], hd.array([0.3, 0.7])
    hd.debug.check_grads(f, (x,), order=2)
    rows = hd.stack([x, x * 2])
    hd.testing.assert_allclose(hd.vmap(f)(rows), hd.stack([f(row) for row in rows]))
    hd.testing.assert_allclose(hd.jit(f)(x), f(x))
    assert not [one for one in recwarn if one.category is hd.LostGradientWarning]


def test_parameters_in_lists_are_followed():
    def f(x):
        return hd.random.default_rng(1).normal([x[0], 2.0], [1.0, x[1]])

    hd.debug.check_grads(f, (hd.array([0.3, 0.7]),), order=1)
