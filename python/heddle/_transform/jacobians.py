"""Matrices of derivatives: all rows, or all columns, at once by vmap."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec

import heddle as hd
from heddle import tree
from heddle._transform.arguments import (
    array_leaves,
    check_callable,
    different_positions_in,
    has_derivatives,
    to_positions,
)
from heddle._transform.batching import vmap
from heddle._transform.forward import linear_map
from heddle._transform.reverse import vjp, zero_of

_P = ParamSpec("_P")


def _basis(like: Sequence[hd.ndarray]) -> list[hd.ndarray]:
    """Unit vectors of all leaves together: arrays with one more axis, along which they are."""
    count = sum(leaf.size for leaf in like)
    made, first = [], 0
    for leaf in like:
        unit = hd.eye(count, leaf.size, -first, dtype=leaf.dtype, device=leaf.device)
        made.append(unit.reshape((count, *leaf.shape)))
        first += leaf.size
    return made


def _along_basis(
    f: Callable[[Any], Any], structure: tree.Structure, like: Sequence[hd.ndarray]
) -> Any:
    """What a linear function of a tree makes of all unit vectors: with one more axis in front."""
    if sum(leaf.size for leaf in like) == 1:
        # A batch of one row would be as much work as a large one.
        made = f(
            structure.unflatten(
                hd.ones(leaf.shape, leaf.dtype, device=leaf.device) for leaf in like
            )
        )
        return tree.map(lambda one: one[None], made)
    return vmap(f)(structure.unflatten(_basis(like)))


def _parts(rows: hd.ndarray, like: Sequence[hd.ndarray]) -> list[hd.ndarray]:
    """Rows for all elements of some leaves, leaf by leaf: the shape of the leaf comes first."""
    made, first = [], 0
    for leaf in like:
        part = rows[first : first + leaf.size]
        made.append(part.reshape((*leaf.shape, *rows.shape[1:])))
        first += leaf.size
    return made


def _no_parts(argument: hd.ndarray, like: Sequence[hd.ndarray]) -> list[Any]:
    """Those of an argument that has no derivatives."""
    return [zero_of(hd.broadcast_to(argument, leaf.shape + argument.shape)) for leaf in like]


def _with_arguments(
    f: Callable[..., Any], argnums: int | Sequence[int], what: str
) -> Callable[..., tuple[Callable[..., Any], dict[str, Any], bool]]:
    """Splits a call: a function of the arguments in question alone, and these by name."""
    check_callable(f, what)
    positions = to_positions(argnums, what)
    single = not isinstance(argnums, (tuple, list))

    def split(args: Sequence[object], kwargs: dict[str, object]) -> Any:
        at = different_positions_in(positions, len(args), what)

        def of_chosen(*chosen: object) -> Any:
            given = list(args)
            for i, one in zip(at, chosen, strict=True):
                given[i] = one
            return f(*given, **kwargs)

        return of_chosen, {f"argument {i}": args[i] for i in at}, single

    return split


def _check_kinds(given: dict[str, Any], what: str, holomorphic: bool | None = None) -> None:
    """That trees of arguments or results, by their names, are of kinds that have derivatives."""
    for name, one in given.items():
        for path, leaf in tree.leaves_with_path(one):
            dtype = hd.asarray(leaf).dtype
            where = f"{what}: {name}{tree.path_text(path)} is of type {dtype}"
            if not has_derivatives(hd.asarray(leaf)):
                raise TypeError(
                    f"{where}, which has no derivatives: convert it to a floating-point type"
                )
            if holomorphic is not None and holomorphic != (dtype.kind == "c"):
                told = "needs complex" if holomorphic else "is asked for; without it use real"
                raise TypeError(f"{where}: holomorphic {told} numbers")


def jacrev(
    fun: Callable[_P, Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
) -> Callable[_P, Any]:
    """A function that gives the Jacobian of ``fun``, by reverse mode: best with few results.

    For each result and each argument an array of the shape of both, one after the other. With
    ``allow_int`` integers and truth values may be among the arguments: their parts have no values,
    and are NumPy's arrays of the type `float0`.

    >>> import heddle as np
    >>> print(np.jacrev(lambda x: np.stack([x[0] * x[1], x[1]]))(np.array([2.0, 3.0])))
    [[3. 2.]
     [0. 1.]]
    """
    what = "jacrev"
    split = _with_arguments(fun, argnums, what)

    @functools.wraps(fun)
    def transformed(*args: object, **kwargs: object) -> Any:
        of_chosen, named, single = split(args, kwargs)
        chosen = tuple(named.values())
        given, _ = array_leaves(chosen, f"{what}: ")
        if not allow_int:
            _check_kinds(named, what)
        value, pull, *aux = vjp(of_chosen, *chosen, has_aux=has_aux)
        leaves, results = array_leaves(value, f"{what}: ")
        _check_kinds({"the result": value}, what, holomorphic)
        structure = tree.structure(chosen[0] if single else chosen)

        def differentiated(cotangents: Any) -> list[hd.ndarray]:
            slopes = tree.leaves(pull(cotangents))
            return [one for one, of in zip(slopes, given, strict=True) if has_derivatives(of)]

        rows = iter(_along_basis(differentiated, results, leaves))
        columns = [
            _parts(next(rows), leaves) if has_derivatives(one) else _no_parts(one, leaves)
            for one in given
        ]
        made = results.unflatten(
            structure.unflatten(column[i] for column in columns) for i in range(len(leaves))
        )
        return (made, aux[0]) if has_aux else made

    return transformed


def jacfwd(
    fun: Callable[_P, Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Callable[_P, Any]:
    """A function that gives the Jacobian of ``fun``, by forward mode: best with few inputs.

    >>> import heddle as np
    >>> print(np.jacfwd(lambda x: np.stack([x[0] * x[1], x[1]]))(np.array([2.0, 3.0])))
    [[3. 2.]
     [0. 1.]]
    """
    what = "jacfwd"
    split = _with_arguments(fun, argnums, what)

    @functools.wraps(fun)
    def transformed(*args: object, **kwargs: object) -> Any:
        of_chosen, named, single = split(args, kwargs)
        leaves, structure = array_leaves(tuple(named.values()), f"{what}: ")
        _check_kinds(named, what, holomorphic)
        value, push, aux = linear_map(of_chosen, list(named.values()), what, has_aux)
        array_leaves(value, f"{what}: ")
        _check_kinds({"the result": value}, what)
        columns = _along_basis(push, structure, leaves)

        def by_input(one: hd.ndarray) -> Any:
            # Parts have the shape of the input first; that of the result belongs there.
            rank = one.ndim - 1
            parts = [
                hd.moveaxis(part, tuple(range(part.ndim - rank, part.ndim)), tuple(range(rank)))
                for part in _parts(one, leaves)
            ]
            made = structure.unflatten(parts)
            return made[0] if single else made

        made = tree.map(by_input, columns)
        return (made, aux) if has_aux else made

    return transformed


jacobian = jacrev


def hessian(
    fun: Callable[_P, Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Callable[_P, Any]:
    """A function that gives the matrix of second derivatives of ``fun``.

    >>> import heddle as np
    >>> print(np.hessian(lambda x: x[0] ** 2 * x[1])(np.array([1.0, 2.0])))
    [[4. 2.]
     [2. 0.]]
    """
    return jacfwd(
        jacrev(fun, argnums, has_aux=has_aux, holomorphic=holomorphic),
        argnums,
        has_aux=has_aux,
        holomorphic=holomorphic,
    )
