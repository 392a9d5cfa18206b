"""Rows of benchmarks/scipy_modules.py for interpolate, spatial and cluster."""

from typing import Any

import numpy
from scipy_row import ScipyRow


def _line(n: int) -> tuple[Any, ...]:
    rng = numpy.random.default_rng(0)
    return numpy.arange(float(n)), rng.random(n)


def _line_and_places(n: int) -> tuple[Any, ...]:
    rng = numpy.random.default_rng(0)
    return numpy.arange(1000.0), rng.random(1000), rng.random(n) * 999


def _grid(n: int) -> tuple[Any, ...]:
    rng = numpy.random.default_rng(0)
    return numpy.arange(60.0), rng.random((60, 60)), rng.random((n, 2)) * 59


def _cloud(n: int, dims: int = 3) -> tuple[Any, ...]:
    return (numpy.random.default_rng(0).random((n, dims)),)


def _scattered(n: int) -> tuple[Any, ...]:
    rng = numpy.random.default_rng(0)
    points = rng.random((500, 2))
    return points, rng.random(500), rng.random((n, 2))


def _rows(n: int) -> tuple[Any, ...]:
    return _cloud(max(int(n**0.5), 10), 8)


def _codes(n: int) -> tuple[Any, ...]:
    rng = numpy.random.default_rng(0)
    return rng.random((n, 4)), rng.random((16, 4))


INTERPOLATE = [
    ScipyRow("CubicSpline, built", _line, lambda m, x, y: m.CubicSpline(x, y).c),
    ScipyRow("CubicSpline, at places", _line_and_places, lambda m, x, y, q: m.CubicSpline(x, y)(q)),
    ScipyRow("make_interp_spline", _line, lambda m, x, y: m.make_interp_spline(x, y).c),
    ScipyRow(
        "BSpline, at places", _line_and_places, lambda m, x, y, q: m.make_interp_spline(x, y)(q)
    ),
    ScipyRow("pchip, at places", _line_and_places, lambda m, x, y, q: m.PchipInterpolator(x, y)(q)),
    ScipyRow(
        "RegularGrid, linear", _grid, lambda m, x, v, q: m.RegularGridInterpolator((x, x), v)(q)
    ),
    ScipyRow(
        "RectBivariateSpline, at places",
        _grid,
        lambda m, x, v, q: m.RectBivariateSpline(x, x, v).ev(q[:, 0], q[:, 1]),
    ),
    ScipyRow("RBF, 500 points", _scattered, lambda m, p, d, q: m.RBFInterpolator(p, d)(q)),
    ScipyRow("griddata, linear", _scattered, lambda m, p, d, q: m.griddata(p, d, q)),
]


def _distances(n: int) -> tuple[Any, ...]:
    side = round(n**0.5)
    return (numpy.random.default_rng(5).random(side * (side - 1) // 2),)


SPATIAL = [
    ScipyRow("KDTree, built and asked", _cloud, lambda m, p: m.KDTree(p).query(p)[0]),
    ScipyRow("KDTree, 8 neighbours", _cloud, lambda m, p: m.KDTree(p).query(p, 8)[0]),
    *(
        ScipyRow(f"cdist, {name}", _rows, lambda m, a, name=name: m.distance.cdist(a, a, name))
        for name in ("euclidean", "cityblock", "cosine", "chebyshev", "hamming")
    ),
    ScipyRow("squareform", _distances, lambda m, d: m.distance.squareform(d)),
    ScipyRow("pdist", _rows, lambda m, a: m.distance.pdist(a)),
]

CLUSTER = [
    ScipyRow("vq, 16 codes", _codes, lambda m, a, b: m.vq.vq(a, b)[1]),
    ScipyRow("kmeans, 16 codes", _codes, lambda m, a, b: m.vq.kmeans(a, b)[0]),
    ScipyRow("linkage, ward", _rows, lambda m, a: m.hierarchy.linkage(a, "ward")),
]
