"""A surface through heights on a coarse grid: `python examples/spline_surface.py`.

Heights of hills are known on a grid that is not evenly spaced. A spline of degree three goes
through them, and gives heights, slopes and the steepest places between the points; straight lines
between points are compared with it. Its derivatives are those of the hills, too.
"""

import pathlib
from typing import Any

import common

import heddle as np
from heddle.scipy.interpolate import RegularGridInterpolator


def hills(x: Any, y: Any) -> Any:
    tops = ((0.3, 0.3, 1.0, 18), (0.7, 0.6, 0.7, 30), (0.25, 0.8, 0.5, 40))
    return sum(h * np.exp(-k * ((x - a) ** 2 + (y - b) ** 2)) for a, b, h, k in tops)


def main(small: bool = False, out: pathlib.Path | None = None) -> float:
    points, n = (17, 60) if small else (33, 600)
    # Nearer to each other at the edges.
    grid = 0.5 - 0.5 * np.cos(np.linspace(0, np.pi, points))
    known = hills(grid[:, None], grid)
    line = np.linspace(0, 1, n)
    x, y = np.meshgrid(line, line, indexing="ij")
    places = np.stack([x, y], axis=-1)
    fields: dict[str, Any] = {}
    methods = ("linear", "cubic", "quintic")
    for i in (bar := common.Progress("spline_surface", len(methods))):
        surface = RegularGridInterpolator((grid, grid), known, method=methods[i])
        fields[methods[i]] = surface(places)
        if methods[i] == "cubic":
            fields["slope"] = np.hypot(surface(places, nu=(1, 0)), surface(places, nu=(0, 1)))
        bar.say(methods[i])
    true = hills(x, y)
    errors = {k: float(np.abs(fields[k] - true).max()) for k in methods}
    top = np.unravel_index(int(np.argmax(fields["slope"])), (n, n))
    steepest = float(line[int(top[0])]), float(line[int(top[1])])
    print(
        "spline_surface: errors",
        ", ".join(f"{k} {v:.1e}" for k, v in errors.items()) + ";",
        f"steepest at ({steepest[0]:.2f}, {steepest[1]:.2f})",
    )

    def draw(figure: Any) -> None:
        left = figure.add_subplot(1, 2, 1, projection="3d")
        step = max(1, n // 60)
        shown = [np.asnumpy(a[::step, ::step]) for a in (x, y, fields["cubic"])]
        left.plot_surface(*shown, cmap="viridis")
        left.set_title("the surface")
        place = figure.add_subplot(1, 2, 2)
        place.imshow(np.asnumpy(fields["slope"]).T, origin="lower", extent=(0, 1, 0, 1))
        gx, gy = np.meshgrid(grid, grid)
        place.plot(np.asnumpy(gx).ravel(), np.asnumpy(gy).ravel(), "w.", markersize=1)
        place.set_title("its slope, and the points")

    if out is not None:
        common.plot(out / "spline_surface.png", draw)
    return errors["cubic"] / errors["linear"]


if __name__ == "__main__":
    options = common.arguments(__doc__)
    main(options.small, options.out)
