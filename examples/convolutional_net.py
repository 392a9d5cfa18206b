"""A small net tells shapes in noisy images apart: `python examples/convolutional_net.py`.

Discs, squares, crosses and rings of random size and place are drawn on the spot into images of
28 x 28 with noise. Two layers of convolution and pooling and one more reach 98 % on images that
were not trained on.
"""

import pathlib
from typing import Any

import common

import heddle as np
from heddle import nn, optim

NAMES = ("disc", "square", "cross", "ring")


def shapes(rng: Any, count: int, size: int = 28) -> tuple[Any, Any]:
    """Images (count, size, size, 1), and which shape is in each."""
    labels = rng.integers(0, len(NAMES), size=count)
    middle = rng.uniform(9, size - 9, size=(2, count, 1, 1))
    radius = rng.uniform(5, 8, size=(count, 1, 1))
    rows = np.abs(np.arange(size).reshape(1, size, 1) - middle[0])
    columns = np.abs(np.arange(size).reshape(1, 1, size) - middle[1])
    distance, farther = np.hypot(rows, columns), np.maximum(rows, columns)
    nearer = np.minimum(rows, columns)
    drawn = [
        distance < radius,
        farther < radius * 0.85,
        (nearer < 2) & (farther < radius),
        (distance < radius) & (distance > radius - 2.5),
    ]
    kind = labels.reshape(count, 1, 1)
    images = np.select([kind == i for i in range(len(NAMES))], drawn).astype(float)
    images += rng.normal(0, 0.3, size=images.shape)
    return images[..., None].astype(np.float32), labels


def init(rng: Any) -> dict[str, Any]:
    kernel = nn.initializers.he_normal(dtype=np.float32)

    def layer(*shape: int) -> dict[str, Any]:
        return {"kernel": kernel(rng, shape), "bias": np.zeros(shape[-1], np.float32)}

    return {
        "first": layer(3, 3, 1, 8),
        "second": layer(3, 3, 8, 16),
        "last": layer(7 * 7 * 16, len(NAMES)),
    }


def logits(params: dict[str, Any], images: Any) -> Any:
    x = nn.max_pool(nn.relu(nn.conv(images, **params["first"])), (2, 2))
    x = nn.max_pool(nn.relu(nn.conv(x, **params["second"])), (2, 2))
    return nn.dense(x.reshape(len(x), -1), **params["last"])


def loss(params: dict[str, Any], images: Any, labels: Any) -> Any:
    return nn.softmax_cross_entropy_with_integer_labels(logits(params, images), labels).mean()


def main(small: bool = False, out: pathlib.Path | None = None) -> float:
    rng = np.random.default_rng(2)
    steps, batch, count = (80, 32, 600) if small else (800, 64, 4000)
    train, test = shapes(rng, count), shapes(rng, 1000)
    params = init(rng)
    optimizer = optim.adamw(optim.warmup_cosine_decay_schedule(0, 1e-2, steps // 10, steps))
    state = optimizer.init(params)

    @np.jit
    def step(params: Any, state: Any, images: Any, labels: Any) -> Any:
        value, slopes = np.value_and_grad(loss)(params, images, labels)
        updates, state = optimizer.update(slopes, state, params)
        return optim.apply_updates(params, updates), state, value

    losses = []
    for i in (bar := common.Progress("shapes", steps)):
        chosen = rng.integers(0, count, size=batch)
        params, state, value = step(params, state, train[0][chosen], train[1][chosen])
        if i % 10 == 0:
            losses.append(float(value))
            bar.say(f"loss {losses[-1]:.4f}")
    found = logits(params, test[0]).argmax(axis=1)
    reached = float((found == test[1]).mean())
    print(f"convolutional net: {reached:.1%} of {len(found)} images that were not trained on")

    def draw(figure: Any) -> None:
        axes = figure.subplots(2, 5)
        for i, place in enumerate(axes[:, :4].ravel()):
            place.imshow(np.asnumpy(test[0][i, ..., 0]), cmap="gray")
            place.set_title(f"{NAMES[int(test[1][i])]}: {NAMES[int(found[i])]}", fontsize=9)
            place.axis("off")
        axes[1, 4].axis("off")
        axes[0, 4].semilogy(range(0, steps, 10), losses)
        axes[0, 4].set_title(f"{reached:.1%}", fontsize=9)

    if out is not None:
        common.plot(out / "convolutional_net.png", draw)
    return reached


if __name__ == "__main__":
    options = common.arguments(__doc__)
    main(options.small, options.out)
