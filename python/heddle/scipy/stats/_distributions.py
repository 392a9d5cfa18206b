"""SciPy's distributions for arrays of every device.

A distribution of SciPy's is formulas (`_pdf`, `_cdf` …) of the standard form, and around them code
for NumPy's memory that looks where they hold. Formulas are generic, most of them: ufuncs of NumPy's
and functions of ``scipy.special``, which are ours for our arrays. So here is the code around them,
once more, for arrays: results are deferred, and one kernel.

Formulas that SciPy does not have, and finds by a search or an integral for one number after the
other, are not here; nor are those that compute in SciPy's compiled code. What is drawn and fitted,
and what is about parameters alone (moments), is SciPy's own, on the host.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, cast

import numpy

import heddle as np
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike, HostArray
from heddle.scipy._generic import device_of, here, on_host, there
from heddle.scipy.stats import _formulas

_DENSITIES = ("pdf", "logpdf", "pmf", "logpmf")
_OF_VALUES = ("cdf", "logcdf", "sf", "logsf")
_OF_PROBABILITIES = ("ppf", "isf")

# What formulas are made of where a distribution has none of its own.
_COMPOSED: dict[str, tuple[str, ...]] = {
    "logpdf": ("pdf",),
    "logpmf": ("pmf",),
    "sf": ("cdf",),
    "logcdf": ("cdf", "sf"),
    "logsf": ("sf",),
    "isf": ("ppf",),
    "pmf": ("cdf",),
    "pdf": (),
    "cdf": (),
    "ppf": (),
}


def _generic_class(inner: object) -> Any:
    """The class of SciPy's whose formulas are searches, sums and integrals."""
    from scipy.stats import rv_continuous, rv_discrete

    return rv_continuous if isinstance(inner, rv_continuous) else rv_discrete


def has_formula(inner: Any, method: str) -> bool:
    """Whether a distribution of SciPy's computes a method by formulas that arrays of ours take."""
    if (inner.name, method) in _formulas.FORMULAS:
        return True
    if f"{inner.name}.{method}" in _formulas.COMPILED:
        return False
    if _is_own(inner, method):
        return True
    return bool(_COMPOSED[method]) and all(has_formula(inner, m) for m in _COMPOSED[method])


def _is_own(inner: object, method: str) -> bool:
    """Whether the class of a distribution has a formula for the method itself."""
    generic = _generic_class(inner)
    return getattr(type(inner), f"_{method}", None) is not getattr(generic, f"_{method}", None)


def _is_open(inner: Any) -> bool:
    """Whether densities are 0 at the ends of the support."""
    mask = type(inner)._support_mask
    return mask is getattr(_generic_class(inner), "_open_support_mask", None)


def methods_of(inner: object) -> tuple[str, ...]:
    """The methods that work on arrays or not, by what kind of distribution it is."""
    densities = _DENSITIES[:2] if hasattr(inner, "pdf") else _DENSITIES[2:]
    return (*densities, *_OF_VALUES, *_OF_PROBABILITIES)


def _formula(inner: Any, method: str) -> Callable[..., Any]:
    """The formula of a method, for our arrays."""
    key = (inner.name, method)
    if key in _formulas.FORMULAS:
        return _formulas.FORMULAS[key]
    if not has_formula(inner, method):
        raise NotImplementedError(
            f"{inner.name}.{method}: SciPy has no formula for it that arrays of a device take; "
            "SciPy's own works on heddle.asnumpy(x)"
        )
    needed = _COMPOSED[method]
    # A formula of ours is what others are made of; SciPy's compositions would not find it.
    replaced = method in ("sf", "pmf") and any(
        (inner.name, m) in _formulas.FORMULAS for m in needed
    )
    if _is_own(inner, method) and not replaced:
        return getattr(inner, f"_{method}")  # type: ignore[no-any-return]
    return _composed(method, [_formula(inner, m) for m in needed])


def _composed(method: str, parts: list[Callable[..., Any]]) -> Callable[..., Any]:
    """A formula that a distribution does not have, made of others."""

    def called(x: ndarray, *args: Any) -> Any:
        first = parts[0](1.0 - x if method == "isf" else x, *args)
        if method == "sf":
            return 1.0 - first
        if method == "pmf":
            return first - parts[0](x - 1, *args)
        if method == "logcdf":  # near 1 it is told by the rest
            return np.where(first < 0.5, np.log(first), np.log1p(-parts[1](x, *args)))
        return first if method == "isf" else np.log(first)

    return called


def _array(value: ArrayLike, device: Any) -> ndarray:
    """A parameter as SciPy's formulas want it: an array, which has a type and a shape."""
    if isinstance(value, own_array):
        return value
    return np.asarray(value, device=device)


def _limits(inner: Any, shapes: Any, device: str | None) -> tuple[Any, Any, Any]:
    """Whether parameters are allowed, and where the distribution begins and ends with them."""
    if not any(isinstance(v, own_array) for v in shapes):
        shapes = tuple(map(numpy.asarray, shapes))  # of numbers: SciPy's own code
        return inner._argcheck(*shapes), *inner._get_support(*shapes)
    shapes = tuple(_array(v, device) for v in shapes)
    generic = _generic_class(inner)
    if type(inner)._argcheck is generic._argcheck:
        valid: Any = functools.reduce(np.logical_and, (v > 0 for v in shapes))
    else:
        valid = inner._argcheck(*shapes)
    return valid, *inner._get_support(*shapes)


def _condition(value: ArrayLike, device: object) -> ndarray:
    return _array(value, device).astype(bool)


def _clipped(values: ArrayLike) -> ndarray:
    return np.clip(values, 0, 1)


class Distribution:
    """A distribution of SciPy's: the same methods, which take and give arrays of ours.

    Examples
    --------
    >>> import heddle
    >>> from heddle.scipy import stats
    >>> stats.norm.cdf(heddle.asarray([-1.0, 0.0, 1.0])).round(4)
    array([0.1587, 0.5   , 0.8413])
    >>> stats.gamma(2.0, scale=3.0).mean()
    6.0
    """

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self._discrete = not hasattr(inner, "pdf")

    def __repr__(self) -> str:
        return f"<heddle.scipy.stats.{self._inner.name}>"

    def __reduce__(self) -> Any:
        return _named, (self._inner.name,)

    def __call__(self, *args: object, **kwargs: object) -> Frozen:
        """The distribution with parameters that are fixed."""
        return Frozen(self, args, kwargs)

    freeze = __call__

    def __getattr__(self, name: str) -> Any:
        inner = self.__dict__["_inner"]
        if name in methods_of(inner):
            made: Any = self._method(name, getattr(inner, name))
        else:
            made = getattr(inner, name)
            if callable(made):
                made = on_host(made)
        self.__dict__[name] = made
        return made

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *dir(self._inner)})

    def _method(self, name: str, theirs: Callable[..., Any]) -> Callable[..., Any]:
        """A method whose first argument may be given by the name that SciPy has for it."""
        first = _first_argument(theirs)

        def method(*args: ArrayLike, **kwargs: float) -> ndarray | None:
            given = args if args or first not in kwargs else (kwargs.pop(first),)
            return self._evaluate(name, *given, **kwargs)

        method.__name__, method.__doc__ = name, theirs.__doc__
        return method

    def _evaluate(
        self, method: str, x: ArrayLike, *args: object, **kwargs: object
    ) -> ndarray | None:
        """The method at x, of arrays, numbers or lists; parameters as SciPy has them."""
        inner = self._inner
        if not has_formula(inner, method) and device_of((x, *args, *kwargs.values())) is None:
            of_numbers = here(getattr(inner, method)(x, *args, **kwargs), None)
            return cast("ndarray", of_numbers)
        formula = _formula(inner, method)
        shapes, loc, scale = inner._parse_args(*args, **kwargs)
        given = [x, *shapes, loc, scale]
        device = next((v.device for v in given if isinstance(v, own_array)), None)
        x, *parameters, loc, scale = (_array(v, device) for v in given)
        valid, *support = (_array(v, device) for v in _limits(inner, shapes, device))
        valid = valid & (scale > 0)
        if method in _OF_PROBABILITIES:
            return self._of_probabilities(
                formula, method, x, parameters, (loc, scale), valid, support
            )
        x = (x - loc) / scale if not self._discrete else x - loc
        x = x.astype(numpy.promote_types(x.dtype, numpy.float64))
        with np.errstate(all="ignore"):
            if method in _DENSITIES:
                made = self._density(formula, method, x, parameters, scale, support)
            else:
                made = self._of_values(formula, method, x, parameters, support)
            return np.where(valid & ~np.isnan(x), made, inner.badvalue)[()]

    def _density(
        self,
        formula: Any,
        method: str,
        x: ndarray,
        parameters: list[ndarray],
        scale: ndarray,
        support: list[ndarray],
    ) -> ndarray:
        low, high = support
        inside = (x >= low) & (x <= high)
        if _is_open(self._inner):
            inside = (x > low) & (x < high)
        outside = -numpy.inf if method.startswith("log") else 0.0
        if self._discrete:
            inside = inside & _condition(self._inner._nonzero(x, *parameters), x.device)
            made = formula(x, *parameters)
            made = made if method == "logpmf" else _clipped(made)
        elif method == "pdf":
            made = formula(x, *parameters) / scale
        else:
            made = formula(x, *parameters) - np.log(scale)
        return np.where(inside, made, outside)

    def _of_values(
        self,
        formula: Callable[..., Any],
        method: str,
        x: ndarray,
        parameters: list[ndarray],
        support: list[ndarray],
    ) -> ndarray:
        low, high = support
        # At and beyond the ends it is known, whatever the formula says there.
        inside = (x > low) & (x < high)
        if self._discrete:
            inside = (x >= low) & (x < high)
        upwards = method in ("cdf", "logcdf")
        sure = (x >= high) if upwards else (x < low if self._discrete else x <= low)
        never, always = (-numpy.inf, 0.0) if method.startswith("log") else (0.0, 1.0)
        made = formula(x, *parameters)
        if self._discrete and not method.startswith("log"):
            made = _clipped(made)
        return np.where(inside, made, np.where(sure, always, never))

    def _of_probabilities(
        self,
        formula: Callable[..., Any],
        method: str,
        q: ndarray,
        parameters: list[ndarray],
        place: tuple[ndarray, ndarray],
        valid: ndarray | HostArray,
        support: list[ndarray],
    ) -> ndarray:
        inner, (low, high), (loc, scale) = self._inner, support, place
        if self._discrete:
            low, scale = low - 1, _array(1.0, q.device)
        q = q.astype(numpy.promote_types(q.dtype, numpy.float64))
        at_low, at_high = (0.0, 1.0) if method == "ppf" else (1.0, 0.0)
        valid = valid & (loc == loc)
        with np.errstate(all="ignore"):
            # Numbers that are no probabilities would not be safe in all formulas.
            inside = (q > 0) & (q < 1)
            made = formula(np.where(inside, q, 0.5), *parameters) * scale + loc
            made = np.where(inside, made, inner.badvalue)
            made = np.where(q == at_low, low * scale + loc, made)
            made = np.where(q == at_high, high * scale + loc, made)
            return np.where(valid, made, inner.badvalue)[()]

    def support(self, *args: ArrayLike, **kwargs: ArrayLike) -> tuple[Any, Any]:
        """Where the distribution begins and ends."""
        found: tuple[Any, Any] = on_host(self._inner.support)(*args, **kwargs)
        return found

    def interval(self, confidence: ArrayLike, *args: object, **kwargs: object) -> tuple[Any, Any]:
        """The interval with equal areas around the median.

        Examples
        --------
        >>> from heddle.scipy import stats
        >>> [round(float(end), 4) for end in stats.norm.interval(0.95)]
        [-1.96, 1.96]
        """
        alpha: Any = confidence if isinstance(confidence, own_array) else numpy.asarray(confidence)
        return (
            self.ppf((1.0 - alpha) / 2, *args, **kwargs),
            self.ppf((1.0 + alpha) / 2, *args, **kwargs),
        )

    def median(self, *args: object, **kwargs: object) -> ndarray:
        """Where the distribution is half way."""
        found: ndarray = self.ppf(0.5, *args, **kwargs)
        return found


def _first_argument(method: Callable[..., Any]) -> str:
    return next(iter(inspect.signature(method).parameters))


class Frozen:
    """A distribution with parameters that are fixed."""

    def __init__(self, dist: Distribution, args: tuple[Any, ...], kwds: dict[str, Any]) -> None:
        self.dist, self.args, self.kwds = dist, args, kwds

    def __getattr__(self, name: str) -> Any:
        dist = self.__dict__["dist"]
        inner = dist._inner
        known = (*methods_of(inner), "median", "support")
        if name.startswith("_") or not (name in known or hasattr(inner, name)):
            raise AttributeError(f"{inner.name} with fixed parameters has no {name!r}")
        if name in known:
            method = getattr(dist, name)
            if name in ("median", "support"):
                return lambda: method(*self.args, **self.kwds)
            first = _first_argument(getattr(inner, name))

            def called(*x: object, **named: object) -> Any:
                given = x if x or first not in named else (named.pop(first),)
                return method(*given, *self.args, **self.kwds, **named)

            return called
        host = inner(*map(there, self.args), **{k: there(v) for k, v in self.kwds.items()})
        made = getattr(host, name)
        return on_host(made) if callable(made) else made

    def interval(self, confidence: ArrayLike) -> tuple[Any, Any]:
        """The interval with equal areas around the median."""
        return self.dist.interval(confidence, *self.args, **self.kwds)


def _named(name: str) -> Distribution:
    import heddle.scipy.stats

    return getattr(heddle.scipy.stats, name)  # type: ignore[no-any-return]
