"""`njit`: a function of loops over arrays and numbers, compiled for the types of its arguments."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, overload

from heddle import _core
from heddle.simt._choices import ALL_DIVISIONS, EXACT, FAST, INTEGERS, NO_DIVISIONS

if TYPE_CHECKING:
    from heddle._compiled.signatures import Signature


class _Compile:
    """Writes the program for a signature, or finds what was written in another process."""

    def __init__(self, function: types.FunctionType, options: dict[str, Any]) -> None:
        self.function, self.options = function, options

    def __call__(self, signature: str) -> tuple[Any, ...]:
        from heddle._compiled.saved import find, keep

        found = find(self.function, signature, self.options)
        if found is not None:
            return found
        from heddle.simt._host import HostCompiler

        compiler = HostCompiler(self.function, **self.options)
        made = compiler.compile(signature)
        keep(self.function, signature, self.options, made, compiler.read_of)
        return made


class _Bind:
    """Arguments by position, of those given by name and of defaults."""

    def __init__(self, function: types.FunctionType) -> None:
        self.function, self.signature = function, inspect.signature(function)

    def __call__(self, *args: int, **keywords: object) -> tuple[Any, ...]:
        try:
            bound = self.signature.bind(*args, **keywords)
        except TypeError as error:
            raise TypeError(f"{self.function.__name__}() {error}") from None
        bound.apply_defaults()
        return (*bound.args, *bound.kwargs.values())


class Function(_core.HostFunction):
    """A compiled function: made by `njit`. `py_func` is the function that it was made of."""

    _simt_callable = True

    def __init__(self, function: Any, **options: object) -> None:
        function = getattr(function, "py_func", function)
        if not isinstance(function, types.FunctionType):
            raise TypeError(f"njit compiles a function of Python's, not {type(function).__name__}")
        bind = _Bind(function)
        kinds = [p.kind for p in bind.signature.parameters.values()]
        count = -1 if inspect.Parameter.VAR_POSITIONAL in kinds else len(kinds)
        super().__init__(_Compile(function, options), bind, count)
        self.py_func = self.__wrapped__ = function
        self.__name__, self.__qualname__ = function.__name__, function.__qualname__
        self.__doc__, self.__module__ = function.__doc__, function.__module__
        self._bind, self._options = bind, options

    def recompile(self) -> None:
        """Forgets what was compiled: the next call reads globals again, by Numba's name."""
        self._forget()

    def inspect_llvm(self, *args: object) -> str:
        """LLVM's text of the function for arguments like these."""
        return self._text("llvm", *args)

    def inspect_asm(self, *args: object) -> str:
        """The assembly of the function for arguments like these."""
        return self._text("asm", *args)

    @property
    def signatures(self) -> list[str]:
        """For which types of arguments it was compiled."""
        return list(self._signatures)

    def __get__(self, instance: object, owner: object = None) -> Function | types.MethodType:
        return self if instance is None else types.MethodType(self, instance)

    def __reduce__(self) -> Any:
        return _again, (type(self), self.py_func, self._options)

    def __repr__(self) -> str:
        return f"<njit {self.__qualname__}>"


class SignedFunction(Function):
    """A compiled function whose types are given: arguments are converted to them."""

    def __init__(self, function: object, given: object, **options: object) -> None:
        from heddle._compiled.signatures import read_signatures

        super().__init__(function, **options)
        self._given = self._simt_signatures = read_signatures(given, self.__name__)
        self.recompile()

    def recompile(self) -> None:
        """Compiles it again, for the types that are given: globals are read as they are now."""
        from heddle._compiled.signatures import Type
        from heddle._compiled.sources import as_it_is

        function = self.py_func
        if self._options["numba"]:
            # What takes it along later sees what it was compiled with.
            function = as_it_is(function)
            known = function.__globals__.get(self.__name__)
            if known is function or isinstance(known, Function):
                function.__globals__[self.__name__] = self
        self._simt_function = function
        self._each: list[Function] = []
        for signature in self._given:
            result = signature.result
            returns = result.name if isinstance(result, Type) else None
            one = Function(function, **{**self._options, "returns": returns})
            self._each.append(one)
            with suppress(LookupError):  # a function is an argument: it is compiled with it
                one._compile_for(signature.letters("p"))

    def __call__(self, *args: int, **keywords: object) -> Any:
        from heddle._compiled.signatures import matched

        bound = self._bind(*args, **keywords)
        signature, converted = matched(self._given, bound, self.__name__)
        return self._each[self._given.index(signature)](*converted)

    @property
    def signatures(self) -> list[str]:
        """For which types of arguments it was compiled."""
        return [str(signature) for signature in self._given]

    def __reduce__(self) -> Any:
        return _again, (type(self), self.py_func, {**self._options, "given": self._given})


def _again(kind: Any, function: Any, options: dict[str, Any]) -> Any:
    return kind(function, **options)


def options_of(
    *,
    fastmath: bool = False,
    parallel: bool = True,
    numba: bool = False,
    error_model: str = "",
    locals: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """What the compiler is told."""
    models = {"": INTEGERS, "python": ALL_DIVISIONS, "numpy": NO_DIVISIONS}
    if error_model not in models:
        raise ValueError(f"error_model is 'python' or 'numpy', not {error_model!r}")
    return {
        "numba": numba,
        "rounding": FAST if fastmath else EXACT,
        "divisions": models[error_model],
        "parallel": parallel,
        **({"locals": _types_of(locals)} if locals else {}),
    }


def _types_of(locals: dict[str, Any]) -> dict[str, Any]:
    """Types of names as the compiler has them: of a number, or of elements and dimensions."""
    from heddle._compiled.signatures import ArrayType, Type
    from heddle.simt._types import NAMES, Number

    made: dict[str, Any] = {}
    for name, said in locals.items():
        if isinstance(said, Type):
            made[name] = Number(NAMES.index(said.name))
        elif isinstance(said, ArrayType) and isinstance(said.element, Type):
            made[name] = (NAMES.index(said.element.name), said.ndim)
        else:
            raise TypeError(f"locals: '{name}' has a type of numbers or arrays, not {said!r}")
    return made


def decorated(function: object, options: dict[str, Any]) -> Any:
    """What a decorator makes of a function, or of types that come before it."""
    if function is None:
        return lambda inner: Function(inner, **options)
    if isinstance(function, (str, list, tuple)) or hasattr(function, "letters"):
        from heddle._compiled.signatures import read_signatures

        given = read_signatures(function, "njit")
        return lambda inner: SignedFunction(inner, given, **options)
    return Function(function, **options)


@overload
def njit(
    function: str | Sequence[Any] | Signature | None = None, *, fastmath: bool = False
) -> Callable[[Callable[..., Any]], Function]: ...
@overload
def njit(function: Callable[..., Any], *, fastmath: bool = False) -> Function: ...


def njit(function: object = None, *, fastmath: bool = False) -> Any:
    """Compiles a function of loops over arrays and numbers.

    It is compiled for the types of its arguments when it is first called with them. It takes
    arrays of Heddle and of NumPy (which it may write to, in place), numbers, texts, lists, tuples,
    functions and objects of dataclasses, and gives such; docs/kernels.md has the whole language.
    Types are NumPy's; an index out of range is an `IndexError`,
    an integer divided by zero a `ZeroDivisionError`. What it cannot compile is a `KernelError` that
    names the line, and what to write instead. ``for i in prange(n)`` runs on all cores.

    Given types, as in ``njit("float64(float64[:], int64)")`` or a list of such, it is compiled for
    these at once; arguments and results are converted to them.

    `fastmath`: sums may be taken in another order, and products that are added rounded once.

    Examples
    --------
    >>> import heddle as np
    >>> @np.njit
    ... def levenshtein(a, b):
    ...     row = np.arange(len(b) + 1)
    ...     for i in range(len(a)):
    ...         corner, row[0] = row[0], i + 1
    ...         for j in range(len(b)):
    ...             best = min(row[j] + 1, row[j + 1] + 1, corner + (a[i] != b[j]))
    ...             corner, row[j + 1] = row[j + 1], best
    ...     return row[-1]
    >>> levenshtein(np.array([1, 2, 3, 4]), np.array([2, 3, 5, 4]))  # doctest: +SKIP
    2
    """
    return decorated(function, options_of(fastmath=fastmath))


def prange(*args: int) -> range:
    """`range`; in a function under `njit` its turns run on all cores.

    Names that were set before the loop and are only updated inside (``s += x``; also with ``-``,
    ``*``, ``/``, ``&``, ``|``, ``^``, ``min`` and ``max``) are put together; all other names that
    are set inside belong to the turn.

    Examples
    --------
    >>> import heddle as np
    >>> @np.njit
    ... def total(n):
    ...     s = 0
    ...     for i in np.prange(n):
    ...         s += i * i
    ...     return s
    >>> total(1000)
    332833500
    """
    return range(*args)


prange._simt_iterator = "range"  # type: ignore[attr-defined]
prange._simt_parallel = True  # type: ignore[attr-defined]
