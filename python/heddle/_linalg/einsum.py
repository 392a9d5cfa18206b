"""Einstein summation: products of arrays, summed over axes that share a label.

An expression is contracted two operands at a time. What that takes is worked out once for the
subscripts and shapes (einsum_path, contraction).
"""

from __future__ import annotations

import functools
import operator
import string
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as _numpy

from heddle import _core
from heddle._arguments import as_array, as_target, check_casting, check_order, dims
from heddle._core import ndarray
from heddle._linalg import contraction
from heddle._linalg import einsum_path as paths
from heddle._typing import Casting, DTypeLike, Order, Output

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
    return paths.choose(optimize, *expression)


Step = tuple[tuple[int, ...], contraction.Contraction]


def _steps(
    path: list[tuple[int, ...]],
    expression: _Expression,
    shapes: Sequence[tuple[int, ...]],
    boolean: bool,
) -> list[Step]:
    """For each step of the path the positions of its operands, from the last, and what to do."""
    left = list(shapes)
    steps = []
    for positions, terms, made, _ in paths.steps_of(path, *expression):
        taken = [left.pop(i) for i in positions]
        run, shape = contraction.planned(terms, taken, made, expression.sizes, boolean)
        left.append(shape)
        steps.append((positions, run))
    return steps


@functools.lru_cache(maxsize=1024)
def _default_steps(
    text: str, shapes: tuple[tuple[int, ...], ...], sum_ellipses: bool, boolean: bool
) -> list[Step]:
    """The steps of the greedy path."""
    expression = _parse(text, shapes, sum_ellipses)
    return _steps(_path("greedy", expression), expression, shapes, boolean)


def _contracted(arrays: list[ndarray], steps: list[Step], kind: Any) -> ndarray:
    # Sums of half precision are rounded once, at the end.
    half = kind.itemsize == 2 and kind.kind in "fV"
    wide = _numpy.dtype(_numpy.float32) if half else kind
    left = list(arrays)
    for positions, run in steps:
        left.append(run([left.pop(i) for i in positions], wide))
    (result,) = left
    return result._astype(kind, "K") if half else result


def _view(a: ndarray, term: str, output: str) -> ndarray:
    """Of one operand of which nothing is summed: its axes in another order, or diagonals."""
    plan = contraction.Labelled(term, a.shape)
    plan.take_diagonals()
    plan.arrange(output)
    return plan(a, None) if plan.actions else a[...]


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
    out: Output | None = None,
    optimize: Any = False,
    dtype: DTypeLike | None = None,
    order: Order = "K",
    casting: Casting | None = None,
) -> ndarray:
    """Sums of products by the labels of axes: ``einsum("ij,jk->ik", a, b)`` multiplies matrices.

    Labels that are not in the output are summed over; without ``->`` the output has those that
    occur once, in alphabetical order. Instead of a string, each operand may be followed by a list
    of integers. ``...`` stands for axes that are broadcast. A single operand of which nothing is
    summed gives a view. `optimize` names a path as in `einsum_path`; without it several operands
    are still contracted in pairs.

    Examples
    --------
    >>> import heddle as np
    >>> a = np.arange(6).reshape(2, 3)
    >>> np.einsum("ij->i", a)
    array([ 3, 12])
    >>> np.einsum("ij,kj->ik", a, a)
    array([[ 5, 14],
           [14, 50]])
    """
    text, arrays = _split(operands)
    form = (text, tuple([a.shape for a in arrays]), optimize is not False)
    plain = out is None and dtype is None and casting is None and order == "K"
    if plain and optimize is False and len(arrays) == 2:
        kind = _core.common_type(*arrays)
        return _contracted(arrays, _default_steps(*form, kind.kind == "b"), kind)
    order = check_order(order)
    casting = None if casting is None else check_casting(casting)
    dtype = None if dtype is None else _numpy.dtype(dtype)
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
    boolean = kind.kind == "b"
    if optimize is False or optimize is True or optimize == "greedy":
        steps = _default_steps(*form, boolean)
    else:
        steps = _steps(_path(optimize, expression), expression, form[1], boolean)
    result = _contracted(arrays, steps, kind)
    if target is not None:
        _core.write(target, result)
        return out
    return _ordered(result, order, arrays)


def einsum_path(*operands: Any, optimize: Any = "greedy") -> tuple[list[Any], str]:
    """The order in which einsum contracts the operands, and a table that describes it.

    `optimize` is 'greedy' or 'optimal', True for the first, False for all operands at once, a pair
    of a name and the most elements that a result in between may have, or a path.

    Examples
    --------
    >>> import heddle as np
    >>> a, b, c = np.ones((2, 3)), np.ones((3, 4)), np.ones((4, 5))
    >>> np.einsum_path("ij,jk,kl->il", a, b, c)[0]
    ['einsum_path', (1, 2), (0, 1)]
    """
    text, arrays = _split(operands)
    expression = _parse(text, tuple(a.shape for a in arrays), True)
    path = _path(optimize, expression)
    return ["einsum_path", *path], paths.describe(path, *expression)


__all__ = ["einsum", "einsum_path"]
