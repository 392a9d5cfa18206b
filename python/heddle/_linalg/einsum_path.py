"""The table that einsum_path prints of the order in which einsum contracts its operands.

A path is a list of tuples of positions in the list of operands: those are contracted, and their
result goes to the end of the list. Operands are sets of labels here.
"""

import math
from collections.abc import Iterable, Sequence

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
