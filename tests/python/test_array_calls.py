"""array, asarray and their kind: combinations of type, order, copy and dimensions, and NumPy's."""

import itertools

import numpy as np
import pytest

import heddle as hd


def given(module):
    base = module.arange(12.0)
    return {
        "integers": module.arange(3),
        "matrix": base.reshape(3, 4),
        "transposed": base.reshape(3, 4).T,
        "strided": base[::2],
        "reversed": base.reshape(3, 2, 2)[:, ::-1],
        "fortran": module.asfortranarray(base.reshape(3, 4)),
        "no dimensions": module.array(5.0),
        "empty": module.zeros((0, 3)),
        "truth": module.array([True, False]),
        "complex": module.array([1j, 2]),
        "list": [1, 2],
        "nested": [[1.5, 2], [3, 4]],
        "tuple": (1, 2),
        "range": range(4),
        "range down": range(5, 0, -2),
        "no range": range(0),
        "number": 3,
        "float": 2.5,
        "nothing": [],
        "numpy": np.arange(6.0).reshape(2, 3).T,
    }


KEYWORDS = [
    {k: v for k, v in zip(("dtype", "order", "copy"), values, strict=True) if v != "missing"}
    for values in itertools.product(
        ("missing", float, "f4", "i8", bool),
        ("missing", "K", "C", "F", "A"),
        ("missing", True, False, None),
    )
]


def outcome(function, source, keywords):
    """What a call gives: elements, type, order, and whether it is the same array or memory."""
    try:
        made = function(source, **keywords)
    except (ValueError, TypeError) as error:
        return type(error)
    flags = made.flags.c_contiguous, made.flags.f_contiguous
    found = made.shape, str(made.dtype), np.asarray(made).tolist()
    if isinstance(source, np.ndarray) and isinstance(made, hd.ndarray):
        return found  # NumPy's arrays are copied
    if isinstance(source, (np.ndarray, hd.ndarray)):
        module = hd if isinstance(source, hd.ndarray) else np
        return *found, *flags, made is source, bool(module.shares_memory(made, source))
    return *found, *flags


@pytest.mark.host_memory
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("name", given(np))
def test_calls(name):
    theirs, ours = given(np)[name], given(hd)[name]
    calls = [("asarray", {}), ("array", {}), ("array", {"ndmin": 3}), ("array", {"ndmin": 1})]
    for (function, more), keywords in itertools.product(calls, KEYWORDS):
        expected = outcome(getattr(np, function), theirs, {**keywords, **more})
        found = outcome(getattr(hd, function), ours, {**keywords, **more})
        if name == "numpy" and isinstance(expected, tuple):
            expected = expected[:3]
        assert found == expected, (function, keywords, more)
    for function, dtype in itertools.product(("ascontiguousarray", "asfortranarray"), (None, "f4")):
        expected = outcome(getattr(np, function), theirs, {"dtype": dtype})
        if name == "numpy":
            expected = expected[:3]
        assert outcome(getattr(hd, function), ours, {"dtype": dtype}) == expected


@pytest.mark.parametrize("shape", [(4,), (3, 4), (2, 3, 2), ()])
def test_item(shape):
    expected = np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)
    x = hd.array(expected)
    size = expected.size
    for args in [
        (0,),
        (-1,),
        (size - 1,),
        (size,),
        (0, 0),
        (1, -1),
        ((0, 0),),
        (0, 0, 0),
        (1.5,),
        ("a",),
        (True,),
    ]:
        try:
            element = expected.item(*args)
        except (TypeError, ValueError, IndexError) as error:
            with pytest.raises(type(error)):
                x.item(*args)
        else:
            assert x.item(*args) == element
            assert type(x.item(*args)) is type(element)
    assert x.T.item(-1) == expected.T.item(-1)


@pytest.mark.parametrize("dtype", "?bBhHiIlLefdFD")
def test_tolist(dtype):
    for shape in [(), (0,), (3,), (2, 0), (0, 2), (2, 3), (2, 1, 2)]:
        expected = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
        for view in (lambda a: a, lambda a: a.T, lambda a: a[..., ::-1] if a.ndim else a):
            made = view(hd.array(expected)).tolist()
            assert repr(made) == repr(view(expected).tolist())


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_copyto():
    for value in (1, 2.5, True, 1j, np.float32(3), [1.0, 2, 3]):
        for dtype, keywords in itertools.product(
            ("f8", "f4", "i4", "c16"),
            ({}, {"casting": "no"}, {"casting": "unsafe"}, {"where": True}, {"casting": None}),
        ):
            expected, x = np.zeros(3, dtype), hd.zeros(3, dtype)
            try:
                np.copyto(expected, value, **keywords)
            except (TypeError, ValueError) as error:
                with pytest.raises(type(error)):
                    hd.copyto(x, value, **keywords)
            else:
                hd.copyto(x, value, **keywords)
            assert x.tolist() == expected.tolist(), (value, dtype, keywords)
