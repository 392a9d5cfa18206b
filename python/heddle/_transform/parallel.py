"""Rows over devices: named axes, collectives and pmap.

A named axis is either that of `vmap`, whose rows are computed at once on one device, or one of
several devices, each of which computes its part in a thread of its own; or both, where many rows
are shared among some devices. A collective adds up the rows of its own device first, and meets the
others where there are others.
"""

from __future__ import annotations

import dataclasses
import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

import heddle as hd
from heddle import _core, tree
from heddle._core import ndarray
from heddle._transform.arguments import positions_in, to_positions
from heddle._typing import ArrayLike, Tree
from heddle.random._recording import NotALoop, in_loop_body, rows_along

_P = ParamSpec("_P")
_R = TypeVar("_R")


class Meeting:
    """Where the threads of an axis exchange what they have."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._barrier = threading.Barrier(count)
        self._given: list[Any] = [None] * count

    def exchange(self, place: int, mine: object) -> list[Any]:
        """What all of them have, in order."""
        if self.count == 1:
            return [mine]
        self._given[place] = mine
        self._barrier.wait()
        everybody = list(self._given)
        self._barrier.wait()
        return everybody

    def give_up(self) -> None:
        """Somebody has failed: nobody waits for it."""
        self._barrier.abort()


@dataclasses.dataclass
class Axis:
    name: Any
    rows: int  # computed at once here; 0: there are none, this is one block of several
    place: int = 0  # of this part among all
    meeting: Meeting = dataclasses.field(default_factory=lambda: Meeting(1))
    first: int = 0  # row of this part
    depth: int = 0  # of the batch

    @property
    def size(self) -> int:
        """How many rows or blocks there are in all."""
        return sum(self.meeting.exchange(self.place, max(self.rows, 1)))


class _Axes(threading.local):
    def __init__(self) -> None:
        self.stack: list[Axis] = []
        self.outside = 0  # how many of them are outside of the innermost recorded call
        self.asked = False  # whether one of those was asked for


axes_of_thread = _Axes()


@contextmanager
def named_axis(axis: Axis | None) -> Iterator[None]:
    """In the block collectives know the axis."""
    if axis is None:
        yield
        return
    axes_of_thread.stack.append(axis)
    try:
        yield
    finally:
        axes_of_thread.stack.remove(axis)


@contextmanager
def axes_outside() -> Iterator[Callable[[], bool]]:
    """A recorded call: gives a function that says whether it asked for an axis outside of it.

    What it was told there holds for this call alone.
    """
    before = axes_of_thread.outside, axes_of_thread.asked
    axes_of_thread.outside, axes_of_thread.asked = len(axes_of_thread.stack), False
    try:
        yield lambda: axes_of_thread.asked
    finally:
        axes_of_thread.outside, axes_of_thread.asked = before[0], before[1] or axes_of_thread.asked


def axis_of_rows(name: object, rows: int) -> Axis | None:
    """The axis that `vmap` gives a name to."""
    return None if name is None else Axis(name, rows, depth=_core.batch_depth() - 1)


def _find(name: object) -> Axis:
    for place in range(len(axes_of_thread.stack) - 1, -1, -1):
        if axes_of_thread.stack[place].name == name:
            axes_of_thread.asked = axes_of_thread.asked or place < axes_of_thread.outside
            return axes_of_thread.stack[place]
    raise NameError(f"there is no axis named {name!r} here")


def _rows_of(x: hd.ndarray, axis: Axis, what: str) -> hd.ndarray:
    """All rows of an array along an axis of `vmap`, or of what is the same in all of them."""
    if _core.is_differentiated(x):
        raise TypeError(
            f"{what}: there is no derivative of it inside of the function that is mapped: "
            "differentiate the mapped function instead, or use stop_gradient"
        )
    if axis.rows == 0:
        return x[None]
    return rows_along(x, axis.depth)


def _without_inner_rows(x: hd.ndarray, axis: Axis) -> tuple[hd.ndarray, list[int]]:
    """The array with the rows of batches inside of an axis of `vmap` as its last dimensions, and
    the places of those batches: what is made of it along the axis is made for all of them."""
    inner = []
    if axis.rows:
        for depth in reversed(range(axis.depth + 1, _core.batch_depth())):
            if _core.has_rows_at(x, depth):
                x = hd.moveaxis(rows_along(x, depth), 0, -1)
                inner.append(depth)
    return x, inner


def _with_inner_rows(x: hd.ndarray, inner: Sequence[int]) -> hd.ndarray:
    for depth in reversed(inner):
        x = _core.enter_batch_at(hd.moveaxis(x, -1, 0), depth)
    return x


def everywhere(x: hd.ndarray) -> hd.ndarray:
    """The array on the device of this thread."""
    return x.to_device(hd.default_device())


def _collected(
    what: str,
    x: Tree,
    axis_name: object,
    own: Callable[[hd.ndarray], hd.ndarray],
    joined: Callable[[list[hd.ndarray]], Any],
) -> Tree:
    """A tree whose leaves are made of those of all rows and blocks of an axis, or of several."""
    for name in axis_name if isinstance(axis_name, (tuple, list)) else (axis_name,):
        axis = _find(name)

        def one(leaf: ArrayLike, axis: Axis = axis) -> Any:
            whole, inner = _without_inner_rows(hd.asarray(leaf), axis)
            mine = own(_rows_of(whole, axis, what))
            if axis.meeting.count > 1 and in_loop_body():
                raise NotALoop  # each pass has to meet the others
            parts = axis.meeting.exchange(axis.place, mine)
            made = mine if len(parts) == 1 else joined([everywhere(part) for part in parts])
            return _with_inner_rows(made, inner)

        x = tree.map(one, x)
    return x


def psum(x: Tree, axis_name: object) -> Tree:
    """The sum of an array over all rows or blocks of a named axis.

    >>> import heddle as np
    >>> f = np.vmap(lambda x: x / np.lax.psum(x, "rows"), axis_name="rows")
    >>> print(f(np.array([1.0, 1.0, 2.0])))
    [0.25 0.25 0.5 ]
    """
    names = _innermost_first(axis_name)
    # Every row has its part in the sum that each of them gets: the transpose is a sum again.
    return _linear("psum", x, lambda x: _total(x, names), lambda slopes: psum(slopes, names))


def _linear(what: str, x: Tree, f: Callable[[Any], Any], transposed: Callable[[Any], Any]) -> Tree:
    """What a linear collective gives, also where it is differentiated inside of what is mapped."""
    if not _is_differentiated(x):
        return f(x)
    from heddle._transform.own_steps import as_step

    made = as_step(
        (x,),
        lambda given: (_linear(what, given[0], f, transposed), None),
        lambda _, slopes: (transposed(slopes),),
        what,
    )
    return f(x) if made is None else made[0]


def _is_differentiated(x: Tree) -> bool:
    return any(_core.is_differentiated(hd.asarray(leaf)) for leaf in tree.leaves(x))


def _total(x: Tree, axis_name: object) -> Tree:
    return _collected("psum", x, axis_name, lambda rows: rows.sum(0), lambda parts: sum(parts))


def _innermost_first(axis_name: object) -> Any:
    """Axes in the order in which rows can be seen: those of an inner one before an outer one."""
    if not isinstance(axis_name, (tuple, list)):
        return axis_name
    return sorted(axis_name, key=lambda name: _find(name).depth, reverse=True)


def pmean(x: Tree, axis_name: object) -> Tree:
    """The mean of an array over all rows or blocks of a named axis.

    >>> import heddle as np
    >>> print(np.vmap(lambda x: x - np.lax.pmean(x, "i"), axis_name="i")(np.arange(3.0)))
    [-1.  0.  1.]
    """
    count = axis_size(axis_name)
    return tree.map(lambda total: total / count, psum(x, axis_name))


def pmax(x: Tree, axis_name: object) -> Tree:
    """The greatest of the elements over all rows or blocks of a named axis.

    >>> import heddle as np
    >>> print(np.vmap(lambda x: np.lax.pmax(x, "i"), axis_name="i")(np.arange(3.0)))
    [2. 2. 2.]
    """
    names = _innermost_first(axis_name)
    if _is_differentiated(x):
        for name in names if isinstance(names, list) else [names]:
            x = tree.map(lambda rows: rows.max(0), _gathered(x, name))
        return x
    return _collected(
        "pmax",
        x,
        names,
        lambda rows: rows.max(0),
        lambda p: functools.reduce(hd.maximum, p),
    )


def pmin(x: Tree, axis_name: object) -> Tree:
    """The least of the elements over all rows or blocks of a named axis.

    >>> import heddle as np
    >>> print(np.vmap(lambda x: np.lax.pmin(x, "i"), axis_name="i")(np.arange(3.0)))
    [0. 0. 0.]
    """
    names = _innermost_first(axis_name)
    if _is_differentiated(x):
        for name in names if isinstance(names, list) else [names]:
            x = tree.map(lambda rows: rows.min(0), _gathered(x, name))
        return x
    return _collected(
        "pmin",
        x,
        names,
        lambda rows: rows.min(0),
        lambda p: functools.reduce(hd.minimum, p),
    )


def all_gather(x: Tree, axis_name: object, *, axis: int = 0, tiled: bool = False) -> Tree:
    """The arrays of all rows or blocks of a named axis, stacked; with `tiled` joined.

    >>> import heddle as np
    >>> print(np.vmap(lambda x: np.lax.all_gather(x, "i"), axis_name="i")(np.arange(2.0)))
    [[0. 1.]
     [0. 1.]]
    """
    gathered = x
    for name in axis_name if isinstance(axis_name, (tuple, list)) else (axis_name,):
        gathered = _gathered(gathered, name)

    def one(rows: hd.ndarray) -> ndarray:
        return hd.concatenate(list(rows), axis) if tiled else hd.moveaxis(rows, 0, axis)

    return tree.map(one, gathered)


def _gathered(x: Tree, name: object) -> Tree:
    """The arrays of all rows of an axis, in front; each of them has its part in all of these."""
    return _linear(
        "all_gather",
        x,
        lambda x: _collected("all_gather", x, name, lambda rows: rows, hd.concatenate),
        lambda slopes: tree.map(lambda total: total[axis_index(name)], psum(slopes, name)),
    )


def axis_index(axis_name: object) -> hd.ndarray:
    """Which row or block this is.

    >>> import heddle as np
    >>> print(np.vmap(lambda x: x + np.lax.axis_index("i"), axis_name="i")(np.zeros(3)))
    [0. 1. 2.]
    """
    axis = _find(axis_name)
    if axis.rows == 0:
        return hd.asarray(axis.place)
    places = hd.arange(axis.first, axis.first + axis.rows)
    return _core.enter_batch_at(places, axis.depth)


def axis_size(axis_name: object) -> int:
    """How many rows or blocks a named axis has.

    >>> import heddle as np
    >>> print(np.vmap(lambda x: x / np.lax.axis_size("i"), axis_name="i")(np.ones(4)))
    [0.25 0.25 0.25 0.25]
    """
    names = axis_name if isinstance(axis_name, (tuple, list)) else (axis_name,)
    count = 1
    for name in names:
        count *= _find(name).size
    return count


def devices_of(given: Sequence[Any] | None) -> list[str]:
    """Those given, or all of the kind of the default one."""
    if given is not None:
        return [_core.find_device(str(one)) for one in given]
    own = hd.default_device()
    kind = own.partition(":")[0]
    return [own] + [d for d in hd.devices() if d.partition(":")[0] == kind and d != own]


def in_threads(devices: Sequence[str], work: Callable[[int], Any], meetings: Any) -> list[Any]:
    """A part of the work for each device, each in a thread; one alone is done here."""
    if len(devices) == 1:
        with hd.device(devices[0]):
            return [work(0)]
    made = [None] * len(devices)
    wrong: list[BaseException] = []

    def run(place: int) -> None:
        try:
            with hd.device(devices[place]):
                made[place] = work(place)
                hd.eval(
                    *[
                        leaf
                        for leaf in tree.leaves(made[place])
                        if isinstance(leaf, _core.own_array)
                    ]
                )
        except BaseException as problem:
            wrong.append(problem)
            for meeting in meetings:
                meeting.give_up()

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(devices))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for problem in wrong:
        if not isinstance(problem, threading.BrokenBarrierError):
            raise problem
    return made


def pmap(
    fun: Callable[_P, _R],
    axis_name: object = None,
    *,
    in_axes: object = 0,
    out_axes: object = 0,
    static_broadcasted_argnums: int | Sequence[int] = (),
    devices: Sequence[Any] | None = None,
    axis_size: int | None = None,
) -> Callable[_P, _R]:
    """A function that applies ``fun`` to all rows of its arguments, shared among devices.

    As `vmap`, with the rows in equal parts, one for each device of ``devices``: by default all of
    the kind of the current one. There may be more rows than devices, and one device is enough.
    Results are on the current device. `heddle.lax.psum` and its like work over ``axis_name``.

    >>> import heddle as np
    >>> print(np.pmap(lambda x: x / np.lax.psum(x, "i"), axis_name="i")(np.array([1.0, 3.0])))
    [0.25 0.75]
    """
    what = "pmap"
    function: Callable[..., Any] = fun
    static = to_positions(static_broadcasted_argnums, what)

    @functools.wraps(fun)
    def transformed(*args: object, **kwargs: object) -> Any:
        from heddle._transform.batching import described_arguments, rows_of

        fixed = {i: args[i] for i in positions_in(static, len(args), what)}
        mapped = [one for i, one in enumerate(args) if i not in fixed]
        axes = in_axes
        if isinstance(axes, (tuple, list)) and len(axes) == len(args):
            axes = tuple(axis for i, axis in enumerate(axes) if i not in fixed)

        def with_fixed(*given: object, **named: object) -> Any:
            rest = iter(given)
            all_given = (fixed[i] if i in fixed else next(rest) for i in range(len(args)))
            return function(*all_given, **named)

        described = described_arguments(fun, mapped, kwargs, axes, what)
        count = rows_of(described, axis_size, what)
        chosen = devices_of(devices)
        parts = max(d for d in range(1, len(chosen) + 1) if count % d == 0) if count else 1
        each = count // parts
        meeting = Meeting(parts)
        home = hd.default_device()

        def part(place: int) -> Any:
            rows = slice(place * each, (place + 1) * each)

            def cut(argument: object, of: list[Any]) -> Any:
                leaves, structure = tree.flatten(argument)
                return structure.unflatten(
                    leaf if axis is None else _cut(leaf, axis, rows)
                    for leaf, axis in zip(leaves, of, strict=True)
                )

            given = [cut(argument, of) for _, argument, of in described]
            own = Axis(axis_name, each, place, meeting, place * each)
            mapping = functools.partial(hd.vmap, in_axes=axes, out_axes=out_axes, axis_size=each)
            named = dict(zip(kwargs, given[len(mapped) :], strict=True))
            return mapping(_naming(with_fixed, own))(*given[: len(mapped)], **named)

        made = in_threads(chosen[:parts], part, [meeting])
        if parts == 1:
            return made[0]
        return _joined(made, out_axes, home)

    return transformed


def _naming(f: Callable[..., Any], axis: Axis) -> Callable[..., Any]:
    """The function, inside of which the axis of the batch has its name."""

    @functools.wraps(f)
    def named(*args: object, **kwargs: object) -> Any:
        axis.depth = _core.batch_depth() - 1
        with named_axis(axis if axis.name is not None else None):
            return f(*args, **kwargs)

    return named


def _cut(leaf: ArrayLike, axis: int, rows: slice) -> hd.ndarray:
    a = hd.asarray(leaf)
    return everywhere(a[(slice(None),) * (axis % a.ndim) + (rows,)])


def _joined(parts: Sequence[object], out_axes: object, home: str) -> Any:
    from heddle._transform.batching import axes_of

    axes = axes_of(out_axes, parts[0], "out_axes")
    leaves = [tree.leaves(part) for part in parts]
    made = [
        of_all[0].to_device(home)
        if axis is None
        else hd.concatenate([one.to_device(home) for one in of_all], axis)
        for axis, of_all in zip(axes, zip(*leaves, strict=True), strict=True)
    ]
    return tree.structure(parts[0]).unflatten(made)
