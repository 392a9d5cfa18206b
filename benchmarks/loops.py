"""Loops over few elements, as textbooks write them, against NumPy.

    .venv/bin/python benchmarks/loops.py [names ...]

Programs whose statements each take NumPy about a microsecond: rows and columns put one by one into
a fresh array, random walks, pairs of particles, windows, elements computed one from the other. What
they take is the interpreter, the making of results and the host's reading of them; kernels hardly
count. Times are of the process, the best of several runs; `first` is the first run, with what it
compiles. Results are compared.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy

import heddle

PROGRAMS: dict[str, Callable[..., Any]] = {}
_rng = numpy.random.default_rng(0)
DATA = {
    "a": _rng.random((200, 50)),
    "v": _rng.random(50),
    "w": _rng.random(200),
    "m": _rng.random((3, 3)),
    "big": _rng.random(20000),
    "idx": _rng.integers(0, 200, 500),
    "pts": _rng.random((100, 3)),
    "img": _rng.random((64, 64)),
}
REPEATS = 4


def program(function: Callable[..., Any]) -> Callable[..., Any]:
    PROGRAMS[function.__name__] = function
    return function


@program
def col_fill(np, d):
    out = np.zeros((200, 300))
    for i in range(300):
        out[:, i] = d["w"] * i
    return out


@program
def col_fill_pending(np, d):
    out = np.zeros((200, 300))
    x = d["w"]
    for i in range(300):
        x = x + 0.1 * np.sin(x)
        out[:, i] = x
    return out


@program
def row_outer(np, d):
    total = 0
    mean = d["pts"][0]
    for point in d["pts"]:
        y = point - mean
        total += np.outer(y, y)
    return total


@program
def frames(np, d):
    out = np.zeros((60, 64, 64))
    u = d["img"].copy()
    for t in range(60):
        u[1:-1, 1:-1] += 0.1 * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
        )
        out[t] = u
    return out


@program
def hist_list(np, d):
    u = d["v"].copy()
    h = []
    for _t in range(200):
        u = u * 0.99 + np.cos(u)
        h.append(u.copy())
    return np.array(h)


@program
def sums_list(np, d):
    h = []
    for t in range(200):
        h.append(np.sum(d["a"][t] * t))
    return np.array(h)


@program
def mean_rows(np, d):
    out = np.empty(200)
    for t in range(200):
        out[t] = np.mean(d["a"][t])
    return out


@program
def rot_points(np, d):
    out = np.zeros((100, 3))
    for i in range(100):
        out[i] = d["m"] @ d["pts"][i]
    return out


@program
def outer_acc(np, d):
    c = np.zeros((3, 3))
    for i in range(100):
        r = d["pts"][i] - 0.5
        c += np.outer(r, r)
    return c


@program
def pair_forces(np, d):
    f = np.zeros((100, 3))
    p = d["pts"]
    for i in range(40):
        for j in range(i + 1, 40):
            r = p[i] - p[j]
            q = r / (np.sqrt((r**2).sum()) ** 3 + 0.1)
            f[i] -= q
            f[j] += q
    return f


@program
def argmin_loop(np, d):
    r = np.zeros(100, dtype=int)
    for i in range(100):
        r[i] = np.argmin(((d["pts"] - d["pts"][i]) ** 2).sum(axis=1) + (np.arange(100) == i) * 9)
    return r


@program
def mask_loop(np, d):
    x = d["w"].copy()
    n = np.zeros(50)
    for i in range(50):
        k = x > i / 50
        n[i] = k.sum()
        x[k] *= 0.99
    return n


@program
def where_any(np, d):
    x = d["w"].copy()
    c = 0
    for _i in range(100):
        if np.any(x > 0.5):
            x[x > 0.5] -= 0.01
            c += 1
    return x


@program
def gather_rows(np, d):
    out = np.zeros((500, 50))
    for i in range(500):
        out[i] = d["a"][d["idx"][i]]
    return out


@program
def window(np, d):
    out = np.zeros(1000)
    b = d["big"]
    for i in range(1000):
        out[i] = b[i : i + 20].mean()
    return out


@program
def cumulative(np, d):
    x = np.zeros(2000)
    x[0] = 0.5
    for i in range(1, 2000):
        x[i] = 3.7 * x[i - 1] * (1 - x[i - 1])
    return x


@program
def rk4(np, d):
    def f(y):
        return np.array([y[1], -y[0] - 0.1 * y[1]])

    y = np.array([1.0, 0.0])
    out = np.zeros((200, 2))
    h = 0.05
    for i in range(200):
        k1 = f(y)
        k2 = f(y + h / 2 * k1)
        k3 = f(y + h / 2 * k2)
        k4 = f(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        out[i] = y
    return out


@program
def newton(np, d):
    x = d["w"] + 1.0
    for _i in range(50):
        dx = (x**2 - 2) / (2 * x)
        x = x - dx
        if np.max(np.abs(dx)) < 1e-14:
            break
    return x


@program
def gauss_seidel(np, d):
    u = d["img"].copy()
    for _k in range(2):
        for i in range(1, 30):
            for j in range(1, 30):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return u


@program
def power_iter(np, d):
    A = d["a"].T @ d["a"]
    x = np.ones(50)
    for _i in range(100):
        x = A @ x
        x /= np.linalg.norm(x)
    return x


@program
def cg(np, d):
    A = d["a"].T @ d["a"] + 50 * np.eye(50)
    b = d["v"]
    x = np.zeros(50)
    r = b - A @ x
    q = r.copy()
    rs = r @ r
    for _i in range(50):
        Aq = A @ q
        al = rs / (q @ Aq)
        x += al * q
        r -= al * Aq
        n = r @ r
        if np.sqrt(n) < 1e-12:
            break
        q = r + (n / rs) * q
        rs = n
    return x


@program
def random_walk(np, d):
    np.random.seed(0)
    x = np.zeros((100, 2))
    for i in range(1, 100):
        x[i] = x[i - 1] + np.random.normal(size=2)
    return x


@program
def mc_pi(np, d):
    np.random.seed(0)
    n = 0
    for _i in range(500):
        a, b = np.random.rand(), np.random.rand()
        if a * a + b * b < 1:
            n += 1
    return n


@program
def concat_grow(np, d):
    x = np.array([])
    for i in range(100):
        x = np.append(x, i * 0.5)
    return x


@program
def vstack_grow(np, d):
    x = np.zeros((0, 3))
    for i in range(60):
        x = np.vstack([x, d["pts"][i]])
    return x


@program
def slices_accum(np, d):
    y = np.zeros(300)
    for i in range(200):
        y[i : i + 50] += d["v"] * d["w"][i]
    return y


@program
def conv_naive(np, d):
    im = d["img"]
    k = d["m"]
    out = np.zeros((62, 62))
    for i in range(62):
        for j in range(62):
            out[i, j] = np.sum(im[i : i + 3, j : j + 3] * k)
    return out


@program
def fancy_update(np, d):
    x = np.zeros(200)
    for i in range(100):
        x[d["idx"][i : i + 5]] += 1.0
    return x


@program
def minmax_norm(np, d):
    out = np.zeros((200, 50))
    for i in range(200):
        r = d["a"][i]
        out[i] = (r - r.min()) / (r.max() - r.min())
    return out


@program
def dict_scalars(np, d):
    s = 0.0
    for i in range(300):
        x = d["pts"][i % 100]
        s += float(np.sqrt(x[0] ** 2 + x[1] ** 2)) * np.cos(x[2])
    return s


@program
def swap_rows(np, d):
    a = d["a"].copy()
    for i in range(100):
        a[[i, i + 1]] = a[[i + 1, i]]
    return a


@program
def sort_small(np, d):
    out = []
    for i in range(200):
        out.append(np.sort(d["a"][i])[25])
    return np.array(out)


@program
def solve_small(np, d):
    out = np.zeros((100, 3))
    for i in range(100):
        out[i] = np.linalg.solve(d["m"] + np.eye(3) * i, d["pts"][i])
    return out


@program
def roll_life(np, d):
    g = (d["img"] > 0.6).astype(int)
    for _t in range(30):
        n = sum(
            np.roll(np.roll(g, i, 0), j, 1)
            for i in (-1, 0, 1)
            for j in (-1, 0, 1)
            if (i, j) != (0, 0)
        )
        g = ((n == 3) | ((g == 1) & (n == 2))).astype(int)
    return g


@program
def trapz(np, d):
    s = 0
    for i in range(100):
        x = np.linspace(0, 1, 50)
        s += np.trapezoid(np.sin(x * i), x)
    return s


@program
def perceptron(np, d):
    w = np.zeros(50)
    for i in range(200):
        x = d["a"][i]
        y = 1 if x[0] > 0.5 else -1
        if y * np.dot(w, x) <= 0:
            w += y * x
    return w


@program
def hist_loop(np, d):
    h = np.zeros(10, dtype=int)
    for x in d["big"][:1000]:
        h[int(x * 10)] += 1
    return h


@program
def strings(np, d):
    return "".join(f"{x:.2f}" for x in d["w"])


def measure(np: Any, function: Callable[..., Any]) -> tuple[Any, float, float]:
    """The result, and seconds of the first run and of the best one."""
    data = {name: np.array(values) for name, values in DATA.items()}
    times = []
    for _ in range(REPEATS):
        began = time.process_time()
        made = function(np, data)
        if hasattr(made, "shape"):
            made = heddle.asnumpy(made)
        times.append(time.process_time() - began)
    return made, times[0], min(times)


def main() -> None:
    rows = []
    for name, function in PROGRAMS.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        expected, _, theirs = measure(numpy, function)
        found, first, ours = measure(heddle, function)
        same = found == expected if isinstance(found, str) else numpy.allclose(found, expected)
        rows.append((theirs / ours, name, theirs, ours, first, "" if same else "WRONG"))
    print("| loop | NumPy | Heddle | first | |\n|---|---:|---:|---:|---:|")
    for ratio, name, theirs, ours, first, wrong in sorted(rows):
        cells = (f"{seconds * 1e3:.2f} ms" for seconds in (theirs, ours, first))
        print(f"| {name} | {' | '.join(cells)} | {ratio:.2f}x {wrong}|")


if __name__ == "__main__":
    main()
