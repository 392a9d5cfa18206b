"""The names that kernels use. They mean something inside of kernels only."""

from __future__ import annotations

from typing import Any

from heddle.simt._examples import EXAMPLES


class Intrinsic:
    """A function of kernels."""

    def __init__(self, name: str, doc: str, iterator: str | None = None) -> None:
        self.__name__ = self._simt = name
        example = EXAMPLES.get(name)
        self.__doc__ = doc if example is None else f"{doc}\n\nExamples\n--------\n{example}\n"
        self._simt_iterator = iterator

    def __call__(self, *args: object, **keywords: object) -> Any:
        raise TypeError(f"simt.{self.__name__} can only be called inside of a kernel")

    def __repr__(self) -> str:
        return f"<simt.{self.__name__}>"


class Position:
    """A place or a size, with x, y and z."""

    x: int
    y: int
    z: int

    def __init__(self, name: str, geometry: str, doc: str) -> None:
        self.__name__, self._simt_geometry, self.__doc__ = name, geometry, doc

    def __getattr__(self, name: str) -> Any:
        if name in ("x", "y", "z"):
            raise TypeError(f"simt.{self.__name__}.{name} has a value only inside of a kernel")
        raise AttributeError(name)


class Quantity:
    """A number that each thread has."""

    def __init__(self, name: str, doc: str) -> None:
        self.__name__ = self._simt_quantity = name
        self.__doc__ = doc


class Space:
    """Memory that kernels make arrays in."""

    def __init__(self, name: str, doc: str) -> None:
        self.__doc__ = doc
        self.array = Intrinsic(f"{name}.array", doc)


class Atomics:
    """Updates of an element that nobody comes between: each gives what was there before.

    ``simt.atomic.add(x, i, 1)``, ``simt.atomic.max(x, (i, j), v)``; ``cas(x, i, old, new)`` writes
    `new` if `old` is there.
    """

    def __init__(self) -> None:
        from heddle.simt._words import ATOMICS

        for name in ATOMICS:
            setattr(self, name, Intrinsic(f"atomic.{name}", f"Atomic {name.rstrip('_')}."))
        self.compare_and_swap = Intrinsic("atomic.compare_and_swap", "cas on the first element.")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"simt.atomic has no '{name}'")


class Group:
    """Threads that wait for one another. Its attributes have values inside of kernels only."""

    sync: Intrinsic  # all of them arrive before one goes on

    def __init__(self, name: str, attributes: dict[str, str], sync: Intrinsic) -> None:
        self.__name__, self._simt_group, self.sync = name, attributes, sync

    def __repr__(self) -> str:
        return f"<cg.{self.__name__}>"


class Groups:
    """Cooperative groups: ``cg.this_grid().sync()`` waits for all blocks of the grid."""

    def __init__(self) -> None:
        self.GridGroup = Group
        self.this_grid = Intrinsic("cg.this_grid", "All threads of the launch, as a group.")
        self.this_thread_block = Intrinsic("cg.this_thread_block", "The threads of the block.")
        self.sync = Intrinsic("cg.sync", "sync(group): all threads of it arrive.")
        self.wait = Intrinsic("cg.wait", "wait(group): its copies are done.")
        self.wait_prior = Intrinsic("cg.wait_prior", "wait_prior(group, n): the same.")
        self.memcpy_async = Intrinsic(
            "cg.memcpy_async",
            "memcpy_async(group, to, index, from, index, bytes): copies elements.",
        )


class Constants:
    """Tables that kernels read: ``const.array_like(table)``."""

    def __init__(self) -> None:
        self.array_like = Intrinsic(
            "const.array_like", "array_like(a): the elements of a global array of NumPy's."
        )


threadIdx = Position("threadIdx", "thread", "The number of the thread in its block.")
blockIdx = Position("blockIdx", "block", "The number of the block in the grid.")
blockDim = Position("blockDim", "block_size", "How many threads a block has.")
gridDim = Position("gridDim", "grid_size", "How many blocks the grid has.")
laneid = Quantity("laneid", "The number of the thread in its warp of 32.")
warpsize = 32

grid = Intrinsic(
    "grid",
    "The number of the thread in the grid: an integer for grid(1), else a tuple.",
)
gridsize = Intrinsic("gridsize", "How many threads the grid has, along one, two or three axes.")

shared = Space(
    "shared",
    """An array that the threads of a block share: shared.array(shape, dtype).

    The shape has to be known when the kernel is compiled; 0 stands for what the launch gives.""",
)
local = Space("local", "An array that each thread has for itself: local.array(shape, dtype).")
atomic = Atomics()
const = Constants()
cg = Groups()
grid_group = Group(
    "this_grid()",
    {
        **{"size": "all_threads", "num_threads": "all_threads", "thread_rank": "rank"},
        **{"num_blocks": "blocks", "block_rank": "block_rank", "dim_blocks": "dim_blocks"},
        **{"block_index": "block_index", "group_dim": "dim_blocks", "is_valid": "valid"},
    },
    Intrinsic("cg.grid_sync", "All threads of the grid arrive before one goes on."),
)
thread_block = Group(
    "this_thread_block()",
    {
        **{"size": "threads", "num_threads": "threads", "thread_rank": "rank_in_block"},
        **{"thread_index": "thread_index", "group_index": "group_index"},
        **{"dim_threads": "dim_threads", "group_dim": "dim_threads"},
    },
    Intrinsic("syncthreads", "All threads of the block arrive before one goes on."),
)

syncthreads = Intrinsic("syncthreads", "All threads of the block arrive before one goes on.")
syncthreads_count = Intrinsic(
    "syncthreads_count", "`syncthreads`, which says for how many a condition holds."
)
syncthreads_and = Intrinsic(
    "syncthreads_and", "`syncthreads`, which says whether a condition holds for all (1 or 0)."
)
syncthreads_or = Intrinsic(
    "syncthreads_or", "`syncthreads`, which says whether a condition holds for any (1 or 0)."
)
syncwarp = Intrinsic("syncwarp", "All threads of the warp arrive before one goes on.")
threadfence = Intrinsic("threadfence", "What was written before is seen by the device.")
threadfence_block = Intrinsic("threadfence_block", "What was written before is seen by the block.")
threadfence_system = Intrinsic("threadfence_system", "What was written before is seen by all.")

_MASK = "`mask` has a bit for each thread of the warp that takes part."
shfl_sync = Intrinsic(
    "shfl_sync", f"shfl_sync(mask, value, lane): the value of another thread. {_MASK}"
)
shfl_up_sync = Intrinsic("shfl_up_sync", f"The value of the thread `delta` before. {_MASK}")
shfl_down_sync = Intrinsic("shfl_down_sync", f"The value of the thread `delta` after. {_MASK}")
shfl_xor_sync = Intrinsic(
    "shfl_xor_sync", f"The value of the thread whose number differs in bits. {_MASK}"
)
all_sync = Intrinsic("all_sync", f"Whether a condition holds for all. {_MASK}")
any_sync = Intrinsic("any_sync", f"Whether a condition holds for any. {_MASK}")
eq_sync = Intrinsic("eq_sync", f"Whether a condition is the same for all. {_MASK}")
ballot_sync = Intrinsic(
    "ballot_sync", f"The bits of the threads for which a condition holds. {_MASK}"
)
match_any_sync = Intrinsic(
    "match_any_sync", f"The bits of the threads with the same value. {_MASK}"
)
match_all_sync = Intrinsic("match_all_sync", f"(bits, whether) all have the same value. {_MASK}")
activemask = Intrinsic("activemask", "The bits of the threads of the warp that run together.")
lanemask_lt = Intrinsic("lanemask_lt", "The bits of the threads of the warp before this one.")

popc = Intrinsic("popc", "How many bits of an integer are one.")
clz = Intrinsic("clz", "How many bits are zero before the first that is one.")
ffs = Intrinsic("ffs", "The number of the lowest bit that is one, from 1; 0 if there is none.")
brev = Intrinsic("brev", "The bits in the opposite order.")
fma = Intrinsic("fma", "a * b + c, rounded once.")
cbrt = Intrinsic("cbrt", "The cube root.")
rsqrt = Intrinsic("rsqrt", "1 / sqrt(x).")
selp = Intrinsic("selp", "selp(condition, a, b): a where it holds, else b.")
clock = Intrinsic("clock", "A count of cycles, to take differences of.")
nanosleep = Intrinsic("nanosleep", "Waits about so many nanoseconds: no result depends on it.")
range = Intrinsic("range", "As Python's: cupyx.jit has its own.", "range")

ldca, ldcg, ldcs, ldlu, ldcv = (
    Intrinsic(n, f"{n}(array, index): an element, with a hint to the cache.")
    for n in ("ldca", "ldcg", "ldcs", "ldlu", "ldcv")
)
stcg, stcs, stwb, stwt = (
    Intrinsic(n, f"{n}(array, index, value): sets an element, with a hint to the cache.")
    for n in ("stcg", "stcs", "stwb", "stwt")
)
