"""Hamiltonian Monte Carlo: which quantities decide? `python examples/hamiltonian_monte_carlo.py`.

Answers of yes or no depend on some of eight quantities; the data are made on the spot. Many chains
at once (`vmap`) draw the weights of a logistic regression from their distribution given the data,
by paths along the gradient of its density. Chains that agree (R-hat near 1) have found it.
"""

import pathlib
from typing import Any

import common

import heddle as np
from heddle import nn


def log_density(weights: Any, x: Any, answers: Any) -> Any:
    """Of the weights, given the data; up to a constant."""
    return nn.log_sigmoid(answers * (x @ weights)).sum() - 0.5 * (weights**2).sum() / 4


def leapfrog(place: Any, speed: Any, step: Any, count: int, x: Any, answers: Any) -> Any:
    """A path of a ball on the hill of the density, after so many steps."""
    slope = np.grad(log_density)
    speed = speed + 0.5 * step * slope(place, x, answers)
    for i in range(count):
        place = place + step * speed
        speed = speed + (step if i + 1 < count else 0.5 * step) * slope(place, x, answers)
    return place, speed


def rhat(draws: Any) -> Any:
    """How much more chains (draws, chains, weights) differ from one another than within; near 1."""
    n = len(draws)
    within = draws.var(axis=0, ddof=1).mean(axis=0)
    between = draws.mean(axis=0).var(axis=0, ddof=1)
    return np.sqrt((n - 1) / n + between / within)


def main(small: bool = False, out: pathlib.Path | None = None) -> tuple[float, float]:
    rng = np.random.default_rng(7)
    chains, burn, count, samples = (8, 40, 80, 200) if small else (32, 200, 500, 1000)
    truth = np.array([2.0, -1.5, 1.0, 0.5, 0.0, 0.0, 0.0, 0.0])
    x = rng.normal(size=(samples, len(truth)))
    answers = np.where(rng.uniform(size=samples) < nn.sigmoid(x @ truth), 1.0, -1.0)

    @np.jit
    def propose(places: Any, speeds: Any, step: Any) -> Any:
        paths = np.vmap(leapfrog, in_axes=(0, 0, None, None, None, None))
        ahead, after = paths(places, speeds, step, 8, x, answers)
        height = np.vmap(log_density, in_axes=(0, None, None))
        gained = height(ahead, x, answers) - height(places, x, answers)
        gained -= 0.5 * ((after**2).sum(axis=1) - (speeds**2).sum(axis=1))
        return ahead, gained

    places = rng.normal(size=(chains, len(truth)))
    step = np.array(0.05)
    kept, rates = [], []
    for i in (bar := common.Progress("chains", burn + count)):
        speeds = rng.normal(size=places.shape)
        ahead, gained = propose(places, speeds, step)
        accepted = np.log(rng.uniform(size=chains)) < gained
        places = np.where(accepted[:, None], ahead, places)
        rate = accepted.mean()
        if i < burn:  # steps that most paths survive, but no shorter ones
            step = step * np.exp(0.1 * (rate - 0.8))
        else:
            kept.append(places)
            rates.append(rate)
        if i % 10 == 0:
            bar.say(f"step {float(step):.3f}, {float(rate):.0%} accepted")
    draws = np.stack(kept)
    worst = float(rhat(draws).max())
    mean, spread = draws.mean(axis=(0, 1)), draws.std(axis=(0, 1))
    off = float((np.abs(mean - truth) / spread).max())
    print(
        f"Hamiltonian Monte Carlo: {draws.shape[0] * chains} draws, {float(np.mean(rates)):.0%} "
        f"accepted, R-hat {worst:.3f}; the truth is at most {off:.1f} deviations off"
    )

    def draw(figure: Any) -> None:
        left, right = figure.subplots(1, 2)
        left.errorbar(range(len(truth)), np.asnumpy(mean), 2 * np.asnumpy(spread), fmt="o")
        left.plot(range(len(truth)), np.asnumpy(truth), "kx")
        left.set(xlabel="weight", title="two deviations, and the truth")
        right.plot(np.asnumpy(draws[:, :4, 0]), lw=0.6)
        right.set(xlabel="draw", title="the first weight in four chains")

    if out is not None:
        common.plot(out / "hamiltonian_monte_carlo.png", draw)
    return worst, off


if __name__ == "__main__":
    options = common.arguments(__doc__)
    main(options.small, options.out)
