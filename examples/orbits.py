"""A probe is aimed at a planet, through 1000 steps of motion: `python examples/orbits.py`.

Two planets circle a star, and attract one another and a probe that starts at the inner one. Which
speed brings it to the outer one after 1000 steps is found by L-BFGS on the distance that is
missing: its gradient goes back through all steps, which write to arrays of places and speeds.
"""

import pathlib
from typing import Any

import common

import heddle as np
from heddle import optim

STEPS = 1000
TIME = 4.66  # about what half an ellipse from one orbit to the other takes
MASSES = (3e-4, 1e-3)  # of the planets; that of the star is 1


def pull(places: Any) -> Any:
    """Accelerations of two planets and the probe."""
    distance = np.sqrt((places**2).sum(axis=1, keepdims=True))
    made = -places / distance**3
    for i, mass in enumerate(MASSES):
        apart = places[i] - places
        # Softened, as each planet is beside itself and the probe starts near one.
        made = made + mass * apart / ((apart**2).sum(axis=1, keepdims=True) + 1e-4) ** 1.5
    return made


def fly(start: Any, steps: int) -> tuple[Any, list[Any]]:
    """The places of planets and probe after some steps, and some on the way."""
    places = np.array([[1.0, 0.0], [1.0, 1.25], [1.02, 0.0]])
    speeds = np.array([[0.0, 1.0], [-0.61, 0.49], [0.0, 0.0]])
    speeds[2] = start
    step = TIME / steps
    way = []
    speeds += 0.5 * step * pull(places)
    for i in range(steps):
        places += step * speeds
        speeds += step * pull(places)
        if i % 10 == 0:
            way.append(places.copy())
    return places, way


def missing(start: Any, steps: int) -> Any:
    """How far the probe is from the outer planet in the end, and a little of the fuel it takes."""
    places, _ = fly(start, steps)
    return ((places[2] - places[1]) ** 2).sum() + 1e-6 * (start**2).sum()


def main(small: bool = False, out: pathlib.Path | None = None) -> float:
    steps, fits = (200, 12) if small else (STEPS, 20)
    start = np.array([0.0, 1.2])
    optimizer = optim.lbfgs()
    state = optimizer.init(start)

    @np.jit
    def loss(start: Any) -> Any:
        return missing(start, steps)

    for _ in (bar := common.Progress("orbits", fits)):
        value, slope = optim.value_and_grad_from_state(loss)(start, state=state)
        updates, state = optimizer.update(
            slope, state, start, value=value, grad=slope, value_fn=loss
        )
        start = optim.apply_updates(start, updates)
        bar.say(f"missing {float(value) ** 0.5:.5f}")
    places, way = fly(start, steps)
    left = float(np.sqrt(((places[2] - places[1]) ** 2).sum()))
    print(f"orbits: {left:.5f} from the planet after {steps} steps, 1 being its neighbour's orbit")

    def draw(figure: Any) -> None:
        place = figure.subplots()
        paths = np.asnumpy(np.stack(way))
        for i, name in enumerate(("inner planet", "outer planet", "probe")):
            place.plot(*paths[:, i].T, label=name)
            place.plot(*paths[-1, i], "o", color=place.lines[-1].get_color())
        place.plot(0, 0, "*", color="orange", ms=14)
        place.set_aspect("equal")
        place.legend()

    if out is not None:
        common.plot(out / "orbits.png", draw)
    return left


if __name__ == "__main__":
    options = common.arguments(__doc__)
    main(options.small, options.out)
