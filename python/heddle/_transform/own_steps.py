"""Functions with ways back of their own as steps of trails, or as nodes of the graph."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any

import heddle as hd
from heddle import _core, tree
from heddle._core import ndarray
from heddle._transform.arguments import has_derivatives, name_of, to_positions
from heddle._transform.guards import Guards
from heddle._transform.nodes import kind_of
from heddle._transform.reverse import vjp
from heddle._typing import ArrayLike, DTypeLike, Tree


class SymbolicZero:
    """A tangent or cotangent that is known to be zero, for rules that ask for it.

    >>> import heddle as np
    >>> np.jax.custom_derivatives.SymbolicZero((2,), np.float32)
    SymbolicZero((2,), float32)
    """

    def __init__(
        self, shape: tuple[int, ...], dtype: DTypeLike, *, device: str | None = None
    ) -> None:
        self.shape, self.dtype, self.device = shape, hd.dtype(dtype), device

    @property
    def ndim(self) -> int:
        """How many dimensions the zeros have."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many zeros there are."""
        return math.prod(self.shape)

    def instantiate(self) -> ndarray:
        """The zeros, as an array."""
        return hd.zeros(self.shape, self.dtype, device=self.device)

    def __repr__(self) -> str:
        return f"SymbolicZero({self.shape}, {self.dtype})"


def array_leaves(arguments: object) -> tuple[list[Any], tree.Structure, list[int]]:
    """The leaves of arguments, their structure, and which of them are arrays."""
    leaves, structure = tree.flatten(arguments)
    return (
        leaves,
        structure,
        [i for i, leaf in enumerate(leaves) if isinstance(leaf, _core.own_array)],
    )


def arrays_of(arguments: object) -> list[hd.ndarray]:
    return [one for one in tree.leaves(arguments) if isinstance(one, _core.own_array)]


def as_now(arguments: Tree) -> Tree:
    """A tree whose arrays stay as they are, whatever is written to those that are given."""
    leaves, structure, places = array_leaves(arguments)
    for i in places:
        leaves[i] = _core.as_now(leaves[i])
    return structure.unflatten(leaves) if places else arguments


def own(residuals: Tree, cotangents: Tree) -> tuple[Any, Any]:
    """The same for a rule, which may write to what it gets, and is asked again."""
    leaves, structure, places = array_leaves(cotangents)
    for i in places:
        leaf = leaves[i]
        leaves[i] = _core.as_now(leaf) if leaf.flags.writeable else leaf.copy()
    return as_now(residuals), structure.unflatten(leaves)


class AsThen:
    """The arrays that functions read beside their arguments are what they were when this was made.

    It is a context, for functions that are called after others may have written to these arrays.
    """

    def __init__(self, *functions: Any) -> None:
        self._arrays = Guards(functions[0], functions[1:]).arrays if functions else []
        self._values = _core.HeldValues(self._arrays)

    @property
    def wholes(self) -> list[ndarray]:
        """What lies in the memory of these arrays, as inputs of a node."""
        return list(map(_core.whole_of, self._arrays))

    def with_wholes(self, wholes: Sequence[ndarray]) -> AsThen:
        """The same, with what a node was given in place of what they were."""
        made = AsThen()
        made._arrays = self._arrays
        made._values = _core.HeldValues(list(map(_core.as_whole, wholes)))
        return made

    def __enter__(self) -> None:
        if self._arrays:
            self._values.put_back(self._arrays)

    def __exit__(self, *_: object) -> None:
        self._values.take_away()


def stepped(
    arguments: object,
    forward: Callable[[Any], tuple[Any, Any]],
    backward: Callable[[Any, Any], Any],
    what: str,
    owner: object,
    function: Callable[..., Any] | None = None,
    zeros: Callable[..., Any] | None = None,
    rules: Sequence[Callable[..., Any]] = (),
    constants: Sequence[object] = (),
) -> Tree:
    """The result of ``forward``, a pair of that and residuals, as a step of a trail.

    ``forward`` gets the arguments, ``backward`` the residuals and cotangents of the result, and
    gives trees like the arguments; ``zeros(shape, dtype)`` is what it gets for results that
    nothing depends on. None where nobody differentiates. TypeError where
    ``function``, which ``forward`` calls, reads arrays that are differentiated and are no
    arguments. What ``rules`` of users read, and ``constants`` that they get, is as it was when the
    step is repeated, or batched.
    """
    if _core.rules_are_nodes():
        # Those outside hear a node, not what it is computed of: the function says what it reads.
        if function is not None and any(
            map(_core.is_differentiated_anywhere, Guards(function, constants).arrays)
        ):
            raise TypeError(
                f"{what} reads an array that is differentiated and that is not among its "
                "differentiated arguments, so its derivative would be lost: pass it as an "
                "argument, or use stop_gradient"
            )
        return _as_node(arguments, forward, backward, what, owner, zeros, (*rules, *constants))
    return as_step(arguments, forward, backward, what, zeros, (*rules, *constants))


def as_step(
    arguments: object,
    forward: Callable[[Any], tuple[Any, Any]],
    backward: Callable[[Any, Any], Any],
    what: str,
    zeros: Callable[..., Any] | None = None,
    rules: Sequence[Any] = (),
) -> Tree:
    """The same for the innermost trail alone."""
    leaves, structure, places = array_leaves(arguments)
    inputs = [leaves[i] for i in places]
    shared: list[tree.Structure] = []  # of the result

    def compute() -> tuple[list[hd.ndarray], Callable[..., Any]]:
        result, residuals = pair(forward(arguments), f"{what}: the function for the way there")
        values, results = tree.flatten(result)
        shared.append(results)
        residuals = as_now(residuals)
        as_then = AsThen(*rules)
        arrays = [hd.asarray(value) for value in values]
        likes = [(array.shape, array.dtype, array.device) for array in arrays]

        def pull(cotangents: Sequence[object]) -> list[Any]:
            given = [
                (zeros or hd.zeros)(shape, dtype, device=device) if one is None else one
                for one, (shape, dtype, device) in zip(cotangents, likes, strict=True)
            ]
            with as_then:
                found = backward(*own(residuals, results.unflatten(given)))
            return _checked(found, structure, leaves, places, what)

        return arrays, pull

    made = _core.own_step(inputs, compute, what)
    return None if made is None else (shared[0].unflatten(made),)


def _as_node(
    arguments: object,
    forward: Callable[[Any], tuple[Any, Any]],
    backward: Callable[[Any, Any], Any],
    what: str,
    owner: object,
    zeros: Callable[..., Any] | None,
    rules: Sequence[Any],
) -> tuple[ndarray, ...]:
    """The same as a node of the graph, which those hear who repeat or batch the function.

    Residuals are results of the node, as nothing else is there when it is repeated, and what rules
    read beside their arguments is among its inputs. Who differentiates a way back again finds that
    residuals depend on the arguments, as ``forward`` says.
    """
    leaves, structure, places = array_leaves(arguments)
    inputs = [leaves[i] for i in places]
    # Of arrays, which would be held as long as the node may be repeated, only the shapes count.
    likes: list[Any] = list(leaves)
    for i in places:
        likes[i] = hd.ShapeDtypeStruct(leaves[i].shape, leaves[i].dtype)
    results: tree.Structure
    others = []  # residuals
    kind: tree.Structure
    kept: list[int] = []  # which of them are arrays
    as_then = AsThen()

    def compute() -> list[hd.ndarray]:
        nonlocal results, others, kind, kept, as_then
        result, residuals = pair(forward(arguments), f"{what}: the function for the way there")
        values, results = tree.flatten(result)
        found, kind, kept = array_leaves(residuals)
        others = [None if isinstance(one, _core.own_array) else one for one in found]
        as_then = AsThen(*rules)
        return [*(hd.asarray(value) for value in values), *(found[i] for i in kept)]

    def residuals_of(arrays: Sequence[object]) -> list[ndarray]:
        given = list(likes)
        for i, one in zip(places, arrays, strict=True):
            given[i] = one
        found = tree.leaves(forward(structure.unflatten(given))[1])
        return [found[i] for i in kept]

    def pull(inputs: list[Any], outputs: list[Any], cotangents: list[Any]) -> list[Any]:
        wholes, inputs = inputs[len(places) :], inputs[: len(places)]
        with as_then.with_wholes(wholes):
            found = pull_inputs(inputs, outputs, cotangents)
        return [*found, *[None] * len(wholes)]

    def pull_inputs(inputs: list[Any], outputs: list[Any], cotangents: list[Any]) -> list[Any]:
        count = len(outputs) - len(kept)
        made: list[Any] = [None] * len(inputs)
        if any(one is not None for one in cotangents[:count]):
            flat = list(others)
            for i, one in zip(kept, outputs[count:], strict=True):
                flat[i] = one
            given = [
                (zeros or hd.zeros)(value.shape, value.dtype, device=value.device)
                if one is None
                else one
                for one, value in zip(cotangents[:count], outputs, strict=False)
            ]
            found = backward(*own(kind.unflatten(flat), results.unflatten(given)))
            made = _checked(found, structure, likes, places, what)
        if any(one is not None for one in cotangents[count:]):
            values, back = vjp_of_leaves(residuals_of, inputs)
            given = [
                hd.zeros(value.shape, value.dtype, device=value.device) if one is None else one
                for one, value in zip(cotangents[count:], values, strict=True)
            ]
            for i, one in enumerate(back(given)):
                if one is not None:
                    made[i] = one if made[i] is None else made[i] + one
        return made

    outputs = _core.own_node(inputs, compute, pull, owner, what, lambda: as_then.wholes)
    return (results.unflatten(outputs[: len(outputs) - len(kept)]),)


def vjp_of_leaves(
    f: Callable[[list[Any]], Any], leaves: Sequence[Any]
) -> tuple[Any, Callable[[Any], list[Any]]]:
    """`vjp` of a function of a list of leaves: None for those that have no derivatives."""
    places = [
        i
        for i, one in enumerate(leaves)
        if isinstance(one, _core.own_array) and has_derivatives(one)
    ]

    def of_arrays(*arrays: ArrayLike) -> Any:
        given = list(leaves)
        for i, one in zip(places, arrays, strict=True):
            given[i] = one
        return f(given)

    values, pull = vjp(of_arrays, *(leaves[i] for i in places))

    def back(cotangents: object) -> list[Any]:
        made: list[Any] = [None] * len(leaves)
        for i, one in zip(places, pull(cotangents), strict=True):
            made[i] = one
        return made

    return values, back


def pair(given: object, where: str) -> tuple[Any, Any]:
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise TypeError(f"{where} must give a pair, not {given!r}")
    return given[0], given[1]


def _checked(
    found: object, structure: tree.Structure, leaves: list[Any], places: list[int], what: str
) -> list[ndarray | None]:
    """Cotangents for the array leaves of the arguments, of trees that a user's rule gave."""
    if not isinstance(found, (tuple, list)) or len(found) != len(structure.inside):
        raise TypeError(
            f"{what}: the rule must give a tuple with a cotangent for each of "
            f"{len(structure.inside)} arguments"
        )
    flat = []
    for one, inside in zip(found, structure.inside, strict=True):
        if one is None:
            flat += [None] * inside.num_leaves
        elif inside.cls is None:
            flat.append(one)
        else:
            given, other = tree.flatten(one, is_leaf=lambda x: x is None)
            if len(given) != inside.num_leaves:
                try:  # None may stand for a part of the argument, or be one
                    given = _leaves_like(one, inside)
                except ValueError:
                    raise TypeError(
                        f"{what}: a cotangent is a tree {other}, the argument {inside}"
                    ) from None
            flat += given
    made: list[Any] = []
    for place in places:
        one, like = flat[place], leaves[place]
        if isinstance(one, SymbolicZero) or not has_derivatives(like):
            one = None  # whatever stands there: zeros of the type float0, as JAX wants them
        if one is not None:
            one = hd.asarray(one)
            if one.shape != like.shape:
                raise ValueError(
                    f"{what}: a cotangent has shape {one.shape}, the argument {like.shape}"
                )
        made.append(one)
    return made


def _leaves_like(given: object, structure: tree.Structure) -> list[Any]:
    """The leaves of a tree of a structure, in which None stands for those of any part."""
    if given is None:
        return [None] * structure.num_leaves
    if structure.cls is None:
        return [given]
    kind = kind_of(given)
    if kind is None or type(given) is not structure.cls:
        raise ValueError(f"{given!r} is no {structure}")
    return [
        leaf
        for child, inside in zip(kind.parts(given)[0], structure.inside, strict=True)
        for leaf in _leaves_like(child, inside)
    ]


def with_fixed(given: Sequence[Any], fixed: dict[int, Any]) -> list[Any]:
    """All arguments of a call, with those that are not differentiated at their places."""
    made = list(given)
    for i in sorted(fixed):
        made.insert(i, fixed[i])
    return made


def positions_by_name(
    f: Callable[..., Any], argnums: int | Sequence[int], names: str | Sequence[str], what: str
) -> tuple[int, ...]:
    """Positions of arguments that are said by position or by name."""
    found = list(to_positions(argnums, what))
    listed = (names,) if isinstance(names, str) else tuple(names)
    parameters = list(inspect.signature(f).parameters) if listed else []
    for name in listed:
        if name not in parameters:
            raise ValueError(f"{what}: {name_of(f)} has no argument {name!r}")
        if parameters.index(name) not in found:
            found.append(parameters.index(name))
    return tuple(found)


def parameter_count(f: Callable[..., Any]) -> int:
    """How many arguments a call has by position at most, but for those of ``*args``."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return 0
    return sum(one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) for one in parameters)


def positional(
    f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], what: str
) -> tuple[Any, ...]:
    try:
        signature = inspect.signature(f)
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{what}: {error}") from None
    kinds = {name: one.kind for name, one in signature.parameters.items()}
    by_name = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD
    named = [name for name in bound.arguments if kinds[name] in by_name]
    if named:
        raise TypeError(f"{what}: keyword-only arguments are not differentiated: {named}")
    if not isinstance(f, hd.ufunc):  # of which what is not said is no argument of the rule
        bound.apply_defaults()
    return bound.args


def of_inner_rules(of: Any, name: str) -> Any:
    """Decorators for rules of the function that another one, with rules of its own, is made of."""
    if name in ("defjvp", "defjvps", "defvjp", "def_vmap"):
        found = getattr(of.fun, name, None)
        if found is not None:
            return found
    raise AttributeError(f"{type(of).__name__!r} object has no attribute {name!r}")
