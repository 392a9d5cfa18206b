"""`stencil`: a function of an element's neighbours, for all elements that have them."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast, overload

import numpy

import heddle as hd
from heddle import _core
from heddle._compiled.functions import njit, prange
from heddle._compiled.sources import make_function
from heddle._typing import DType, Output
from heddle.simt._errors import KernelError
from heddle.simt._state import parse
from heddle.simt._types import NAMES, Array, Call

if TYPE_CHECKING:
    from heddle.simt._host import HostCompiler


class _Shift(ast.NodeTransformer):
    """Indices of neighbours as indices of arrays; remembers how far they reach."""

    def __init__(self, arrays: dict[str, int], error: Any) -> None:
        self.arrays, self.error = arrays, error
        self.reach: dict[int, list[int]] = {}
        self.known = True

    def visit_Subscript(self, node: ast.Subscript) -> ast.Subscript:
        self.generic_visit(node)
        if not isinstance(node.value, ast.Name) or node.value.id not in self.arrays:
            return node
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        ndim = self.arrays[node.value.id]
        if len(parts) != ndim:
            raise self.error(
                node, f"a neighbour in an array with {ndim} dimensions has {ndim} numbers"
            )
        shifted: list[ast.expr] = []
        for axis, part in enumerate(parts):
            try:
                offset = ast.literal_eval(part)
            except ValueError:
                self.known = False
            else:
                if not isinstance(offset, int):
                    raise self.error(node, "neighbours are given by integers")
                self.reach.setdefault(axis, []).append(offset)
            shifted.append(ast.BinOp(ast.Name(f"i{axis}_", ast.Load()), ast.Add(), part))
        node.slice = shifted[0] if ndim == 1 else ast.Tuple(shifted, ast.Load())
        return node


class Stencil:
    """A function of neighbours: made by `stencil`."""

    def __init__(
        self,
        function: types.FunctionType,
        cval: Any = None,
        neighborhood: Any = None,
        standard_indexing: Any = (),
    ) -> None:
        self.py_func, self.__name__, self.__doc__ = function, function.__name__, function.__doc__
        # What the border of a given `out` is stays as it is where nobody says.
        self.fills, self.cval = cval is not None, 0 if cval is None else cval
        self.neighborhood = neighborhood
        self.standard = tuple(standard_indexing)
        self._made: dict[Any, Any] = {}

    def __call__(self, *args: object, out: Output | None = None) -> Any:
        given = [hd.asarray(a) if isinstance(a, (list, numpy.ndarray)) else a for a in args]
        if not given or not isinstance(given[0], _core.own_array) or given[0].ndim == 0:
            raise TypeError(f"{self.__name__}: the first argument of a stencil is an array")
        loops, element = self._for(
            tuple(a.ndim if isinstance(a, _core.own_array) else -1 for a in given)
        )
        first = given[0]
        if out is None:
            dtype = element.dtype_for(given)
            numpy.dtype(dtype).type(self.cval)
            out = hd.full(first.shape, self.cval, dtype=dtype)
        elif tuple(out.shape) != tuple(first.shape):
            raise ValueError(f"{self.__name__}: out has the shape {out.shape}, not {first.shape}")
        elif self.fills:
            out[...] = self.cval
        loops(*given, out)
        return out

    def _for(self, kinds: tuple[int, ...]) -> tuple[Any, _Element]:
        if kinds not in self._made:
            self._made[kinds] = self._make(kinds)
        loops, element = self._made[kinds]
        return loops, element

    def _simt_call(
        self, state: Any, args: list[Any], keywords: dict[str, Any], node: ast.Call
    ) -> Array:
        """A call inside of a compiled function."""
        if set(keywords) - {"out"} or not state.host:
            raise state.error(node, "a stencil is called with arrays, in functions under njit")
        s: HostCompiler = state
        given = [s.settled(a, node) for a in args]
        if not given or not isinstance(given[0], Array) or given[0].ndim == 0:
            raise s.error(node, "the first argument of a stencil is an array")
        loops, element = self._for(tuple(a.ndim if isinstance(a, Array) else -1 for a in given))
        letters = ""
        for a in given:
            letter = chr(
                ord("A") + (a.dtype if isinstance(a, Array) else s.number(a, node).type.dtype)
            )
            letters += f"a{letter}{a.ndim}s" if isinstance(a, Array) else f"n{letter}"
        dtype = NAMES.index(element.dtype_of(letters, s.numba).name)
        shape = [s.extent(given[0], axis) for axis in range(given[0].ndim)]
        out = keywords.get("out")
        if out is None:
            out = s.allocate(shape, dtype, False, given[0].numpys, node)
        elif not isinstance(out, Array) or out.ndim != len(shape):
            raise s.error(node, "out is an array with as many dimensions as the first")
        else:
            for axis, extent in enumerate(shape):
                said = f"{self.__name__}: out has another shape than the first array"
                s.need_equal(s.extent(out, axis), extent, ValueError, said, node)
        if self.fills or "out" not in keywords:
            s.fill(out, s.constant(self.cval), node)
        s.call_function(Call(loops.py_func, [*given, out], {}, node))
        return out

    def _make(self, kinds: tuple[int, ...]) -> tuple[Any, Any]:
        parsed = parse(self.py_func)
        node = parsed.node
        if not isinstance(node, ast.FunctionDef):
            raise KernelError("a stencil is made of a function, not of a lambda")
        names = [a.arg for a in node.args.posonlyargs + node.args.args]
        if len(names) != len(kinds):
            raise TypeError(f"{self.__name__} takes {len(names)} arrays, not {len(kinds)}")
        ndim = kinds[0]
        arrays = {
            n: k for n, k in zip(names, kinds, strict=True) if k >= 0 and n not in self.standard
        }
        for name, own in arrays.items():
            if own != ndim:
                raise ValueError(
                    f"{self.__name__}: '{name}' has {own} dimensions, the first array {ndim}; "
                    "name it in standard_indexing if its indices are its own"
                )
        shift = _Shift(arrays, parsed.source.error)
        body = [shift.visit(ast.parse(ast.unparse(s)).body[0]) for s in node.body]
        reach = self._reach(shift, ndim)
        indices = [f"i{axis}_" for axis in range(ndim)]
        inner = ast.unparse(ast.fix_missing_locations(ast.Module(body, [])))
        element = f"def element({', '.join(names + indices)}):\n"
        element += "".join(f"    {line}\n" for line in inner.splitlines())
        scope = {**self.py_func.__globals__, **_closure(self.py_func)}
        text = f"def stencil({', '.join([*names, 'out_'])}):\n"
        for axis, (low, high) in enumerate(reach):
            loop = "prange" if axis == 0 else "range"
            stop = f"{names[0]}.shape[{axis}] - {max(high, 0)}"
            text += "    " * (axis + 1)
            text += f"for {indices[axis]} in {loop}({max(-low, 0)}, {stop}):\n"
        place = ", ".join(indices)
        text += "    " * (ndim + 1) + f"out_[{place}] = element({', '.join(names + indices)})\n"
        one = make_function(element, "element", scope)
        loops = make_function(text, "stencil", {"prange": prange, "element": one})
        return njit(loops), _Element(one, ndim)

    def _reach(self, shift: _Shift, ndim: int) -> list[tuple[int, int]]:
        if self.neighborhood is not None:
            return [(int(low), int(high)) for low, high in self.neighborhood]
        if not shift.known:
            raise ValueError(
                f"{self.__name__}: how far its indices reach is not known; give neighborhood="
            )
        return [
            (min(shift.reach.get(axis, [0])), max(shift.reach.get(axis, [0])))
            for axis in range(ndim)
        ]

    def __repr__(self) -> str:
        return f"<stencil {self.__name__}>"


class _Element:
    """What a stencil computes of one element: for the type of the result."""

    def __init__(self, function: types.FunctionType, ndim: int) -> None:
        self.function, self.ndim = function, ndim

    def dtype_for(self, args: list[Any]) -> Any:
        plain = {bool: "b", int: "i", float: "f", complex: "c"}
        signature = ""
        for a in args:
            if type(a) in plain:
                signature += plain[type(a)]
            else:
                letter = chr(ord("A") + NAMES.index(a.dtype.name))
                signature += f"a{letter}{a.ndim}s" if a.ndim else f"n{letter}"
        return self.dtype_of(signature)

    def dtype_of(self, signature: str, numba: bool = False) -> DType:
        """The type of the result, of arguments as the core writes them."""
        from heddle.simt._host import HostCompiler

        compiler = HostCompiler(self.function, numba=numba)
        layout = compiler.compile(signature + "i" * self.ndim)[4]
        if len(layout) != 2 or layout[0] not in "wn":
            raise KernelError("a stencil gives a number for each element")
        return numpy.dtype(NAMES[ord(layout[1]) - ord("A")])


def _closure(function: types.FunctionType) -> dict[str, object]:
    cells = function.__closure__ or ()
    return dict(zip(function.__code__.co_freevars, (c.cell_contents for c in cells), strict=True))


@overload
def stencil(
    func_or_mode: Callable[..., Any],
    *,
    cval: object = None,
    neighborhood: object = None,
    standard_indexing: object = (),
) -> Stencil: ...
@overload
def stencil(
    func_or_mode: str | None = None,
    *,
    cval: object = None,
    neighborhood: object = None,
    standard_indexing: object = (),
) -> Callable[[Callable[..., Any]], Stencil]: ...
def stencil(
    func_or_mode: Callable[..., Any] | str | None = None,
    *,
    cval: object = None,
    neighborhood: object = None,
    standard_indexing: object = (),
) -> Any:
    """A function of neighbours: ``a[0, -1]`` is what is left of the element.

    It is called with arrays, and gives one of the same shape. Elements that have not all neighbours
    are `cval`, or 0; those of an array that is given as `out` stay where no `cval` is given.
    `neighborhood` says how far indices reach where they are no literals, and `standard_indexing`
    names arrays whose indices are their own. Rows run on all cores.

    Examples
    --------
    >>> import heddle as np
    >>> @np.stencil
    ... def mean(a):
    ...     return (a[-1] + a[0] + a[1]) / 3
    >>> mean(np.array([0.0, 3.0, 6.0, 0.0]))  # doctest: +SKIP
    array([0., 3., 3., 0.])
    """
    options = {"cval": cval, "neighborhood": neighborhood, "standard_indexing": standard_indexing}
    if isinstance(func_or_mode, str):
        if func_or_mode != "constant":
            raise ValueError(f"stencil: the border is 'constant', not {func_or_mode!r}")
        func_or_mode = None
    if func_or_mode is None:
        return lambda inner: Stencil(inner, **options)
    return Stencil(cast("types.FunctionType", func_or_mode), **options)
