"""Random numbers, with the interface of ``numpy.random``.

:func:`default_rng` gives a :class:`Generator` of :class:`Philox`, whose numbers are computed where
arrays are. So do the functions of the module itself, as :func:`rand`, until :func:`seed`,
:func:`get_state` or :func:`set_state` is called: from then on, like :class:`RandomState`, they give
the streams of NumPy's Mersenne twister, which NumPy draws on the host.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy
from numpy.random import BitGenerator

from heddle._core import ndarray
from heddle._typing import Seed
from heddle.random._arguments import on_host
from heddle.random._generator import Generator
from heddle.random._host import RandomState
from heddle.random._old_style import ModuleState
from heddle.random._philox import Philox
from heddle.random._seeds import MT19937, PCG64, PCG64DXSM, SFC64, SeedSequence


def default_rng(seed: Seed = None) -> Generator:
    """A generator of Philox for a seed: an integer, a sequence of them or a seed sequence.

    Without one the system gives entropy. Generators are returned as they are.

    Examples
    --------
    >>> import heddle as np
    >>> rng = np.random.default_rng(7)
    >>> rng.integers(0, 10, 3)
    array([2, 4, 9])
    """
    if isinstance(seed, Generator):
        return seed
    if isinstance(seed, Philox | BitGenerator):
        return Generator(seed)
    if isinstance(seed, numpy.random.Generator):
        return Generator(seed.bit_generator)
    if isinstance(seed, RandomState | numpy.random.RandomState):
        host = seed._host if isinstance(seed, RandomState) else seed
        return Generator(host._bit_generator)
    return Generator(Philox(seed))


_global = ModuleState()
# NumPy's module of the global generator: programs ask it for that, as scikit-learn does.
mtrand = sys.modules[__name__]
sys.modules[f"{__name__}.mtrand"] = mtrand
_rand = _global

_functions = [name for name in numpy.random.__all__ if hasattr(RandomState, name)]
for _name in _functions:
    globals()[_name] = getattr(_global, _name)
if TYPE_CHECKING:
    beta = _global.beta
    binomial = _global.binomial
    bytes = _global.bytes
    chisquare = _global.chisquare
    choice = _global.choice
    dirichlet = _global.dirichlet
    exponential = _global.exponential
    f = _global.f
    gamma = _global.gamma
    geometric = _global.geometric
    get_state = _global.get_state
    gumbel = _global.gumbel
    hypergeometric = _global.hypergeometric
    laplace = _global.laplace
    logistic = _global.logistic
    lognormal = _global.lognormal
    logseries = _global.logseries
    multinomial = _global.multinomial
    multivariate_normal = _global.multivariate_normal
    negative_binomial = _global.negative_binomial
    noncentral_chisquare = _global.noncentral_chisquare
    noncentral_f = _global.noncentral_f
    normal = _global.normal
    pareto = _global.pareto
    permutation = _global.permutation
    poisson = _global.poisson
    power = _global.power
    rand = _global.rand
    randint = _global.randint
    randn = _global.randn
    random = _global.random
    random_integers = _global.random_integers
    random_sample = _global.random_sample
    rayleigh = _global.rayleigh
    set_state = _global.set_state
    shuffle = _global.shuffle
    standard_cauchy = _global.standard_cauchy
    standard_exponential = _global.standard_exponential
    standard_gamma = _global.standard_gamma
    standard_normal = _global.standard_normal
    standard_t = _global.standard_t
    triangular = _global.triangular
    uniform = _global.uniform
    vonmises = _global.vonmises
    wald = _global.wald
    weibull = _global.weibull
    zipf = _global.zipf


def seed(seed: int | None = None) -> None:
    """Begin the stream of a seed for the module's functions: they draw NumPy's numbers then.

    Examples
    --------
    >>> heddle.random.seed(0)
    >>> heddle.random.rand(2)
    array([0.5488135 , 0.71518937])
    """
    bits = get_bit_generator()
    if isinstance(bits, numpy.random.MT19937):
        _global.seed(seed)
    else:
        bits.state = type(bits)(on_host(seed)).state
        set_bit_generator(bits)  # which forgets the normal number that may be left


def ranf(*args: Any, **kwargs: Any) -> ndarray:
    """Another name of random_sample.

    Examples
    --------
    >>> import heddle as np
    >>> np.random.ranf(3).shape
    (3,)
    """
    made: ndarray = _global.random_sample(*args, **kwargs)
    return made


def sample(*args: Any, **kwargs: Any) -> ndarray:
    """Another name of random_sample.

    Examples
    --------
    >>> import heddle as np
    >>> np.random.sample((2, 3)).shape
    (2, 3)
    """
    made: ndarray = _global.random_sample(*args, **kwargs)
    return made


def get_bit_generator() -> BitGenerator:
    """The bit generator of the module's functions, which draw NumPy's numbers from now on.

    Examples
    --------
    >>> import heddle as np
    >>> np.random.seed(1)
    >>> type(np.random.get_bit_generator()).__name__
    'MT19937'
    >>> np.random.reset_states()
    """
    _global.follow_numpy()
    return _global._host._bit_generator


def set_bit_generator(bitgen: object) -> None:
    """Let the module's functions draw from another of NumPy's bit generators.

    Examples
    --------
    >>> import heddle as np
    >>> np.random.set_bit_generator(np.random.PCG64(3))
    >>> np.random.rand(2)
    array([0.08564917, 0.23681051])
    >>> np.random.reset_states()
    """
    if not isinstance(bitgen, BitGenerator):
        raise TypeError(
            "set_bit_generator: the module's functions draw on the host: give one of NumPy's bit "
            "generators, as numpy.random.Philox(...)"
        )
    _global.take(RandomState(bitgen))


def get_random_state() -> RandomState:
    """The generator that the module's functions draw from; CuPy has one for each device.

    Examples
    --------
    >>> import heddle as np
    >>> np.random.get_random_state().random_sample(2).shape
    (2,)
    """
    return _global


def set_random_state(rs: RandomState) -> None:
    """Let the module's functions draw what a generator draws.

    Examples
    --------
    >>> import heddle as np
    >>> np.random.set_random_state(np.random.RandomState(3))
    >>> np.random.rand(2)
    array([0.5507979 , 0.70814782])
    >>> np.random.reset_states()
    """
    if not isinstance(rs, RandomState):
        raise TypeError(f"set_random_state: a RandomState is needed, not {type(rs).__name__}")
    _global.take(rs)


def reset_states() -> None:
    """Let the module's functions begin anew, with Philox and no seed, as after the import.

    Examples
    --------
    >>> import heddle as np
    >>> np.random.seed(1)
    >>> np.random.reset_states()
    """
    _global.reset()


__all__ = [
    "MT19937",
    "PCG64",
    "PCG64DXSM",
    "SFC64",
    "BitGenerator",
    "Generator",
    "Philox",
    "RandomState",
    "SeedSequence",
    "default_rng",
    "get_bit_generator",
    "get_random_state",
    "ranf",
    "reset_states",
    "sample",
    "set_bit_generator",
    "set_random_state",
    *_functions,
]
