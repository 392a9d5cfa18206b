"""CuPy's `GeneralizedUFunc`: a function of parts of arrays, called for all of them."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy

import heddle
from heddle._arguments import as_array, check_casting, normalize_axis_tuple
from heddle._typing import ArrayLike, Casting, DTypeLike

_PART = r"\(\s*(?:\w+\s*(?:,\s*\w+\s*)*)?\)"
_SIGNATURE = re.compile(rf"\s*(?:{_PART}\s*(?:,\s*{_PART}\s*)*)?->\s*{_PART}\s*(?:,\s*{_PART}\s*)*")


def _core_dimensions(text: str) -> list[tuple[str, ...]]:
    return [tuple(re.findall(r"\w+", part)) for part in re.findall(_PART, text)]


def last_axes(ndim: int, count: int) -> tuple[int, ...]:
    return tuple(range(ndim - count, ndim))


class GeneralizedUFunc:
    """A function of parts of arrays, called for all of them with NumPy's broadcasting.

    Parameters
    ----------
    func : callable
        Gives an array, or a tuple of arrays.
    signature : str
        The dimensions of its arguments and results, such as ``"(m,n),(n)->(m)"``. Those before
        them are looped over.
    supports_batched : bool, optional
        `func` takes arrays with the dimensions that are looped over in front, broadcast. Otherwise
        it is called with one part of each, by `heddle.vmap` for all at once where that is possible.
    supports_out : bool, optional
        A `func` that takes all at once has a keyword ``out``, which it writes to.
    signatures : list of (str, callable), optional
        Other functions by types, such as ``("ff->f", func32)``: the first one whose types hold the
        arguments is called with arguments of these types.
    try_fastcall_func : callable, optional
        Asked first, with the same arguments; gives `NotImplemented` where it has no answer.

    Examples
    --------
    >>> import heddle as np
    >>> from heddle.cupyx import GeneralizedUFunc
    >>> spread = GeneralizedUFunc(lambda v: v.max() - v.min(), "(n)->()", name="spread")
    >>> spread(np.arange(6).reshape(2, 3) ** 2)
    array([ 4, 16])
    >>> spread(np.arange(6).reshape(2, 3) ** 2, axis=0)
    array([ 9, 15, 21])
    """

    def __init__(
        self,
        func: Callable[..., Any],
        signature: str,
        *,
        name: str | None = None,
        doc: str | None = None,
        supports_batched: bool = False,
        supports_out: bool = False,
        signatures: Iterable[tuple[str, Callable[..., Any]]] | None = None,
        try_fastcall_func: Callable[..., Any] | None = None,
    ) -> None:
        if not _SIGNATURE.fullmatch(signature):
            raise ValueError(
                f"GeneralizedUFunc: '{signature}' is no signature like '(m,n),(n)->(m)'"
            )
        given, made = signature.split("->")
        self._given, self._made = _core_dimensions(given), _core_dimensions(made)
        self._func, self._signature, self._shortcut = func, signature, try_fastcall_func
        self._batched, self._writes = supports_batched, supports_out
        self._typed = list(signatures or [])
        self.nin, self.nout = len(self._given), len(self._made)
        self.__name__ = func.__name__ if name is None else name
        self.__doc__ = func.__doc__ if doc is None else doc

    def __repr__(self) -> str:
        return f"<GeneralizedUFunc '{self.__name__}' {self._signature}>"

    def __call__(
        self,
        *args: ArrayLike,
        out: object = None,
        axes: Sequence[Any] | None = None,
        axis: int | None = None,
        keepdims: bool = False,
        dtype: DTypeLike | None = None,
        casting: Casting = "same_kind",
    ) -> Any:
        if self._shortcut is not None:
            options = {"out": out, "axes": axes, "axis": axis, "dtype": dtype}
            kept = {k: v for k, v in options.items() if v is not None}
            if keepdims:
                kept["keepdims"] = True
            answer = self._shortcut(*args, **kept)
            if answer is not NotImplemented:
                return answer
        casting = check_casting(casting)
        if len(args) == self.nin + self.nout and out is None:
            args, out = args[: self.nin], args[self.nin :]
        if len(args) != self.nin:
            raise TypeError(f"{self.__name__}() takes {self.nin} arguments, {len(args)} were given")
        arrays = [as_array(a) for a in args]
        places = self._places(axes, axis, bool(keepdims))
        func, arrays, kinds = self._chosen(arrays)
        if dtype is not None:
            kinds = [numpy.dtype(dtype)] * self.nout
        moved = [
            self._to_the_end(i, a, core, place)
            for i, (a, core, place) in enumerate(zip(arrays, self._given, places, strict=False))
        ]
        loop = self._loop(moved)
        targets = self._targets(out)
        if self._batched and self._writes and targets and not keepdims and not any(places):
            func(*moved, out=targets[0] if self.nout == 1 else targets)
            return targets[0] if self.nout == 1 else targets
        results = self._computed(func, moved, loop)
        finished = []
        for i, made in enumerate(results):
            place, core = places[self.nin + i], self._made[i]
            if keepdims:
                core = self._given[0]
                made = made.reshape(*made.shape, *(1,) * len(core))
            if place is not None and core:
                made = heddle.moveaxis(made, last_axes(made.ndim, len(core)), place)
            kind = kinds[i]
            if kind is not None:
                made = made.astype(kind, casting=casting, copy=False)
            if targets and targets[i] is not None:
                heddle.copyto(targets[i], made, casting=casting)
                made = targets[i]
            finished.append(made)
        return finished[0] if self.nout == 1 else tuple(finished)

    # --- axes ---

    def _places(self, axes: object, axis: int | None, keepdims: bool) -> list[Any]:
        """Where the dimensions of each argument and result are; None where they are the last."""
        cores = [*self._given, *self._made]
        if keepdims and (any(self._made) or len({len(core) for core in self._given}) > 1):
            raise ValueError(
                f"{self.__name__}: keepdims needs results that are numbers, and arguments with one "
                "number of dimensions"
            )
        if axes is None and axis is None:
            return [None] * len(cores)
        if axes is not None and axis is not None:
            raise ValueError(f"{self.__name__}: only one of axis and axes can be given")
        if axis is not None:
            if {name for core in cores for name in core} != {n for c in cores for n in c[:1]}:
                raise ValueError(
                    f"{self.__name__}: axis is for one dimension that all share, not for "
                    f"'{self._signature}'"
                )
            places: list[Any] = [(axis,) if core else () for core in cores]
            if keepdims:
                places[self.nin :] = [(axis,)] * self.nout
            return places
        if not isinstance(axes, list):
            raise ValueError(f"{self.__name__}: axes has to be a list")
        places = [(a,) if isinstance(a, int) else tuple(a) for a in axes]
        if len(places) == self.nin and not any(self._made):
            places += [None] * self.nout if keepdims else [()] * self.nout
        if len(places) != len(cores):
            raise ValueError(
                f"{self.__name__}: axes has {len(axes)} entries for {len(cores)} arguments and "
                "results; those of results can be left out where they are numbers"
            )
        return places

    def _to_the_end(self, i: int, a: Any, core: tuple[str, ...], place: Any) -> Any:
        if a.ndim < len(core):
            raise ValueError(f"{self.__name__}: argument {i} has too few dimensions for {core}")
        if place is None:
            return a
        if len(place) != len(core):
            raise ValueError(f"{self.__name__}: argument {i} needs {len(core)} axes, not {place}")
        place = normalize_axis_tuple(place, a.ndim)
        return heddle.moveaxis(a, place, last_axes(a.ndim, len(core))) if core else a

    def _loop(self, arrays: list[Any]) -> tuple[int, ...]:
        sizes: dict[str, int] = {}
        for i, (a, core) in enumerate(zip(arrays, self._given, strict=True)):
            for name, extent in zip(core, a.shape[a.ndim - len(core) :], strict=True):
                if sizes.setdefault(name, extent) != extent:
                    raise ValueError(
                        f"{self.__name__}: argument {i} has a mismatch in its dimension {name} "
                        f"with signature {self._signature}: {extent} is not {sizes[name]}"
                    )
        pairs = zip(arrays, self._given, strict=True)
        return numpy.broadcast_shapes(*(a.shape[: a.ndim - len(core)] for a, core in pairs))

    # --- functions and results ---

    def _chosen(self, arrays: list[Any]) -> tuple[Any, list[Any], list[Any]]:
        """The function to call, its arguments, and types of its results where they are known."""
        for text, func in self._typed:
            given, made = (list(map(numpy.dtype, part.strip())) for part in text.split("->"))
            if all(heddle.can_cast(a.dtype, t) for a, t in zip(arrays, given, strict=True)):
                typed = [a.astype(t, copy=False) for a, t in zip(arrays, given, strict=True)]
                return func, typed, list(made)
        if self._typed:
            kinds = ", ".join(str(a.dtype) for a in arrays)
            raise TypeError(f"{self.__name__}: no function for arguments of types {kinds}")
        return self._func, arrays, [None] * self.nout

    def _targets(self, out: object) -> tuple[Any, ...]:
        if out is None:
            return ()
        targets = out if isinstance(out, tuple) else (out,)
        if len(targets) != self.nout:
            raise ValueError(f"{self.__name__}: {self.nout} arrays are needed for results")
        return targets

    def _computed(self, func: Any, arrays: list[Any], loop: tuple[int, ...]) -> list[Any]:
        full = [
            heddle.broadcast_to(a, (*loop, *a.shape[a.ndim - len(core) :]))
            for a, core in zip(arrays, self._given, strict=True)
        ]
        if self._batched or not loop:
            made = func(*full)
            parts = made if isinstance(made, tuple) else (made,)
            return self._checked([as_array(p) for p in parts], loop)
        count = int(numpy.prod(loop))
        if count == 0:
            raise ValueError(f"{self.__name__}: there is nothing to call the function for")
        rows = [a.reshape(count, *a.shape[len(loop) :]) for a in full]
        try:
            made = heddle.vmap(func)(*rows)
            parts = made if isinstance(made, tuple) else (made,)
        except TypeError:  # it asks for elements
            each = [func(*(row[i] for row in rows)) for i in range(count)]
            each = [e if isinstance(e, tuple) else (e,) for e in each]
            columns = zip(*each, strict=True)
            parts = tuple(heddle.stack([as_array(p) for p in column]) for column in columns)
        return self._checked([p.reshape(*loop, *p.shape[1:]) for p in parts], loop)

    def _checked(self, parts: list[Any], loop: tuple[int, ...]) -> list[Any]:
        if len(parts) != self.nout:
            raise ValueError(f"{self.__name__}: the function gave {len(parts)} results")
        for made, core in zip(parts, self._made, strict=True):
            if made.ndim != len(loop) + len(core):
                raise ValueError(
                    f"{self.__name__}: a result has the shape {made.shape[len(loop) :]} where the "
                    f"signature {self._signature} says {core}"
                )
        return parts
