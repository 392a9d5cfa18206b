"""Linear equations by iteration, as JAX's ``scipy.sparse.linalg`` has them.

Systems are matrices, or linear functions of trees of arrays. Iterations are loops of `heddle.lax`,
and derivatives are those of the equation (`lax.custom_linear_solve`), of every order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, Union

import heddle as _hd
from heddle import lax as _lax
from heddle._core import ndarray
from heddle._names.public import publish as _publish
from heddle._typing import Tree
from heddle.flatten_util import ravel_pytree as _ravel
from heddle.scipy.sparse import linalg as _linalg
from heddle.scipy.sparse._typing import MatrixLike as _MatrixLike

__all__ = ["bicgstab", "cg", "gmres"]

_Function = Callable[[Any], Any]
# A matrix, or the function that multiplies by one.
Operator: TypeAlias = Union[_Function, "_MatrixLike"]
# f(system, right side, first guess, squared tolerance, most passes, preconditioner)
_Method = Callable[[_Function, Any, Any, Any, int, _Function], Any]


def _function(given: Any, what: str) -> _Function:
    if callable(given):
        return given  # type: ignore[no-any-return]
    matrix = _hd.asarray(given) if not hasattr(given, "__matmul__") else given
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"{what}: a square matrix or a function is wanted, not {matrix.shape}")
    return lambda x: matrix @ x


def _solve(
    what: str,
    method: _Method,
    A: object,
    b: object,
    x0: object,
    tol: float,
    atol: float,
    maxiter: int | None,
    M: object,
    symmetric: bool,
) -> tuple[Tree, None]:
    right, restore = _ravel(b)
    if right.dtype.kind not in "fc":
        right = right.astype("float64")
        _, restore = _ravel(_hd.tree.map(lambda leaf: _hd.asarray(leaf).astype("float64"), b))
    first = _hd.zeros_like(right) if x0 is None else _ravel(x0)[0].astype(right.dtype)
    if first.shape != right.shape:
        raise ValueError(f"{what}: x0 has {first.size} elements, b {right.size}")
    system = _function(A, what)
    most = 10 * right.size if maxiter is None else maxiter

    def flat(function: _Function) -> _Function:
        return lambda v: _ravel(function(restore(v)))[0]

    before: _Function = (lambda v: v) if M is None else flat(_function(M, what))

    def iterate(matvec: _Function, y: ndarray) -> Any:
        norm = (y * y.conj()).real.sum()
        limit = _hd.maximum(tol**2 * norm, atol**2)
        return method(matvec, y, first, limit, most, before)

    x = _lax.custom_linear_solve(
        flat(system), right, iterate, transpose_solve=iterate, symmetric=symmetric
    )
    return restore(x), None


def _squared(v: ndarray) -> ndarray:
    return (v * v.conj()).real.sum()


def _conjugate(
    system: _Function, b: ndarray, x: ndarray, limit: ndarray, most: int, before: _Function
) -> ndarray:
    rest = b - system(x)
    along = before(rest)

    def goes_on(state: tuple[ndarray, ...]) -> Any:
        _, rest, _, _, passes = state
        return (_squared(rest) > limit) & (passes < most)

    def step(state: tuple[ndarray, ...]) -> tuple[ndarray, ...]:
        x, rest, along, size, passes = state
        moved = system(along)
        length = size / _hd.vdot(along, moved).real
        x, rest = x + length * along, rest - length * moved
        z = before(rest)
        next_size = _hd.vdot(rest, z).real
        return x, rest, z + (next_size / size) * along, next_size, passes + 1

    return _lax.while_loop(goes_on, step, (x, rest, along, _hd.vdot(rest, along).real, 0))[0]


def _stabilised(
    system: _Function, b: ndarray, x: ndarray, limit: ndarray, most: int, before: _Function
) -> ndarray:
    rest = b - system(x)
    shadow, one = rest, _hd.ones((), rest.dtype, device=rest.device)

    def goes_on(state: tuple[ndarray, ...]) -> Any:
        return (_squared(state[1]) > limit) & (state[-1] < most)

    def step(state: tuple[ndarray, ...]) -> tuple[ndarray, ...]:
        x, rest, along, moved, alpha, omega, rho, passes = state
        next_rho = _hd.vdot(shadow, rest)
        along = rest + next_rho / rho * alpha / omega * (along - omega * moved)
        towards = before(along)
        moved = system(towards)
        alpha = next_rho / _hd.vdot(shadow, moved)
        s = rest - alpha * moved
        z = before(s)
        t = system(z)
        size = _squared(t)
        # Where the first half has solved it there is nothing left for the second.
        omega = _hd.where(size > 0, _hd.vdot(t, s) / _hd.where(size > 0, size, 1), 0)
        x, rest = x + alpha * towards + omega * z, s - omega * t
        return x, rest, along, moved, alpha, omega, next_rho, passes + 1

    zero = _hd.zeros_like(rest)
    return _lax.while_loop(goes_on, step, (x, rest, zero, zero, one, one, one, 0))[0]


def _generalised(restart: int) -> _Method:
    def method(
        system: _Function, b: ndarray, x: ndarray, limit: ndarray, most: int, before: _Function
    ) -> Any:
        count = min(restart, b.size)

        def goes_on(state: tuple[ndarray, ...]) -> Any:
            return (_squared(b - system(state[0])) > limit) & (state[1] < most)

        def cycle(state: tuple[ndarray, ...]) -> tuple[ndarray, ...]:
            x, passes = state
            rest = before(b - system(x))
            size = _hd.sqrt(_squared(rest))
            basis = [rest / _hd.where(size > 0, size, 1)]
            columns = []
            for _ in range(count):
                w = before(system(basis[-1]))
                rows = _hd.stack(basis)
                part = rows.conj() @ w
                w = w - part @ rows
                again = rows.conj() @ w  # once more, for what was rounded off
                w, part = w - again @ rows, part + again
                length = _hd.sqrt(_squared(w))
                small = length <= 1e-14 * _hd.sqrt(_squared(part))
                basis.append(_hd.where(small, 0, w / _hd.where(small, 1, length)))
                padding = _hd.zeros(count - part.size, part.dtype, device=part.device)
                last = _hd.where(small, 0, length).astype(part.dtype)[None]
                columns.append(_hd.concatenate([part, last, padding]))
            upper = _hd.stack(columns, 1)
            wanted = _hd.zeros(count + 1, upper.dtype, device=upper.device).at[0].set(size)
            weights = _hd.linalg.lstsq(upper, wanted)[0]
            return x + weights @ _hd.stack(basis[:-1]), passes + 1

        return _lax.while_loop(goes_on, cycle, (x, 0))[0]

    return method


def cg(
    A: Operator,
    b: Tree,
    x0: Tree = None,
    *,
    tol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Operator | None = None,
) -> tuple[Tree, None]:
    """The x for which ``A(x)`` is b, by conjugate gradients, and None.

    ``A`` is Hermitian and positive definite; ``M`` is about its inverse. It ends where the norm of
    what is left is at most the larger one of ``tol * norm(b)`` and ``atol``.

    >>> import heddle.jax.numpy as jnp
    >>> from heddle.jax.scipy.sparse.linalg import cg
    >>> print(cg(lambda x: {"a": 2 * x["a"]}, {"a": jnp.ones(2)})[0]["a"])
    [0.5 0.5]
    """
    return _solve("cg", _conjugate, A, b, x0, tol, atol, maxiter, M, True)


def bicgstab(
    A: Operator,
    b: Tree,
    x0: Tree = None,
    *,
    tol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Operator | None = None,
) -> tuple[Tree, None]:
    """The x for which ``A(x)`` is b, by stabilised biconjugate gradients, and None.

    >>> import heddle.jax.numpy as jnp
    >>> from heddle.jax.scipy.sparse.linalg import bicgstab
    >>> print(bicgstab(jnp.array([[2.0, 1.0], [0.0, 1.0]]), jnp.ones(2))[0])
    [0. 1.]
    """
    return _solve("bicgstab", _stabilised, A, b, x0, tol, atol, maxiter, M, False)


def gmres(
    A: Operator,
    b: Tree,
    x0: Tree = None,
    *,
    tol: float = 1e-5,
    atol: float = 0.0,
    restart: int = 20,
    maxiter: int | None = None,
    M: Operator | None = None,
    solve_method: str = "batched",
) -> tuple[Tree, None]:
    """The x for which ``A(x)`` is b, by the least residual in Krylov spaces, and None.

    A pass makes a space of ``restart`` dimensions, orthogonal as a whole and not vector by vector,
    so that "batched" is the one ``solve_method``.

    >>> import heddle.jax.numpy as jnp
    >>> from heddle.jax.scipy.sparse.linalg import gmres
    >>> print(gmres(jnp.array([[2.0, 1.0], [0.0, 1.0]]), jnp.ones(2))[0].round(6) + 0)
    [0. 1.]
    """
    if solve_method != "batched":
        raise NotImplementedError(f"gmres: solve_method is 'batched', not {solve_method!r}")
    if restart < 1:
        raise ValueError(f"gmres: restart is a number from 1 on, not {restart}")
    return _solve("gmres", _generalised(restart), A, b, x0, tol, atol, maxiter, M, False)


_publish(__name__, bicgstab, cg, gmres)


def __getattr__(name: str) -> object:
    return getattr(_linalg, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(_linalg)})
