"""Functions with derivatives of their own."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any, Generic, ParamSpec, TypeVar, cast

import heddle as hd
from heddle import _core, tree
from heddle._core import ndarray
from heddle._transform.arguments import (
    Depth,
    check_callable,
    forward_mode,
    has_derivatives,
    name_of,
    positions_in,
    shape_of,
    trail,
)
from heddle._transform.own_steps import (
    AsThen,
    SymbolicZero,
    arrays_of,
    as_now,
    of_inner_rules,
    own,
    pair,
    parameter_count,
    positional,
    positions_by_name,
    stepped,
    vjp_of_leaves,
    with_fixed,
)
from heddle._transform.reverse import vjp
from heddle._typing import Tree

_P = ParamSpec("_P")
_R = TypeVar("_R")


def _check_tangents(value: object, change: object, what: str) -> None:
    """TypeError where the tangents that a rule gives are not like the result that it gives."""
    structure, other = tree.structure(value), tree.structure(change)
    if structure != other:
        raise TypeError(
            f"{what}: the rule gives a result that is a tree {structure}, and tangents {other}"
        )
    for (path, one), tangent in zip(tree.leaves_with_path(value), tree.leaves(change), strict=True):
        if shape_of(one) != shape_of(tangent):
            raise TypeError(
                f"{what}: the rule gives a result{tree.path_text(path)} of shape {shape_of(one)}, "
                f"and a tangent of shape {shape_of(tangent)}"
            )


def _tangent_of(value: ndarray, change: ndarray) -> ndarray:
    """A tangent of a rule; whatever stands there for whole numbers is no derivative."""
    like = hd.asarray(value)
    known = has_derivatives(like) and not isinstance(change, SymbolicZero)
    return change if known else hd.zeros(like.shape, like.dtype, device=like.device)


def _may_be_followed(leaf: object) -> bool:
    """Whether somebody may differentiate with respect to a leaf of the arguments."""
    if not isinstance(leaf, _core.own_array) or not has_derivatives(leaf):
        return False
    return _core.rules_are_nodes() or _core.is_differentiated(leaf)


class CustomVJPPrimal:
    """A leaf of the arguments, and whether somebody differentiates with respect to it.

    >>> import heddle as np
    >>> @np.custom_vjp
    ... def double(x):
    ...     return 2 * x
    >>> def forward(x):
    ...     return 2 * x.value, x.perturbed
    >>> double.defvjp(forward, lambda wanted, g: (2 * g if wanted else None,), symbolic_zeros=True)
    >>> print(np.grad(double)(3.0))
    2.0
    """

    __slots__ = ("perturbed", "value")  # no dataclass, which would be a tree

    def __init__(self, value: Tree, perturbed: bool) -> None:
        self.value, self.perturbed = value, perturbed


class _LinearFor(set[Any]):
    """Kinds of arguments for which a rule is known to be linear."""

    def checked(self, f: Callable[[Any], Any], zeros: object, problem: str) -> Any:
        """A derivative that has to be the same at all arguments; TypeError where it is not.

        ``problem`` says what is wrong then. It is looked at once for arguments of the same kind.
        """
        leaves, structure = tree.flatten(zeros)
        key = structure, tuple((leaf.shape, leaf.dtype) for leaf in leaves)
        if key in self:
            return f(zeros)
        with trail(problem):
            made = f(structure.unflatten(map(_core.watch, leaves)))
            if _core.innermost_depends(arrays_of(made)):
                raise TypeError(problem)
        self.add(key)
        return made


class custom_vjp(Generic[_P, _R]):
    """A function with a way back of its own.

    ``defvjp(fwd, bwd)``: ``fwd`` takes the arguments and gives the result and residuals, ``bwd``
    takes these and the cotangents of the result, and gives a tuple with those of the arguments.

    >>> import heddle as np
    >>> @np.custom_vjp
    ... def clipped(x):
    ...     return x
    >>> clipped.defvjp(lambda x: (x, None), lambda _, g: (np.clip(g, -1, 1),))
    >>> print(np.grad(lambda x: clipped(x) * 5)(2.0))
    1.0
    """

    def __init__(
        self,
        fun: Callable[_P, _R],
        nondiff_argnums: int | Sequence[int] = (),
        nondiff_argnames: str | Sequence[str] = (),
    ) -> None:
        check_callable(fun, "custom_vjp")
        functools.update_wrapper(self, fun)
        self.fun: Callable[..., Any] = fun
        self.nondiff_argnums = positions_by_name(
            fun, nondiff_argnums, nondiff_argnames, "custom_vjp"
        )
        self._parameters = parameter_count(fun)
        self._rules: tuple[Callable[..., Any], Callable[..., Any]] | None = None
        self._symbolic_zeros = False
        self._linear_for = _LinearFor()

    # Known without a look at its steps: of a sum it makes a sum, whatever it is composed of.
    has_linear_rule = False

    def __getattr__(self, name: str) -> Any:
        return of_inner_rules(self, name)

    def defvjp(
        self,
        fwd: Callable[..., Any],
        bwd: Callable[..., Any],
        symbolic_zeros: bool = False,
    ) -> None:
        """Say how it is computed with residuals, and how cotangents pass it.

        With ``symbolic_zeros`` the former gets a `CustomVJPPrimal` for each leaf of an argument,
        which says whether somebody differentiates with respect to it, and the latter a
        `SymbolicZero` for what nothing depends on. Inside of `jit` and `vmap` that are
        differentiated from outside this is not known: all arrays may be differentiated there.
        """
        self._rules = (fwd, bwd)
        self._symbolic_zeros = symbolic_zeros
        self._linear_for.clear()

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        what = f"custom_vjp of {name_of(self.fun)}"
        if self._rules is None:
            raise AttributeError(f"{what}: no rule was given by defvjp")
        arguments: tuple[Any, ...] = args
        if kwargs or len(args) < self._parameters:
            arguments = positional(self.fun, args, kwargs, what)
        fwd, bwd = self._rules
        fixed = {i: arguments[i] for i in positions_in(self.nondiff_argnums, len(arguments), what)}
        constant = [fixed[i] for i in sorted(fixed)]

        primals = tuple(one for i, one in enumerate(arguments) if i not in fixed)
        followed = [_may_be_followed(leaf) for leaf in tree.leaves(primals)]

        def there(given: Any) -> Any:
            if not self._symbolic_zeros:
                return fwd(*with_fixed(given, fixed))
            leaves, structure = tree.flatten(given)
            pairs = zip(leaves, followed, strict=True)
            named = structure.unflatten(CustomVJPPrimal(*pair) for pair in pairs)
            return fwd(*with_fixed(named, fixed))

        def back(residuals: Any, cotangents: Any) -> Any:
            if forward_mode.depth > 0 and not self.has_linear_rule:
                self._check_linear(
                    lambda given: bwd(*constant, *own(residuals, given)), cotangents, what
                )
            return bwd(*constant, residuals, cotangents)

        made = stepped(
            primals,
            there,
            back,
            what,
            self,
            fwd,
            SymbolicZero if self._symbolic_zeros else None,
            rules=(fwd, bwd),
            constants=constant,
        )
        result: _R = self.fun(*arguments) if made is None else made[0]
        return result

    def _check_linear(self, back: Callable[[Any], Any], cotangents: ndarray, what: str) -> None:
        """TypeError where forward mode would take the slope of the way back at zero for all."""
        assert self._rules is not None
        rule = getattr(self._rules[1], "__code__", self._rules[1])
        if rule in _checked_now.rules:
            return
        like = tree.map(
            lambda one: hd.zeros(one.shape, one.dtype, device=one.device), cotangents
        )  # no symbols

        def slope(given: object) -> Any:
            values, pull = vjp(lambda given: arrays_of(back(given)), given)
            return pull(
                [hd.ones(value.shape, value.dtype, device=value.device) for value in values]
            )

        problem = (
            f"{what}: the rule is not linear in the cotangents, as jvp, linearize and jacfwd need "
            "it (grad, vjp and jacrev apply it as it is)"
        )
        outer, _checked_now.rules = _checked_now.rules, _checked_now.rules | {rule}
        try:
            self._linear_for.checked(slope, like, problem)
        finally:
            _checked_now.rules = outer


class custom_jvp(Generic[_P, _R]):
    """A function whose change along tangents is said by a rule of its own.

    The rule takes the arguments and their tangents, each as a tuple, and gives the result and its
    tangent. The way back is its transpose, for which it has to be linear in the tangents; forward
    mode applies it as it is.

    >>> import heddle as np
    >>> @np.custom_jvp
    ... def f(x):
    ...     return np.log1p(np.exp(x))
    >>> @f.defjvp
    ... def rule(primals, tangents):
    ...     (x,), (t,) = primals, tangents
    ...     return f(x), t * (1 - 1 / (1 + np.exp(x)))
    >>> print(np.grad(f)(0.0))
    0.5
    """

    def __init__(
        self,
        fun: Callable[_P, _R],
        nondiff_argnums: int | Sequence[int] = (),
        nondiff_argnames: str | Sequence[str] = (),
    ) -> None:
        check_callable(fun, "custom_jvp")
        functools.update_wrapper(self, fun)
        self.fun: Callable[..., Any] = fun
        self.nondiff_argnums = positions_by_name(
            fun, nondiff_argnums, nondiff_argnames, "custom_jvp"
        )
        self._parameters = parameter_count(fun)
        self._rule: Callable[..., Any] | None = None
        self._symbolic_zeros = False
        self._linear_for = _LinearFor()

    def __getattr__(self, name: str) -> Any:
        return of_inner_rules(self, name)

    def defjvp(self, jvp: Callable[..., Any], symbolic_zeros: bool = False) -> Callable[..., Any]:
        """Say how results change; a decorator.

        With ``symbolic_zeros`` tangents of what nobody differentiates with respect to are
        `SymbolicZero`, and the rule may give such, too. Inside of `jit` and `vmap` that are
        differentiated from outside this is not known, and they are arrays.
        """
        self._rule = jvp
        self._symbolic_zeros = symbolic_zeros
        self._linear_for.clear()
        return jvp

    def defjvps(self, *jvps: Callable[..., Any] | None) -> None:
        """Say for each argument how the result changes with it: ``jvp(tangent, result, *args)``.

        None where it does not. Arguments of ``nondiff_argnums`` have none.
        """
        if self.nondiff_argnums:
            raise TypeError(
                f"custom_jvp of {name_of(self.fun)}: defjvps is for functions without "
                "nondiff_argnums; use defjvp"
            )

        itself: Callable[..., Any] = self

        def rule(primals: Any, tangents: Any) -> Any:
            if len(jvps) != len(primals):
                raise TypeError(
                    f"custom_jvp of {name_of(self.fun)}: defjvps was given {len(jvps)} rules for "
                    f"{len(primals)} arguments"
                )
            result = itself(*primals)
            changes = [
                jvp(tangent, result, *primals)
                for jvp, tangent in zip(jvps, tangents, strict=True)
                if jvp is not None
            ]
            if not changes:
                return result, tree.map(hd.zeros_like, result)
            return result, tree.map(lambda *parts: sum(parts[1:], parts[0]), *changes)

        self.defjvp(rule)

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        what = f"custom_jvp of {name_of(self.fun)}"
        rule = self._rule
        if rule is None:
            raise AttributeError(f"{what}: no rule was given by defjvp")
        arguments: tuple[Any, ...] = args
        if kwargs or len(args) < self._parameters:
            arguments = positional(self.fun, args, kwargs, what)
        fixed = {i: arguments[i] for i in positions_in(self.nondiff_argnums, len(arguments), what)}
        constant = [fixed[i] for i in sorted(fixed)]
        primals = tuple(one for i, one in enumerate(arguments) if i not in fixed)
        if _linear.depth > 0 and _core.innermost_depends(arrays_of(primals)):
            # A rule applies the function to a tangent, in which it is linear: what it computes is
            # transposed, and the rule not asked again, which would never end.
            return cast("_R", self.fun(*arguments))

        followed = [_may_be_followed(leaf) for leaf in tree.leaves(primals)]

        def along(primals: object, tangents: object) -> Any:
            if self._symbolic_zeros:
                leaves, structure = tree.flatten(tangents)
                tangents = structure.unflatten(
                    leaf if one else SymbolicZero(leaf.shape, leaf.dtype, device=leaf.device)
                    for leaf, one in zip(leaves, followed, strict=True)
                )
            # It is asked more than once, and may write to what it gets.
            given = own(primals, tangents)
            value, change = pair(rule(*constant, *given), f"{what}: the rule")
            _check_tangents(value, change, what)
            return tree.map(_tangent_of, value, change)

        def transposed(primals: Any, cotangents: object, is_checked: bool = False) -> Any:
            zeros = tree.map(lambda leaf: hd.zeros_like(hd.asarray(leaf) * 1.0), primals)

            def at(tangents: Any) -> Any:
                with _linear:
                    _, pull = vjp(lambda *tangents: along(primals, tangents), *tangents)
                return pull(cotangents)

            if not is_checked:
                return at(zeros)
            problem = (
                f"{what}: the rule is not linear in the tangents, as reverse mode needs it (jvp, "
                "linearize and jacfwd apply it as it is)"
            )
            return self._linear_for.checked(at, zeros, problem)

        def back(primals: Any, cotangents: Any) -> Any:
            if forward_mode.depth == 0 or _core.innermost_depends(arrays_of(primals)):
                return transposed(primals, cotangents, True)
            # The way back of this step is that to tangents, for which there is the rule: linear or
            # not. What the step itself gives nobody asks for.
            repeated = _core.rules_are_nodes()

            def again(given: Any, tangents: Any) -> Any:
                primals, cotangents = given
                if not repeated:
                    return None, along(primals, tangents)
                leaves, structure = tree.flatten(primals)
                _, pull = vjp_of_leaves(
                    lambda given: transposed(structure.unflatten(given), cotangents), leaves
                )
                return structure.unflatten(pull(tangents)), along(primals, tangents)

            made = stepped(
                (primals, cotangents),
                lambda given: (transposed(*given), given),
                again,
                what,
                self,
                rules=(self.fun, rule),
                constants=constant,
            )
            return transposed(primals, cotangents) if made is None else made[0]

        # Those who differentiate further outside are to use the rule, too.
        function: Callable[..., Any] = self.fun if _core.rules_are_nodes() else self

        def forward(given: Any) -> tuple[Any, Any]:
            kept = as_now(given)
            return function(*with_fixed(given, fixed)), kept

        made = stepped(
            primals,
            forward,
            back,
            what,
            self,
            self.fun,
            rules=(self.fun, rule),
            constants=constant,
        )
        result: _R = self.fun(*arguments) if made is None else made[0]
        return result


# Where rules are recorded as functions of tangents, to be transposed.
_linear = Depth()


class _CheckedNow(threading.local):
    """Ways back that the thread is trying whether they are linear.

    One that calls its own function, of this object or of another one of the same code, would be
    tried without end.
    """

    rules: frozenset[object] = frozenset()


_checked_now = _CheckedNow()


def custom_gradient(fun: Callable[_P, tuple[_R, Callable[..., Any]]]) -> Callable[_P, _R]:
    """A function that gives its result together with its way back, as a pair.

    The way back takes cotangents of the result and gives those of the arguments: a tuple, or one
    of them where there is one argument.

    >>> import heddle as np
    >>> @np.custom_gradient
    ... def f(x):
    ...     return x**2, lambda g: g * 100
    >>> print(f(3.0), np.grad(f)(3.0))
    9.0 100.0
    """
    what = f"custom_gradient of {name_of(fun)}"
    check_callable(fun, "custom_gradient")

    @functools.wraps(fun)
    def transformed(*args: _P.args, **kwargs: _P.kwargs) -> Any:
        def both(given: Any) -> tuple[ndarray, Callable[..., Any]]:
            return pair(fun(*given, **kwargs), what)

        # A way back that is a function holds arrays of this call: repeated ones need it anew.
        repeated = _core.rules_are_nodes()

        def forward(given: object) -> tuple[Any, Any]:
            kept = as_now(given)
            result, pull = both(given)
            return result, kept if repeated else (pull, AsThen(pull))

        def back(residuals: Any, cotangents: Any) -> Any:
            if repeated:
                found = both(as_now(residuals))[1](cotangents)
            else:
                pull, as_then = residuals
                with as_then:
                    found = pull(cotangents)
            return found if isinstance(found, (tuple, list)) else (found,)

        made = stepped(args, forward, back, what, fun, fun, rules=(fun,))
        return both(args)[0] if made is None else made[0]

    return transformed
