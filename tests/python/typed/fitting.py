"""Transformations: a fit, a network, an ODE, rules of one's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, assert_type

import heddle as np
from heddle import jax, lax, nn, optim, tree
from heddle.jax import numpy as jnp
from heddle.jax import random


class Parameters(NamedTuple):
    w: np.ndarray
    b: np.ndarray


Params = list[Parameters]


def init(key: np.ndarray, sizes: Sequence[int]) -> Params:
    keys = random.split(key, len(sizes) - 1)
    return [
        Parameters(random.normal(k, (m, n)) / np.sqrt(m), np.zeros(n))
        for k, m, n in zip(keys, sizes[:-1], sizes[1:], strict=True)
    ]


def predict(params: Params, x: np.ndarray) -> np.ndarray:
    *hidden, last = params
    for layer in hidden:
        x = nn.relu(x @ layer.w + layer.b)
    return x @ last.w + last.b


def loss(params: Params, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    logits = predict(params, x)
    return -np.mean(np.sum(nn.log_softmax(logits) * nn.one_hot(y, 3), axis=-1))


@np.jit
def sgd(params: Params, x: np.ndarray, y: np.ndarray) -> tuple[Params, np.ndarray]:
    value, slopes = np.value_and_grad(loss)(params, x, y)

    def moved(p: np.ndarray, slope: np.ndarray) -> np.ndarray:
        return p - 0.1 * slope

    return tree.map(moved, params, slopes), value


key = random.key(0)
params = init(key, [4, 8, 3])
x = random.normal(random.fold_in(key, 1), (16, 4))
y = random.randint(random.fold_in(key, 2), (16,), 0, 3)
for _ in range(3):
    params, value = sgd(params, x, y)
    print(float(value))

optimizer = optim.adam(1e-3)
state = optimizer.init(params)


@partial(np.jit, static_argnums=(4,))
def train(
    params: Params, state: Any, x: np.ndarray, y: np.ndarray, clip: float
) -> tuple[Params, Any]:
    slopes = tree.map(partial(np.clip, a_min=-clip, a_max=clip), np.grad(loss)(params, x, y))
    updates, state = optimizer.update(slopes, state, params)
    return optim.apply_updates(params, updates), state


params, state = train(params, state, x, y, 1.0)
flat, unravel = jax.flatten_util.ravel_pytree(params)
print(flat.shape, tree.structure(params), len(tree.leaves(params)))


def rosenbrock(v: np.ndarray) -> np.ndarray:
    return np.sum(100 * (v[1:] - v[:-1] ** 2) ** 2 + (1 - v[:-1]) ** 2)


v = np.zeros(3)
g = np.grad(rosenbrock)(v)
h = np.hessian(rosenbrock)(v)
v = v - np.linalg.solve(h + np.eye(3), g)
value, tangent = np.jvp(rosenbrock, (v,), (np.ones(3),))
out, back = np.vjp(rosenbrock, v)
(cotangent,) = back(np.ones(()))
assert_type(tangent, np.ndarray)
assert_type(out, np.ndarray)
linear, along = np.linearize(rosenbrock, v)
assert_type(along(g), np.ndarray)


def wave(z: np.ndarray) -> np.ndarray:
    return np.sin(z) * z


def wave_and_size(z: np.ndarray) -> tuple[np.ndarray, int]:
    return wave(z), z.size


j = np.jacfwd(wave)(v)
k = np.jacrev(wave)(v)
elements = np.jvp(wave_and_size, (v,), (v,), has_aux=True)[2]
assert_type(elements, int)
print(np.allclose(j, k), float(tangent), cotangent[0], np.hvp(rosenbrock, (v,), (g,)))


def dynamics(state: np.ndarray, t: np.ndarray) -> np.ndarray:
    position, speed = state
    return np.stack([speed, -np.sin(position)])


def rollout(start: np.ndarray, steps: int = 20, dt: float = 0.05) -> np.ndarray:
    def step(state: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        state = state + dt * dynamics(state, t)
        return state, state

    return lax.scan(step, start, np.arange(steps) * dt)[1]


def final(start: np.ndarray) -> np.ndarray:
    return rollout(start)[-1]


path = np.jit(rollout)(np.array([1.0, 0.0]))
paths = np.vmap(rollout)(np.ones((4, 2)))
sensitivity = np.jacobian(final)(np.array([1.0, 0.0]))
print(path.shape, paths.shape, sensitivity.shape)


@np.custom_vjp
def clipped(x: np.ndarray) -> np.ndarray:
    return x * 1


def clipped_forward(x: np.ndarray) -> tuple[np.ndarray, None]:
    return clipped(x), None


def clipped_backward(_: None, g: np.ndarray) -> tuple[np.ndarray]:
    return (np.clip(g, -1, 1),)


clipped.defvjp(clipped_forward, clipped_backward)


@np.custom_jvp
def safe_sqrt(x: np.ndarray) -> np.ndarray:
    return np.sqrt(np.maximum(x, 0))


@safe_sqrt.defjvp
def safe_sqrt_jvp(
    primals: tuple[np.ndarray], tangents: tuple[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    (x,), (dx,) = primals, tangents
    y = safe_sqrt(x)
    return y, np.where(x > 0, 0.5 * dx / np.maximum(y, 1e-12), 0)


def tripled(z: np.ndarray) -> np.ndarray:
    return (3 * clipped(z)).sum()


print(np.grad(tripled)(np.ones(2)), np.grad(safe_sqrt)(np.array(2.0)))


@dataclass
class Gaussian:
    mean: np.ndarray
    scale: np.ndarray


tree.register_dataclass(Gaussian)


def nll(model: Gaussian, data: np.ndarray) -> np.ndarray:
    z = (data - model.mean) / model.scale
    return (0.5 * z**2 + np.log(model.scale)).mean()


model = Gaussian(np.array(0.0), np.array(1.0))
slope = np.grad(nll)(model, np.array([1.0, 2.0]))
print(slope.mean, slope.scale)

batched: Callable[[np.ndarray, np.ndarray], np.ndarray] = np.vmap(
    lambda a, b: a @ b, in_axes=(0, None)
)
print(batched(np.ones((3, 2, 2)), np.eye(2)).shape)
total = lax.fori_loop(0, 10, lambda i, s: s + i, 0.0)
root = lax.while_loop(lambda s: s * s > 2.01, lambda s: 0.5 * (s + 2 / s), 2.0)
chosen = lax.cond(True, np.sin, np.cos, np.ones(2))
picked = lax.switch(1, [np.sin, np.cos], np.zeros(2))
print(total, root, chosen, picked, jnp.linalg.norm(chosen), jnp.where(picked > 0, 1, 0))
changed = np.zeros(3).at[1].set(2.0).at[np.array([0, 2])].add(1)
kept = np.stop_gradient(changed)
remat = np.checkpoint(rosenbrock)
assert_type(remat(v), np.ndarray)
print(changed, kept, np.grad(remat)(np.ones(3)), np.eval_shape(rosenbrock, v).shape)
schedule = optim.warmup_cosine_decay_schedule(0.0, 1e-2, 10, 100)
chain = optim.chain(optim.clip_by_global_norm(1.0), optim.adamw(schedule))
s2 = chain.init(params)
u2, s2 = chain.update(np.grad(loss)(params, x, y), s2, params)
params = optim.apply_updates(params, u2)
lowered = np.jit(rosenbrock).lower(v)
print(lowered.as_text()[:20], lowered.compile().cost_analysis())
attention = nn.dot_product_attention(
    np.ones((1, 4, 2, 8)), np.ones((1, 4, 2, 8)), np.ones((1, 4, 2, 8))
)
print(attention.shape, nn.softmax(attention, axis=-1).sum(), nn.gelu(attention).mean())
