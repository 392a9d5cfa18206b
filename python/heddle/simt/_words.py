"""Programs as words, in the order that the core reads (src/simt/program.cpp)."""

from array import array as words_of
from dataclasses import dataclass, field

from heddle.simt._choices import CONTRACTED as CONTRACTED
from heddle.simt._choices import EXACT as EXACT
from heddle.simt._choices import FAST as FAST
from heddle.simt._types import Array

# Expressions.
CONSTANT, LOCAL, OP, GEOMETRY, LOAD, EXTENT, STRIDE, ATOMIC, WARP, BITS, ADDRESS = range(11)
# Statements.
(
    ASSIGN,
    STORE,
    BRANCH,
    LOOP,
    BREAK,
    CONTINUE,
    SCOPE,
    LEAVE,
    BARRIER,
    EVALUATE,
    FENCE,
    PRINT,
    FAIL,
    RANGE,
    ALLOCATE,
    RETAIN,
    RELEASE,
    CALL,
    ATTEMPT,
) = range(19)
KINDS = ("parameter", "shared", "dynamic", "local", "view", "held", "field")
# What is looked for while it runs.
UNCHECKED, INDICES, RACES = range(3)
# Barriers.
PLAIN_BARRIER, COUNTING, ALL, ANY, GRID_BARRIER = range(5)
GEOMETRIES = (
    *("thread", "block", "block_size", "grid_size", "lane", "clock", "dynamic_bytes"),
    "numbers",
)
ATOMICS = (
    *("add", "sub", "max", "min", "nanmax", "nanmin", "and_", "or_", "xor", "inc", "dec"),
    *("exch", "cas"),
)
WARPS = (
    *("shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync", "all_sync", "any_sync"),
    *("eq_sync", "ballot_sync", "match_any_sync", "match_all_sync", "activemask"),
)
BIT_FUNCTIONS = ("popc", "clz", "ffs", "brev", "fma")

Statements = list[list[int]]


def block(statements: Statements) -> list[int]:
    """A list of statements, with their number before them."""
    made = [len(statements)]
    for statement in statements:
        made += statement
    return made


@dataclass(eq=False, repr=False)
class Function:
    """A function that calls itself."""

    parameters: list[int] = field(default_factory=list)  # locals
    results: list[int] = field(default_factory=list)
    too_deep: int = 0
    body: Statements = field(default_factory=list)


@dataclass(eq=False, repr=False)
class Program:
    """What is written so far."""

    checks: int
    rounding: int
    host: bool = False
    file: str | None = None  # whose lines statements say
    max_registers: int = 0
    optimized: bool = True
    locals: list[tuple[int, int]] = field(default_factory=list)  # type, whether a counter
    arrays: list[Array] = field(default_factory=list)
    written: set[int] = field(default_factory=set)  # roots
    parameters: list[tuple[int, int]] = field(default_factory=list)  # whether an array, which
    texts: list[str] = field(default_factory=list)
    results: list[int] = field(default_factory=list)  # of a host program: locals
    functions: list[Function] = field(default_factory=list)
    _places: dict[str, int] = field(default_factory=dict)

    def text(self, text: str) -> int:
        """The number of a text."""
        place = self._places.setdefault(text, len(self.texts))
        if place == len(self.texts):
            self.texts.append(text)
        return place

    def words(self, body: Statements) -> bytes:
        """All of it, with this body."""
        file = -1 if self.file is None else self.text(self.file)
        made = [int(self.host), self.checks, self.rounding, file, self.max_registers]
        made += (int(self.optimized), len(self.locals))
        for dtype, counter in self.locals:
            made += (dtype, counter)
        made.append(len(self.arrays))
        for a in self.arrays:
            kind = "field" if a.field else "view" if a.view else a.space
            made += (KINDS.index(kind), a.dtype, a.ndim)
            if a.held:
                made += (a.held.address, a.held.owner, *a.held.shape, *a.held.strides, int(a.unit))
            elif a.field:
                made += (a.of, *a.field[:2], *a.field[2])
            elif a.view:
                made += (a.of, a.view.offset, *a.view.shape, *a.view.strides, int(a.unit))
            elif kind == "parameter":
                made += (int(a.unit), int(a.number in self.written))
            elif kind != "dynamic":
                made += a.extents
            elif a.record_bytes:
                made.append(a.record_bytes)
        made.append(len(self.parameters))
        for is_array, which in self.parameters:
            made += (is_array, which)
        if self.host:
            made += (len(self.results), *self.results)
        made.append(len(self.functions))
        for f in self.functions:
            made += (len(f.parameters), *f.parameters, len(f.results), *f.results, f.too_deep)
        made += block(body)
        for f in self.functions:
            made += block(f.body)
        return words_of("q", made).tobytes()
