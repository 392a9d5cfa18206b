"""The potential of some charges in a box, on a sparse grid: `python examples/sparse_poisson.py`.

Poisson's equation on a square with a grounded rim is a sparse system with five diagonals. It is
solved by conjugate gradients, plainly and with a preconditioner that makes two sweeps of a smoother
over it, and the four slowest modes of the box are found as eigenvectors of the same matrix.
"""

import pathlib
from typing import Any

import common

import heddle as np
from heddle.scipy import sparse
from heddle.scipy.sparse import linalg


def poisson(n: int) -> Any:
    """The negative Laplacian of a grid of n x n inner points, in compressed rows."""
    line = sparse.diags_array(
        [-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1]
    )
    one = sparse.eye_array(n)
    return (sparse.kron(one, line) + sparse.kron(line, one)).tocsr()


def smoother(A: Any) -> Any:
    """Three steps of Jacobi's iteration, which are an operator."""
    weight = 0.8 / A.diagonal()

    def product(r: Any) -> Any:
        x = weight * r
        for _ in range(2):
            x = x + weight * (r - A @ x)
        return x

    return linalg.LinearOperator(A.shape, matvec=product, dtype=A.dtype)


def main(small: bool = False, out: pathlib.Path | None = None) -> float:
    n = 48 if small else 400
    A = poisson(n)
    rng = np.random.default_rng(1)
    charges = np.zeros((n, n))
    for x, y, charge in zip(*rng.integers(n // 8, n - n // 8, (2, 6)), range(-3, 3), strict=True):
        charges[int(x), int(y)] = charge + 0.5
    right = charges.reshape(-1)
    histories: dict[str, list[float]] = {"plain": [], "preconditioned": []}
    potential = right
    for i in (bar := common.Progress("poisson", 3)):
        if i == 2:
            values, modes = linalg.eigsh(A, k=4, sigma=0.0, rng=0)
            bar.say(f"modes {float(values[0]) * (n + 1) ** 2:.2f} ...")
            continue
        name = list(histories)[i]
        M = smoother(A) if i else None
        norms = histories[name]
        potential, info = linalg.cg(
            A,
            right,
            rtol=1e-8,
            M=M,
            callback=lambda x, norms=norms: norms.append(float(np.linalg.norm(right - A @ x))),
        )
        bar.say(f"{name}: {len(norms)} steps, info {info}")
    error = float(np.linalg.norm(A @ potential - right) / np.linalg.norm(right))
    exact = 2 * np.pi**2  # the slowest mode of a square of side 1
    found = float(values[0]) * (n + 1) ** 2
    print(
        f"poisson: {n * n} unknowns, {len(histories['plain'])} steps, "
        f"{len(histories['preconditioned'])} with a preconditioner, residual {error:.0e}; "
        f"slowest mode {found:.3f}, {exact:.3f} in the limit"
    )

    def draw(figure: Any) -> None:
        axes = figure.subplots(1, 3)
        field = np.asnumpy(potential).reshape(n, n)
        axes[0].imshow(field, cmap="RdBu", vmin=-abs(field).max(), vmax=abs(field).max())
        axes[0].set_title("potential")
        axes[1].imshow(np.asnumpy(modes[:, 2]).reshape(n, n), cmap="RdBu")
        axes[1].set_title("third mode")
        for place in axes[:2]:
            place.set_axis_off()
        for name, norms in histories.items():
            axes[2].semilogy(norms, label=name)
        axes[2].set_xlabel("step")
        axes[2].set_title("residual")
        axes[2].legend()

    if out is not None:
        common.plot(out / "sparse_poisson.png", draw)
    return error + abs(found / exact - 1)


if __name__ == "__main__":
    options = common.arguments(__doc__)
    main(options.small, options.out)
