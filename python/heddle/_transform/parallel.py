"""Rows and blocks over devices: named axes, collectives, pmap and shard_map.

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
from typing import Any

import heddle as hd
from heddle import _core, tree
from heddle._transform.arguments import name_of, to_positions
from heddle._typing import ArrayLike


class _Meeting:
    """Where the threads of an axis exchange what they have."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._barrier = threading.Barrier(count)
        self._given: list[Any] = [None] * count

    def exchange(self, place: int, mine: Any) -> list[Any]:
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
class _Axis:
    name: Any
    rows: int  # computed at once here; 0: there are none, this is one block of several
    place: int = 0  # of this part among all
    meeting: _Meeting = dataclasses.field(default_factory=lambda: _Meeting(1))
    first: int = 0  # row of this part
    depth: int = 0  # of the batch

    @property
    def size(self) -> int:
        """How many rows or blocks there are in all."""
        return sum(self.meeting.exchange(self.place, max(self.rows, 1)))


class _Axes(threading.local):
    def __init__(self) -> None:
        self.stack: list[_Axis] = []
        self.outside = 0  # how many of them are outside of the innermost recorded call
        self.asked = False  # whether one of those was asked for


_axes = _Axes()


@contextmanager
def named_axis(axis: _Axis | None) -> Iterator[None]:
    """In the block collectives know the axis."""
    if axis is None:
        yield
        return
    _axes.stack.append(axis)
    try:
        yield
    finally:
        _axes.stack.remove(axis)


@contextmanager
def axes_outside() -> Iterator[Callable[[], bool]]:
    """A recorded call: gives a function that says whether it asked for an axis outside of it.

    What it was told there holds for this call alone.
    """
    before = _axes.outside, _axes.asked
    _axes.outside, _axes.asked = len(_axes.stack), False
    try:
        yield lambda: _axes.asked
    finally:
        _axes.outside, _axes.asked = before[0], before[1] or _axes.asked


def axis_of_rows(name: object, rows: int) -> _Axis | None:
    """The axis that `vmap` gives a name to."""
    return None if name is None else _Axis(name, rows, depth=_core.batch_depth() - 1)


def _find(name: str) -> _Axis:
    for place in range(len(_axes.stack) - 1, -1, -1):
        if _axes.stack[place].name == name:
            _axes.asked = _axes.asked or place < _axes.outside
            return _axes.stack[place]
    raise NameError(f"there is no axis named {name!r} here")


def _rows_of(x: hd.ndarray, axis: _Axis, what: str) -> hd.ndarray:
    """All rows of an array along an axis of `vmap`, or of what is the same in all of them."""
    if _core.is_differentiated(x):
        raise TypeError(
            f"{what}: there is no derivative of it inside of the function that is mapped: "
            "differentiate the mapped function instead, or use stop_gradient"
        )
    if axis.rows == 0:
        return x[None]
    return _core.rows_along(x, axis.depth)


def _everywhere(x: hd.ndarray) -> hd.ndarray:
    """The array on the device of this thread."""
    return x.to_device(hd.default_device())


def _collected(what: str, x: ArrayLike, axis_name: object, own: Any, joined: Any) -> Any:
    """A tree whose leaves are made of those of all rows and blocks of an axis, or of several."""
    for name in axis_name if isinstance(axis_name, (tuple, list)) else (axis_name,):
        axis = _find(name)

        def one(leaf: ArrayLike, axis: _Axis = axis) -> Any:
            mine = own(_rows_of(hd.asarray(leaf), axis, what))
            parts = axis.meeting.exchange(axis.place, mine)
            return mine if len(parts) == 1 else joined([_everywhere(part) for part in parts])

        x = tree.map(one, x)
    return x


def psum(x: ArrayLike, axis_name: object) -> Any:
    """The sum of an array over all rows or blocks of a named axis.

    >>> import heddle as np
    >>> f = np.vmap(lambda x: x / np.lax.psum(x, "rows"), axis_name="rows")
    >>> print(f(np.array([1.0, 1.0, 2.0])))
    [0.25 0.25 0.5 ]
    """
    axis_name = _innermost_first(axis_name)
    if not any(_core.is_differentiated(hd.asarray(leaf)) for leaf in tree.leaves(x)):
        return _total(x, axis_name)
    from heddle._transform.custom import custom_vjp

    # Every row has its part in the sum that each of them gets: the transpose is a sum again.
    made = custom_vjp(lambda x: _total(x, axis_name))
    made.defvjp(
        lambda x: (_total(x, axis_name), None), lambda _, slopes: (psum(slopes, axis_name),)
    )
    return made(x)


def _total(x: ArrayLike, axis_name: object) -> Any:
    return _collected("psum", x, axis_name, lambda rows: rows.sum(0), lambda parts: sum(parts))


def _innermost_first(axis_name: object) -> Any:
    """Axes in the order in which rows can be seen: those of an inner one before an outer one."""
    if not isinstance(axis_name, (tuple, list)):
        return axis_name
    return sorted(axis_name, key=lambda name: _find(name).depth, reverse=True)


def pmean(x: ArrayLike, axis_name: object) -> Any:
    """The mean of an array over all rows or blocks of a named axis.

    >>> import heddle as np
    >>> print(np.vmap(lambda x: x - np.lax.pmean(x, "i"), axis_name="i")(np.arange(3.0)))
    [-1.  0.  1.]
    """
    count = axis_size(axis_name)
    return tree.map(lambda total: total / count, psum(x, axis_name))


def pmax(x: ArrayLike, axis_name: object) -> Any:
    """The greatest of the elements over all rows or blocks of a named axis.

    >>> import heddle as np
    >>> print(np.vmap(lambda x: np.lax.pmax(x, "i"), axis_name="i")(np.arange(3.0)))
    [2. 2. 2.]
    """
    return _collected(
        "pmax",
        x,
        _innermost_first(axis_name),
        lambda rows: rows.max(0),
        lambda p: functools.reduce(hd.maximum, p),
    )


def pmin(x: ArrayLike, axis_name: object) -> Any:
    """The least of the elements over all rows or blocks of a named axis.

    >>> import heddle as np
    >>> print(np.vmap(lambda x: np.lax.pmin(x, "i"), axis_name="i")(np.arange(3.0)))
    [0. 0. 0.]
    """
    return _collected(
        "pmin",
        x,
        _innermost_first(axis_name),
        lambda rows: rows.min(0),
        lambda p: functools.reduce(hd.minimum, p),
    )


def all_gather(x: ArrayLike, axis_name: object, *, axis: int = 0, tiled: bool = False) -> Any:
    """The arrays of all rows or blocks of a named axis, stacked; with `tiled` joined.

    >>> import heddle as np
    >>> print(np.vmap(lambda x: np.lax.all_gather(x, "i"), axis_name="i")(np.arange(2.0)))
    [[0. 1.]
     [0. 1.]]
    """
    gathered = _collected("all_gather", x, axis_name, lambda rows: rows, hd.concatenate)

    def one(rows: hd.ndarray) -> Any:
        return hd.concatenate(list(rows), axis) if tiled else hd.moveaxis(rows, 0, axis)

    return tree.map(one, gathered)


def axis_index(axis_name: Any) -> hd.ndarray:
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


def _devices(given: Sequence[Any] | None) -> list[str]:
    """Those given, or all of the kind of the default one."""
    if given is not None:
        return [_core.find_device(str(one)) for one in given]
    own = hd.default_device()
    kind = own.partition(":")[0]
    return [own] + [d for d in hd.devices() if d.partition(":")[0] == kind and d != own]


def _in_threads(devices: Sequence[str], work: Callable[[int], Any], meetings: Any) -> list[Any]:
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
                    *[leaf for leaf in tree.leaves(made[place]) if isinstance(leaf, hd.ndarray)]
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
    f: Callable[..., Any],
    axis_name: object = None,
    *,
    in_axes: object = 0,
    out_axes: object = 0,
    static_broadcasted_argnums: int | Sequence[int] = (),
    devices: Sequence[Any] | None = None,
    axis_size: int | None = None,
) -> Callable[..., Any]:
    """A function that applies ``f`` to all rows of its arguments, shared among devices.

    As `vmap`, with the rows in equal parts, one for each device of ``devices``: by default all of
    the kind of the current one. There may be more rows than devices, and one device is enough.
    Results are on the current device. `heddle.lax.psum` and its like work over ``axis_name``.

    >>> import heddle as np
    >>> print(np.pmap(lambda x: x / np.lax.psum(x, "i"), axis_name="i")(np.array([1.0, 3.0])))
    [0.25 0.75]
    """
    what = "pmap"
    static = to_positions(static_broadcasted_argnums, what)

    @functools.wraps(f)
    def transformed(*args: object, **kwargs: object) -> Any:
        from heddle._transform.batching import described_arguments, rows_of

        fixed = {i % len(args): args[i] for i in static}
        mapped = [one for i, one in enumerate(args) if i not in fixed]
        axes = in_axes
        if isinstance(axes, (tuple, list)) and len(axes) == len(args):
            axes = tuple(axis for i, axis in enumerate(axes) if i not in fixed)

        def with_fixed(*given: object, **named: object) -> Any:
            rest = iter(given)
            return f(*[fixed[i] if i in fixed else next(rest) for i in range(len(args))], **named)

        described = described_arguments(f, mapped, kwargs, axes, what)
        count = rows_of(described, axis_size, what)
        chosen = _devices(devices)
        parts = max(d for d in range(1, len(chosen) + 1) if count % d == 0) if count else 1
        each = count // parts
        meeting = _Meeting(parts)
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
            own = _Axis(axis_name, each, place, meeting, place * each)
            mapping = functools.partial(hd.vmap, in_axes=axes, out_axes=out_axes, axis_size=each)
            named = dict(zip(kwargs, given[len(mapped) :], strict=True))
            return mapping(_naming(with_fixed, own))(*given[: len(mapped)], **named)

        made = _in_threads(chosen[:parts], part, [meeting])
        if parts == 1:
            return made[0]
        return _joined(made, out_axes, home)

    return transformed


def _naming(f: Callable[..., Any], axis: _Axis) -> Callable[..., Any]:
    """The function, inside of which the axis of the batch has its name."""

    @functools.wraps(f)
    def named(*args: object, **kwargs: object) -> Any:
        axis.depth = _core.batch_depth() - 1
        with named_axis(axis if axis.name is not None else None):
            return f(*args, **kwargs)

    return named


def _cut(leaf: ArrayLike, axis: int, rows: slice) -> hd.ndarray:
    a = hd.asarray(leaf)
    return _everywhere(a[(slice(None),) * (axis % a.ndim) + (rows,)])


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


class PartitionSpec(tuple[Any, ...]):
    """Along which axes of a mesh the dimensions of an array are cut: names, tuples or None.

    >>> import heddle as np
    >>> np.P("x", None)
    PartitionSpec('x', None)
    """

    def __new__(cls, *names: object) -> PartitionSpec:
        """One entry for each dimension; those left out are not cut."""
        return super().__new__(cls, names)

    def __repr__(self) -> str:
        return f"PartitionSpec({', '.join(map(repr, self))})"


P = PartitionSpec


class Mesh:
    """Devices in a grid whose axes have names.

    >>> import heddle as np
    >>> np.Mesh([np.default_device()], ("x",)).shape
    {'x': 1}
    """

    def __init__(self, devices: Any, axis_names: Sequence[Any] | str) -> None:
        import numpy

        self.devices = numpy.array(devices, dtype=object)
        self.axis_names = (axis_names,) if isinstance(axis_names, str) else tuple(axis_names)
        if self.devices.ndim != len(self.axis_names):
            raise ValueError(
                f"Mesh: {self.devices.ndim} dimensions of devices, but {len(self.axis_names)} names"
            )

    @property
    def shape(self) -> dict[Any, int]:
        """How many devices there are along each axis."""
        return dict(zip(self.axis_names, self.devices.shape, strict=True))

    def __repr__(self) -> str:
        return f"Mesh({self.shape})"


def make_mesh(
    axis_shapes: Sequence[int],
    axis_names: Sequence[object],
    *,
    devices: Sequence[Any] | None = None,
) -> Mesh:
    """A mesh of as many devices as the shape has, by default of those there are.

    >>> import heddle as np
    >>> np.make_mesh((1,), ("x",))
    Mesh({'x': 1})
    """
    import math

    import numpy

    there = _devices(devices)
    count = math.prod(axis_shapes)
    if count > len(there):
        raise ValueError(f"make_mesh: {count} devices are needed, and there are {len(there)}")
    chosen = numpy.array(there[:count], dtype=object).reshape(tuple(axis_shapes))
    return Mesh(chosen, axis_names)


def _names(entry: object) -> tuple[str, ...]:
    return () if entry is None else entry if isinstance(entry, tuple) else (entry,)


def _is_spec(x: ArrayLike | PartitionSpec) -> bool:
    return isinstance(x, PartitionSpec) or x is None


def shard_map(
    f: Callable[..., Any] | None = None,
    *,
    mesh: Mesh,
    in_specs: object,
    out_specs: PartitionSpec,
) -> Callable[..., Any]:
    """A function that applies ``f`` to blocks of its arguments, one for each device of a mesh.

    A `PartitionSpec` says along which axes of the mesh each dimension is cut; specs are trees that
    begin like the arguments and the results. ``f`` sees one block of each argument, and the other
    blocks through `heddle.lax.psum` and its like, by the names of the mesh's axes.

    >>> import heddle as np
    >>> mesh = np.make_mesh((1,), ("x",))
    >>> f = np.shard_map(
    ...     lambda a: np.lax.psum(a.sum(), "x"), mesh=mesh, in_specs=np.P("x"), out_specs=np.P()
    ... )
    >>> print(f(np.arange(4.0)))
    6.0
    """
    if f is None:
        return functools.partial(shard_map, mesh=mesh, in_specs=in_specs, out_specs=out_specs)
    function = f
    places = list(_all_places(mesh))

    def index_of(
        spec: PartitionSpec, at: dict[Any, int], shape: tuple[int, ...], where: str
    ) -> tuple[slice, ...]:
        """The block of an array that is at a place of the mesh."""
        spec = spec or PartitionSpec()
        if len(spec) > len(shape):
            raise ValueError(
                f"shard_map: {where} of shape {shape} has fewer dimensions than {spec}"
            )
        index = []
        for entry, extent in zip(spec, shape, strict=False):
            count, place = 1, 0
            for name in _names(entry):
                if name not in mesh.shape:
                    raise ValueError(f"shard_map: {where}: the mesh has no axis {name!r}")
                count *= mesh.shape[name]
                place = place * mesh.shape[name] + at[name]
            if extent % count:
                raise ValueError(
                    f"shard_map: {where}: a dimension of {extent} cannot be cut into {count}"
                )
            each = extent // count
            index.append(slice(place * each, (place + 1) * each))
        return tuple(index)

    @functools.wraps(function)
    def transformed(*args: object) -> Any:
        specs = in_specs if isinstance(in_specs, tuple) and not _is_spec(in_specs) else None
        by_argument = specs if specs is not None else (in_specs,) * len(args)
        if len(by_argument) != len(args):
            raise ValueError(
                f"shard_map: in_specs are {len(by_argument)}, the call of {name_of(function)} has "
                f"{len(args)} arguments"
            )
        meetings = _meetings(mesh)
        home = hd.default_device()

        def part(number: int) -> Any:
            at = places[number]

            def block(spec: PartitionSpec, argument: object, where: str) -> Any:
                def cut(s: PartitionSpec, below: object) -> Any:
                    return tree.map(
                        lambda leaf: _everywhere(
                            hd.asarray(leaf)[index_of(s, at, hd.asarray(leaf).shape, where)]
                        ),
                        below,
                    )

                return tree.map(cut, spec, argument, is_leaf=_is_spec)

            given = [
                block(spec, argument, f"argument {i}")
                for i, (spec, argument) in enumerate(zip(by_argument, args, strict=True))
            ]
            axes = [
                _Axis(name, 0, at[name], meetings[name, _others(at, name)])
                for name in mesh.axis_names
            ]
            for axis in axes:
                _axes.stack.append(axis)
            try:
                return function(*given)
            finally:
                for axis in axes:
                    _axes.stack.remove(axis)

        devices = [str(one) for one in mesh.devices.ravel()]
        made = _in_threads(devices, part, meetings.values())

        def whole(spec: PartitionSpec, *blocks: object) -> Any:
            def one(*leaves: Any) -> Any:
                arrays = [hd.asarray(leaf).to_device(home) for leaf in leaves]
                cuts = [1] * arrays[0].ndim
                for d, entry in enumerate(spec or ()):
                    for name in _names(entry):
                        cuts[d] *= mesh.shape[name]
                if all(count == 1 for count in cuts):
                    return arrays[0]
                shape = tuple(e * c for e, c in zip(arrays[0].shape, cuts, strict=True))
                result = hd.empty(shape, arrays[0].dtype)
                for at, array in zip(places, arrays, strict=True):
                    result[index_of(spec, at, shape, "the result")] = array
                return result

            return tree.map(one, *blocks)

        return tree.map(whole, out_specs, *made, is_leaf=_is_spec)

    return transformed


def _all_places(mesh: Mesh) -> Iterator[dict[Any, int]]:
    import itertools

    for place in itertools.product(*map(range, mesh.devices.shape)):
        yield dict(zip(mesh.axis_names, place, strict=True))


def _others(at: dict[Any, int], name: str) -> tuple[int, ...]:
    return tuple(place for other, place in at.items() if other != name)


def _meetings(mesh: Mesh) -> dict[Any, _Meeting]:
    """Devices meet those that differ from them along one axis alone."""
    return {
        (name, _others(at, name)): _Meeting(mesh.shape[name])
        for name in mesh.axis_names
        for at in _all_places(mesh)
        if at[name] == 0
    }
