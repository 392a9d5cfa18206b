"""The examples at a small setting, through the same code; what they reach is checked loosely."""

import importlib
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples"

# What each gives, and whether that is good enough for a few steps.
EXAMPLES = {
    "perceptron": lambda accuracy: accuracy > 0.9,
    "convolutional_net": lambda accuracy: accuracy > 0.5,
    "inverse_problem": lambda error: error < 0.8,
    "gaussian_process": lambda results: results[0] < 0.3,
    "hamiltonian_monte_carlo": lambda results: results[0] < 1.1 and results[1] < 4,
    "orbits": lambda missing: missing < 0.05,
    "image_regions": lambda missed: missed < 0.05,
    "spectrogram": lambda error: error < 40,
    "filter_bank": lambda right: right > 0.9,
    "drum_modes": lambda error: error < 1e-3,
    "fft_convolution": lambda found: found > 0.9,
    "sparse_poisson": lambda error: error < 0.01,
    "graph_distances": lambda reached: reached > 0.9,
    "image_denoising": lambda left: left < 0.5,
    "nearest_neighbours": lambda right: right == 1,
    "spline_surface": lambda better: better < 0.1,
}


@pytest.fixture
def folder(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    before = set(sys.modules)
    yield FOLDER
    for name in set(sys.modules) - before:
        if name in EXAMPLES or name == "common":
            del sys.modules[name]


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name, folder, tmp_path, capsys):
    example = importlib.import_module(name)
    reached = EXAMPLES[name](example.main(small=True, out=tmp_path))
    shown = capsys.readouterr()
    assert reached, shown.out
    assert "[########################]" in shown.err  # the bar, when all is done
    plot = tmp_path / f"{name}.png"
    try:
        importlib.import_module("matplotlib")
    except ImportError:
        assert "matplotlib is not installed" in shown.out and str(plot) in shown.out
    else:
        assert plot.stat().st_size > 10_000


def test_readme_has_a_line_for_each_example():
    readme = (FOLDER.parent / "README.md").read_text()
    for path in FOLDER.glob("*.py"):
        if path.stem != "common":
            assert f"examples/{path.name}" in readme or path.stem == "tour"
