"""Solutions of equations, whose derivatives are those of the equations and not of the solver.

A solver runs unheard by those who differentiate. What they hear is what the equation leaves over
at the solution, which is zero, and a step from that to the solution: its way back is a linear
equation with the transposed system, which is solved by the same means, to any order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import heddle as hd
from heddle import _core, tree
from heddle._core import ndarray
from heddle._transform.arguments import array_leaves, check_callable, check_inexact, name_of
from heddle._transform.forward import linearize
from heddle._transform.jacobians import jacfwd
from heddle._transform.own_steps import AsThen
from heddle._transform.reverse import stop_gradient, vjp
from heddle._typing import ArrayLike, Tree

_Function = Callable[[Any], Any]


def _check_like(made: object, like: object, what: str, which: str) -> None:
    """TypeError unless one tree has the structure and the shapes of the other."""
    ours, theirs = tree.structure(made), tree.structure(like)
    if ours != theirs:
        raise TypeError(f"{what}: {which} gives a tree {ours} for a tree {theirs}")
    for (path, one), other in zip(tree.leaves_with_path(made), tree.leaves(like), strict=True):
        if hd.shape(one) != hd.shape(other):
            raise TypeError(
                f"{what}: {which} gives shape {hd.shape(one)} for shape {hd.shape(other)}"
                f"{' at ' + tree.path_text(path) if path else ''}"
            )


def _arrays(given: object, what: str) -> Any:
    leaves, structure = array_leaves(given, what)
    for leaf in leaves:
        check_inexact(leaf, what, "an array", False)
    return structure.unflatten(leaves)


def _flat(given: object) -> hd.ndarray:
    """All elements of a tree, one after the other."""
    return hd.concatenate([hd.asarray(leaf).ravel() for leaf in tree.leaves(given)])


def _unflat(vector: hd.ndarray, like: object) -> Any:
    leaves, structure = tree.flatten(like)
    made, first = [], 0
    for leaf in leaves:
        made.append(vector[first : first + leaf.size].reshape(leaf.shape).astype(leaf.dtype))
        first += leaf.size
    return structure.unflatten(made)


def _matrix(function: _Function, at: object) -> hd.ndarray:
    """The Jacobian of a function of a tree, which gives one like it, as a matrix."""
    vector = _flat(at)
    derivative = jacfwd(
        lambda v: _flat(function(_unflat(v, at))), holomorphic=vector.dtype.kind == "c"
    )
    return derivative(vector)  # type: ignore[no-any-return]


def _unheard(compute: Callable[[], Any], owner: object) -> Any:
    """A tree of arrays as constants, also where what is computed is repeated or batched."""
    kept: list[tree.Structure] = []

    def leaves() -> list[hd.ndarray]:
        made, structure = tree.flatten(compute())
        kept.append(structure)
        return [hd.asarray(one) for one in made]

    made = _core.own_node([], leaves, lambda *_: [], owner, "a solver", list)
    return kept[0].unflatten(made)


def _solved(
    plain: Callable[[], Any],
    residual: _Function,
    back: Callable[[Any, Any], Any],
    what: str,
    functions: Sequence[Callable[..., Any] | None],
) -> Any:
    """What ``plain`` gives, with derivatives of an equation for each who differentiates.

    ``residual(x)`` is what the equation leaves over at x. ``back(x, g)`` gives cotangents of that
    for those of x, and calls ``functions``. The innermost of those who differentiate is dealt with
    last: what it hears is made of a solution that depends on the variables of the others alone.
    """
    made = _core.outside_of_innermost(lambda: _solved(plain, residual, back, what, functions))
    if made is None:
        # A solver may give what others have computed, and hear.
        return stop_gradient(plain())
    x = made[0]
    leaves, structure = tree.flatten(x)
    over = tree.leaves(residual(x))

    def compute() -> tuple[list[hd.ndarray], Callable[..., Any]]:
        as_then = AsThen(*functions)

        def pull(cotangents: list[object]) -> list[Any]:
            given = [
                hd.zeros(leaf.shape, leaf.dtype, device=leaf.device) if one is None else one
                for one, leaf in zip(cotangents, leaves, strict=True)
            ]
            with as_then:
                return tree.leaves(back(x, structure.unflatten(given)))

        return leaves, pull

    step = _core.own_step([hd.asarray(one) for one in over], compute, what, True)
    return x if step is None else structure.unflatten(step)


def _with_aux(made: object, has_aux: bool, what: str) -> tuple[Any, Any]:
    if not has_aux:
        return made, None
    if not isinstance(made, tuple) or len(made) != 2:
        raise TypeError(f"{what}: with has_aux solve must give a pair")
    return made


def custom_root(
    f: _Function,
    initial_guess: Tree,
    solve: Callable[[_Function, Any], Any],
    tangent_solve: Callable[[_Function, Any], Any],
    has_aux: bool = False,
) -> Tree:
    """The root of ``f`` that ``solve(f, initial_guess)`` finds, with the root's derivatives.

    ``f`` maps a tree of arrays to one of the same shapes, and may read arrays that are
    differentiated; ``solve`` may do anything, as it is not differentiated. ``tangent_solve(g, y)``
    gives the x for which the linear function ``g`` gives y, for scalars ``y / g(1.0)``. It has to
    be linear in y and differentiable. With ``has_aux`` ``solve`` gives a pair of the root and
    anything else. Inside of `vmap`, `jit` or a loop that is differentiated from outside, the
    Jacobian is made as a matrix, and derivatives are right to the third order.

    >>> import heddle as np
    >>> def newton(f, x):
    ...     for _ in range(8):
    ...         x = x - f(x) / np.grad(f)(x)
    ...     return x
    >>> def root(a):
    ...     return np.lax.custom_root(lambda x: x**2 - a, 1.0, newton, lambda g, y: y / g(1.0))
    >>> print(root(4.0), np.grad(root)(4.0))
    2.0 0.25
    """
    what = "custom_root"
    for one in (f, solve, tangent_solve):
        check_callable(one, what)
    guess = _arrays(initial_guess, what)
    aux: Any = None

    def plain() -> Any:
        nonlocal aux
        root, aux = _with_aux(solve(f, guess), has_aux, what)
        _check_like(root, guess, what, "solve")
        return _arrays(root, what)

    def residual(x: ArrayLike) -> Any:
        made = f(x)
        _check_like(made, x, what, name_of(f))
        return _arrays(made, what)

    def back(x: ndarray, g: ndarray) -> Any:
        along = linearize(f, x)[1]
        zeros = tree.map(hd.zeros_like, x)
        made, pull = vjp(lambda y: tangent_solve(along, y), zeros)
        _check_like(made, x, what, "tangent_solve")
        return tree.map(hd.negative, pull(g)[0])

    if _core.rules_are_nodes():
        root = _unheard(plain, solve)
        # Each step of Newton's from there doubles the orders of derivatives that are right.
        for _ in range(2):
            step = hd.linalg.solve(_matrix(residual, root), _flat(residual(root)))
            root = tree.map(hd.subtract, root, _unflat(step, root))
    else:
        root = _solved(plain, residual, back, what, (f, solve, tangent_solve))
    return (root, aux) if has_aux else root


def custom_linear_solve(
    matvec: _Function,
    b: Tree,
    solve: Callable[[_Function, Any], Any],
    transpose_solve: Callable[[_Function, Any], Any] | None = None,
    symmetric: bool = False,
    has_aux: bool = False,
) -> Tree:
    """The x for which ``matvec(x)`` is b, found by ``solve(matvec, b)``, with its derivatives.

    ``matvec`` is linear, and may read arrays that are differentiated; ``solve`` may do anything,
    as it is not differentiated. ``transpose_solve(vecmat, b)`` does the same for the transpose,
    and is ``solve`` with ``symmetric``. Without either, derivatives make the transpose as a
    matrix, as they do inside of `vmap`, `jit` or a loop that is differentiated from outside. With
    ``has_aux`` both functions give a pair of the solution and anything else.

    >>> import heddle as np
    >>> a = np.array([[2.0, 0.0], [0.0, 4.0]])
    >>> def inverse(matvec, b):
    ...     return np.linalg.solve(a, b)
    >>> def f(b):
    ...     return np.lax.custom_linear_solve(lambda x: a @ x, b, inverse, symmetric=True)
    >>> print(f(np.ones(2)), np.grad(lambda b: f(b).sum())(np.ones(2)))
    [0.5  0.25] [0.5  0.25]
    """
    what = "custom_linear_solve"
    for one in (matvec, solve) if transpose_solve is None else (matvec, solve, transpose_solve):
        check_callable(one, what)
    b = _arrays(b, what)
    if symmetric:
        transpose_solve = solve
    aux = None

    def plain() -> Any:
        nonlocal aux
        x, aux = _with_aux(solve(matvec, b), has_aux, what)
        _check_like(x, b, what, "solve")
        return _arrays(x, what)

    def residual(x: ArrayLike) -> Any:
        made = matvec(x)
        _check_like(made, b, what, name_of(matvec))
        return tree.map(hd.subtract, b, made)

    def back(x: ArrayLike, g: object) -> Any:
        zeros = tree.map(hd.zeros_like, x)

        def vecmat(y: ArrayLike | None) -> Any:
            return matvec(y) if symmetric else vjp(matvec, zeros)[1](y)[0]

        if transpose_solve is None:
            return _unflat(hd.linalg.solve(_matrix(vecmat, g), _flat(g)), g)
        made = custom_linear_solve(vecmat, g, transpose_solve, solve, symmetric, has_aux)
        return made[0] if has_aux else made

    if _core.rules_are_nodes():
        x = _unheard(plain, solve)
        step = hd.linalg.solve(_matrix(matvec, x), _flat(residual(x)))
        x = tree.map(hd.add, x, _unflat(step, x))
    else:
        x = _solved(plain, residual, back, what, (matvec, solve, transpose_solve))
    return (x, aux) if has_aux else x
