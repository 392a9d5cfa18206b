"""The compiled core: arrays, ufuncs, and the operations that everything else is composed of."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Scalar = bool | int | float | complex
ArrayLike = Any  # ndarray, numpy.ndarray, Python and NumPy scalars, nested sequences
Shape = tuple[int, ...]

class ndarray:
    """An n-dimensional array that computes lazily. Made by `array`, `zeros`, `arange` and so on."""

    def __new__(
        cls,
        shape: Any,
        dtype: Any = ...,
        buffer: Any = None,
        offset: int = 0,
        strides: Any = None,
        order: str | None = None,
    ) -> ndarray: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def shape(self) -> Shape: ...
    @property
    def strides(self) -> tuple[int, ...]: ...  # bytes
    @property
    def ndim(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def itemsize(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def T(self) -> ndarray: ...
    @property
    def base(self) -> Any: ...  # whose memory a view sees; None for an owner
    @property
    def device(self) -> str: ...
    @property
    def pending(self) -> bool: ...
    def eval(self) -> ndarray: ...
    # NumPy's indexing, complete: integers, slices, None, Ellipsis, integer and boolean arrays or
    # lists, in any mixture. A full integer index gives a 0-d snapshot.
    def __getitem__(self, index: Any, /) -> ndarray: ...
    def __setitem__(self, index: Any, value: Any, /) -> None: ...
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def __int__(self) -> int: ...
    def __float__(self) -> float: ...
    def __complex__(self) -> complex: ...
    def __index__(self) -> int: ...
    def __hash__(self) -> int: ...  # 0-d only: the hash of the number
    # + - * / // % ** @-free arithmetic, divmod, & | ^ ~ << >>, comparisons, unary, reflected and
    # in-place forms are slots of the type; in-place ones check casting='same_kind'.
    #
    # The methods below with a leading underscore are the raw forms; heddle's Python layer gives
    # the NumPy-like ones.
    def _reshape(self, shape: Shape) -> ndarray: ...  # view if possible; one extent may be -1
    def _reshape_view(self, shape: Shape) -> ndarray | None: ...  # None where a copy is needed
    def _ravel(self) -> ndarray: ...  # view of a C-contiguous array, else a copy
    def _rebind(self, other: ndarray) -> None: ...  # this object becomes the other array
    def _transpose(self, axes: tuple[int, ...] | None) -> ndarray: ...
    def _broadcast_to(self, shape: Shape) -> ndarray: ...  # read-only view is not enforced
    def _view(self, dtype: Any) -> ndarray: ...  # the same bytes as another type
    def _strided(
        self, shape: Shape, strides: tuple[int, ...], offset: int
    ) -> ndarray: ...  # in bytes, from the first element; ValueError outside of the storage
    def _real(self) -> ndarray: ...  # views for complex arrays; itself for others
    def _imag(self) -> ndarray: ...  # view for complex arrays only
    def _copy(self, order: str) -> ndarray: ...  # 'K', 'C', 'F', 'A'
    def _astype(self, dtype: Any, order: str) -> ndarray: ...  # always a new array, unsafe casting
    def _to_device(self, device: str) -> ndarray: ...
    def _numpy(
        self,
    ) -> np.ndarray[Any, Any]: ...  # zero-copy view; memory becomes shared (exported)
    def _snapshot(self) -> np.ndarray[Any, Any]: ...  # a copy as a NumPy array
    def _to_numpy(self, order: str) -> np.ndarray[Any, Any]: ...  # a copy, from any device
    def _copy_into(self, out: np.ndarray[Any, Any], blocking: bool) -> None: ...
    @property
    def _on_host(self) -> bool: ...  # whether the host sees the memory
    def _place(self) -> ndarray: ...  # it is on its device because somebody asked for that
    def _shares_storage(self, other: ndarray) -> bool: ...
    def _offset(self) -> int: ...  # of the first element in the storage, in bytes
    def _read_only(self) -> ndarray: ...  # a view that refuses writes
    @property
    def _is_scalar(self) -> bool: ...  # 0-d, where NumPy gives a scalar
    @property
    def _c_contiguous(self) -> bool: ...
    @property
    def _f_contiguous(self) -> bool: ...
    @property
    def _writeable(self) -> bool: ...
    @_writeable.setter
    def _writeable(self, flag: bool) -> None: ...
    def _item(self) -> Scalar: ...  # Python number of a 1-element array

class ufunc:
    """An element-wise function of the op table. Called without keywords it runs in C++; keywords go
    to the function set by `set_ufunc_keywords`."""

    @property
    def name(self) -> str: ...
    @property
    def nin(self) -> int: ...
    @property
    def nout(self) -> int: ...
    @property
    def doc(self) -> str: ...
    @property
    def identity(self) -> Any: ...  # 0, 1, -1, -inf or None
    @property
    def types(self) -> list[str]: ...  # NumPy's notation: 'ff->f'
    @property
    def signature(self) -> str | None: ...  # of a generalized one
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

# name -> ufunc, for every row of the op table that is one, plus divmod, modf, frexp (two results)
ufuncs: dict[str, ufunc]
ufunc_aliases: dict[str, str]  # NumPy's second names: abs -> absolute
generalized_ufuncs: dict[str, ufunc]  # matmul, vecdot, matvec, vecmat

def set_constructor(function: Callable[..., ndarray]) -> None: ...  # ndarray(...)
def set_ufunc_keywords(function: Callable[..., Any]) -> None: ...  # function(ufunc, args, kwargs)
def set_generalized_call(function: Callable[..., Any]) -> None: ...  # the same of generalized ones
def resolve(
    u: ufunc, args: Sequence[ArrayLike], dtype: Any
) -> tuple[np.dtype[Any], np.dtype[Any]]: ...  # (computed in, result)
def apply(
    u: ufunc, args: Sequence[ArrayLike], dtype: Any
) -> ndarray | tuple[ndarray, ndarray]: ...  # dtype: to compute in, or None
def asarray(
    obj: ArrayLike, dtype: Any = None
) -> ndarray: ...  # ndarray passes through; others are copied in
def alias(
    a: np.ndarray[Any, Any], base: Any = None
) -> ndarray: ...  # shares NumPy's memory; ValueError where that is impossible

# axes: from the slowest to the fastest in memory; None for C's order.
def full(
    shape: Shape,
    value: Scalar,
    dtype: Any,
    device: str | None = None,
    axes: tuple[int, ...] | None = None,
) -> ndarray: ...
def empty(
    shape: Shape, dtype: Any, device: str | None = None, axes: tuple[int, ...] | None = None
) -> ndarray: ...
def index_along(shape: Shape, axis: int) -> ndarray: ...  # int64 index along an axis, lazily

# Words of Philox 4x64-10 from a counter on, lazily: uint64, or their halves as uint32.
def random_words(
    key: Sequence[int], counter: Sequence[int], shape: Shape, dtype: Any
) -> ndarray: ...
def random_words_at(
    key: Sequence[int], counter: Sequence[int], positions: ndarray, dtype: Any
) -> ndarray: ...
def drawn(a: ndarray, shape: Shape) -> ndarray: ...  # reshaped, and nobody's view
def unit_interval(words: ndarray) -> ndarray: ...  # NumPy's numbers in [0, 1)
def normal_deviate(words: ndarray) -> ndarray: ...
def log_gamma(x: Any) -> ndarray: ...
def poisson_quantile(mean: Any, u: Any) -> ndarray: ...
def binomial_quantile(n: Any, p: Any, u: Any) -> ndarray: ...
def select(
    condition: ArrayLike, x: ArrayLike, y: ArrayLike
) -> ndarray: ...  # where(c, x, y), NumPy promotion
def real(a: ndarray) -> ndarray: ...
def imag(a: ndarray) -> ndarray: ...
def make_complex(re: ndarray, im: ndarray) -> ndarray: ...
def common_type(*args: ArrayLike) -> np.dtype[Any]: ...  # result_type with weak Python scalars

# axes: tuple or None for all. dtype: what to compute in; None: NumPy's rule.
def reduce(
    u: ufunc, a: ndarray, axes: tuple[int, ...] | None, keepdims: bool, dtype: Any
) -> ndarray: ...
def mean(a: ndarray, axis: int | None, keepdims: bool) -> ndarray: ...
def argmin(a: ndarray, axes: tuple[int, ...] | None, keepdims: bool) -> ndarray: ...
def argmax(a: ndarray, axes: tuple[int, ...] | None, keepdims: bool) -> ndarray: ...
def accumulate(u: ufunc, a: ndarray, axis: int, dtype: Any) -> ndarray: ...
def write(
    target: ndarray, value: ndarray, mask: ndarray | None = None
) -> None: ...  # target[...] = value, where mask; casts unsafely
def update_at(
    u: ufunc, target: ndarray, index: Any, value: ndarray | None
) -> None: ...  # ufunc.at; value of the type to compute in
def nonzero(a: ndarray) -> tuple[ndarray, ...]: ...
def flat_nonzero(a: ndarray) -> ndarray: ...
def has_matmul(dtype: Any) -> bool: ...  # whether matrix_product takes this type
def matrix_product(a: ndarray, b: ndarray) -> ndarray: ...  # (..., m, k) times (..., k, n), by BLAS

# kind: "complex", "from_real" or "to_real"; one length for each axis, all axes distinct
def fourier(
    kind: str,
    a: ndarray,
    axes: Sequence[int],
    lengths: Sequence[int],
    forward: bool,
    scale: float,
) -> ndarray: ...
def fft_plans(device: int) -> tuple[int, int, int, int]: ...  # kept, at most, found, made
def set_fft_plans(device: int, plans: int) -> None: ...  # keep at most
def clear_fft_plans(device: int) -> None: ...
def sort(a: ndarray, axis: int) -> ndarray: ...
def argsort(a: ndarray, axis: int) -> ndarray: ...  # stable
def partition(a: ndarray, ranks: Sequence[int], axis: int) -> ndarray: ...  # ranks ascend
def argpartition(a: ndarray, ranks: Sequence[int], axis: int) -> ndarray: ...
def order_statistics(
    a: ndarray, ranks: Sequence[int]
) -> ndarray: ...  # what sorting along the last axis puts at these places, which ascend
def searchsorted(sorted: ndarray, values: ndarray, right: bool) -> ndarray: ...  # of one type
def take_in_rows(
    a: ndarray, indices: ndarray
) -> ndarray: ...  # along the last axis, row by row; indices in [0, extent), which nobody checks
def count_bins(
    bins: ndarray, count: int, weights: ndarray | None = None
) -> ndarray: ...  # how often each of [0, count) is there, or the sums of weights
def can_cast(from_: Any, to: Any, casting: str) -> bool: ...
def eval(*arrays: ndarray) -> None: ...
def synchronize() -> None: ...
def explain(*arrays: ndarray) -> str: ...
def stats() -> dict[str, int]: ...
def reset_stats() -> None: ...
def set_implicit_copy_hook(
    function: Callable[[str, tuple[int, ...]], object] | None,
) -> None: ...  # called before lists and NumPy arrays are copied to a device's memory
def devices() -> list[str]: ...
def default_device() -> str: ...
def set_default_device(device: str) -> None: ...
def set_scoped_device(device: str) -> None: ...  # of this thread, until changed again
def push_device(device: str) -> None: ...
def pop_device() -> None: ...
def pool(device: str) -> MemoryPool: ...
def version() -> str: ...
def cuda_array_interface(a: ndarray) -> tuple[dict[str, Any], Any]: ...  # and what holds it
def to_dlpack(a: ndarray, stream: int | None, versioned: bool, copied: bool) -> Any: ...
def from_dlpack(capsule: Any, base: Any) -> ndarray: ...
def protocol_stream(device: int) -> int: ...  # the current one, as the protocols number it

cuda: Any  # what heddle.cuda is made of
linalg: Any  # what heddle.linalg is made of

class MemoryPool:
    def used_bytes(self) -> int: ...
    def total_bytes(self) -> int: ...
    def free_bytes(self) -> int: ...
    def n_free_blocks(self) -> int: ...
    def free_all_blocks(self) -> None: ...
    def set_limit(self, size: int) -> None: ...  # 0: no limit
    def get_limit(self) -> int: ...
