"""``ShortTimeFFT`` for arrays of every device.

Windows, factors, ranges and times are a few numbers, and SciPy's class has them. The transforms of
signals, forth and back, are computed here, of all pieces at once, where the signal is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import heddle as np
from heddle._arguments import as_array
from heddle._core import ndarray
from heddle._typing import ArrayLike
from heddle.scipy._generic import there
from heddle.scipy.signal._short_time import _added
from heddle.scipy.signal._smoothing import detrend
from heddle.scipy.signal._spectral import lengthened

_PADDING: dict[str, dict[str, Any]] = {
    "zeros": {"mode": "constant"},
    "edge": {"mode": "edge"},
    "even": {"mode": "reflect", "reflect_type": "even"},
    "odd": {"mode": "reflect", "reflect_type": "odd"},
}


def _pieces(how: Any, x: ndarray, offset: int, first: int, last: int, padding: str) -> ndarray:
    """(..., pieces, elements) of signals along the last axis."""
    if padding not in _PADDING:
        raise ValueError(f"Parameter {padding=} not in {tuple(_PADDING)}!")
    length, count = x.shape[-1], last - first
    begin = first * how.hop - how.m_num_mid + offset
    end = begin + count * how.hop + how.m_num
    kept = x[..., max(begin, 0) : min(end, length)]
    widths = [(0, 0)] * (x.ndim - 1) + [(-min(begin, 0), max(end - length, 0))]
    around = np.pad(kept, widths, **_PADDING[padding])
    cut = np.lib.stride_tricks.sliding_window_view(around, how.m_num, axis=-1)
    return cut[..., :: how.hop, :][..., :count, :]


def _doubled(how: Any, device: str) -> ndarray:
    """Factors of frequencies, of which those that stand for two are larger."""
    factor = math.sqrt(2) if how.scaling == "psd" else 2.0
    k = np.arange(how.f_pts, device=device)
    single = (k == 0) | (k == how.mfft // 2) if how.mfft % 2 == 0 else k == 0
    return np.where(single, 1.0, factor)


def _shift(how: Any) -> int:
    return int((how.phase_shift + how.m_num_mid) % how.m_num)


def _transformed(how: Any, x: ndarray) -> ndarray:
    """The transform of pieces along the last axis."""
    if how.phase_shift is not None:
        x = np.roll(lengthened(x, how.mfft) if x.shape[-1] < how.mfft else x, -_shift(how), axis=-1)
    if how.fft_mode in ("twosided", "centered"):
        made = np.fft.fft(x, how.mfft)
        return np.fft.fftshift(made, axes=(-1,)) if how.fft_mode == "centered" else made
    made = np.fft.rfft(x, how.mfft)
    return made * _doubled(how, made.device) if how.fft_mode == "onesided2X" else made


def _transformed_back(how: Any, spectra: ndarray) -> ndarray:
    """Pieces of spectra along the last axis."""
    if how.fft_mode in ("twosided", "centered"):
        centered = how.fft_mode == "centered"
        x = np.fft.ifft(np.fft.ifftshift(spectra, axes=(-1,)) if centered else spectra, how.mfft)
    else:
        if how.fft_mode == "onesided2X":
            spectra = spectra / _doubled(how, spectra.device)
        x = np.fft.irfft(spectra, how.mfft)
    if how.phase_shift is not None:
        x = np.roll(x, _shift(how), axis=-1)
    return x[..., : how.m_num]


def _forth(
    how: Any,
    x: ArrayLike,
    detr: Callable[..., Any] | str | None,
    p0: int | None = None,
    p1: int | None = None,
    *,
    k_offset: int = 0,
    padding: str = "zeros",
    axis: int = -1,
) -> ndarray:
    """The short-time Fourier transform of signals, of pieces without their trends."""
    given = as_array(x)
    if how.onesided_fft and given.dtype.kind == "c":
        raise ValueError(
            f"Complex-valued `x` not allowed for {how.fft_mode=}'! "
            "Set property `fft_mode` to 'twosided' or 'centered'."
        )
    if not (detr is None or isinstance(detr, str) or callable(detr)):
        raise ValueError(f"Parameter {detr=} is not a str, function or None!")
    length = given.shape[axis]
    if length < (least := how.m_num - how.m_num_mid):
        raise ValueError(f"{length} samples along {axis=} must be >= ceil(m_num/2) = {least}!")
    lines = np.moveaxis(given, axis, -1)
    first, last = how.p_range(length, p0, p1)
    cut = _pieces(how, lines, k_offset, first, last, padding)
    if isinstance(detr, str):
        cut = detrend(cut, type=detr)
    elif detr is not None:  # one piece after the other, as SciPy calls it
        each = [as_array(detr(cut[..., k, :])) for k in range(last - first)]
        cut = np.stack(each, axis=-2)
    window = np.asarray(how.win.conj(), device=given.device)
    made = np.swapaxes(_transformed(how, cut * window), -1, -2)
    if given.ndim == 1:
        return made
    return np.moveaxis(made, -2, axis if axis >= 0 else axis - 1)


def _back(
    how: Any,
    S: ArrayLike,
    k0: int = 0,
    k1: int | None = None,
    *,
    f_axis: int = -2,
    t_axis: int = -1,
) -> ndarray:
    """The signal of a short-time Fourier transform."""
    given = as_array(S)
    if f_axis == t_axis:
        raise ValueError(f"{f_axis=} may not be equal to {t_axis=}!")
    if given.shape[f_axis] != how.f_pts:
        raise ValueError(f"{given.shape[f_axis]=} must be equal to {how.f_pts=} ({given.shape=})!")
    least = how.m_num - how.m_num_mid
    if given.shape[t_axis] < (few := how.p_num(least)):
        raise ValueError(f"{given.shape[t_axis]=} needs to have at least {few} slices!")
    f_axis, t_axis = f_axis % given.ndim, t_axis % given.ndim
    spectra = np.moveaxis(given, (t_axis, f_axis), (-2, -1))
    q_max = spectra.shape[-2] + how.p_min
    k_max = (q_max - 1) * how.hop + how.m_num - how.m_num_mid
    k1 = k_max if k1 is None else k1
    if not how.k_min <= k0 < k1 <= k_max:
        raise ValueError(f"({how.k_min=}) <= ({k0=}) < ({k1=}) <= ({k_max=}) is false!")
    if k1 - k0 < least:
        raise ValueError(
            f"({k1=}) - ({k0=}) = {k1 - k0} has to be at least the half the window length {least}!"
        )
    first = k0 // how.hop + (how.p_min if k0 >= 0 else 0)
    last = min(how.p_max(k1), q_max)
    pieces = _transformed_back(how, spectra[..., first - how.p_min : last - how.p_min, :])
    total = _added(pieces * np.asarray(how.dual_win, device=given.device), how.hop)
    begin = first * how.hop - how.m_num_mid
    if begin > k0:
        total = np.pad(total, [(0, 0)] * (total.ndim - 1) + [(begin - k0, 0)])
        begin = k0
    if total.shape[-1] < k1 - begin:
        total = lengthened(total, k1 - begin)
    x = total[..., k0 - begin : k1 - begin]
    return np.moveaxis(x, -1, f_axis if f_axis < x.ndim else t_axis) if x.ndim > 1 else x


def short_time_class(theirs: type) -> type:
    """SciPy's class, with transforms of ours."""

    class ShortTimeFFT(theirs):  # type: ignore[misc]
        __doc__ = theirs.__doc__

        def __init__(self, win: ArrayLike, hop: int, fs: float, **how: object) -> None:
            super().__init__(there(win), hop, fs, **{k: there(v) for k, v in how.items()})

        @classmethod
        def from_dual(cls, dual_win: ArrayLike, *args: object, **how: object) -> Any:
            return super().from_dual(there(dual_win), *args, **how)

        @classmethod
        def from_win_equals_dual(cls, desired_win: ArrayLike, *args: object, **how: object) -> Any:
            return super().from_win_equals_dual(there(desired_win), *args, **how)

        stft_detrend = _forth
        istft = _back

    for name in ("from_dual", "from_win_equals_dual", "stft_detrend", "istft"):
        found = vars(ShortTimeFFT)[name]
        function = found.__func__ if isinstance(found, classmethod) else found
        function.__doc__ = getattr(theirs, name).__doc__
    ShortTimeFFT.__module__, ShortTimeFFT.__qualname__ = "heddle.scipy.signal", "ShortTimeFFT"
    return ShortTimeFFT
