"""What the sweep measures: a call in every line, for the dtypes of its section.

A line is an expression, or a statement that writes to an input. Names in it are inputs (sweep.py
makes them) or NumPy's. Calls that touch only a few elements, a row or a diagonal, are not here.
Distributions of random numbers are in random_numbers.py, large products, transforms and
factorisations in the tables of run.py.
"""

# fmt: off
CREATION = [
    ("float32 float64 int64 bool complex128", """
np.zeros(n, dtype)
np.ones(n, dtype)
np.full(n, 1, dtype)
np.zeros_like(x)
np.ones_like(x)
np.full_like(x, 1)
np.array(x)
np.copy(x)
x.copy()
np.ascontiguousarray(strided)
np.asfortranarray(M)
np.array(listed, dtype)
x.fill(1)
x[:] = y
x[...] = 1
np.copyto(x, y)
np.copyto(x, y, where=mask)
np.copyto(x, strided)
"""),
    ("float32 float64 int64", """
np.arange(n, dtype=dtype)
np.arange(0, n, 1, dtype=dtype)
np.linspace(0, 1, n, dtype=dtype)
np.eye(side, dtype=dtype)
np.identity(side, dtype=dtype)
np.tri(side, dtype=dtype)
np.diag(row)
np.diagflat(row)
np.vander(row, 100)
np.fromfunction(lambda i, j: i + j, (side, side), dtype=dtype)
"""),
    ("float64", """
np.logspace(0, 1, n)
np.geomspace(1, 10, n)
np.indices((side, side))
np.meshgrid(row, row)
np.meshgrid(row, row, indexing='ij')
np.mgrid[:side, :side]
np.r_[x, y, 0.0]
np.c_[x, y]
np.tril_indices(side)
np.triu_indices(side)
np.tril_indices_from(M)
np.mask_indices(side, np.triu)
np.bartlett(n)
np.blackman(n)
np.hamming(n)
np.hanning(n)
np.kaiser(n, 14.0)
np.fromiter(listed, dtype)
np.asarray_chkfinite(x)
np.require(strided, requirements='C')
np.fft.fftfreq(n)
np.fft.rfftfreq(n)
"""),
]

MANIPULATION = [
    ("float32 float64 int64 bool complex128", """
np.ravel(T)
M.flatten()
T.flatten()
T.copy()
np.ascontiguousarray(T)
np.reshape(T, -1)
np.concatenate((x, y))
np.concatenate((M, M), axis=1)
np.concatenate((T, M))
np.stack((x, y))
np.stack((x, y), axis=1)
np.flip(x).copy()
np.roll(x, 1000)
np.roll(M, (3, 5), axis=(0, 1))
np.tile(row, side)
np.tile(M, (2, 2))
np.repeat(x, 3)
np.repeat(M, 3, axis=0)
np.repeat(M, 3, axis=1)
np.rot90(M).copy()
np.pad(x, 100)
np.pad(M, 3)
np.tril(M)
np.triu(M)
np.where(mask, x, y)
np.where(mask, x, 0)
np.where(x)
np.nonzero(x)
np.count_nonzero(x)
np.array_equal(x, x)
"""),
    ("float64 int64", """
np.concatenate((x, y, x, y), axis=None)
np.concat((x, y), dtype=np.float32, casting='same_kind')
np.vstack((x, y))
np.hstack((x, y))
np.dstack((x, y))
np.column_stack((x, y))
np.block([[M, M], [M, M]])
np.append(x, y)
np.append(M, M, axis=0)
np.insert(x, 5, 1)
np.insert(x, short_index, 1)
np.insert(M, 3, 1, axis=1)
np.delete(x, 5)
np.delete(x, short_index)
np.delete(x, mask)
np.delete(M, 3, axis=1)
np.delete(x, slice(None, None, 3))
np.resize(x, (3, n))
np.trim_zeros(x)
np.fliplr(M).copy()
np.flipud(M).copy()
np.moveaxis(C, 0, -1).copy()
np.transpose(C, (2, 1, 0)).copy()
np.swapaxes(C, 0, 1).copy()
np.broadcast_to(row, (side, side)).copy()
np.repeat(x, counts)
np.repeat(row, side)
np.pad(M, 3, mode='edge')
np.pad(M, 3, mode='reflect')
np.pad(M, 3, mode='symmetric')
np.pad(M, 3, mode='wrap')
np.pad(M, 3, mode='linear_ramp')
np.pad(M, 3, mode='maximum')
np.pad(M, 3, mode='mean')
np.pad(M, 3, mode='median')
np.pad(x, 100, mode='reflect')
np.select([mask, x > 0], [x, y], 0)
np.choose(small, [x, y, x, y])
np.piecewise(x, [mask, ~mask], [1, 2])
np.compress(mask, x)
np.compress(row > 0, M, axis=1)
np.extract(mask, x)
np.place(x, mask, short)
np.putmask(x, mask, y)
np.put(x, index, y)
np.argwhere(x)
np.flatnonzero(x)
np.packbits(mask)
np.unpackbits(bytes)
np.ravel_multi_index((square_index, square_index), (side, side))
np.unravel_index(index, (side, side))
np.lib.stride_tricks.sliding_window_view(x, 5).sum(axis=1)
np.apply_along_axis(np.sum, 1, wide)
np.apply_over_axes(np.sum, C, (0, 2))
np.astype(x, np.float32)
"""),
]

INDEXING = [
    ("float32 float64 int64 bool complex128", """
x[::2].copy()
x[::-1].copy()
x[10:-10].copy()
x[mask]
x[index]
np.take(x, index)
x[::2] = 1
x[::2] = half
x[10:-10] = 1
x[::-1] = y
x[mask] = 1
x[mask] = y[mask]
x[index] = 1
x[index] = y
np.take_along_axis(M, row_of_columns, axis=1)
"""),
    ("float64 int64", """
M[::2, ::2].copy()
M[::-1, ::-1].copy()
M[row_index]
M[:, row_index]
M[row_index][:, row_index]
M[row_index[:, None], row_index]
M[np.ix_(row_index, row_index)]
M[M > 0]
M[row > 0]
M[:, row > 0]
M[None, :, 4:].copy()
C[:, 3].copy()
C[..., 3].copy()
x[x > 0].sum()
M[1:-1, 1:-1] = 1
M[row_index] = row
M[:, row_index] = 1
M[M > 0] = 0
x[1:] = y[:-1]
x[1:] += x[:-1]
x[::2] *= 2
x[mask] += 1
x[index] += 1
M += row
np.take(M, row_index, axis=0)
np.take(M, row_index, axis=1)
np.take(x, index, mode='clip')
np.take(x, index, mode='wrap')
np.put_along_axis(M, row_of_columns, 1, axis=1)
x.take(index)
x.put(index, 1)
"""),
]

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

CONVERSION = [
    ("float32 float64 int64 bool complex128", """
x.astype(np.float64)
x.astype(np.float32)
x.astype(np.int64)
x.astype(np.int32)
x.astype(np.int16)
x.astype(np.int8)
x.astype(np.uint8)
x.astype(np.uint64)
x.astype(np.bool_)
x.astype(np.complex128)
x.astype(np.complex64)
x.astype(np.float16)
strided.astype(np.float32)
T.astype(np.float32)
len(x.tolist())
len(M.tolist())
len(x.tobytes())
len(strided.tobytes())
len(T.tobytes('F'))
x.view(np.uint8).sum()
x.byteswap()
np.save(BytesIO(), x)
np.load(saved())
np.savez(BytesIO(), x)
len(list(x))
len([v for v in M])
np.array2string(x)
repr(x)
"""),
    ("float64", """
np.savetxt(BytesIO(), x)
np.loadtxt(text())
np.genfromtxt(text())
np.fromstring(letters, sep=' ')
np.savez_compressed(BytesIO(), x)
sum(1 for _ in np.ndindex(side, side))
sum(1 for _ in np.ndenumerate(x))
np.vectorize(abs)(x)
x.tofile(path)
np.fromfile(path)
x.view(np.int64) + 1
"""),
    ("float16 int32 uint8 int16", """
x + y
x * 2
np.sum(x)
np.sum(M, axis=0)
np.max(x)
np.argmax(x)
np.cumsum(x)
np.sort(x)
np.argsort(x)
np.unique(x)
np.bincount(x)
np.where(mask, x, y)
x[mask]
x[index]
np.repeat(x, 3)
np.clip(x, 1, 3)
np.concatenate((x, y))
np.median(x)
np.histogram(x, 10)
x.astype(np.float64)
x.astype(np.float32)
x // 3
x % 3
x / 3
x << 1
np.mean(x)
np.mean(M, axis=0)
np.std(x)
np.convolve(x, short[:5])
T.copy()
"""),
]

SECTIONS = {
    "creation": CREATION,
    "manipulation": MANIPULATION,
    "indexing": INDEXING,
    "arithmetic": ARITHMETIC,
    "reductions": REDUCTIONS,
    "order": ORDER,
    "linear": LINEAR,
    "polynomials": POLYNOMIALS,
    "conversion": CONVERSION,
}
