"""NumPy's seed sequences and bit generators, which take arrays of ours as seeds."""

from __future__ import annotations

from typing import Any

import numpy

from heddle.random._arguments import on_host


class _AsNumpys(type):
    """Those that NumPy itself made count as instances."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls.__base__ or object)


_numpys_sequence: Any = numpy.random.SeedSequence


class SeedSequence(_numpys_sequence, metaclass=_AsNumpys):  # type: ignore[misc]
    __doc__ = numpy.random.SeedSequence.__doc__
    __module__ = "heddle.random"

    def __init__(
        self,
        entropy: object = None,
        *,
        spawn_key: object = (),
        pool_size: int = 4,
        n_children_spawned: int = 0,
    ) -> None:
        super().__init__(
            on_host(entropy),
            spawn_key=on_host(spawn_key),
            pool_size=pool_size,
            n_children_spawned=n_children_spawned,
        )


def _seeded(kind: Any) -> _AsNumpys:
    def initialise(self: object, seed: object = None) -> None:
        kind.__init__(self, on_host(seed))

    contents = {"__init__": initialise, "__doc__": kind.__doc__, "__module__": "heddle.random"}
    return _AsNumpys(kind.__name__, (kind,), contents)


MT19937 = _seeded(numpy.random.MT19937)
PCG64 = _seeded(numpy.random.PCG64)
PCG64DXSM = _seeded(numpy.random.PCG64DXSM)
SFC64 = _seeded(numpy.random.SFC64)
