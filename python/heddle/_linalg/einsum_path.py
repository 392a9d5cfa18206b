"""In which order einsum contracts its operands: two at a time, so that the work is small.

A path is a list of tuples of positions in the list of operands: those are contracted, and their
result goes to the end of the list. Operands are sets of labels here.
"""

import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Any

Labels = frozenset[str]
Path = list[tuple[int, ...]]
Sizes = dict[str, int]


def size_of(labels: Iterable[str], sizes: Sizes) -> int:
    """The number of elements of an array with these labels."""
    return math.prod(sizes[label] for label in labels)


def _work(labels: Iterable[str], operands: int, summed: bool, sizes: Sizes) -> int:
    """Multiplications and additions of a contraction over these labels."""
    return size_of(labels, sizes) * (max(1, operands - 1) + bool(summed))


def contract(
    positions: Iterable[int], operands: Sequence[Labels], output: Labels
) -> tuple[Labels, Labels, list[Labels]]:
    """The labels of the operands at these positions, those of the result, and what is then left."""
    positions = set(positions)
    involved = Labels().union(*(operands[i] for i in positions))
    left = [labels for i, labels in enumerate(operands) if i not in positions]
    result = involved & output.union(*left)
    return involved, result, [*left, result]


def greedy(operands: Sequence[Labels], output: Labels, sizes: Sizes, limit: float) -> Path:
    """At each step the pair whose result takes the least memory, compared with its operands."""
    count = len(operands)
    if count <= 2:
        return [tuple(range(count))]
    everything = Labels().union(*operands)
    most = _work(everything, count, bool(everything - output), sizes)
    # Operands have names: their number, and results the next ones; `live` are those still there.
    named = dict(enumerate(operands))
    live = list(named)
    path: Path = []
    spent = 0
    known: list[tuple[tuple[int, int], tuple[int, int]]] = []  # sort key, pair of names

    def consider(pairs: Iterable[tuple[int, int]], apart: bool) -> None:
        for pair in pairs:
            first, second = (named[i] for i in pair)
            if not apart and first.isdisjoint(second):
                continue
            places = [live.index(i) for i in pair]
            involved, result, _ = contract(places, [named[i] for i in live], output)
            size = size_of(result, sizes)
            if size > limit:
                continue
            work = _work(involved, 2, bool(involved - result), sizes)
            if spent + work > most:
                continue
            freed = size_of(first, sizes) + size_of(second, sizes) - size
            known.append(((-freed, work), pair))

    fresh: Iterable[tuple[int, int]] = itertools.combinations(live, 2)
    for _ in range(count - 1):
        consider(fresh, apart=False)
        if not known:  # outer products, if nothing else is left
            consider(itertools.combinations(live, 2), apart=True)
        if not known:
            path.append(tuple(range(len(live))))
            break
        (_, work), pair = min(known, key=lambda item: item[0])
        places = tuple(live.index(i) for i in pair)
        _, result, _ = contract(places, [named[i] for i in live], output)
        path.append(places)
        spent += work
        name = len(named)
        named[name] = result
        live = [i for i in live if i not in pair]
        known = [item for item in known if not set(item[1]) & set(pair)]
        fresh = [(i, name) for i in live]
        live.append(name)
    return path


def optimal(operands: Sequence[Labels], output: Labels, sizes: Sizes, limit: float) -> Path:
    """The path of least work, by trying all of them."""
    found: list[tuple[int, Path, Sequence[Labels]]] = [(0, [], operands)]
    for left in range(len(operands), 1, -1):
        further = []
        for spent, path, current in found:
            for pair in itertools.combinations(range(left), 2):
                involved, result, rest = contract(pair, current, output)
                if size_of(result, sizes) <= limit:
                    work = _work(involved, 2, bool(involved - result), sizes)
                    further.append((spent + work, [*path, pair], rest))
        if not further:  # nothing fits: the rest at once
            return [*min(found, key=lambda item: item[0])[1], tuple(range(left))]
        found = further
    return min(found, key=lambda item: item[0])[1]


def choose(optimize: Any, terms: Sequence[str], output: str, sizes: Sizes) -> Path:
    """The path that the argument ``optimize`` of einsum asks for."""
    limit: float = max(size_of(labels, sizes) for labels in (*terms, output))
    if optimize is True:
        optimize = "greedy"
    elif optimize is None:
        optimize = False
    if optimize is not False and not isinstance(optimize, str):
        if len(optimize) and optimize[0] == "einsum_path":
            return [tuple(step) for step in optimize[1:]]
        if not (
            len(optimize) == 2
            and isinstance(optimize[0], str)
            and isinstance(optimize[1], int | float)
        ):
            raise TypeError(f"Did not understand the path: {optimize}")
        optimize, limit = optimize[0], int(optimize[1])
    sets = [Labels(term) for term in terms]
    if optimize is False or len(terms) <= 2 or Labels().union(*sets) == set(output):
        return [tuple(range(len(terms)))]
    if optimize == "greedy":
        return greedy(sets, Labels(output), sizes, limit)
    if optimize == "optimal":
        return optimal(sets, Labels(output), sizes, limit)
    raise KeyError("Path name %s not found", optimize)


def steps_of(
    path: Path, terms: Sequence[str], output: str, sizes: Sizes
) -> list[tuple[tuple[int, ...], list[str], str, list[str]]]:
    """For each step its positions, from the last; the terms there; their result; what is left."""
    left = list(terms)
    steps = []
    for number, positions in enumerate(path):
        positions = tuple(sorted(positions, reverse=True))
        _, result, _ = contract(positions, [Labels(term) for term in left], Labels(output))
        taken = [left.pop(i) for i in positions]
        last = number == len(path) - 1
        made = output if last else "".join(sorted(result, key=lambda label: (sizes[label], label)))
        left.append(made)
        steps.append((positions, taken, made, list(left)))
    if len(left) != 1:
        raise RuntimeError(
            f"Invalid einsum_path is specified: {len(left) - 1} more operands has to be contracted."
        )
    return steps


def describe(path: Path, terms: Sequence[str], output: str, sizes: Sizes) -> str:
    """NumPy's table of the steps of a path."""
    everything = Labels().union(*terms)
    inner = sum(len(set(term)) for term in terms) > len(everything)
    naive = _work(everything, len(terms), inner, sizes)
    rows, work, scales, largest = [], 1, [], []
    sets = [Labels(term) for term in terms]
    for positions, taken, made, left in steps_of(path, terms, output, sizes):
        involved, result, sets = contract(positions, sets, Labels(output))
        work += _work(involved, len(positions), bool(involved - result), sizes)
        scales.append(len(involved))
        largest.append(size_of(result, sizes))
        step, rest = f"{','.join(taken)}->{made}", f"{','.join(left)}->{output}"
        rows.append(f"\n{len(involved):4d}    {step:>24} {rest:>40}")
    line = "-" * 74
    return (
        f"  Complete contraction:  {','.join(terms)}->{output}\n"
        f"         Naive scaling:  {len(everything)}\n"
        f"     Optimized scaling:  {max(scales)}\n"
        f"      Naive FLOP count:  {naive:.3e}\n"
        f"  Optimized FLOP count:  {work:.3e}\n"
        f"   Theoretical speedup:  {naive / work:3.3f}\n"
        f"  Largest intermediate:  {max(largest):.3e} elements\n"
        f"{line}\n{'scaling':>6} {'current':>24} {'remaining':>40}\n{line}" + "".join(rows)
    )
