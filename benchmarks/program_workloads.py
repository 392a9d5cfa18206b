"""Whole programs in plain NumPy style, each a function of a module `xp` and of its inputs.

Only what all measured libraries know is used, arrays are written in place where NumPy's users
would, and nothing is written through a view that has a name. Inputs are float64 unless a name says
otherwise. Some programs overwrite an input: what they cost does not depend on its values.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy

Arrays = tuple[Any, ...]


@dataclass(frozen=True)
class Program:
    """`inputs` makes arrays of about so many elements in all that matters for the time."""

    name: str
    run: Callable[..., Any]
    inputs: Callable[[int], Arrays]
    # How often everything has to move at least: steps in time do not fuse.
    passes: float = 1.0
    # Bytes that must move beside that, of the inputs: what is needed whole, before the first result.
    between: Callable[..., float] = lambda *inputs: 0.0
    # It writes to what the same statement reads: Numba's parallel loops get that wrong.
    overlaps: bool = False
    # The share of elements that rounding may push over an edge.
    outliers: float = 0.0


def random(shape: Any, seed: int, low: float = 0.0, high: float = 1.0) -> Any:
    return numpy.random.default_rng(seed).random(shape) * (high - low) + low


def vectors(*ranges: tuple[float, float]) -> Callable[[int], Arrays]:
    return lambda n: tuple(random(n, seed, *each) for seed, each in enumerate(ranges))


def square(count: int = 1, dtype: Any = numpy.float64) -> Callable[[int], Arrays]:
    def make(n: int) -> Arrays:
        side = math.isqrt(n)
        return tuple(random((side, side), seed).astype(dtype) for seed in range(count))

    return make


# --- formulas ---


def thermodynamics(xp: Any, s: Any, t: Any, p: Any) -> Any:
    """How the enthalpy of a salty liquid changes with temperature: an integral over the pressure of
    a volume that is a quotient of polynomials. About 250 operations, many of them shared."""
    x = xp.sqrt(s)
    # Volume = numerator / denominator, both quadratic in the pressure.
    a0 = 0.99968 + t * (5.121e-3 + t * (-2.037e-5 + t * (1.113e-7 + t * -3.42e-10)))
    a1 = -7.713e-4 + t * (4.127e-6 + t * (-2.911e-8 + t * 1.93e-10))
    a2 = 1.214e-5 + t * (-8.31e-8 + t * 6.07e-10)
    a3 = 3.161e-7 + t * 2.03e-9
    b0 = 4.517e-5 + t * (3.019e-7 + t * (-2.213e-9 + t * 1.107e-11))
    b1 = -3.017e-7 + t * (2.141e-9 + t * -1.71e-11)
    b2 = 2.219e-9 + t * 1.31e-11
    c0 = 3.023e-10 + t * (-1.913e-12 + t * 1.21e-14)
    c1 = -1.71e-12 + t * 1.19e-14
    d0 = 1.0 + t * (7.133e-3 + t * (-4.117e-5 + t * (1.932e-7 + t * -6.1e-10)))
    d1 = 1.903e-3 + t * (-1.107e-5 + t * (6.13e-8 + t * -2.17e-10))
    d2 = 2.131e-5 + t * (1.013e-7 + t * -7.03e-10)
    e0 = 6.117e-5 + t * (-3.211e-7 + t * (1.907e-9 + t * -8.1e-12))
    e1 = 2.037e-7 + t * (-1.511e-9 + t * 9.3e-12)
    f0 = 1.013e-10 + t * (-6.17e-13 + t * 3.7e-15)
    # The same, differentiated by the temperature.
    a0t = 5.121e-3 + t * (-4.074e-5 + t * (3.339e-7 + t * -1.368e-9))
    a1t = 4.127e-6 + t * (-5.822e-8 + t * 5.79e-10)
    a2t = -8.31e-8 + t * 1.214e-9
    b0t = 3.019e-7 + t * (-4.426e-9 + t * 3.321e-11)
    b1t = 2.141e-9 + t * -3.42e-11
    c0t = -1.913e-12 + t * 2.42e-14
    d0t = 7.133e-3 + t * (-8.234e-5 + t * (5.796e-7 + t * -2.44e-9))
    d1t = -1.107e-5 + t * (1.226e-7 + t * -6.51e-10)
    d2t = 1.013e-7 + t * -1.406e-9
    e0t = -3.211e-7 + t * (3.814e-9 + t * -2.43e-11)
    e1t = -1.511e-9 + t * 1.86e-11
    f0t = -6.17e-13 + t * 7.4e-15
    n0 = a0 + s * (a1 + x * a2 + s * a3)
    n1 = b0 + s * (b1 + x * b2)
    n2 = c0 + s * c1
    m0 = d0 + s * (d1 + x * d2)
    m1 = 0.5 * (e0 + s * e1)
    m2 = f0 + 1.1e-12 * s
    n0t = a0t + s * (a1t + x * a2t + s * 2.03e-9)
    n1t = b0t + s * (b1t + x * 1.31e-11)
    n2t = c0t + s * 1.19e-14
    m0t = d0t + s * (d1t + x * d2t)
    m1t = 0.5 * (e0t + s * e1t)
    m2t = f0t
    # The integral of (n0 + n1 p + n2 p^2) / (m0 + 2 m1 p + m2 p^2) from 0 to p.
    root2 = m1 * m1 - m0 * m2
    root = xp.sqrt(root2)
    low = m1 - root
    high = m1 + root
    ratio = n2 / m2
    first = (n1 - 2.0 * ratio * m1) / m2
    rest = n0 - ratio * m0
    total = m0 + p * (2.0 * m1 + m2 * p)
    shape = total / m0
    logarithm = xp.log(shape)
    quotient = (low * (high + m2 * p)) / (high * (low + m2 * p))
    area = xp.log(quotient) / (2.0 * root)
    # And its derivative, term by term.
    root2t = 2.0 * m1 * m1t - m0t * m2 - m0 * m2t
    roott = root2t / (2.0 * root)
    lowt = m1t - roott
    hight = m1t + roott
    ratiot = (n2t - ratio * m2t) / m2
    firstt = (n1t - 2.0 * (ratiot * m1 + ratio * m1t) - first * m2t) / m2
    restt = n0t - ratiot * m0 - ratio * m0t
    totalt = m0t + p * (2.0 * m1t + m2t * p)
    logarithmt = totalt / total - m0t / m0
    areat = (
        lowt / low
        - hight / high
        + (hight + m2t * p) / (high + m2 * p)
        - (lowt + m2t * p) / (low + m2 * p)
    ) / (2.0 * root) - area * roott / root
    enthalpy = ratio * p + 0.5 * first * logarithm + (rest - first * m1) * -area
    change = (
        ratiot * p
        + 0.5 * (firstt * logarithm + first * logarithmt)
        - (restt - firstt * m1 - first * m1t) * area
        - (rest - first * m1) * areat
    )
    # Mixed with the heat capacity and with how steep the volume is.
    volume = (n0 + p * (n1 + n2 * p)) / total
    volumet = (n0t + p * (n1t + n2t * p) - volume * totalt) / total
    capacity = 3.99 + t * (-2.117e-3 + t * (3.07e-5 + t * -1.9e-7)) + s * (-5.13e-3 + t * 7.1e-6)
    return capacity + 1e-3 * change + 1e-6 * enthalpy * volumet / volume


def black_scholes_greeks(xp: Any, spot: Any, strike: Any, time: Any) -> Any:
    """Prices of calls and puts, and how they change with everything."""
    rate, volatility = 0.03, 0.25
    root = volatility * xp.sqrt(time)
    d1 = (xp.log(spot / strike) + (rate + 0.5 * volatility * volatility) * time) / root
    d2 = d1 - root
    n1, n2 = normal(xp, d1), normal(xp, d2)
    density = xp.exp(-0.5 * d1 * d1) * 0.3989422804014327
    discounted = strike * xp.exp(-rate * time)
    call = spot * n1 - discounted * n2
    put = discounted * (1.0 - n2) - spot * (1.0 - n1)
    gamma = density / (spot * root)
    vega = spot * density * xp.sqrt(time)
    theta = -0.5 * spot * density * volatility / xp.sqrt(time) - rate * discounted * n2
    rho = discounted * time * n2
    return call, put, n1, gamma, vega, theta, rho


def normal(xp: Any, x: Any) -> Any:
    """The normal distribution, by a polynomial of 1 / (1 + c |x|)."""
    k = 1.0 / (1.0 + 0.2316419 * xp.abs(x))
    tail = k * (
        0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))
    )
    tail = tail * xp.exp(-0.5 * x * x) * 0.3989422804014327
    return xp.where(x < 0, tail, 1.0 - tail)


def julia(xp: Any, x: Any, y: Any) -> Any:
    """How many of 24 steps each point stays near zero."""
    count = xp.zeros_like(x)
    for _ in range(24):
        inside = x * x + y * y <= 4.0
        count += xp.where(inside, 1.0, 0.0)
        x, y = xp.where(inside, x * x - y * y - 0.79, x), xp.where(inside, 2.0 * x * y + 0.15, y)
    return count


# --- shifted reads and partial writes ---


def stencil_steps(xp: Any, u: Any) -> Any:
    for _ in range(10):
        u[1:-1, 1:-1] += 0.2 * (
            u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * u[1:-1, 1:-1]
        )
    return u


def zeros_and_slices(xp: Any, a: Any) -> Any:
    z = xp.zeros_like(a)
    z[1:-1] = a[2:] - a[:-2]
    z[0] = a[1] - a[0]
    z[-1] = a[-1] - a[-2]
    return z * 0.5


def rolls(xp: Any, a: Any) -> Any:
    return xp.roll(a, 1) + xp.roll(a, -1) - 2.0 * a


def joined_parts(xp: Any, a: Any, b: Any) -> Any:
    half = a.shape[0] // 2
    return xp.concatenate((a[:half] * b[:half] + 1.0, xp.sqrt(a[half:]) - b[half:]))


def second_gradient(xp: Any, a: Any) -> Any:
    return xp.gradient(xp.gradient(a))


def mask_and_diff(xp: Any, a: Any) -> Any:
    a[a < 0.5] = 0.0
    return a, xp.diff(a)


def lu_by_slices(xp: Any, a: Any) -> Any:
    """The first 24 columns, without pivots."""
    x = xp.copy(a)
    for k in range(24):
        x[k + 1 :, k] /= x[k, k]
        x[k + 1 :, k + 1 :] -= x[k + 1 :, k, None] * x[None, k, k + 1 :]
    return x


# --- models of the ocean and of fluids ---


def isoneutral_fluxes(xp: Any, t: Any, s: Any, wet: Any, dz: Any, alpha: Any, beta: Any) -> Any:
    """A step of mixing along surfaces of equal density: slopes are tapered for four neighbouring
    triangles at each face, then summed to fluxes. About 40 assignments to slices."""
    dx, dy, diffusivity, limit, width = 1.1e4, 0.9e4, 1.0e3, 4e-3, 1e-3
    dtx, dsx = xp.zeros_like(t), xp.zeros_like(t)
    dty, dsy = xp.zeros_like(t), xp.zeros_like(t)
    dtz, dsz = xp.zeros_like(t), xp.zeros_like(t)
    face = wet[1:] * wet[:-1]
    dtx[:-1] = (t[1:] - t[:-1]) / dx * face
    dsx[:-1] = (s[1:] - s[:-1]) / dx * face
    face = wet[:, 1:] * wet[:, :-1]
    dty[:, :-1] = (t[:, 1:] - t[:, :-1]) / dy * face
    dsy[:, :-1] = (s[:, 1:] - s[:, :-1]) / dy * face
    face = wet[:, :, 1:] * wet[:, :, :-1]
    dtz[:, :, :-1] = (t[:, :, 1:] - t[:, :, :-1]) / dz[:-1] * face
    dsz[:, :, :-1] = (s[:, :, 1:] - s[:, :, :-1]) / dz[:-1] * face

    k11, k22, k33 = xp.zeros_like(t), xp.zeros_like(t), xp.zeros_like(t)
    east, north, top = xp.zeros_like(t), xp.zeros_like(t), xp.zeros_like(t)
    inner = slice(2, -2)
    # Through the faces to the east and to the north, and what each adds to the one at the top.
    for kr in range(2):
        up, at = slice(1 - kr, -1 - kr if kr else -1), slice(1, -1)
        for ip in range(2):
            here = slice(2 + ip, -2 + ip)
            along = -(
                alpha[here, inner, at] * dtx[inner, inner, at]
                + beta[here, inner, at] * dsx[inner, inner, at]
            )
            down = (
                alpha[here, inner, at] * dtz[here, inner, up]
                + beta[here, inner, at] * dsz[here, inner, up]
            )
            slope = along / (xp.minimum(down, 0.0) - 1e-12)
            taper = 0.5 * (1.0 + xp.tanh((limit - xp.abs(slope)) / width)) * wet[inner, inner, at]
            k11[inner, inner, at] += 0.25 * diffusivity * xp.maximum(taper, 0.01)
            east[inner, inner, at] += 0.25 * diffusivity * taper * slope * dtz[here, inner, up]
            k33[inner, inner, at] += 0.25 * diffusivity * taper * slope * slope
            top[inner, inner, at] += 0.25 * diffusivity * taper * slope * dtx[inner, inner, at]
        for jp in range(2):
            here = slice(2 + jp, -2 + jp)
            along = -(
                alpha[inner, here, at] * dty[inner, inner, at]
                + beta[inner, here, at] * dsy[inner, inner, at]
            )
            down = (
                alpha[inner, here, at] * dtz[inner, here, up]
                + beta[inner, here, at] * dsz[inner, here, up]
            )
            slope = along / (xp.minimum(down, 0.0) - 1e-12)
            taper = 0.5 * (1.0 + xp.tanh((limit - xp.abs(slope)) / width)) * wet[inner, inner, at]
            k22[inner, inner, at] += 0.25 * diffusivity * xp.maximum(taper, 0.01)
            north[inner, inner, at] += 0.25 * diffusivity * taper * slope * dtz[inner, here, up]
            k33[inner, inner, at] += 0.25 * diffusivity * taper * slope * slope
            top[inner, inner, at] += 0.25 * diffusivity * taper * slope * dty[inner, inner, at]
    east[inner, inner] += k11[inner, inner] * dtx[inner, inner]
    north[inner, inner] += k22[inner, inner] * dty[inner, inner]
    top[:, :, -1] = 0.0
    change = xp.zeros_like(t)
    change[3:-2, 3:-2] = (east[3:-2, 3:-2] - east[2:-3, 3:-2]) / dx
    change[3:-2, 3:-2] += (north[3:-2, 3:-2] - north[3:-2, 2:-3]) / dy
    change[:, :, 0] += top[:, :, 0] / dz[0]
    change[:, :, 1:] += (top[:, :, 1:] - top[:, :, :-1]) / dz[1:]
    return t + 3600.0 * change * wet, k33


def vertical_mixing(xp: Any, energy: Any, shear: Any, stability: Any, dz: Any) -> Any:
    """A step of turbulent kinetic energy: mixing lengths and diffusivities from the energy, then
    sources, dissipation and mixing from level to level, implicitly: a tridiagonal system for each
    column, solved level by level."""
    step, constant, decay, least = 1800.0, 0.1, 0.7, 1e-6
    levels = energy.shape[2]
    root = xp.sqrt(xp.maximum(energy, least))
    length = xp.zeros_like(energy)
    length[:, :, 0] = 1e-2
    for k in range(1, levels):
        length[:, :, k] = xp.minimum(
            math.sqrt(2.0) * root[:, :, k] / xp.sqrt(xp.maximum(stability[:, :, k], 1e-10)),
            length[:, :, k - 1] + dz[k],
        )
    mixing = xp.minimum(constant * length * root, 10.0)
    delta = xp.zeros_like(energy)
    delta[:, :, :-1] = step / dz[1:] * 15.0 * (mixing[:, :, 1:] + mixing[:, :, :-1])
    below, middle, above = xp.zeros_like(energy), xp.zeros_like(energy), xp.zeros_like(energy)
    below[:, :, 1:] = -delta[:, :, :-1] / dz[1:]
    above[:, :, :-1] = -delta[:, :, :-1] / dz[:-1]
    middle[:, :, 1:-1] = delta[:, :, 1:-1] / dz[1:-1] + delta[:, :, :-2] / dz[1:-1]
    middle[:, :, 0] = delta[:, :, 0] / dz[0]
    middle[:, :, -1] = delta[:, :, -2] / (0.5 * dz[-1])
    middle += 1.0 + step * decay * root / length
    right = energy + step * mixing * (shear - 0.1 * stability)
    right[:, :, -1] += step * 1e-5 / (0.5 * dz[-1])
    for k in range(1, levels):
        factor = below[:, :, k] / middle[:, :, k - 1]
        middle[:, :, k] -= factor * above[:, :, k - 1]
        right[:, :, k] -= factor * right[:, :, k - 1]
    solution = xp.zeros_like(energy)
    solution[:, :, -1] = right[:, :, -1] / middle[:, :, -1]
    for k in range(levels - 2, -1, -1):
        solution[:, :, k] = (right[:, :, k] - above[:, :, k] * solution[:, :, k + 1]) / middle[
            :, :, k
        ]
    return solution, mixing


def shallow_water(xp: Any, h: Any, u: Any, v: Any) -> Any:
    """A step on a staggered grid with closed walls: momentum first, then the height."""
    dx, dt, gravity, coriolis, friction = 1e3, 5.0, 9.81, 1e-4, 1e-6
    du, dv, dh = xp.zeros_like(u), xp.zeros_like(v), xp.zeros_like(h)
    v_mean = xp.zeros_like(v)
    v_mean[1:-1, 1:-1] = 0.25 * (v[1:-1, 1:-1] + v[:-2, 1:-1] + v[1:-1, 2:] + v[:-2, 2:])
    u_mean = xp.zeros_like(u)
    u_mean[1:-1, 1:-1] = 0.25 * (u[1:-1, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[2:, :-2])
    du[:, :-1] = coriolis * v_mean[:, :-1] - gravity * (h[:, 1:] - h[:, :-1]) / dx
    dv[:-1, :] = -coriolis * u_mean[:-1, :] - gravity * (h[1:, :] - h[:-1, :]) / dx
    du[1:-1, 1:-1] -= u[1:-1, 1:-1] * (u[1:-1, 2:] - u[1:-1, :-2]) / (2.0 * dx)
    du[1:-1, 1:-1] -= v_mean[1:-1, 1:-1] * (u[2:, 1:-1] - u[:-2, 1:-1]) / (2.0 * dx)
    dv[1:-1, 1:-1] -= u_mean[1:-1, 1:-1] * (v[1:-1, 2:] - v[1:-1, :-2]) / (2.0 * dx)
    dv[1:-1, 1:-1] -= v[1:-1, 1:-1] * (v[2:, 1:-1] - v[:-2, 1:-1]) / (2.0 * dx)
    u1 = (u + dt * du) * (1.0 - friction * dt)
    v1 = (v + dt * dv) * (1.0 - friction * dt)
    u1[:, -1] = 0.0
    v1[-1, :] = 0.0
    fe, fn = xp.zeros_like(h), xp.zeros_like(h)
    fe[:, :-1] = xp.where(u1[:, :-1] > 0, h[:, :-1], h[:, 1:]) * u1[:, :-1]
    fn[:-1, :] = xp.where(v1[:-1, :] > 0, h[:-1, :], h[1:, :]) * v1[:-1, :]
    dh[1:, 1:] = -(fe[1:, 1:] - fe[1:, :-1] + fn[1:, 1:] - fn[:-1, 1:]) / dx
    dh[0, :] = -fn[0, :] / dx
    dh[:, 0] = -fe[:, 0] / dx
    return h + dt * dh, u1, v1


# Velocities of the lattice, their weights, and which one is the opposite of each.
LATTICE = ((0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1))
WEIGHTS = (4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36)
OPPOSITE = (0, 3, 4, 1, 2, 7, 8, 5, 6)


def lattice_boltzmann(xp: Any, f: Any, solid: Any) -> Any:
    """Streams and collides nine populations around obstacles, once."""
    g = xp.zeros_like(f)
    for i in range(9):
        g[i] = xp.roll(f[i], LATTICE[i], (1, 0))
    density = xp.sum(g, 0)
    x = (g[1] - g[3] + g[5] - g[6] - g[7] + g[8]) / density
    y = (g[2] - g[4] + g[5] + g[6] - g[7] - g[8]) / density
    speed = 1.5 * (x * x + y * y)
    result = xp.zeros_like(f)
    for i in range(9):
        along = 3.0 * (LATTICE[i][0] * x + LATTICE[i][1] * y)
        balance = WEIGHTS[i] * density * (1.0 + along + 0.5 * along * along - speed)
        result[i] = xp.where(solid, g[OPPOSITE[i]], g[i] + 1.2 * (balance - g[i]))
    return result


# --- particles, statistics, learning ---


def n_body(xp: Any, place: Any, speed: Any, mass: Any) -> Any:
    """A step of all pairs under gravity."""
    x, y, z = place[0], place[1], place[2]
    dx, dy, dz = x[None, :] - x[:, None], y[None, :] - y[:, None], z[None, :] - z[:, None]
    squared = dx * dx + dy * dy + dz * dz + 1e-2
    pull = mass[None, :] / (squared * xp.sqrt(squared))
    force = xp.stack((xp.sum(pull * dx, 1), xp.sum(pull * dy, 1), xp.sum(pull * dz, 1)))
    speed = speed + 1e-3 * force
    return place + 1e-3 * speed, speed


def k_means(xp: Any, points: Any, centers: Any) -> Any:
    """Assigns points to the nearest of 16 centers, and moves these."""
    distance = xp.sum((points[:, None, :] - centers[None, :, :]) ** 2, 2)
    nearest = xp.argmin(distance, 1)
    member = (nearest[:, None] == xp.arange(16)[None, :]) * 1.0
    count = xp.sum(member, 0)
    return (member.T @ points) / xp.maximum(count, 1.0)[:, None], nearest


def kalman(xp: Any, state: Any, spread: Any, seen: Any, f: Any, h: Any, q: Any, r: Any) -> Any:
    """Four steps of filters for many objects at once: 4 numbers each, of which 2 are seen."""
    for step in range(4):
        state = state @ f.T
        spread = f @ spread @ f.T + q
        other = spread @ h.T
        s = h @ other + r
        # The inverse of 2 x 2, written out as users do.
        determinant = s[:, 0, 0] * s[:, 1, 1] - s[:, 0, 1] * s[:, 1, 0]
        inverse = xp.zeros_like(s)
        inverse[:, 0, 0] = s[:, 1, 1] / determinant
        inverse[:, 1, 1] = s[:, 0, 0] / determinant
        inverse[:, 0, 1] = -s[:, 0, 1] / determinant
        inverse[:, 1, 0] = -s[:, 1, 0] / determinant
        gain = other @ inverse
        missing = seen[step] - state @ h.T
        state = state + xp.sum(gain * missing[:, None, :], 2)
        spread = spread - gain @ h @ spread
    return state, spread


def image_pipeline(xp: Any, image: Any) -> Any:
    """Blurs, takes edges, cuts off what is faint, and equalises the histogram."""
    wide = 0.0625 * (image[:, :-4] + image[:, 4:]) + 0.25 * (image[:, 1:-3] + image[:, 3:-1])
    wide += 0.375 * image[:, 2:-2]
    blurred = 0.0625 * (wide[:-4] + wide[4:]) + 0.25 * (wide[1:-3] + wide[3:-1])
    blurred += 0.375 * wide[2:-2]
    edges = xp.zeros_like(blurred)
    gx = 0.5 * (blurred[1:-1, 2:] - blurred[1:-1, :-2])
    gy = 0.5 * (blurred[2:, 1:-1] - blurred[:-2, 1:-1])
    edges[1:-1, 1:-1] = xp.sqrt(gx * gx + gy * gy)
    edges[edges < 0.01] = 0.0
    mixed = xp.clip(blurred + 0.5 * edges, 0.0, 1.0)
    level = xp.asarray(xp.floor(mixed * 255.0), dtype=xp.int64)
    counts = xp.bincount(xp.ravel(level), minlength=256)
    table = xp.cumsum(counts, 0) / (mixed.shape[0] * mixed.shape[1])
    return table[level]


def option_pricer(xp: Any, noise: Any) -> Any:
    """An Asian call with a barrier, on paths of 16 steps each: its price and the error of it."""
    spot, strike, barrier, rate, volatility, step = 100.0, 101.0, 140.0, 0.02, 0.2, 1.0 / 16.0
    drift, scale = (rate - 0.5 * volatility**2) * step, volatility * math.sqrt(step)
    price = spot * xp.exp(drift + scale * noise[0])
    total, highest = price, price
    for k in range(1, 16):
        price = price * xp.exp(drift + scale * noise[k])
        total = total + price
        highest = xp.maximum(highest, price)
    payoff = xp.where(highest < barrier, xp.maximum(total / 16.0 - strike, 0.0), 0.0)
    payoff = payoff * math.exp(-rate)
    mean = xp.mean(payoff)
    return mean, xp.sqrt(xp.mean((payoff - mean) ** 2) / payoff.shape[0])


def logistic_regression(xp: Any, x: Any, y: Any, w: Any) -> Any:
    """Five steps down the gradient."""
    for _ in range(5):
        p = 1.0 / (1.0 + xp.exp(-(x @ w)))
        w = w - 0.5 * (x.T @ (p - y) / x.shape[0] + 1e-4 * w)
    loss = xp.mean(xp.log1p(xp.exp(-(2.0 * y - 1.0) * (x @ w))))
    return w, loss


# --- inputs ---


def ocean(n: int) -> Arrays:
    side, depth = grid(n)
    shape = (side, side, depth)
    depths = numpy.linspace(0.0, 1.0, depth)
    t = 5.0 + 15.0 * depths + random(shape, 0, 0.0, 0.5)
    s = 35.0 - depths + random(shape, 1, 0.0, 0.1)
    wet = (random(shape, 2) > 0.05).astype(numpy.float64)
    dz = numpy.linspace(100.0, 10.0, depth)
    return t, s, wet, dz, random(shape, 3, -0.2, -0.1), random(shape, 4, 0.7, 0.8)


def grid(n: int) -> tuple[int, int]:
    """Sides and depth of a box."""
    depth = max(8, round(n ** (1 / 3) / 2.5))
    return round(math.sqrt(n / depth)), depth


def columns(n: int) -> Arrays:
    side, depth = grid(n)
    shape = (side, side, depth)
    dz = numpy.linspace(100.0, 10.0, depth)
    return random(shape, 0, 0.0, 1e-3), random(shape, 1, 0.0, 1e-5), random(shape, 2, 0.0, 1e-5), dz


def basin(n: int) -> Arrays:
    side = math.isqrt(n)
    shape = (side, side)
    return random(shape, 0, 99.5, 100.5), random(shape, 1, -0.1, 0.1), random(shape, 2, -0.1, 0.1)


def populations(n: int) -> Arrays:
    side = math.isqrt(n // 9)
    weights = numpy.asarray(WEIGHTS)[:, None, None]
    return weights * random((9, side, side), 0, 0.9, 1.1), random((side, side), 1) < 0.05


def bodies(n: int) -> Arrays:
    count = math.isqrt(n)
    return random((3, count), 0), random((3, count), 1, -0.1, 0.1), random(count, 2)


def clusters(n: int) -> Arrays:
    points = random((n // 8, 8), 0)
    return points, points[:16].copy()


def tracks(n: int) -> Arrays:
    count = n // 16
    f = numpy.eye(4)
    f[0, 2] = f[1, 3] = 0.1
    spread = numpy.eye(4) * random((count, 1, 1), 1, 0.5, 1.5)
    h = numpy.eye(4)[:2].copy()
    seen = random((4, count, 2), 2)
    return random((count, 4), 0), spread, seen, f, h, 0.01 * numpy.eye(4), 0.1 * numpy.eye(2)


def picture(n: int) -> Arrays:
    side = math.isqrt(n)
    y, x = numpy.mgrid[0:side, 0:side] / side
    return (0.4 + 0.3 * numpy.sin(9 * x) * numpy.cos(7 * y) + random((side, side), 0, -0.2, 0.2),)


def paths(n: int) -> Arrays:
    return (numpy.random.default_rng(0).standard_normal((16, n // 16)),)


def samples(n: int) -> Arrays:
    x = random((n // 16, 16), 0, -1.0, 1.0)
    return x, (x.sum(axis=1) + random(n // 16, 1, -1.0, 1.0) > 0).astype(numpy.float64), x[0].copy()


def dominant(n: int) -> Arrays:
    """A matrix that needs no pivots."""
    side = math.isqrt(n)
    return (random((side, side), 0) + side * numpy.eye(side),)


PROGRAMS = [
    Program(
        "thermodynamics, 250 operations",
        thermodynamics,
        vectors((30.0, 37.0), (0.0, 30.0), (0.0, 4000.0)),
    ),
    Program("isoneutral fluxes, 40 slice writes", isoneutral_fluxes, ocean),
    # The way down a column leaves two values for each level to the way up.
    Program(
        "vertical mixing, tridiagonal",
        vertical_mixing,
        columns,
        between=lambda energy, *others: 4 * energy.nbytes,
    ),
    Program(
        "u[1:-1, 1:-1] += stencil, 10 steps", stencil_steps, square(), passes=10, overlaps=True
    ),
    Program(
        "u[1:-1, 1:-1] += stencil, float32",
        stencil_steps,
        square(dtype=numpy.float32),
        passes=10,
        overlaps=True,
    ),
    Program("zeros_like, 3 slices, * 0.5", zeros_and_slices, vectors((0.0, 1.0))),
    Program("roll(a, 1) + roll(a, -1) - 2*a", rolls, vectors((0.0, 1.0))),
    Program("concatenate of fused parts", joined_parts, vectors((0.0, 1.0), (0.0, 1.0))),
    Program("gradient(gradient(a))", second_gradient, vectors((0.0, 1.0))),
    Program("shallow-water step", shallow_water, basin),
    Program("n-body step", n_body, bodies),
    Program("lattice Boltzmann step, D2Q9", lattice_boltzmann, populations),
    Program("k-means iteration, 16 centers", k_means, clusters, outliers=1e-4),
    # What is known of an object goes from step to step.
    Program(
        "Kalman filters, 4 steps",
        kalman,
        tracks,
        between=lambda state, spread, *others: 3 * 2 * (state.nbytes + spread.nbytes),
    ),
    # No result is known before the histogram of all is: everything is read twice.
    Program(
        "image pipeline",
        image_pipeline,
        picture,
        outliers=1e-3,
        between=lambda image: image.nbytes,
    ),
    Program("Monte Carlo, Asian option", option_pricer, paths),
    Program("LU by slices, 24 columns", lu_by_slices, dominant, passes=24, overlaps=True),
    Program("logistic regression, 5 steps", logistic_regression, samples, passes=6),
    Program("Black-Scholes with greeks", black_scholes_greeks, vectors(*[(0.5, 1.5)] * 3)),
    Program("Julia set, 24 steps", julia, vectors((-1.5, 1.5), (-1.5, 1.5)), outliers=1e-3),
    Program("a[a < .5] = 0, diff", mask_and_diff, vectors((0.0, 1.0))),
]
