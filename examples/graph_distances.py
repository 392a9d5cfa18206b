"""Distances in a maze of streets: `python examples/graph_distances.py`.

Crossings of a town are the nodes of a sparse graph, streets between neighbours its edges, some of
them closed. Its parts are found, the times from three fire stations to everywhere, the station that
is nearest to each crossing, and the cheapest set of streets that keeps everything connected.
"""

import pathlib
from typing import Any

import common

import heddle as np
from heddle.scipy import sparse
from heddle.scipy.sparse import csgraph


def town(n: int, rng: Any) -> Any:
    """Streets of n x n crossings, a fifth of them closed, with the minutes that they take."""
    places = np.arange(n * n).reshape(n, n)
    begin = np.concatenate([places[:, :-1].reshape(-1), places[:-1].reshape(-1)])
    end = np.concatenate([places[:, 1:].reshape(-1), places[1:].reshape(-1)])
    is_open = rng.random(len(begin)) < 0.8
    minutes = rng.uniform(0.5, 3.0, len(begin))
    return sparse.csr_array(
        (minutes[is_open], (begin[is_open], end[is_open])), shape=(n * n, n * n)
    )


def main(small: bool = False, out: pathlib.Path | None = None) -> float:
    n = 30 if small else 300
    rng = np.random.default_rng(3)
    streets = town(n, rng)
    stations = [n // 5 * n + n // 4, n // 2 * n + 3 * n // 4, 4 * n // 5 * n + n // 3]
    steps = {
        "parts": lambda: csgraph.connected_components(streets, directed=False),
        "times": lambda: csgraph.dijkstra(streets, directed=False, indices=stations),
        "nearest": lambda: csgraph.dijkstra(
            streets, directed=False, indices=stations, min_only=True, return_predecessors=True
        ),
        "tree": lambda: csgraph.minimum_spanning_tree(streets),
    }
    results: dict[str, Any] = {}
    names = list(steps)
    for i in (bar := common.Progress("graph", len(names))):
        results[names[i]] = steps[names[i]]()
        bar.say(names[i])
    count = results["parts"][0]
    times, (nearest, _, origin) = results["times"], results["nearest"]
    tree = results["tree"]
    reached = np.isfinite(nearest)
    assert bool(np.all(times.min(axis=0) == nearest))
    print(
        f"graph: {n * n} crossings in {count} parts, {float(reached.mean()):.1%} reached in "
        f"{float(nearest[reached].mean()):.0f} minutes in the mean, "
        f"{float(nearest[reached].max()):.0f} "
        f"at most; {tree.nnz} of {streets.nnz} streets connect all"
    )

    def draw(figure: Any) -> None:
        axes = figure.subplots(1, 3)
        shown = (times[0], nearest, np.where(origin < 0, np.nan, origin))
        titles = ("minutes from one station", "from the nearest", "which is nearest")
        for place, field, title in zip(axes, shown, titles, strict=True):
            field = np.where(np.isinf(field), np.nan, field)
            colours = {"cmap": "Set2"} if place is axes[2] else {"cmap": "viridis"}
            place.imshow(np.asnumpy(field).reshape(n, n), interpolation="nearest", **colours)
            for station in stations:
                place.plot(station % n, station // n, "r*")
            place.set_title(title)
            place.set_axis_off()

    if out is not None:
        common.plot(out / "graph_distances.png", draw)
    return float(reached.mean()) * (tree.nnz == n * n - count)


if __name__ == "__main__":
    options = common.arguments(__doc__)
    main(options.small, options.out)
