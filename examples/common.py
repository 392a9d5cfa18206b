"""What the examples share: their arguments, a progress bar, and plots where matplotlib is there."""

import argparse
import pathlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import heddle as np


def arguments(text: str) -> argparse.Namespace:
    """What every example understands on the command line; sets the device."""
    parser = argparse.ArgumentParser(description=text.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="a setting of a second or two")
    parser.add_argument("--device", default="", help="'cpu' or 'cuda'; else the usual one")
    parser.add_argument(
        "--out",
        type=pathlib.Path,
        default=pathlib.Path(__file__).parent,
        help="where the plot goes (default: beside the example)",
    )
    options = parser.parse_args()
    if options.device:
        np.default_device(options.device)
    return options


class Progress:
    """A bar with what is known: ``for i in (bar := Progress("fit", 100)): bar.say("...")``."""

    def __init__(self, title: str, steps: int) -> None:
        self._title, self._steps = title, steps
        self._text = ""
        self._done = 0
        self._start = self._shown = time.perf_counter()
        self._live = sys.stderr.isatty()

    def __iter__(self) -> Iterator[int]:
        for i in range(self._steps):
            yield i
            self._done = i + 1
            self._show(last=False)
        self._show(last=True)

    def say(self, text: str) -> None:
        """What stands beside the bar from now on."""
        self._text = text

    def _show(self, last: bool) -> None:
        now = time.perf_counter()
        if not last and now - self._shown < (0.1 if self._live else 5):
            return
        self._shown = now
        filled = 24 * self._done // max(self._steps, 1)
        bar = "#" * filled + "-" * (24 - filled)
        line = (
            f"{self._title:<12} [{bar}] {self._done}/{self._steps} "
            f"{now - self._start:5.1f} s  {self._text}"
        )
        end = "\n" if last or not self._live else "\r"
        print(f"\r{line:<100}" if self._live else line, end=end, file=sys.stderr, flush=True)


def plot(path: pathlib.Path, draw: Callable[[Any], None]) -> pathlib.Path | None:
    """Have a figure drawn, and write it; says so where matplotlib is missing."""
    try:
        import matplotlib
    except ImportError:
        print(f"no plot: matplotlib is not installed (pip install matplotlib), {path} is not made")
        return None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(9, 4), layout="constrained")
    draw(figure)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
    print(f"plot: {path}")
    return path
