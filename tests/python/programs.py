"""Random programs over several live arrays and views: pairs of NumPy's and ours, and steps."""

import copy
import math
import operator
import pickle

import numpy
from compare import outcome
from hypothesis import strategies as st
from support import assert_exact

import heddle
from heddle import _core

DTYPES = ["?", "i1", "u1", "i2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
# Operations that are exact, or rounded once: results agree bit for bit.
BINARY = ["add", "subtract", "multiply", "minimum", "maximum", "less", "equal", "logical_and"]
BITS = ["bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"]
UNARY = ["negative", "absolute", "square", "sign", "logical_not", "positive", "sqrt", "floor"]
IN_PLACE = [operator.iadd, operator.isub, operator.imul, operator.iand, operator.itruediv]
REDUCTIONS = ["max", "min", "any", "all", "argmax"]
COPIES = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda a: pickle.loads(pickle.dumps(a)),
    "flatten": lambda a: a.flatten(),
    "ravel": lambda a: a.ravel(),
    "array": lambda a: modules(a).array(a),
}
JOINED = {
    "concatenate": lambda np, a, b: np.concatenate((a, b), axis=None),
    "stack": lambda np, a, b: np.stack((a, b)),
    "where": lambda np, a, b: np.where(a != 0, a, b),
    "hstack": lambda np, a, b: np.hstack((a, b)),
}
REARRANGED = {
    "roll": lambda np, a: np.roll(a, 2),
    "repeat": lambda np, a: np.repeat(a, 2, axis=None),
    "tile": lambda np, a: np.tile(a, 2),
    "pad": lambda np, a: np.pad(a, 1, mode="wrap" if a.size else "constant"),
    "tril": lambda np, a: np.tril(a),
    "nonzero": lambda np, a: a[np.nonzero(a)],
    "sort": lambda np, a: np.sort(a, axis=None),
    "argsort": lambda np, a: np.argsort(a, axis=-1, kind="stable"),
    "unique": lambda np, a: np.unique(a, return_counts=True)[1],
    "search": lambda np, a: np.searchsorted(np.sort(a, axis=None), a),
    "running": lambda np, a: np.maximum.accumulate(a, axis=-1),
    "slices": lambda np, a: np.maximum.reduceat(a, [0, a.shape[-1] - 1, 0], axis=-1),
    "outer": lambda np, a: np.minimum.outer(a[..., :2], a[..., :2]),
    "flow": lambda np, a: a[::-1] if (a > 0).any() else a + 1,
    "loop": lambda np, a: sum(iter(a), start=np.zeros_like(a[0])),
}
# Errors that are found before anything is written.
MISTAKES = {
    "shape": lambda np, a: operator.iadd(a, np.ones((*a.shape, 7))),
    "index": lambda np, a: operator.setitem(a, a.shape[0], 1),
    "indices": lambda np, a: operator.setitem(a, [0, -1 - a.shape[0]], 1),
    "cast": lambda np, a: np.add(a, 1, out=a, dtype="c16", casting="no"),
    "axis": lambda np, a: np.sort(a, axis=a.ndim),
    "value": lambda np, a: operator.setitem(a, (a == a), np.ones((2, 2))),
    "at": lambda np, a: np.maximum.at(a, [0], np.ones((1, 1, *a.shape))),
}


def too_large(shapes):
    """Whether a column and a row of many elements would make a table of them."""
    try:
        return math.prod(numpy.broadcast_shapes(*shapes)) > 10_000_000
    except ValueError:  # they do not fit each other
        return False


class Program:
    """Pairs of a NumPy array and a heddle array that must always be equal."""

    def __init__(self, draw):
        self.draw = draw
        self.lazy = draw(st.booleans())  # whether results wait until a step looks at them
        self.pairs = []
        self.snapshots = []
        for _ in range(draw(st.integers(1, 3))):
            self.create()

    def choose(self, options):
        # By its place: whoever repeats what was drawn gets the option of the new run.
        return options[self.draw(st.integers(0, len(options) - 1))]

    def pick(self):
        return self.choose(self.pairs)

    def add(self, theirs, ours):
        if len(self.pairs) > 7:
            self.pairs.pop(self.draw(st.integers(0, len(self.pairs) - 1)))
        self.pairs.append((theirs, ours))

    def both(self, function, *pairs):
        """Runs a function of arrays twice; errors must be of the same type."""
        if too_large([p[0].shape for p in pairs]):
            return None
        theirs, expected = outcome(lambda _: function(*(p[0] for p in pairs)), None)
        ours, error = outcome(lambda _: function(*(p[1] for p in pairs)), None, not self.lazy)
        if expected is not None:
            assert error is not None, f"no error, where NumPy raises {expected!r}"
            # Where several things are wrong any of them may be named.
            kinds = (TypeError, ValueError, IndexError, OverflowError, ZeroDivisionError)
            assert isinstance(error, kinds) and isinstance(expected, kinds), (
                f"{error!r} where NumPy raises {expected!r}"
            )
            return None
        if error is not None:
            raise error
        return theirs, ours

    def keep(self, result):
        if result is not None and isinstance(result[0], numpy.ndarray | numpy.generic):
            scalar = isinstance(result[0], numpy.generic)
            is_scalar = isinstance(result[1], numpy.generic) or result[1]._is_scalar
            assert is_scalar == scalar, "a scalar" if scalar else "no scalar"
        if result is not None and isinstance(result[0], (numpy.ndarray, numpy.generic)):
            self.add(*result)

    # --- steps ---

    def create(self):
        shape = tuple(self.draw(st.lists(st.integers(1, 5), max_size=3)))
        if self.draw(st.integers(0, 15)) == 9:
            shape = self.choose([(0,), (3, 0), (70_000,), (300, 257)])
        dtype = numpy.dtype(self.choose(DTYPES))
        count = int(numpy.prod(shape))
        first = self.draw(st.integers(-3, 5))
        values = (numpy.arange(first, first + count) * 7 % 11 - 3).reshape(shape)
        values = numpy.asarray(numpy.abs(values) if dtype.kind == "u" else values)
        values = values.astype(dtype, order=self.choose("CF"))
        self.add(values.copy("K"), heddle.asarray(values))

    def unary(self):
        name = self.choose(UNARY)
        pair = self.pick()
        if name == "sqrt" and pair[0].dtype.kind == "c":
            name = "negative"
        self.keep(self.both(lambda a: getattr(modules(a), name)(a), pair))

    def binary(self):
        name = self.choose(BINARY + BITS)
        if self.draw(st.booleans()):
            self.keep(
                self.both(lambda a, b: function_of(a, b, name)(a, b), self.pick(), self.pick())
            )
        else:
            scalar = self.choose([2, -1, 0, 1.5, True, 3])
            self.keep(self.both(lambda a: getattr(modules(a), name)(a, scalar), self.pick()))

    def chain(self):
        pair, other = self.pick(), self.pick()
        self.keep(self.both(lambda a, b: (a + b) * 2 - a, pair, other))

    def view(self):
        pair = self.pick()
        rank = pair[0].ndim
        kinds = ["slice", "slice", "transpose", "reshape", "newaxis", "real", "last", "flip"]
        kind = self.choose([*kinds, "diagonal", "broadcast", "bytes", "windows"])
        if kind == "slice":
            index = tuple(self.slice(extent) for extent in pair[0].shape)
            self.keep(self.both(lambda a: a[(*index, ...)], pair))
        elif kind == "transpose":
            axes = tuple(self.draw(st.permutations(range(rank))))
            self.keep(self.both(lambda a: a.transpose(axes), pair))
        elif kind == "reshape":
            shape = self.choose([(-1,), (1, -1), (-1, 1), (2, -1)])
            self.keep(self.both(lambda a: a.reshape(shape), pair))
        elif kind == "newaxis":
            self.keep(self.both(lambda a: a[None], pair))
        elif kind == "real":
            self.keep(self.both(lambda a: a.real, pair))
        elif kind == "flip":
            self.keep(self.both(lambda a: modules(a).flip(a), pair))
        elif kind == "diagonal":
            self.keep(self.both(lambda a: modules(a).diagonal(a, 0, -1, 0), pair))
        elif kind == "broadcast" and pair[0].size < 1000:
            self.keep(self.both(lambda a: modules(a).broadcast_to(a, (2, *a.shape)), pair))
        elif kind == "bytes" and pair[0].dtype.kind in "iu":
            # As bytes: the strides of results of mixed order need not be NumPy's.
            if pair[0].strides == pair[1].strides:
                self.keep(self.both(lambda a: a.view("u1"), pair))
        elif kind == "windows" and rank and 0 < pair[0].size < 1000:
            width = min(2, pair[0].shape[-1])
            self.keep(self.both(lambda a: windows(a, width), pair))
        elif rank:
            self.keep(self.both(lambda a: a[-1, ...], pair))

    def slice(self, extent):
        bound = st.none() | st.integers(-extent, extent)
        return slice(self.draw(bound), self.draw(bound), self.choose([None, 1, 2, -1, -2]))

    def in_place(self):
        target = self.pick()
        function = self.choose(IN_PLACE)
        if not target[0].flags.writeable or not isinstance(target[0], numpy.ndarray):
            return
        if self.draw(st.booleans()):
            self.both(function, target, self.pick())
        else:
            scalar = self.choose([2, -1, 3, 0.5])
            self.both(lambda a: function(a, scalar), target)

    def overlap(self):
        target = self.pick()
        if not target[0].ndim or not target[0].flags.writeable:
            return
        function = self.choose(IN_PLACE[:3])
        to, source = self.choose(
            [
                (slice(1, None), slice(None, -1)),
                (slice(None, -1), slice(1, None)),
                (slice(None), slice(None, None, -1)),
                (slice(None, None, 2), slice(None, None, 2)),
            ]
        )
        # As a function of the view and as a statement, which may take its right side over.
        if self.draw(st.booleans()):
            self.both(lambda a: function(a[to], a[source]), target)
        else:
            self.both(lambda a: operator.setitem(a, to, function(a[source].copy(), 1)), target)

    def itself(self):
        target = self.pick()
        if not target[0].flags.writeable or not isinstance(target[0], numpy.ndarray):
            return
        index = (*(self.slice(extent) for extent in target[0].shape), ...)
        other = self.choose([lambda a: a, lambda a: a.copy(), lambda a: a + a - a])
        name = self.choose(list(COPIES))
        alike = target[0].flags.c_contiguous == target[1].flags.c_contiguous
        if name == "ravel" and not alike:  # as of gathers from columns, which are rows here
            return
        self.keep(self.both(COPIES[name], target))
        if target[0].dtype.kind in "iu":
            self.both(lambda a: operator.setitem(a, index, other(a)[index]), target)
        else:
            self.both(lambda a: operator.setitem(a, index, a[index]), target)

    def masked(self):
        target, source = self.pick(), self.pick()
        if not target[0].flags.writeable or target[0].dtype.kind not in "iub":
            return
        name = self.choose(["maximum", "minimum", "bitwise_and"])
        self.both(lambda a, b: getattr(modules(a), name)(a, b, out=a, where=a != b), target, source)

    def at(self):
        target = self.pick()
        if not target[0].ndim or not target[0].shape[0] or not target[0].flags.writeable:
            return
        extent = target[0].shape[0]
        index = self.draw(st.lists(st.integers(-extent, extent - 1), min_size=1, max_size=4))
        name = self.choose(["maximum", "minimum", "logical_or"])
        value = self.choose([True, target[0].dtype.type(2)])
        self.both(lambda a: getattr(modules(a), name).at(a, index, value), target)

    def join(self):
        pair, other = self.pick(), self.pick()
        if pair[0].size + other[0].size < 200_000:
            function = JOINED[self.choose(list(JOINED))]
            self.keep(self.both(lambda a, b: function(modules_of(a, b), a, b), pair, other))

    def rearrange(self):
        name, pair = self.choose(list(REARRANGED)), self.pick()
        # tril of a vector is a square matrix.
        wide = name in ("outer", "loop", "tile", "pad", "tril")
        if pair[0].ndim == 0 or (pair[0].size > 1000 and wide):
            return
        if pair[0].dtype.kind == "c" or (pair[0].dtype.kind == "f" and name == "loop"):
            return
        self.keep(self.both(lambda a: REARRANGED[name](modules(a), a), pair))

    def mistake(self):
        target = self.pick()
        if target[0].ndim and target[0].flags.writeable:
            name = self.choose(list(MISTAKES))
            self.both(lambda a: MISTAKES[name](modules(a), a), target)

    def assign(self):
        target, source = self.pick(), self.pick()
        if not isinstance(target[0], numpy.ndarray) or not target[0].flags.writeable:
            return
        kind = self.choose(["all", "slice", "mask", "index", "scalar"])
        shape = target[0].shape
        if kind == "all":
            self.both(lambda a, b: operator.setitem(a, ..., b), target, source)
        elif kind == "slice" and shape:
            index = tuple(self.slice(extent) for extent in shape)
            self.both(lambda a, b: operator.setitem(a, index, b), target, source)
        elif kind == "mask":
            value = self.choose([0, 1, 2.5])
            self.both(lambda a: operator.setitem(a, a != 0, value), target)
        elif kind == "index" and shape:
            index = (
                self.draw(st.lists(st.integers(-shape[0], shape[0] - 1), max_size=3))
                if shape[0]
                else []
            )
            self.both(lambda a, b: operator.setitem(a, index, b), target, source)
        elif kind == "scalar":
            self.both(lambda a: operator.setitem(a, ..., 1), target)

    def gather(self):
        pair = self.pick()
        if pair[0].ndim and pair[0].shape[0]:
            extent = pair[0].shape[0]
            index = self.draw(st.lists(st.integers(-extent, extent - 1), min_size=1, max_size=4))
            self.keep(self.both(lambda a: a[index], pair))

    def reduction(self):
        pair = self.pick()
        name = self.choose(REDUCTIONS)
        if pair[0].dtype.kind in "iu?b":
            name = self.choose([*REDUCTIONS, "sum", "prod", "cumsum"])
        axis = self.choose([None, *range(pair[0].ndim)])
        self.keep(self.both(lambda a: getattr(a, name)(axis), pair))

    def astype(self):
        pair = self.pick()
        # Numbers out of the range of an integer type have no defined conversion.
        if pair[0].dtype.kind in "fc":
            dtype = self.choose(["f2", "f4", "f8", "c8", "c16", "?"])
        else:
            dtype = self.choose(DTYPES)
        self.keep(self.both(lambda a: a.astype(dtype), pair))

    def copy(self):
        order = self.choose("CFKA")
        self.keep(self.both(lambda a: a.copy(order), self.pick()))

    def snapshot(self):
        theirs, ours = self.pick()
        if theirs.size and theirs.ndim:
            self.snapshots.append((theirs[(0,) * theirs.ndim], ours[(0,) * theirs.ndim]))

    def outside_write(self):
        theirs, ours = self.pick()
        shared = isinstance(theirs, numpy.ndarray) and ours._on_host
        if shared and theirs.ndim and theirs.flags.writeable:
            alias = ours._numpy()
            alias[...] = 1
            theirs[...] = 1

    def evaluate(self):
        heddle.eval(*(pair[1] for pair in self.pairs[: self.draw(st.integers(1, 3))]))

    def compare(self):
        theirs, ours = self.pick()
        assert_exact(ours, theirs)

    def step(self):
        self.choose(self.STEPS)(self)

    def finish(self):
        for theirs, ours in self.pairs + self.snapshots:
            assert_exact(ours, theirs)


def modules(a):
    return heddle if isinstance(a, _core.own_array) else numpy


def modules_of(a, b):
    return heddle if isinstance(a, _core.own_array) or isinstance(b, _core.own_array) else numpy


def function_of(a, b, name):
    return getattr(modules_of(a, b), name)


def windows(a, width):
    return modules(a).lib.stride_tricks.sliding_window_view(a, width, axis=-1)


Program.STEPS = [
    Program.create,
    Program.unary,
    Program.binary,
    Program.binary,
    Program.chain,
    Program.view,
    Program.view,
    Program.view,
    Program.in_place,
    Program.in_place,
    Program.in_place,
    Program.overlap,
    Program.itself,
    Program.masked,
    Program.at,
    Program.join,
    Program.rearrange,
    Program.rearrange,
    Program.mistake,
    Program.assign,
    Program.assign,
    Program.gather,
    Program.reduction,
    Program.astype,
    Program.copy,
    Program.snapshot,
    Program.outside_write,
    Program.evaluate,
    Program.compare,
]
