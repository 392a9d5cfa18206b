"""Kernels of random statements whose threads wait for, vote with and read from one another.

Each is written twice: for `simt`, and as a generator of Python's, which says at a `yield` what its
thread brings to a barrier, a vote or a shuffle. `run` lets the generators of a block go on.
"""

import contextlib
import re

import numpy as np
from random_statements import Statements

COLLECTIVE = re.compile(r"COLLECTIVE\((\w+), ")
NAMES = {
    "sync": "simt.syncthreads(",
    "count": "simt.syncthreads_count(",
    "and": "simt.syncthreads_and(",
    "or": "simt.syncthreads_or(",
    "warp": "simt.syncwarp(",
    "shfl": "simt.shfl_sync(",
    "up": "simt.shfl_up_sync(",
    "down": "simt.shfl_down_sync(",
    "xor": "simt.shfl_xor_sync(",
    "ballot": "simt.ballot_sync(",
    "any": "simt.any_sync(",
    "all": "simt.all_sync(",
    "match": "simt.match_any_sync(",
}


class Cooperating(Statements):
    """Statements with barriers where all threads of a block are, and votes where a warp's are.

    `level` says who runs the statement that is being written: "block", the text of a mask of
    lanes, or None where nobody knows.
    """

    level = "block"
    loop = None  # the level of the loop around, and whether one may leave it

    def call(self, kind, *arguments):
        return f"COLLECTIVE({kind}, {', '.join(arguments)})"

    def mask(self):
        return "0xFFFFFFFF" if self.level == "block" else self.level

    def at(self, level, depth, loop="same"):
        kept = self.level, self.loop
        self.level, self.loop = level, self.loop if loop == "same" else loop
        made = self.inside(depth)
        self.level, self.loop = kept
        return made

    def fetched(self):
        """A value of other threads, through shared memory."""
        name = self.one(*[n for n in self.integers if n not in self.fixed])
        number = self.one(*self.floats)
        place = self.one("(tid + 1) % B", "(tid * 5 + 3) % B", "B - 1 - tid", "tid ^ 1", "0")
        sync = self.call("sync", "").replace(", )", ")")
        kind = self.random.randrange(5)
        if kind == 0:
            return [f"s[tid] = {self.integer(2)} % 999", sync, f"{name} = s[{place}]", sync]
        if kind == 1:
            return [f"r[tid] = {self.float(2)} % 50.0", sync, f"{number} = r[{place}]", sync]
        if kind == 2:
            op = self.one("add", "max", "min", "xor")
            return [
                *("s[tid] = tid % 3", sync),
                f"ATOMIC({op}, s, ({self.integer(2)}) % B, ({self.integer(1)}) % 77)",
                *(sync, f"{name} = s[{place}]", sync),
            ]
        if kind == 3:
            return [f"{name} = h0(s, tid, {self.integer(2)} % 99)"]
        made = [f"s[tid] = {self.integer(1)} % 99", "d = B // 2", "while d > 0:"]
        made += [f"    {sync}", "    if tid < d:", "        s[tid] += s[tid + d]", "    d //= 2"]
        return [*made, sync, f"{name} = s[0] % 997", sync]

    def voted(self):
        """A value of other threads of the warp."""
        name = self.one(*[n for n in self.integers if n not in self.fixed])
        number = self.one(*self.floats)
        mask = self.mask()
        kind = self.random.randrange(6)
        whole = self.level == "block"
        if kind == 0:
            how = self.one("shfl", "up", "down", "xor") if whole else "shfl"
            by = self.one(1, 2, 5, 8, 16) if whole else f"FIRST({mask})"
            if self.random.random() < 0.5:
                return [f"{name} = {self.call(how, mask, f'{self.integer(2)} % 999', str(by))}"]
            return [f"{number} = {self.call(how, mask, f'{self.float(2)} % 50.0', str(by))}"]
        if kind == 1:
            return [f"{name} = {self.call('ballot', mask, self.truth(2))} % 991"]
        if kind == 2:
            return [f"{name} = {self.call('match', mask, f'{self.integer(2)} % 4')} % 991"]
        if kind == 3 and whole:
            made = [f"d = {self.one(16, 8, 4)}", "while d > 0:"]
            made += [f"    {name} = ({name} + {self.call('xor', mask, name, 'd')}) % 997"]
            return [*made, "    d //= 2"]
        if kind == 4:
            made = self.fresh("t")
            made_text = [f"{made} = {self.call(self.one('any', 'all'), mask, self.truth(2))} != 0"]
            self.truths.append(made)
            return made_text
        return [self.call("warp", mask), f"{name} = {self.call('ballot', mask, 'n > 2')} % 97"]

    def parted(self, depth):
        """Some lanes do one thing, and the others another: each knows who is with it."""
        test, mask, other = self.fresh("t"), self.fresh("w"), self.fresh("w")
        outer = self.mask()
        made = [f"{test} = {self.truth(2)}", f"{mask} = {self.call('ballot', outer, test)}"]
        every = outer if outer != "0xFFFFFFFF" else "0xFFFFFFFF"
        made += [f"{other} = {every} & ~{mask}", f"if {test}:", *self.at(mask, depth - 1, None)]
        if self.random.random() < 0.7:
            made += ["else:", *self.at(other, depth - 1, None)]
        return made

    def left(self):
        """Leaves or goes on with a loop that all of its threads are in."""
        if self.loop is None or self.loop != self.level:
            return []
        vote = "or" if self.level == "block" and self.random.random() < 0.5 else None
        if self.level == "block":
            test = self.call(vote or self.one("count", "and"), self.truth(2))
            test = f"{test} {self.one('> 0', '> 3')}"
        else:
            test = f"{self.call(self.one('any', 'all'), self.level, self.truth(2))} != 0"
        return [f"if {test}:", f"    {self.one('break', 'continue')}"]

    def together(self, depth):
        """A loop that all threads of the level go round in equally."""
        name = self.fresh("i")
        level = self.level
        over = self.one("3", "1, 4", "4, 0, -1", "F[0]", "F[1], 6, 2", "2 + simt.blockIdx.x")
        head = [f"for {name} in range({over}):"]
        if self.random.random() < 0.3:
            head = [f"{name} = {self.one(2, 3)}", f"while {name} > 0:", f"    {name} -= 1"]
        self.integers.append(name)
        self.fixed.add(name)
        made = [*head, *self.at(level, depth - 1, level)]
        self.integers.remove(name)
        if self.random.random() < 0.3:
            made += ["else:", *self.at(level, 0)]
        return made

    def statement(self, depth):
        if self.level is None:
            return super().statement(depth)
        kind = self.random.randrange(12)
        if kind < 3:
            return self.fetched() if self.level == "block" else self.voted()
        if kind < 5:
            return self.voted()
        if kind == 5:
            return self.left() or self.assignment()
        if depth > 0 and kind < 8:
            return self.together(depth)
        if depth > 0 and kind == 8:
            return self.parted(depth)
        if depth > 0 and kind == 9:
            test = self.one("F[2] > 0", "simt.blockIdx.x == 1", "F[0] > 2")
            made = [f"if {test}:", *self.at(self.level, depth - 1)]
            return made + (["else:", *self.at(self.level, depth - 1)] if depth > 1 else [])
        kept, self.level = self.level, None
        loop, self.loop = self.loop, None
        made = super().statement(min(depth, 2))
        self.level, self.loop = kept, loop
        return made


def program(seed):
    """The two texts of a kernel ``k(x, y, A, F, out)`` with blocks of 64 threads."""
    made = Cooperating(seed, False)
    helpers = made.helper("g0") if made.random.random() < 0.5 else []
    sync = "COLLECTIVE(sync)"
    helpers += ["def h0(s, tid, a):", "    s[tid] = a", f"    {sync}"]
    helpers += [f"    b = s[(tid + {made.one(1, 7, 33)}) % 64] - a", f"    {sync}", "    return b"]
    begin = ["i = simt.grid(1)", "tid = simt.threadIdx.x", "B = 64"]
    begin += ["s = simt.shared.array(64, 'int64')", "r = simt.shared.array(64, 'float64')"]
    begin += [sync, "n, m, u, v = i % 7, i * 3 - 50, x[i % 7], -2.5", "d = 0"]
    body = [line for _ in range(made.random.randrange(3, 8)) for line in made.statement(3)]
    if made.random.random() < 0.3:
        at = "if COLLECTIVE(or, m > 900) > 0:"
        body += [at, "    out[i, 0], out[i, 1], out[i, 2] = -m, v, u", "    return"]
        body += made.fetched()
    end = ["out[i, 0], out[i, 1], out[i, 2] = m, u, v"]
    lines = [*helpers, "def k(x, y, A, F, out):", *("    " + a for a in (*begin, *body, *end))]
    text = "\n".join(lines) + "\n"
    ours = COLLECTIVE.sub(lambda found: NAMES[found[1]], text).replace(
        "COLLECTIVE(sync)", "simt.syncthreads()"
    )
    ours = re.sub(r"ATOMIC\((\w+), ", r"simt.atomic.\1(", ours)
    ours = re.sub(r"FIRST\((\w+)\)", r"simt.ffs(\1) - 1", ours)
    theirs = re.sub(r"ATOMIC\((\w+), ", r"atomic('\1', ", text)
    theirs = theirs.replace("= h0(", "= yield from h0(")
    theirs = _with_yields(theirs)
    return f"import math\n{ours}", f"import math\n{theirs}"


def _with_yields(text):
    """Calls as `(yield (...))`: their brackets are matched."""
    while "COLLECTIVE(" in text:
        begin = text.index("COLLECTIVE(")
        depth, end = 0, begin + len("COLLECTIVE")
        while True:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
            if depth == 0:
                break
        inner = text[begin + len("COLLECTIVE(") : end - 1]
        kind, _, rest = inner.partition(", ")
        text = f"{text[:begin]}(yield ('{kind}', {rest}))" + text[end:]
    return text


def atomic(kind, array, place, value):
    old = int(array[place])
    done = {"add": old + value, "max": max(old, value), "min": min(old, value), "xor": old ^ value}
    array[place] = done[kind]


def first(mask):
    """The lowest lane of a mask."""
    return (mask & -mask).bit_length() - 1


class _Index:
    x = 0


class Block:
    """What stands for `simt` in the generators."""

    int64, float64 = "i8", "f8"

    def __init__(self, block, size):
        self.blockIdx, self.threadIdx, self.size = _Index(), _Index(), size
        self.blockIdx.x = block
        self.arrays = {}
        self.shared = self

    def array(self, length, dtype):
        return self.arrays.setdefault(dtype, np.zeros(length, dtype))

    def grid(self, _):
        return self.blockIdx.x * self.size + self.threadIdx.x


def run(function_of, blocks, size, arguments):
    """Run the generators of a text: `function_of` gives `k` for what `simt` is there."""
    for b in range(blocks):
        block = Block(b, size)
        k = function_of(block)
        threads = []
        asked = {}
        for t in range(size):
            block.threadIdx = _Index()
            block.threadIdx.x = t
            threads.append(k(*arguments))
            # Up to the first wait: the thread's number has been read by then.
            _next(threads, asked, t, None)
        while asked:
            answered = _answers(asked, size)
            assert answered, f"the generated kernel waits for ever: {asked}"
            for t, answer in answered.items():
                del asked[t]
                _next(threads, asked, t, answer)


def _next(threads, asked, t, answer):
    with contextlib.suppress(StopIteration):
        asked[t] = threads[t].send(answer)


def _answers(asked, size):
    kinds = {"sync", "count", "and", "or"}
    if len(asked) == size and all(a[0] in kinds for a in asked.values()):
        given = [bool(a[1]) if len(a) > 1 else True for a in asked.values()]
        of = {"sync": 0, "count": sum(given), "and": int(all(given)), "or": int(any(given))}
        return {t: of[a[0]] for t, a in asked.items()}
    answered = {}
    for t, a in asked.items():
        if a[0] in kinds or t in answered:
            continue
        base = t // 32 * 32
        lanes = [base + k for k in range(32) if a[1] >> k & 1 and base + k < size]
        if all(k in asked and asked[k][:2] == a[:2] for k in lanes):
            for k in lanes:
                answered[k] = _answer(asked, k, lanes)
    return answered


def _answer(asked, t, lanes):
    kind, _, *rest = asked[t]
    base, lane = t // 32 * 32, t % 32

    def value(k):
        return asked[base + k][2]

    if kind == "warp":
        return None
    if kind in ("shfl", "up", "down", "xor"):
        by = rest[1]
        source = {"shfl": by % 32, "up": lane - by, "down": lane + by, "xor": lane ^ by}[kind]
        return value(source) if 0 <= source < 32 else value(lane)
    if kind == "match":
        return sum(1 << (k % 32) for k in lanes if value(k % 32) == value(lane))
    true = sum(1 << (k % 32) for k in lanes if value(k % 32))
    return {"ballot": true, "any": int(true != 0), "all": int(true.bit_count() == len(lanes))}[kind]
