"""Programs as words, in the order that the core reads (src/simt/program.cpp)."""

from array import array as words_of
from dataclasses import dataclass, field

from heddle.simt._types import Array

# Expressions.
CONSTANT, LOCAL, OP, GEOMETRY, LOAD, EXTENT, STRIDE, ATOMIC, WARP, BITS = range(10)
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
) = range(13)
KINDS = ("parameter", "shared", "dynamic", "local", "view")
GEOMETRIES = ("thread", "block", "block_size", "grid_size", "lane", "clock", "dynamic_bytes")
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


@dataclass
class Program:
    """What is written so far."""

    checked: bool
    contracts: bool
    locals: list[tuple[int, int]] = field(default_factory=list)  # type, whether a counter
    arrays: list[Array] = field(default_factory=list)
    written: set[int] = field(default_factory=set)  # roots
    parameters: list[tuple[int, int]] = field(default_factory=list)  # whether an array, which
    texts: list[str] = field(default_factory=list)

    def text(self, text: str) -> int:
        if text not in self.texts:
            self.texts.append(text)
        return self.texts.index(text)

    def words(self, body: Statements) -> bytes:
        made = [int(self.checked), int(self.contracts), len(self.locals)]
        for dtype, counter in self.locals:
            made += (dtype, counter)
        made.append(len(self.arrays))
        for a in self.arrays:
            kind = "view" if a.view else a.space
            made += (KINDS.index(kind), a.dtype, a.ndim)
            if a.view:
                made += (a.root, a.view.offset, *a.view.shape, *a.view.strides, int(a.unit))
            elif kind == "parameter":
                made += (int(a.unit), int(a.number in self.written))
            elif kind != "dynamic":
                made += a.extents
        made.append(len(self.parameters))
        for is_array, which in self.parameters:
            made += (is_array, which)
        made += block(body)
        return words_of("q", made).tobytes()
