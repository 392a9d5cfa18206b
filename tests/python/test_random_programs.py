"""Random programs over several live arrays and views, run by NumPy and by heddle side by side."""

import operator

import numpy
import pytest
from compare import outcome
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import assert_exact

import heddle

DTYPES = ["?", "i1", "u1", "i2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
# Operations that are exact, or rounded once: results agree bit for bit.
BINARY = ["add", "subtract", "multiply", "minimum", "maximum", "less", "equal", "logical_and"]
BITS = ["bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"]
UNARY = ["negative", "absolute", "square", "sign", "logical_not", "positive", "sqrt", "floor"]
IN_PLACE = [operator.iadd, operator.isub, operator.imul, operator.iand, operator.itruediv]
REDUCTIONS = ["max", "min", "any", "all", "argmax"]


class Program:
    """Pairs of a NumPy array and a heddle array that must always be equal."""

    def __init__(self, draw):
        self.draw = draw
        self.pairs = []
        self.snapshots = []
        for _ in range(draw(st.integers(1, 3))):
            self.create()

    def choose(self, options):
        return self.draw(st.sampled_from(options))

    def pick(self):
        return self.choose(self.pairs)

    def add(self, theirs, ours):
        if len(self.pairs) > 7:
            self.pairs.pop(self.draw(st.integers(0, len(self.pairs) - 1)))
        self.pairs.append((theirs, ours))

    def both(self, function, *pairs):
        """Runs a function of arrays twice; errors must be of the same type."""
        theirs, expected = outcome(lambda _: function(*(p[0] for p in pairs)), None)
        ours, error = outcome(lambda _: function(*(p[1] for p in pairs)), None)
        if expected is not None:
            assert error is not None, f"no error, where NumPy raises {expected!r}"
            # Where several things are wrong any of them may be named.
            kinds = (TypeError, ValueError, IndexError, OverflowError)
            assert isinstance(error, kinds) and isinstance(expected, kinds), (
                f"{error!r} where NumPy raises {expected!r}"
            )
            return None
        if error is not None:
            raise error
        return theirs, ours

    def keep(self, result):
        if result is not None and isinstance(result[0], (numpy.ndarray, numpy.generic)):
            self.add(*result)

    # --- steps ---

    def create(self):
        shape = tuple(self.draw(st.lists(st.integers(1, 5), max_size=3)))
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
        kind = self.choose(["slice", "slice", "transpose", "reshape", "newaxis", "real", "last"])
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
        self.choose(STEPS)(self)

    def finish(self):
        for theirs, ours in self.pairs + self.snapshots:
            assert_exact(ours, theirs)


def modules(a):
    return heddle if isinstance(a, heddle.ndarray) else numpy


def function_of(a, b, name):
    ours = isinstance(a, heddle.ndarray) or isinstance(b, heddle.ndarray)
    return getattr(heddle if ours else numpy, name)


STEPS = [
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


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@settings(
    max_examples=400,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.data())
def test_random_program(data):
    program = Program(data.draw)
    for _ in range(data.draw(st.integers(1, 30))):
        program.step()
    program.finish()
