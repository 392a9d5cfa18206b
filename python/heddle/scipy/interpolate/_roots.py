"""Roots of piecewise polynomials, on the host: how many there are is not known before."""

from __future__ import annotations

from typing import Any

import numpy

from heddle._typing import HostArray


def _roots_of_degree(c: HostArray) -> Any:
    """All roots, also complex ones, of polynomials (order, count); the first row is not 0."""
    degree, count = c.shape[0] - 1, c.shape[1]
    if degree == 1:
        return (-c[1] / c[0])[:, None].astype(complex)
    if degree == 2:
        a, b, e = c[0], c[1], c[2]
        root = numpy.sqrt((b * b - 4 * a * e).astype(complex))
        q = -(b + numpy.where(b >= 0, root, -root)) / 2
        with numpy.errstate(all="ignore"):
            other = numpy.where(q == 0, 0, e / q)
        pair = numpy.stack([numpy.where(b >= 0, q / a, other), numpy.where(b >= 0, other, q / a)])
        return pair.T  # minus the root of the discriminant first, as SciPy has them
    companion = numpy.zeros((count, degree, degree))
    companion[:, 0, :] = -(c[1:] / c[0]).T
    companion[:, numpy.arange(1, degree), numpy.arange(degree - 1)] = 1
    return numpy.linalg.eigvals(companion).astype(complex)


def _real_roots(c: HostArray) -> list[Any]:
    """Real roots of each polynomial (order, count), in order; one nan where it is zero."""
    order, count = c.shape
    made: list[Any] = [numpy.empty(0)] * count
    nonzero = c != 0
    any_left = nonzero.any(axis=0)
    first = numpy.where(any_left, nonzero.argmax(axis=0), order)
    for start in numpy.unique(first):
        which = numpy.flatnonzero(first == start)
        if start == order:
            for i in which:
                made[i] = numpy.array([numpy.nan])
            continue
        if order - start < 2:
            continue
        part = c[start:, which]
        found = _roots_of_degree(part)
        with numpy.errstate(all="ignore"):
            real = found.real
            # A double root comes with a tiny imaginary part: it is one if the value there is tiny.
            value, slope, size = numpy.zeros_like(real), numpy.zeros_like(real), abs(real) * 0
            for row in part:
                slope = slope * real + value
                value = value * real + row[:, None]
                size = size * abs(real) + abs(row)[:, None]
            near = abs(found.imag) <= 1e-7 * (abs(real) + 1)
            exact = abs(found.imag) <= 1e-14 * abs(real)
            is_real = exact | (near & (abs(value) <= 1e-14 * size))
            step = numpy.where((slope != 0) & is_real, value / slope, 0)
            better = real - numpy.where(abs(step) < 1e-6 * (abs(real) + 1e-300), step, 0)
        for row, i in enumerate(which):
            kept = better[row][is_real[row]]
            made[i] = kept if len(part) == 3 else numpy.sort(kept)
    return made


def piecewise_roots(
    c: HostArray, x: HostArray, y: float, discontinuity: bool, extrapolate: bool
) -> HostArray:
    """Where pieces (order, piece) are equal to y, in order of the pieces."""
    moved = c.copy()
    moved[-1] -= y
    pieces = moved.shape[1]
    ascending = x[-1] >= x[0]
    found: list[float] = []
    roots = _real_roots(moved)
    step = numpy.diff(x)
    ends = numpy.zeros(pieces)
    for row in moved:
        ends = ends * step + row
    for i in range(pieces):
        if discontinuity and i > 0 and ends[i - 1] * moved[-1, i] < 0:
            found.append(float(x[i]))
        for root in roots[i]:
            if numpy.isnan(root):
                found += [float(x[i]), numpy.nan]
                continue
            place = float(root + x[i])
            low, high = (x[i], x[i + 1]) if ascending else (x[i + 1], x[i])
            if extrapolate and i == 0:
                low, high = (-numpy.inf, high) if ascending else (low, numpy.inf)
            if extrapolate and i == pieces - 1:
                low, high = (low, numpy.inf) if ascending else (-numpy.inf, high)
            if low <= place <= high and not (found and found[-1] == place):
                found.append(place)
    return numpy.array(found, dtype=float)
