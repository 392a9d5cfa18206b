"""JAX's names: ``from heddle import jax``, ``import heddle.jax.numpy as jnp``.

Transformations, `lax`, `nn`, trees and so on are those of `heddle` itself; here are JAX's random
numbers by keys, its spelling of NumPy, and what it calls devices and settings. Arrays can be
written to, types are NumPy's (numbers of Python's are 64 bits wide, as with ``jax_enable_x64``),
and an index out of bounds is an error.

>>> from heddle import jax
>>> import heddle.jax.numpy as jnp
>>> print(jax.vmap(jax.grad(jnp.sin))(jnp.zeros(2)))
[1. 1.]
"""

import importlib as _importlib
import typing as _typing

from heddle import (
    Array,
    Mesh,
    P,
    ShapeDtypeStruct,
    checkpoint,
    checkpoint_policies,
    custom_gradient,
    custom_jvp,
    custom_vjp,
    debug,
    eval_shape,
    flatten_util,
    float0,
    grad,
    hessian,
    jacfwd,
    jacobian,
    jacrev,
    jit,
    jvp,
    lax,
    linear_transpose,
    linearize,
    make_mesh,
    nn,
    ops,
    pmap,
    remat,
    shard_map,
    tree,
    tree_util,
    value_and_grad,
    vjp,
    vmap,
)
from heddle._names.public import publish as _publish
from heddle._transform.compiling import clear_caches
from heddle.jax import _modules as _aliases
from heddle.jax._settings import (
    block_until_ready,
    config,
    copy_to_host_async,
    debug_infs,
    debug_nans,
    default_backend,
    default_device,
    device_count,
    device_get,
    device_put,
    devices,
    disable_jit,
    ensure_compile_time_eval,
    local_device_count,
    local_devices,
    named_call,
    named_scope,
    process_count,
    process_index,
    typeof,
)

if _typing.TYPE_CHECKING:
    from heddle.jax import ad_checkpoint as ad_checkpoint
    from heddle.jax import custom_batching as custom_batching
    from heddle.jax import custom_derivatives as custom_derivatives
    from heddle.jax import dlpack as dlpack
    from heddle.jax import dtypes as dtypes
    from heddle.jax import errors as errors
    from heddle.jax import image as image
    from heddle.jax import numpy as numpy
    from heddle.jax import random as random
    from heddle.jax import scipy as scipy
    from heddle.jax import sharding as sharding
    from heddle.jax import test_util as test_util
    from heddle.jax import typing as typing
    from heddle.jax.custom_derivatives import closure_convert as closure_convert

__all__ = [
    "Array",
    "Mesh",
    "P",
    "ShapeDtypeStruct",
    "ad_checkpoint",
    "block_until_ready",
    "checkpoint",
    "checkpoint_policies",
    "clear_caches",
    "config",
    "copy_to_host_async",
    "custom_batching",
    "custom_derivatives",
    "custom_gradient",
    "custom_jvp",
    "custom_vjp",
    "debug",
    "debug_infs",
    "debug_nans",
    "default_backend",
    "default_device",
    "device_count",
    "device_get",
    "device_put",
    "devices",
    "disable_jit",
    "dlpack",
    "dtypes",
    "ensure_compile_time_eval",
    "errors",
    "eval_shape",
    "flatten_util",
    "float0",
    "grad",
    "hessian",
    "image",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jit",
    "jvp",
    "lax",
    "linear_transpose",
    "linearize",
    "local_device_count",
    "local_devices",
    "make_mesh",
    "named_call",
    "named_scope",
    "nn",
    "numpy",
    "ops",
    "pmap",
    "process_count",
    "process_index",
    "random",
    "remat",
    "scipy",
    "shard_map",
    "sharding",
    "test_util",
    "tree",
    "tree_util",
    "typeof",
    "typing",
    "value_and_grad",
    "vjp",
    "vmap",
]

_MODULES = (
    *("ad_checkpoint", "custom_batching", "custom_derivatives", "dlpack", "dtypes", "errors"),
    *("image", "numpy", "random", "scipy", "sharding", "test_util", "typing"),
)
_aliases.install()
# JAX's names that are left out on purpose, and what to use instead.
_ABSENT = {
    "make_jaxpr": "there are no jaxprs: jit(f).lower(*args).as_text() says the steps of a call, "
    "heddle.draw(f, *args) shows them",
    "pure_callback": "functions of the host are called as they are; under jit what they look at is "
    "compared at each call",
    "enable_x64": "types are those that are said: numbers are 64 bits wide, dtype='float32' is not",
    "new_ref": "arrays can be written to as they are: x[i] = y",
    "export": "recorded calls cannot be saved",
    "ffi": "see heddle.RawKernel and heddle.njit for code of your own",
    "distributed": "there is one process",
}


if not _typing.TYPE_CHECKING:  # checkers know what there is

    def __getattr__(name: str) -> object:
        if name in _MODULES:
            return _importlib.import_module(f"{__name__}.{name}")
        if name == "closure_convert":
            return _importlib.import_module(f"{__name__}.custom_derivatives").closure_convert
        why = f": {_ABSENT[name]}" if name in _ABSENT else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{why}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, "closure_convert"})


_publish(__name__, *(globals()[name] for name in __all__ if name not in _MODULES))
