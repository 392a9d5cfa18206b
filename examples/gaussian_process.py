"""A Gaussian process learns how smooth a curve is: `python examples/gaussian_process.py`.

Points of a curve with a gap in the middle, with noise, are made on the spot. Amplitude, length,
period and noise of the covariance are fitted to the likelihood of all points by Adam, through a
Cholesky factorisation; the prediction comes with the band in which the curve is to be found.
"""

import pathlib
from typing import Any

import common

import heddle as np
from heddle import nn, optim


def covariance(params: dict[str, Any], a: Any, b: Any) -> Any:
    """A smooth part, and one that comes again."""
    apart = a[:, None] - b[None, :]
    smooth = np.exp(2 * params["amplitude"] - 0.5 * (apart * np.exp(-params["length"])) ** 2)
    wave = np.sin(np.pi * apart * np.exp(-params["period"]))
    periodic = np.exp(2 * params["height"] - 2 * (wave * np.exp(-params["width"])) ** 2)
    return smooth + periodic


def factor(params: dict[str, Any], x: Any) -> Any:
    noise = np.exp(2 * params["noise"]) + 1e-8
    return np.linalg.cholesky(covariance(params, x, x) + noise * np.eye(len(x)))


def negative_log_likelihood(params: dict[str, Any], x: Any, y: Any) -> Any:
    lower = factor(params, x)
    white = np.linalg.solve(lower, y)
    logs = np.log(np.diagonal(lower)).sum()
    return 0.5 * white @ white + logs + 0.5 * len(x) * np.log(2 * np.pi)


def predict(params: dict[str, Any], x: Any, y: Any, places: Any) -> tuple[Any, Any]:
    """Means and standard deviations of the curve at other places."""
    lower = factor(params, x)
    across = np.linalg.solve(lower, covariance(params, x, places))
    mean = across.T @ np.linalg.solve(lower, y)
    own = np.exp(2 * params["amplitude"]) + np.exp(2 * params["height"])
    return mean, np.sqrt(np.maximum(own - (across**2).sum(axis=0), 0))


def curve(x: Any) -> Any:
    return 0.3 * x + np.sin(2 * np.pi * x) + 0.8 * nn.sigmoid(2 * (x - 4))


def main(small: bool = False, out: pathlib.Path | None = None) -> tuple[float, float]:
    rng = np.random.default_rng(4)
    count, steps = (60, 60) if small else (250, 150)
    x = np.sort(rng.uniform(0, 8, size=count))
    x = np.where((x > 3.2) & (x < 4.6), x - 3, x)  # nothing is known there
    y = curve(x) + 0.15 * rng.normal(size=count)
    middle = y.mean()
    names = ("amplitude", "length", "height", "width", "period", "noise")
    first = (0.0, 0.5, 0.0, 0.0, 0.1, -1.0)  # logarithms
    params = {name: np.array(value) for name, value in zip(names, first, strict=True)}
    optimizer = optim.adam(0.1 if small else 0.05)
    state = optimizer.init(params)

    @np.jit
    def step(params: Any, state: Any, x: Any, y: Any) -> Any:
        value, slopes = np.value_and_grad(negative_log_likelihood)(params, x, y)
        updates, state = optimizer.update(slopes, state, params)
        return optim.apply_updates(params, updates), state, value

    for _ in (bar := common.Progress("process", steps)):
        params, state, value = step(params, state, x, y - middle)
        bar.say(f"-log likelihood {float(value) / count:.4f} a point")
    places = np.linspace(0, 8, 300)
    mean, spread = predict(params, x, y - middle, places)
    mean = mean + middle
    error = float(np.sqrt(((mean - curve(places)) ** 2).mean()))
    inside = float((np.abs(mean - curve(places)) < 2 * spread).mean())
    noise, period = (float(np.exp(params[name])) for name in ("noise", "period"))
    print(
        f"Gaussian process: error {error:.3f}, {inside:.0%} of the curve in its band; "
        f"noise {noise:.3f} (truth 0.15), period {period:.3f} (1)"
    )

    def draw(figure: Any) -> None:
        place = figure.subplots()
        at, middle_line, width = (np.asnumpy(a) for a in (places, mean, 2 * spread))
        place.fill_between(at, middle_line - width, middle_line + width, alpha=0.3)
        place.plot(at, middle_line, label="predicted")
        place.plot(at, np.asnumpy(curve(places)), "k--", lw=1, label="truth")
        place.plot(np.asnumpy(x), np.asnumpy(y), ".", ms=4, label="points")
        place.legend()

    if out is not None:
        common.plot(out / "gaussian_process.png", draw)
    return error, inside


if __name__ == "__main__":
    options = common.arguments(__doc__)
    main(options.small, options.out)
