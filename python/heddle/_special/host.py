"""SciPy's own functions for what is a table or a list of a few numbers: they run on the host, and
give heddle's arrays."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

import numpy

import heddle as hd
from heddle._core import ndarray, own_array
from heddle._typing import HostArray

__all__ = ["NAMES", "of_scipy"]

NAMES = (
    *("SpecialFunctionError", "SpecialFunctionWarning", "ai_zeros", "assoc_laguerre"),
    *("assoc_legendre_p", "assoc_legendre_p_all", "bei_zeros", "beip_zeros", "ber_zeros"),
    *("bernoulli", "berp_zeros", "bi_zeros", "c_roots", "cg_roots", "chebyc", "chebys", "chebyt"),
    *("chebyu", "ellip_harm", "ellip_harm_2", "ellip_normal", "erf_zeros", "errstate", "euler"),
    *("fresnel_zeros", "fresnelc_zeros", "fresnels_zeros", "gegenbauer", "genlaguerre", "geterr"),
    *("h_roots", "he_roots", "hermite", "hermitenorm", "j_roots", "jacobi", "jn_zeros"),
    *("jnjnp_zeros", "jnp_zeros", "jnyn_zeros", "js_roots", "kei_zeros", "keip_zeros"),
    *("kelvin_zeros", "ker_zeros", "kerp_zeros", "l_roots", "la_roots", "laguerre", "legendre"),
    *("legendre_p", "legendre_p_all", "lmbda", "lqmn", "lqn", "mathieu_even_coef"),
    *("mathieu_odd_coef", "obl_cv_seq", "p_roots", "pbdn_seq", "pbdv_seq", "pbvv_seq"),
    *("pro_cv_seq", "ps_roots", "riccati_jn", "riccati_yn", "roots_chebyc", "roots_chebys"),
    *("roots_chebyt", "roots_chebyu", "roots_gegenbauer", "roots_genlaguerre", "roots_hermite"),
    *("roots_hermitenorm", "roots_jacobi", "roots_laguerre", "roots_legendre", "roots_sh_chebyt"),
    *("roots_sh_chebyu", "roots_sh_jacobi", "roots_sh_legendre", "s_roots", "seterr"),
    *("sh_chebyt", "sh_chebyu", "sh_jacobi", "sh_legendre", "sph_harm_y_all", "sph_legendre_p"),
    *("sph_legendre_p_all", "stirling2", "t_roots", "ts_roots", "u_roots", "us_roots"),
    *("y0_zeros", "y1_zeros", "y1p_zeros", "yn_zeros", "ynp_zeros"),
)


def _theirs(value: Any) -> Any:
    if isinstance(value, own_array):
        return hd.asnumpy(value)
    return type(value)(map(_theirs, value)) if type(value) in (list, tuple) else value


def _ours(value: HostArray | tuple[HostArray, HostArray]) -> ndarray | tuple[Any, ...]:
    if isinstance(value, numpy.ndarray):
        return hd.asarray(value)
    return tuple(map(_ours, value)) if type(value) is tuple else value


@functools.cache
def of_scipy(name: str) -> Callable[..., Any]:
    """SciPy's, with arrays of ours as arguments and results."""
    try:
        theirs = getattr(importlib.import_module("scipy.special"), name)
    except ImportError:
        raise ImportError(
            f"heddle.special.{name} is SciPy's own: pip install scipy, or heddle[scipy]"
        ) from None
    if isinstance(theirs, type):
        return theirs

    @functools.wraps(theirs)
    def called(*args: int, **kwargs: object) -> Any:
        named = {name: _theirs(value) for name, value in kwargs.items()}
        return _ours(theirs(*map(_theirs, args), **named))

    return called
