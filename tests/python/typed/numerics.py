"""A page of ordinary numerics, which type checkers read and the tests run."""

from collections.abc import Callable
from typing import Any, assert_type

import numpy

import heddle as np
from heddle import linalg, ndarray
from heddle.random import Generator, default_rng
from heddle.typing import ArrayLike, DTypeLike, NDArray


def normalized(x: ndarray, axis: int | tuple[int, ...] | None = None) -> ndarray:
    centred = x - x.mean(axis=axis, keepdims=True)
    return centred / np.maximum(x.std(axis=axis, keepdims=True), 1e-12)


def as_units(x: ArrayLike, dtype: DTypeLike = np.float64) -> NDArray[np.float64]:
    values: NDArray[np.float64] = np.asarray(x, dtype=dtype)
    return values / np.linalg.norm(values)


def moving_average(x: ndarray, width: int) -> ndarray:
    total = np.cumsum(np.concatenate([np.zeros(1), x]))
    return (total[width:] - total[:-width]) / width


def heat(u: ndarray, steps: int, rate: float = 0.1) -> ndarray:
    for _ in range(steps):
        inner = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
        u[1:-1, 1:-1] += rate * inner
    return u


def newton(f: Callable[[ndarray], ndarray], x: ndarray, rounds: int = 8) -> ndarray:
    for _ in range(rounds):
        step = 1e-6
        slope = (f(x + step) - f(x - step)) / (2 * step)
        x = x - np.where(np.abs(slope) > 1e-9, f(x) / slope, 0.0)
    return x


def pairwise_distances(a: ndarray, b: ndarray) -> ndarray:
    difference = a[:, np.newaxis, :] - b[np.newaxis, :, :]
    return np.sqrt(np.sum(difference**2, axis=-1))


def mandelbrot(width: int, height: int, rounds: int) -> ndarray:
    y, x = np.ogrid[-1.2 : 1.2 : height * 1j, -2.0 : 0.6 : width * 1j]
    c = x + 1j * y
    z = np.zeros_like(c)
    count = np.zeros(c.shape, dtype=np.int32)
    for _ in range(rounds):
        inside = np.abs(z) <= 2
        z = np.where(inside, z * z + c, z)
        count += inside
    return count


def least_squares(x: ndarray, y: ndarray, degree: int) -> ndarray:
    matrix = np.vander(x, degree + 1, increasing=True)
    solution, _, rank, _ = linalg.lstsq(matrix, y, rcond=None)
    if int(rank) < degree + 1:
        raise ValueError("points are too few")
    return solution


def spectrum(signal: ndarray, rate: float) -> tuple[ndarray, ndarray]:
    power = np.abs(np.fft.rfft(signal * np.hanning(signal.size))) ** 2
    return np.fft.rfftfreq(signal.size, d=1 / rate), power


def summary(x: ndarray) -> dict[str, float]:
    low, middle, high = np.quantile(x, [0.25, 0.5, 0.75])
    return {
        "mean": float(x.mean()),
        "median": float(middle),
        "spread": float(high - low),
        "largest": x.max().item(),
        "first": x[0].item(),
    }


def kmeans(points: ndarray, k: int, rng: Generator, rounds: int = 5) -> tuple[ndarray, ndarray]:
    centres = points[rng.choice(len(points), k, replace=False)]
    labels = np.zeros(len(points), dtype=np.int64)
    for _ in range(rounds):
        labels = pairwise_distances(points, centres).argmin(axis=1)
        for i in range(k):
            mine = points[labels == i]
            if mine.size:
                centres[i] = mine.mean(axis=0)
    return centres, labels


def histogram_text(x: ndarray, bins: int = 5) -> list[str]:
    counts, edges = np.histogram(x, bins=bins)
    return [f"{e:.2f} {'#' * int(n)}" for e, n in zip(edges[:-1], counts, strict=True)]


def page() -> dict[str, object]:
    rng = default_rng(1)
    x = rng.normal(size=(50, 3))
    assert_type(x, ndarray)
    assert_type(x.T @ x, ndarray)
    assert_type(as_units(x), ndarray)
    assert_type(x.shape, tuple[int, ...])
    assert_type(x[0, ..., None], ndarray)
    assert_type(x.sum(axis=0, dtype=np.float32), ndarray)
    assert_type(np.add(x, 1, out=x), ndarray)
    assert_type(np.divmod(x, 2), tuple[ndarray, ndarray])
    assert_type(np.matmul(x, x.T, dtype=np.float32), ndarray)
    assert_type(np.asnumpy(x), numpy.ndarray[Any, Any])
    field = np.zeros((8, 8), dtype=np.float64)
    field[3:5, 3:5] = 1.0
    signal = np.sin(2 * np.pi * 5 * np.arange(128) / 128)
    frequencies, power = spectrum(signal, 128.0)
    line = np.linspace(-1, 1, 20)
    order = np.argsort(line)[::-1]
    line2 = line[order].astype(np.float32).reshape(4, 5)
    line2 *= 2
    mask = (line2 > 0) & ~np.isnan(line2)
    line2[mask] = 0
    values, counts = np.unique(np.array([3, 1, 3]), return_counts=True)
    centres, labels = kmeans(x, 3, rng)
    host: numpy.ndarray[tuple[int, ...], numpy.dtype[numpy.float64]] = np.asnumpy(x)
    curve = np.polynomial.Polynomial.fit(line, line**2, 2)
    bends = np.polynomial.polynomial.polyder([1, 2, 3])
    u, s, vt = linalg.svd(x, full_matrices=False)
    w, v = linalg.eigh(x.T @ x)
    rebuilt = (u * s) @ vt
    return {
        "normalized": float(np.abs(normalized(x, axis=0).mean())),
        "average": moving_average(line, 4).tolist(),
        "units": as_units([3.0, 4.0]).tolist(),
        "heat": heat(field, 3).sum().item(),
        "root": newton(lambda t: t**2 - 2, np.array([1.0, 3.0])).round(6).tolist(),
        "mandelbrot": int(mandelbrot(12, 8, 10).max()),
        "fit": least_squares(line, 1 + 2 * line, 1).round(6).tolist(),
        "peak": frequencies[np.argmax(power)].item(),
        "summary": summary(x[:, 0]),
        "text": histogram_text(x[:, 1]),
        "kept": bool(mask.any()),
        "unique": dict(zip(values.tolist(), counts.tolist(), strict=True)),
        "clusters": (centres.shape, int(labels.max())),
        "host": host.shape,
        "curve": (curve.degree(), bends.tolist()),
        "rebuilt": np.allclose(rebuilt, x),
        "eigen": (w.shape, v.shape),
    }


if __name__ == "__main__":
    print(page())
