"""Random scripts of more kinds of arrays and calls than those of script_programs.py: boxes of
three dimensions, complex fields, small and unsigned whole numbers, solves, cumulative operations,
loops of heddle.lax, and plain loops of many passes.
"""

import types

import numpy
from script_programs import EDGE, FIELDS, ROWS, Script

BOX = "b"  # (3, n, m)
WAVE = "psi"  # (n, m), complex
BYTES = "h"  # (n, m), uint8


def _copied(carry):
    return tuple(map(numpy.copy, carry)) if isinstance(carry, tuple) else carry.copy()


def _scan(body, carry, rows):
    carry, made = _copied(carry), []
    for row in rows:
        carry, one = body(carry, row)
        made.append(one)
    return carry, numpy.stack(made)


def _fori_loop(first, end, body, carry):
    carry = _copied(carry)
    for step in range(first, end):
        carry = body(step, carry)
    return carry


def _while_loop(condition, body, carry):
    carry = _copied(carry)
    while condition(carry):
        carry = body(carry)
    return carry


def _cond(condition, yes, no, *operands):
    return (yes if condition else no)(*operands)


class _Numpy(types.ModuleType):
    """NumPy with the loops of heddle.lax."""

    lax = types.SimpleNamespace(
        scan=_scan, fori_loop=_fori_loop, while_loop=_while_loop, cond=_cond
    )

    def __getattr__(self, name):
        return getattr(numpy, name)


NUMPY = _Numpy("numpy")


class WideScript(Script):
    """`passes`: how many a plain loop may have beside the few that all may have. Long ones damp
    what they do, so that rounding does not grow."""

    floats = (*Script.floats, BOX, WAVE)
    names = (*floats, "k", BYTES, "i", "j")

    def __init__(self, seed, smooth=False, passes=None):
        self.passes = passes
        super().__init__(seed, smooth)

    # --- expressions ---

    def wide_field(self):
        """More that has the shape of a field."""
        x, y, w = (self.one(FIELDS) for _ in range(3))
        axis = self.whole(0, 1)
        kinds = [
            f"{BOX}.{self.one(['mean', 'max', 'min', 'sum', 'std'])}(axis=0)",
            f"{BOX}[{self.whole(-3, 2)}]",
            f"np.einsum('kij,kj->ij', {BOX}, {BOX}[:, 0]) * 0.1",
            f"np.einsum('kij,ij->ij', {BOX}, {x})",
            f"np.tensordot({BOX}.sum(axis=(1, 2)) * 0.01, {BOX}, axes=(0, 0))",
            f"np.moveaxis({BOX}, 0, -1)[..., 1]",
            f"np.abs({WAVE})",
            f"{WAVE}.real",
            f"{WAVE}.imag",
            f"np.fft.ifft(np.fft.fft({x}, axis={axis}) * 0.5, axis={axis}).real",
            f"np.fft.irfft(np.fft.rfft({x}, axis=1)[:, :2], n={self.m}, axis=1)",
            f"np.maximum.accumulate({x}, axis={axis})",
            f"np.cumprod(np.tanh({x}), axis={axis})",
            f"np.logaddexp.accumulate(np.clip({x}, -9, 9), axis={axis})",
            f"np.cumsum({x}[::-1], axis=0)[::-1] * 0.1",
            f"np.linalg.solve(np.eye({self.n}) * 3 + np.tanh({x} @ {y}.T) / {self.n}, {w})",
            f"(np.linalg.inv(np.eye({self.n}) * 3 + np.tanh({x} @ {y}.T) / {self.n}) @ {w})",
            f"(np.linalg.cholesky(np.eye({self.n}) + np.tanh({x}) @ np.tanh({x}).T) @ {w} * 0.1)",
            f"np.take_along_axis({x}, np.argsort(np.round({y}, 3), axis=1, kind='stable'), axis=1)",
            f"np.partition({x}, 2, axis=1)[:, 2:3]",
            f"np.median({x}, axis={axis}, keepdims=True)",
            f"np.repeat({x}[:, :1], {self.m}, axis=1)",
            f"np.tile({x}[:1], ({self.n}, 1))",
            f"np.where(({x} > {EDGE}) & ({y} < 1), {w}, {x} * {y})",
            f"np.select([{x} > 1, {y} > {EDGE}], [{w}, 0.5], {x})",
            f"({x} - np.linalg.norm({y}, axis=1)[:, None] * 0.01)",
            f"({x} / np.sqrt(1 + np.cumsum({y} * {y}, axis={axis})))",
            f"np.hypot({x}, {y})",
            f"np.arctan2({x}, 2 + np.abs({y}))",
        ]
        return self.one(kinds)

    def field(self, depth=0):
        return self.wide_field() if self.random.random() < 0.3 else super().field(depth)

    # --- statements ---

    def more_kinds(self):
        x, y, p = self.one(FIELDS), self.one(FIELDS), self.one(ROWS)
        return [
            *[lambda: self.one(self.boxes(x, y))] * 3,
            *[lambda: self.one(self.waves(x, y))] * 3,
            *[lambda: self.one(self.loops(x, y, p))] * 3,
            lambda: f"{x} = {self.wide_field()} + 0 * {y}",
            *([] if self.smooth else [lambda: self.one(self.small_numbers(x))] * 2),
            *([] if self.passes is None or self.depth else [self.long_loop] * 4),
        ]

    def boxes(self, x, y):
        layer, change = self.whole(-3, 2), self.one(["=", "+=", "-=", "*="])
        return [
            f"{BOX}[{layer}] {change} {self.field()}",
            f"{BOX}[..., 1:] -= {BOX}[..., :-1] * 0.5",
            f"{BOX}[:, 1:-1, 1:-1] = {self.inner()}",
            f"{BOX} = np.stack([{x}, {y}, {self.field()} + 0 * {x}])",
            f"{BOX} = {BOX}[::-1] * {x}",
            f"{BOX}[1:] {self.one(['+=', '='])} {BOX}[:-1] * 0.5",
            f"{BOX}[{BOX} > {EDGE}] = 0.5",
            f"{BOX} = np.sort({BOX}, axis={self.whole(0, 2)})",
            f"{BOX}[:, i] = {BOX}[:, i[::-1]] * 0.5",
            f"{BOX}.transpose(2, 0, 1)[0] = {x}[:, 0]",
            f"{BOX} = np.cumsum({BOX}, axis={self.whole(0, 2)}) * 0.2",
            f"{BOX} -= {BOX}.mean(axis={self.one(['0', '(1, 2)', '(0, 2)', '-1'])}, keepdims=True)",
            f"{BOX} = np.matmul({BOX}, np.swapaxes({BOX}, 1, 2) @ {BOX}) * 0.001",
            f"{BOX} = np.concatenate(({BOX}[1:], {x}[None]))",
            f"{BOX}.reshape(3, -1)[:, ::2] *= 0.5",
            f"np.multiply({BOX}, {x}, out={BOX})",
            f"{x}[...] = {BOX}[{layer}]",
        ]

    def waves(self, x, y):
        axis = self.whole(0, 1)
        return [
            f"{WAVE} = {WAVE} * 0.5 + 1j * {x}",
            f"{WAVE} = np.fft.{self.one(['fft', 'ifft'])}({WAVE}, axis={axis}) * 0.3",
            f"{WAVE}.{self.one(['real', 'imag'])}[1:] {self.one(['=', '+='])} {y}[:-1]",
            f"{WAVE} = {WAVE} * np.conj({WAVE}[::-1]) * 0.5",
            f"{WAVE}[1:-1, 1:-1] {self.one(['=', '+=', '*='])} {self.inner()}",
            f"{WAVE} = np.exp(1j * np.clip({x}, -9, 9)) + {WAVE} * 0.1",
            f"{WAVE} /= 1 + np.abs({WAVE})",
            f"{WAVE} = np.cumsum({WAVE}, axis={axis}) * (0.1 + 0.2j)",
            f"{x} = ({WAVE} @ np.conj({WAVE}).T @ {WAVE}).real * 0.01",
            f"{WAVE} = np.where({x} > {EDGE}, {WAVE}, {WAVE}.conj())",
            f"{WAVE} = np.fft.ifft2(np.fft.fft2({WAVE}) * (1 + {y} * 0.1))",
            f"{WAVE}[0] = {WAVE}.mean(axis=0)",
            f"{x} = np.sqrt(1 + {WAVE} * {WAVE}.conj()).real",
        ]

    def loops(self, x, y, p):
        scanned = f"np.lax.scan(lambda a, r: (np.tanh(a + r) * 0.5, a * r), {p}, {x})"
        passes, kept = self.whole(1, 12), self.one(FIELDS)
        return [
            f"{p}, {y} = {scanned}",
            f"{x} = np.lax.fori_loop(0, {passes}, lambda s, a: a * 0.5 + np.tanh({y} + s), {x})",
            f"{x} = np.lax.fori_loop(1, {passes}, lambda s, a: np.roll(a, 1, axis=0) / s, {x})",
            (
                f"{x}, {y} = np.lax.fori_loop(0, {passes}, "
                f"lambda s, t: (t[1] * 0.5, np.sin(t[0]) + {kept} * 0.1), ({x}, {y}))"
            ),
            (
                f"{BOX} = np.lax.scan(lambda a, r: (np.sin(a + r.T @ r * 0.01 @ np.ones("
                f"({self.m}, 1)) * 0.1), r * a.mean()), np.ones(({self.m}, 1)), {BOX})[1]"
            ),
            f"{x} = np.lax.while_loop(lambda a: np.abs(a).max() > 1.5, lambda a: a * 0.7, {x})",
            (
                f"{x} = np.lax.cond({y}.sum() > {EDGE}, lambda a: a * 0.5 + {y}, "
                f"lambda a: np.sort(a, axis=0) * 1.0, {x})"
            ),
            (
                f"{WAVE} = np.lax.fori_loop(0, {passes}, "
                f"lambda s, a: np.fft.fft(a, axis=1) * 0.2 + {y}, {WAVE})"
            ),
            (
                f"{x} = np.lax.fori_loop(0, {passes}, lambda s, a: np.linalg.solve("
                f"np.eye({self.n}, dtype=a.dtype) * 3 + np.tanh(a @ a.T) / {self.n}, {y} + a), {x})"
            ),
        ]

    def small_numbers(self, x):
        return [
            f"{BYTES} += 100",
            f"{BYTES} = ({BYTES} * {BYTES}) ^ 5",
            f"{BYTES}[1:] -= {BYTES}[:-1]",
            f"{BYTES} = (k & 255).astype(np.uint8) + ({BYTES} >> 1)",
            f"k = k + {BYTES}.astype(np.int64) // 3 - np.cumsum({BYTES} % 4, axis=1)",
            f"k = np.sort(k, axis={self.whole(0, 1)}) % 11",
            "k[i] = np.maximum.accumulate(k, axis=0)[i[::-1]]",
            f"np.add.at(k, (i, j[:3]), {BYTES}[i, j[:3]])",
            f"{x} = np.bincount({BYTES}.ravel() % {self.m}, minlength={self.m}) * 0.1 + 0 * {x}",
            f"k = np.where({BYTES} > 128, k << 1, k >> 1) % 1000",
            f"{BYTES}[{x} > {EDGE}] = {BYTES}.max()",
            f"k[:, 0] = np.argmax({x}, axis=1) + np.searchsorted(np.sort({x}[0]), {x}[:, 0])",
            f"{BYTES} = np.invert({BYTES}[::-1])",
            f"k = np.floor({x} * 7).astype(np.int64) % 13 - k % 5",
        ]

    def long_loop(self):
        """A loop of many passes, whose statements bring fields a bit nearer to what they make."""
        self.emit(f"for step in range({self.one(self.passes)}):")
        self.depth += 1
        for _ in range(self.whole(1, 4)):
            x, y = self.one(FIELDS), self.one(FIELDS)
            place = f"step % {self.n}"
            kinds = [
                f"{x} = {x} * 0.9 + 0.1 * np.tanh({self.field()})",
                f"{x}[1:-1, 1:-1] += 0.1 * (np.tanh({self.inner()}) - {x}[1:-1, 1:-1])",
                f"{BOX}[step % 3] = {x} * 0.5 + {BOX}[(step + 1) % 3] * 0.4",
                f"{WAVE} = {WAVE} * (0.9 + 0.1j) + 0.1 * {x}",
                f"{x}[{place}] = {y}[({place}) - 1] * 0.5 + {self.one(ROWS)} * 0.1",
                f"{self.one(ROWS)}[:] = {x}[{place}] * 0.5",
                f"c = c * 0.9 + {x}.mean(axis=1) * 0.1",
                f"{x}, {y} = {y}, {x}",
                f"{x}[:, step % {self.m}] *= 0.5",
                f"{x} += 0.01 * (step - 3) / 100",
            ]
            self.emit(self.one(kinds))
        self.depth -= 1

    # --- running ---

    def inputs(self, seed, dtype="f8"):
        made = super().inputs(seed, dtype)
        rng = numpy.random.default_rng(seed + 1)
        made[BOX] = rng.standard_normal((3, self.n, self.m)).astype(dtype)
        parts = [rng.standard_normal((self.n, self.m)).astype(dtype) for _ in range(2)]
        made[WAVE] = (parts[0] + dtype_of(dtype)(1j) * parts[1]).astype(dtype_of(dtype))
        made[BYTES] = rng.integers(0, 256, (self.n, self.m)).astype(numpy.uint8)
        return made


def dtype_of(real):
    """The complex type of a real one."""
    return {"f8": numpy.complex128, "f4": numpy.complex64}[real]
