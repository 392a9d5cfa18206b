"""heddle.debug and heddle.draw: looking at what runs."""

import shutil
import warnings

import numpy as np
import pytest

import heddle as hd

pytestmark = pytest.mark.unrecorded("records itself")


# --- nan ---


def test_the_operation_and_the_line_are_named():
    x = hd.array([1.0, -1.0])
    with hd.debug.check_nans():
        hd.sqrt(hd.abs(x))
        with pytest.raises(FloatingPointError, match=r"log makes nan, at .*test_debug.py:\d+"):
            hd.log(x)
    assert not hd._core.recording()
    assert np.isnan(hd.asnumpy(hd.log(x))[1])


def test_infinities_are_asked_for():
    x = hd.array([1.0, 0.0])
    with hd.debug.check_nans():
        1 / x
    with (
        hd.debug.check_nans(infs=True),
        pytest.raises(FloatingPointError, match="divide makes inf"),
    ):
        1 / x


def test_nan_in_transformed_functions():
    def f(x):
        return hd.sqrt(x - 1).sum()

    with hd.debug.check_nans():
        for g in (hd.jit(f), hd.grad(f), hd.vmap(f), hd.jit(hd.vmap(hd.grad(f)))):
            rows = hd.array([[0.5, 2.0], [1.5, 2.0]])
            with pytest.raises(FloatingPointError, match="sqrt makes nan"):
                g(rows if "vmap" in repr(g) or g.__name__ == "f" else rows[0])
    # Backward, where the function itself is well.
    with hd.debug.check_nans(), pytest.raises(FloatingPointError, match=r"nan|inf"):
        hd.grad(lambda x: hd.sqrt(x * x).sum())(hd.zeros(2))


def test_recorded_functions_are_checked_too():
    f = hd.jit(lambda x: hd.log(x))
    f(hd.ones(2))
    f(hd.ones(2))
    with hd.debug.check_nans(), pytest.raises(FloatingPointError, match="log"):
        f(hd.full(2, -1.0))


# --- effects ---


def test_printing_in_every_call(capsys):
    @hd.jit
    def f(x):
        hd.debug.print("x = {} and {name}", x.sum(), name=x[0])
        return x * 2

    for i in range(3):
        f(hd.ones(2) * i)
    assert capsys.readouterr().out.splitlines() == [
        f"x = {2.0 * i} and {1.0 * i}" for i in range(3)
    ]


def test_callbacks_see_values_as_they_are():
    seen = []

    @hd.jit
    def f(x):
        y = x.copy()
        hd.debug.callback(lambda a, k: seen.append((a.tolist(), k)), y, "before")
        y += 1
        hd.debug.callback(lambda a, k: seen.append((a.tolist(), k)), y, "after")
        return y

    for i in range(3):
        f(hd.full(1, float(i)))
    assert seen == [pair for i in range(3) for pair in (([i], "before"), ([i + 1], "after"))]


def test_rows_and_derivatives(capsys):
    hd.vmap(lambda x: hd.debug.print("{}", x) or x)(hd.arange(3.0))
    hd.jit(hd.vmap(lambda x: hd.debug.print("{}", x * 2) or x))(hd.arange(2.0))
    assert capsys.readouterr().out.split() == ["0.0", "1.0", "2.0", "0.0", "2.0"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hd.grad(lambda x: hd.debug.print("{}", x) or x * x)(3.0)
    assert capsys.readouterr().out.split() == ["3.0"]


def test_nested_recordings(capsys):
    inner = hd.jit(lambda x: hd.debug.print("in {}", x) or x + 1)
    outer = hd.jit(lambda x: inner(inner(x)))
    for i in range(3):
        outer(hd.full((), float(10 * i)))
    lines = capsys.readouterr().out.split("\n")[:-1]
    assert lines == [f"in {10.0 * i + j}" for i in range(3) for j in (0, 1)]


# --- pictures ---


def test_text_of_a_picture():
    x = hd.ones(1000).eval()  # a number of fewer would be known at once
    text = str(hd.draw(lambda x: (hd.sin(x) * 2).sum(), x))
    assert text.startswith("kernel 1")
    assert "sin(memory float64[1000])" in text
    assert "add.reduce" in text
    assert "-> memory" in text
    two = str(hd.draw((hd.ones((4, 4)) + 1) @ hd.ones((4, 4))))
    assert "library call" in two
    assert "nothing is pending" in str(hd.draw(x))


def test_the_language_of_graphviz():
    drawing = hd.draw(hd.cumsum(hd.arange(5.0) ** 2)[::-1] * 2)
    assert drawing.dot.startswith("digraph {")
    assert drawing.dot.count("{") == drawing.dot.count("}")
    assert "cluster_1" in drawing.dot
    assert drawing.dot.count("->") >= 2


@pytest.mark.skipif(shutil.which("dot") is None, reason="graphviz is not installed")
def test_svg(tmp_path):
    drawing = hd.draw(hd.sin(hd.ones(3)))
    assert "<svg" in drawing.svg()
    drawing.save(tmp_path / "picture.svg")
    assert "<svg" in (tmp_path / "picture.svg").read_text()


def test_without_graphviz(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    drawing = hd.draw(hd.sin(hd.ones(3)))
    assert drawing.svg() is None
    drawing.save(tmp_path / "picture.dot")
    assert (tmp_path / "picture.dot").read_text() == drawing.dot


def test_bad_calls():
    with pytest.raises(TypeError, match="no array"):
        hd.draw(3)
    with pytest.raises(TypeError, match="arguments"):
        hd.draw(hd.ones(2), 3)
