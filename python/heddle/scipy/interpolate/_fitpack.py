"""FITPACK's functions, by their names: splines as (t, c, k).

Interpolation, least squares with given knots, and all evaluation is native. Knots that are chosen
for a smoothing factor are found by SciPy, on the host.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, TypeAlias, overload

import numpy

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike, Output
from heddle.scipy._generic import device_of, on_host
from heddle.scipy.interpolate._fitting import make_interp_spline, make_lsq_spline
from heddle.scipy.interpolate._splines import BSpline, differentiated, inserted, integrated
from heddle.scipy.interpolate._support import host, inexact, real_points

# A spline, or its knots, coefficients (of a curve one row for each coordinate) and degree.
SplineLike: TypeAlias = BSpline | tuple[Any, Any, int]


def scipys(name: str) -> Callable[..., Any]:
    """SciPy's function or class, for what is not native."""
    try:
        from scipy import interpolate
    except ImportError as error:
        raise ImportError(f"{name} with these arguments needs SciPy (heddle[scipy])") from error
    found: Callable[..., Any] = getattr(interpolate, name)
    return found


def _fitted(tck: Any) -> tuple[ndarray, ndarray, int]:
    """Knots and coefficients as arrays; as many coefficients as FITPACK gives."""
    t, c, k = tck
    c = inexact(as_array(c))
    knots = real_points(t, c)
    if c.shape[0] < knots.shape[0] - int(k) - 1:
        raise ValueError(
            f"(len(c)>=n-k-1) failed: {c.shape[0]} coefficients for {knots.shape[0]} knots"
        )
    return knots, c, int(k)


def padded(c: ndarray, count: int) -> ndarray:
    missing = count - c.shape[0]
    if missing <= 0:
        return c
    return np.concatenate([c, np.zeros((missing, *c.shape[1:]), c.dtype, device=c.device)])


@overload
def splrep(
    x: ArrayLike,
    y: ArrayLike,
    w: ArrayLike | None = None,
    xb: float | None = None,
    xe: float | None = None,
    k: int = 3,
    task: int = 0,
    s: float | None = None,
    t: ArrayLike | None = None,
    full_output: Literal[0] = 0,
    per: int = 0,
    quiet: int = 1,
) -> tuple[ndarray, ndarray, int]: ...
@overload
def splrep(
    x: ArrayLike,
    y: ArrayLike,
    w: ArrayLike | None = None,
    xb: float | None = None,
    xe: float | None = None,
    k: int = 3,
    task: int = 0,
    s: float | None = None,
    t: ArrayLike | None = None,
    full_output: int = 0,
    per: int = 0,
    quiet: int = 1,
) -> tuple[Any, ...]: ...
def splrep(
    x: ArrayLike,
    y: ArrayLike,
    w: ArrayLike | None = None,
    xb: float | None = None,
    xe: float | None = None,
    k: int = 3,
    task: int = 0,
    s: float | None = None,
    t: ArrayLike | None = None,
    full_output: int = 0,
    per: int = 0,
    quiet: int = 1,
) -> tuple[Any, ...]:
    """(t, c, k) of the spline near to points: through them if `s` is zero.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.interpolate import splev, splrep
    >>> x = np.arange(6.0)
    >>> print(round(float(splev(2.5, splrep(x, x**2))), 12))
    6.25
    """
    values = as_array(y)
    exact = (s == 0 or (s is None and w is None)) and task == 0 and t is None
    plain = not per and not full_output and xb is None and xe is None and 1 <= k <= 5
    if exact and plain and values.ndim == 1 and values.shape[0] > k:
        places = real_points(x, values)
        known = host(places)
        valid = w is None or (numpy.size(w) == len(known) and bool((host(as_array(w)) > 0).all()))
        valid = valid and known.ndim == 1 and len(known) == values.shape[0]
        if valid and (numpy.diff(known) > 0).all():
            made = make_interp_spline(places, values, k)
            return made.t, padded(made.c, made.t.shape[0]), k
    given = (x, y, w, xb, xe, k, task, s, t, full_output, per, quiet)
    found: tuple[Any, ...] = on_host(scipys("splrep"))(*given)
    return found


def splprep(
    x: ArrayLike,
    w: ArrayLike | None = None,
    u: ArrayLike | None = None,
    ub: float | None = None,
    ue: float | None = None,
    k: int = 3,
    task: int = 0,
    s: float | None = None,
    t: ArrayLike | None = None,
    full_output: int = 0,
    nest: int | None = None,
    per: int = 0,
    quiet: int = 1,
) -> tuple[Any, ...]:
    """(t, c, k) and parameters of a curve near to points: found by SciPy, on the host.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.interpolate import splprep
    >>> a = np.linspace(0, 3, 8)
    >>> (t, c, k), u = splprep([np.cos(a), np.sin(a)], s=0)
    >>> len(c), k
    (2, 3)
    """
    given = (x, w, u, ub, ue, k, task, s, t, full_output, nest, per, quiet)
    rows = list(x) if isinstance(x, own_array) else x
    found: tuple[Any, ...] = on_host(scipys("splprep"))(rows, *given[1:])
    return found


def splev(x: ArrayLike, tck: SplineLike, der: int = 0, ext: int = 0) -> Any:
    """Values, or derivatives, of a spline; `ext`: outside it goes on (0), is 0 (1), raises (2), or
    is what it is at the end (3).

    Examples
    --------
    >>> from heddle.scipy.interpolate import splev
    >>> splev([0.5, 1.5], ([0.0, 0.0, 1.0, 2.0, 2.0], [0.0, 1.0, 3.0, 0.0, 0.0], 1))
    array([0.5, 2. ])
    """
    if isinstance(tck, BSpline):
        if tck.c.ndim > 1:
            raise ValueError(
                "Calling splev() with BSpline objects with c.ndim > 1 is not allowed. Use "
                "BSpline.__call__(x) instead."
            )
        try:
            extrapolate = {0: True}[ext]
        except KeyError as error:
            raise ValueError(f"Extrapolation mode {ext} is not supported by BSpline.") from error
        return tck(x, der, extrapolate=extrapolate)
    t, c, k = tck
    if _is_parametric(c):
        return [splev(x, (t, each, k), der, ext) for each in c]
    if not 0 <= der <= k:
        raise ValueError(f"0<=der={der}<=k={k} must hold")
    if ext not in (0, 1, 2, 3):
        raise ValueError(f"ext = {ext} not in (0, 1, 2, 3) ")
    knots, coefficients, k = _fitted(tck)
    return spline_at(knots, coefficients, k, x, der, ext)


def _is_parametric(c: Output) -> bool:
    if isinstance(c, (own_array, numpy.ndarray)):
        return c.ndim > 1
    return len(c) > 0 and numpy.ndim(c[0]) > 0


def spline_at(t: ndarray, c: ndarray, k: int, x: ArrayLike, der: int, ext: int) -> ndarray:
    q = real_points(x, c)
    low, high = t[k], t[t.shape[0] - k - 1]
    outside = (q < low) | (q > high)
    if ext == 2 and bool(np.any(outside)):
        raise ValueError("Invalid input data: x is outside of the knots")
    # FITPACK's derivatives go on outside where values would be those at the end.
    places = np.clip(q, low, high) if ext == 3 and der == 0 else q
    made = BSpline.construct_fast(t, c, k)._at(places.reshape(-1), der).reshape(q.shape)
    return np.where(outside, 0.0, made) if ext == 1 else made


def splint(a: float, b: float, tck: SplineLike, full_output: int = 0) -> Any:
    """The integral of a spline, which is zero outside of its knots.

    Examples
    --------
    >>> from heddle.scipy.interpolate import splint
    >>> print(splint(0.0, 2.0, ([0.0, 0.0, 2.0, 2.0], [0.0, 2.0, 0.0, 0.0], 1)))
    2.0
    """
    if isinstance(tck, BSpline):
        if tck.c.ndim > 1:
            raise ValueError(
                "Calling splint() with BSpline objects with c.ndim > 1 is not allowed. Use "
                "BSpline.integrate() instead."
            )
        if full_output != 0:
            raise ValueError(f"full_output = {full_output} is not supported.")
        return tck.integrate(a, b, extrapolate=False)
    t, c, k = tck
    if _is_parametric(c):
        return [splint(a, b, (t, each, k), full_output) for each in c]
    knots, coefficients, k = _fitted(tck)
    made = BSpline.construct_fast(knots, coefficients, k).integrate(a, b, extrapolate=False)
    if not full_output:
        return made
    return made, on_host(scipys("splint"))(a, b, tck, 1)[1]


def sproot(tck: SplineLike, mest: int = 10) -> Any:
    """Where a cubic spline is zero: at most `mest` places, found on the host.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.interpolate import splrep, sproot
    >>> x = np.linspace(1, 10, 70)
    >>> np.round(sproot(splrep(x, np.sin(x))) / np.pi, 6)
    array([1., 2., 3.])
    """
    if isinstance(tck, BSpline):
        if tck.c.ndim > 1:
            raise ValueError(
                "Calling sproot() with BSpline objects with c.ndim > 1 is not allowed."
            )
        tck = tck.tck
    t, c, k = tck
    if k != 3:
        raise ValueError("sproot works only for cubic (k=3) splines")
    if _is_parametric(c):
        return [sproot((t, each, k), mest) for each in c]
    if len(t) < 8:
        raise TypeError(f"The number of knots {len(t)}>=8")
    knots, coefficients, k = _fitted(tck)
    coefficients = padded(coefficients, knots.shape[0])
    return on_host(scipys("sproot"))((knots, coefficients, k), mest)


def spalde(x: ArrayLike, tck: SplineLike) -> Any:
    """The spline and all its derivatives at places.

    Examples
    --------
    >>> from heddle.scipy.interpolate import spalde
    >>> spalde(0.5, ([0.0, 0.0, 1.0, 1.0], [0.0, 2.0, 0.0, 0.0], 1))
    array([1., 2.])
    """
    if isinstance(tck, BSpline):
        raise TypeError("spalde does not accept BSpline instances.")
    t, c, k = tck
    if _is_parametric(c):
        return [spalde(x, (t, each, k)) for each in c]
    knots, coefficients, k = _fitted(tck)
    q = real_points(x, coefficients)
    flat = q.reshape(-1)
    low, high = knots[k], knots[knots.shape[0] - k - 1]
    if bool(np.any((flat < low) | (flat > high))):
        raise ValueError("Invalid input data.")
    spline = BSpline.construct_fast(knots, coefficients, k)
    made = np.stack([spline._at(flat, nu) for nu in range(k + 1)], axis=-1)
    if flat.shape[0] > 1:
        return list(made)
    return made[0]


def insert(x: ArrayLike, tck: SplineLike, m: int = 1, per: int = 0) -> Any:
    """The same spline with a knot inserted `m` times.

    Examples
    --------
    >>> from heddle.scipy.interpolate import insert
    >>> t, c, k = insert(0.5, ([0.0, 0.0, 1.0, 1.0], [0.0, 2.0, 0.0, 0.0], 1))
    >>> c[:3]
    array([0., 1., 2.])
    """
    if isinstance(tck, BSpline):
        t, c, k = tck.tck
        place = float(as_array(x))
        for _ in range(m):
            t, c = inserted(t, c, k, place, bool(per))
        return BSpline(t, c, k, tck.extrapolate, tck.axis)
    t, c, k = tck
    if _is_parametric(c):
        parts = [insert(x, (t, each, k), m, per) for each in c]
        return parts[0][0], [each[1] for each in parts], k
    if per:
        return on_host(scipys("insert"))(x, tck, m, per)
    knots, coefficients, k = _fitted(tck)
    place = float(as_array(x))
    known = host(knots)
    n = len(known) - k - 1
    if not known[k] <= place <= known[n] or m < 1:
        raise ValueError("Invalid input data.")
    coefficients = coefficients[:n]
    for _ in range(m):
        knots, coefficients = inserted(knots, coefficients, k, place, False)
    return knots, padded(coefficients, knots.shape[0]), k


def splder(tck: object, n: int = 1) -> Any:
    """The derivative of a spline, as a spline.

    Examples
    --------
    >>> from heddle.scipy.interpolate import splder
    >>> splder(([0.0, 0.0, 1.0, 1.0], [0.0, 2.0, 0.0, 0.0], 1))[1]
    array([2., 0.])
    """
    knots, _, k = (tck.t, tck.c, tck.k) if isinstance(tck, BSpline) else _fitted(tck)
    _check_differentiable(knots, k, int(n))
    if isinstance(tck, BSpline):
        return tck.derivative(n)
    return _changed(differentiated, tck, n)


def _check_differentiable(knots: ndarray, k: int, n: int) -> None:
    """Whether a spline has derivatives up to the n-th between its ends."""
    most = min(n, k)
    # Of the i-th derivative the coefficients are differences over k - i + 1 knots.
    gaps = [knots[k + 1 : -1 - i] - knots[1 + i : -k - 1] for i in range(most)]
    if gaps and bool(np.any(np.concatenate(gaps) == 0)):
        raise ValueError(
            f"The spline has internal repeated knots and is not differentiable {n} times"
        )


def splantider(tck: object, n: int = 1) -> Any:
    """The integral of a spline, as a spline.

    Examples
    --------
    >>> from heddle.scipy.interpolate import splantider, splev
    >>> f = splantider(([0.0, 0.0, 1.0, 1.0], [0.0, 2.0, 0.0, 0.0], 1))
    >>> print(splev(1.0, f))
    1.0
    """
    if isinstance(tck, BSpline):
        return tck.antiderivative(n)
    return _changed(integrated, tck, n)


def _changed(function: Callable[..., Any], tck: object, n: int) -> Any:
    knots, c, k = _fitted(tck)
    return function(knots, padded(c, knots.shape[0]), k, int(n))


def ours(spline: Any, device: str | None) -> BSpline:
    """A spline of SciPy's as ours."""
    t, c = (np.asarray(each, device=device) for each in (spline.t, spline.c))
    return BSpline.construct_fast(t, c, spline.k, spline.extrapolate, spline.axis)


def _by_scipy(name: str, *args: object, **kwargs: object) -> Any:
    from heddle.scipy._generic import there

    device = device_of((*args, *kwargs.values()))
    return scipys(name)(*map(there, args), **{k: there(v) for k, v in kwargs.items()}), device


def make_smoothing_spline(
    x: ArrayLike,
    y: ArrayLike,
    w: ArrayLike | None = None,
    lam: float | None = None,
    *,
    axis: int = 0,
) -> BSpline:
    """The cubic spline that is near to points and smooth: found by SciPy, on the host.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.interpolate import make_smoothing_spline
    >>> x = np.arange(8.0)
    >>> print(round(float(make_smoothing_spline(x, 2 * x, lam=1.0)(2.5)), 10))
    5.0
    """
    made, device = _by_scipy("make_smoothing_spline", x, y, w, lam, axis=axis)
    return ours(made, device)


def make_splrep(
    x: ArrayLike,
    y: ArrayLike,
    *,
    w: ArrayLike | None = None,
    xb: float | None = None,
    xe: float | None = None,
    k: int = 3,
    s: float = 0,
    t: ArrayLike | None = None,
    nest: int | None = None,
    bc_type: object = None,
) -> BSpline:
    """The spline near to points, as near as `s` says; through them if that is zero.

    With `s` > 0 knots are chosen by SciPy, on the host.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.interpolate import make_splrep
    >>> x = np.arange(6.0)
    >>> print(round(float(make_splrep(x, x**2)(2.5)), 12))
    6.25
    """
    if s == 0 and all(each is None for each in (w, xb, xe, t, nest, bc_type)):
        return make_interp_spline(x, y, k)
    names = {"w": w, "xb": xb, "xe": xe, "k": k, "s": s, "t": t, "nest": nest, "bc_type": bc_type}
    made, device = _by_scipy("make_splrep", x, y, **names)
    return ours(made, device)


def make_splprep(
    x: ArrayLike,
    *,
    w: ArrayLike | None = None,
    u: ArrayLike | None = None,
    ub: float | None = None,
    ue: float | None = None,
    k: int = 3,
    s: float = 0,
    t: ArrayLike | None = None,
    nest: int | None = None,
    bc_type: object = None,
) -> tuple[BSpline, ndarray]:
    """The curve near to points, and parameters: found by SciPy, on the host.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.interpolate import make_splprep
    >>> a = np.linspace(0, 3, 8)
    >>> spline, u = make_splprep([np.cos(a), np.sin(a)])
    >>> spline(0.5).shape
    (2,)
    """
    names = {"w": w, "u": u, "ub": ub, "ue": ue, "k": k, "s": s, "t": t, "nest": nest}
    (made, found), device = _by_scipy("make_splprep", x, bc_type=bc_type, **names)
    return ours(made, device), np.asarray(found, device=device)


def generate_knots(
    x: ArrayLike,
    y: ArrayLike,
    *,
    w: ArrayLike | None = None,
    xb: float | None = None,
    xe: float | None = None,
    k: int = 3,
    s: float = 0,
    nest: int | None = None,
    bc_type: object = None,
) -> Iterator[ndarray]:
    """Knots, more and more, until a spline is as near to points as `s` says: on the host.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy.interpolate import generate_knots
    >>> x = np.linspace(0, 1, 20)
    >>> len(list(generate_knots(x, np.sin(9 * x), s=0.01))) > 1
    True
    """
    names = {"w": w, "xb": xb, "xe": xe, "k": k, "s": s, "nest": nest, "bc_type": bc_type}
    made, device = _by_scipy("generate_knots", x, y, **names)
    return (np.asarray(each, device=device) for each in made)


def least_squares(
    x: ndarray, y: ndarray, t: ArrayLike, k: int, w: ArrayLike | None
) -> tuple[ndarray, ndarray]:
    """Knots and coefficients of the spline of given inner knots."""
    inner = real_points(t, y)
    ends = [np.broadcast_to(x[:1], (k + 1,)), np.broadcast_to(x[-1:], (k + 1,))]
    knots = np.concatenate([ends[0], inner, ends[1]])
    made = make_lsq_spline(x, y, knots, k, w)
    return knots, made.c
