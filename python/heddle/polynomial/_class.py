"""The classes of series: coefficients with a domain, and the operations on them."""

from __future__ import annotations

import numbers
import operator
from collections.abc import Callable, Iterator
from typing import Any, Literal, Self, SupportsIndex, TypeVar, cast, overload

import numpy

import heddle
from heddle import _core
from heddle._arguments import as_array
from heddle._core import ndarray, own_array
from heddle._typing import ArrayLike, HostArray
from heddle.polynomial import _series, _solving
from heddle.polynomial._coefficients import as_vectors, give, read
from heddle.polynomial._domains import domain_of, mapparms, mapped
from heddle.polynomial._evaluation import val
from heddle.polynomial._families import Family
from heddle.polynomial._objects import OrNumpys

_use_unicode = True
_Kind = TypeVar("_Kind", bound="ABCPolyBase")


def set_default_printstyle(style: str) -> None:
    """Whether ``str`` of a series is in 'unicode' or 'ascii'.

    Examples
    --------
    >>> import heddle as np
    >>> np.polynomial.set_default_printstyle("ascii")
    >>> print(np.polynomial.Polynomial([1, 2, 3]))
    1.0 + 2.0 x + 3.0 x**2
    >>> np.polynomial.set_default_printstyle("unicode")
    """
    global _use_unicode
    if style not in ("unicode", "ascii"):
        raise ValueError(
            f"Unsupported format string '{style}'. Valid options are 'ascii' and 'unicode'"
        )
    _use_unicode = style == "unicode"


class _Array:
    """An array attribute that stays on the host until somebody asks for it.

    What was given out is the truth from then on, as its holder may write to it.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self.key = "_" + name

    def __get__(self, series: object, cls: Any) -> ndarray:
        if series is None:
            return as_array(numpy.array(cls._family.domain))
        kept: ndarray = give(self.host(series))
        series.__dict__[self.key] = kept
        return kept

    def __set__(self, series: object, value: ArrayLike) -> None:
        series.__dict__[self.key] = value

    def host(self, series: Any) -> Any:
        """The array of NumPy's; one of ours where the host does not see it."""
        kept = series.__dict__.get(self.key)
        if isinstance(kept, numpy.ndarray):
            return kept
        if kept is None:
            return numpy.array(series._family.domain)
        return read(kept, small=None)[0]


def _same(a: ndarray, b: ndarray) -> bool:
    return a.shape == b.shape and bool((a == b).all())


class ABCPolyBase(metaclass=OrNumpys):
    """The base of the classes of series.

    Parameters
    ----------
    coef : array_like
        The coefficients, from the lowest degree on.
    domain : (2,) array_like, optional
        The interval that is mapped to `window`; the family's by default.
    window : (2,) array_like, optional
        The interval in which the polynomials of the family are evaluated.
    symbol : str, optional
        The name of the variable when the series is printed.
    """

    _family: Family
    _numpys: Any  # NumPy's class of the family
    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None  # operators of arrays leave series to the methods here
    maxpower = 100
    basis_name: str | None = None

    coef = _Array()
    domain = _Array()
    window = _Array()

    def __init__(
        self,
        coef: ArrayLike,
        domain: ArrayLike | None = None,
        window: ArrayLike | None = None,
        symbol: str = "x",
    ) -> None:
        (self.coef,) = as_vectors(coef, trim=False)
        for name, given in (("domain", domain), ("window", window)):
            if given is not None:
                (interval,) = as_vectors(given, trim=False)
                if len(interval) != 2:
                    raise ValueError(f"{name.capitalize()} has wrong number of elements.")
                setattr(self, name, interval)
        if not isinstance(symbol, str):
            raise TypeError("Symbol must be a non-empty string")
        if not symbol.isidentifier():
            raise ValueError("Symbol string must be a valid Python identifier")
        self._symbol = symbol

    @property
    def symbol(self) -> str:
        """The name of the variable."""
        return self._symbol

    def _host(self, name: str) -> Any:
        """An array attribute where it is computed with: on the host, if that sees it."""
        return _arrays[name].host(self)

    @classmethod
    def _host_window(cls) -> HostArray:
        return numpy.array(cls._family.domain)

    def _like(self, coef: Any) -> Self:
        """A series of the same kind with other coefficients."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made.coef = coef
        for name in ("_domain", "_window"):  # what was given out belongs to this series
            if isinstance(made.__dict__.get(name), own_array):
                made.__dict__[name] = made.__dict__[name]._copy("K")
        return made

    # --- comparison ---

    def _has_same(self, name: str, other: object) -> bool:
        theirs = other._host(name) if isinstance(other, ABCPolyBase) else getattr(other, name)
        return _same(*read(self._host(name), theirs, small=None))

    def has_samecoef(self, other: object) -> bool:
        """Whether the coefficients are the same."""
        return self._has_same("coef", other)

    def has_samedomain(self, other: object) -> bool:
        """Whether the domains are the same."""
        return self._has_same("domain", other)

    def has_samewindow(self, other: object) -> bool:
        """Whether the windows are the same."""
        return self._has_same("window", other)

    def has_sametype(self, other: object) -> bool:
        """Whether the other one is of the same class."""
        return isinstance(other, self.__class__)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, self.__class__)
            and self.has_samedomain(other)
            and self.has_samewindow(other)
            and self.has_samecoef(other)
            and self.symbol == other.symbol
        )

    def __ne__(self, other: object) -> bool:
        return not self.__eq__(other)

    # --- printing: NumPy's class of the same name knows how ---

    def _twin(self) -> Any:
        theirs = getattr(numpy.polynomial, self._family.name)
        arrays = [
            a.get() if isinstance(a, own_array) else a
            for a in (self._host("coef"), self._host("domain"))
        ]
        window = self._host("window")
        window = window.get() if isinstance(window, own_array) else window
        return theirs(*arrays, window, self.symbol)

    def __repr__(self) -> str:
        text = repr(self._twin())
        return type(self).__name__ + text[text.index("(") :]

    def __str__(self) -> str:
        return format(self._twin(), "unicode" if _use_unicode else "ascii")

    def __format__(self, fmt_str: str) -> str:
        return format(self._twin(), fmt_str) if fmt_str else str(self)

    def _repr_latex_(self) -> str:
        return str(self._twin()._repr_latex_())

    # --- evaluation and sequences ---

    @overload
    def __call__(self, arg: ABCPolyBase) -> Self: ...
    @overload
    def __call__(self, arg: ArrayLike) -> ndarray: ...
    def __call__(self, arg: object) -> Any:
        if isinstance(arg, list | tuple | numpy.ndarray):
            arg = as_array(arg)
        points: Any = mapped(arg, self._host("domain"), self._host("window"))
        return give(val(self._family, points, self._host("coef")))

    def __iter__(self) -> Iterator[ndarray]:
        return iter(self.coef)

    def __len__(self) -> int:
        return len(self._host("coef"))

    # --- arithmetic ---

    def _other(self, other: object) -> Any:
        """The coefficients of an operand; TypeError for a series that does not fit."""
        if not isinstance(other, ABCPolyBase):
            return other
        if not isinstance(other, self.__class__):
            raise TypeError("Polynomial types differ")
        if not self.has_samedomain(other):
            raise TypeError("Domains differ")
        if not self.has_samewindow(other):
            raise TypeError("Windows differ")
        if self.symbol != other.symbol:
            raise ValueError("Polynomial symbols differ")
        return other._host("coef")

    def _combined(self, function: Callable[..., Any], other: object, swapped: bool = False) -> Any:
        other = self._other(other)
        operands = (other, self._host("coef")) if swapped else (self._host("coef"), other)
        try:
            made = function(self._family, *operands)
        except ZeroDivisionError:
            raise
        except _core.NoNumbers:
            operate = divmod if function is _series.div else getattr(operator, function.__name__)
            theirs = self._as_numpys()
            return operate(other, theirs) if swapped else operate(theirs, other)
        except Exception:
            return NotImplemented
        if isinstance(made, tuple):
            return tuple(self._like(part) for part in made)
        return self._like(made)

    def _joined(self, function: Callable[..., Any], other: object, swapped: bool = False) -> Self:
        made: Self = self._combined(function, other, swapped)
        return made

    def _as_numpys(self) -> Any:
        """The same series as an instance of NumPy's class."""
        domain, window = self._host("domain"), self._host("window")
        return self._numpys(self._host("coef"), domain, window, self.symbol)

    def _part_of_quotient(self, made: Any, part: int) -> Self:
        found: Self = made if made is NotImplemented else made[part]
        return found

    def __neg__(self) -> Self:
        return self._like(-self._host("coef"))

    def __pos__(self) -> Self:
        return self

    def __add__(self, other: object) -> Self:
        return self._joined(_series.add, other)

    def __sub__(self, other: object) -> Self:
        return self._joined(_series.sub, other)

    def __mul__(self, other: object) -> Self:
        return self._joined(_series.mul, other)

    def __divmod__(self, other: object) -> tuple[Self, Self]:
        made: tuple[Self, Self] = self._combined(_series.div, other)
        return made

    def __radd__(self, other: object) -> Self:
        return self._joined(_series.add, other, True)

    def __rsub__(self, other: object) -> Self:
        return self._joined(_series.sub, other, True)

    def __rmul__(self, other: object) -> Self:
        return self._joined(_series.mul, other, True)

    def __rdivmod__(self, other: object) -> tuple[Self, Self]:
        made: tuple[Self, Self] = self._combined(_series.div, other, True)
        return made

    def __truediv__(self, other: object) -> Self:
        scalar = isinstance(other, own_array) and other.ndim == 0
        if not (isinstance(other, numbers.Number) or scalar) or isinstance(other, bool):
            raise TypeError(f"unsupported types for true division: '{type(self)}', '{type(other)}'")
        return self.__floordiv__(other)

    def __rtruediv__(self, other: object) -> Self:
        return NotImplemented

    def __floordiv__(self, other: object) -> Self:
        return self._part_of_quotient(self.__divmod__(other), 0)

    def __mod__(self, other: object) -> Self:
        return self._part_of_quotient(self.__divmod__(other), 1)

    def __rfloordiv__(self, other: object) -> Self:
        return self._part_of_quotient(self.__rdivmod__(other), 0)

    def __rmod__(self, other: object) -> Self:
        return self._part_of_quotient(self.__rdivmod__(other), 1)

    def __pow__(self, other: int) -> Self:
        return self._like(_series.pow(self._family, self._host("coef"), other, self.maxpower))

    # --- what changes the coefficients ---

    def copy(self) -> Self:
        """A copy of the series."""
        return self._like(self._host("coef").copy())

    def degree(self) -> int:
        """The degree, trailing zeros counted."""
        return len(self) - 1

    def cutdeg(self, deg: SupportsIndex) -> Self:
        """The series without the terms above a degree."""
        beyond: Any = deg
        return self.truncate(beyond + 1)

    def trim(self, tol: float = 0) -> Self:
        """The series without trailing coefficients that are not larger than `tol`."""
        return self._like(_series.trim(self._host("coef"), tol))

    def truncate(self, size: SupportsIndex) -> Self:
        """The series of the first `size` coefficients."""
        count = int(size)
        if count != size or count < 1:
            raise ValueError("size must be a positive integer")
        return self._like(self._host("coef")[:count].copy())

    @overload
    def convert(
        self, domain: ArrayLike | None = None, kind: None = None, window: ArrayLike | None = None
    ) -> Self: ...
    @overload
    def convert(
        self, domain: ArrayLike | None, kind: type[_Kind], window: ArrayLike | None = None
    ) -> _Kind: ...
    @overload
    def convert(
        self,
        domain: ArrayLike | None = None,
        *,
        kind: type[_Kind],
        window: ArrayLike | None = None,
    ) -> _Kind: ...
    def convert(
        self,
        domain: ArrayLike | None = None,
        kind: type[ABCPolyBase] | None = None,
        window: ArrayLike | None = None,
    ) -> ABCPolyBase:
        """The same polynomial with another domain or window, or in another family."""
        kind = self.__class__ if kind is None else kind
        domain = kind.domain if domain is None else domain
        window = kind.window if window is None else window
        return self(kind.identity(domain, window=window, symbol=self.symbol))

    def mapparms(self) -> tuple[Any, Any]:
        """The offset and the scale of the map from the domain to the window."""
        return mapparms(self._host("domain"), self._host("window"))

    def integ(
        self,
        m: SupportsIndex = 1,
        k: ArrayLike = [],  # noqa: B006
        lbnd: ArrayLike | None = None,
    ) -> Self:
        """The `m`-th integral, from `lbnd` where one is given, with the constants `k`."""
        off, scl = self.mapparms()
        first = 0 if lbnd is None else off + scl * lbnd
        return self._like(_series.integ(self._family, self._host("coef"), m, k, first, 1.0 / scl))

    def deriv(self, m: SupportsIndex = 1) -> Self:
        """The `m`-th derivative."""
        scl = self.mapparms()[1]
        return self._like(_series.der(self._family, self._host("coef"), m, scl))

    def roots(self) -> ndarray:
        """The roots, in the domain's coordinates."""
        found = _solving.roots(self._family, self._host("coef"))
        made: ndarray = give(mapped(found, self._host("window"), self._host("domain")))
        return made

    def linspace(
        self, n: SupportsIndex = 100, domain: ArrayLike | None = None
    ) -> tuple[ndarray, ndarray]:
        """Evenly spaced points of the domain, and the values there."""
        (ends,) = (self._host("domain"),) if domain is None else read(domain, small=None)
        x = heddle.linspace(ends[0], ends[1], n)
        return x, self(x)

    # --- other ways to make one ---

    @overload
    @classmethod
    def fit(
        cls,
        x: ArrayLike | None,
        y: ArrayLike,
        deg: ArrayLike,
        domain: ArrayLike | None = None,
        rcond: float | None = None,
        full: Literal[False] = False,
        w: ArrayLike | None = None,
        window: ArrayLike | None = None,
        symbol: str = "x",
    ) -> Self: ...
    @overload
    @classmethod
    def fit(
        cls,
        x: ArrayLike | None,
        y: ArrayLike,
        deg: ArrayLike,
        domain: ArrayLike | None = None,
        rcond: float | None = None,
        *,
        full: Literal[True],
        w: ArrayLike | None = None,
        window: ArrayLike | None = None,
        symbol: str = "x",
    ) -> tuple[Self, list[Any]]: ...
    @overload
    @classmethod
    def fit(
        cls,
        x: ArrayLike | None,
        y: ArrayLike,
        deg: ArrayLike,
        domain: ArrayLike | None = None,
        rcond: float | None = None,
        full: bool = False,
        w: ArrayLike | None = None,
        window: ArrayLike | None = None,
        symbol: str = "x",
    ) -> Self | tuple[Self, list[Any]]: ...
    @classmethod
    def fit(
        cls,
        x: ArrayLike | None,
        y: ArrayLike,
        deg: Any,
        domain: Any = None,
        rcond: float | None = None,
        full: bool = False,
        w: ArrayLike | None = None,
        window: ArrayLike | None = None,
        symbol: str = "x",
    ) -> Any:
        """The series closest to the points by least squares; the domain is theirs by default.

        Parameters
        ----------
        x, y : array_like
            The points.
        deg : int or sequence of int
            The degree, or the degrees that the series may have.
        domain : (2,) array_like or [], optional
            The interval of the points by default; the class's for an empty list.
        rcond, full, w
            As for the fitting functions of the family.
        window, symbol
            As for the class.
        """
        (x,) = read(x)
        if domain is None:
            domain = domain_of(x)
            if bool(domain[0] == domain[1]):
                domain = domain + spread_ends(domain)
        elif isinstance(domain, list) and not domain:
            domain = cls._host_window()
        window = cls._host_window() if window is None else read(window, small=None)[0]
        (domain,) = read(domain, small=None)
        made = _solving.fit(cls._family, mapped(x, domain, window), y, deg, rcond, full, w)
        if isinstance(made, tuple):
            coef, (residuals, rank, singular, ratio) = made
            status = [give(residuals), rank, give(singular), ratio]
            return cls(coef, domain=domain, window=window, symbol=symbol), status
        return cls(made, domain=domain, window=window, symbol=symbol)

    @classmethod
    def fromroots(
        cls,
        roots: ArrayLike,
        domain: object = [],
        window: ArrayLike | None = None,
        symbol: str = "x",
    ) -> Self:
        """The series with these roots; `domain` None is the interval of the roots."""
        (roots,) = as_vectors(roots, trim=False)
        if domain is None:
            domain = domain_of(roots)
        elif isinstance(domain, list) and not domain:
            domain = cls._host_window()
        window = cls._host_window() if window is None else window
        domain, window = read(domain, window, small=None)
        off, scl = mapparms(domain, window)
        coef = _series.fromroots(cls._family, off + scl * roots) / scl ** len(roots)
        return cls(coef, domain=domain, window=window, symbol=symbol)

    @classmethod
    def identity(
        cls, domain: ArrayLike | None = None, window: ArrayLike | None = None, symbol: str = "x"
    ) -> Self:
        """The series whose value is its argument."""
        domain = cls._host_window() if domain is None else domain
        window = cls._host_window() if window is None else window
        domain, window = read(domain, window, small=None)
        off, scl = mapparms(window, domain)
        return cls(_series.line(cls._family, off, scl), domain, window, symbol)

    @classmethod
    def basis(
        cls,
        deg: SupportsIndex,
        domain: ArrayLike | None = None,
        window: ArrayLike | None = None,
        symbol: str = "x",
    ) -> Self:
        """The polynomial of a degree of the family."""
        degree = int(deg)
        if degree != deg or degree < 0:
            raise ValueError("deg must be non-negative integer")
        return cls([0] * degree + [1], domain, window, symbol)

    @classmethod
    def cast(
        cls, series: ABCPolyBase, domain: ArrayLike | None = None, window: ArrayLike | None = None
    ) -> Self:
        """A series of another class as one of this class."""
        domain = cls._host_window() if domain is None else domain
        window = cls._host_window() if window is None else window
        return series.convert(domain, cls, window)


def spread_ends(domain: Any) -> HostArray | ndarray:
    """What makes an interval out of a point."""
    return (
        numpy.array([-1, 1]).astype(domain.dtype)
        if isinstance(domain, numpy.ndarray)
        else (as_array(numpy.array([-1, 1]), domain.dtype))
    )


_arrays: dict[str, _Array] = {
    name: vars(ABCPolyBase)[name] for name in ("coef", "domain", "window")
}


def series_class(family: Family, module: str) -> type[ABCPolyBase]:
    """The class of a family's series."""
    made = OrNumpys(
        family.name,
        (ABCPolyBase,),
        {
            "__module__": module,
            "__doc__": f"A series of the {family.name} family.\n"
            + _parameters()
            + _example.format(family.name),
            "_family": family,
            "_numpys": getattr(numpy.polynomial, family.name),
            "basis_name": family.basis,
        },
    )
    return cast("type[ABCPolyBase]", made)


_example = """
    Examples
    --------
    >>> import heddle as np
    >>> p = np.polynomial.{0}([1, 2, 3])
    >>> p.degree(), (p * p).degree(), len(p.roots())
    (2, 4, 2)
    >>> np.allclose(p.deriv().integ(k=p(0)).coef, p.coef)
    True
    """


def _parameters() -> str:
    text = ABCPolyBase.__doc__ or ""
    return text[text.index("\n") :]
