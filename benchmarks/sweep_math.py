"""What the sweep computes with numbers: arithmetic, reductions, order, products, polynomials.

Lines as in sweep_calls.py, which puts the sections together.
"""

# fmt: off
ARITHMETIC = [
    ("float32 float64 int64 complex128", """
x + y
x - y
x * y
x / positive
x + 1
2 * x
-x
+x
abs(x)
x == y
x != y
x + strided
strided * strided
M + T
T + T
M + row
M * column
x**2
x**3
np.power(x, 2)
np.power(x, 3)
np.square(x)
np.add.outer(row, row)
np.outer(row, row)
np.multiply.outer(row, row)
np.add(x, y, out=x)
np.add(x, y, where=mask, out=x)
np.add.at(x, index, 1)
np.add.at(x, index, y)
np.add.reduceat(x, offsets)
np.add.reduce(x)
np.add.reduce(M, axis=0)
np.add.accumulate(x)
np.add.accumulate(M, axis=0)
np.add.accumulate(M, axis=1)
np.multiply.reduce(x)
np.sign(x)
np.isfinite(x)
np.isnan(x)
np.isinf(x)
np.real(x) + 1
np.imag(x) + 1
np.conj(x)
x += y
x *= 1
x -= y
"""),
    ("float32 float64 int64", """
x < y
x > 0.5
x // positive
x % positive
divmod(x, positive)
np.mod(x, 7)
np.floor_divide(x, 7)
np.fmod(x, positive)
np.maximum(x, y)
np.minimum(x, 0)
np.fmax(x, y)
np.clip(x, 0.25, 0.75)
np.clip(x, y, None)
x.clip(max=0)
np.maximum.at(x, index, y)
np.maximum.reduceat(x, offsets)
np.maximum.accumulate(x)
np.minimum.accumulate(M, axis=1)
np.subtract.outer(row, row)
np.hypot(x, y)
np.floor(x)
np.ceil(x)
np.rint(x)
np.trunc(x)
np.fix(x)
np.round(x, 2)
x.round()
np.signbit(x)
np.copysign(x, y)
np.heaviside(x, 0.5)
np.gcd(x, y)
np.lcm(small, small)
np.bitwise_and(x, y)
x | y
x ^ 7
~x
x << 2
x >> 2
np.bitwise_count(x)
np.nan_to_num(x)
np.isclose(x, y)
np.allclose(x, x)
np.array_equiv(x, x)
np.isposinf(x)
np.isreal(x)
np.iscomplex(x)
np.absolute(strided)
np.negative(M.T)
"""),
    ("bool", """
x & y
x | y
x ^ y
~x
x == y
np.logical_and(x, y)
np.logical_or(x, y)
np.logical_not(x)
np.logical_xor(x, y)
x + y
x * y
np.logical_and.reduce(x)
np.logical_or.accumulate(x)
x &= y
"""),
    ("float32 float64 complex128", """
positive**0.5
positive**-1
positive**0.3
positive**positive
np.power(positive, 0.5)
np.power(positive, -1)
np.power(positive, -0.5)
np.power(positive, 1.0 / 3)
np.float_power(positive, 2)
2**x
1 / positive
np.reciprocal(positive)
np.sqrt(positive)
np.exp(x)
np.exp2(x)
np.expm1(x)
np.log(positive)
np.log2(positive)
np.log10(positive)
np.log1p(positive)
np.sin(x)
np.cos(x)
np.tan(x)
np.arcsin(x)
np.arccos(x)
np.arctan(x)
np.sinh(x)
np.cosh(x)
np.tanh(x)
np.arcsinh(x)
np.arctanh(x)
np.angle(x)
np.exp(strided)
np.sqrt(T)
"""),
    ("float32 float64", """
np.cbrt(x)
np.arctan2(x, y)
np.arccosh(positive + 1)
np.deg2rad(x)
np.degrees(x)
np.logaddexp(x, y)
np.logaddexp2(x, y)
np.ldexp(x, small)
np.frexp(x)
np.modf(x)
np.nextafter(x, y)
np.spacing(x)
np.sinc(x)
np.i0(x)
np.unwrap(x)
np.real_if_close(x)
np.emath.sqrt(x)
np.emath.log(positive)
np.emath.power(positive, 0.5)
x /= positive
x **= 1
x //= positive
"""),
    ("int64", """
x ** 2 + x
np.power(small, small)
x / 3
x // 3
x % 3
x / positive
x += 1
x <<= 0
x & mask
x * 2.5
np.left_shift(x, 1)
"""),
]

REDUCTIONS = [
    ("float32 float64 int64 bool complex128", """
np.sum(x)
np.sum(M, axis=0)
np.sum(M, axis=1)
np.sum(tall, axis=0)
np.sum(tall, axis=1)
np.sum(wide, axis=0)
np.sum(T, axis=0)
np.sum(C, axis=1)
np.sum(C, axis=(0, 2))
np.sum(strided)
np.mean(x)
np.mean(M, axis=0)
np.mean(M, axis=1)
np.prod(x)
np.any(x)
np.all(x)
np.any(M, axis=0)
np.all(M, axis=1)
np.count_nonzero(M, axis=0)
np.max(x)
np.max(M, axis=0)
np.max(M, axis=1)
np.max(tall, axis=1)
np.min(strided)
np.argmax(x)
np.argmin(x)
np.argmax(M, axis=0)
np.argmax(M, axis=1)
np.argmax(tall, axis=1)
np.cumsum(x)
np.cumsum(M, axis=0)
np.cumsum(M, axis=1)
np.cumsum(tall, axis=1)
np.cumprod(x)
np.cumsum(strided)
"""),
    ("float32 float64 int64 complex128", """
np.std(x)
np.var(x)
np.std(M, axis=0)
np.var(M, axis=1)
np.std(tall, axis=1)
np.ptp(M, axis=1)
np.average(x)
np.average(x, weights=y)
np.average(M, axis=0, weights=row)
np.diff(x)
np.diff(x, 2)
np.diff(M, axis=0)
np.ediff1d(x)
np.gradient(x)
np.gradient(M)
np.gradient(M, axis=1)
np.trapezoid(x)
np.dot(x, y)
np.vdot(x, y)
np.inner(x, y)
np.vecdot(M, M)
np.matvec(M, row)
np.vecmat(row, M)
M @ row
row @ M
np.cumulative_sum(x, include_initial=True)
np.cumulative_prod(x)
np.nansum(x)
np.nanmean(x)
np.einsum('i,i', x, y)
np.einsum('ij->i', M)
np.einsum('ij->j', M)
np.einsum('ij,ij->i', M, M)
np.einsum('i,j->ij', row, row)
np.einsum('ij,j->i', M, row)
np.cross(triples, triples[::-1])
np.kron(row, row)
np.tensordot(M, row, 1)
np.linalg.norm(x)
np.linalg.norm(M, axis=1)
np.linalg.norm(M)
np.linalg.vector_norm(M, axis=0)
np.linalg.matrix_norm(M, ord=1)
np.linalg.outer(row, row)
np.linalg.cross(triples, triples[::-1])
np.linalg.vecdot(M, M)
"""),
    ("float32 float64", """
np.nansum(holes)
np.nanmean(holes)
np.nanmax(holes)
np.nanmin(holes)
np.nanstd(holes)
np.nanvar(holes)
np.nanprod(holes)
np.nancumsum(holes)
np.nancumprod(holes)
np.nanargmax(holes)
np.nanargmin(holes)
np.nanmedian(holes)
np.nanpercentile(holes, 30)
np.nanquantile(holes, [0.1, 0.9])
np.nansum(holed, axis=0)
np.nanmean(holed, axis=1)
np.nanmax(holed, axis=0)
np.nanmedian(holed, axis=1)
np.nan_to_num(holes)
np.linalg.norm(x, 1)
np.linalg.norm(x, np.inf)
np.linalg.norm(x, 3)
np.cov(wide)
np.corrcoef(wide)
np.max(x, where=mask, initial=0)
np.sum(x, where=mask)
np.sum(x, dtype=np.float64)
np.sum(M, axis=0, keepdims=True)
np.mean(tall, axis=0)
np.einsum('ij,jk->ik', M, M)
np.einsum('ij,kj->ik', M, M)
np.sum(x > 0)
np.matmul(triples[:, None, :], triples[:, :, None])
np.matmul(stack, stack)
"""),
    ("int64", """
np.bitwise_and.reduce(x)
np.bitwise_or.reduce(M, axis=0)
np.sum(x, dtype=np.int32)
np.sum(x, dtype=np.float64)
M @ M.T
np.matmul(stack, stack)
np.dot(M, M)
"""),
]

ORDER = [
    ("float32 float64 int64 bool", """
np.sort(x)
np.sort(M, axis=0)
np.sort(M, axis=1)
np.sort(tall, axis=1)
np.sort(wide, axis=1)
np.sort(ordered)
np.sort(strided)
np.argsort(x)
np.argsort(M, axis=0)
np.argsort(M, axis=1)
np.argsort(tall, axis=1)
np.argsort(x, kind='stable')
np.argsort(ordered)
np.partition(x, n // 2)
np.partition(M, 10, axis=1)
np.argpartition(x, n // 2)
np.argpartition(M, 10, axis=1)
np.searchsorted(ordered, x)
np.searchsorted(edges, x)
np.searchsorted(ordered, row)
np.unique(x)
np.unique_values(x)
"""),
    ("float64 int64", """
x.sort()
x.partition(5)
np.lexsort((x, y))
np.sort(x, kind='stable')
np.sort(x)[::-1].copy()
np.unique(small)
np.unique(x, return_index=True)
np.unique(x, return_inverse=True)
np.unique(x, return_counts=True)
np.unique(small, return_inverse=True, return_counts=True)
np.unique(tall, axis=0)
np.unique_all(x)
np.unique_counts(small)
np.unique_inverse(small)
np.union1d(x, y)
np.intersect1d(x, y)
np.setdiff1d(x, y)
np.setxor1d(x, y)
np.isin(x, y)
np.isin(x, short)
np.isin(small, [1, 5, 7])
np.median(x)
np.median(M, axis=0)
np.median(M, axis=1)
np.median(tall, axis=1)
np.percentile(x, 30)
np.percentile(x, [5, 50, 95])
np.quantile(M, 0.3, axis=0)
np.quantile(M, [0.1, 0.5], axis=1)
np.quantile(x, 0.3, method='nearest')
np.digitize(x, edges)
np.histogram(x)
np.histogram(x, 1000)
np.histogram(x, edges)
np.histogram(x, 100, weights=y)
np.histogram(x, 'auto')
np.histogram(x, 100, range=(0.0, 1.0))
np.histogram_bin_edges(x, 'fd')
np.histogram2d(x, y)
np.histogram2d(x, y, 100)
np.histogramdd(tall[:, :3], 10)
np.bincount(small)
np.bincount(small, weights=x)
np.bincount(index)
np.interp(x, ordered, y)
np.interp(x, edges, edges)
np.interp(ordered, edges, edges)
np.convolve(x, short[:5])
np.convolve(x, short[:64])
np.convolve(x, short, 'valid')
np.convolve(x, short[:1000], 'same')
np.correlate(x, short[:5])
np.correlate(x, short[:64], 'same')
"""),
    ("complex128", """
np.sort(x)
np.sort_complex(x)
np.argsort(x)
np.unique(x)
np.median(x)
np.convolve(x, short[:64])
"""),
]

LINEAR = [
    ("float32 float64 complex128", """
np.linalg.det(stack)
np.linalg.inv(stack)
np.linalg.solve(stack, stack)
np.linalg.slogdet(stack)
np.linalg.matrix_power(stack, 3)
np.linalg.svdvals(stack)
np.linalg.qr(stack)
np.linalg.eigvalsh(stack)
np.linalg.pinv(stack)
np.linalg.det(M)
np.linalg.inv(M)
np.linalg.solve(M, row)
np.linalg.cholesky(definite)
np.linalg.qr(M)
np.linalg.lstsq(tall, column_of_tall)
np.linalg.matrix_rank(M)
np.linalg.multi_dot((M, M, row))
np.fft.fft(x)
np.fft.ifft(x)
np.fft.fft(M)
np.fft.fft(M, axis=0)
np.fft.fft2(M)
np.fft.fftn(C)
np.fft.fftshift(M)
np.fft.hfft(x)
np.fft.fft(tall)
"""),
    ("float32 float64", """
np.fft.rfft(x)
np.fft.rfft(M)
np.fft.rfft2(M)
np.fft.irfft(x)
np.fft.ihfft(x)
"""),
]

POLYNOMIALS = [
    ("float32 float64 complex128", """
np.polyval(coefficients, x)
np.poly1d(coefficients)(x)
np.polynomial.polynomial.polyval(x, coefficients)
np.polynomial.polynomial.polyvalfromroots(x, coefficients)
np.polynomial.Polynomial(coefficients)(x)
np.polynomial.chebyshev.chebval(x, coefficients)
np.polynomial.legendre.legval(x, coefficients)
np.polynomial.laguerre.lagval(x, coefficients)
np.polynomial.hermite.hermval(x, coefficients)
np.polynomial.hermite_e.hermeval(x, coefficients)
np.polynomial.polynomial.polyval2d(x, y, np.outer(coefficients, coefficients))
np.polynomial.polynomial.polygrid2d(row, row, np.outer(coefficients, coefficients))
np.polynomial.polynomial.polyvander(x, 5)
np.polynomial.chebyshev.chebvander(x, 5)
np.polynomial.legendre.legvander(x, 5)
np.polynomial.polynomial.polyder(x)
np.polynomial.polynomial.polyint(x)
np.polynomial.polynomial.polyadd(x, y)
np.polynomial.polynomial.polymulx(x)
np.polyder(x)
np.polyint(x)
np.polyadd(x, y)
np.polymul(x, coefficients)
np.polyfit(positive, y, 3)
"""),
]
# fmt: on
