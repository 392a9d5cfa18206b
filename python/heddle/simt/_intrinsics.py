"""What threads of a kernel have: places, memory, barriers, atomics, warps, bits."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from heddle.simt import _words as w
from heddle.simt._fields import record_type
from heddle.simt._numbers import math_function
from heddle.simt._operations import describe
from heddle.simt._registry import Handler, handlers, handles
from heddle.simt._types import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT64,
    NAMES,
    SIZES,
    UINT32,
    Array,
    Constant,
    Num,
    Number,
    Tuple,
    is_complex,
    is_float,
    is_integer,
    to_dtype,
)

if TYPE_CHECKING:
    from heddle.simt._statements import Statements


def geometry(s: Statements, what: str, axis: int) -> Num:
    words = [w.GEOMETRY, 0, w.GEOMETRIES.index(what), axis]
    return Num(Number(INT64, not s.numba), words, simple=True)


# --- places ---


def _dimensions(s: Statements, args: list[object], node: ast.Call, name: str) -> int:
    if len(args) != 1:
        raise s.error(node, f"{name} takes 1, 2 or 3")
    count = s.known_integer(args[0], node, f"the argument of {name}")
    if count not in (1, 2, 3):
        raise s.error(node, f"{name} takes 1, 2 or 3")
    return count


@handles("grid")
def _grid(
    s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
) -> Num | Tuple:
    def along(axis: int) -> Num:
        blocks = s.apply(
            "multiply", [geometry(s, "block", axis), geometry(s, "block_size", axis)], node
        )
        return s.apply("add", [blocks, geometry(s, "thread", axis)], node)

    count = _dimensions(s, args, node, "grid")
    return along(0) if count == 1 else Tuple([along(axis) for axis in range(count)])


@handles("gridsize")
def _gridsize(
    s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
) -> Num | Tuple:
    def along(axis: int) -> Num:
        return s.apply(
            "multiply", [geometry(s, "grid_size", axis), geometry(s, "block_size", axis)], node
        )

    count = _dimensions(s, args, node, "gridsize")
    return along(0) if count == 1 else Tuple([along(axis) for axis in range(count)])


# --- memory ---


def _check_alignment(s: Statements, given: object, node: ast.AST) -> None:
    """Memory of blocks and threads begins at a multiple of 16 bytes."""
    if given is None or (isinstance(given, Constant) and given.value is None):
        return
    alignment = s.known_integer(given, node, "the alignment")
    if alignment not in (1, 2, 4, 8, 16):
        raise s.error(node, "alignments are powers of two up to 16")


_MOST_OWN = 16384  # bytes on the stack of a function


def _memory(space: str) -> Handler:
    def handler(
        s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> Any:
        given = dict(zip(("shape", "dtype", "alignment"), args, strict=False)) | keywords
        _check_alignment(s, given.pop("alignment", None), node)
        unknown = set(given) - {"shape", "dtype"}
        if unknown or len(given) != 2:
            raise s.error(node, f"{space}.array takes a shape and a dtype")
        shape = given["shape"]
        items = shape.items if isinstance(shape, Tuple) else [shape]
        extents = tuple(s.known_integer(i, node, f"the shape of {space}.array") for i in items)
        if any(n < 0 for n in extents) or math.prod(extents) > 2**30:
            raise s.error(node, f"the shape {extents} is not possible")
        inner = given["dtype"]
        records = record_type(inner.value) if isinstance(inner, Constant) else None
        if records is not None:
            return s.record_memory(space, extents, records)
        dtype = to_dtype(inner.value) if isinstance(inner, Constant) else None
        if dtype is None:
            raise s.error(node, f"{describe(inner)} is no type of elements")
        if s.host and math.prod(extents) * SIZES[dtype] > _MOST_OWN:
            raise s.error(node, f"memory of a function has at most {_MOST_OWN} bytes; use np.empty")
        kind = space
        if space == "shared" and extents == (0,):
            kind, extents = "dynamic", ()
        number = len(s.program.arrays)
        made = Array(number, dtype, max(1, len(extents)), number, kind, space, extents=extents)
        s.program.arrays.append(made)
        return made

    return handler


handlers["shared.array"] = _memory("shared")


@handles("shared_memory")
def _shared_memory(
    s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
) -> Any:
    """As cupyx.jit has it: the type first, and a size; None stands for what the launch gives."""
    given = dict(zip(("dtype", "size", "alignment"), args, strict=False)) | keywords
    _check_alignment(s, given.pop("alignment", None), node)
    if set(given) != {"dtype", "size"}:
        raise s.error(node, "shared_memory takes a dtype and a size")
    size = given["size"]
    if isinstance(size, Constant) and size.value is None:
        size = s.constant(0)
    return _memory("shared")(s, [size, given["dtype"]], {}, node)


handlers["local.array"] = _memory("local")


def _atomic(how: str) -> Handler:
    def handler(
        s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> Num:
        values = 2 if how == "cas" else 1
        if len(args) != 2 + values or keywords:
            raise s.error(
                node,
                f"atomic.{how} takes an array, an index and {values} value" + "s" * (values > 1),
            )
        array, index = args[0], args[1]
        if not isinstance(array, Array):
            raise s.error(
                node, f"atomic.{how} works on an element of an array, not on {describe(array)}"
            )
        items = index.items if isinstance(index, Tuple) else [index]
        indices = s.indices(array, items, node)
        if indices is None:
            raise s.error(
                node, f"atomic.{how} works on one element: {array.ndim} indices are needed"
            )
        allowed = is_integer(array.dtype) or (
            is_float(array.dtype) and how not in ("and_", "or_", "xor", "inc", "dec")
        )
        if is_complex(array.dtype) and how in ("add", "sub"):
            allowed = True
        if how in ("inc", "dec") and NAMES[array.dtype] not in (
            "uint32",
            "uint64",
            "int32",
            "int64",
        ):
            allowed = False
        if not allowed:
            raise s.error(node, f"there is no atomic.{how} for {NAMES[array.dtype]}")
        origin = array if array.field else s.program.arrays[array.of] if array.in_bytes else None
        if origin is not None and origin.field is not None:
            whole = SIZES[array.dtype] // (2 if is_complex(array.dtype) else 1)
            if origin.field[1] < whole:
                raise s.error(
                    node, "the field is not aligned; make the type of the records with align=True"
                )
        s.wrote(array)
        words = [w.ATOMIC, s.site(node), w.ATOMICS.index(how), array.number]
        for value in args[2:]:
            words += s.cast(s.number(value, node, "as a value"), Number(array.dtype), node).words
        for one in indices:
            words += one.words
        return _done(s, Num(Number(array.dtype), words), node)

    return handler


for _name in w.ATOMICS:
    handlers[f"atomic.{_name}"] = _atomic(_name)


@handles("atomic.compare_and_swap")
def _first_swap(
    s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
) -> Num:
    if len(args) != 3:
        raise s.error(node, "atomic.compare_and_swap takes an array, the old value and the new one")
    made: Num = _atomic("cas")(s, [args[0], s.constant(0), *args[1:]], keywords, node)
    return made


def _done(s: Statements, value: Num, node: ast.AST) -> Num:
    """Now, and once."""
    var = s.local(value.type)
    s.set(var, value, node)
    return s.read(var)


# --- barriers ---


@handles("syncthreads")
def _syncthreads(
    s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
) -> Constant:
    if args or keywords:
        raise s.error(node, "syncthreads takes no arguments")
    s.statements.append([w.BARRIER, s.line(node), w.PLAIN_BARRIER])
    return Constant(None)


def _counting_barrier(kind: int) -> Handler:
    def handler(
        s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> Num:
        if len(args) != 1:
            raise s.error(node, "a condition is needed")
        condition = s.truth(args[0], node)
        var = s.local(Number(INT64, not s.numba))
        s.statements.append([w.BARRIER, s.line(node), kind, var.number, *condition.words])
        return s.read(var)

    return handler


for _i, _name in enumerate(("syncthreads_count", "syncthreads_and", "syncthreads_or"), 1):
    handlers[_name] = _counting_barrier(_i)


@handles("syncwarp")
def _syncwarp(
    s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
) -> Constant:
    if len(args) + len(keywords) > 1 or set(keywords) - {"mask"}:
        raise s.error(node, "syncwarp takes a mask of the threads that wait, or nothing")
    given = args[0] if args else keywords.get("mask", s.constant(0xFFFFFFFF))
    mask = s.integer(given, node, "as a mask")
    s.statements.append([w.FENCE, s.line(node), 0, *mask.words])
    return Constant(None)


def _fence(level: int) -> Handler:
    def handler(
        s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> Constant:
        if args or keywords:
            raise s.error(node, "fences take no arguments")
        s.statements.append([w.FENCE, s.line(node), level])
        return Constant(None)

    return handler


handlers["threadfence_block"] = _fence(1)
handlers["threadfence"] = _fence(2)
handlers["threadfence_system"] = _fence(2)


@handles("nanosleep")
def _nanosleep(
    s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
) -> Any:
    return Constant(None)


# --- warps ---


def _shuffle(how: str) -> Handler:
    def handler(
        s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> Num:
        if not 3 <= len(args) <= 4 or set(keywords) - {"width"}:
            raise s.error(node, f"{how} takes a mask, a value, and which thread")
        width = args[3] if len(args) > 3 else keywords.get("width", s.constant(32))
        size = s.integer(width, node, "as the width of a group of threads")
        which = s.integer(args[2], node, "as a thread")
        if size.constant is None:
            which = _lane_in_group(s, how, which, size, node)
        elif size.constant not in (1, 2, 4, 8, 16, 32):
            raise s.error(node, "groups of threads have 1, 2, 4, 8, 16 or 32")
        known = size.constant is not None
        value = s.number(args[1], node, "to be shuffled")
        words = [w.WARP, s.line(node), w.WARPS.index(how if known else "shfl_sync")]
        words += [value.type.dtype, *s.integer(args[0], node, "as a mask").words, *value.words]
        words += [*which.words, *s.constant(size.constant if known else 32).words]
        return _done(s, Num(value.type, words), node)

    return handler


def _lane_in_group(s: Statements, how: str, which: Num, width: Num, node: ast.AST) -> Num:
    """The lane that a shuffle reads where the width of groups is a variable."""

    def op(name: str, a: Num, b: Num) -> Num:
        return s.apply(name, [a, b], node)

    lane = geometry(s, "lane", 0)
    which = s.temporary(which, node)
    last = s.temporary(op("subtract", width, s.constant(1)), node)  # of the lanes within a group
    within = op("bitwise_and", lane, last)
    first = op("subtract", lane, within)
    if how == "shfl_sync":
        return s.temporary(op("add", first, op("bitwise_and", which, last)), node)
    if how == "shfl_up_sync":
        read, there = op("subtract", lane, which), op("less_equal", which, within)
    elif how == "shfl_down_sync":
        read = op("add", lane, which)
        there = op("less_equal", op("add", within, which), last)
    else:
        read = s.temporary(op("bitwise_xor", lane, which), node)
        there = op("less_equal", read, op("add", first, last))
    return s.temporary(s.select(there, read, lane, node), node)


for _name in w.WARPS[:4]:
    handlers[_name] = _shuffle(_name)


def _vote(how: str) -> Handler:
    def handler(
        s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> Tuple | Num:
        if len(args) != 2:
            raise s.error(node, f"{how} takes a mask and a value")
        matches = how.startswith("match")
        bits = how in ("ballot_sync", "match_any_sync", "match_all_sync")
        value = s.number(args[1], node) if matches else s.truth(args[1], node)
        if matches and is_complex(value.type.dtype):
            raise s.error(node, f"{how} takes an integer or a real number")
        type_ = Number(UINT32) if bits else Number(BOOL)
        words = [w.WARP, s.line(node), w.WARPS.index(how), type_.dtype]
        words += s.integer(args[0], node, "as a mask").words + value.words
        made = _done(s, Num(type_, words), node)
        if how == "match_all_sync":
            return Tuple([made, s.apply("not_equal", [made, s.constant(0)], node)])
        return made

    return handler


for _name in w.WARPS[4:10]:
    handlers[_name] = _vote(_name)


@handles("activemask")
def _activemask(
    s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
) -> Num:
    words = [w.WARP, s.line(node), w.WARPS.index("activemask"), UINT32]
    return _done(s, Num(Number(UINT32), words), node)


@handles("lanemask_lt")
def _lanemask_lt(
    s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
) -> Num:
    one = s.constant(1, Number(INT64))
    shifted = s.apply("left_shift", [one, geometry(s, "lane", 0)], node)
    return s.cast(s.apply("subtract", [shifted, one], node), Number(UINT32), node)


# --- bits, and the like ---


def _bits(how: str) -> Handler:
    def handler(
        s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
    ) -> Num:
        value = s.number(args[0], node) if len(args) == 1 else None
        if value is None or not is_integer(value.type.dtype):
            raise s.error(node, f"{how} takes an integer")
        type_ = value.type if how == "brev" else Number(INT64, not s.numba)
        words = [w.BITS, s.line(node), w.BIT_FUNCTIONS.index(how), type_.dtype, *value.words]
        return Num(type_, words, reads=value.reads)

    return handler


for _name in w.BIT_FUNCTIONS[:4]:
    handlers[_name] = _bits(_name)


@handles("fma")
def _fma(s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call) -> Num:
    if len(args) != 3:
        raise s.error(node, "fma takes three numbers")
    numbers = [s.number(a, node) for a in args]
    type_ = numbers[0].type
    for other in numbers[1:]:
        type_ = s.promoted(type_, other.type)
    if type_.dtype not in (FLOAT32, FLOAT64):
        type_ = Number(FLOAT64, type_.weak)
    words = [w.BITS, s.line(node), w.BIT_FUNCTIONS.index("fma"), type_.dtype]
    for number in numbers:
        words += s.cast(number, type_, node).words
    return Num(type_, words, reads=any(n.reads for n in numbers))


@handles("cbrt")
def _cbrt(s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call) -> Num:
    made: Num = math_function("cbrt")(s, args, keywords, node)
    return made


@handles("rsqrt")
def _rsqrt(s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call) -> Num:
    root = math_function("sqrt")(s, args, keywords, node)
    return s.apply("divide", [s.constant(1.0), root], node)


@handles("selp")
def _selp(s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call) -> Num:
    if len(args) != 3:
        raise s.error(node, "selp takes a condition and two values")
    condition = s.truth(args[0], node)
    a, b = (s.number(v, node) for v in args[1:])
    return s.select(condition, a, b, node)


@handles("clock")
def _clock(s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call) -> Num:
    return _done(s, geometry(s, "clock", 0), node)


# --- hints to caches: what they load and store is the same ---


def _hinted_load(
    s: Statements, args: Sequence[object], keywords: dict[str, Any], node: ast.Call
) -> Any:
    array, index = (*args, None, None)[:2]
    if len(args) != 2 or keywords or not isinstance(array, Array):
        raise s.error(node, f"{ast.unparse(node.func)} takes an array and an index")
    return s.element(array, index.items if isinstance(index, Tuple) else [index], node)


def _hinted_store(
    s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
) -> Constant:
    array, index, value = (*args, None, None, None)[:3]
    if len(args) != 3 or keywords or not isinstance(array, Array):
        raise s.error(node, f"{ast.unparse(node.func)} takes an array, an index and a value")
    indices = s.indices(array, index.items if isinstance(index, Tuple) else [index], node)
    if indices is None:
        raise s.error(node, f"{array.ndim} indices are needed")
    s.store(array, indices, s.number(value, node, "as an element"), node)
    return Constant(None)


for _name in ("ldca", "ldcg", "ldcs", "ldlu", "ldcv"):
    handlers[_name] = _hinted_load
for _name in ("stcg", "stcs", "stwb", "stwt"):
    handlers[_name] = _hinted_store


# --- groups of threads ---


@handles("cg.this_grid", "cg.this_thread_block")
def _this_group(
    s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
) -> Constant:
    from heddle.simt._device import grid_group, thread_block

    if args or keywords:
        raise s.error(node, f"{ast.unparse(node.func)} takes no arguments")
    return Constant(grid_group if "grid" in ast.unparse(node.func) else thread_block)


@handles("cg.grid_sync")
def _grid_sync(
    s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
) -> Constant:
    s.statements.append([w.BARRIER, s.line(node), w.GRID_BARRIER])
    return Constant(None)


@handles("cg.sync", "cg.wait")
def _sync_group(
    s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
) -> Any:
    from heddle.simt._device import grid_group, thread_block

    group = args[0].value if len(args) == 1 and isinstance(args[0], Constant) else None
    if group not in (grid_group, thread_block) or keywords:
        raise s.error(node, f"{ast.unparse(node.func)} takes a group of threads")
    if group is grid_group:
        return _grid_sync(s, [], {}, node)
    return _syncthreads(s, [], {}, node)


@handles("cg.wait_prior")
def _wait_prior(
    s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
) -> Any:
    """Copies are done when they are made, so those before are, too."""
    return _sync_group(s, args[:1], keywords, node)


def _rank(s: Statements, place: str, size: str, node: ast.AST) -> Num:
    """The number of a thread in its block, or of a block in its grid."""
    made = geometry(s, place, 2)
    for axis in (1, 0):
        scaled = s.apply("multiply", [made, geometry(s, size, axis)], node)
        made = s.apply("add", [scaled, geometry(s, place, axis)], node)
    return made


def _count(s: Statements, size: str, node: ast.AST) -> Num:
    made = geometry(s, size, 0)
    for axis in (1, 2):
        made = s.apply("multiply", [made, geometry(s, size, axis)], node)
    return made


def group_value(s: Statements, what: str, node: ast.AST) -> Any:
    """What a group of threads knows of itself."""
    threads, blocks = "block_size", "grid_size"
    if what == "valid":
        return s.constant(True)
    if what in ("thread_index", "group_index", "dim_threads", "dim_blocks", "block_index"):
        place = {"thread_index": "thread", "group_index": "block", "block_index": "block"}
        name = place.get(what, threads if what == "dim_threads" else blocks)
        return Tuple([geometry(s, name, axis) for axis in range(3)], ("x", "y", "z"))
    if what == "rank_in_block":
        return _rank(s, "thread", threads, node)
    if what == "block_rank":
        return _rank(s, "block", blocks, node)
    if what == "threads":
        return _count(s, threads, node)
    if what == "blocks":
        return _count(s, blocks, node)
    if what == "all_threads":
        return s.apply("multiply", [_count(s, threads, node), _count(s, blocks, node)], node)
    before = s.apply("multiply", [_rank(s, "block", blocks, node), _count(s, threads, node)], node)
    return s.apply("add", [before, _rank(s, "thread", threads, node)], node)


@handles("cg.memcpy_async")
def _memcpy(s: Statements, args: list[Any], keywords: dict[str, Any], node: ast.Call) -> Any:
    """memcpy_async(group, to, index, from, index, bytes): all threads of the block copy."""
    keywords.pop("aligned_size", None)
    if len(args) != 6 or keywords or not all(isinstance(a, Array) for a in (args[1], args[3])):
        raise s.error(node, "memcpy_async takes a group, two arrays with an index each, and a size")
    to, at, source, place, size = args[1:]
    if (to.dtype, to.ndim, source.ndim) != (source.dtype, 1, 1):
        raise s.error(node, "memcpy_async copies between arrays of one type and one dimension")
    at, place = (s.temporary(s.integer(v, node, "as an index"), node) for v in (at, place))
    size = s.integer(size, node, "of bytes")
    count = s.apply("floor_divide", [size, s.constant(SIZES[to.dtype])], node)

    def turn(index: Num) -> None:
        value = s.element(source, [s.apply("add", [place, index], node)], node)
        s.store(to, [s.apply("add", [at, index], node)], value, node)

    s.counted(
        group_value(s, "rank_in_block", node), count, group_value(s, "threads", node), turn, node
    )
    return Constant(None)


# --- tables ---


@handles("const.array_like")
def _constant_array(
    s: Statements, args: list[object], keywords: dict[str, object], node: ast.Call
) -> Any:
    if len(args) == 1 and args[0] in s.tables.values():
        return args[0]
    value = args[0].value if len(args) == 1 and isinstance(args[0], Constant) else None
    if keywords or value is None or not hasattr(value, "__array_interface__"):
        raise s.error(node, "const.array_like takes an array of NumPy's, by a global name")
    return s.constant_array(value, node)
