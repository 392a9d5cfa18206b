"""Functions of a matrix of three rows and four columns, for the tests of transformations."""

import numpy as np

import heddle as hd

RNG = np.random.default_rng(5)
MATRIX = RNG.uniform(0.5, 1.5, size=(3, 4))

REDUCTIONS = {
    "sum": lambda x: (x.sum(0) * hd.arange(4.0)).sum(),
    "sum all": lambda x: x.sum() ** 2,
    "mean": lambda x: (x.mean(1, keepdims=True) * x).sum(),
    "var": lambda x: x.var(axis=0).sum(),
    "std": lambda x: x.std(axis=1, ddof=1).sum(),
    "prod": lambda x: (x.prod(1) * hd.arange(3.0)).sum(),
    "prod of several axes": lambda x: x.reshape(3, 2, 2).prod((0, 2)).sum(),
    "max": lambda x: (x.max(0) ** 2).sum(),
    "min": lambda x: x.min() ** 3,
    "ptp": lambda x: hd.ptp(x, axis=1).sum(),
    "logaddexp": lambda x: hd.logaddexp.reduce(x, axis=1).sum(),
    "hypot": lambda x: hd.hypot.reduce(x, axis=1).sum(),
    "cumsum": lambda x: (hd.cumsum(x, 1) ** 2).sum(),
    "cumprod": lambda x: (hd.cumprod(x, 0) * x).sum(),
    "maximum.accumulate": lambda x: (hd.maximum.accumulate(x, axis=1) ** 2).sum(),
    "fmin.accumulate": lambda x: (hd.fmin.accumulate(x, axis=0) ** 2).sum(),
    "logaddexp.accumulate": lambda x: (hd.logaddexp.accumulate(x * 3, axis=1) ** 2).sum(),
    "logaddexp2.accumulate": lambda x: (hd.logaddexp2.accumulate(x, axis=0) * x).sum(),
    "hypot.accumulate": lambda x: (hd.hypot.accumulate(x, axis=1) ** 3).sum(),
    "nansum": lambda x: hd.nansum(x * x),
    "nanmean": lambda x: hd.nanmean(x * x),
    "average": lambda x: hd.average(x, axis=0, weights=x[:, 0]).sum(),
    "norm": lambda x: hd.linalg.norm(x),
    "softmax": lambda x: (hd.exp(x) / hd.exp(x).sum(1, keepdims=True))[:, 1].sum(),
    "diff": lambda x: (hd.diff(x, axis=1) ** 2).sum(),
    "trapezoid": lambda x: hd.trapezoid(x**2),
}

VIEWS = {
    "transpose": lambda x: (x.T * hd.arange(3.0)).sum(),
    "reshape": lambda x: (x.reshape(2, 6)[0] ** 2).sum(),
    "slices": lambda x: (x[1:, ::2] * x[:-1, 1::2]).sum(),
    "reversed": lambda x: (x[::-1, ::-1] * x).sum(),
    "broadcast": lambda x: (x[0] * x[:, :1]).sum(),
    "newaxis": lambda x: (x[:, None, :] * x[None, :, :]).sum(),
    "diagonal": lambda x: (x.diagonal() ** 2).sum(),
    "element": lambda x: x[1, 2] * x[0, 0],
    "windows": lambda x: (hd.lib.stride_tricks.sliding_window_view(x, 2, 1) ** 2).sum(),
    "swapaxes": lambda x: (hd.swapaxes(x, 0, 1)[1] ** 3).sum(),
    "ravel": lambda x: (x.T.ravel()[::3] ** 2).sum(),
    "gather": lambda x: (x[[0, 0, 2]] ** 2).sum(),
    "gather of both": lambda x: (x[[0, 0, 2], [1, 1, 3]] ** 2).sum(),
    "take": lambda x: (hd.take(x, hd.array([3, 3, 0]), axis=1) ** 2).sum(),
    "mask": lambda x: (x[x > 1] ** 2).sum(),
    "concatenate": lambda x: (hd.concatenate([x, x * 2], axis=1) ** 2).sum(),
    "stack": lambda x: (hd.stack([x[0], x[1] ** 2]) ** 2).sum(),
    "roll": lambda x: (hd.roll(x, 1, 1) * x).sum(),
    "pad": lambda x: (hd.pad(x, 1) ** 2).sum(),
    "pad by reflection": lambda x: (hd.pad(x, 2, mode="reflect") ** 2).sum(),
    "tile": lambda x: (hd.tile(x, (2, 2)) * hd.arange(8.0)).sum(),
    "repeat": lambda x: (hd.repeat(x, 2, 0) * hd.arange(4.0)).sum(),
    "flip": lambda x: (hd.flip(x) * x).sum(),
    "tril": lambda x: (hd.tril(x) ** 2).sum(),
    "gradient": lambda x: (hd.gradient(x, axis=0) ** 2).sum(),
    "clip": lambda x: (hd.clip(x, 0.8, 1.2) ** 2).sum(),
    "interp": lambda x: hd.interp(hd.array([0.5, 1.5]), hd.arange(4.0), x[0]).sum(),
    "astype": lambda x: (x.astype("c16") ** 2).sum().real.astype("f8"),
    "real": lambda x: (x + 1j * x**2).real.sum(),
    "imag": lambda x: ((x + 1j * x**2) ** 2).imag.sum(),
    "angle": lambda x: hd.angle(x + 1j * x**2).sum(),
    "matmul": lambda x: (x @ x.T).sum(),
    "matmul of a vector": lambda x: ((x @ x[0]) ** 2).sum(),
    "stacked matmul": lambda x: (x.reshape(3, 2, 2) @ x.reshape(3, 2, 2)).sum(),
    "stack times a matrix": lambda x: ((x.reshape(3, 2, 2) @ x[:2, :2]) ** 2).sum(),
    "dot": lambda x: hd.dot(x[0], x[1]) ** 2,
    "inner": lambda x: (hd.inner(x, x) ** 2).sum(),
    "outer": lambda x: (hd.outer(x[0], x[1]) ** 2).sum(),
    "tensordot": lambda x: (hd.tensordot(x, x, ((0,), (0,))) ** 2).sum(),
    "einsum": lambda x: (hd.einsum("ij,kj->ik", x, x) ** 2).sum(),
    "kron": lambda x: (hd.kron(x, x) ** 2).sum(),
    "cross": lambda x: (hd.cross(x[:, :3], x[:, 1:]) ** 2).sum(),
    "trace": lambda x: hd.trace(x[:, :3] @ x[:, :3]),
    "convolve": lambda x: (hd.convolve(x[0], x[1]) ** 2).sum(),
    "sort": lambda x: (hd.sort(x, axis=0) * hd.arange(4.0)).sum(),
    "partition": lambda x: (hd.partition(x, 1, axis=1)[:, 1] ** 2).sum(),
    "median": lambda x: (hd.median(x, axis=1) ** 2).sum(),
    "percentile": lambda x: (hd.percentile(x, [20, 70], axis=0) ** 2).sum(),
    "bincount": lambda x: (hd.bincount(hd.array([0, 2, 2]), x[:, 0], 4) ** 2).sum(),
    "histogram": lambda x: hd.histogram(hd.arange(4.0), 3, weights=x[0])[0][1] ** 2,
    "fft": lambda x: (hd.abs(hd.fft.fft(x)) ** 2 * hd.arange(4.0)).sum(),
    "ifft": lambda x: (hd.fft.ifft(x, 6, 0).imag ** 3).sum(),
    "rfft": lambda x: (hd.fft.rfft(x).imag * hd.fft.rfft(x, 3).shape[1]).sum() ** 2,
    "rfftn": lambda x: (hd.fft.rfftn(x[:, :3]) * (1 + 2j)).real.sum() ** 2,
    "irfft": lambda x: (hd.fft.irfft(x[:, :3] + 1j * x[:, 1:]) ** 3).sum(),
    "irfft of odd length": lambda x: (hd.fft.irfft(x + 1j * x**2, 5, axis=0) ** 3).sum(),
    "irfftn": lambda x: (hd.fft.irfftn(x[:, :3] * (1 + 1j), (3, 4), (0, 1)) ** 3).sum(),
    "hfft": lambda x: (hd.fft.hfft(x + 1j * x**2) ** 2).sum(),
    "fft2": lambda x: (hd.fft.fft2(x).real ** 2).sum(),
}


def assigned(x):
    y = hd.zeros((3, 4))
    y[1:] = x[1:] ** 2
    y[0] = x[2] * y[1]
    return (y * hd.arange(4.0)).sum()


def added(x):
    y = x.copy()
    y[1:] += y[:-1] * x[1:]
    y[:, 0] *= x[:, 1]
    return (y**2).sum()


def stencil(x):
    u = x.copy()
    for _ in range(4):
        u[1:-1, 1:-1] += 0.1 * u[1:-1, 1:-1] * (u[2:, 1:-1] - 2 * u[1:-1, 1:-1] + u[:-2, 1:-1])
    return (u**2).sum()


def elements(x):
    y = hd.zeros(8)
    y[0] = x[0, 0]
    for i in range(1, 8):
        y[i] = hd.sin(y[i - 1]) * x[1, i % 4]
    return y[-1] * y[3]


def through_views(x):
    y = hd.zeros((4, 3))
    t = y.T
    t[:, 1:] = x[:, :3]
    t[0] *= 2
    y[::-1, 0] += x[1]
    return (y**3).sum()


def masked(x):
    y = x.copy()
    y[y > 1] = 0.5
    y[x < 0.8] *= x[x < 0.8]
    hd.putmask(y, y > 0.9, x**2)
    return (y**2).sum()


def masked_value(x):
    y = hd.zeros((3, 4))
    y[hd.asarray(MATRIX) > 1] = x[hd.asarray(MATRIX) > 1] ** 2
    return (y * hd.arange(4.0)).sum()


def scattered(x):
    y = hd.zeros((5, 4))
    y[[3, 0, 3]] = x**2
    y[:, [1, 2]] = x[0, :2]
    return (y**2).sum()


def accumulated(x):
    y = x[:2].copy()
    hd.add.at(y, [0, 1, 0], x)
    hd.subtract.at(y, (slice(None), [0, 0]), x[:2, :2])
    return (y**2).sum()


def with_out(x):
    y = hd.zeros((3, 4))
    hd.multiply(x, x, out=y)
    hd.sin(y, out=y)
    hd.add(y[0], x[1], out=y[2])
    return (y**2).sum()


def with_where(x):
    y = x * 2
    hd.exp(x, out=y, where=hd.asarray(MATRIX) > 1)
    return y.sum()


def real_parts(x):
    z = hd.zeros((3, 4), complex)
    z.real = x
    z.imag[1:] = x[1:] ** 2
    return (z**3).real.sum() + (z * (1 + 2j)).imag.sum()


def written_after_use(x):
    y = x.copy()
    z = hd.sin(y)
    y[...] = 0
    return (z * x).sum()


def overwritten(x):
    y = x.copy()
    y *= x
    y[1] = 3.0
    z = y * y
    y[0] = 5.0
    return z.sum() + y.sum()


def swapped(x):
    y = x.copy()
    y[0], y[1] = y[1].copy() * 2, y[0].copy() * 3
    return (y * x).sum()


WRITES = [
    assigned,
    added,
    stencil,
    elements,
    through_views,
    masked,
    masked_value,
    scattered,
    accumulated,
    with_out,
    with_where,
    real_parts,
    written_after_use,
    overwritten,
    swapped,
]
