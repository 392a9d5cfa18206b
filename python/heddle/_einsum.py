"""Einstein summation: products of arrays, summed over axes that share a label.

An expression is contracted two operands at a time. A contraction that is a product of matrices is
given to BLAS, after moving axes; another one is a broadcast product and a sum in one kernel.
"""

import functools
import math
import operator
import string
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as _numpy

from heddle import _core, _einsum_path
from heddle._arguments import as_target, check_casting, check_order, dims
from heddle._core import ndarray, ufuncs
from heddle._inputs import as_array

_symbols = string.ascii_uppercase + string.ascii_lowercase


class _Expression(NamedTuple):
    terms: tuple[str, ...]  # a label for each axis of each operand
    output: str
    sizes: dict[str, int]


def _labels(subscripts: Any) -> str:
    """The labels of a list of integers and Ellipsis."""
    made = ""
    for item in subscripts:
        if item is Ellipsis:
            made += "..."
            continue
        try:
            number = operator.index(item)
        except TypeError:
            raise TypeError("each subscript must be either an integer or an ellipsis") from None
        if not 0 <= number < len(_symbols):
            raise ValueError("subscript is not within the valid range [0, 52)")
        made += _symbols[number]
    return made


def _split(args: tuple[Any, ...]) -> tuple[str, list[ndarray]]:
    """The subscripts as a string, and the operands."""
    if not args or (isinstance(args[0], str) and len(args) < 2):
        raise ValueError(
            "must specify the einstein sum subscripts string and at least one operand, or at least "
            "one operand and its corresponding subscripts list"
        )
    if isinstance(args[0], str):
        return args[0], [as_array(a) for a in args[1:]]
    pairs = len(args) // 2
    if not pairs:
        raise ValueError("einsum: an operand needs its list of subscripts")
    text = ",".join(_labels(args[2 * i + 1]) for i in range(pairs))
    if len(args) % 2:
        text += "->" + _labels(args[-1])
    return text, [as_array(args[2 * i]) for i in range(pairs)]


def _terms(text: str) -> tuple[list[str], str | None]:
    """The terms of the operands, and of the output if it is given."""
    inputs, arrow, rest = text.replace(" ", "").partition("->")
    for label in inputs + rest:
        if label not in _symbols and label not in ".,":
            raise ValueError(
                f"invalid subscript '{label}' in einstein sum subscripts string, subscripts must "
                "be letters"
            )
    if "," in rest:
        raise ValueError("einsum: the output has one term, without ','")
    return inputs.split(","), rest if arrow else None


def _without_ellipses(
    terms: list[str], output: str | None, shapes: Sequence[tuple[int, ...]], sum_ellipses: bool
) -> tuple[list[str], str]:
    """Ellipses become labels that nobody uses; they are broadcast from the last axis on."""
    for i, term in enumerate((*terms, output or "")):
        if "." in term and (term.count(".") != 3 or "..." not in term):
            where = f"in operand {i}" if i < len(terms) else "in the output"
            raise ValueError(
                "einstein sum subscripts string contains a '.' that is not part of an ellipsis "
                f"('...') {where}"
            )
    used = set("".join(terms) + (output or ""))
    free = [label for label in _symbols if label not in used]
    longest = 0
    spread = []
    for i, (term, shape) in enumerate(zip(terms, shapes, strict=True)):
        named = len(term.replace("...", ""))
        if named > len(shape):
            raise ValueError(
                f"einstein sum subscripts string contains too many subscripts for operand {i}"
            )
        count = len(shape) - named
        if count and "..." not in term:
            raise ValueError(
                "operand has more dimensions than subscripts given in einstein sum, but no '...' "
                "ellipsis provided to broadcast the extra dimensions."
            )
        longest = max(longest, count)
        if longest > len(free):
            raise ValueError("einsum: too many dimensions")
        spread.append(term.replace("...", "".join(free[len(free) - count :])))
    ellipsis = "".join(free[len(free) - longest :])
    if output is None:
        letters = "".join(terms).replace(".", "")
        single = sorted(label for label in set(letters) if letters.count(label) == 1)
        return spread, ellipsis + "".join(single)
    if longest and "..." not in output and not sum_ellipses:
        raise ValueError(
            "output has more dimensions than subscripts given in einstein sum, but no '...' "
            "ellipsis provided to broadcast the extra dimensions."
        )
    return spread, output.replace("...", ellipsis)


@functools.lru_cache(maxsize=1024)
def _parse(text: str, shapes: tuple[tuple[int, ...], ...], sum_ellipses: bool) -> _Expression:
    terms, output = _terms(text)
    if len(terms) != len(shapes):
        more = "more" if len(terms) > len(shapes) else "fewer"
        raise ValueError(
            f"{more} operands provided to einstein sum function than specified in the subscripts "
            "string"
        )
    terms, output = _without_ellipses(terms, output, shapes, sum_ellipses)
    for label in output:
        if output.count(label) > 1:
            raise ValueError(
                f"einstein sum subscripts string includes output subscript '{label}' multiple times"
            )
        if not any(label in term for term in terms):
            raise ValueError(
                f"einstein sum subscripts string included output subscript '{label}' which never "
                "appeared in an input"
            )
    sizes: dict[str, int] = {}
    for term, shape in zip(terms, shapes, strict=True):
        own: dict[str, int] = {}
        for label, extent in zip(term, shape, strict=True):
            if own.setdefault(label, extent) != extent:
                raise ValueError(
                    f"dimensions in single operand for collapsing index '{label}' don't match "
                    f"({own[label]} != {extent})"
                )
            if sizes.setdefault(label, extent) == 1:
                sizes[label] = extent
            if extent not in (1, sizes[label]):
                raise ValueError(
                    f"operands could not be broadcast together: label '{label}' has the sizes "
                    f"{sizes[label]} and {extent}, of shapes " + " ".join(map(dims, shapes))
                )
    return _Expression(tuple(terms), output, sizes)


def _path(optimize: Any, expression: _Expression) -> list[tuple[int, ...]]:
    return _einsum_path.choose(optimize, *expression)


@functools.lru_cache(maxsize=1024)
def _default_steps(text: str, shapes: tuple[tuple[int, ...], ...], sum_ellipses: bool) -> list[Any]:
    """The steps of the greedy path."""
    expression = _parse(text, shapes, sum_ellipses)
    return _einsum_path.steps_of(_path("greedy", expression), *expression)


def _diagonal(a: ndarray, term: str) -> tuple[ndarray, str]:
    """A view with each label once: axes that share one become their diagonal."""
    if len(set(term)) == len(term):
        return a, term
    once = "".join(dict.fromkeys(term))
    places = [[i for i, other in enumerate(term) if other == label] for label in once]
    shape = tuple(a.shape[axes[0]] for axes in places)
    strides = tuple(sum(a.strides[i] for i in axes) for axes in places)
    return a._strided(shape, strides, 0), once


def _arranged(a: ndarray, term: str, wanted: str) -> ndarray:
    """The axes in the order of the labels."""
    if term == wanted:
        return a
    return a._transpose(tuple(term.index(label) for label in wanted))


def _spread(a: ndarray, term: str, wanted: str) -> ndarray:
    """The same with axes of extent one for labels that it has not."""
    own = "".join(label for label in wanted if label in term)
    shape = tuple(a.shape[term.index(label)] if label in term else 1 for label in wanted)
    a = _arranged(a, term, own)
    return a if a.shape == shape else a._reshape(shape)


def _sum(a: ndarray, axes: tuple[int, ...], kind: Any) -> ndarray:
    if not axes:
        return a
    return _core.reduce(ufuncs["logical_or" if kind.kind == "b" else "add"], a, axes, False, kind)


def _prepared(
    a: ndarray, term: str, needed: set[str], kind: Any, sizes: Any
) -> tuple[ndarray, str]:
    """An operand of a contraction: converted, without labels that it need not have."""
    a, term = _diagonal(a, term)
    if a.dtype != kind:
        a = a._astype(kind, "K")
    single = [i for i, label in enumerate(term) if a.shape[i] == 1 and sizes[label] != 1]
    if single:
        a = a._reshape(tuple(n for i, n in enumerate(a.shape) if i not in single))
        term = "".join(label for i, label in enumerate(term) if i not in single)
    own = tuple(i for i, label in enumerate(term) if label not in needed)
    return _sum(a, own, kind), "".join(label for label in term if label in needed)


def _multiplied(
    operands: Sequence[ndarray], terms: Sequence[str], output: str, kind: Any
) -> ndarray:
    """The broadcast product of all operands, summed over what the output has not."""
    summed = "".join(
        dict.fromkeys(label for term in terms for label in term if label not in output)
    )
    everything = output + summed
    product = None
    multiply = ufuncs["logical_and" if kind.kind == "b" else "multiply"]
    for a, term in zip(operands, terms, strict=True):
        spread = _spread(a, term, everything)
        product = spread if product is None else _core.apply(multiply, (product, spread), None)
    return _sum(product, tuple(range(len(output), len(everything))), kind)


def _pair(a: ndarray, left: str, b: ndarray, right: str, output: str, kind: Any) -> ndarray:
    """Two operands that share the labels they are summed over."""
    both = [label for label in left if label in right]
    batch = "".join(label for label in both if label in output)
    inner = "".join(label for label in both if label not in output)
    rows = "".join(label for label in left if label not in right)
    columns = "".join(label for label in right if label not in left)
    height = math.prod(a.shape[left.index(label)] for label in rows)
    width = math.prod(b.shape[right.index(label)] for label in columns)
    # With one row and column it is a dot product, which needs no axes in any order.
    if not inner or height * width <= 1 or kind.kind == "b":
        return _multiplied((a, b), (left, right), output, kind)
    a = _arranged(a, left, batch + rows + inner)
    b = _arranged(b, right, batch + inner + columns)
    stack = a.shape[: len(batch)]
    depth = math.prod(a.shape[len(batch) + len(rows) :])
    shape = (*stack, *a.shape[len(batch) :][: len(rows)], *b.shape[len(batch) + len(inner) :])
    a = a._reshape((*stack, height, depth))
    b = b._reshape((*stack, depth, width))
    return _spread(_core.matrix_product(a, b, kind)._reshape(shape), batch + rows + columns, output)


def _step(
    operands: list[ndarray], terms: Sequence[str], output: str, kind: Any, sizes: Any
) -> ndarray:
    """One contraction."""
    prepared = []
    for i, (a, term) in enumerate(zip(operands, terms, strict=True)):
        others = set(output).union(*(t for j, t in enumerate(terms) if j != i))
        prepared.append(_prepared(a, term, others, kind, sizes))
    if len(prepared) == 2:
        (a, left), (b, right) = prepared
        if (left, right) != tuple(terms):  # what is broadcast in one operand is the other's alone
            a, left = _prepared(a, left, set(output) | set(right), kind, sizes)
            b, right = _prepared(b, right, set(output) | set(left), kind, sizes)
        return _pair(a, left, b, right, output, kind)
    return _multiplied([a for a, _ in prepared], [t for _, t in prepared], output, kind)


def _view(a: ndarray, term: str, output: str) -> ndarray:
    """Of one operand of which nothing is summed: its axes in another order, or diagonals."""
    a, term = _diagonal(a, term)
    made = _arranged(a, term, output)
    return made if made is not a else a[...]


def _types(
    operands: list[ndarray], target: ndarray | None, kind: Any, casting: str, storing: str
) -> Any:
    """The type to compute in; `casting` and `storing` are rules for the operands and the output."""
    if kind is None:
        kind = _core.common_type(*operands, *(() if target is None else (target,)))
    for i, a in enumerate(operands):
        if not _core.can_cast(a.dtype, kind, casting):
            raise TypeError(
                f"einsum: operand {i} could not be cast from {a.dtype!r} to {kind!r} according to "
                f"the rule '{casting}'"
            )
    if target is not None and not _core.can_cast(kind, target.dtype, storing):
        raise TypeError(
            f"einsum: the result could not be cast from {kind!r} to {target.dtype!r}, the type of "
            f"the output, according to the rule '{storing}'"
        )
    return kind


def _ordered(result: ndarray, order: str, operands: list[ndarray]) -> ndarray:
    if order == "A":
        order = "F" if all(a.flags.f_contiguous for a in operands) else "C"
    if order == "K" or (result._f_contiguous if order == "F" else result._c_contiguous):
        return result
    return result._copy(order)


def einsum(
    *operands: Any,
    out: Any = None,
    optimize: Any = False,
    dtype: Any = None,
    order: str = "K",
    casting: str | None = None,
) -> Any:
    """Sums of products by the labels of axes: ``einsum("ij,jk->ik", a, b)`` multiplies matrices.

    Labels that are not in the output are summed over; without ``->`` the output has those that
    occur once, in alphabetical order. Instead of a string, each operand may be followed by a list
    of integers. ``...`` stands for axes that are broadcast. A single operand of which nothing is
    summed gives a view. `optimize` names a path as in `einsum_path`; without it several operands
    are still contracted in pairs.
    """
    order = check_order(order)
    casting = None if casting is None else check_casting(casting)
    dtype = None if dtype is None else _numpy.dtype(dtype)
    text, arrays = _split(operands)
    form = (text, tuple(a.shape for a in arrays), optimize is not False)
    terms, output, sizes = expression = _parse(*form)
    if out is None and len(arrays) == 1 and set(terms[0]) == set(output):
        return _view(arrays[0], terms[0], output)
    target = None if out is None else as_target(out)
    shape = tuple(sizes[label] for label in output)
    if target is not None and target.shape != shape:
        raise ValueError(
            f"einsum: the output has shape {dims(target.shape)}, and the result {dims(shape)}"
        )
    # As in NumPy, pairs are multiplied as matmul does, and then assigned to the output.
    pairs = optimize is not False and len(arrays) > 1
    casting = casting or ("same_kind" if pairs else "safe")
    kind = _types(arrays, target, dtype, casting, "unsafe" if pairs else casting)
    # Sums of half precision are rounded once, at the end.
    wide = _numpy.dtype(_numpy.float32) if kind.itemsize == 2 and kind.kind in "fV" else kind
    if optimize is False or optimize is True or optimize == "greedy":
        steps = _default_steps(*form)
    else:
        steps = _einsum_path.steps_of(_path(optimize, expression), *expression)
    left = list(arrays)
    for positions, taken, made, _ in steps:
        left.append(_step([left.pop(i) for i in positions], taken, made, wide, sizes))
    (result,) = left
    if target is not None:
        _core.write(target, result)
        return out
    if result.dtype != kind:
        result = result._astype(kind, "K")
    return _ordered(result, order, arrays)


def einsum_path(*operands: Any, optimize: Any = "greedy") -> tuple[list[Any], str]:
    """The order in which einsum contracts the operands, and a table that describes it.

    `optimize` is 'greedy' or 'optimal', True for the first, False for all operands at once, a pair
    of a name and the most elements that a result in between may have, or a path.
    """
    text, arrays = _split(operands)
    expression = _parse(text, tuple(a.shape for a in arrays), True)
    path = _path(optimize, expression)
    return ["einsum_path", *path], _einsum_path.describe(path, *expression)


__all__ = ["einsum", "einsum_path"]
