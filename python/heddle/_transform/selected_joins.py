"""What is joined or multiplied with what a mask selects of each row, beside `selections`.

Elements behind one another stay so: what is joined has the elements of all parts, and a mask of
all of theirs. Sums over them take zeros in place of what is not selected.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import heddle as hd
from heddle import _core
from heddle._core import ndarray
from heddle._transform.selections import Selected, _moved, _normal, _refuse, _spread


def _flat(given: Selected) -> tuple[ndarray, ndarray]:
    """The values, with one dimension for all elements in question, and the mask of these."""
    values, axis, mask = given._values, given._axis, given._mask
    shape = (*values.shape[:axis], mask.size, *values.shape[values.ndim - given._after :])
    return values.reshape(shape), mask.reshape(-1)


def _at_places(given: Selected, of: Selected) -> ndarray:
    """The same at the places of another selection."""
    same = _core.is_same_computation(given._mask, of._mask)
    return _flat(given)[0] if same else _moved(given, of._mask.reshape(-1))


def _beside(first: Selected, other: Any) -> ndarray:
    """All elements of another one of the same shape, at the places of the first."""
    if isinstance(other, Selected):
        aligned: ndarray = first._aligned(other)
        return aligned
    return _spread(hd.asarray(other), first._mask, first._axis)


def _parts(arrays: Sequence[Any], name: str) -> tuple[list[Any], Selected]:
    """What is joined, which has to have as many dimensions, and the first one of a mask."""
    parts = [one if isinstance(one, Selected) else hd.asarray(one) for one in arrays]
    first = next(one for one in parts if isinstance(one, Selected))
    if any(one.ndim != first.ndim for one in parts):
        raise ValueError(
            f"{name}: all the input arrays must have the same number of dimensions, not "
            f"{[one.ndim for one in parts]}"
        )
    if any(isinstance(one, Selected) and one._axis != first._axis for one in parts):
        raise _refuse(name)
    return parts, first


def concatenate(arrays: Sequence[Any], axis: int | None = 0) -> Selected:
    if axis is None:
        arrays, axis = [ravel(one) for one in arrays], 0
    parts, first = _parts(arrays, "concatenate")
    axis = _normal(axis, first.ndim)
    if axis != first._axis:
        place = axis if axis < first._axis else axis + first._mask.ndim - 1
        values = hd.concatenate([_beside(first, one) for one in parts], axis=place)
        return Selected(values, first._mask, first._axis)
    pairs = [
        _flat(one) if isinstance(one, Selected) else (one, hd.ones(one.shape[axis], bool))
        for one in parts
    ]
    values = hd.concatenate([one for one, _ in pairs], axis=axis)
    return Selected(values, hd.concatenate([mask for _, mask in pairs]), axis)


def stack(arrays: Sequence[Any], axis: int = 0) -> Selected:
    parts, first = _parts(arrays, "stack")
    axis = _normal(axis, first.ndim + 1)
    before = axis <= first._axis
    values = hd.stack(
        [_beside(first, one) for one in parts], axis=axis if before else axis + first._mask.ndim - 1
    )
    return Selected(values, first._mask, first._axis + before)


def hstack(tup: Sequence[Any]) -> Selected:
    parts = [one if isinstance(one, Selected) else hd.atleast_1d(one) for one in tup]
    return concatenate(parts, 0 if parts[0].ndim == 1 else 1)


def vstack(tup: Sequence[Any]) -> Selected:
    parts = [one if isinstance(one, Selected) else hd.atleast_1d(one) for one in tup]
    return concatenate([one[None] if one.ndim == 1 else one for one in parts])


def column_stack(tup: Sequence[Any]) -> Selected:
    parts = [one if isinstance(one, Selected) else hd.atleast_1d(one) for one in tup]
    return concatenate([one[:, None] if one.ndim == 1 else one for one in parts], 1)


def ndim(a: Selected) -> int:
    return a.ndim


def append(arr: Any, values: Any, axis: int | None = None) -> Selected:
    return concatenate((arr, values), axis)


def ravel(a: Any) -> Any:
    if not isinstance(a, Selected):
        return hd.ravel(a)
    mask = hd.broadcast_to(a._mask_of_values(), a._values.shape)
    return Selected(a._values.reshape(-1), mask.reshape(-1), 0)


def outer(a: Any, b: Any) -> Selected:
    if isinstance(a, Selected) and isinstance(b, Selected):
        raise _refuse("outer of two selections")
    made: Selected = ravel(a)[:, None] * ravel(b)
    return made


def einsum(subscripts: str, *operands: Any) -> Any:
    if not isinstance(subscripts, str) or "." in subscripts:
        raise _refuse("einsum of other than letters")
    inside, arrow, result = subscripts.replace(" ", "").partition("->")
    terms = inside.split(",")
    if not arrow:
        result = "".join(sorted(c for c in {*inside} - {","} if inside.count(c) == 1))
    selections: dict[str, Selected] = {}  # the first one of each letter
    for term, one in zip(terms, operands, strict=True):
        if isinstance(one, Selected):
            if len(term) != one.ndim:
                raise ValueError(f"einsum: {term} is for {len(term)} dimensions, not {one.ndim}")
            selections.setdefault(term[one._axis], one)
    if any(term.count(c) > 1 for term in terms for c in selections):
        raise _refuse("a diagonal in einsum")
    left = [c for c in result if c in selections]
    if len(left) > 1:
        raise _refuse("einsum with two selections in its result")
    masks = {c: one._mask.reshape(-1) for c, one in selections.items()}

    def filled(term: str, one: Any) -> ndarray:
        own = term[one._axis] if isinstance(one, Selected) else None
        values = hd.asarray(one) if own is None else _at_places(one, selections[own])
        for axis, c in enumerate(term):
            if c in masks:
                if c != own:
                    values = _spread(values, masks[c], axis)
                there = masks[c].reshape(-1, *(1,) * (values.ndim - axis - 1))
                # Nothing of what is not selected comes into a sum, be it nan or infinite.
                values = hd.where(there, values, hd.zeros((), values.dtype))
        return values

    made = hd.einsum(subscripts, *map(filled, terms, operands))
    return Selected(made, masks[left[0]], result.index(left[0])) if left else made


_PRODUCTS = {(1, 1): "i,i->", (2, 1): "ij,j->i", (1, 2): "i,ij->j", (2, 2): "ij,jk->ik"}


def matmul(a: Any, b: Any) -> Any:
    a, b = (one if isinstance(one, Selected) else hd.asarray(one) for one in (a, b))
    if (a.ndim, b.ndim) not in _PRODUCTS:
        raise _refuse("matmul")
    return einsum(_PRODUCTS[a.ndim, b.ndim], a, b)


def dot(a: Any, b: Any) -> Any:
    return a * b if 0 in (hd.ndim(a), hd.ndim(b)) else matmul(a, b)


def vdot(a: Any, b: Any) -> Any:
    return matmul(ravel(hd.conj(a)), ravel(b))


def inner(a: Any, b: Any) -> Any:
    if (a.ndim, b.ndim) != (1, 1):
        raise _refuse("inner")
    return matmul(a, b)


def diff(a: Selected, n: int = 1, axis: int = -1) -> Selected:
    if a._axis or _normal(axis, a.ndim):
        raise _refuse("diff")
    for _ in range(n):
        a = a[1:] - a[:-1]
    return a


def average(a: Selected, axis: int | None = None, weights: Any = None) -> Any:
    if weights is None:
        return a.mean(axis)
    if hd.ndim(weights) != a.ndim:
        raise _refuse("average with weights of another shape")
    return (a * weights).sum(axis) / (a * 0 + weights).sum(axis)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        *(
            append,
            average,
            column_stack,
            concatenate,
            diff,
            dot,
            einsum,
            hstack,
            inner,
            matmul,
            ndim,
        ),
        *(outer, ravel, stack, vdot, vstack),
    )
}
