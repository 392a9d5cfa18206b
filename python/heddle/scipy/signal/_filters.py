"""Linear filters along an axis: rational ones and sections, forwards, and both ways."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

import numpy

import heddle as np
from heddle._arguments import as_array, normalize_axis_index
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike, DTypeLike, HostArray
from heddle.scipy._generic import there
from heddle.scipy.signal import _kernels as kernels
from heddle.scipy.signal._convolution import convolve, oaconvolve
from heddle.scipy.signal._recursions import LARGEST_STATE, HostRecursion
from heddle.scipy.signal._recursions_of_pieces import PiecewiseRecursion


def _small(value: object, dtype: DTypeLike | None = None) -> HostArray:
    """Coefficients, on the host: they are few."""
    made = value._snapshot() if isinstance(value, own_array) else numpy.asarray(there(value))
    return made.astype(dtype) if dtype is not None else made


def _signal(x: ArrayLike) -> ndarray:
    a = as_array(x)
    if a.ndim == 0:
        raise ValueError("x must be at least 1-D")
    return a


def _filtered_type(*arrays: Any) -> numpy.dtype[Any]:
    dtype = numpy.result_type(*(a.dtype for a in arrays))
    if dtype.kind not in "fc":
        dtype = numpy.dtype("f8") if dtype.kind in "iub" else dtype
    return numpy.dtype({"e": "f4"}.get(dtype.char, dtype))


def _coefficients(b: ArrayLike, a: ArrayLike) -> tuple[HostArray, HostArray]:
    made = []
    for name, each in (("b", b), ("a", a)):
        one = numpy.atleast_1d(_small(each))
        if one.ndim != 1 or one.size == 0:
            raise ValueError(
                f"Parameter {name} is not a non-empty 1d array, since {name}.shape={one.shape!r}!"
            )
        made.append(one)
    return made[0], made[1]


def _state(zi: ArrayLike, x: ndarray, axis: int, order: int) -> ndarray:
    """(order, lines), of states that may be broadcast."""
    given = as_array(zi)
    if given.ndim != x.ndim:
        raise ValueError(
            "Dimensions of parameters x and zi must match, but "
            f"x.ndim={x.ndim!r}, zi.ndim={given.ndim!r}!"
        )
    expected = list(x.shape)
    expected[axis] = order
    wrong = [
        has != wants and (has != 1 or k == axis % x.ndim)
        for k, (has, wants) in enumerate(zip(given.shape, expected, strict=True))
    ]
    if any(wrong):
        raise ValueError(
            f"Unexpected shape for parameter zi: expected {tuple(expected)}, found {given.shape}."
        )
    return np.broadcast_to(given, tuple(expected))


@overload
def lfilter(
    b: ArrayLike, a: ArrayLike, x: ArrayLike, axis: int = -1, zi: None = None
) -> ndarray: ...
@overload
def lfilter(
    b: ArrayLike, a: ArrayLike, x: ArrayLike, axis: int = -1, *, zi: ArrayLike
) -> tuple[ndarray, ndarray]: ...
@overload
def lfilter(
    b: ArrayLike, a: ArrayLike, x: ArrayLike, axis: int, zi: ArrayLike
) -> tuple[ndarray, ndarray]: ...
@overload
def lfilter(
    b: ArrayLike, a: ArrayLike, x: ArrayLike, axis: int = -1, zi: ArrayLike | None = None
) -> ndarray | tuple[ndarray, ndarray]: ...
def lfilter(
    b: ArrayLike, a: ArrayLike, x: ArrayLike, axis: int = -1, zi: ArrayLike | None = None
) -> Any:
    """Filters along an axis by the coefficients b of what comes in and a of what has come out.

    Long lines are cut into pieces, which are filtered at the same time.

    Examples
    --------
    >>> from heddle.scipy import signal
    >>> signal.lfilter([1.0], [1.0, -0.5], [1.0, 0.0, 0.0, 0.0])
    array([1.   , 0.5  , 0.25 , 0.125])
    """
    top, bottom = _coefficients(b, a)
    given = _signal(x)
    arrays = [top, bottom, given] + ([] if zi is None else [as_array(zi)])
    dtype = _filtered_type(*arrays)
    if bottom[0] == 0:
        raise ValueError("a[0] must be nonzero")
    order = max(len(top), len(bottom)) - 1
    full = numpy.zeros((2, order + 1), dtype)
    full[0, : len(top)] = top
    full[1, : len(bottom)] = bottom
    if bottom[0] != 1:
        full /= bottom[0]
    given = given.astype(dtype, copy=False)
    axis = normalize_axis_index(axis, given.ndim)
    state = None if zi is None else _state(zi, given, axis, order).astype(dtype)
    if order == 0:
        made = given * full[0][0]
        return made if zi is None else (made, state)
    if len(bottom) == 1 and state is None:
        return _by_convolution(full[0], given, axis)
    if not given.size:
        return given if zi is None else (given, state)
    y, final = _on_lines(_recursion(full.reshape(-1), False, order, given), given, axis, state)
    return y if zi is None else (y, final)


def _recursion(
    coefficients: HostArray, sections: bool, order: int, x: ndarray
) -> HostRecursion | PiecewiseRecursion:
    """What filters an array: loops of the host, or threads where it is on another device."""
    if x._at_once and (2 * order if sections else order) <= LARGEST_STATE:
        return HostRecursion(np.asarray(coefficients, device="cpu"), sections, order)
    return PiecewiseRecursion(coefficients, sections, order)


def _on_lines(
    recursion: HostRecursion | PiecewiseRecursion, x: ndarray, axis: int, state: ndarray | None
) -> tuple[ndarray, ndarray]:
    """Filtered along an axis, and the states, which have their numbers along it."""
    moved = np.moveaxis(x, axis, -1)
    n, around = moved.shape[-1], moved.shape[:-1]
    if state is not None:
        state = np.moveaxis(state, axis, -1).reshape(-1, state.shape[axis])
    y, final = recursion(moved.reshape(-1, n), state)
    y, final = y.reshape(moved.shape), final.reshape(*around, -1)
    return np.moveaxis(y, -1, axis), np.moveaxis(final, -1, axis)


def _by_convolution(b: HostArray, x: ndarray, axis: int) -> ndarray:
    """A filter without recursion."""
    n = x.shape[axis]
    taps = np.asarray(b, device=x.device)
    shape = [1] * x.ndim
    shape[axis] = len(b)
    if len(b) > 64 and n > 64:
        made = oaconvolve(x, taps.reshape(shape), axes=axis)
    else:
        lines = np.moveaxis(x, axis, -1)
        flat = lines.reshape(-1, n)
        padded = np.pad(flat, ((0, 0), (len(b) - 1, 0)))
        y = kernels.correlation(padded, taps[::-1][None])
        return np.moveaxis(y.reshape(lines.shape), -1, axis)
    index = [slice(None)] * x.ndim
    index[axis] = slice(0, n)
    return made[tuple(index)].astype(x.dtype)


def lfilter_zi(b: ArrayLike, a: ArrayLike) -> ndarray:
    """The state in which a filter goes on with ones as it has for ever.

    Examples
    --------
    >>> from heddle.scipy import signal
    >>> signal.lfilter_zi([1.0], [1.0, -0.5])
    array([1.])
    """
    return np.asarray(_steady(b, a))


def _steady(b: ArrayLike, a: ArrayLike) -> HostArray:
    top, bottom = numpy.atleast_1d(_small(b)), numpy.atleast_1d(_small(a))
    if top.ndim != 1:
        raise ValueError("Numerator b must be 1-D.")
    if bottom.ndim != 1:
        raise ValueError("Denominator a must be 1-D.")
    while len(bottom) > 1 and bottom[0] == 0:
        bottom = bottom[1:]
    if bottom.size < 1:
        raise ValueError("There must be at least one nonzero `a` coefficient.")
    if bottom[0] != 1:
        top, bottom = top / bottom[0], bottom / bottom[0]
    n = max(len(top), len(bottom))
    if n < 2:
        raise ValueError("The length of `a` along the last axis must be at least 2.")
    top = numpy.concatenate([top, numpy.zeros(n - len(top), top.dtype)])
    bottom = numpy.concatenate([bottom, numpy.zeros(n - len(bottom), bottom.dtype)])
    matrix = numpy.eye(n - 1, dtype=numpy.result_type(top, bottom, numpy.float32))
    companion = numpy.zeros((n - 1, n - 1), matrix.dtype)
    companion[0] = -bottom[1:]
    companion[numpy.arange(1, n - 1), numpy.arange(n - 2)] = 1
    matrix = matrix - companion.T
    return numpy.linalg.solve(matrix, top[1:] - bottom[1:] * top[0])


def _checked_sos(sos: object) -> HostArray:
    made = numpy.atleast_2d(_small(sos))
    if made.ndim != 2:
        raise ValueError("sos array must be 2D")
    if made.shape[1] != 6:
        raise ValueError("sos array must be shape (n_sections, 6)")
    if not (made[:, 3] == 1).all():
        raise ValueError("sos[:, 3] should be all ones")
    return made


@overload
def sosfilt(sos: ArrayLike, x: ArrayLike, axis: int = -1, zi: None = None) -> ndarray: ...
@overload
def sosfilt(
    sos: ArrayLike, x: ArrayLike, axis: int = -1, *, zi: ArrayLike
) -> tuple[ndarray, ndarray]: ...
@overload
def sosfilt(sos: ArrayLike, x: ArrayLike, axis: int, zi: ArrayLike) -> tuple[ndarray, ndarray]: ...
@overload
def sosfilt(
    sos: ArrayLike, x: ArrayLike, axis: int = -1, zi: ArrayLike | None = None
) -> ndarray | tuple[ndarray, ndarray]: ...
def sosfilt(sos: ArrayLike, x: ArrayLike, axis: int = -1, zi: ArrayLike | None = None) -> Any:
    """Filters along an axis by sections of second order, one after the other.

    Examples
    --------
    >>> from heddle.scipy import signal
    >>> signal.sosfilt([[1.0, 0, 0, 1, -0.5, 0]], [1.0, 0.0, 0.0, 0.0])
    array([1.   , 0.5  , 0.25 , 0.125])
    """
    given = _signal(x)
    sections = _checked_sos(sos)
    count = len(sections)
    axis = normalize_axis_index(axis, given.ndim)
    shape = list(given.shape)
    shape[axis] = 2
    shape = [count, *shape]
    arrays: list[ndarray | HostArray] = [sections, given]
    if zi is not None:
        arrays.append(as_array(zi))
    dtype = _filtered_type(*arrays)
    if not all(a.dtype.kind in "fciub" for a in arrays):
        raise NotImplementedError(f"input type '{dtype}' not supported")
    given = given.astype(dtype, copy=False)
    if not given.size:
        return given if zi is None else (given, as_array(zi))
    found: ndarray | tuple[ndarray, ndarray] = _in_sections(
        sections.astype(dtype), given, axis, zi, shape
    )
    return found


def _sections_state(zi: ArrayLike, x: ndarray, axis: int, shape: list[int]) -> ndarray:
    first = as_array(zi).astype(x.dtype)
    if list(first.shape) != shape:
        raise ValueError(
            f"Invalid zi shape. With axis={axis!r}, an input with shape {x.shape!r}, and "
            f"an sos array with {shape[0]} sections, zi must have shape {tuple(shape)!r}, got "
            f"{first.shape!r}."
        )
    return first


def _in_sections(
    sos: HostArray, x: ndarray, axis: int, zi: ArrayLike | None, shape: list[int]
) -> Any:
    count = len(sos)
    state = None
    if zi is not None:
        # (sections, ..., 2, ...) as (..., 2 * sections)
        state = np.moveaxis(_sections_state(zi, x, axis, shape), (0, axis + 1), (-2, -1))
        state = np.moveaxis(state.reshape(*state.shape[:-2], 2 * count), -1, axis)
    y, final = _on_lines(_recursion(sos.reshape(-1), True, count, x), x, axis, state)
    if zi is None:
        return y
    final = np.moveaxis(final, axis, -1)
    final = final.reshape(*final.shape[:-1], count, 2)
    return y, np.moveaxis(final, (-2, -1), (0, axis + 1))


def _steady_sections(sos: object) -> HostArray:
    made = _small(sos)
    if made.ndim != 2 or made.shape[1] != 6:
        raise ValueError("sos must be shape (n_sections, 6)")
    if made.dtype.kind in "iub":
        made = made.astype(numpy.float64)
    zi = numpy.empty((len(made), 2), made.dtype)
    scale = 1.0
    for k, section in enumerate(made):
        b, a = section[:3], section[3:]
        zi[k] = scale * _steady(b, a)
        scale *= b.sum() / a.sum()
    return zi


def sosfilt_zi(sos: ArrayLike) -> ndarray:
    """The states in which sections go on with ones as they have for ever.

    Examples
    --------
    >>> from heddle.scipy import signal
    >>> signal.sosfilt_zi([[1.0, 0, 0, 1, -0.5, 0]])
    array([[1., 0.]])
    """
    return np.asarray(_steady_sections(sos))


# --- forwards and backwards ---


def _part(x: ndarray, axis: int, *bounds: int | None) -> ndarray:
    index = [slice(None)] * x.ndim
    index[axis] = slice(*bounds)
    return x[tuple(index)]


def _extended(x: ndarray, edge: int, axis: int, kind: str) -> ndarray:
    if edge < 1:
        return x
    n = x.shape[axis]
    if kind == "constant":
        room = [(0, 0)] * x.ndim
        room[axis] = (edge, edge)
        return np.pad(x, room, mode="edge")
    left = _part(x, axis, edge, 0, -1)
    right = _part(x, axis, -2, -(edge + 2), -1) if edge + 2 <= n else _part(x, axis, -2, None, -1)
    if kind == "odd":
        left = 2 * _part(x, axis, 0, 1) - left
        right = 2 * _part(x, axis, n - 1, n) - right
    return np.concatenate([left, x, right], axis=axis)


def _padded(
    padtype: str | None, padlen: int | None, x: ndarray, axis: int, taps: int
) -> tuple[int, ndarray]:
    if padtype not in ("even", "odd", "constant", None):
        raise ValueError(
            f"Unknown value '{padtype}' given to padtype. padtype must be 'even', 'odd', "
            "'constant', or None."
        )
    edge = 0 if padtype is None else taps * 3 if padlen is None else padlen
    if x.shape[axis] <= edge:
        raise ValueError(
            f"The length of the input vector x must be greater than padlen, which is {edge}."
        )
    return edge, _extended(x, edge, axis, padtype) if padtype is not None else x


def _both_ways(
    run: Callable[..., Any], states: ndarray, ext: ndarray, axis: int, edge: int
) -> ndarray:
    """Forwards and backwards, each beginning in the steady state of its first element."""
    y, _ = run(ext, states * _part(ext, axis, 0, 1))
    n = y.shape[axis]
    y = np.flip(y, axis)
    y, _ = run(y, states * _part(y, axis, 0, 1))
    return _part(np.flip(y, axis), axis, edge, n - edge)


def filtfilt(
    b: ArrayLike,
    a: ArrayLike,
    x: ArrayLike,
    axis: int = -1,
    padtype: str | None = "odd",
    padlen: int | None = None,
    method: str = "pad",
    irlen: int | None = None,
) -> ndarray:
    """Filters forwards and backwards: nothing is delayed. Signals are extended at both ends.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> signal.filtfilt([0.5], [1.0, -0.5], np.ones(20))[:3].round(6)
    array([1., 1., 1.])
    """
    top, bottom = numpy.atleast_1d(_small(b)), numpy.atleast_1d(_small(a))
    given = as_array(x)
    if method not in ("pad", "gust"):
        raise ValueError("method must be 'pad' or 'gust'.")
    if method == "gust":
        return _gustafsson(top, bottom, given, axis, irlen)
    axis = normalize_axis_index(axis, given.ndim)
    edge, ext = _padded(padtype, padlen, given, axis, max(len(top), len(bottom)))
    zi = _steady(top, bottom)
    shape = [1] * given.ndim
    shape[axis] = zi.size
    dtype = _filtered_type(top, bottom, given)
    states = np.asarray(zi.reshape(shape).astype(dtype), device=given.device)
    return _both_ways(
        lambda signal, state: lfilter(top, bottom, signal, axis, state), states, ext, axis, edge
    )


def _gustafsson(b: HostArray, a: HostArray, x: ndarray, axis: int, irlen: int | None) -> ndarray:
    """Initial states for which filtering in either order gives the same: Gustafsson's method."""
    order = max(len(b), len(a)) - 1
    if order == 0:
        scale: float = (b[0] / a[0]) ** 2
        return x * scale
    axis = normalize_axis_index(axis, x.ndim)
    n = x.shape[axis]
    m = n if irlen is None or n <= 2 * irlen else irlen
    x = np.moveaxis(x, axis, -1)
    # What each unit state leaves, and that filtered backwards.
    dtype = _filtered_type(b, a, x)
    obs = numpy.zeros((m, order), dtype)
    zi = numpy.zeros(order, dtype)
    zi[0] = 1
    nothing = np.zeros(m, dtype, device="cpu")
    unit = np.asnumpy(lfilter(b, a, nothing, zi=np.asarray(zi, device="cpu"))[0])
    for k in range(order):
        obs[k:, k] = unit[: m - k]
    reverse = obs[::-1]
    forwards = np.asnumpy(lfilter(b, a, np.asarray(reverse.copy(), device="cpu"), axis=0))
    backwards = forwards[::-1]
    if m == n:
        matrix = numpy.hstack([backwards - obs, reverse - forwards])
    else:
        matrix = numpy.zeros((2 * m, 2 * order), dtype)
        matrix[:m, :order] = backwards - obs
        matrix[m:, order:] = reverse - forwards
    y_fwd = lfilter(b, a, x)
    y_fb = np.flip(lfilter(b, a, np.flip(y_fwd, -1)), -1)
    y_bwd = np.flip(lfilter(b, a, np.flip(x, -1)), -1)
    y_bf = lfilter(b, a, y_bwd)
    delta = y_bf - y_fb
    if m != n:
        delta = np.concatenate([delta[..., :m], delta[..., -m:]], axis=-1)
    inverse = np.asarray(numpy.linalg.pinv(matrix), device=x.device)
    initial = delta @ inverse.T
    left = initial[..., :order] @ np.asarray(backwards.T.copy(), device=x.device)
    right = initial[..., order:] @ np.asarray(reverse.T.copy(), device=x.device)
    made = y_fb.copy()
    if m == n:
        made = made + left + right
    else:
        made[..., :m] += left
        made[..., -m:] += right
    return np.moveaxis(made, -1, axis)


def sosfiltfilt(
    sos: ArrayLike,
    x: ArrayLike,
    axis: int = -1,
    padtype: str | None = "odd",
    padlen: int | None = None,
) -> ndarray:
    """filtfilt by sections of second order.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.scipy import signal
    >>> signal.sosfiltfilt([[0.5, 0, 0, 1, -0.5, 0]], np.ones(20))[:3].round(6)
    array([1., 1., 1.])
    """
    sections = _checked_sos(sos)
    given = _signal(x)
    count = len(sections)
    taps = 2 * count + 1
    taps -= min((sections[:, 2] == 0).sum(), (sections[:, 5] == 0).sum())
    axis = normalize_axis_index(axis, given.ndim)
    edge, ext = _padded(padtype, padlen, given, axis, int(taps))
    zi = _steady_sections(sections)
    shape = [1] * given.ndim
    shape[axis] = 2
    dtype = _filtered_type(sections, given)
    states = np.asarray(zi.reshape([count, *shape]).astype(dtype), device=given.device)
    return _both_ways(
        lambda signal, state: sosfilt(sections, signal, axis, state), states, ext, axis, edge
    )


def deconvolve(signal: ArrayLike, divisor: ArrayLike) -> tuple[ndarray, ndarray]:
    """Quotient and remainder of one signal by another: the inverse of convolve.

    Examples
    --------
    >>> from heddle.scipy import signal
    >>> quotient, remainder = signal.deconvolve([0.0, 1.0, 4.0, 7.0, 6.0], [1.0, 2.0])
    >>> quotient
    array([0., 1., 2., 3.])
    """
    num, den = np.atleast_1d(as_array(signal)), np.atleast_1d(as_array(divisor))
    for name, given in (("signal", num), ("divisor", den)):
        if given.ndim != 1 or given.size == 0:
            raise ValueError(
                f"Parameter {name} must be non-empty 1d array, but its shape is {given.shape}!"
            )
    n, d = num.shape[0], den.shape[0]
    if d > n:
        return np.zeros((0,)), num
    quotient = lfilter([1.0], _small(den), num[: n - d + 1])
    return quotient, num - convolve(den, quotient, mode="full", method="direct")
