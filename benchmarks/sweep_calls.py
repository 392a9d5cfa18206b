"""What the sweep measures: a call in every line, for the dtypes of its section.

A line is an expression, or a statement that writes to an input. Names in it are inputs (sweep.py
makes them) or NumPy's. Calls that touch only a few elements, a row or a diagonal, are not here.
Distributions of random numbers are in random_numbers.py, large products, transforms and
factorisations in the tables of run.py. What is computed with numbers is in sweep_math.py.
"""

from sweep_math import ARITHMETIC, LINEAR, ORDER, POLYNOMIALS, REDUCTIONS

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
