"""Branches as functions: `cond` and `switch` of `heddle.lax`.

Only the branch that is chosen runs on its operands. What the others would give is compared with it
all the same, as in JAX: they run on stand-ins, which have shapes and types and no elements.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Any, overload

import heddle as hd
from heddle import _core, tree
from heddle._core import ndarray
from heddle._transform.arguments import is_number
from heddle._typing import ArrayLike, Tree
from heddle.random._recording import LoopBody, NotALoop

_NO_OPERAND: Any = object()


def _all_operands(operands: tuple[object, ...], operand: object, what: str) -> tuple[object, ...]:
    """The operands of a branch, of which a single one may be given by name."""
    if operand is _NO_OPERAND:
        return operands
    if operands:
        raise TypeError(f"{what}: operands are given by position or as operand=, not both")
    return (operand,)


@overload
def cond(
    pred: ArrayLike,
    true_fun: Callable[..., ndarray],
    false_fun: Callable[..., ndarray],
    *operands: object,
    operand: object = ...,
) -> ndarray: ...
@overload
def cond(
    pred: ArrayLike,
    true_fun: Callable[..., Any],
    false_fun: Callable[..., Any],
    *operands: object,
    operand: object = ...,
) -> Tree: ...
def cond(
    pred: ArrayLike,
    true_fun: Callable[..., Any],
    false_fun: Callable[..., Any],
    *operands: object,
    operand: object = _NO_OPERAND,
) -> Tree:
    """``true_fun(*operands) if pred else false_fun(*operands)``; under vmap both, and a choice.

    Only the chosen function runs on the operands, and may write to arrays, look at elements and
    call itself. Both have to give the same structure, shapes and types: TypeError where they do
    not. The other one runs on stand-ins to see that, once for each kind of operands: arrays that it
    writes to are as before, and where it does what stand-ins cannot (looks at elements, draws,
    calls itself) or raises an error, nobody knows what it would give. Where the condition differs
    from row to row both run.

    >>> import heddle as np
    >>> f = lambda x: np.lax.cond(x > 0, lambda v: v * 2, lambda v: -v, x)
    >>> print(np.vmap(f)(np.array([1.0, -3.0])))
    [2. 3.]
    """
    if not callable(true_fun) and len(operands) == 2 and callable(operands[1]):
        # JAX's older form: cond(pred, true_operand, true_fun, false_operand, false_fun).
        given, taken, other, refused = true_fun, false_fun, operands[0], operands[1]
        return cond(pred, lambda: taken(given), lambda: refused(other))
    if not (callable(true_fun) and callable(false_fun)):
        raise TypeError("cond: true_fun and false_fun are functions")
    if pred is None or isinstance(pred, str) or callable(pred):
        raise TypeError(f"cond: the condition is a truth value or a number, not {pred!r}")
    condition = hd.asarray(pred)
    if condition.shape != ():
        raise TypeError(f"cond: the condition has shape {condition.shape}, not ()")
    operands = _all_operands(operands, operand, "cond")
    place = condition.astype(bool).astype(int)
    return _choose(place, [false_fun, true_fun], operands, ["false_fun", "true_fun"], "cond")


@overload
def switch(
    index: ArrayLike,
    branches: Sequence[Callable[..., ndarray]],
    *operands: object,
    operand: object = ...,
) -> ndarray: ...
@overload
def switch(
    index: ArrayLike,
    branches: Sequence[Callable[..., Any]],
    *operands: object,
    operand: object = ...,
) -> Tree: ...
def switch(
    index: ArrayLike,
    branches: Sequence[Callable[..., Any]],
    *operands: object,
    operand: object = _NO_OPERAND,
) -> Tree:
    """``branches[index](*operands)``, where an index beyond the ends means the end.

    Branches have to give the same structure, shapes and types; see `cond`.

    >>> import heddle as np
    >>> print(np.lax.switch(1, [np.sin, np.square], np.array(3.0)))
    9.0
    """
    if not branches:
        raise ValueError("switch: there are no branches")
    if not all(callable(branch) for branch in branches):
        raise TypeError("switch: branches are functions")
    operands = _all_operands(operands, operand, "switch")
    if hd.asarray(index).dtype.kind not in "iub":
        raise TypeError(f"switch: the index is of type {hd.asarray(index).dtype}, not an integer")
    place = hd.clip(hd.asarray(index), 0, len(branches) - 1)
    if place.shape != ():
        raise TypeError(f"switch: the index has shape {place.shape}, not ()")
    names = [f"branch {i}" for i in range(len(branches))]
    return _choose(place, branches, operands, names, "switch")


class _Comparing(threading.local):
    """What a thread compares: the code of functions that run on stand-ins."""

    def __init__(self) -> None:
        self.active: set[Any] = set()


_comparing = _Comparing()
_MOST_COMPARED = 4096
_compared: set[Any] = set()  # branches that were found to give the same, by code and operands


def _choose(
    place: hd.ndarray,
    branches: Sequence[Callable[..., Any]],
    operands: tuple[Any, ...],
    names: list[str],
    what: str,
) -> Any:
    codes = [_code_of(branch) for branch in branches]
    if not _comparing.active.isdisjoint(codes):
        raise NotALoop  # a branch that calls itself would do so for ever
    if not _core.is_stand_in(place):
        chosen = int(place)
        made = branches[chosen](*operands)
        if len(branches) > 1:
            _compare(chosen, made, branches, operands, names, what)
        return made
    return _chosen(place, [branch(*operands) for branch in branches], names, what)


def _code_of(function: Callable[..., Any]) -> Any:
    return getattr(function, "__code__", None) or id(function)


def _kind_of(leaf: object) -> Any:
    if not isinstance(leaf, _core.own_array):
        return type(leaf)
    return leaf.shape, leaf.dtype, _core.yields(leaf)


def _key_of(function: Callable[..., Any]) -> Any:
    """What a function is to a comparison; None where it may be another one in each call."""
    code = getattr(function, "__code__", None)
    if code is None:
        return function if isinstance(function, (hd.ufunc, type(len))) else None
    cells = function.__closure__ or ()
    try:
        contents = [cell.cell_contents for cell in cells]
    except ValueError:  # a cell that is empty yet
        return None
    return code, tuple(_code_of(one) if callable(one) else _kind_of(one) for one in contents)


def _compare(
    chosen: int,
    made: object,
    branches: Sequence[Callable[..., Any]],
    operands: tuple[Any, ...],
    names: list[str],
    what: str,
) -> None:
    """TypeError where a branch that was not chosen would give something else than ``made``."""
    leaves, structure = tree.flatten(operands)
    keys = tuple(_key_of(branch) for branch in branches)
    key = None if None in keys else (chosen, keys, structure, tuple(_kind_of(x) for x in leaves))
    if key is not None and key in _compared:
        return
    codes = {_code_of(branch) for branch in branches} - _comparing.active
    _comparing.active |= codes

    def compare_all() -> None:
        for i, branch in enumerate(branches):
            if i == chosen:
                continue
            stand_ins = structure.unflatten(_stand_in(leaf) for leaf in leaves)
            try:
                other = branch(*stand_ins)
            except (Exception, NotALoop):
                continue  # it was not chosen: what is wrong with it is not said
            _check_results(made, other, (names[chosen], names[i]), what)

    def run() -> None:
        _core.start_script([], trial=True)
        _core.start_batch(1)
        try:
            with LoopBody():
                compare_all()
        finally:
            _core.stop_batch()
            _core.stop_script(True)

    try:
        # Stand-ins of batches around it belong to those who listen.
        run() if _core.batch_depth() else _core.call_unheard(run)
    finally:
        _comparing.active -= codes
    if key is not None:
        if len(_compared) >= _MOST_COMPARED:
            _compared.clear()
        _compared.add(key)


def _stand_in(leaf: ndarray) -> ndarray:
    if not isinstance(leaf, _core.own_array):
        return leaf
    made = _core.enter_batch(hd.zeros((1, *leaf.shape), leaf.dtype, device=leaf.device), 0)
    return _core.yielding_as(made, leaf)


def _chosen(place: hd.ndarray, made: list[Any], names: list[str], what: str) -> Any:
    """What one of the branches gave, for each row; TypeError where they gave different things."""
    chosen, structure = tree.flatten(made[0])
    for i, one in enumerate(made[1:], 1):
        _check_results(structure.unflatten(chosen), one, (names[0], names[i]), what)
        for k, (before, after) in enumerate(zip(chosen, tree.leaves(one), strict=True)):
            chosen[k] = hd.where(place == i, after, before)
    return structure.unflatten(chosen)


def _check_results(one: object, other: object, names: tuple[str, str], what: str) -> None:
    structures = tree.structure(one), tree.structure(other)
    if structures[0] != structures[1]:
        raise TypeError(
            f"{what}: branches have to give trees of one structure: {names[0]} gives "
            f"{structures[0]}, {names[1]} {structures[1]}"
        )
    for (path, before), after in zip(tree.leaves_with_path(one), tree.leaves(other), strict=True):
        _check_alike(before, after, path, names, what)


def _check_alike(
    one: Any, other: Any, path: tuple[str, ...], names: tuple[str, str], what: str
) -> None:
    """TypeError unless results have one shape and type; Python's numbers take the other's type."""
    types = [hd.asarray(each).dtype for each in (one, other)]
    numbers = (bool, int, float, complex)  # and NumPy's that are some of them
    plain = [isinstance(each, numbers) or is_number(each) for each in (one, other)]
    alike = types[0] == types[1]
    if any(plain) and not alike:
        kept = [dtype for dtype, number in zip(types, plain, strict=True) if not number]
        alike = all(hd.result_type(one, other) == dtype for dtype in kept)
    if alike and hd.shape(one) == hd.shape(other):
        return
    texts = [f"{t}{list(hd.shape(each))}" for t, each in zip(types, (one, other), strict=True)]
    raise TypeError(
        f"{what}: branches have to give one shape and type: {names[0]} gives {texts[0]}, "
        f"{names[1]} {texts[1]}{', at ' + tree.path_text(path) if path else ''}"
    )
