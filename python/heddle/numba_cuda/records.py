"""Records on the device by Numba's names."""

from __future__ import annotations

from typing import Any

import numpy as np

import heddle as hd
from heddle._typing import DTypeLike, HostArray
from heddle.simt._records import bytes_of, key_of


class DeviceRecords:
    """Records on the current device: an array of them, or one.

    Parts of it share its memory, as NumPy's do. A field that is one number is given as a number.
    """

    def __init__(self, shape: tuple[int, ...], dtype: DTypeLike) -> None:
        self._have(hd.zeros((*shape, np.dtype(dtype).itemsize), np.uint8), np.dtype(dtype))

    def _have(self, memory: hd.ndarray, dtype: np.dtype[Any]) -> None:
        self.shape, self.dtype, self._bytes = memory.shape[:-1], dtype, memory

    @staticmethod
    def _of(memory: hd.ndarray, dtype: np.dtype[Any]) -> DeviceRecords:
        made = DeviceRecords.__new__(DeviceRecords)
        made._have(memory, dtype)
        return made

    @property
    def _simt_records(self) -> tuple[str, Any]:
        return key_of(self.dtype), self._bytes

    @property
    def size(self) -> int:
        """How many records there are."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("one record has no length")
        return self.shape[0]

    def copy_to_host(self, ary: HostArray | None = None, stream: object = 0) -> HostArray:
        """A copy in NumPy's memory, or in `ary`."""
        found = self._host()
        if ary is None:
            return found if self.shape else found[()]
        ary[...] = found
        return ary

    def copy_to_device(self, ary: object, stream: object = 0) -> None:
        """Takes the records of an array."""
        given = np.asarray(ary, dtype=self.dtype)
        self._bytes[...] = hd.asarray(bytes_of(np.broadcast_to(given, self.shape).copy()))

    def _host(self) -> HostArray:
        return np.ascontiguousarray(hd.asnumpy(self._bytes)).view(self.dtype)[..., 0]

    def _field(self, name: str) -> tuple[hd.ndarray, np.dtype[Any]]:
        """The memory of a field, with one more axis, and its type."""
        fields = self.dtype.fields
        if fields is None or name not in fields:
            raise KeyError(f"no field of name {name}")
        dtype, offset = fields[name][:2]
        return self._bytes[..., offset : offset + dtype.itemsize], dtype

    def __getitem__(self, item: Any) -> Any:
        if not isinstance(item, str):
            return DeviceRecords._of(self._bytes[_within(item)], self.dtype)
        from heddle.numba_cuda.arrays import on_device

        memory, dtype = self._field(item)
        base, shape = dtype.base, dtype.shape
        memory = memory.reshape((*self.shape, *shape, base.itemsize)) if shape else memory
        if base.names is not None:
            return DeviceRecords._of(memory, base)
        if memory.ndim == 1 or base.kind in "SUMm":  # one number, or what arrays of ours have not
            found = self._host()[item]
            return found if found.ndim else found[()]
        return on_device(memory.view(base)[..., 0])

    def __setitem__(self, key: Any, value: Any) -> None:
        if not isinstance(key, str):
            self[key].copy_to_device(value.copy_to_host() if _is_ours(value) else value)
            return
        memory, dtype = self._field(key)
        given = np.empty(self.shape, [("field", dtype)])
        given["field"] = value.copy_to_host() if _is_ours(value) else hd.asnumpy(value)
        memory[...] = hd.asarray(bytes_of(given))


def _within(item: int | slice) -> Any:
    """An index of records as one of their bytes: the last axis is not asked for."""
    return (*item, slice(None)) if isinstance(item, tuple) and Ellipsis in item else item


def _is_ours(value: object) -> bool:
    return hasattr(value, "copy_to_host")
