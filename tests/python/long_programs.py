"""Random programs as users write them: long formulas, writes through views, joins, library calls,
mistakes that are caught, looks at any moment. Results wait for the looks."""

import operator
import os
import random

import numpy
from compare import assert_like
from hypothesis import strategies as st
from programs import Program, modules, modules_of
from support import assert_exact

import heddle

# --- formulas: operations that are rounded once ---

FORMULAS = 9999 if os.environ.get("HEDDLE_TEST_RANDOM") else 2

FORMULA = {
    "add": lambda np, a, b: a + b,
    "subtract": lambda np, a, b: a - b,
    "multiply": lambda np, a, b: a * b,
    "halve": lambda np, a, b: a - b * a.dtype.type(2),
    "maximum": lambda np, a, b: np.maximum(a, b),
    "where": lambda np, a, b: np.where(a < b, b, a),
    "clip": lambda np, a, b: np.clip(a, -1000, 1000) + b,
    "negative": lambda np, a, b: -a,
    "square": lambda np, a, b: np.square(np.clip(b, -30, 30)),
    "absolute": lambda np, a, b: np.absolute(a) - b,
    "constant": lambda np, a, b: a + 3,
    "reversed": lambda np, a, b: a[::-1] + b,
    "column": lambda np, a, b: a + b[..., :1],
    "largest": lambda np, a, b: a - np.max(b),
}


def formula(np, a, b, seed, length):
    """A value of `length` operations on terms of which some are used again and again."""
    rng = random.Random(seed)
    names = sorted(FORMULA)
    terms = [a, b]
    for _ in range(length):
        x = terms[-1] if rng.random() < 0.7 else rng.choice(terms)
        y = rng.choice(terms[-12:])
        terms.append(FORMULA[rng.choice(names)](np, x, y))
    return terms[-1]


# --- library calls: made of small whole numbers, with results that rounding makes exact ---


def small(np, a):
    """A vector of two to six whole numbers from 0 to 7."""
    v = np.floor(a.reshape(-1)[:6].astype("f8")) % 8
    return np.concatenate((v, np.ones(1) * 3)) if v.shape[0] < 2 else v


def dominant(np, a):
    v = small(np, a)
    return v[:, None] - v + 64 * np.eye(v.shape[0])


def positive(np, a):
    v = small(np, a)
    return np.outer(v, v) + 64 * np.eye(v.shape[0])


def whole(np, a):
    return np.rint(a) + 0.0  # no negative zeros


LIBRARY = {
    "matmul": lambda np, a: dominant(np, a) @ positive(np, a),
    "matvec": lambda np, a: dominant(np, a) @ small(np, a),
    "dot": lambda np, a: np.dot(small(np, a), small(np, a)),
    "einsum": lambda np, a: np.einsum("ij,kj->ki", dominant(np, a), positive(np, a)),
    "solve": lambda np, a: whole(
        np, np.linalg.solve(dominant(np, a), dominant(np, a) @ small(np, a))
    ),
    "inv": lambda np, a: whole(np, np.linalg.inv(dominant(np, a)) @ dominant(np, a)),
    "det": lambda np, a: whole(np, np.linalg.det(dominant(np, a)[:2, :2])),
    "cholesky": lambda np, a: whole(np, _square(np, np.linalg.cholesky(positive(np, a)))),
    "qr": lambda np, a: whole(np, operator.matmul(*np.linalg.qr(dominant(np, a)))),
    "svd": lambda np, a: whole(
        np, np.square(np.linalg.svd(dominant(np, a), compute_uv=False)).sum()
    ),
    "eigvalsh": lambda np, a: whole(np, np.linalg.eigvalsh(positive(np, a)).sum()),
    "fft": lambda np, a: whole(np, np.fft.ifft(np.fft.fft(small(np, a)) * 3).real),
    "rfft": lambda np, a: whole(np, np.fft.irfft(np.fft.rfft(small(np, a)), small(np, a).shape[0])),
    "convolve": lambda np, a: np.convolve(small(np, a), small(np, a)),
    "sort": lambda np, a: np.sort(a, axis=-1),
    "argsort": lambda np, a: np.argsort(a, axis=0, kind="stable"),
    "partition": lambda np, a: np.sort(np.partition(a, 0, axis=-1), axis=-1),
    "unique": lambda np, a: np.unique(a),
    "unique inverse": lambda np, a: np.unique(a, return_inverse=True)[1],
    "searchsorted": lambda np, a: np.searchsorted(np.sort(a.reshape(-1)), a.reshape(-1)[::-1]),
    "cumsum": lambda np, a: np.cumsum(np.rint(a).astype("i8"), axis=-1),
    "bincount": lambda np, a: np.bincount(small(np, a).astype("i8")),
    "nonzero": lambda np, a: np.nonzero(a)[-1],
    "select": lambda np, a: a[a > a.reshape(-1)[0]],
    "median": lambda np, a: np.median(small(np, a)),
}


def _square(np, a):
    return a @ a.T


JOINS = {
    "concatenate": lambda np, a, b: np.concatenate((a, b, a)),
    "concatenate parts": lambda np, a, b: np.concatenate((a[1:], b[:1], a[:1] + 1)),
    "stack": lambda np, a, b: np.stack((a, b), axis=-1),
    "vstack": lambda np, a, b: np.vstack((a, b)),
    "last axis": lambda np, a, b: np.concatenate((a, b * 2), axis=-1),
    "roll": lambda np, a, b: np.roll(a, (1, -2)[a.ndim > 1], axis=-1) + a,
    "roll all": lambda np, a, b: np.roll(a, 3),
    "pad": lambda np, a, b: np.pad(a, 1),
    "pad edge": lambda np, a, b: np.pad(a, 2, mode="edge"),
    "pad reflect": lambda np, a, b: np.pad(a, 1, mode="symmetric"),
    "flip": lambda np, a, b: np.flip(a, axis=0) - a,
    "flip all": lambda np, a, b: np.flip(b),
    "tile": lambda np, a, b: np.tile(a, (2, 1)),
    "repeat": lambda np, a, b: np.repeat(a, 2, axis=0),
    "block": lambda np, a, b: np.block([[a, b], [b, a]]),
    "split": lambda np, a, b: np.array_split(a, 2)[1],
    "append": lambda np, a, b: np.append(a, b),
    "insert": lambda np, a, b: np.insert(a, 1, 5, axis=0),
    "delete": lambda np, a, b: np.delete(a, 0, axis=0),
    "outer": lambda np, a, b: np.add.outer(a.reshape(-1)[:4], b.reshape(-1)[:5]),
    "gradient": lambda np, a, b: np.diff(a, axis=-1),
    "levels": lambda np, a, b: _levels(np, a),
    "levels both ways": lambda np, a, b: _solve_levels(np, a),
    "pieces": lambda np, a, b: _pieces(np, a, b),
    "carried": lambda np, a, b: _carried(np, a),
    "summed pieces": lambda np, a, b: _summed_pieces(np, a, b),
    "stages": lambda np, a, b: _stages(np, a, b),
}


def _smaller(np, a, b):
    return np.where(a < b, a, b)  # of zeros of both signs always the same one


def _levels(np, a):
    """Level by level, each from the one before."""
    z = np.zeros_like(a)
    z[..., 0] = a[..., 0]
    for k in range(1, min(a.shape[-1], 9)):
        z[..., k] = _smaller(np, a[..., k], z[..., k - 1] + 1)
    return z


def _solve_levels(np, a):
    below, middle, z = a * 2, a + 1, np.empty_like(a)
    last = min(a.shape[-1], 7) - 1
    for k in range(1, last + 1):
        middle[..., k] -= below[..., k] - below[..., k - 1]
        below[..., k] = _smaller(np, below[..., k - 1], middle[..., k - 1])
    z[...] = middle
    z[..., last] = below[..., last]
    for k in range(last - 1, -1, -1):
        z[..., k] = below[..., k] - z[..., k + 1]
    return z if last % 2 else (z, middle)[0] + middle


def _carried(np, a):
    """Most of a fresh array is written, then most of it again from what is there."""
    z = np.zeros_like(a)
    z[:-1] = a[1:] - a[:-1]
    z[1:] -= z[1:] * 2 + a[:-1]
    w = z + a
    w[-1:] = 0
    w[:-1] = w[1:] + z[:-1]
    return w


def _relaxed(np, p, u, passes):
    """A term that is carried from one statement to the next, and stays."""
    term, u = np.zeros_like(p), u.copy()
    for _ in range(passes):
        term[1:-1] = u[2:] - u[:-2]
        old = p.copy()
        p[1:-1] = _smaller(np, old[2:], old[:-2]) - term[1:-1]
        u[1:-1] = _smaller(np, u[1:-1], p[1:-1])
    return term, u


def _pieces(np, a, b):
    """Parts that are written apart, over one another, or leave gaps."""
    z = np.zeros((5, *a.shape), a.dtype)
    z[0] = a
    z[2] = a + z[0]
    z[1] = z[2] - a
    z[4:] = z[:1] + 2
    z[2] += z[1]
    if b.shape == a.shape:
        z[3] = _smaller(np, b, 100)
    return z


def _summed_pieces(np, a, b):
    """Few large parts, rolled, that are written one by one, added up, and read each for itself."""
    z = np.zeros((5, *a.shape), a.dtype)
    for i in range(5):
        z[i] = np.roll(_smaller(np, a, 50), i - 2, 0)
    total = np.sum(z, 0).astype(a.dtype)
    w = np.zeros_like(z)
    for i in range(5):
        w[i] = np.where(total > 3, z[4 - i], z[i] - total)
    return w if b.shape == a.shape else w[2] + total


def _stages(np, a, b):
    """Stencils of stencils, of what costs more than to store it; some of it is a result, too."""
    kept = []
    for _ in range(2):
        if len(a) < 5:
            break
        w = _smaller(np, a, 100)
        for k in range(8):
            w = np.maximum(_smaller(np, w + k, 60) - w, w - 90)
        a = w[2:] - w[:-2] + w[1:-1]
        if a.ndim > 1 and a.shape[-1] > 2:
            a = a[..., 1:] - a[..., :-1]
        kept.append(w)
    return a if b.shape == a.shape or not kept else kept[-1]


VIEWS = {
    "itself": lambda a: a,
    "rows": lambda a: a[1:],
    "backwards": lambda a: a[::-1],
    "every other": lambda a: a[..., ::2],
    "transposed": lambda a: a.T,
    "columns backwards": lambda a: a.T[::-1],
    "view of a view": lambda a: a[1:][..., ::-1][:2],
    "flat": lambda a: a.reshape(-1),
    "column": lambda a: a[..., -1],
    "new axis": lambda a: a[:, None],
    "bits": lambda a: a.view(f"i{a.dtype.itemsize}"),
}
# Writes to a view v of an array a; b is any other.
VIEW_WRITES = {
    "number": lambda np, v, a, b: operator.setitem(v, ..., 2),
    "slice": lambda np, v, a, b: operator.setitem(v, slice(1, None), 3),
    "value": lambda np, v, a, b: operator.setitem(v, ..., b),
    "broadcast": lambda np, v, a, b: operator.setitem(v, ..., b.reshape(-1)[:1]),
    "shifted": lambda np, v, a, b: operator.setitem(v, slice(1, None), v[:-1]),
    "shifted sum": lambda np, v, a, b: operator.iadd(v[1:], v[:-1]),
    "stencil": lambda np, v, a, b: operator.setitem(v, slice(1, -1), v[:-2] + v[2:]),
    "interleaved": lambda np, v, a, b: operator.setitem(v, slice(0, -1, 2), v[1::2]),
    "turned": lambda np, v, a, b: operator.setitem(v, ..., v[::-1]),
    "of itself": lambda np, v, a, b: operator.setitem(v, slice(0, 2), a.reshape(-1)[0]),
    "mask": lambda np, v, a, b: operator.setitem(v, v > 1, 1),
    "mask of values": lambda np, v, a, b: operator.setitem(v, v != 0, v[v != 0][::-1]),
    "indices": lambda np, v, a, b: operator.setitem(v, [0, -1, 0], b.reshape(-1)[:1]),
    "gathered": lambda np, v, a, b: operator.setitem(v, [0, -1], v[[-1, 0]]),
    "in place indices": lambda np, v, a, b: operator.setitem(v, [0, 0], v[[0, 0]] + 1),
    "add.at": lambda np, v, a, b: np.add.at(v, [0, -1, 0], v.dtype.type(1)),
    "maximum.at": lambda np, v, a, b: np.maximum.at(v, [0, 0], v[:2]),
    "out": lambda np, v, a, b: np.add(v, v, out=v),
    "where": lambda np, v, a, b: np.multiply(v, v, out=v, where=v < 3),
    "copyto": lambda np, v, a, b: np.copyto(v, v[::-1], where=v == v),
    "fill": lambda np, v, a, b: v.fill(4),
    "sort": lambda np, v, a, b: v.sort(axis=0),
    "joined": lambda np, v, a, b: operator.setitem(v, ..., np.concatenate((v[1:], v[:1]))),
    "swap": lambda np, v, a, b: _swap(v),
    "rows one by one": lambda np, v, a, b: _accumulate_rows(v),
    "rows from the end": lambda np, v, a, b: _rows_from_the_end(v),
    "halves": lambda np, v, a, b: _halves(v),
}
GIVEN = {"value", "broadcast", "of itself", "indices"}  # elements of other arrays


def _swap(v):
    v[0], v[-1] = v[-1].copy(), v[0].copy()


def _accumulate_rows(v):
    for i in range(1, min(len(v), 8)):
        v[i] = v[i - 1] - v[i]


def _rows_from_the_end(v):
    for i in range(min(len(v), 6) - 2, -1, -1):
        v[i] = v[i + 1] - v[i]
        v[-1] = v[i]


def _halves(v):
    half = len(v) // 2
    v[:half], v[half : 2 * half] = v[half : 2 * half] + 1, v[:half] - 1
    v[1 : half + 1] = v[half : 2 * half]


# Mistakes, found before anything is written.
MISTAKES = {
    "shape": lambda np, a: operator.iadd(a, np.ones((*a.shape, 7))),
    "slice": lambda np, a: operator.setitem(a, slice(0, 1), np.ones((2, 3, *a.shape))),
    "index": lambda np, a: operator.setitem(a, a.shape[0], 1),
    "indices": lambda np, a: operator.setitem(a, [0, -1 - a.shape[0]], 1),
    "read": lambda np, a: a[[0, a.shape[0]]],
    "mask": lambda np, a: operator.setitem(a, np.ones(a.shape[0] + 1, bool), 1),
    "singular": lambda np, a: np.linalg.inv(dominant(np, a) * 0),
    "solve": lambda np, a: np.linalg.solve(dominant(np, a) * 0, small(np, a)),
    "not positive": lambda np, a: np.linalg.cholesky(-positive(np, a)),
    "product": lambda np, a: np.ones((2, 3)) @ dominant(np, a)[:2],
    "join": lambda np, a: np.concatenate((a, np.ones((*a.shape, 2)))),
    "axis": lambda np, a: np.flip(a, axis=a.ndim),
    "reshape": lambda np, a: a.reshape(-1, a.size + 1),
    "read-only": lambda np, a: operator.setitem(np.broadcast_to(a, (2, *a.shape)), ..., 1),
    "in the middle": lambda np, a: operator.setitem(a, slice(0, 1), 1 / (0 * a.ndim)),
}
LOOKS = {
    "list": lambda a: a.tolist(),
    "first": lambda a: a.reshape(-1)[0].item() if a.size else None,
    "last": lambda a: a.reshape(-1)[-1].item() if a.size else None,
    "any": lambda a: bool((a != 0).any()),
    "largest": lambda a: a.max().item() if a.size else None,
    "items": lambda a: [item.tolist() for item in a[:2]] if a.ndim else None,
    "counted": lambda a: int(modules(a).count_nonzero(a)),
}


class LongProgram(Program):
    """Arrays of the types that such programs use; nothing is computed before a step looks."""

    def __init__(self, draw):
        super().__init__(draw)
        self.lazy = True

    def create(self):
        shape = tuple(self.draw(st.lists(st.integers(1, 6), min_size=1, max_size=2)))
        if self.draw(st.integers(0, 9)) == 7:
            shape = self.choose([(30_000,), (120, 130)])
        dtype = self.choose(["f8", "f8", "f4", "i8", "i4"])
        first = self.draw(st.integers(-3, 5))
        count = int(numpy.prod(shape))
        values = (numpy.arange(first, first + count) * 7 % 11 - 3).reshape(shape).astype(dtype)
        self.add(values.copy(), heddle.asarray(values))

    def usable(self):
        """Any array that is not of a kind or size that the step is not about."""
        theirs, ours = self.pick()
        good = isinstance(theirs, numpy.ndarray) and theirs.ndim and theirs.size
        return (theirs, ours) if good and theirs.dtype.kind in "iuf" else None

    def formula(self):
        a, b = self.usable(), self.usable()
        if a is None or b is None or max(a[0].size, b[0].size) > 40_000:
            return
        if a[0].shape != b[0].shape:
            b = a
        # Few of them: most of the time goes to compiling their kernels.
        length, seed = self.choose([2, 10, 40, 300]), self.draw(st.integers(0, FORMULAS))
        self.keep(self.both(lambda a, b: formula(modules(a), a, b, seed, length), a, b))

    def view_write(self):
        target, other = self.usable(), self.usable()
        if target is None or other is None or not target[0].flags.writeable:
            return
        seen, written = self.choose(sorted(VIEWS)), self.choose(sorted(VIEW_WRITES))
        whole = target[0].dtype.kind in "iu" or seen == "bits"
        if whole and written in GIVEN and (seen == "bits" or other[0].dtype.kind == "f"):
            return  # conversions to integers that may be out of range
        if seen == "bits" and not numpy.isfinite(target[0]).all():
            return  # there are many nans
        see, write = VIEWS[seen], VIEW_WRITES[written]
        # Where strides differ, as those of results of mixed order may, reshaping copies for one.
        if target[0].strides != target[1].strides:
            return

        def run(a, b):
            view = see(a)
            if not a.size or not view.ndim or not view.shape[0]:
                return
            write(modules(a), view, a, b)

        self.both(run, target, other)

    def join_parts(self):
        a, b = self.usable(), self.usable()
        if a is None or b is None or a[0].size + b[0].size > 60_000:
            return
        function = JOINS[self.choose(sorted(JOINS))]
        self.keep(self.both(lambda a, b: function(modules_of(a, b), a, b), a, b))

    def carried(self):
        target, other = self.usable(), self.usable()
        if target is None or other is None or not target[0].flags.writeable:
            return
        if target[0].shape != other[0].shape or target[0].dtype != other[0].dtype:
            other = target
        passes = self.choose([1, 2, 3])
        made = self.both(lambda p, u: _relaxed(modules(p), p, u, passes), target, other)
        if made is not None:
            for theirs, ours in zip(*made, strict=True):
                self.add(theirs, ours)

    def library(self):
        pair = self.usable()
        if pair is None or not (numpy.abs(pair[0].astype("f8")) < 1e6).all():
            return
        function = LIBRARY[self.choose(sorted(LIBRARY))]
        self.keep(self.both(lambda a: function(modules(a), a), pair))

    def caught(self):
        pair = self.usable()
        if pair is None or not pair[0].flags.writeable or not numpy.isfinite(pair[0]).all():
            return
        function = MISTAKES[self.choose(sorted(MISTAKES))]
        theirs = pair[0].copy()
        self.both(lambda a: function(modules(a), a), pair)
        numpy.testing.assert_array_equal(pair[0], theirs)  # a mistake that changes nothing
        if self.draw(st.booleans()):
            assert_exact(pair[1], pair[0])

    def look(self):
        theirs, ours = self.pick()
        if theirs.size > 5000:
            return
        function = LOOKS[self.choose(sorted(LOOKS))]
        result = self.both(function, (theirs, ours))
        if result is not None:
            assert_like(numpy.asarray(result[1]), numpy.asarray(result[0]))

    def drop(self):
        if len(self.pairs) > 1:
            self.pairs.pop(self.draw(st.integers(0, len(self.pairs) - 1)))


LongProgram.STEPS = [
    *[LongProgram.create, LongProgram.chain, LongProgram.view, LongProgram.copy],
    *[LongProgram.formula] * 2,
    *[LongProgram.view_write] * 7,
    *[LongProgram.in_place, LongProgram.overlap, LongProgram.assign, LongProgram.at],
    *[LongProgram.join_parts, LongProgram.carried] * 2,
    *[LongProgram.library] * 3,
    *[LongProgram.caught] * 2,
    *[LongProgram.reduction, LongProgram.gather, LongProgram.snapshot],
    *[LongProgram.outside_write, LongProgram.drop],
    *[LongProgram.evaluate, LongProgram.look, LongProgram.compare],
]
