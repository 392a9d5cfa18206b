"""What every part of a sparse array relies on: shape, type, device, and ways to other formats.

Operators, reductions and the formats themselves are subclasses of it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Self, cast, overload

import numpy

from heddle._core import ndarray, own_array
from heddle._typing import Axes, Axis, Casting, DType, DTypeLike, Order, Output
from heddle.scipy.sparse._support import (
    check_dtype,
    check_shape,
    get_index_dtype,
    reshape_keywords,
)

if TYPE_CHECKING:
    from heddle.scipy.sparse._base import SparseBase
    from heddle.scipy.sparse._bsr import BsrBase
    from heddle.scipy.sparse._coo import CooBase
    from heddle.scipy.sparse._csr_csc import CscBase, CsrBase
    from heddle.scipy.sparse._dia import DiaBase
    from heddle.scipy.sparse._dok import DokBase
    from heddle.scipy.sparse._lil import LilBase

MAXPRINT = 50
TITLES = {
    "bsr": "Block Sparse Row",
    "coo": "COOrdinate",
    "csc": "Compressed Sparse Column",
    "csr": "Compressed Sparse Row",
    "dia": "DIAgonal",
    "dok": "Dictionary Of Keys",
    "lil": "List of Lists",
}


class Described:
    """A shape, a type and a device, and conversions."""

    _format = "und"
    _allow_nd: Any = (2,)
    _is_array = True
    _shape: tuple[int, ...]
    _device: str | None = None  # of formats that hold no arrays
    maxprint: int
    data: Any  # elements, as the format keeps them

    # --- what it is ---

    @property
    def format(self) -> str:
        """The name of its format, as in ``"csr"``."""
        return self._format

    @property
    def shape(self) -> tuple[int, ...]:
        """Its extents."""
        return self._shape

    @property
    def ndim(self) -> int:
        """How many axes it has."""
        return len(self._shape)

    @property
    def size(self) -> int:
        """How many elements are stored, explicit zeros among them."""
        return int(self._getnnz())

    @property
    def nnz(self) -> int:
        """How many elements are stored, explicit zeros among them."""
        return int(self._getnnz())

    @property
    def dtype(self) -> DType:
        """The type of its elements."""
        found: DType = self.data.dtype
        return found

    @dtype.setter
    def dtype(self, dtype: object) -> None:
        self.data = self.data.view(dtype)

    @property
    def device(self) -> str | None:
        """Where its arrays are."""
        data = getattr(self, "data", None)
        return data.device if isinstance(data, own_array) else self._device

    @property
    def _shape_as_2d(self) -> tuple[int, int]:
        return (1, self._shape[-1]) if len(self._shape) == 1 else self._shape  # type: ignore[return-value]

    def _getnnz(self, axis: Axis | None = None) -> Any:
        raise NotImplementedError(f"getnnz not implemented for {type(self).__name__}.")

    def count_nonzero(self, axis: Axis | None = None) -> ndarray:
        """How many elements are not zero, along an axis or all in all."""
        return self.tocsr().count_nonzero(axis=axis)

    def _index_dtype(
        self, arrays: Sequence[ndarray] = (), maxval: Any = None, check_contents: bool = False
    ) -> Any:
        # Matrices look whether smaller indices do; arrays keep the type that they are given.
        return get_index_dtype(arrays, maxval, check_contents and not self._is_array)

    @overload
    def _container(self, format: Literal["bsr"]) -> type[BsrBase]: ...
    @overload
    def _container(self, format: Literal["coo"]) -> type[CooBase]: ...
    @overload
    def _container(self, format: Literal["csc"]) -> type[CscBase]: ...
    @overload
    def _container(self, format: Literal["csr"]) -> type[CsrBase]: ...
    @overload
    def _container(self, format: Literal["dia"]) -> type[DiaBase]: ...
    @overload
    def _container(self, format: Literal["dok"]) -> type[DokBase]: ...
    @overload
    def _container(self, format: Literal["lil"]) -> type[LilBase]: ...
    @overload
    def _container(self, format: str) -> Any: ...
    def _container(self, format: str) -> Any:
        """The class of another format, an array or a matrix as this one."""
        module = sys.modules["heddle.scipy.sparse"]
        return getattr(module, f"{format}_{'array' if self._is_array else 'matrix'}")

    @classmethod
    def _made(cls, shape: tuple[int, ...], **attributes: object) -> Self:
        """One of parts that are known to be right."""
        made = object.__new__(cls)
        made.maxprint = MAXPRINT
        made._shape = tuple(shape)
        for name, value in attributes.items():
            setattr(made, name, value)
        return made

    def _anew(self, *args: object, **kwargs: object) -> Self:
        """Another one of its class, made as users make them."""
        made: Any = type(self)
        return cast("Self", made(*args, **kwargs))

    # --- conversions ---

    def asformat(self, format: str | None, copy: bool = False) -> SparseBase:
        """The same in another format."""
        if format is None or format == self.format:
            return cast("SparseBase", self.copy() if copy else self)
        if format in ("array", "dense"):
            return cast("SparseBase", self.toarray())
        convert = getattr(self, f"to{format}", None) if isinstance(format, str) else None
        if convert is None or format not in TITLES:
            raise ValueError(f"Format {format} is unknown.")
        found: SparseBase = convert(copy=copy)
        return found

    def tocoo(self, copy: bool = False) -> CooBase:
        """In coordinate format."""
        return self.tocsr(copy=False).tocoo(copy=copy)

    def tocsr(self, copy: bool = False) -> CsrBase:
        """In compressed rows."""
        return self.tocoo(copy=copy).tocsr(copy=False)

    def tocsc(self, copy: bool = False) -> CscBase:
        """In compressed columns."""
        return self.tocsr(copy=copy).tocsc(copy=False)

    def todia(self, copy: bool = False) -> DiaBase:
        """In diagonals."""
        return self.tocoo(copy=copy).todia(copy=False)

    def todok(self, copy: bool = False) -> DokBase:
        """As a dictionary."""
        return self.tocoo(copy=copy).todok(copy=False)

    def tolil(self, copy: bool = False) -> LilBase:
        """As lists of lists."""
        return self.tocsr(copy=False).tolil(copy=copy)

    def tobsr(self, blocksize: tuple[int, int] | None = None, copy: bool = False) -> BsrBase:
        """In compressed rows of blocks."""
        return self.tocsr(copy=False).tobsr(blocksize=blocksize, copy=copy)

    def toarray(self, order: Order | None = None, out: Output | None = None) -> ndarray:
        """As a dense array."""
        return self.tocoo(copy=False).toarray(order=order, out=out)

    def todense(self, order: Order | None = None, out: Output | None = None) -> ndarray:
        """As a dense array, for matrices, too."""
        return self.toarray(order=order, out=out)

    def get(self, stream: object = None) -> Any:
        """As SciPy's own, in the host's memory."""
        from heddle.scipy.sparse._foreign import to_scipy

        return to_scipy(self)

    def copy(self) -> Self:
        """A copy that shares nothing."""
        return self._anew(self, copy=True)

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Self:
        return self.copy()

    def astype(self, dtype: DTypeLike, casting: Casting = "unsafe", copy: bool = True) -> Self:
        """With elements of another type."""
        dtype = check_dtype(dtype)
        if self.dtype != dtype:
            converted = self.tocsr().astype(dtype, casting=casting, copy=copy)
            return cast("Self", converted.asformat(self.format))
        return self.copy() if copy else self

    def _asfptype(self) -> Self:
        if self.dtype.kind in "fc":
            return self
        small = self.dtype.kind == "b" or self.dtype.itemsize <= 2
        return self.astype(numpy.float32 if small else numpy.float64)

    # --- shapes ---

    def reshape(self, *args: object, **kwargs: object) -> SparseBase:
        """With another shape of the same size: in coordinate format, unless it has that shape."""
        shape = check_shape(args, self.shape, allowed=range(1, 65) if self._is_array else (2,))
        order, copy = reshape_keywords(kwargs)
        if shape == self.shape:
            return cast("SparseBase", self.copy() if copy else self)
        return self.tocoo(copy=copy).reshape(shape, order=order, copy=False)

    def resize(self, *shape: object) -> None:
        """Changes the shape in place; elements beyond it are dropped."""
        raise NotImplementedError(f"{type(self).__name__}.resize is not implemented")

    def transpose(self, axes: Axes | None = None, copy: bool = False) -> SparseBase:
        """With its axes reversed."""
        return self.tocsr(copy=copy).transpose(axes=axes, copy=False)

    @property
    def T(self) -> SparseBase:
        """With its axes reversed."""
        return self.transpose()

    @property
    def mT(self) -> SparseBase:
        """With its last two axes exchanged."""
        n = self.ndim
        if n < 2:
            raise ValueError("matrix transpose with ndim < 2 is undefined")
        if n == 2:
            return self.transpose()
        return self.transpose(axes=(*range(n - 2), n - 1, n - 2))

    def _check_axes(self, axes: Axes | None) -> None:
        if axes is None or (isinstance(axes, (tuple, list)) and tuple(axes) == (1, 0)):
            return
        if self._is_array and isinstance(axes, (tuple, list)) and tuple(axes) in ((0, 1), (-2, -1)):
            raise ValueError("axes don't match matrix dimensions")
        raise ValueError(
            "Sparse arrays/matrices do not support an 'axes' parameter because swapping "
            "dimensions is the only logical permutation."
        )
