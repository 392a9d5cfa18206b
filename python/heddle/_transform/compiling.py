"""jit: a function whose calls are recorded once, and repeated without Python.

The first call of a signature runs the function as it is, while the core writes a script
(src/transform/script.h). Later calls repeat the script on their arguments. What the function
looked at is compared on the way: where it differs, the function runs again, and is recorded again.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import inspect
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, cast, overload

import numpy

import heddle as hd
from heddle import _core, tree
from heddle._transform import naming, nodes
from heddle._transform.arguments import check_callable, name_of, positions_in, to_positions
from heddle._transform.guards import Guards, same_signs
from heddle._transform.parallel import axes_outside
from heddle._transform.reverse import float0
from heddle._typing import Tree
from heddle.random._recording import Draws

if TYPE_CHECKING:
    from heddle._transform.lowering import Lowered

_P = ParamSpec("_P")
_R = TypeVar("_R")

_INT64 = (-(2**63), 2**63 - 1)
_MOST_SCRIPTS = 8  # of one signature: beyond, the function just runs
_NOT_STATIC = "make it a tuple, or an argument that is not static"
_NUMBERS = (int, float, complex)  # which may be inputs, like arrays


# What `clear_caches` is about.
_all_jitted: weakref.WeakSet[Jitted[..., Any]] = weakref.WeakSet()


class _Recorded:
    """The scripts of one signature."""

    def __init__(self) -> None:
        self.scripts: list[tuple[Any, Guards, list[hd.ndarray], Any, Draws | None]] = []
        self.recordings = 0
        self.plain = ""  # why the function just runs; empty: it does not
        self.lines: dict[str, None] = {}  # that looked at elements, in order


def _is_numpys(one: object) -> bool:
    """Whether something of NumPy's has elements that an array can have: objects are not."""
    if isinstance(one, _core.own_array) or not isinstance(one, (numpy.generic, numpy.ndarray)):
        return False
    return one.dtype != object and one.dtype != float0


def as_input(one: Any) -> Any:
    """An array of what NumPy has: of its arrays copies, which nobody can write to in vain."""
    if not _is_numpys(one):
        return one
    made = hd.asarray(one)
    if isinstance(one, numpy.ndarray):
        made.setflags(write=False)
    return made


def _static_leaf(leaf: object, what: str, advice: str = "make it a tree of arrays") -> Any:
    """What a leaf that is no array has in the key of a signature: it is compared by value."""
    if isinstance(leaf, numpy.ndarray) and leaf.dtype == float0:
        return float0, leaf.shape
    try:
        hash(leaf)
    except TypeError:
        raise TypeError(
            f"{what}: {type(leaf).__name__} is not hashable, and so cannot be compared by value: "
            f"{advice}"
        ) from None
    return type(leaf), _exactly(leaf)


def _exactly(value: object) -> object:
    """A key that tells zeros apart by their signs; other numbers are their own."""
    signed = isinstance(value, complex) or (isinstance(value, float) and value == 0)
    return repr(value) if signed else value


class _Numbers:
    """Python's numbers among the arguments of a signature.

    A number is a constant of the recorded call until a call comes with another one. From then on it
    is an input: an array without dimensions, whose type yields as a number's does. One that the
    function looks at (``range(n)``) is a constant again, for each value a recording of its own.

    Arrays refuse integers that their type cannot hold. Those are constants, too.
    """

    def __init__(self, values: tuple[Any, ...]) -> None:
        self.values = values
        self.inputs: set[int] = set()
        self.constants: set[int] = set()
        self.limits = _INT64

    def narrow_to(self, arrays: Sequence[hd.ndarray]) -> bool:
        """Keep to integers that such arrays can hold; whether these are fewer than before."""
        before = self.limits
        for one in arrays:
            if one.dtype.kind in "iu":
                low, high = self.limits
                kind = hd.iinfo(one.dtype)
                self.limits = max(low, int(kind.min)), min(high, int(kind.max))
        return self.limits != before

    def may_be_input(self, value: object) -> bool:
        """Whether arrays do with a number as they did with that of the recorded call."""
        return type(value) is not int or self.limits[0] <= value <= self.limits[1]

    def inputs_of(self, values: tuple[object, ...]) -> set[int]:
        """Which ones are inputs."""
        for i, (value, first) in enumerate(zip(values, self.values, strict=True)):
            same = value is first or (value == first and same_signs(value, first))
            if not same and i not in self.constants:
                self.inputs.add(i)
        return self.inputs


@dataclasses.dataclass
class _Call:
    """What tells the signatures of calls apart but for arrays, and what is given."""

    key: Any
    arrays: list[hd.ndarray]  # inputs that are numbers first
    numbers: _Numbers | None = None
    inputs: list[int] = dataclasses.field(default_factory=list)  # which of the numbers are
    leaves: list[Any] = dataclasses.field(default_factory=list)
    places: list[int] = dataclasses.field(default_factory=list)  # of the numbers among the leaves
    structure: Any = None
    static: dict[int, Any] = dataclasses.field(default_factory=dict)
    named: dict[str, Any] = dataclasses.field(default_factory=dict)

    def arguments(self) -> tuple[list[Any], dict[str, Any]]:
        """The arguments, with arrays for the numbers that are inputs."""
        leaves = list(self.leaves)
        for array, i in zip(self.arrays, self.inputs, strict=False):
            leaves[self.places[i]] = array
        given, named = self.structure.unflatten(leaves)
        for place in sorted(self.static):
            given.insert(place, self.static[place])
        return given, named | self.named


class Jitted(Generic[_P, _R]):
    """A function that `jit` made; called as the function itself."""

    def __init__(
        self,
        f: Callable[_P, _R],
        static_argnums: tuple[int, ...] = (),
        static_argnames: set[str] | None = None,
        donate_argnums: tuple[int, ...] = (),
        donate_argnames: set[str] | None = None,
    ) -> None:
        functools.update_wrapper(self, f)
        self._f = f
        self._static_argnums = static_argnums
        self._static_argnames = static_argnames or set()
        self._donate_argnums = donate_argnums
        self._donate_argnames = donate_argnames or set()
        self._donates = bool(donate_argnums or donate_argnames)
        self._known: dict[Any, _Recorded] = {}
        self._numbers: dict[Any, _Numbers] = {}
        self._quick = _core.RecordedCalls()
        _all_jitted.add(self)

    def __get__(self, instance: object, owner: type | None = None) -> Callable[..., Any]:
        called: Callable[..., Any] = self
        return self if instance is None else functools.partial(called, instance)

    def __repr__(self) -> str:
        return f"jit({self._f!r})"

    def clear_cache(self) -> None:
        """Forget all that was recorded."""
        self._known.clear()
        self._numbers.clear()
        self._quick.clear()

    def _with_inputs(self, args: Any, kwargs: dict[str, object]) -> Any:
        """The arguments, with arrays for NumPy's, and for elements of arrays: all are inputs."""
        count = len(args)
        static = {i % count for i in self._static_argnums if -count <= i < count}
        given = tuple(one if i in static else tree.map(as_input, one) for i, one in enumerate(args))
        named = {
            name: one if name in self._static_argnames else tree.map(as_input, one)
            for name, one in kwargs.items()
        }
        return given, named

    def _parts(self, args: Any, kwargs: dict[str, Any]) -> _Call | None:
        """None where elements, or NumPy's arrays, are among the arguments: see _with_inputs."""
        if not kwargs and not self._static_argnums:
            for one in args:
                if type(one) is not hd.ndarray:
                    break
            else:
                return _Call(len(args), list(args))
        count = len(args)
        static = {i % count for i in self._static_argnums if -count <= i < count}
        fixed: list[Any] = [
            (i, _static_leaf(args[i], f"jit: static argument {i}", _NOT_STATIC))
            for i in sorted(static)
        ]
        fixed += [
            (name, _static_leaf(kwargs[name], f"jit: static argument {name!r}", _NOT_STATIC))
            for name in sorted(self._static_argnames & kwargs.keys())
        ]
        leaves, structure = tree.flatten(
            (
                [one for i, one in enumerate(args) if i not in static],
                {name: one for name, one in kwargs.items() if name not in self._static_argnames},
            )
        )
        arrays: list[hd.ndarray] = []
        others: list[object] = []
        numbers: list[int] = []
        for place, leaf in enumerate(leaves):
            if isinstance(leaf, _core.own_array):
                arrays.append(leaf)
                others.append(None)
            elif type(leaf) in _NUMBERS:
                numbers.append(place)
                others.append(type(leaf))
            elif _is_numpys(leaf):
                return None
            else:
                others.append(_static_leaf(leaf, f"jit of {name_of(self._f)}: an argument"))
        key = count, tuple(fixed), structure, tuple(_orders_in(structure)), tuple(others)
        if not numbers:
            return _Call(key, arrays)
        values = tuple(leaves[place] for place in numbers)
        known = self._numbers.get(key)
        if known is None:
            known = self._numbers.setdefault(key, _Numbers(values))
        known.narrow_to(arrays)
        inputs, made = [], []
        for i in sorted(known.inputs_of(values)):
            array = _core.weak_number(values[i]) if known.may_be_input(values[i]) else None
            if array is not None:
                inputs.append(i)
                made.append(array)
        left = tuple(None if i in inputs else _exactly(value) for i, value in enumerate(values))
        return _Call(
            (key, left),
            made + arrays,
            known,
            inputs,
            leaves,
            numbers,
            structure,
            {i: args[i] for i in static},
            {name: kwargs[name] for name in self._static_argnames & kwargs.keys()},
        )

    def lower(self, *args: object, **kwargs: object) -> Lowered:
        """What a call does, to be looked at: ``lower(x).as_text()``, ``lower(x).compile()``.

        The function runs once for that, on copies of the arrays among its arguments. In place of an
        array there may be its shape and type, a `ShapeDtypeStruct`: it runs on zeros then.

        >>> import heddle as np
        >>> lowered = np.jit(lambda x: np.sin(x) * 2).lower(np.ones(3))
        >>> print(lowered.as_text(), end="")
        %0 float64[3] = input
        %1 float64[3] = sin(%0)
        %2 float64[3] = multiply(%1, a number)
        return %2 as float64[3]
        >>> lowered.compile().cost_analysis()["kernels"]
        1
        """
        from heddle._transform.lowering import lower

        return lower(self, self._f, args, kwargs)

    def eval_shape(self, *args: object, **kwargs: object) -> Tree:
        """The shapes and types of the results: see `heddle.eval_shape`.

        >>> import heddle as np
        >>> np.jit(np.sum).eval_shape(np.ones(3))
        ShapeDtypeStruct(shape=(), dtype=dtype('float64'))
        """
        from heddle._transform.shapes import eval_shape

        return eval_shape(self._f, *args, **kwargs)

    def _donated(self, args: Any, kwargs: dict[str, object]) -> list[hd.ndarray]:
        named = self._donate_argnames & kwargs.keys()
        wanted = self._donate_argnums
        if named:  # those may be given by name
            wanted = tuple(i for i in wanted if -len(args) <= i < len(args))
        places = positions_in(wanted, len(args), "jit: donate_argnums")
        given = [args[i] for i in places]
        given += [kwargs[name] for name in named]
        return [leaf for leaf in tree.leaves(given) if isinstance(leaf, _core.own_array)]

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        if _plain.on:
            return cast("_R", self._run(*args, **kwargs))
        if not self._donates:
            made = self._quick(*args, **kwargs)
            return cast("_R", self._call(args, kwargs) if made is self._quick else made)
        donated = self._donated(args, kwargs)
        result: _R = self._call(args, kwargs)
        results = [leaf for leaf in tree.leaves(result) if isinstance(leaf, _core.own_array)]
        _core.let_go(donated, results)
        return result

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        if not naming.inside.stack:
            return self._f(*args, **kwargs)
        with naming.Named():  # a call that is repeated names nothing, so no other one does
            return self._f(*args, **kwargs)

    def _call(self, args: Any, kwargs: dict[str, Any]) -> Any:
        if _core.checks_steps():
            return self._run(*args, **kwargs)
        call = self._parts(args, kwargs)
        if call is None:
            args, kwargs = self._with_inputs(args, kwargs)
            call = self._parts(args, kwargs)
            assert call is not None
        arrays = call.arrays
        key = (call.key, _core.signature(arrays))
        known = self._known.get(key)
        if known is None:
            known = self._known.setdefault(key, _Recorded())
        stands_in = any(map(_core.is_stand_in, arrays))
        for script, guards, captured, structure, draws in known.scripts:
            # Nobody can compare what differs from row to row.
            if not (stands_in and script.decides) and guards.hold():
                if draws is None:
                    made = script.repeat(arrays + captured, (), ())
                else:
                    made = _repeat_draws(script, arrays + captured, draws)
                if made is not None:
                    return made[0] if structure is None else structure.unflatten(made)
        if known.plain or stands_in:
            return self._run(*args, **kwargs)
        return self._record(known, args, kwargs, call)

    def _record(self, known: _Recorded, args: Any, kwargs: Any, call: _Call) -> Any:
        arrays = call.arrays
        known.recordings += 1
        if known.recordings > _MOST_SCRIPTS:
            known.plain = "it went another way in each of many calls"
            if known.lines:
                known.plain += f": elements decide at {', '.join(known.lines)}"
            self._warn(known.plain)
            return self._run(*args, **kwargs)
        # Objects among the arguments are compared by identity, and so are their attributes.
        objects = _objects_in((args, kwargs))
        before = Guards(self._f, objects)
        draws = Draws()
        given, named = call.arguments() if call.inputs else (args, kwargs)
        _core.start_script(arrays + before.arrays)
        try:
            with draws, axes_outside() as asked:
                result = self._run(*given, **named)
                of_axes = asked()
            leaves, structure = tree.flatten(result)
            form: tree.Structure | _Filled = structure
            made = [leaf if isinstance(leaf, _core.own_array) else None for leaf in leaves]
            others = any(leaf is None for leaf in made)
            script = _core.take_script([leaf for leaf in made if leaf is not None])
        finally:
            _core.stop_script()
        if others:
            # Numbers that are constant, or that were looked at, and so are compared.
            fixed = [
                None if one is not None else leaf for leaf, one in zip(leaves, made, strict=True)
            ]
            form = _Filled(structure, [one is not None for one in made], fixed)
        if call.numbers is not None:
            looked = {call.inputs[i] for i in script.looked_inputs if i < len(call.inputs)}
            if looked:  # this recording holds for no other values
                call.numbers.constants |= looked
                call.numbers.inputs -= looked
                return result
            if call.numbers.narrow_to(before.arrays) and call.inputs:
                return result
        # What the function itself has done to numbers and lists belongs to this call alone.
        before.drop_changed()
        if draws.in_batch or of_axes or draws.left_batch:
            known.recordings -= 1
            # Rows draw or are computed with, or an axis around has a size, outside of what is
            # recorded; elsewhere it may be repeated.
            return result
        known.lines |= dict.fromkeys(filter(None, script.look_lines))
        why = script.impossible or draws.problem
        if not Guards(self._f, objects).has_arrays_of(before):
            why = "it gives names or attributes outside of it other arrays"
        if before.too_many:
            why = "it reads more than 10,000 objects beside its arguments: they are not compared"
        if why:
            known.plain = why
            self._warn(why)
        else:
            single = form is tree._LEAF
            shape = None if single else form
            entry = script, before, before.arrays, shape, draws if draws.any else None
            known.scripts.insert(0, entry)
            static = self._static_argnums or (self._static_argnames & kwargs.keys())
            if not (draws.any or static):
                guards = before.quick()
                limits = call.numbers.limits if call.numbers else _INT64
                self._quick.add(
                    args, kwargs, script, guards, before.arrays, shape, call.inputs, limits
                )
        return result

    def _warn(self, why: str) -> None:
        code = getattr(self._f, "__code__", None)
        place = f" ({code.co_filename}:{code.co_firstlineno})" if code else ""
        warnings.warn(
            f"jit: {name_of(self._f)}{place} runs as plain code: {why}",
            RuntimeWarning,
            stacklevel=5,
        )


def _orders_in(structure: tree.Structure) -> Iterator[tuple[Any, ...]]:
    """Orders of dictionaries' keys that are not sorted: who goes through values sees them."""
    known: Any = structure.known
    if structure.cls is collections.defaultdict:
        known = known[1]
    if isinstance(known, nodes.Keys):
        yield known.order
    for child in structure.inside:
        yield from _orders_in(child)


def _objects_in(arguments: object) -> list[object]:
    """The leaves that are no arrays, and the classes of the rest of a tree."""
    kinds: dict[type, None] = {}

    def note(one: object) -> bool:
        kinds[type(one)] = None
        return False

    leaves = tree.leaves(arguments, is_leaf=note)
    return [
        *(one for one in leaves if not isinstance(one, (_core.own_array, numpy.ndarray))),
        *kinds,
    ]


def _repeat_draws(script: Any, arrays: list[hd.ndarray], draws: Draws) -> Any:
    """The results of a repeated call that draws random numbers; None where it does not serve."""
    if _core.rows_at_once() > 1:
        return None  # each row draws for itself
    repeated = draws.begin(script.sources, script.looks > 0)
    if repeated is None:
        return None
    try:
        made = script.repeat(arrays, repeated.late, repeated.streams)
    except BaseException:
        repeated.undo()
        raise
    if made is None:
        repeated.undo()
    return made


class _Filled:
    """The structure of a result that has leaves which are no arrays."""

    def __init__(self, structure: tree.Structure, is_array: list[bool], fixed: list[Any]) -> None:
        self.structure, self.is_array, self.fixed_leaves = structure, is_array, fixed

    def unflatten(self, arrays: list[object]) -> Any:
        remaining = iter(arrays)
        return self.structure.unflatten(
            next(remaining) if is_array else fixed
            for is_array, fixed in zip(self.is_array, self.fixed_leaves, strict=True)
        )


_core.set_classes_of_fields(nodes.FIELDS)


def clear_caches() -> None:
    """Forget all that functions of `jit` have recorded: each records its next call again.

    >>> import heddle as np
    >>> from heddle import jax
    >>> double = np.jit(lambda x: x * 2)
    >>> print(double(np.ones(2)))
    [2. 2.]
    >>> jax.clear_caches()
    """
    for one in list(_all_jitted):
        one.clear_cache()


class _Plain(threading.local):
    """Whether recorded functions run as plain code in this thread."""

    on = False


_plain = _Plain()


def runs_plainly(on: bool | None) -> bool:
    """Whether recorded functions run as plain code; from now on so, unless None is said."""
    before = _plain.on
    if on is not None:
        _plain.on = on
    return before


def _places(
    f: Callable[..., Any], argnums: int | Sequence[int], argnames: str | Sequence[str], what: str
) -> tuple[tuple[int, ...], set[str]]:
    """Positions and names of arguments; each may be given by the other in a call."""
    positions = to_positions(argnums, "jit")
    names = {argnames} if isinstance(argnames, str) else set(argnames)
    if not positions and not names:
        return positions, names
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        return positions, names
    listed = [one.name for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
    taken = {one.name for one in parameters}
    unknown = sorted(names - taken)
    if unknown and not any(one.kind is one.VAR_KEYWORD for one in parameters):
        raise ValueError(f"jit: {name_of(f)} has no argument {unknown[0]!r} ({what})")
    by_position_only = [
        one.name
        for one in parameters
        if one.name in names and one.kind in (one.POSITIONAL_ONLY, one.VAR_POSITIONAL)
    ]
    if by_position_only:
        raise ValueError(
            f"jit: {by_position_only[0]!r} of {name_of(f)} cannot be given by name ({what})"
        )
    most = sum(one.kind in (one.POSITIONAL_OR_KEYWORD, one.POSITIONAL_ONLY) for one in parameters)
    beyond = [i for i in positions if not -most <= i < most]
    if beyond and not any(one.kind is one.VAR_POSITIONAL for one in parameters):
        raise TypeError(
            f"jit: {name_of(f)} has {most} arguments by position, "
            f"and none at {beyond[0]} ({what.replace('names', 'nums')})"
        )
    by_name = (i for i, name in enumerate(listed) if name in names)
    if any(one.kind is one.POSITIONAL_ONLY for one in parameters):
        return positions, names
    by_position = {listed[i] for i in positions if -len(listed) <= i < len(listed)}
    return tuple(dict.fromkeys((*positions, *by_name))), names | by_position


@overload
def jit(
    f: Callable[_P, _R],
    *,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
    donate_argnums: int | Sequence[int] = (),
    donate_argnames: str | Sequence[str] = (),
    keep_unused: bool = False,
    inline: bool = False,
) -> Jitted[_P, _R]: ...
@overload
def jit(
    f: None = None,
    *,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
    donate_argnums: int | Sequence[int] = (),
    donate_argnames: str | Sequence[str] = (),
    keep_unused: bool = False,
    inline: bool = False,
) -> Callable[[Callable[_P, _R]], Jitted[_P, _R]]: ...


def jit(
    f: Callable[..., Any] | None = None,
    *,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
    donate_argnums: int | Sequence[int] = (),
    donate_argnames: str | Sequence[str] = (),
    keep_unused: bool = False,
    inline: bool = False,
) -> Any:
    """A function that does what ``f`` does, recorded once and repeated without Python.

    A call is recorded for each combination of types, shapes and layouts of the arrays among the
    arguments, and of the values of all others. Arrays that ``f`` reads from outside are read anew
    at each call, and what it writes to arguments and to arrays outside is written; results that
    are views stay views. Numbers that it looks at (``if x > 0``) are compared at each call: where
    one differs, the function runs and is recorded again, up to eight times for a signature.
    What it reads beside arrays (globals, closures, attributes) is compared, too. Files, clocks and
    other effects belong to the recorded call alone: `heddle.debug.callback` is for those that
    happen in every call. Generators go on as they do in plain code. A function whose results depend
    in shape on elements runs as plain code.

    A number among the arguments is compared by value until a call comes with another one: from then
    on it is an array without dimensions, unless the function looks at it. Memory of arguments at
    ``donate_argnums``, or with ``donate_argnames``, may be used for results; such arrays are zeros
    afterwards. ``keep_unused`` and ``inline`` are advice for JAX's compiler and may be either: a
    recorded call inside of another one is part of it, and arguments that nobody reads cost nothing.

    >>> import heddle as np
    >>> @np.jit
    ... def step(x):
    ...     return np.tanh(x) * 2 + 1
    >>> print(step(np.array([0.0, 1.0])))
    [1.         2.52318831]
    """
    if f is None:
        return functools.partial(
            jit,
            static_argnums=static_argnums,
            static_argnames=static_argnames,
            donate_argnums=donate_argnums,
            donate_argnames=donate_argnames,
            keep_unused=keep_unused,
            inline=inline,
        )
    check_callable(f, "jit")
    if inspect.isgeneratorfunction(f) or inspect.iscoroutinefunction(f):
        raise TypeError(
            f"jit: {name_of(f)} is a generator or a coroutine, whose steps cannot be repeated"
        )
    for name, given in (("keep_unused", keep_unused), ("inline", inline)):
        if not isinstance(given, bool):
            raise TypeError(f"jit: {name} is True or False, not {given!r}")
    static = _places(f, static_argnums, static_argnames, "static_argnames")
    donated = _places(f, donate_argnums, donate_argnames, "donate_argnames")
    for i in (1, 0):  # names say more than positions
        both = set(static[i]) & set(donated[i])
        if both:
            raise ValueError(
                f"jit: argument {both.pop()!r} of {name_of(f)} is static and cannot be donated"
            )
    return Jitted(f, *static, *donated)
