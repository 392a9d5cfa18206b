"""Loops as functions, with JAX's names, for all transformations.

Plain Python loops and branches are differentiated as well; these are for long loops, whose body is
recorded once (as `jit` has it) and becomes one step, and for branches under `vmap`, where a
condition differs from row to row.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast, overload

import heddle as hd
from heddle import _core, tree
from heddle._core import ndarray, ufunc
from heddle._creation.arrays import asarray
from heddle._transform.arguments import check_callable, shape_of
from heddle._typing import ArrayLike, DTypeLike, Tree
from heddle.random._recording import LoopBody, NotALoop, in_loop_body

__all__ = [
    "associative_scan",
    "cumlogsumexp",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "fori_loop",
    "map",
    "scan",
    "select",
    "stop_gradient",
    "top_k",
    "while_loop",
]

_Carry = TypeVar("_Carry")
_Result = TypeVar("_Result")

_MOST_PASSES = 2**62  # of a loop with a condition


def _array(given: Any) -> ndarray:
    """An array; of a number of Python's, and of what stands for one, one whose type yields."""
    if isinstance(given, _core.own_array):
        return given if _core.yields(given) else hd.asarray(given)
    # Truth values have a type of their own.
    number = _core.weak_number(given) if type(given) in (int, float, complex) else None
    return hd.asarray(given) if number is None else number


def _arrays(given: object) -> Any:
    return tree.map(_array, given)


def _copies(carry: object) -> Any:
    """What comes out of a loop is never what went in."""
    return tree.map(lambda one: _core.yielding_as(hd.copy(one), one), carry)


def _yielding_as(made: Sequence[ndarray], carry: Sequence[ndarray]) -> list[ndarray]:
    """What a loop made of its carry: a number that stayed one is one for those who go on."""
    return [_core.yielding_as(one, like) for one, like in zip(made, carry, strict=True)]


class _Widened(Exception):
    """A number that the carry begins with takes the type that the body makes of it."""

    def __init__(self, leaf: int, dtype: DTypeLike, yields: bool) -> None:
        super().__init__(leaf, dtype)
        self.leaf, self.dtype, self.yields = leaf, dtype, yields


def _home(leaves: Sequence[object]) -> str:
    """Where the arrays among some leaves are: numbers that go with them have to be there, too."""
    arrays = (leaf for leaf in leaves if isinstance(leaf, _core.own_array) and leaf.ndim)
    return next((array.device for array in arrays), hd.default_device())


def _carrying(init: object, run: Callable[[Any], Any]) -> Any:
    """``run(carry)``, where Python's numbers among ``init`` take the type they are given.

    They stay numbers, whose type yields to others, where the body makes numbers of them.
    """
    leaves, kind = tree.flatten(init)
    with hd.default_device(_home(leaves)):
        arrays = [_array(leaf) for leaf in leaves]
    while True:
        try:
            return run(kind.unflatten(arrays))
        except _Widened as widened:
            before = arrays[widened.leaf]
            made = before.astype(widened.dtype)
            arrays[widened.leaf] = _core.yielding_as(made, before) if widened.yields else made


def _check_same(before: object, after: object, what: str) -> None:
    old, new = tree.structure(before), tree.structure(after)
    if old != new:
        raise TypeError(f"{what}: the body gives a tree {new} for a carry {old}")
    for i, ((path, one), (_, other)) in enumerate(
        zip(tree.leaves_with_path(before), tree.leaves_with_path(after), strict=True)
    ):
        other = _array(other)
        same = one.shape == other.shape and one.dtype == other.dtype
        if same and (_core.yields(other) or not _core.yields(one)):
            continue
        # What becomes another type in one pass is of that type in all of them.
        can_take_it = _core.yields(one) and hd.result_type(one, other) == other.dtype
        if can_take_it and one.shape == other.shape:
            raise _Widened(i, other.dtype, _core.yields(other))
        raise TypeError(
            f"{what}: the carry{tree.path_text(path)} is {one.dtype}{list(one.shape)}, and the "
            f"body makes it {other.dtype}{list(other.shape)}"
        )


def _argument_like(one: ndarray) -> ndarray:
    return _core.yielding_as(_core.argument_like(one), one)


def _recorded_loop(
    body: Callable[..., Sequence[Any]],
    carry: list[hd.ndarray],
    rows: list[hd.ndarray],
    passes: int,
    *,
    first: int | None = None,
    conditional: bool = False,
    backwards: bool = False,
    together: int = 0,
    counter: Callable[[int], Any] = asarray,
) -> list[hd.ndarray] | None:
    """What a loop gives whose body runs once, to be recorded: carried values, and stacks.

    ``body(*arrays)`` gets ``counter(first)`` if there is a first, what is carried and a row of each
    of ``rows``; it gives a condition, if there is one, what is carried on, and what is stacked.
    None where it did something that a loop cannot repeat: looked at elements, drew random numbers,
    wrote to an array outside.
    """
    if _core.checks_steps():
        return None
    counters = [] if first is None else [counter(first)]
    firsts = [row[-1 if backwards else 0, ...] for row in rows]

    def record(failed: list[hd.ndarray]) -> tuple[Any, bool]:
        """The script of the body, and whether there are indices that may be out of bounds.

        ``failed``: what is carried of that, behind everything else.
        """
        given = [_argument_like(one) for one in (*carry, *failed, *firsts)]
        arguments = counters + given
        behind = len(counters) + len(carry)
        kept = [one for i, one in enumerate(arguments) if not failed or i != behind]
        _core.start_script(arguments, loop_body=True)
        # A body that wrote to arrays outside is no loop, and runs again from its first pass.
        undo = True
        try:
            with LoopBody():
                made = [_core.loop_result(hd.asarray(one)) for one in body(*kept)]
                told = _core.told_out_of_bounds()
                if failed:
                    beyond = functools.reduce(hd.logical_or, told, arguments[behind])
                    made.insert(int(conditional) + len(carry), _core.loop_result(beyond))
            return _core.take_script(made), bool(told)
        except (NotALoop, _Widened):
            raise
        except BaseException:
            undo = False
            raise
        finally:
            _core.stop_script(undo)

    failed: list[hd.ndarray] = []
    try:
        script, may_fail = record(failed)
        if may_fail:
            failed = [hd.asarray(False)]
            script, _ = record(failed)
    except NotALoop:
        return None
    carried = [*carry, *failed]
    found = _core.run_loop(script, passes, first, conditional, backwards, together, carried, rows)
    if found is None:
        return None
    made = list(found)
    if failed:
        beyond = made.pop(len(carry))
        if not _core.tell_out_of_bounds(beyond) and beyond:
            raise IndexError("an index is out of bounds in a pass of the loop")
    return made


@overload
def scan(
    f: Callable[[ndarray, ndarray], tuple[ndarray, _Result]],
    init: ndarray,
    xs: ndarray,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
) -> tuple[ndarray, _Result]: ...
@overload
def scan(
    f: Callable[[Any, Any], tuple[_Carry, _Result]],
    init: object,
    xs: object = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
) -> tuple[_Carry, _Result]: ...
def scan(
    f: Callable[[Any, Any], tuple[Any, Any]],
    init: object,
    xs: object = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
) -> tuple[Any, Any]:
    """Carry a value through a loop over the rows of ``xs``, and stack what each pass gives.

    ``f(carry, x)`` gives the next carry, of the same types, and a result. It runs once, to be
    recorded, and the loop is one step, for `jit` as for plain code: a kernel where each element
    depends on few others, else prepared work for each pass. Passes that cannot be recorded (``f``
    looks at elements, or draws random numbers) run one after the other. With ``unroll`` so many
    passes are planned as one where they are not a kernel; True and 0 write all of them out.

    >>> import heddle as np
    >>> total, sums = np.lax.scan(lambda c, x: (c + x, c + x), 0.0, np.arange(4.0))
    >>> print(total, sums)
    6.0 [0. 1. 3. 6.]
    """
    check_callable(f, "scan")
    together = _passes_together(unroll)
    rows, structure = tree.flatten(xs)
    rows = [hd.asarray(row) for row in rows]
    if any(row.ndim == 0 for row in rows):
        raise ValueError("scan: xs has an array without dimensions: there are no rows to go over")
    lengths = {row.shape[0] for row in rows} | (set() if length is None else {int(length)})
    if len(lengths) != 1:
        raise ValueError(
            "scan: there are neither arrays to go over nor a length"
            if not lengths
            else f"scan: arrays and length= have to agree, but there are {sorted(lengths)} rows"
        )
    count = lengths.pop()

    def run(carry: object) -> Any:
        leaves, kind = tree.flatten(carry)
        result_kind: Any = None

        def one_pass(carry: object, x: object) -> tuple[Any, list[Any]]:
            nonlocal result_kind
            made = f(carry, x)
            if not isinstance(made, tuple) or len(made) != 2:
                raise TypeError("scan: the body must give a pair: the next carry, and a result")
            _check_same(carry, made[0], "scan")
            results, result_kind = tree.flatten(made[1])
            return _arrays(made[0]), results

        def body(*arrays: hd.ndarray) -> list[Any]:
            carried, given = arrays[: len(leaves)], arrays[len(leaves) :]
            after, results = one_pass(kind.unflatten(carried), structure.unflatten(given))
            return [*tree.leaves(after), *results]

        if count == 0:
            given = [hd.zeros(row.shape[1:], row.dtype, device=row.device) for row in rows]
            tried = _copies(carry), structure.unflatten(given)
            results = [hd.asarray(one) for one in one_pass(*tried)[1]]
            carry = _copies(carry)
            return carry, result_kind.unflatten(
                hd.zeros((0, *r.shape), r.dtype, device=r.device) for r in results
            )
        if together is not None:
            made = _recorded_loop(body, leaves, rows, count, backwards=reverse, together=together)
            if made is not None:
                carried, stacks = _yielding_as(made[: len(leaves)], leaves), made[len(leaves) :]
                return kind.unflatten(carried), result_kind.unflatten(stacks)
        carry = _copies(carry)
        stacked: list[Any] = [None] * count
        for i in range(count - 1, -1, -1) if reverse else range(count):
            carry, stacked[i] = one_pass(carry, structure.unflatten(row[i, ...] for row in rows))
        each = zip(*stacked, strict=True)
        return carry, result_kind.unflatten(hd.stack([hd.asarray(v) for v in one]) for one in each)

    return cast("tuple[Any, Any]", _carrying(init, run))


def _passes_together(unroll: int | bool, what: str = "scan") -> int | None:
    """How many passes of a loop are planned as one, 0: as many as seem good; None: all."""
    if isinstance(unroll, bool):
        return None if unroll else 0
    if not isinstance(unroll, int) or unroll < 0:
        raise ValueError(f"{what}: unroll is a number from 0 on or a truth value, not {unroll!r}")
    if unroll == 0:
        return None
    return 0 if unroll == 1 else unroll


@overload
def fori_loop(
    lower: ArrayLike,
    upper: ArrayLike,
    body_fun: Callable[[Any, ndarray], ndarray],
    init_val: ndarray,
    *,
    unroll: int | bool | None = None,
) -> ndarray: ...
@overload
def fori_loop(
    lower: ArrayLike,
    upper: ArrayLike,
    body_fun: Callable[[Any, Any], _Carry],
    init_val: object,
    *,
    unroll: int | bool | None = None,
) -> _Carry: ...
def fori_loop(
    lower: ArrayLike,
    upper: ArrayLike,
    body_fun: Callable[[Any, Any], Any],
    init_val: object,
    *,
    unroll: int | bool | None = None,
) -> Tree:
    """``for i in range(lower, upper): val = body_fun(i, val)``.

    Where both bounds are Python's numbers, the type of ``i`` yields to others as theirs does.
    The body runs once, to be recorded; see `scan`, also for ``unroll``.

    >>> import heddle as np
    >>> print(np.lax.fori_loop(0, 5, lambda i, x: x + i, np.array(0)))
    10
    """
    check_callable(body_fun, "fori_loop")
    bounds = hd.asarray(lower), hd.asarray(upper)
    for name, bound in zip(("lower", "upper"), bounds, strict=True):
        if bound.dtype.kind not in "iub" or bound.ndim:
            raise TypeError(
                f"fori_loop: {name} is one integer, not {bound.dtype}{list(bound.shape)}"
            )
    # What a loop around changes from pass to pass is not known when its body is recorded.
    computed = in_loop_body() and any(isinstance(one, _core.own_array) for one in (lower, upper))
    if computed or any(_core.is_stand_in(one) for one in bounds):
        start = bounds[0].astype(hd.result_type(*bounds))
        return while_loop(
            lambda carry: carry[0] < bounds[1],
            lambda carry: (carry[0] + 1, body_fun(carry[0], carry[1])),
            (start, init_val),
        )[1]
    first, end = int(cast(int, lower)), int(cast(int, upper))  # numbers, not arrays of a device

    def run(carry: object) -> Any:
        leaves, kind = tree.flatten(carry)
        if end <= first:
            return _copies(carry)

        def one_pass(i: ndarray, carry: object) -> Any:
            made = body_fun(i, carry)
            _check_same(carry, made, "fori_loop")
            return _arrays(made)

        def body(i: hd.ndarray, *arrays: hd.ndarray) -> list[Any]:
            return tree.leaves(one_pass(i, kind.unflatten(arrays)))

        # A counter between plain numbers is one, as it is in range: float32 stays float32.
        plain = isinstance(lower, int) and isinstance(upper, int)
        home = _home(leaves)

        def counter(i: int) -> Any:
            with hd.default_device(home):
                return _core.weak_number(i) if plain else asarray(i)

        together = _passes_together(1 if unroll is None else unroll, "fori_loop")
        if together is not None:
            made = _recorded_loop(
                body, leaves, [], end - first, first=first, together=together, counter=counter
            )
            if made is not None:
                return kind.unflatten(_yielding_as(made, leaves))
        carry = _copies(carry)
        for i in range(first, end):
            carry = one_pass(counter(i), carry)
        return carry

    return _carrying(init_val, run)


def _where(goes_on: ndarray, made: ndarray, before: ndarray) -> ndarray:
    return _core.yielding_as(hd.where(goes_on, made, before), before)


@overload
def while_loop(
    cond_fun: Callable[[ndarray], object],
    body_fun: Callable[[ndarray], ndarray],
    init_val: ndarray,
) -> ndarray: ...
@overload
def while_loop(
    cond_fun: Callable[[Any], object], body_fun: Callable[[Any], _Carry], init_val: object
) -> _Carry: ...
def while_loop(
    cond_fun: Callable[[Any], Any], body_fun: Callable[[Any], Any], init_val: object
) -> Tree:
    """``while cond_fun(val): val = body_fun(val)``; under vmap until no row goes on.

    Both run once, to be recorded (see `scan`), and nobody looks at the condition until the loop
    runs: under `jit` it may take another number of passes in each call.

    >>> import heddle as np
    >>> print(np.lax.while_loop(lambda x: x < 100, lambda x: x * 2, np.array(3)))
    192
    """
    check_callable(cond_fun, "while_loop")
    check_callable(body_fun, "while_loop")

    def run(carry: object) -> Any:
        leaves, kind = tree.flatten(carry)

        def condition(carry: object) -> hd.ndarray:
            goes_on = hd.asarray(cond_fun(carry))
            if goes_on.shape != ():
                raise TypeError(f"while_loop: the condition has shape {goes_on.shape}, not ()")
            return goes_on.astype(bool)

        def body(*arrays: hd.ndarray) -> list[Any]:
            carry = kind.unflatten(arrays)
            goes_on = condition(carry)
            if _core.is_stand_in(goes_on):
                raise NotALoop  # it differs from row to row by what it closes over
            made = body_fun(kind.unflatten(arrays))
            _check_same(carry, made, "while_loop")
            results = tree.leaves(_arrays(made))
            # What differs from row to row after a pass may make the condition do so after more.
            after = [_core.is_stand_in(one) for one in results]
            before = [_core.is_stand_in(one) for one in arrays]
            if any(new and not old for old, new in zip(before, after, strict=True)):
                rows = zip(after, arrays, results, strict=True)
                body(*(b if differs else a for differs, a, b in rows))
            return [goes_on, *results]

        if leaves and not any(_core.is_stand_in(one) for one in leaves):
            made = _recorded_loop(body, leaves, [], _MOST_PASSES, conditional=True)
            if made is not None:
                return kind.unflatten(_yielding_as(made, leaves))
        carry = _copies(carry)
        while True:
            goes_on = condition(carry)
            if not _core.is_true_anywhere(goes_on):
                return carry
            made = body_fun(carry)
            _check_same(carry, made, "while_loop")
            if _core.is_stand_in(goes_on):
                carry = tree.map(functools.partial(_where, goes_on), made, carry)
            else:
                carry = _arrays(made)

    return _carrying(init_val, run)


def _rows_along(leaves: list[Any], axis: int, what: str) -> int:
    """How many rows arrays have along an axis; ValueError where they differ, or have none."""
    shapes = [shape_of(leaf) for leaf in leaves]
    for shape in shapes:
        if not -len(shape) <= axis < len(shape):
            raise ValueError(f"{what}: an array of shape {shape} has no axis {axis}")
    found = sorted({shape[axis] for shape in shapes})
    if len(found) != 1:
        raise ValueError(
            f"{what}: arrays have to agree along axis {axis}, but there are {found} rows"
            if found
            else f"{what}: there are no arrays"
        )
    return found[0]


def map(f: Callable[[Any], Any], xs: Tree, *, batch_size: int | None = None) -> Tree:
    """Apply a function to the rows of arrays, one after the other, or some at a time.

    >>> import heddle as np
    >>> print(np.lax.map(np.sum, np.ones((3, 2))))
    [2. 2. 2.]
    """
    check_callable(f, "map")
    if batch_size is None:
        _rows_along(tree.leaves(xs), 0, "map")
        return scan(lambda _, x: ((), f(x)), (), xs)[1]
    rows = _rows_along(tree.leaves(xs), 0, "map")
    mapped = hd.vmap(f)
    parts = [
        mapped(tree.map(lambda leaf, i=i: leaf[i : i + batch_size], xs))
        for i in range(0, rows, batch_size)
    ]
    return tree.map(lambda *leaves: hd.concatenate(leaves), *parts)


def associative_scan(
    fn: Callable[[Any, Any], Any], elems: object, reverse: bool = False, axis: int = 0
) -> Tree:
    """The running result of an associative function along an axis, in a logarithm of steps.

    >>> import heddle as np
    >>> print(np.lax.associative_scan(np.maximum, np.array([1, 3, 2, 5])))
    [1 3 3 5]
    """
    check_callable(fn, "associative_scan")
    leaves, structure = tree.flatten(elems)
    count = _rows_along(leaves, axis, "associative_scan")
    arrays = [hd.moveaxis(hd.asarray(leaf), axis, 0) for leaf in leaves]
    if reverse:
        arrays = [a[::-1] for a in arrays]
    reach = 1
    while reach < count:
        before = structure.unflatten([a[:-reach] for a in arrays])
        after = structure.unflatten([a[reach:] for a in arrays])
        joined = tree.leaves(fn(before, after))
        arrays = [
            hd.concatenate([a[:reach], hd.asarray(new)])
            for a, new in zip(arrays, joined, strict=True)
        ]
        reach *= 2
    if reverse:
        arrays = [a[::-1] for a in arrays]
    return structure.unflatten([hd.moveaxis(a, 0, axis) for a in arrays])


def select(pred: ArrayLike, on_true: ArrayLike, on_false: ArrayLike) -> ndarray:
    """``on_true`` where the condition holds, else ``on_false``, of one shape and type.

    >>> import heddle as np
    >>> print(np.lax.select(np.array([True, False]), np.ones(2), np.zeros(2)))
    [1. 0.]
    """
    a, b = hd.asarray(on_true), hd.asarray(on_false)
    if a.shape != b.shape or a.dtype != b.dtype:
        raise TypeError(
            f"select: the cases are {a.dtype}{list(a.shape)} and {b.dtype}{list(b.shape)}"
        )
    return hd.where(pred, a, b)


def _running(ufunc: ufunc, operand: object, axis: int, reverse: bool) -> hd.ndarray:
    """The running result of a ufunc along an axis, from its end with ``reverse``."""
    array = hd.asarray(operand)
    if not 0 <= axis < array.ndim:
        raise ValueError(f"axis {axis} is out of bounds for an array of shape {array.shape}")
    given = hd.flip(array, axis) if reverse else array
    made = ufunc.accumulate(given, axis=axis, dtype=array.dtype)
    return hd.flip(made, axis) if reverse else made


def cumsum(operand: object, axis: int = 0, reverse: bool = False) -> hd.ndarray:
    """The running sum along an axis, from its end with ``reverse``.

    >>> import heddle as np
    >>> print(np.lax.cumsum(np.array([1, 2, 3]), reverse=True))
    [6 5 3]
    """
    return _running(hd.add, operand, axis, reverse)


def cumprod(operand: object, axis: int = 0, reverse: bool = False) -> hd.ndarray:
    """The running product along an axis, from its end with ``reverse``.

    >>> import heddle as np
    >>> print(np.lax.cumprod(np.array([1, 2, 3])))
    [1 2 6]
    """
    return _running(hd.multiply, operand, axis, reverse)


def cummax(operand: object, axis: int = 0, reverse: bool = False) -> hd.ndarray:
    """The greatest element so far along an axis, from its end with ``reverse``.

    >>> import heddle as np
    >>> print(np.lax.cummax(np.array([1, 3, 2])))
    [1 3 3]
    """
    return _running(hd.maximum, operand, axis, reverse)


def cummin(operand: object, axis: int = 0, reverse: bool = False) -> hd.ndarray:
    """The least element so far along an axis, from its end with ``reverse``.

    >>> import heddle as np
    >>> print(np.lax.cummin(np.array([2, 3, 1])))
    [2 2 1]
    """
    return _running(hd.minimum, operand, axis, reverse)


def cumlogsumexp(operand: object, axis: int = 0, reverse: bool = False) -> hd.ndarray:
    """The logarithm of the running sum of exponentials along an axis.

    >>> import heddle as np
    >>> print(np.lax.cumlogsumexp(np.zeros(3)))
    [0.         0.69314718 1.09861229]
    """
    return _running(hd.logaddexp, operand, axis, reverse)


def top_k(operand: ArrayLike, k: int, *, axis: int = -1) -> tuple[hd.ndarray, hd.ndarray]:
    """The ``k`` greatest elements along an axis, from the greatest on, and where they are.

    Of equal ones the first come first.

    >>> import heddle as np
    >>> values, places = np.lax.top_k(np.array([3.0, 1.0, 5.0, 3.0]), 3)
    >>> print(values, places)
    [5. 3. 3.] [2 0 3]
    """
    array = hd.asarray(operand)
    if array.ndim == 0:
        raise ValueError("top_k: the operand has no dimensions")
    if not -array.ndim <= axis < array.ndim:
        raise ValueError(f"top_k: axis {axis} is out of bounds for shape {array.shape}")
    count = array.shape[axis]
    if not 0 <= k <= count:
        raise ValueError(f"top_k: there are {count} elements along axis {axis}, not k={k}")
    # The other way round twice: a stable sort then has the first of equal ones first.
    ordered = hd.argsort(hd.flip(array, axis), axis=axis, stable=True)
    places = (count - 1) - hd.flip(ordered, axis).take(hd.arange(k), axis=axis)
    return hd.take_along_axis(array, places, axis=axis), places.astype("i4")


def stop_gradient(x: ArrayLike) -> Tree:
    """The same values, as constants: see `heddle.stop_gradient`.

    >>> import heddle as np
    >>> print(np.grad(lambda x: x * np.lax.stop_gradient(x))(3.0))
    3.0
    """
    return hd.stop_gradient(x)
