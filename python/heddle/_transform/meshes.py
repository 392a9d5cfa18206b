"""Blocks over devices: meshes, how arrays are cut along their axes, and shard_map."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import heddle as hd
from heddle import tree
from heddle._core import ndarray
from heddle._transform.arguments import name_of
from heddle._transform.parallel import (
    Axis,
    Meeting,
    axes_of_thread,
    devices_of,
    everywhere,
    in_threads,
)
from heddle._typing import ArrayLike


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

    def __init__(self, devices: object, axis_names: Sequence[Any] | str) -> None:
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

    there = devices_of(devices)
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
                        lambda leaf: everywhere(
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
                Axis(name, 0, at[name], meetings[name, _others(at, name)])
                for name in mesh.axis_names
            ]
            for axis in axes:
                axes_of_thread.stack.append(axis)
            try:
                return function(*given)
            finally:
                for axis in axes:
                    axes_of_thread.stack.remove(axis)

        devices = [str(one) for one in mesh.devices.ravel()]
        made = in_threads(devices, part, meetings.values())

        def whole(spec: PartitionSpec, *blocks: object) -> Any:
            def one(*leaves: object) -> ndarray:
                arrays = [hd.asarray(leaf).to_device(home) for leaf in leaves]
                cuts = [1] * arrays[0].ndim
                for d, entry in enumerate(spec or ()):
                    for name in _names(entry):
                        cuts[d] *= mesh.shape[name]
                if all(count == 1 for count in cuts):
                    return arrays[0]
                shape = tuple(e * c for e, c in zip(arrays[0].shape, cuts, strict=True))
                result = hd.empty(shape, arrays[0].dtype, device=home)
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


def _meetings(mesh: Mesh) -> dict[Any, Meeting]:
    """Devices meet those that differ from them along one axis alone."""
    return {
        (name, _others(at, name)): Meeting(mesh.shape[name])
        for name in mesh.axis_names
        for at in _all_places(mesh)
        if at[name] == 0
    }
