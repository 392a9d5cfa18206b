"""Classes that hold arrays."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import defaultdict, deque
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from functools import cached_property, lru_cache
from typing import Generic, NamedTuple, Self, TypeVar, assert_type

import heddle as np
from heddle.typing import ArrayLike, DTypeLike


class Boundary(Enum):
    OPEN = "open"
    PERIODIC = "periodic"


class Moments(NamedTuple):
    mean: np.ndarray
    variance: np.ndarray


class Force(ABC):
    @abstractmethod
    def __call__(self, x: np.ndarray) -> np.ndarray: ...

    def energy(self, x: np.ndarray) -> float:
        return 0.0


class Spring(Force):
    def __init__(self, k: float = 1.0, center: ArrayLike = 0.0) -> None:
        self.k = k
        self.center = np.asarray(center)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return -self.k * (x - self.center)

    def energy(self, x: np.ndarray) -> float:
        return float(0.5 * self.k * ((x - self.center) ** 2).sum())


class Pairwise(Force):
    softening = 1e-3

    def __call__(self, x: np.ndarray) -> np.ndarray:
        away = x[:, None, :] - x[None, :, :]
        near = (away**2).sum(-1) + self.softening**2
        weight = near**-1.5
        np.fill_diagonal(weight, 0)
        return -(away * weight[..., np.newaxis]).sum(axis=1)


F = TypeVar("F", bound=Force)


class Particles(Generic[F]):
    def __init__(
        self,
        count: int,
        force: F,
        *,
        dims: int = 2,
        dtype: DTypeLike = np.float64,
        seed: int | None = None,
        boundary: Boundary = Boundary.OPEN,
    ) -> None:
        self._rng = np.random.default_rng(seed)
        self.x = self._rng.normal(size=(count, dims)).astype(dtype)
        self.v = np.zeros_like(self.x)
        self.mass = np.ones(count, dtype)
        self.force = force
        self.boundary = boundary
        self.history: deque[np.ndarray] = deque(maxlen=100)
        self.log: dict[str, list[float]] = defaultdict(list)

    def __len__(self) -> int:
        return self.x.shape[0]

    def __getitem__(self, i: int | slice) -> np.ndarray:
        return self.x[i]

    def __iter__(self) -> Iterator[np.ndarray]:
        yield from self.x

    def __matmul__(self, other: np.ndarray) -> np.ndarray:
        return self.x @ other

    @property
    def kinetic(self) -> float:
        return 0.5 * float(np.sum(self.mass * np.linalg.norm(self.v, axis=1) ** 2))

    @cached_property
    def center(self) -> np.ndarray:
        return np.average(self.x, axis=0, weights=self.mass)

    def step(self, dt: float = 1e-2) -> Self:
        half = self.v + 0.5 * dt * self.force(self.x) / self.mass[:, None]
        self.x += dt * half
        if self.boundary is Boundary.PERIODIC:
            self.x %= 1.0
        self.v[:] = half + 0.5 * dt * self.force(self.x) / self.mass[:, None]
        self.history.append(self.x.copy())
        self.log["kinetic"].append(self.kinetic)
        return self

    def moments(self) -> Moments:
        return Moments(self.x.mean(0), self.x.var(axis=0, ddof=1))

    def nearest(self, k: int = 3) -> tuple[np.ndarray, np.ndarray]:
        distance = np.linalg.norm(self.x[:, None] - self.x[None], axis=-1)
        places = np.argpartition(distance, k, axis=1)[:, 1 : k + 1]
        return np.take_along_axis(distance, places, axis=1), places

    @contextmanager
    def frozen(self) -> Generator[np.ndarray]:
        before = self.v.copy()
        self.v.fill(0)
        try:
            yield self.x
        finally:
            self.v = before

    def state(self) -> dict[str, list[list[float]]]:
        return {"x": self.x.tolist(), "v": self.v.tolist()}

    def restore(self, state: Mapping[str, ArrayLike]) -> Self:
        self.x = np.array(state["x"], dtype=float)
        self.v = np.asarray(state["v"]).reshape(self.x.shape)
        return self

    def save(self, path: str) -> None:
        np.savez_compressed(path, x=self.x, v=self.v)


@lru_cache
def table(n: int) -> np.ndarray:
    return np.sqrt(np.arange(1, n + 1, dtype=np.float32))


class RunningMean:
    """Welford's sums."""

    def __init__(self, shape: tuple[int, ...] = ()) -> None:
        self.count = 0
        self.mean = np.zeros(shape)
        self.m2 = np.zeros(shape)

    def __iadd__(self, x: ArrayLike) -> RunningMean:
        value = np.asarray(x, dtype=float)
        self.count += 1
        delta = value - self.mean
        self.mean += delta / self.count
        self.m2 += delta * (value - self.mean)
        return self

    @property
    def std(self) -> np.ndarray:
        return np.sqrt(self.m2 / max(1, self.count - 1))


class Bank:
    """Arrays by name."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}

    def put(self, name: str, values: ArrayLike, dtype: DTypeLike | None = None) -> np.ndarray:
        made = np.array(values, dtype=dtype, copy=True, ndmin=1)
        self.arrays[name] = made
        return made

    def largest(self) -> str:
        return max(self.arrays, key=lambda name: self.arrays[name].nbytes)

    def total(self) -> float:
        return float(sum(a.sum() for a in self.arrays.values()))

    def shapes(self) -> dict[str, tuple[int, ...]]:
        return {n: a.shape for n, a in self.arrays.items()}

    def joined(self) -> np.ndarray:
        return np.concatenate([a.ravel() for a in self.arrays.values()])


particles = Particles(10, Spring(2.0), seed=1)
for _ in range(5):
    particles.step().step(1e-3)
energy = particles.kinetic + particles.force.energy(particles.x)
print(json.dumps({"energy": energy, "center": particles.center.tolist()}))
mean, variance = particles.moments()
distance, places = particles.nearest()
with particles.frozen() as x:
    print(x.max() - x.min(), len(particles), particles[2:4].shape, particles[0][0])
print([float(np.linalg.norm(row)) for row in particles], distance[0], places[0].tolist())
again = Particles(0, particles.force).restore(particles.state())
assert_type(again, Particles[Spring])
running = RunningMean((2,))
for row in particles:
    running += row
running += [1.0, 2.0]
bank = Bank()
bank.put("a", [1, 2, 3], "f4")
bank.put("b", np.ones((2, 2)))
print(running.std, bank.largest(), bank.total(), bank.shapes(), bank.joined().dtype, table(3))
order = np.lexsort((particles.x[:, 1], particles.x[:, 0]))
inside = np.all(np.abs(particles.x) < 1, axis=1)
chosen = particles.x[inside]
counts = np.histogram2d(particles.x[:, 0], particles.x[:, 1], bins=4)[0]
label: str = "inside" if inside.any() else "outside"
fraction: float = inside.mean().item()
print(
    order, chosen, counts, label, fraction, particles.x.dtype.name, particles.x.T.flags.f_contiguous
)
Particles(3, Pairwise(), dims=3, dtype="f4", boundary=Boundary.PERIODIC).step().save("p.npz")
