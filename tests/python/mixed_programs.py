"""Random programs of NumPy's less usual statements: every kind of index read and written, `out=`,
`where=`, `dtype=` and `casting=` of ufuncs and reductions, `ufunc.at`, functions that write into
their arguments, views that are written through, errors of casting between them."""

import operator

import numpy
from compare import assert_like
from hypothesis import strategies as st
from programs import DTYPES, Program, modules, modules_of

import heddle

ARITHMETIC = ["add", "subtract", "multiply", "floor_divide", "remainder", "maximum", "fmin"]
LOGIC = ["less_equal", "not_equal", "logical_xor", "bitwise_or", "left_shift", "right_shift"]
AT = ["add", "subtract", "multiply", "maximum", "minimum", "bitwise_xor", "floor_divide"]
SUBSCRIPTS = [
    "ij,jk->ik",
    "ij,ij->",
    "ij,ji->j",
    "i,j->ij",
    "ii->i",
    "ij->ji",
    "ijk->k",
    "i,i",
    "...j,j",
]
NUMBERS = [
    0,
    1,
    -1,
    2,
    3,
    7,
    True,
    1.5,
    -0.0,
    2j,
    300,
    -129,
    2**40,
    numpy.float32(2),
    numpy.int8(-3),
]

# What gives new arrays or views of one array.
MADE = {
    "moved": lambda np, a: np.moveaxis(a, 0, -1),
    "squeezed": lambda np, a: np.squeeze(a),
    "at least": lambda np, a: np.atleast_2d(a),
    "turned": lambda np, a: np.rot90(np.atleast_2d(a)),
    "split": lambda np, a: np.array_split(a, 2)[1],
    "parts": lambda np, a: np.split(a, [1, 2], axis=-1)[1],
    "deleted": lambda np, a: np.delete(a, 0, axis=0),
    "inserted": lambda np, a: np.insert(a, 0, 1, axis=-1),
    "appended": lambda np, a: np.append(a, a[:1], axis=0),
    "resized": lambda np, a: np.resize(a, (2, 3)),
    "trimmed": lambda np, a: np.trim_zeros(a.reshape(-1)),
    "differences": lambda np, a: np.diff(a, axis=-1),
    "taken": lambda np, a: np.take(a, [[0, -1], [5, 2]], axis=0, mode="wrap"),
    "clipped take": lambda np, a: a.take([-3, 9], mode="clip"),
    "along": lambda np, a: np.take_along_axis(a, np.argsort(a, axis=0, kind="stable"), axis=0),
    "compressed": lambda np, a: np.compress([True, False, True][: a.shape[0]], a, axis=0),
    "chosen": lambda np, a: np.choose(np.clip(a.real, 0, 1).astype(int), [a, a * 0]),
    "selected": lambda np, a: np.select([a > 1, a < 0], [a, -a], 5),
    "piecewise": lambda np, a: np.piecewise(a, [a > 1], [lambda x: x - x, 2]),
    "flat": lambda np, a: a.flat[::2],
    "extracted": lambda np, a: np.extract(a > 0, a),
    "ranked": lambda np, a: np.lexsort((a.reshape(-1), -a.reshape(-1))),
    "partitioned": lambda np, a: np.sort(np.partition(a, a.shape[0] // 2, axis=0), axis=0),
    "unique rows": lambda np, a: np.unique(a, axis=0),
    "equal": lambda np, a: np.isin(a, [1, 2, 3]),
    "counted": lambda np, a: np.count_nonzero(a, axis=0),
    "packed": lambda np, a: np.packbits(a != 0, axis=-1),
    "gradient": lambda np, a: np.ediff1d(a, to_begin=a.reshape(-1)[:1]),
    "kron": lambda np, a: np.kron(a[:2], a[:2]),
    "indices": lambda np, a: np.argwhere(a),
    "turn": lambda np, a: np.roll(a, (1, -1), axis=(0, -1)),
    "block": lambda np, a: np.block([[a, a], [a, a]]),
    "rows": lambda np, a: np.array([row + row for row in a]),
    "lists": lambda np, a: np.array(a.tolist(), dtype=a.dtype),
    "imaginary": lambda np, a: a.imag,
    "ptp": lambda np, a: np.ptp(a, axis=0),
    "searched": lambda np, a: np.searchsorted([-1, 0, 2, 4], a, side="right"),
    "digits": lambda np, a: np.digitize(a, [4, 2, 0, -1]),
    "histogram": lambda np, a: np.histogram(a, bins=3, range=(-3, 5))[0],
    "maximum of": lambda np, a: np.maximum.reduce(a, axis=None, initial=3),
    "meshed": lambda np, a: np.meshgrid(a.reshape(-1)[:3], a.reshape(-1)[:2])[1],
    "triangle": lambda np, a: np.triu(np.atleast_2d(a), 1),
    "nan": lambda np, a: np.nan_to_num(a),
    "swapped": lambda np, a: a.swapaxes(0, -1)[..., ::-1],
    "seen": lambda np, a: a.view(),
}
UNORDERED = {"along", "chosen", "selected", "piecewise", "ranked", "partitioned", "unique rows"}
UNORDERED |= {"searched", "digits", "histogram", "maximum of", "extracted", "ptp"}

# What writes into an array. NumPy's flat iterator reads what it has just written, if it can.
WRITTEN = {
    "put": lambda np, a, b: np.put(a, [0, -1, 0], b),
    "put wrapped": lambda np, a, b: a.put([7, -9], b, mode="wrap"),
    "putmask": lambda np, a, b: np.putmask(a, a != 1, b),
    "place": lambda np, a, b: np.place(a, a != 1, np.ravel(b).copy()),
    "copyto": lambda np, a, b: np.copyto(a, b),
    "copyto where": lambda np, a, b: np.copyto(a, b, casting="unsafe", where=a != 0),
    "filled": lambda np, a, b: a.fill(np.ravel(b)[0]),
    "diagonal": lambda np, a, b: np.fill_diagonal(a, 3),
    "along": lambda np, a, b: np.put_along_axis(a, np.zeros((1,) * a.ndim, int), 5, axis=-1),
    "sorted": lambda np, a, b: a.sort(axis=0),
    "flat": lambda np, a, b: operator.setitem(a.flat, slice(None, None, 2), np.copy(b)),
    "one flat": lambda np, a, b: operator.setitem(a.flat, -1, np.ravel(b)[0]),
    "whole flat": lambda np, a, b: setattr(a, "flat", np.copy(b)),
    "real": lambda np, a, b: a.real.__setitem__(..., b),
    "transposed": lambda np, a, b: operator.setitem(a.T, slice(1), b),
    "rows": lambda np, a, b: [operator.iadd(row, row) for row in a[:3]],
    "split": lambda np, a, b: [operator.setitem(p, ..., i) for i, p in enumerate(np.split(a, [1]))],
    "clipped": lambda np, a, b: np.clip(a, 0, 2, out=a),
    "taken": lambda np, a, b: np.take(a, [0], axis=0, out=a[-1:], mode="clip"),
    "running": lambda np, a, b: np.cumsum(a, axis=0, out=a),
    "summed": lambda np, a, b: np.sum(a, axis=0, out=a[0]),
    "where": lambda np, a, b: np.negative(a, out=a, where=a != 2),
    "both": lambda np, a, b: np.divmod(a, 3, out=(a, np.empty_like(a))),
    "reversed": lambda np, a, b: np.add(a[::-1], a, out=a),
    "shifted": lambda np, a, b: np.maximum(a[:-1], a[1:], out=a[1:]),
    "windows": lambda np, a, b: operator.setitem(a, slice(1, None), a[:-1] + a[1:]),
    "swapped": lambda np, a, b: operator.setitem(a, [0, -1], a[[-1, 0]]),
    "power": lambda np, a, b: operator.ipow(a, 2),
    "matrix": lambda np, a, b: operator.imatmul(a, np.eye(a.shape[-1], dtype=a.dtype)),
    "shape": lambda np, a, b: setattr(a, "shape", (-1,)),
    "half": lambda np, a, b: operator.iadd(a, 0.5),
}


def castable(values, dtype):
    """Whether a conversion is defined: numbers out of an integer type's range have none."""
    values, dtype = numpy.asarray(values), numpy.dtype(dtype)
    if dtype.kind not in "iu" or values.dtype.kind not in "fc" or not values.size:
        return True
    limits = numpy.iinfo(dtype)
    parts = values.real.astype("f8")
    low, high = parts.min(), parts.max()
    return bool(low >= max(limits.min, -(2**30)) and high <= min(limits.max, 2**30))


class MixedProgram(Program):
    """Small arrays of every type and up to four dimensions."""

    def create(self):
        shape = tuple(self.draw(st.lists(st.integers(1, 4), max_size=4)))
        if self.draw(st.integers(0, 11)) == 5:
            shape = self.choose([(0,), (2, 0), (), (1,), (3000,)])
        dtype = numpy.dtype(self.choose(DTYPES))
        first = self.draw(st.integers(0, 10))
        values = (numpy.arange(first, first + int(numpy.prod(shape))) * 7 % 11 - 3).reshape(shape)
        values = numpy.abs(values) if dtype.kind == "u" else values
        values = numpy.asarray(values).astype(dtype, order=self.choose("CF"))
        if dtype.kind == "c":
            values = numpy.asarray(values - values[..., ::-1] * 1j if values.ndim else values * 1j)
        self.add(values.copy("K"), heddle.asarray(values))

    def target(self):
        """An array that can be written, or None."""
        theirs, ours = self.pick()
        good = isinstance(theirs, numpy.ndarray) and theirs.flags.writeable
        return (theirs, ours) if good and theirs.size < 5000 else None

    def value(self, dtype):
        """Another array or a number that `dtype` can hold; numbers are a pair as well."""
        pair = self.pick()
        if self.draw(st.booleans()) or pair[0].size > 5000 or not castable(pair[0], dtype):
            number = self.choose(NUMBERS)
            return number, number
        return pair

    def index(self, shape):
        """Any index of an array, as a function of the module: its arrays are the module's."""
        parts = []
        axis, arrays = 0, 0
        while axis < len(shape) and self.draw(st.integers(0, 9)):
            extent = shape[axis]
            kind = self.choose(
                ["slice", "slice", "int", "list", "array", "mask", "wide mask", "new"]
            )
            axis += kind != "new"
            if kind == "slice":
                cut = self.slice(extent)
                parts.append(lambda np, cut=cut: cut)
            elif kind == "new":
                parts.append(lambda np: None)
            elif kind == "int":
                at = self.draw(st.integers(-extent - (not extent), max(extent - 1, 0)))
                parts.append(lambda np, at=at: at)
            elif kind == "wide mask" and axis < len(shape) and extent * shape[axis] < 50:
                size = extent * shape[axis]
                bits = self.draw(st.integers(0, 2**size - 1))
                parts.append(lambda np, b=bits, s=shape[axis - 1 : axis + 1]: bitmap(np, b, s))
                axis += 1
            elif kind == "mask" and extent < 50:
                bits = self.draw(st.integers(0, 2**extent - 1))
                parts.append(lambda np, b=bits, s=(extent,): bitmap(np, b, s))
            else:
                count = self.choose([1, 2, 2, 3])
                low, high = -extent - (not extent), max(extent - 1, 0)
                where = [self.draw(st.integers(low, high)) for _ in range(count)]
                form = self.choose(
                    [list, "array", "column", "small"] if kind == "array" else [list]
                )
                parts.append(lambda np, w=where, f=form: listed(np, w, f))
                arrays += 1
        if self.draw(st.integers(0, 3)) == 0:
            parts.insert(self.draw(st.integers(0, len(parts))), lambda np: ...)
        return lambda np: tuple(part(np) for part in parts)

    def indexed(self):
        pair = self.pick()
        if pair[0].size < 5000:
            index = self.index(pair[0].shape)
            # Elements of host memory are NumPy's scalars: ours at the end of the program.
            self.keep(self.both(lambda a: modules(a).asanyarray(a[index(modules(a))]), pair))

    def index_write(self):
        target = self.target()
        if target is None:
            return
        index, value = self.index(target[0].shape), self.value(target[0].dtype)
        kind = self.choose(["set", "set", "add", "multiply"])
        if numpy.ndim(value[0]) and all(isinstance(part, int) for part in index(numpy)):
            return  # an array of one element is a number here, as it was one for NumPy

        def write(a, b):
            at = index(modules(a))
            if kind == "set":
                a[at] = b
            elif kind == "add":
                a[at] += b
            else:
                a[at] *= b

        self.on(write, target, value)

    def on(self, write, target, value):
        """A statement that writes into a target."""
        if isinstance(value[0], numpy.ndarray | numpy.generic) and value[1] is not value[0]:
            return self.both(write, target, value)
        return self.both(lambda a: write(a, value[0]), target)

    def called(self):
        """A ufunc with its keywords."""
        out, a = self.target(), self.pick()
        if out is None or a[0].size > 5000:
            return
        name = self.choose(ARITHMETIC + LOGIC)
        b = self.value(out[0].dtype)
        if "c" in (a[0].dtype.kind, numpy.asarray(b[0]).dtype.kind, out[0].dtype.kind):
            name = self.choose(["add", "subtract", "multiply", "not_equal"])
        if name in ("less_equal", "not_equal") and isinstance(b[0], int):
            b = (3, 3)  # NumPy crashes, where a mask is given with numbers beyond the type
        casting = self.choose(["same_kind", "same_kind", "unsafe", "safe"])
        if (
            casting == "unsafe"
            and out[0].dtype.kind in "iu"
            and "f"
            in (
                a[0].dtype.kind,
                numpy.asarray(b[0]).dtype.kind,
            )
        ):
            return  # results may be out of range
        masked = self.draw(st.booleans())
        if name in LOGIC and out[0].dtype.kind in "fc":
            masked = False  # NumPy's truth values take the signs of zeros that the mask leaves out

        def call(out, a, b):
            np = modules(out)
            where = {"where": out != 0} if masked else {}
            return getattr(np, name)(a, b, out=out, casting=casting, **where)

        if isinstance(b[0], numpy.ndarray | numpy.generic) and b[1] is not b[0]:
            self.both(call, out, a, b)
        else:
            self.both(lambda out, a: call(out, a, b[0]), out, a)

    def reduced(self):
        pair = self.pick()
        if pair[0].dtype.kind not in "iub":
            return
        name = self.choose(["sum", "prod", "max", "min", "any", "all", "bitwise_xor"])
        axes = [axis for axis in range(pair[0].ndim) if self.draw(st.booleans())]
        options = {"axis": tuple(axes), "keepdims": self.draw(st.booleans())}
        if self.draw(st.booleans()) and name in ("sum", "prod", "max", "min"):
            options["initial"] = 2
        if self.draw(st.booleans()) and name in ("sum", "prod"):
            options["dtype"] = self.choose(["i8", "u1", "i4", "f8"])
        masked = self.draw(st.booleans()) and ("initial" in options or name not in ("max", "min"))

        def reduce(a):
            np = modules(a)
            more = {"where": a != 2} if masked else {}
            if name == "bitwise_xor":
                return np.bitwise_xor.reduce(a, **options, **more)
            return getattr(np, name)(a, **options, **more)

        if name != "prod" or options.get("dtype") != "f8":
            self.keep(self.both(reduce, pair))

    def at(self):
        target = self.target()
        if target is None or target[0].dtype.kind not in "iu" or target[0].dtype == "u8":
            return
        index, value = self.index(target[0].shape), self.value(target[0].dtype)
        if numpy.asarray(value[0]).dtype.kind in "fc":
            return
        if numpy.ndim(value[0]):
            return  # NumPy reads beyond the memory of values that do not fit
        name = self.choose(AT)
        self.on(lambda a, b: getattr(modules(a), name).at(a, index(modules(a)), b), target, value)

    def einsum(self):
        a, b = self.pick(), self.pick()
        if "f" in a[0].dtype.kind + b[0].dtype.kind or "c" in a[0].dtype.kind + b[0].dtype.kind:
            return
        subscripts = self.choose(SUBSCRIPTS)
        if max(a[0].size, b[0].size) > 200:
            return
        if "," in subscripts:
            self.keep(self.both(lambda a, b: modules_of(a, b).einsum(subscripts, a, b), a, b))
        else:
            self.keep(self.both(lambda a: modules(a).einsum(subscripts, a), a))

    def made(self):
        name, pair = self.choose(sorted(MADE)), self.pick()
        a = pair[0]
        if not a.ndim or not 0 < a.size < 1000 or (name in UNORDERED and a.dtype.kind == "c"):
            return
        self.keep(self.both(lambda a: MADE[name](modules(a), a), pair))

    def written(self):
        target = self.target()
        if target is None or not target[0].ndim or not 0 < target[0].size < 1000:
            return
        a, name = target[0], self.choose(sorted(WRITTEN))
        inexact = name in ("running", "summed", "matrix", "power", "both")
        if a.dtype.kind in "fc" and inexact:
            return
        if a.dtype.kind == "c" and name in ("sorted", "clipped"):  # clip: signs of zeros
            return
        if name == "shape" and (
            not a.flags.c_contiguous or a.strides != target[1].strides or a.base is not None
        ):
            return
        value = self.value(a.dtype)
        if numpy.asarray(value[0]).size:
            self.on(lambda a, b: WRITTEN[name](modules(a), a, b), target, value)

    def looked(self):
        theirs, ours = self.pick()
        if theirs.size > 1000:
            return
        look = self.choose([lambda a: a.tolist(), bool, int, float, len, operator.index, list])
        result = self.both(look, (theirs, ours))
        if result is not None:
            assert_like(result[1], result[0])


def bitmap(np, bits, shape):
    size = int(numpy.prod(shape))
    return np.array([bool(bits >> i & 1) for i in range(size)], dtype=bool).reshape(shape)


def listed(np, where, form):
    if form is list:
        return where
    if form == "small":
        return np.array(where, dtype="i1")
    return np.array(where).reshape(-1, 1) if form == "column" else np.array(where)


MixedProgram.STEPS = [
    MixedProgram.create,
    *[MixedProgram.view] * 3,
    *[MixedProgram.indexed] * 3,
    *[MixedProgram.index_write] * 5,
    *[MixedProgram.called] * 5,
    *[MixedProgram.reduced] * 2,
    *[MixedProgram.at] * 2,
    MixedProgram.einsum,
    *[MixedProgram.made] * 4,
    *[MixedProgram.written] * 5,
    *[MixedProgram.binary, MixedProgram.chain, MixedProgram.in_place, MixedProgram.astype],
    *[MixedProgram.snapshot, MixedProgram.evaluate, MixedProgram.compare, MixedProgram.looked],
]
