"""Clusters of stars by their neighbours: `python examples/nearest_neighbours.py`.

Stars of a few clusters lie among many that belong to none. A k-d tree, built on the device, tells
of each star how far its tenth neighbour is: near ones are in a crowd. Those of a crowd that see
each other are one cluster, which the components of their graph are.
"""

import pathlib
from typing import Any

import common

import heddle as np
from heddle.scipy.sparse import coo_array
from heddle.scipy.sparse.csgraph import connected_components
from heddle.scipy.spatial import KDTree

NEIGHBOURS = 10


def stars(clusters: int, each: int, rng: Any) -> tuple[Any, Any]:
    """Places of stars in a box, and the cluster of each, -1 for none."""
    side = int(np.ceil(np.sqrt(clusters)))
    number = np.arange(clusters)
    middle = (np.stack([number // side, number % side], axis=1) + 0.5) / side
    middle = np.concatenate([middle, rng.random((clusters, 1))], axis=1)
    crowd = np.repeat(middle, each, axis=0) + rng.normal(0, 0.02, (clusters * each, 3))
    places = np.concatenate([crowd, rng.random((clusters * each, 3))])
    truth = np.concatenate([np.repeat(number, each), np.full(clusters * each, -1)])
    return places, truth


def main(small: bool = False, out: pathlib.Path | None = None) -> float:
    clusters, each = (4, 200) if small else (9, 8000)
    places, truth = stars(clusters, each, np.random.default_rng(11))
    found: dict[str, Any] = {}
    titles = ("tree", "neighbours", "clusters")
    for i in (bar := common.Progress("nearest_neighbours", len(titles))):
        if i == 0:
            found["tree"] = KDTree(places)
        elif i == 1:
            far, near = found["tree"].query(places, k=NEIGHBOURS + 1)
            found["far"], found["near"] = far[:, -1], near[:, 1:]
        else:
            dense = found["far"] < 0.45 * np.median(found["far"][truth < 0])
            source = np.repeat(np.arange(len(places)), NEIGHBOURS)
            target = found["near"].reshape(-1)
            kept = dense[source] & dense[target]
            edges = coo_array(
                (kept.astype(float), (source, target)), shape=(len(places), len(places))
            ).tocsr()
            edges.eliminate_zeros()
            _, labels = connected_components(edges, directed=False)
            found["labels"] = np.where(dense, labels, -1)
        bar.say(titles[i])
    labels = found["labels"]
    sizes = np.bincount(labels[labels >= 0])
    large = np.flatnonzero(sizes > each // 3)
    # A cluster is found where most of its stars have one number, which no other cluster has.
    own = [
        np.bincount(labels[(truth == c) & (labels >= 0)], minlength=len(sizes))
        for c in range(clusters)
    ]
    share = [float(counts.max()) / each for counts in own]
    distinct = len({int(np.argmax(counts)) for counts in own})
    right = sum(s > 0.5 for s in share) / clusters if distinct == clusters else 0.0
    print(
        f"nearest_neighbours: {len(large)} clusters of {clusters} among {len(places)} stars, with "
        f"{100 * sum(share) / clusters:.0f} % of their stars"
    )

    def draw(figure: Any) -> None:
        left, place = figure.subplots(1, 2)
        x, y = np.asnumpy(places[:, 0]), np.asnumpy(places[:, 1])
        left.scatter(x, y, s=1, c=np.asnumpy(np.log(found["far"])), cmap="viridis_r")
        left.set_title("distance of the tenth neighbour")
        shown = np.asnumpy(np.isin(labels, large))
        place.scatter(x[shown], y[shown], s=1, c=np.asnumpy(labels)[shown] % 10, cmap="tab10")
        place.set_title(f"{len(large)} clusters")
        for each_place in (left, place):
            each_place.set_aspect("equal")

    if out is not None:
        common.plot(out / "nearest_neighbours.png", draw)
    return right


if __name__ == "__main__":
    options = common.arguments(__doc__)
    main(options.small, options.out)
