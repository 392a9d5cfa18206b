"""Functions of a matrix that JAX has too: each takes the module that computes it, and the matrix.

`scripts/jax_reference.py` writes what JAX and autograd make of them, for test_against_jax.py.
"""

from typing import Any

import numpy

X = numpy.random.default_rng(11).uniform(0.5, 1.5, size=(3, 4))
ALONG = numpy.random.default_rng(12).normal(size=(3, 4))  # for second derivatives

_PLAIN = (
    *("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "exp2", "expm1", "log", "log2"),
    *("log10", "log1p", "sqrt", "cbrt", "square", "reciprocal", "negative", "positive"),
    *("abs", "arctan", "arcsinh", "deg2rad", "rad2deg", "degrees", "radians", "sinc"),
    *("i0", "fabs", "floor", "ceil", "trunc", "rint", "sign", "nan_to_num"),
)
_SHIFTED = ("arcsin", "arccos", "arctanh", "absolute", "conjugate")
UNARY = dict.fromkeys(_PLAIN, 0.0) | dict.fromkeys(_SHIFTED, -1.0) | {"arccosh": 1.0}

BINARY = (
    *("add", "subtract", "multiply", "divide", "true_divide", "power", "float_power", "maximum"),
    *("minimum", "fmax", "fmin", "arctan2", "hypot", "logaddexp", "logaddexp2", "remainder"),
    *("mod", "fmod", "copysign", "floor_divide", "heaviside"),
)

REDUCTIONS = {
    "sum": {},
    "prod": {},
    "mean": {},
    "max": {},
    "min": {},
    "var": {},
    "std": {},
    "nansum": {},
    "nanprod": {},
    "nanmean": {},
    "nanmax": {},
    "nanmin": {},
    "nanvar": {},
    "nanstd": {},
    "median": {},
    "ptp": {},
}

SCANS = ("cumsum", "cumprod", "nancumsum", "nancumprod")


def _unary(name: str, shift: float) -> Any:
    return lambda np, x: getattr(np, name)(x + shift * 0.99) * np.arange(4.0)


def _binary(name: str) -> Any:
    return lambda np, x: getattr(np, name)(x * 1.7, x[::-1, ::-1]) * (1 + np.arange(4.0))


def _reduction(name: str, axis: Any) -> Any:
    def f(np: Any, x: Any) -> Any:
        made = getattr(np, name)(x, axis=axis)
        return made * (1.5 + np.arange(made.size).reshape(made.shape))

    return f


CASES: dict[str, Any] = {}
CASES |= {name: _unary(name, shift) for name, shift in UNARY.items()}
CASES |= {name: _binary(name) for name in BINARY}
CASES |= {
    f"{name} {axis}": _reduction(name, axis) for name in REDUCTIONS for axis in (None, 0, (0, 1))
}
CASES |= {f"{name} {axis}": _reduction(name, axis) for name in SCANS for axis in (None, 0, 1)}
CASES |= {
    # shapes
    "reshape": lambda np, x: np.reshape(x, (2, 6)) * np.arange(6.0),
    "ravel": lambda np, x: np.ravel(x.T) * np.arange(12.0),
    "transpose": lambda np, x: np.transpose(x) * np.arange(3.0),
    "swapaxes": lambda np, x: np.swapaxes(x, 0, 1)[1] ** 2,
    "moveaxis": lambda np, x: np.moveaxis(x, 0, 1) * np.arange(3.0),
    "expand_dims": lambda np, x: np.expand_dims(x, 1) * np.expand_dims(x, 0),
    "squeeze": lambda np, x: np.squeeze(x[:1]) ** 2,
    "broadcast_to": lambda np, x: np.broadcast_to(x[0], (5, 4)) * np.arange(4.0),
    "broadcast_arrays": lambda np, x: np.broadcast_arrays(x, x[0])[1] * x,
    "concatenate": lambda np, x: np.concatenate([x, x[:1] ** 2], axis=0) * np.arange(4.0),
    "stack": lambda np, x: np.stack([x, x**2], axis=1) * np.arange(4.0),
    "hstack": lambda np, x: np.hstack([x, x**2]) * np.arange(8.0),
    "vstack": lambda np, x: np.vstack([x, x**2]) * np.arange(4.0),
    "dstack": lambda np, x: np.dstack([x, x**3]) * np.arange(2.0),
    "column_stack": lambda np, x: np.column_stack([x[:, 0], x[:, 1] ** 2]) * np.arange(2.0),
    "split": lambda np, x: np.split(x, 2, axis=1)[1] ** 3,
    "array_split": lambda np, x: np.array_split(x, 3, axis=1)[0] ** 2,
    "flip": lambda np, x: np.flip(x) * x,
    "fliplr": lambda np, x: np.fliplr(x) * x,
    "flipud": lambda np, x: np.flipud(x) * x,
    "rot90": lambda np, x: np.rot90(x) * np.arange(3.0),
    "roll": lambda np, x: np.roll(x, 2) * x,
    "roll along an axis": lambda np, x: np.roll(x, 1, axis=1) * x,
    "rollaxis": lambda np, x: np.rollaxis(x, 1) * np.arange(3.0),
    "tile": lambda np, x: np.tile(x, (2, 2)) * np.arange(8.0),
    "repeat": lambda np, x: np.repeat(x, 3, axis=1) * np.arange(12.0),
    "pad": lambda np, x: np.pad(x, 1) ** 2,
    "pad edge": lambda np, x: np.pad(x, ((1, 2), (0, 1)), mode="edge") ** 2,
    "pad reflect": lambda np, x: np.pad(x, 1, mode="reflect") ** 2,
    "pad symmetric": lambda np, x: np.pad(x, 2, mode="symmetric") ** 2,
    "pad wrap": lambda np, x: np.pad(x, 2, mode="wrap") ** 2,
    "pad linear_ramp": lambda np, x: np.pad(x, 2, mode="linear_ramp") ** 2,
    "pad mean": lambda np, x: np.pad(x, 1, mode="mean") ** 2,
    "atleast_3d": lambda np, x: np.atleast_3d(x) ** 2,
    "tril": lambda np, x: np.tril(x, 1) ** 2,
    "triu": lambda np, x: np.triu(x) ** 2,
    "diag": lambda np, x: np.diag(x[0]) * x[1],
    "diagonal": lambda np, x: np.diagonal(x, 1) ** 2,
    "diagflat": lambda np, x: np.diagflat(x[:2]) ** 2,
    "trace": lambda np, x: np.trace(x @ x.T),
    "vander": lambda np, x: np.vander(x[0]) * np.arange(4.0),
    "meshgrid": lambda np, x: np.meshgrid(x[0], x[:, 0])[0] * x,
    "append": lambda np, x: np.append(x, x[0]) ** 2,
    "insert": lambda np, x: np.insert(x, 1, 2.0, axis=1) ** 2,
    "delete": lambda np, x: np.delete(x, 1, axis=1) ** 2,
    "resize": lambda np, x: np.resize(x, (4, 5)) ** 2,
    # elements
    "slices": lambda np, x: x[1:, ::2] * x[:-1, 1::2],
    "reversed": lambda np, x: x[::-1, 1:] * x[:, :-1],
    "element": lambda np, x: x[1, 2] * x[0, 0] ** 2,
    "gather": lambda np, x: x[np.array([0, 2, 0])] ** 2,
    "gather of both": lambda np, x: x[np.array([0, 2, 0]), np.array([1, 1, 3])] ** 2,
    "take": lambda np, x: np.take(x, np.array([3, 0, 3]), axis=1) ** 2,
    "take_along_axis": lambda np, x: np.take_along_axis(x, np.argsort(x, 1), 1) * np.arange(4.0),
    "compress": lambda np, x: np.compress(numpy.array([True, False, True]), x, axis=0) ** 2,
    "where": lambda np, x: np.where(x > 1, x**2, np.sin(x)),
    "where with nan": lambda np, x: np.where(x > 1, np.sqrt(np.abs(x - 1) + (x > 1)), 0.0),
    "select": lambda np, x: np.select([x < 0.8, x < 1.2], [x**2, x**3], np.exp(x)),
    "choose": lambda np, x: np.choose(numpy.array([0, 1, 0, 1]), [x[0], x[1] ** 2]),
    "clip": lambda np, x: np.clip(x, 0.7, 1.2) ** 2,
    "piecewise": lambda np, x: np.where(x < 1, -x, x**2) * x,
    # order
    "sort": lambda np, x: np.sort(x, axis=0) * (1 + np.arange(4.0)) ** 2,
    "sort all": lambda np, x: np.sort(x, axis=None) * np.arange(12.0),
    "argsort": lambda np, x: x[0][np.argsort(x[1])] * np.arange(4.0),
    "partition": lambda np, x: np.sort(np.partition(x, 2, axis=1)[:, :3], 1) * np.arange(3.0),
    "percentile": lambda np, x: np.percentile(x, np.array([15.0, 60.0]), axis=1) ** 2,
    "quantile": lambda np, x: np.quantile(x, 0.3, axis=0) ** 2,
    "nanmedian": lambda np, x: np.nanmedian(x, axis=0) ** 2,
    "nanpercentile": lambda np, x: np.nanpercentile(x, 40.0, axis=1) ** 2,
    "argmax": lambda np, x: x[0, np.argmax(x[1])] ** 2,
    # products
    "matmul": lambda np, x: x @ x.T * np.arange(3.0),
    "matmul of a vector": lambda np, x: (x @ x[0]) ** 2,
    "dot": lambda np, x: np.dot(x, x.T) ** 2,
    "vdot": lambda np, x: np.vdot(x, x**2),
    "inner": lambda np, x: np.inner(x, x) ** 2,
    "outer": lambda np, x: np.outer(x[0], x[:, 0]) ** 2,
    "tensordot": lambda np, x: np.tensordot(x, x, axes=((0,), (0,))) ** 2,
    "einsum": lambda np, x: np.einsum("ij,kj->ik", x, x**2),
    "einsum trace": lambda np, x: np.einsum("ij,ji->", x[:, :3], x[:, 1:]),
    "einsum of three": lambda np, x: np.einsum("ij,jk,k->i", x, x.T, x[:, 0]),
    "kron": lambda np, x: np.kron(x[:2, :2], x[1:, 2:]) * np.arange(4.0),
    "cross": lambda np, x: np.cross(x[:, :3], x[:, 1:]) ** 2,
    "convolve": lambda np, x: np.convolve(x[0], x[1]) * np.arange(7.0),
    "convolve same": lambda np, x: np.convolve(x[0], x[1, :3], mode="same") ** 2,
    "convolve valid": lambda np, x: np.convolve(x[0], x[1, :2], mode="valid") ** 2,
    "correlate": lambda np, x: np.correlate(x[0], x[1], mode="full") * np.arange(7.0),
    # numbers
    "diff": lambda np, x: np.diff(x, axis=1) ** 2,
    "second diff": lambda np, x: np.diff(x, 2, axis=0) ** 2,
    "ediff1d": lambda np, x: np.ediff1d(x) ** 2,
    "gradient": lambda np, x: np.gradient(x, axis=1) ** 2,
    "gradient of all axes": lambda np, x: np.stack(np.gradient(x)) ** 2,
    "trapezoid": lambda np, x: np.trapezoid(x**2, axis=1),
    "interp": lambda np, x: np.interp(np.array([0.3, 1.6, 2.5]), np.arange(4.0), x[0]) ** 2,
    "interp of places": lambda np, x: np.interp(x, np.arange(4.0), np.arange(4.0) ** 2),
    "polyval": lambda np, x: np.polyval(x[0], x[1]),
    "polyadd": lambda np, x: np.polyadd(x[0], x[1, :2]) ** 2,
    "polymul": lambda np, x: np.polymul(x[0], x[1]) * np.arange(7.0),
    "polyder": lambda np, x: np.polyder(x[0]) ** 2,
    "polyint": lambda np, x: np.polyint(x[0]) ** 2,
    "average": lambda np, x: np.average(x, axis=0, weights=x[:, 0]) ** 2,
    "cov": lambda np, x: np.cov(x) * np.arange(3.0),
    "corrcoef": lambda np, x: np.corrcoef(x) * np.arange(3.0),
    "bincount": lambda np, x: np.bincount(np.array([0, 2, 2]), x[:, 0], length=4) ** 2,
    "unwrap": lambda np, x: np.unwrap(x * 5) * np.arange(4.0),
    "softmax": lambda np, x: np.exp(x) / np.exp(x).sum(1, keepdims=True) * np.arange(4.0),
    "logsumexp": lambda np, x: np.log(np.exp(x - x.max()).sum(0)) + x.max(),
    "standardised": lambda np, x: (x - x.mean(1, keepdims=True)) / x.std(1, keepdims=True) * x,
    "power of integers": lambda np, x: x**3 + x**-2 + x**0.5 + x**1 + x**0,
    "modf": lambda np, x: np.modf(x * 3)[0] ** 2,
    "ldexp": lambda np, x: np.ldexp(x, np.array([1, 2, 0, -1])) ** 2,
    "round": lambda np, x: np.round(x * 10) * x,
    # complex numbers
    "real": lambda np, x: np.real((x + 1j * x**2) ** 2),
    "imag": lambda np, x: np.imag((x + 1j * x**2) ** 2),
    "abs of complex": lambda np, x: np.abs(x + 1j * x**2),
    "angle": lambda np, x: np.angle(x + 1j * x**2),
    "conj": lambda np, x: np.real(np.conj(x * 2j) * (x + 1j)),
    "exp of complex": lambda np, x: np.real(np.exp(1j * x) * (1 + x)),
    # linear algebra
    "norm": lambda np, x: np.linalg.norm(x),
    "norm of rows": lambda np, x: np.linalg.norm(x, axis=1) ** 3,
    "1-norm": lambda np, x: np.linalg.norm(x, 1),
    "inf-norm": lambda np, x: np.linalg.norm(x, numpy.inf),
    "nuclear norm": lambda np, x: np.linalg.norm(x, "nuc"),
    "2-norm": lambda np, x: np.linalg.norm(x, 2),
    "inv": lambda np, x: np.linalg.inv(_square(np, x)) * np.arange(3.0),
    "det": lambda np, x: np.linalg.det(_square(np, x)),
    "slogdet": lambda np, x: np.linalg.slogdet(_square(np, x))[1],
    "solve": lambda np, x: np.linalg.solve(_square(np, x), x[:, 3]) ** 2,
    "solve of a matrix": lambda np, x: np.linalg.solve(_square(np, x), x) * np.arange(4.0),
    "cholesky": lambda np, x: np.linalg.cholesky(_positive(np, x)) * np.arange(3.0),
    "eigh": lambda np, x: np.linalg.eigh(_positive(np, x))[0] * np.arange(3.0),
    "eigvalsh": lambda np, x: np.linalg.eigvalsh(_positive(np, x)) ** 2,
    "svd": lambda np, x: np.linalg.svd(x, compute_uv=False) * np.arange(3.0),
    "qr": lambda np, x: np.abs(np.linalg.qr(x.T)[1]) * np.arange(3.0),
    "pinv": lambda np, x: np.linalg.pinv(x) * np.arange(3.0),
    "matrix_power": lambda np, x: np.linalg.matrix_power(_square(np, x), 3) * np.arange(3.0),
    "multi_dot": lambda np, x: np.linalg.multi_dot([x, x.T, x]) * np.arange(4.0),
    "lstsq": lambda np, x: np.linalg.lstsq(x.T, x[0], rcond=None)[0] * np.arange(3.0),
    "expm by series": lambda np, x: _series(np, _square(np, x) * 0.1) * np.arange(3.0),
    # transforms
    "fft": lambda np, x: np.abs(np.fft.fft(x)) ** 2 * np.arange(4.0),
    "ifft": lambda np, x: np.imag(np.fft.ifft(x, 6, 0)) ** 3,
    "fft2": lambda np, x: np.real(np.fft.fft2(x)) ** 2,
    "ifft2": lambda np, x: np.real(np.fft.ifft2(x)) ** 2,
    "fftn": lambda np, x: np.abs(np.fft.fftn(x)) ** 2 * np.arange(4.0),
    "rfft": lambda np, x: np.real(np.fft.rfft(x)) ** 2,
    "rfft of odd length": lambda np, x: np.imag(np.fft.rfft(x[:, :3])) ** 2,
    "rfftn": lambda np, x: np.abs(np.fft.rfftn(x)) ** 2,
    "irfft": lambda np, x: np.fft.irfft(x[:, :3] + 1j * x[:, 1:]) ** 3,
    "irfft of odd length": lambda np, x: np.fft.irfft(x + 1j * x**2, 5, axis=0) ** 3,
    "hfft": lambda np, x: np.fft.hfft(x + 1j * x**2) ** 2,
    "ihfft": lambda np, x: np.imag(np.fft.ihfft(x)) ** 2,
    "fftshift": lambda np, x: np.fft.fftshift(x) * x,
}


def _square(np: Any, x: Any) -> Any:
    return x[:, :3] + 2 * np.eye(3)


def _positive(np: Any, x: Any) -> Any:
    return x @ x.T + np.diag(np.arange(3.0)) + np.eye(3)


def _series(np: Any, a: Any) -> Any:
    total, term = np.eye(3), np.eye(3)
    for n in range(1, 8):
        term = term @ a / n
        total = total + term
    return total


# --- writes: what heddle writes in place, JAX says by x.at ---


def _filled(np: Any, x: Any) -> Any:
    y = np.zeros((3, 4))
    y[1:] = x[1:] ** 2
    y[0] = x[2] * y[1]
    return y * np.arange(4.0)


def _filled_at(np: Any, x: Any) -> Any:
    y = np.zeros((3, 4)).at[1:].set(x[1:] ** 2)
    return y.at[0].set(x[2] * y[1]) * np.arange(4.0)


def _stencil(np: Any, x: Any) -> Any:
    u = x.copy()
    for _ in range(3):
        u[:, 1:-1] += 0.1 * u[:, 1:-1] * (u[:, 2:] - 2 * u[:, 1:-1] + u[:, :-2])
    return u**2


def _stencil_at(np: Any, x: Any) -> Any:
    u = x
    for _ in range(3):
        u = u.at[:, 1:-1].add(0.1 * u[:, 1:-1] * (u[:, 2:] - 2 * u[:, 1:-1] + u[:, :-2]))
    return u**2


def _recurrence(np: Any, x: Any) -> Any:
    y = np.zeros(8)
    y[0] = x[0, 0]
    for i in range(1, 8):
        y[i] = np.sin(y[i - 1]) * x[1, i % 4]
    return y * np.arange(8.0)


def _recurrence_at(np: Any, x: Any) -> Any:
    y = np.zeros(8).at[0].set(x[0, 0])
    for i in range(1, 8):
        y = y.at[i].set(np.sin(y[i - 1]) * x[1, i % 4])
    return y * np.arange(8.0)


def _scattered(np: Any, x: Any) -> Any:
    y = x.copy()
    np.add.at(y, numpy.array([0, 0, 2]), x[1] ** 2)
    return y**2


def _scattered_at(np: Any, x: Any) -> Any:
    return x.at[np.array([0, 0, 2])].add(x[1] ** 2) ** 2


def _multiplied(np: Any, x: Any) -> Any:
    y = x[0].copy()
    np.multiply.at(y, numpy.array([3, 1, 0]), x[1, :3])
    return y**2


def _multiplied_at(np: Any, x: Any) -> Any:
    return x[0].at[np.array([3, 1, 0])].multiply(x[1, :3], unique_indices=True) ** 2


def _masked(np: Any, x: Any) -> Any:
    y = x.copy()
    y[numpy.array(X > 1)] = 0.5
    y *= x
    return y**2


def _masked_at(np: Any, x: Any) -> Any:
    return (np.where(X > 1, 0.5, x) * x) ** 2


def _through_views(np: Any, x: Any) -> Any:
    y = np.zeros((4, 3))
    t = y.T
    t[:, 1:] = x[:, :3]
    t[0] *= 2
    y[::-1, 0] += x[1]
    return y**3


def _through_views_at(np: Any, x: Any) -> Any:
    t = np.zeros((3, 4)).at[:, 1:].set(x[:, :3])
    t = t.at[0].multiply(2)
    return t.T.at[::-1, 0].add(x[1]) ** 3


def _out(np: Any, x: Any) -> Any:
    y = np.empty((3, 4))
    np.multiply(x, x, out=y)
    np.sin(y, out=y)
    return y * x


def _out_at(np: Any, x: Any) -> Any:
    return np.sin(x * x) * x


def _gauss(np: Any, x: Any) -> Any:
    a = _square(np, x)
    for k in range(2):
        a[k + 1 :] -= a[k + 1 :, k : k + 1] / a[k, k] * a[k : k + 1]
    return a.diagonal() ** 2


def _gauss_at(np: Any, x: Any) -> Any:
    a = _square(np, x)
    for k in range(2):
        a = a.at[k + 1 :].add(-a[k + 1 :, k : k + 1] / a[k, k] * a[k : k + 1])
    return a.diagonal() ** 2


def _swapped(np: Any, x: Any) -> Any:
    y = x.copy()
    y[0], y[2] = y[2].copy(), y[0].copy()
    y[1, ::2], y[1, 1::2] = y[1, 1::2] ** 2, y[1, ::2].copy()
    return y * np.arange(4.0)


def _swapped_at(np: Any, x: Any) -> Any:
    y = x[np.array([2, 1, 0])]
    odd = x[1, 1::2] ** 2
    return y.at[1, ::2].set(odd).at[1, 1::2].set(x[1, ::2]) * np.arange(4.0)


# Ours, and JAX's.
WRITES = {
    "filled": (_filled, _filled_at),
    "stencil": (_stencil, _stencil_at),
    "recurrence": (_recurrence, _recurrence_at),
    "scattered": (_scattered, _scattered_at),
    "multiplied": (_multiplied, _multiplied_at),
    "masked": (_masked, _masked_at),
    "through views": (_through_views, _through_views_at),
    "out": (_out, _out_at),
    "gauss": (_gauss, _gauss_at),
    "swapped": (_swapped, _swapped_at),
}
