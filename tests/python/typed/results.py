"""A page of calls whose results type checkers know; the tests run it."""

from typing import assert_type

import heddle as np
from heddle import lax, linalg, random, special
from heddle.scipy import fft as sfft
from heddle.scipy import linalg as slinalg
from heddle.scipy import ndimage, signal, sparse, stats
from heddle.scipy.spatial import distance

a = np.arange(12.0).reshape(3, 4)
assert_type(a[0], np.ndarray)
assert_type(a[1:, ::2], np.ndarray)
assert_type(a[..., None], np.ndarray)
assert_type(a[a > 2], np.ndarray)
assert_type(a[[0, 2], [1, 3]], np.ndarray)
a[0, :] = 1
a[a < 0] = [0.0]
assert_type(2 * a + 1, np.ndarray)
assert_type(1 - a, np.ndarray)
assert_type(2**a, np.ndarray)
assert_type(a @ a.T, np.ndarray)
assert_type(-a, np.ndarray)
assert_type(a > 1, np.ndarray)
a += 1
assert_type(a.sum(), np.ndarray)
assert_type(a.sum(axis=(0, 1), keepdims=True), np.ndarray)
assert_type(np.mean(a, axis=0, dtype=np.float32), np.ndarray)
assert_type(np.max(a, 1, initial=0.0, where=a > 1), np.ndarray)
out = np.empty(4)
assert_type(np.sum(a, axis=0, out=out), np.ndarray)
assert_type(np.add(a, 1, out=np.empty_like(a)), np.ndarray)
assert_type(np.divmod(a, 2), tuple[np.ndarray, np.ndarray])
assert_type(np.where(a > 1), tuple[np.ndarray, ...])
assert_type(np.where(a > 1, a, 0), np.ndarray)
assert_type(np.split(a, 2, axis=1), list[np.ndarray])
assert_type(np.meshgrid(np.arange(3), np.arange(4)), tuple[np.ndarray, ...])
assert_type(np.histogram(a, bins=4), tuple[np.ndarray, np.ndarray])
assert_type(np.average(a, weights=a, returned=True), tuple[np.ndarray, np.ndarray])
assert_type(np.allclose(a, a), bool)
assert_type(np.einsum("ij,kj->ik", a, a), np.ndarray)
assert_type(a.shape, tuple[int, ...])
assert_type(float(a[0, 0]), float)
assert_type(int(a.argmax()), int)
assert_type([float(x) for x in a[0]], list[float])

values, vectors = linalg.eigh(a @ a.T)
assert_type(values, np.ndarray)
assert_type(linalg.eigh(a @ a.T).eigenvectors, np.ndarray)
u, s, vh = linalg.svd(a, full_matrices=False)
assert_type(s, np.ndarray)
assert_type(linalg.svd(a, compute_uv=False), np.ndarray)
q, r = linalg.qr(a)
assert_type(q, np.ndarray)
assert_type(linalg.slogdet(a @ a.T).logabsdet, np.ndarray)
x, residuals, rank, singular = linalg.lstsq(a, np.ones(3))
assert_type(x, np.ndarray)
assert_type(linalg.norm(a, axis=1), np.ndarray)
assert_type(linalg.solve(np.eye(3), np.ones(3)), np.ndarray)

rng = random.default_rng(7)
assert_type(rng, random.Generator)
assert_type(rng.normal(0.0, 1.0, size=(2, 3)), np.ndarray)
assert_type(rng.integers(0, 10, size=5), np.ndarray)
assert_type(rng.permutation(5), np.ndarray)
assert_type(rng.uniform(), float)

assert_type(np.fft.fft(a, axis=0), np.ndarray)
assert_type(np.fft.rfftfreq(8, 0.1), np.ndarray)
assert_type(special.erf(a), np.ndarray)
assert_type(special.gammainc(1.0, a), np.ndarray)
assert_type(sfft.dct(a), np.ndarray)
assert_type(slinalg.expm(np.eye(2)), np.ndarray)
assert_type(signal.fftconvolve(a, a), np.ndarray)
f, p = signal.welch(np.ones(64), nperseg=64)
assert_type(f, np.ndarray)
assert_type(distance.cdist(a, a), np.ndarray)
m = sparse.csr_array(a)
assert_type(m.toarray(), np.ndarray)
twice = sparse.linalg.LinearOperator((4, 4), matvec=lambda v: 2 * v)
assert_type(sparse.linalg.cg(twice, np.ones(4), M=sparse.eye_array(4))[0], np.ndarray)
count, labels = sparse.csgraph.connected_components(sparse.csr_array(np.eye(3)))
assert_type(count, int)
assert_type(labels, np.ndarray)
assert_type(ndimage.gaussian_filter(a, 1.0), np.ndarray)
assert_type(np.clip(a, 0, None), np.ndarray)
assert_type(np.random.rand(2, 3), np.ndarray)
assert_type(np.random.normal(size=3), np.ndarray)
assert_type(np.random.RandomState(0).randint(0, 9, 3), np.ndarray)
z = stats.zscore(a)
assert_type(z, np.ndarray)


assert_type(slinalg.svd(a), tuple[np.ndarray, np.ndarray, np.ndarray])
assert_type(slinalg.eigh(np.eye(3)), tuple[np.ndarray, np.ndarray])
assert_type(slinalg.pinv(a), np.ndarray)
assert_type(signal.lfilter([1.0], [1.0, 0.5], a), np.ndarray)
assert_type(ndimage.label(a > 1), tuple[np.ndarray, int])
assert_type(m @ np.ones(4), np.ndarray)
assert_type(m.dot(np.ones(4)), np.ndarray)
assert_type(sparse.csgraph.dijkstra(sparse.csr_array(np.eye(3))), np.ndarray)
line = np.polynomial.Polynomial.fit(np.arange(4.0), np.arange(4.0) ** 2, 1)
assert_type(line, np.polynomial.Polynomial)
assert_type(line.deriv() * 2 + line, np.polynomial.Polynomial)
assert_type(line.convert(kind=np.polynomial.Chebyshev), np.polynomial.Chebyshev)
assert_type(line(np.arange(3.0)), np.ndarray)
assert_type(line.coef, np.ndarray)


def doubled(i: object, x: np.ndarray) -> np.ndarray:
    return x * 2


assert_type(lax.fori_loop(0, 3, doubled, a), np.ndarray)


def is_small(x: np.ndarray) -> np.ndarray:
    return np.all(x < 5)


def after(x: np.ndarray) -> np.ndarray:
    return x + 1


def running(c: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return c + x, c * x


assert_type(lax.while_loop(is_small, after, np.ones(4)), np.ndarray)
total, partial = lax.scan(running, np.zeros(4), a)
assert_type(total, np.ndarray)
assert_type(partial, np.ndarray)
assert_type(lax.cond(True, np.ndarray.copy, np.ndarray.copy, a), np.ndarray)


def loss(w: np.ndarray) -> np.ndarray:
    return ((a @ w) ** 2).sum()


w = np.ones(4)
value, slope_of_loss = np.value_and_grad(loss)(w)
assert_type(value, np.ndarray)
fast = np.jit(loss)
assert_type(fast(w), np.ndarray)


def row_sum(row: np.ndarray) -> np.ndarray:
    return row.sum()


assert_type(np.vmap(row_sum)(a), np.ndarray)


@np.jit
def step(x: np.ndarray, rate: float) -> np.ndarray:
    slope: np.ndarray = np.grad(loss)(x)
    return x - rate * slope


assert_type(step(w, 0.1), np.ndarray)


def page() -> bool:
    return bool(np.any(step(w, 0.1) != w))
