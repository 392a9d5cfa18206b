"""Cells found in a noisy picture: `python examples/image_regions.py`.

A picture of round cells is blurred by noise and single bright pixels. A median filter takes the
pixels away, a Gaussian the noise; what is bright enough is opened, its holes are filled, and cells
that touch are told apart by the distance to their rim. Regions are numbered and measured.
"""

import pathlib
from typing import Any

import common

import heddle as np
from heddle.scipy import ndimage


def picture(n: int, cells: int, rng: Any) -> tuple[Any, Any]:
    """Cells of different brightness, and the same with noise."""
    y, x = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    clean = np.zeros((n, n))
    side = int(np.ceil(np.sqrt(cells)))
    step = n / side
    for cell in range(cells):
        row, column = divmod(cell, side)
        jitter = rng.uniform(-0.12, 0.12, 2) * step
        cy, cx = (row + 0.5) * step + jitter[0], (column + 0.5) * step + jitter[1]
        radius = rng.uniform(0.22, 0.34) * step
        light = rng.uniform(0.6, 1.0)
        clean = np.maximum(clean, light * ((y - cy) ** 2 + (x - cx) ** 2 < radius**2))
    noisy = clean + 0.35 * rng.normal(size=(n, n))
    return clean, np.where(rng.random((n, n)) < 0.03, 4.0, noisy)


def main(small: bool = False, out: pathlib.Path | None = None) -> float:
    rng = np.random.default_rng(5)
    n, cells = (96, 9) if small else (512, 100)
    clean, noisy = picture(n, cells, rng)
    steps = {
        "median": lambda a: ndimage.median_filter(a, 3),
        "smooth": lambda a: ndimage.gaussian_filter(a, n / 200 + 0.5),
        "bright": lambda a: a > 0.35,
        "opened": lambda a: ndimage.binary_fill_holes(ndimage.binary_opening(a, iterations=2)),
        "cores": lambda a: ndimage.distance_transform_edt(a) > 0.08 * n / cells**0.5,
    }
    made = noisy
    results = {}
    names = list(steps)
    for i in (bar := common.Progress("regions", len(names))):
        made = results[names[i]] = steps[names[i]](made)
        np.eval(made)
        bar.say(names[i])
    labels, count = ndimage.label(results["cores"])
    index = np.arange(1, count + 1)
    areas = ndimage.sum_labels(np.ones((n, n)), labels, index)
    light = ndimage.mean(results["smooth"], labels, index)
    error = float(np.sqrt(((results["smooth"] - clean) ** 2).mean()))
    print(
        f"regions: {count} of {cells} cells, {float(areas.mean()):.0f} elements in the mean, "
        f"brightness from {float(light.min()):.2f} to {float(light.max()):.2f}; "
        f"error {error:.2f} where it was {float(np.sqrt(((noisy - clean) ** 2).mean())):.2f}"
    )

    def draw(figure: Any) -> None:
        axes = figure.subplots(1, 3)
        shown = (noisy, results["smooth"], np.where(labels == 0, np.nan, labels))
        titles = ("seen", "filtered", f"{count} regions")
        for place, field, title in zip(axes, shown, titles, strict=True):
            colours = {"cmap": "prism"} if place is axes[2] else {"vmin": 0, "vmax": 1.2}
            place.imshow(np.asnumpy(field), interpolation="nearest", **colours)
            place.set_title(title)
            place.set_axis_off()
        for y, x in ndimage.center_of_mass(results["cores"], labels, index):
            axes[1].plot(x, y, "r.", markersize=2)

    if out is not None:
        common.plot(out / "image_regions.png", draw)
    return abs(count - cells) / cells


if __name__ == "__main__":
    options = common.arguments(__doc__)
    main(options.small, options.out)
