"""What a plate is made of, from temperatures on it: `python examples/inverse_problem.py`.

A plate of unknown conductivity is heated in sixteen spots. Sensors on every second cell read its
temperatures at a few times, with noise. The conductivity is fitted through the solver, which
updates the field in place as solvers do: gradients go through all of its steps.
"""

import pathlib
from typing import Any

import common

import heddle as np
from heddle import optim

SHOTS = 5  # how often the sensors are read


def simulate(conductivity: Any, steps: int) -> Any:
    """Temperatures of a plate at some times, (times, n, n); its rim stays cold."""
    n = conductivity.shape[0]
    u = np.zeros((n, n))
    heat = np.zeros((n, n))
    heat[n // 8 :: n // 4, n // 8 :: n // 4] = 1.0
    # Between two cells what flows is led by their mean.
    down = 0.5 * (conductivity[1:, 1:-1] + conductivity[:-1, 1:-1])
    right = 0.5 * (conductivity[1:-1, 1:] + conductivity[1:-1, :-1])
    shots = []
    for i in range(steps):
        flow_down = down * (u[1:, 1:-1] - u[:-1, 1:-1])
        flow_right = right * (u[1:-1, 1:] - u[1:-1, :-1])
        u[1:-1, 1:-1] += 0.2 * (flow_down[1:] - flow_down[:-1])
        u[1:-1, 1:-1] += 0.2 * (flow_right[:, 1:] - flow_right[:, :-1])
        u += heat
        if (i + 1) % (steps // SHOTS) == 0:
            shots.append(u.copy())
    return np.stack(shots)


def main(small: bool = False, out: pathlib.Path | None = None) -> float:
    rng = np.random.default_rng(3)
    n, steps, fits = (16, 100, 40) if small else (32, 250, 300)
    ticks = np.linspace(0, 1, n)
    y, x = np.meshgrid(ticks, ticks, indexing="ij")
    truth = 0.4 + 0.5 * np.exp(-((x - 0.65) ** 2 + (y - 0.35) ** 2) / 0.03) - 0.25 * (x < 0.3)
    seen = simulate(truth, steps)[:, 1::2, 1::2]
    seen = seen + 0.002 * seen.std() * rng.normal(size=seen.shape)

    # Of neighbours that differ little, as there are fewer sensors than cells.
    def misfit(logs: Any) -> Any:
        found = simulate(np.exp(logs), steps)[:, 1::2, 1::2]
        rough = ((logs[1:] - logs[:-1]) ** 2).sum() + ((logs[:, 1:] - logs[:, :-1]) ** 2).sum()
        return ((found - seen) ** 2).mean() / (0.002 * seen.std()) ** 2 + 3e-2 * rough

    recorded = np.jit(misfit)
    logs = np.full((n, n), np.log(0.5))
    optimizer = optim.lbfgs()
    state = optimizer.init(logs)
    value, slope = np.value_and_grad(recorded)(logs)
    values = []
    for _ in (bar := common.Progress("plate", fits)):
        updates, state = optimizer.update(
            slope, state, logs, value=value, grad=slope, value_fn=recorded
        )
        logs = optim.apply_updates(logs, updates)
        value, slope = optim.value_and_grad_from_state(recorded)(logs, state=state)
        values.append(float(value))
        bar.say(f"misfit {values[-1]:.3f}")
    found = np.exp(logs)
    inner = (slice(2, -2), slice(2, -2))
    error = float(np.sqrt(((found - truth)[inner] ** 2).mean() / truth.var()))
    print(f"inverse problem: conductivity to {error:.1%} of how much it varies")

    def draw(figure: Any) -> None:
        axes = figure.subplots(1, 3)
        for place, field, title in zip(axes, (truth, found), ("truth", "found"), strict=False):
            place.imshow(np.asnumpy(field), vmin=0.1, vmax=0.95)
            place.set_title(title)
        axes[2].semilogy(values)
        axes[2].set(xlabel="step", ylabel="misfit")

    if out is not None:
        common.plot(out / "inverse_problem.png", draw)
    return error


if __name__ == "__main__":
    options = common.arguments(__doc__)
    main(options.small, options.out)
