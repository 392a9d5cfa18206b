"""A noisy picture made clear, by filters and by descent: `python examples/image_denoising.py`.

A picture with edges and soft parts is seen through noise. A Gaussian takes noise and edges, a
median filter keeps edges, and Wiener's filter looks at the variance around each element. The best
of them keeps what is near in value: the total variation is made small by gradients, all steps
recorded once.
"""

import pathlib
from typing import Any

import common

import heddle as np
from heddle.scipy import ndimage, signal


def picture(n: int) -> Any:
    """Discs, bars and a slope, from 0 to 1."""
    y, x = np.meshgrid(np.linspace(-1, 1, n), np.linspace(-1, 1, n), indexing="ij")
    made = 0.3 + 0.2 * x
    made = np.where((x + 0.4) ** 2 + (y + 0.3) ** 2 < 0.12, 0.9, made)
    made = np.where((x - 0.4) ** 2 + (y - 0.35) ** 2 < 0.16, 0.5 + 0.4 * np.cos(6 * y) ** 2, made)
    return np.where((np.abs(y - 0.55) < 0.08) & (x < 0.1), 0.05, made)


def energy(a: Any, seen: Any, weight: float) -> Any:
    """How far it is from what was seen, and how much it goes up and down."""
    down, right = np.diff(a, axis=0)[:, :-1], np.diff(a, axis=1)[:-1]
    return 0.5 * ((a - seen) ** 2).sum() + weight * np.sqrt(down**2 + right**2 + 1e-4).sum()


def main(small: bool = False, out: pathlib.Path | None = None) -> float:
    n, steps = (64, 60) if small else (384, 200)
    clean = picture(n)
    seen = clean + 0.15 * np.random.default_rng(3).standard_normal((n, n))

    @np.jit
    def step(a: Any) -> Any:
        return a - 0.1 * np.grad(energy)(a, seen, 0.16)

    made = seen
    for i in (bar := common.Progress("image_denoising", steps)):
        made = step(made)
        if i % 20 == 19 or i == steps - 1:
            bar.say(f"energy {float(energy(made, seen, 0.16)):.1f}")
    results = {
        "seen": seen,
        "Gaussian": ndimage.gaussian_filter(seen, 1.2),
        "median": ndimage.median_filter(seen, 5),
        "Wiener": signal.wiener(seen, 5),
        "total variation": made,
    }
    errors = {k: float(np.sqrt(((v - clean) ** 2).mean())) for k, v in results.items()}
    print("image_denoising:", ", ".join(f"{k} {v:.3f}" for k, v in errors.items()))

    def draw(figure: Any) -> None:
        shown = {"true": clean, **results}
        for place, (name, field) in zip(figure.subplots(2, 3).flat, shown.items(), strict=True):
            place.imshow(np.asnumpy(field), vmin=0, vmax=1, cmap="gray")
            place.set_title(f"{name} {errors[name]:.3f}" if name in errors else name)
            place.set_axis_off()

    if out is not None:
        common.plot(out / "image_denoising.png", draw)
    return errors["total variation"] / errors["seen"]


if __name__ == "__main__":
    options = common.arguments(__doc__)
    main(options.small, options.out)
