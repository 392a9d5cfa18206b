"""The methods that `RandomState` takes over from NumPy, as type checkers see them."""

from collections.abc import MutableSequence
from typing import Any, overload

from heddle._core import ndarray
from heddle._typing import ArrayLike, DTypeLike, ShapeLike

class LegacyMethods:
    @overload
    def beta(self, a: float, b: float, size: None = None) -> float: ...
    @overload
    def beta(
        self,
        a: ArrayLike,
        b: ArrayLike,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> ndarray: ...
    @overload
    def binomial(self, n: float, p: float, size: None = None) -> int: ...
    @overload
    def binomial(
        self,
        n: ArrayLike,
        p: ArrayLike,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> ndarray: ...
    @overload
    def chisquare(self, df: float, size: None = None) -> float: ...
    @overload
    def chisquare(
        self, df: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike | None = None
    ) -> ndarray: ...
    @overload
    def choice(
        self, a: ArrayLike, size: None = None, replace: bool = True, p: ArrayLike | None = None
    ) -> Any: ...
    @overload
    def choice(
        self, a: ArrayLike, size: ShapeLike, replace: bool = True, p: ArrayLike | None = None
    ) -> ndarray: ...
    def dirichlet(
        self, alpha: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike | None = None
    ) -> ndarray: ...
    @overload
    def exponential(self, scale: float = 1.0, size: None = None) -> float: ...
    @overload
    def exponential(
        self, scale: ArrayLike = 1.0, size: ShapeLike | None = None, dtype: DTypeLike | None = None
    ) -> ndarray: ...
    @overload
    def f(self, dfnum: float, dfden: float, size: None = None) -> float: ...
    @overload
    def f(
        self,
        dfnum: ArrayLike,
        dfden: ArrayLike,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> ndarray: ...
    @overload
    def gamma(self, shape: float, scale: float = 1.0, size: None = None) -> float: ...
    @overload
    def gamma(
        self,
        shape: ArrayLike,
        scale: ArrayLike = 1.0,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> ndarray: ...
    @overload
    def geometric(self, p: float, size: None = None) -> int: ...
    @overload
    def geometric(
        self, p: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike | None = None
    ) -> ndarray: ...
    @overload
    def gumbel(self, loc: float = 0.0, scale: float = 1.0, size: None = None) -> float: ...
    @overload
    def gumbel(
        self,
        loc: ArrayLike = 0.0,
        scale: ArrayLike = 1.0,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> ndarray: ...
    @overload
    def hypergeometric(
        self, ngood: float, nbad: float, nsample: float, size: None = None
    ) -> int: ...
    @overload
    def hypergeometric(
        self,
        ngood: ArrayLike,
        nbad: ArrayLike,
        nsample: ArrayLike,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> ndarray: ...
    @overload
    def laplace(self, loc: float = 0.0, scale: float = 1.0, size: None = None) -> float: ...
    @overload
    def laplace(
        self,
        loc: ArrayLike = 0.0,
        scale: ArrayLike = 1.0,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> ndarray: ...
    @overload
    def logistic(self, loc: float = 0.0, scale: float = 1.0, size: None = None) -> float: ...
    @overload
    def logistic(
        self,
        loc: ArrayLike = 0.0,
        scale: ArrayLike = 1.0,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> ndarray: ...
    @overload
    def lognormal(self, mean: float = 0.0, sigma: float = 1.0, size: None = None) -> float: ...
    @overload
    def lognormal(
        self,
        mean: ArrayLike = 0.0,
        sigma: ArrayLike = 1.0,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> ndarray: ...
    @overload
    def logseries(self, p: float, size: None = None) -> int: ...
    @overload
    def logseries(
        self, p: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike | None = None
    ) -> ndarray: ...
    def multinomial(
        self, n: ArrayLike, pvals: ArrayLike, size: ShapeLike | None = None
    ) -> ndarray: ...
    def multivariate_normal(
        self,
        mean: ArrayLike,
        cov: ArrayLike,
        size: ShapeLike | None = None,
        check_valid: str = "warn",
        tol: float = 1e-08,
        dtype: DTypeLike | None = None,
    ) -> ndarray: ...
    @overload
    def negative_binomial(self, n: float, p: float, size: None = None) -> int: ...
    @overload
    def negative_binomial(
        self,
        n: ArrayLike,
        p: ArrayLike,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> ndarray: ...
    @overload
    def noncentral_chisquare(self, df: float, nonc: float, size: None = None) -> float: ...
    @overload
    def noncentral_chisquare(
        self,
        df: ArrayLike,
        nonc: ArrayLike,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> ndarray: ...
    @overload
    def noncentral_f(self, dfnum: float, dfden: float, nonc: float, size: None = None) -> float: ...
    @overload
    def noncentral_f(
        self,
        dfnum: ArrayLike,
        dfden: ArrayLike,
        nonc: ArrayLike,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> ndarray: ...
    @overload
    def normal(self, loc: float = 0.0, scale: float = 1.0, size: None = None) -> float: ...
    @overload
    def normal(
        self,
        loc: ArrayLike = 0.0,
        scale: ArrayLike = 1.0,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> ndarray: ...
    @overload
    def pareto(self, a: float, size: None = None) -> float: ...
    @overload
    def pareto(
        self, a: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike | None = None
    ) -> ndarray: ...
    def permutation(self, x: int | ArrayLike) -> ndarray: ...
    @overload
    def poisson(self, lam: float = 1.0, size: None = None) -> int: ...
    @overload
    def poisson(
        self, lam: ArrayLike = 1.0, size: ShapeLike | None = None, dtype: DTypeLike | None = None
    ) -> ndarray: ...
    @overload
    def power(self, a: float, size: None = None) -> float: ...
    @overload
    def power(
        self, a: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike | None = None
    ) -> ndarray: ...
    @overload
    def rand(self) -> float: ...
    @overload
    def rand(self, *args: int, dtype: DTypeLike | None = None) -> ndarray: ...
    @overload
    def randint(
        self, low: int, high: int | None = None, size: None = None, dtype: DTypeLike = ...
    ) -> int: ...
    @overload
    def randint(
        self,
        low: ArrayLike,
        high: ArrayLike | None = None,
        size: ShapeLike | None = None,
        dtype: DTypeLike = ...,
    ) -> ndarray: ...
    @overload
    def randn(self) -> float: ...
    @overload
    def randn(self, *args: int, dtype: DTypeLike | None = None) -> ndarray: ...
    @overload
    def random(self, size: None = None) -> float: ...
    @overload
    def random(self, size: ShapeLike, dtype: DTypeLike | None = None) -> ndarray: ...
    @overload
    def random_integers(self, low: int, high: int | None = None, size: None = None) -> int: ...
    @overload
    def random_integers(self, low: int, high: int | None = None, *, size: ShapeLike) -> ndarray: ...
    @overload
    def random_sample(self, size: None = None) -> float: ...
    @overload
    def random_sample(self, size: ShapeLike, dtype: DTypeLike | None = None) -> ndarray: ...
    @overload
    def rayleigh(self, scale: float = 1.0, size: None = None) -> float: ...
    @overload
    def rayleigh(
        self, scale: ArrayLike = 1.0, size: ShapeLike | None = None, dtype: DTypeLike | None = None
    ) -> ndarray: ...
    def shuffle(self, x: ndarray | MutableSequence[Any], *, axis: int = 0) -> None: ...
    @overload
    def standard_cauchy(self, size: None = None) -> float: ...
    @overload
    def standard_cauchy(self, size: ShapeLike, dtype: DTypeLike | None = None) -> ndarray: ...
    @overload
    def standard_exponential(self, size: None = None) -> float: ...
    @overload
    def standard_exponential(self, size: ShapeLike, dtype: DTypeLike | None = None) -> ndarray: ...
    @overload
    def standard_gamma(self, shape: float, size: None = None) -> float: ...
    @overload
    def standard_gamma(
        self, shape: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike | None = None
    ) -> ndarray: ...
    @overload
    def standard_normal(self, size: None = None) -> float: ...
    @overload
    def standard_normal(self, size: ShapeLike, dtype: DTypeLike | None = None) -> ndarray: ...
    @overload
    def standard_t(self, df: float, size: None = None) -> float: ...
    @overload
    def standard_t(
        self, df: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike | None = None
    ) -> ndarray: ...
    @overload
    def triangular(self, left: float, mode: float, right: float, size: None = None) -> float: ...
    @overload
    def triangular(
        self,
        left: ArrayLike,
        mode: ArrayLike,
        right: ArrayLike,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> ndarray: ...
    @overload
    def uniform(self, low: float = 0.0, high: float = 1.0, size: None = None) -> float: ...
    @overload
    def uniform(
        self,
        low: ArrayLike = 0.0,
        high: ArrayLike = 1.0,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> ndarray: ...
    @overload
    def vonmises(self, mu: float, kappa: float, size: None = None) -> float: ...
    @overload
    def vonmises(
        self,
        mu: ArrayLike,
        kappa: ArrayLike,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> ndarray: ...
    @overload
    def wald(self, mean: float, scale: float, size: None = None) -> float: ...
    @overload
    def wald(
        self,
        mean: ArrayLike,
        scale: ArrayLike,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> ndarray: ...
    @overload
    def weibull(self, a: float, size: None = None) -> float: ...
    @overload
    def weibull(
        self, a: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike | None = None
    ) -> ndarray: ...
    @overload
    def zipf(self, a: float, size: None = None) -> int: ...
    @overload
    def zipf(
        self, a: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike | None = None
    ) -> ndarray: ...
