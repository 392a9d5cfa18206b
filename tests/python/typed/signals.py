"""Signals, images, sparse matrices, special functions: SciPy's modules."""

from __future__ import annotations

from collections.abc import Iterable

import heddle as np
from heddle import special
from heddle.scipy import fft, interpolate, linalg, ndimage, signal, sparse, spatial, stats
from heddle.scipy.sparse import csgraph
from heddle.scipy.sparse import linalg as splinalg


def heat_step(u: np.ndarray, alpha: float) -> np.ndarray:
    return u + alpha * ndimage.laplace(u, mode="nearest")


def segments(image: np.ndarray, sigma: float = 1.0) -> list[tuple[int, float, tuple[float, float]]]:
    smooth = ndimage.gaussian_filter(image, sigma)
    labels, count = ndimage.label(smooth > smooth.mean())
    index = np.arange(1, count + 1)
    sizes = ndimage.sum_labels(np.ones_like(image), labels, index)
    centers = ndimage.center_of_mass(image, labels, index.tolist())
    boxes = ndimage.find_objects(labels)
    assert len(boxes) == count
    return [
        (i + 1, float(size), (float(c[0]), float(c[1])))
        for i, (size, c) in enumerate(zip(sizes, centers, strict=True))
    ]


image = np.random.default_rng(1).random((32, 32))
for number, size, (row, column) in segments(image):
    print(number, size, row, column)
rotated = ndimage.rotate(image, 30, reshape=False)
zoomed = ndimage.zoom(image, 2, order=1)
eroded = ndimage.binary_erosion(image > 0.5, iterations=2)
distances = ndimage.distance_transform_edt(image > 0.3)
edges = np.hypot(ndimage.sobel(image, axis=0), ndimage.sobel(image, axis=1))
sampled = ndimage.map_coordinates(image, [[0.5, 1.5], [2.5, 3.0]], order=3)
median = ndimage.median_filter(image, size=3)
largest, lowest = ndimage.maximum_position(image), ndimage.extrema(image)[0]
print(
    rotated.shape,
    zoomed.max(),
    eroded.sum(),
    distances.max(),
    edges.mean(),
    sampled,
    largest,
    lowest,
)

fs = 1000.0
t = np.arange(0, 1, 1 / fs)
x = np.sin(2 * np.pi * 50 * t) + 0.1 * np.random.standard_normal(t.size)
f, pxx = signal.welch(x, fs=fs, nperseg=256)
freq, times, sxx = signal.spectrogram(x, fs)
peaks, properties = signal.find_peaks(x, height=0.5, distance=5)
heights = properties["peak_heights"]
b, a = signal.butter(4, 0.2)
y = signal.filtfilt(b, a, x)
sos = signal.butter(4, [0.1, 0.3], btype="bandpass", output="sos")
z = signal.sosfiltfilt(sos, x)
w, h = signal.freqz(b, a)
analytic = signal.hilbert(x)
envelope = np.abs(analytic)
down = signal.resample_poly(x, 1, 4)
corr = signal.correlate(x, x, mode="full")
lags = signal.correlation_lags(x.size, x.size)
print(f[pxx.argmax()], sxx.shape, times[0], freq[0], peaks[:3], heights.max(), y.std(), z.mean())
print(np.abs(h)[0], w[0], envelope.max(), down.shape, lags[corr.argmax()], signal.detrend(x)[0])

spline = interpolate.CubicSpline(t[::50], x[::50])
slope = spline.derivative()(t)
area = spline.integrate(0, 0.5)
grid = interpolate.RegularGridInterpolator((np.arange(32.0), np.arange(32.0)), image)
value = grid([[1.5, 2.5]])
tck = interpolate.splrep(t[::50], x[::50])
fine = interpolate.splev(t, tck)
line = interpolate.interp1d(t, x, kind="linear", fill_value="extrapolate")
print(slope.shape, float(area), value[0], fine.shape, line(0.12345))

lap = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(20, 20), format="csr")
rhs = np.ones(20)
u = splinalg.spsolve(lap, rhs)
v, info = splinalg.cg(lap, rhs)
values, vectors = splinalg.eigsh(lap, k=3, which="SM")
lu = splinalg.splu(lap.tocsc())
again = lu.solve(rhs)
ones = sparse.csr_array(np.eye(4))
coo = sparse.coo_array(([1.0, 2.0], ([0, 1], [1, 2])), shape=(3, 3))
dense = coo.toarray()
number, label = csgraph.connected_components(coo)
dist = csgraph.shortest_path(coo, directed=False)
print(u[0], info, values, vectors.shape, again[0], ones.nnz, dense[0, 1], number, label, dist[0, 2])
print((ones @ ones).diagonal(), ones.T.shape, (2 * ones).sum(), coo.tocsr()[0, 1])

points = np.random.random((30, 2))
tree = spatial.KDTree(points)
d, i = tree.query(points, k=2)
close = tree.query_ball_point(points[0], 0.3)
hull = spatial.ConvexHull(points)
m = spatial.distance.cdist(points, points)
condensed = spatial.distance.pdist(points, "cityblock")
print(d[:, 1].mean(), i[0, 1], close, hull.volume, hull.vertices, m.max(), condensed.shape)

lu_, piv = linalg.lu_factor(m + np.eye(30) * 100)
sol = linalg.lu_solve((lu_, piv), np.ones(30))
c, low = linalg.cho_factor(np.eye(3) * 2)
e = linalg.expm(np.zeros((3, 3)))
p, l, up = linalg.lu(np.eye(3))
s = linalg.solve_banded((1, 1), np.ones((3, 5)) * 4 - np.eye(3, 5), np.ones(5))
print(
    sol[0], c[0, 0], low, e.trace(), (p @ l @ up).sum(), s, linalg.norm(e), linalg.toeplitz([1, 2])
)

print(special.erf(0.5), special.gamma(np.arange(1, 5)), special.jv(0, x[:3]), special.expit(0.0))
print(
    special.comb(5, 2), special.comb(5, 2, exact=True), special.logsumexp(x), special.softmax(x)[0]
)
print(
    stats.norm.pdf(x)[0],
    stats.norm(0, 2).cdf(1.0),
    stats.ttest_ind(x, y).pvalue,
    stats.zscore(x)[0],
)
r = stats.linregress(t, x)
print(r.slope, r.rvalue**2, stats.pearsonr(t, x).statistic, stats.spearmanr(t, x)[0])
res = stats.describe(x)
print(res.mean, res.minmax[0], stats.skew(x), stats.kurtosis(x), stats.mode([1, 1, 2]).mode)
dct = fft.dct(x, norm="ortho")
print(
    fft.idct(dct, norm="ortho")[0],
    fft.fft2(image).shape,
    fft.next_fast_len(1000),
    fft.fftshift(fft.fftfreq(4)),
)


def power_at(frequencies: Iterable[float]) -> dict[float, float]:
    return {q: float(np.abs((x * np.exp(-2j * np.pi * q * t)).sum()) ** 2) for q in frequencies}


print(power_at([10.0, 50.0]))
