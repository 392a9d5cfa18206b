"""Rules for derivatives by JAX's names, and what helps with them."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import heddle as hd
from heddle import _core, custom_gradient, custom_jvp, custom_vjp
from heddle._transform.custom import CustomVJPPrimal
from heddle._transform.own_steps import SymbolicZero
from heddle._typing import Tree

__all__ = [
    "CustomVJPPrimal",
    "SymbolicZero",
    "closure_convert",
    "custom_gradient",
    "custom_jvp",
    "custom_vjp",
    "custom_vjp_primal_tree_values",
    "zero_from_primal",
]


def custom_vjp_primal_tree_values(tree: Tree) -> Tree:
    """The values of a tree of arguments that a rule with symbolic zeros gets.

    >>> import heddle as np
    >>> from heddle.jax.custom_derivatives import CustomVJPPrimal, custom_vjp_primal_tree_values
    >>> custom_vjp_primal_tree_values([CustomVJPPrimal(2.0, True)])
    [2.0]
    """
    return hd.tree.map(
        lambda leaf: leaf.value if isinstance(leaf, CustomVJPPrimal) else leaf,
        tree,
        is_leaf=lambda leaf: isinstance(leaf, CustomVJPPrimal),
    )


def closure_convert(fun: Callable[..., Any], *example_args: object) -> tuple[Any, list[Any]]:
    """A function without arrays in its closure, and these: they become further arguments.

    >>> import heddle as np
    >>> from heddle.jax.custom_derivatives import closure_convert
    >>> factor = np.asarray(3.0)
    >>> f, hoisted = closure_convert(lambda x: x * factor, 1.0)
    >>> print(len(hoisted), f(2.0, *hoisted))
    1 6.0
    """
    code = getattr(fun, "__code__", None)
    cells = fun.__closure__ or () if code is not None else ()
    names = code.co_names if code is not None else ()
    given = getattr(fun, "__globals__", {})
    places: list[tuple[Any, Any]] = [(None, i) for i, cell in enumerate(cells) if _holds(cell)]
    places += [(name, None) for name in names if isinstance(given.get(name), _core.own_array)]
    hoisted = [cells[i].cell_contents if name is None else given[name] for name, i in places]
    count = len(example_args)

    def converted(*args: object) -> Any:
        if len(args) != count + len(places):
            raise TypeError(
                f"closure_convert: {count} arguments and {len(places)} that were found in the "
                f"closure are wanted, not {len(args)}"
            )
        own, new_cells, names_now = args[count:], list(cells), dict(given)
        for (name, i), value in zip(places, own, strict=True):
            if name is None:
                new_cells[i] = type(cells[i])(value)
            else:
                names_now[name] = value
        made = types.FunctionType(
            fun.__code__, names_now, fun.__name__, fun.__defaults__, tuple(new_cells) or None
        )
        made.__kwdefaults__ = fun.__kwdefaults__
        return made(*args[:count])

    return (converted if places else fun), hoisted


def _holds(cell: Any) -> bool:
    try:
        return isinstance(cell.cell_contents, _core.own_array)
    except ValueError:
        return False  # nothing is in it yet


def zero_from_primal(val: Tree, symbolic_zeros: bool = False) -> Tree:
    """The zero tangent of a value: of integers one of the type ``float0``; or a symbol of it.

    >>> import heddle as np
    >>> from heddle.jax.custom_derivatives import zero_from_primal
    >>> print(zero_from_primal(np.ones(2)))
    [0. 0.]
    """
    array = hd.asarray(val)
    if symbolic_zeros:
        return SymbolicZero(array.shape, array.dtype, device=array.device)
    if array.dtype.kind in "fc" or array.dtype.name == "bfloat16":
        return hd.zeros_like(array)
    import numpy

    return numpy.zeros(array.shape, hd.float0)
