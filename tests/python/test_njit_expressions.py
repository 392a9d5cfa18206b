"""NumPy's functions and methods in compiled functions: one expression each, as NumPy has it."""

import ast
import importlib.util
import warnings

import numpy as np
import pytest

from heddle import njit

VALUES = {
    "x": np.array([3.0, -1.5, 2.0, 0.0, 7.25]),
    "y": np.array([1.0, 2.0, -3.0, 4.0, 0.5]),
    "i": np.array([3, 1, 2, 1, 5]),
    "j": np.array([2, 1, 4, 0, 1]),
    "s": np.arange(6.0),
    "b": np.array([True, False, True, True, False]),
    "m": np.arange(12.0).reshape(3, 4) * 1.5 - 4,
    "q": np.array([[4.0, 1, 0], [1, 3, 1], [0, 1, 2]]),
    "k": np.arange(12).reshape(3, 4) - 3,
    "c": np.array([1 + 2j, 3 - 1j, 0j, -1 + 0.5j]),
    "t": np.arange(24.0).reshape(2, 3, 4),
    "f": np.array([1.5, np.nan, -2.5, np.inf, 0.5]),
    "g": np.array([1.5, 2.25, -3.75], np.float32),
    "u": np.array([200, 100, 3], np.uint8),
    "w": np.array([2, -3, 120], np.int8),
    "r": np.array([[1.0, 2], [3, 4], [5, 7]]),
    "n": 4,
    "a": 2.5,
    "h": np.array([1, 2, 3], np.int32),
    "e": np.array([0.0, 0.5, 1.0, 2.0]),
    "z": np.array([[1 + 1j, 2], [0, 1 - 2j]]),
}
# What writes to its argument, which is looked at then.
WRITES = ("np.place(", "np.put(", "np.putmask(", "np.fill_diagonal(", "np.copyto(")
EXPRESSIONS = """
np.all(b)
np.any(b)
x.clip(0,2)
np.clip(x,None,2.0)
np.clip(i,1,3)
c.conj()
c.conjugate()
x.cumprod()
i.cumsum()
m.cumsum()
x.max()
x.mean()
i.mean()
x.min()
b.nonzero()
np.nonzero(m)
np.nonzero(t)
i.prod()
x.std()
c.var()
x.var()
x.take(j)
np.take(x,j)
np.take(m,j)
np.take(x,2)
m.take(j)
m.argmax()
m.argmax(axis=0)
m.argmax(axis=1)
np.argmax(m,1)
np.argmin(m,axis=0)
np.argpartition(x,2)[2]
x.argsort()
x.argsort(kind='mergesort')
np.argsort(x,kind='quicksort')
i.astype(np.float32)
x.copy()
x.dot(y)
m.flatten()
m.T.flatten()
x[:1].item()
np.ptp(x)
m.ravel()
x.repeat(2)
np.repeat(m,2)
np.repeat(i,j)
m.reshape((4,3))
m.reshape(4,3)
m.reshape(-1)
m.reshape((2,-1))
m.sum(axis=0)
m.sum(1)
m.sum(axis=1,dtype=np.float32)
i.sum(dtype=np.float64)
t.sum(axis=1)
t.sum(2)
np.sum(t,axis=0)
m.transpose()
t.transpose((2,0,1))
t.transpose(1,0,2)
np.transpose(t)
np.transpose(m,(1,0))
x.view(np.int64)
g.view(np.int32)
m.view(np.int64)
3 in i
2.5 in m
x.itemsize
x.nbytes
x.ndim
m.shape
m.size
m.strides
c.real
c.imag
x.real
x.imag
m.T
x.flags.c_contiguous
m.T.flags.f_contiguous
m.flags.contiguous
m.flat[5]
x.dtype == np.float64
m.dtype.itemsize
np.dot(m,m.T)
np.dot(x,y)
np.dot(m,np.ones(4))
np.kron(r,q)
np.outer(x,y)
np.trace(q)
np.vdot(c,c)
np.vdot(x,y)
q@q
q@np.ones(3)
np.linalg.cholesky(q)
np.linalg.cond(q)
np.linalg.det(q)
np.linalg.eigh(q)[0]
np.linalg.eigvalsh(q)
np.linalg.inv(q)
np.linalg.lstsq(r,np.ones(3))[0]
np.linalg.matrix_power(q,3)
np.linalg.matrix_power(q,-2)
np.linalg.matrix_rank(q)
np.linalg.norm(x)
np.linalg.norm(q)
np.linalg.norm(q,1)
np.linalg.norm(q,np.inf)
np.linalg.norm(q,2)
np.linalg.norm(x,1)
np.linalg.norm(x,np.inf)
np.linalg.norm(x,3)
np.linalg.pinv(r)
np.abs(np.linalg.qr(q)[1])
np.linalg.slogdet(q)
np.linalg.solve(q,np.ones(3))
np.linalg.solve(q,r)
np.linalg.svd(q)[1]
np.linalg.inv(z)
np.linalg.det(z)
np.linalg.solve(z,np.ones(2))
np.cumprod(x)
np.cumsum(x)
np.diff(x)
np.diff(x,2)
np.diff(m)
np.diff(i,n=2)
np.histogram(x,3)
np.histogram(x,4,(-1.0,5.0))
np.histogram(x,np.array([0.0,1,2,4]))
np.max(x)
np.amax(m)
np.amin(x)
np.median(x)
np.median(m)
np.nancumprod(f)
np.nancumsum(f)
np.nanmax(f)
np.nanmean(f)
np.nanmedian(f)
np.nanmin(f)
np.nanpercentile(f,30)
np.nanquantile(f,0.5)
np.nanprod(f)
np.nanstd(f)
np.nansum(f)
np.nanvar(f)
np.percentile(x,30)
np.percentile(x,np.array([10.0,50.0]))
np.percentile(x,[10,50])
np.quantile(x,0.25)
np.quantile(m,0.25)
np.sort(x)
np.sort(m)
np.average(x)
np.average(x,weights=np.abs(y))
np.average(m,axis=0)
np.angle(c)
np.angle(x)
np.angle(c,True)
np.append(x,y)
np.append(x,2.0)
np.append(m,t)
np.append(r,r,axis=0)
np.arange(4)
np.arange(1,9,2)
np.arange(0.0,1.0,0.3)
np.arange(n,dtype=np.float32)
np.argwhere(m>0)
np.argwhere(x)
np.argwhere(t)
np.array([1,2,3])
np.array([[1.0,2.0],[3.0,4.0]])
np.array((1,2.5))
np.array([1,2],dtype=np.int32)
np.array([[i[0],i[1]],[2,3]])
np.array_equal(x,y)
np.array_equal(x,x)
np.array_split(x,2)[1]
np.array_split(x,3)[0]
np.asarray(x)
np.asarray([1,2])
np.asarray((1.0,2.0))
np.asarray_chkfinite(x)
np.ascontiguousarray(m.T)
np.asfortranarray(m)
np.atleast_1d(x)
np.atleast_1d(a)
np.atleast_2d(x)
np.atleast_3d(x)
np.atleast_3d(m)
np.bartlett(5)
np.hamming(5)
np.hanning(5)
np.blackman(5)
np.kaiser(5,2.0)
np.bincount(i)
np.bincount(i,weights=x)
np.bincount(i,x,8)
np.bincount(i,minlength=9)
np.broadcast_to(x,(3,5))
np.broadcast_arrays(x,2.0)[1]
np.broadcast_shapes((2,1),(1,3))
np.column_stack((x,y))
np.concatenate((x,y))
np.concatenate((m,k),axis=1)
np.concatenate((t,t),axis=2)
np.convolve(x,y)
np.convolve(x,y[:3],'same')
np.convolve(x,y[:3],mode='valid')
np.correlate(x,y)
np.correlate(x,y[:3],'full')
np.correlate(x,y[:3],mode='same')
np.copy(x)
np.corrcoef(m)
np.corrcoef(x,y)
np.corrcoef(m,rowvar=False)
np.count_nonzero(m)
np.count_nonzero(b)
np.count_nonzero(m,axis=0)
np.cov(m)
np.cov(x,y)
np.cov(m,rowvar=False)
np.cov(m,ddof=0)
np.cov(m,None,True,True)
np.cross(x[:3],y[:3])
np.delete(x,2)
np.delete(x,[1,2])
np.delete(x,j[:2])
np.delete(x,slice(1,3))
np.diag(x)
np.diag(q)
np.diag(x,1)
np.diag(q,k=-1)
np.diagflat(x)
np.diagflat(x,2)
np.digitize(x,e)
np.digitize(x,e,right=True)
np.digitize(x,e[::-1].copy())
np.digitize(1.2,e)
np.dsplit(t,2)[0]
np.dstack((x,y))
np.dstack((m,m))
np.ediff1d(x)
np.ediff1d(i,to_end=9,to_begin=2)
np.expand_dims(x,0)
np.expand_dims(m,1)
np.extract(b,x)
np.extract(m>0,m)
np.eye(3)
np.eye(3,4,1)
np.eye(2,dtype=np.int64)
np.flatnonzero(x)
np.flatnonzero(m)
np.flip(x)
np.flip(m)
np.fliplr(m)
np.flipud(m)
np.full(3,2.5)
np.full((2,2),1)
np.full(3,1,np.float32)
np.full_like(x,3)
np.full_like(i,2.5)
np.full_like(x,3,np.int64)
np.geomspace(1.0,8.0,4)
np.hsplit(m,2)[1]
np.hstack((x,y))
np.hstack((m,m))
np.identity(3)
np.indices((2,3))
np.insert(x,2,9.0)
np.insert(i,j[:2],7)
np.insert(m,1,5.0)
np.isclose(x,y)
np.isclose(a,2.5)
np.isclose(f,f,equal_nan=True)
np.iscomplex(c)
np.iscomplexobj(c)
np.iscomplexobj(x)
np.isin(i,j)
np.isin(i,np.array([1,5]),invert=True)
np.isneginf(f)
np.isposinf(f)
np.isreal(c)
np.isreal(x)
np.isrealobj(x)
np.isscalar(a)
np.isscalar(x)
np.interp(0.7,e,np.array([1.0,2,3,9]))
np.interp(x,e,np.array([1.0,2,3,9]))
np.interp(m,e,np.array([1.0,2,3,9]))
np.interp(i,e,np.array([1.0,2,3,9]))
np.intersect1d(i,j)
np.union1d(i,j)
np.setdiff1d(i,j)
np.setxor1d(i,j)
np.linspace(0,1,5)
np.linspace(0.0,1.0,n)
np.logspace(0,2,3)
np.moveaxis(t,0,2)
np.swapaxes(t,0,1)
np.nan_to_num(f)
np.nan_to_num(f,nan=1.0)
np.nan_to_num(np.nan)
np.ones(3)
np.ones((2,2),np.int32)
np.ones_like(i)
np.partition(x,2)[2]
np.ravel(m)
np.reshape(m,(4,3))
np.resize(x,(2,4))
np.resize(x,8)
np.roll(x,2)
np.roll(x,-1)
np.roll(m,3)
np.rot90(m)
np.rot90(m,2)
np.rot90(m,k=3)
np.round(x,1)
np.round(2.567,2)
np.around(x)
x.round(1)
np.round(a)
np.searchsorted(e,0.7)
np.searchsorted(e,x)
np.searchsorted(e,x,'right')
np.searchsorted(e,m)
np.searchsorted(e,f)
np.select((x>1,x<0),(x,y))
np.select([x>1,x<0],[x,y],-1.0)
np.shape(m)
np.shape(a)
np.size(m)
np.ndim(m)
np.sinc(x)
np.sinc(0.5)
np.split(s,3)[1]
np.split(s,[2,4])[2]
np.vsplit(m,3)[1]
np.stack((x,y))
np.stack((x,y),1)
np.stack((m,m),axis=2)
np.stack((m,m))
np.take_along_axis(m,k%3,0)
np.trapezoid(x)
np.trapezoid(x,y)
np.trapezoid(x,dx=0.5)
np.trapezoid(m)
np.tri(3)
np.tri(3,4,1)
np.tril(q)
np.tril(q,-1)
np.triu(m,1)
np.tril_indices(3)
np.tril_indices(3,1)
np.triu_indices(3,1)
np.triu_indices_from(q)
np.tril_indices_from(q,k=-1)
np.trim_zeros(np.array([0.0,1,2,0]))
np.unique(i)
np.unique(m)
np.unwrap(x*2)
np.vander(x)
np.vander(x,3)
np.vander(i,3,True)
np.vstack((x,y))
np.vstack((m,m))
np.where(b,x,y)
np.where(x>0,x,0)
np.where(b)
np.where(m>0)
np.where(a>1,x,y)
np.zeros(3)
np.zeros((2,3),np.complex64)
np.zeros_like(m)
np.zeros_like(x,dtype=np.int8)
np.iinfo(np.int32).max
np.finfo(np.float32).eps
np.finfo(np.float64).max
np.finfo(x.dtype).tiny
np.iinfo(i.dtype).min
np.float32(x)
np.int64(x)
np.float32(2.5)
np.uint8(i)
np.bool_(x)
np.complex64(x)
np.int32(-1.7)
np.float32(1).item()
np.lib.stride_tricks.as_strided(x,(2,2),(8,8))
np.lib.stride_tricks.sliding_window_view(x,3)
np.fill_diagonal(q,1.0)
np.place(x,b,y)
np.put(x,j,y)
np.putmask(x,b,y)
np.copyto(x,y)
np.ndim(a)
np.min(m)
np.prod(m)
np.mean(t)
np.std(m)
np.var(m)
m.mean(axis=0)
m.max(axis=1)
m.std(axis=0)
m.any(axis=0)
np.all(m>0,axis=1)
np.prod(m,axis=0)
np.mean(t,axis=1)
m.mean(1)
x.sum(axis=0)
m.sum(axis=-1)
np.argmax(t)
np.cumsum(m,axis=0)
np.sort(m,axis=0)
np.median(m,axis=0)
np.inner(x,y)
np.square(x)
np.gradient(x)
np.tile(x,2)
np.fix(x)
np.polyval(x,2.0)
np.nanargmax(f)
np.nanargmin(f)
np.lcm(i,2)
np.gcd(i,6)
np.cbrt(x)
np.ldexp(x,2)
divmod(i[0],2)
np.fmod(i,2)
np.remainder(x,1.5)
np.float_power(x,2)
np.power(i,2)
np.left_shift(i,2)
np.invert(i)
np.bitwise_not(i)
~b
-u
np.negative(h)
np.logical_not(x)
np.logical_xor(b,x)
np.heaviside(x,0.5)
np.hypot(x,y)
np.nextafter(x,y)
np.spacing(x)
np.signbit(x)
np.copysign(x,y)
np.arctan2(x,y)
np.deg2rad(x)
np.degrees(x)
np.exp2(x)
np.log1p(np.abs(x))
np.expm1(x)
np.reciprocal(y)
np.rint(x)
np.trunc(x)
np.sign(x)
np.sign(i)
np.absolute(c)
np.fabs(x)
np.maximum(f,x)
np.fmax(f,x)
np.positive(x)
np.true_divide(i,j+1)
np.floor_divide(i,2)
np.floor_divide(x,1.5)
np.add(x,y)
np.add(x,y,x)
np.conj(c)
np.isfinite(f)
np.isinf(f)
np.isnan(f)
m[0]
m[:,1]
m[::-1]
m[1:,::2]
m[...,0]
m[None]
m[:,None]
x[np.newaxis,:]
m[i[1]]
m[b[:3]]
m[k[0]%3]
m[:,np.array([0,2])]
m[np.array([0,2])]
m[np.array([0,2]),np.array([1,1])]
t[:,b[:3]]
t[0,:,1:3]
t[...,1]
t[1,...]
x[-2:]
x[::-2]
x[10:]
x[:-1]+x[1:]
x[b]
m[m>0]
t[t>5]
x[(i>1)&(j>0)]
m[1,b[:4]]
x+y
x+i
i/j[:1]
g*a
g+i
u+w
u*2
u+1
h*h
h*2.5
w//2
u-1
x**2
i**2
i**-1.0
2**i
x%2
i%3
-i%3
i//2
x//2
x==y
x!=y
x<y
b&b
b
~i
i<<2
i>>1
i&3
i^j
x@y
(x>0)&(y>0)
not b.all()
1j*x
c*x[:4]
c/2
c**2
abs(c)
abs(x)
abs(w)
-x
+x
x if n>3 else y
g/2
u/u
h/2
b+b
b*1
b-1
np.float32(1)+x
g+1.5
g*n
g*np.float64(2)
x.astype(int)
x.astype(bool)
x.astype('float32')
i.astype(np.complex128)
c.astype(np.complex64)
m.astype(np.int32).sum()
sum(x)
max(x)
min(i)
sorted(x)
len(m)
list(x)
tuple(m.shape)
round(a)
round(a,1)
abs(-n)
pow(n,2)
divmod(n,3)
divmod(-a,2)
int(a)
float(n)
complex(a,n)
bool(a)
a.is_integer()
(n+1j).real
(a).conjugate()
n.real
""".split("\n")[1:-1]


def names_of(expression):
    tree = ast.walk(ast.parse(expression, mode="eval"))
    return sorted({n.id for n in tree if isinstance(n, ast.Name) and n.id in VALUES})


@pytest.fixture(scope="module")
def functions(tmp_path_factory):
    """A module with a function for each of them: compilers read sources."""
    text = "import numpy as np\n"
    for number, expression in enumerate(EXPRESSIONS):
        names = names_of(expression)
        body = f"    return {expression}\n"
        if expression.startswith(WRITES):
            body = f"    {expression}\n    return {', '.join(names)}\n"
        text += f"def f{number}({', '.join(names)}):\n{body}"
    file = tmp_path_factory.mktemp("expressions") / "expressions.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location("expressions", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check(got, expected):
    if isinstance(expected, (tuple, list)):
        assert isinstance(got, (tuple, list)) and len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            check(one, other)
        return
    kind, wanted = np.asarray(got).dtype, np.asarray(expected).dtype
    if isinstance(expected, np.ndarray):
        assert isinstance(got, np.ndarray) and kind == wanted and got.shape == expected.shape
    assert kind.kind == wanted.kind
    rtol = 1e-6 if wanted.name in ("float32", "complex64") else 1e-11
    np.testing.assert_allclose(got, expected, rtol=rtol, atol=1e-13)


@pytest.mark.parametrize("number", range(len(EXPRESSIONS)), ids=EXPRESSIONS)
def test_expression(functions, number):
    function = getattr(functions, f"f{number}")

    def given():
        values = [VALUES[name] for name in names_of(EXPRESSIONS[number])]
        return [v.copy() if isinstance(v, np.ndarray) else v for v in values]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = function(*given())
        except Exception as error:
            with pytest.raises(type(error)):
                njit(function)(*given())
            return
        check(njit(function)(*given()), expected)
