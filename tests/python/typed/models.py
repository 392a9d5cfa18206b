"""A page of models that are differentiated, batched and compiled, for type checkers and for tests."""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, Self, TypeVar, assert_type

import numpy

import heddle as np
from heddle import jax, lax, nn, optim, tree
from heddle import ndarray as Array
from heddle.random import Generator

Params = dict[str, Array]
P = TypeVar("P")


class Module(abc.ABC):
    """What has parameters and is called."""

    registry: ClassVar[dict[str, type[Module]]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        Module.registry[cls.__name__] = cls

    @abc.abstractmethod
    def init(self, rng: Generator) -> Params: ...

    @abc.abstractmethod
    def __call__(self, params: Params, x: Array) -> Array: ...


class Dense(Module):
    def __init__(self, inputs: int, outputs: int, activation: Callable[[Array], Array] = nn.relu):
        self.shape = (inputs, outputs)
        self.activation = activation

    def init(self, rng: Generator) -> Params:
        scale = float(np.sqrt(2.0 / self.shape[0]))
        return {"w": scale * rng.standard_normal(self.shape), "b": np.zeros(self.shape[1])}

    def __call__(self, params: Params, x: Array) -> Array:
        return self.activation(x @ params["w"] + params["b"])


@dataclass(frozen=True)
class State(Generic[P]):
    params: P
    step: int = 0
    best: float = numpy.inf

    def advanced(self, params: P, loss: float) -> Self:
        return replace(self, params=params, step=self.step + 1, best=min(self.best, loss))


def mean_squared(params: Params, model: Module, x: Array, y: Array) -> Array:
    return np.mean((model(params, x) - y) ** 2)


def fit(model: Module, x: Array, y: Array, rounds: int = 20) -> State[Params]:
    state = State(model.init(np.random.default_rng(0)))
    optimizer = optim.adam(1e-2)
    kept = optimizer.init(state.params)
    loss = functools.partial(mean_squared, model=model, x=x, y=y)
    for _ in range(rounds):
        value, slopes = np.value_and_grad(loss)(state.params)
        updates, kept = optimizer.update(slopes, kept, state.params)
        state = state.advanced(optim.apply_updates(state.params, updates), float(value))
    return state


def hessian_at(f: Callable[[Array], Array], x: Array) -> Array:
    return np.asarray(np.hessian(f)(x))


@np.jit
def logistic_map(x: Array, r: Array) -> Array:
    return r * x * (1 - x)


def orbit(x: float, r: float, steps: int) -> Array:
    def step(now: Array, _: None) -> tuple[Array, Array]:
        following = logistic_map(now, np.asarray(r))
        return following, following

    _, all_steps = lax.scan(step, np.asarray(x), None, length=steps)
    return np.asarray(all_steps)


def norms(rows: Array) -> Array:
    def norm(row: Array) -> Array:
        return np.sqrt(np.sum(row * row))

    return np.asarray(np.vmap(norm)(rows))


def describe(parameters: Mapping[str, Array]) -> dict[str, tuple[int, ...]]:
    def shape(leaf: Array) -> tuple[int, ...]:
        return leaf.shape

    made: dict[str, tuple[int, ...]] = tree.map(shape, dict(parameters))
    return made


def draws(seed: int, count: int) -> Array:
    key = jax.random.key(seed)
    first, second = jax.random.split(key)
    made = jax.random.normal(first, (count,)) + jax.random.uniform(second, (count,))
    assert_type(made, Array)
    return made


class Covariance:
    """Values with a covariance, of which functions give the same."""

    __slots__ = ("matrix", "values")

    def __init__(self, values: Array, matrix: Array | None = None) -> None:
        self.values = np.atleast_1d(values)
        self.matrix = np.eye(self.values.size) if matrix is None else matrix

    def through(self, f: Callable[[Array], Array]) -> Covariance:
        jacobian = np.asarray(np.jacobian(f)(self.values))
        return Covariance(f(self.values), jacobian @ self.matrix @ jacobian.T)

    def __add__(self, other: Covariance | float) -> Covariance:
        if isinstance(other, Covariance):
            return Covariance(self.values + other.values, self.matrix + other.matrix)
        return Covariance(self.values + other, self.matrix)

    @property
    def deviations(self) -> Array:
        return np.sqrt(np.diagonal(self.matrix))

    @classmethod
    def of_samples(cls, samples: Array) -> Covariance:
        return cls(samples.mean(axis=0), np.cov(samples, rowvar=False))


def page() -> bool:
    x = np.linspace(0.0, 1.0, 16).reshape(-1, 1)
    model = Dense(1, 1, activation=nn.tanh)
    state = fit(model, x, 0.5 * x)
    assert state.step == 20 and state.best < 10
    curvature = hessian_at(lambda v: np.sum(v**3), np.array([1.0, 2.0]))
    assert np.allclose(curvature, np.diag(np.array([6.0, 12.0])))
    assert orbit(0.2, 3.2, 4).shape == (4,)
    assert norms(np.ones((3, 4))).tolist() == [2.0, 2.0, 2.0]
    assert describe(state.params) == {"w": (1, 1), "b": (1,)}
    assert draws(3, 5).shape == (5,)
    twice = Covariance(np.array([1.0, 2.0])).through(lambda v: 2 * v) + 1.0
    assert twice.deviations.tolist() == [2.0, 2.0]
    samples = np.random.default_rng(2).normal(size=(40, 2))
    return Covariance.of_samples(samples).matrix.shape == (2, 2) and "Dense" in Module.registry
