"""How a drum rings, by Bessel's functions: `python examples/drum_modes.py`.

The modes of a round membrane are Bessel's functions of the radius, which are 0 at the rim. A strike
is a sum of them; each rings at its own frequency. The strike comes back from its modes, which tells
how well they were found.
"""

import pathlib
from typing import Any

import common

import heddle as np
from heddle import special

COUNT = 24  # modes that are round


def frequencies(steps: int) -> Any:
    """Zeros of J0, all at once: between two estimates, by halving."""
    low = (np.arange(COUNT) + 0.5) * np.pi
    high = low + np.pi / 2
    for _ in range(steps):
        middle = (low + high) / 2
        same = special.j0(middle) * special.j0(low) > 0
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return (low + high) / 2


def main(small: bool = False, out: pathlib.Path | None = None) -> float:
    zeros = frequencies(50)
    count = 400 if small else 4000
    radius = (np.arange(count) + 0.5) / count
    modes = special.j0(zeros[:, None] * radius)
    strike = np.exp(-60.0 * radius**2)
    sizes = 2 / special.j1(zeros) ** 2
    amounts = sizes * (modes * strike * radius).mean(axis=1)
    error = float(np.abs(amounts @ modes - strike).max())
    shapes = []
    for i in (bar := common.Progress("drum_modes", 4 if small else 16)):
        shapes.append((amounts * np.cos(zeros * 0.06 * i)) @ modes)
        bar.say(f"height of the middle {float(shapes[-1][0]):+.3f}")
    print(f"drum_modes: a strike is {COUNT} modes, up to {error:.1e}")

    def draw(figure: Any) -> None:
        left, right = figure.subplots(1, 2)
        for mode in modes[:4]:
            left.plot(np.asnumpy(radius), np.asnumpy(mode))
        for shape in shapes[:4]:
            right.plot(np.asnumpy(radius), np.asnumpy(shape))
        left.set_title("modes")
        right.set_title("after a strike")

    if out is not None:
        common.plot(out / "drum_modes.png", draw)
    return error


if __name__ == "__main__":
    options = common.arguments(__doc__)
    main(options.small, options.out)
