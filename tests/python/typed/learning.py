"""A page that trains a small model and moves data about, for type checkers and for the tests."""

from __future__ import annotations

import io
import itertools
from dataclasses import dataclass, field
from typing import NamedTuple, assert_type

import heddle as hd
from heddle import ndarray
from heddle.random import Generator, default_rng


class Layer(NamedTuple):
    weights: ndarray
    bias: ndarray


Parameters = list[Layer]


def initial(sizes: list[int], rng: Generator) -> Parameters:
    return [
        Layer(rng.normal(0, 1 / hd.sqrt(m).item(), (m, n)), hd.zeros(n))
        for m, n in itertools.pairwise(sizes)
    ]


def predict(parameters: Parameters, x: ndarray) -> ndarray:
    *hidden, last = parameters
    for layer in hidden:
        x = hd.tanh(x @ layer.weights + layer.bias)
    return x @ last.weights + last.bias


def loss(parameters: Parameters, x: ndarray, y: ndarray) -> ndarray:
    return ((predict(parameters, x) - y) ** 2).mean()


def trained(parameters: Parameters, x: ndarray, y: ndarray, rounds: int) -> Parameters:
    slope = hd.value_and_grad(loss)
    for _ in range(rounds):
        _, gradients = slope(parameters, x, y)
        parameters = [
            Layer(p.weights - 0.1 * g.weights, p.bias - 0.1 * g.bias)
            for p, g in zip(parameters, gradients, strict=True)
        ]
    return parameters


def softmax(x: ndarray, axis: int = -1) -> ndarray:
    raised = hd.exp(x - x.max(axis=axis, keepdims=True))
    return raised / raised.sum(axis=axis, keepdims=True)


def one_hot(labels: ndarray, classes: int) -> ndarray:
    made = hd.zeros((labels.size, classes), hd.float32)
    made[hd.arange(labels.size), labels] = 1
    return made


@dataclass
class Batches:
    x: ndarray
    y: ndarray
    size: int
    rng: Generator = field(default_factory=lambda: default_rng(0))

    def __len__(self) -> int:
        return len(self.x) // self.size

    def __getitem__(self, index: int) -> tuple[ndarray, ndarray]:
        part = slice(index * self.size, (index + 1) * self.size)
        return self.x[part], self.y[part]

    def shuffle(self) -> None:
        order = self.rng.permutation(len(self.x))
        self.x, self.y = self.x[order], self.y[order]


def accuracy(scores: ndarray, labels: ndarray) -> float:
    return float((scores.argmax(axis=1) == labels).mean())


def saved(parameters: Parameters) -> bytes:
    file = io.BytesIO()
    hd.savez(file, *(a for layer in parameters for a in layer))
    return file.getvalue()


def loaded(data: bytes) -> list[ndarray]:
    with hd.load(io.BytesIO(data)) as archive:
        return [archive[name] for name in archive]


def squared_length(row: ndarray) -> ndarray:
    return (row * row).sum()


def attention(query: ndarray, key: ndarray, value: ndarray) -> ndarray:
    scores = hd.einsum("...qd,...kd->...qk", query, key) / query.shape[-1] ** 0.5
    return softmax(scores) @ value


def clipped(gradients: list[ndarray], limit: float) -> list[ndarray]:
    norm = hd.sqrt(sum((g * g).sum() for g in gradients))
    scale = hd.minimum(1.0, limit / (norm + 1e-9))
    return [g * scale for g in gradients]


def page() -> dict[str, object]:
    rng = default_rng(2)
    x = rng.uniform(-1, 1, (40, 2))
    y = hd.stack([x[:, 0] * x[:, 1]], axis=1)
    batches = Batches(x, y, 10)
    batches.shuffle()
    first, target = batches[0]
    parameters = initial([2, 8, 1], rng)
    before = loss(parameters, first, target)
    after = loss(trained(parameters, x, y, 5), first, target)
    assert_type(before, ndarray)
    labels = rng.integers(0, 3, 20)
    scores = one_hot(labels, 3) + 0.1 * rng.standard_normal((20, 3))
    read = loaded(saved(parameters))
    sequence = rng.standard_normal((2, 5, 4))
    mixed = attention(sequence, sequence, sequence)
    together = hd.vmap(squared_length)(x)
    fast = hd.jit(softmax)
    scaled = clipped([x, y], 1.0)
    with hd.errstate(divide="ignore"), hd.device("cpu"):
        infinite = hd.ones(2) / hd.zeros(2)
    changed = x.at[0].set(0.0)
    return {
        "learned": bool(after < before) or float(after) < 1,
        "batches": len(batches),
        "accuracy": accuracy(scores, labels),
        "read": [a.shape for a in read],
        "attention": mixed.shape,
        "together": together.shape,
        "sums": fast(scores).sum(axis=1).round(5).tolist()[0],
        "scaled": len(scaled),
        "infinite": hd.isinf(infinite).all().item(),
        "changed": changed[0].tolist(),
        "padded": hd.pad(labels, (1, 2), mode="constant", constant_values=-1)[:1].tolist(),
        "tied": hd.sort(labels)[-1].item(),
        "types": hd.result_type(hd.float32, hd.int8) == hd.dtype("float32"),
    }


if __name__ == "__main__":
    print(page())
