"""A perceptron of two hidden layers tells three spirals apart: `python examples/perceptron.py`.

The points are made on the spot. A thousand steps of Adam on batches of 256 reach 99 % on points
that were not trained on.
"""

import itertools
import pathlib
from typing import Any

import common

import heddle as np
from heddle import nn, optim

CLASSES = 3


def spirals(rng: Any, count: int) -> tuple[Any, Any]:
    """Points along three arms around the origin, and the number of each one's arm."""
    labels = rng.integers(0, CLASSES, size=count)
    along = rng.uniform(0.05, 1, size=count)
    angle = 7 * along + 2 * np.pi / CLASSES * labels + rng.normal(0, 0.12, size=count)
    points = np.stack([along * np.cos(angle), along * np.sin(angle)], axis=1)
    return points.astype(np.float32), labels


def init(rng: Any, width: int) -> list[dict[str, Any]]:
    sizes = [2, width, width, CLASSES]
    kernel = nn.initializers.he_normal(dtype=np.float32)
    return [
        {"kernel": kernel(rng, (a, b)), "bias": np.zeros(b, np.float32)}
        for a, b in itertools.pairwise(sizes)
    ]


def logits(params: list[dict[str, Any]], x: Any) -> Any:
    for layer in params[:-1]:
        x = nn.relu(nn.dense(x, **layer))
    return nn.dense(x, **params[-1])


def loss(params: list[dict[str, Any]], x: Any, labels: Any) -> Any:
    return nn.softmax_cross_entropy_with_integer_labels(logits(params, x), labels).mean()


def accuracy(params: list[dict[str, Any]], x: Any, labels: Any) -> float:
    return float((logits(params, x).argmax(axis=1) == labels).mean())


def main(small: bool = False, out: pathlib.Path | None = None) -> float:
    rng = np.random.default_rng(1)
    steps, width, batch = (150, 32, 128) if small else (1000, 64, 256)
    train, test = spirals(rng, 6000), spirals(rng, 2000)
    params = init(rng, width)
    optimizer = optim.adam(optim.cosine_decay_schedule(2e-2 if small else 1e-2, steps))
    state = optimizer.init(params)

    @np.jit
    def step(params: Any, state: Any, x: Any, labels: Any) -> Any:
        value, slopes = np.value_and_grad(loss)(params, x, labels)
        updates, state = optimizer.update(slopes, state, params)
        return optim.apply_updates(params, updates), state, value

    losses = []
    for i in (bar := common.Progress("perceptron", steps)):
        chosen = rng.integers(0, len(train[1]), size=batch)
        params, state, value = step(params, state, train[0][chosen], train[1][chosen])
        if i % 10 == 0:
            losses.append(float(value))
            bar.say(f"loss {losses[-1]:.4f}")
    reached = accuracy(params, *test)
    print(f"perceptron: {reached:.1%} of {len(test[1])} points that were not trained on")

    def draw(figure: Any) -> None:
        left, right = figure.subplots(1, 2)
        ticks = np.linspace(-1.1, 1.1, 200)
        x, y = np.meshgrid(ticks, ticks)
        points = np.stack([x.ravel(), y.ravel()], axis=1).astype(np.float32)
        classes = logits(params, points).argmax(axis=1).reshape(200, 200)
        left.pcolormesh(np.asnumpy(x), np.asnumpy(y), np.asnumpy(classes), alpha=0.4)
        left.scatter(*np.asnumpy(test[0][:600]).T, c=np.asnumpy(test[1][:600]), s=6)
        left.set_title(f"{reached:.1%} of points that were not trained on")
        right.semilogy(range(0, steps, 10), losses)
        right.set(xlabel="step", ylabel="loss")

    if out is not None:
        common.plot(out / "perceptron.png", draw)
    return reached


if __name__ == "__main__":
    options = common.arguments(__doc__)
    main(options.small, options.out)
