"""Descriptions of arrays for copies of boxes by kernels (TMA)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from heddle.cuda.bindings import checked, driver

if TYPE_CHECKING:
    from heddle.cuda.core._device import Device

_TYPES = {
    "uint8": "UINT8",
    "uint16": "UINT16",
    "uint32": "UINT32",
    "int32": "INT32",
    "uint64": "UINT64",
    "int64": "INT64",
    "float16": "FLOAT16",
    "float32": "FLOAT32",
    "float64": "FLOAT64",
}


@dataclasses.dataclass
class TensorMapDescriptorOptions:
    """How boxes of an array are copied."""

    box_dim: Sequence[int] = ()
    element_strides: Sequence[int] | None = None
    data_type: Any = None
    interleave: str = "NONE"
    swizzle: str = "NONE"
    l2_promotion: str = "NONE"
    oob_fill: str = "NONE"


class TensorMapDescriptor:
    """What a kernel copies boxes of an array with; an argument of type CUtensorMap."""

    def __init__(self) -> None:
        raise RuntimeError("descriptors are made by StridedMemoryView.as_tensor_map")

    _map: Any
    _view: Any

    @classmethod
    def _tiled(cls, view: Any, options: Any = None, **named: Any) -> TensorMapDescriptor:
        given = options or TensorMapDescriptorOptions(**named)
        kinds = driver.CUtensorMapDataType
        kind = given.data_type
        if kind is None:
            kind = kinds[f"CU_TENSOR_MAP_DATA_TYPE_{_TYPES[view.dtype.name]}"]
        shape = view.shape[::-1]
        steps, step = [], 1
        for extent in shape:
            steps.append(step)
            step *= extent
        if view.strides is not None:
            steps = list(view.strides[::-1])
        if steps[0] != 1:
            raise ValueError("elements along the last axis have to be neighbours")
        rank = len(shape)
        box = [int(n) for n in given.box_dim][::-1]
        if len(box) != rank:
            raise ValueError(f"box_dim has {len(box)} extents, the array {rank}")
        ones = given.element_strides or [1] * rank
        size = view.dtype.itemsize
        made = cls.__new__(cls)
        made._view = view
        made._map = checked.cuTensorMapEncodeTiled(
            kind,
            rank,
            view.ptr,
            list(shape),
            [s * size for s in steps[1:]],
            box,
            [int(n) for n in ones][::-1],
            driver.CUtensorMapInterleave[f"CU_TENSOR_MAP_INTERLEAVE_{given.interleave}"],
            driver.CUtensorMapSwizzle[f"CU_TENSOR_MAP_SWIZZLE_{given.swizzle}"],
            driver.CUtensorMapL2promotion[f"CU_TENSOR_MAP_L2_PROMOTION_{given.l2_promotion}"],
            driver.CUtensorMapFloatOOBfill[f"CU_TENSOR_MAP_FLOAT_OOB_FILL_{given.oob_fill}"],
        )
        return made

    @property
    def device(self) -> Device:
        """The device of the array."""
        from heddle.cuda.core._device import Device

        return Device(self._view.device_id)

    def replace_address(self, tensor: object) -> None:
        """Another array of the same shape and type."""
        from heddle.cuda.core.utils import _viewed

        view = _viewed(tensor)
        if view.shape != self._view.shape or view.dtype != self._view.dtype:
            raise ValueError("the array has another shape or type")
        checked.cuTensorMapReplaceAddress(self._map, view.ptr)
        self._view = view

    def _as_kernel_argument(self) -> Any:
        return self._map
