"""Records in kernels: their fields are arrays with strides in bytes."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from heddle._typing import DType, DTypeLike
from heddle.simt._elements import Elements
from heddle.simt._operations import describe
from heddle.simt._types import (
    NAMES,
    SIZES,
    Array,
    Constant,
    Num,
    Number,
    Record,
    RecordArray,
    Slice,
    Tuple,
    is_new_or_rest,
)


class Fields(Elements):
    """An array of records is one of bytes, with one more axis."""

    def field_of(self, records: RecordArray, name: str, node: ast.AST) -> RecordArray | Array:
        """A field of all records: an array, or again records."""
        fields = records.dtype.fields
        if fields is None or name not in fields:
            known = ", ".join(records.dtype.names or ())
            raise self.error(node, f"the records have no field '{name}', but {known}")
        dtype, offset = fields[name][0], fields[name][1] + records.at
        if dtype.names is not None:
            return RecordArray(records.bytes, dtype, offset, records.itemsize)
        own = dtype.shape
        base = dtype.base
        if base.name not in NAMES or not base.isnative:
            raise self.error(node, f"the field '{name}' is of a type that kernels have not: {base}")
        number = NAMES.index(base.name)
        key = (records.bytes.number, offset, number, own)
        if key in self.fields:
            return self.fields[key]
        bytes_ = records.bytes
        size = SIZES[number] // (2 if base.kind == "c" else 1)
        alignment = math.gcd(size, offset, records.itemsize)
        made = Array(
            len(self.program.arrays),
            number,
            bytes_.ndim - 1 + len(own),
            bytes_.root,
            bytes_.space,
            name=bytes_.name,
            extents=(*bytes_.extents[:-1], *own) if bytes_.extents else (),
            numpys=bytes_.numpys,
            of=bytes_.number,
            field=(offset, alignment, own),
            in_bytes=True,
            fresh=True,
        )
        self.program.arrays.append(made)
        self.fields[key] = made
        return made

    def record_attribute(self, records: RecordArray, name: str, node: ast.AST) -> Any:
        """What an array of records is asked for: a field, or what all arrays have."""
        if records.dtype.fields is not None and name in records.dtype.fields:
            return self.field_of(records, name, node)
        bytes_ = records.bytes
        extents = [self.extent(bytes_, axis) for axis in range(bytes_.ndim - 1)]
        if name == "shape":
            return Tuple(list(extents))
        if name == "ndim":
            return self.constant(len(extents))
        if name == "dtype":
            return Constant(records.dtype)
        if name == "itemsize":
            return self.constant(records.dtype.itemsize)
        if name == "strides":
            return Tuple([self.stride(bytes_, axis) for axis in range(bytes_.ndim - 1)])
        if name in ("size", "nbytes"):
            size = self.constant(records.dtype.itemsize if name == "nbytes" else 1)
            for extent in extents:
                size = self.binary(ast.Mult(), size, extent, node)
            return size
        raise self.error(node, f"arrays of records have no '{name}' in kernels")

    def records_at(self, records: RecordArray, items: Sequence[object], node: ast.AST) -> Any:
        """What an index gives: a field, a record, or a view of records."""
        if len(items) == 1 and isinstance(items[0], Constant) and isinstance(items[0].value, str):
            return self.field_of(records, items[0].value, node)
        ndim = records.bytes.ndim - 1
        whole = all(isinstance(item, Num) for item in items)
        if whole and len(items) == ndim:
            indices = [
                self.temporary(self.integer(item, node, "as an index"), node) for item in items
            ]
            return Record(records, indices)
        given = sum(1 for i in items if not is_new_or_rest(i))
        if given > ndim:
            raise self.error(node, f"{given} indices for an array with {ndim} dimensions")
        left = [Slice(None, None, None)] * (ndim - given)
        spread: list[Any] = []
        for item in items:
            if isinstance(item, Constant) and item.value is ...:
                spread += left
                left = []
            else:
                spread.append(item)
        view = self.sliced(records.bytes, [*spread, *left, Slice(None, None, None)], node)
        return RecordArray(view, records.dtype, records.at, records.step)

    def field_of_record(self, record: Record, name: str, node: ast.AST) -> Any:
        """A field of one record: a number, an array, or a record."""
        field = self.field_of(record.of, name, node)
        if isinstance(field, RecordArray):
            return Record(field, record.indices)
        return self.element(field, list(record.indices), node)

    def set_field(self, record: Record, name: str, value: object, node: ast.AST) -> None:
        field = self.field_of(record.of, name, node)
        if isinstance(field, RecordArray):
            self.set_record(Record(field, record.indices), value, node)
        elif field.ndim == len(record.indices):
            number = self.number(value, node, "as a field")
            self.store(field, list(record.indices), number, node)
        else:
            self.fill(self.sliced(field, list(record.indices), node), value, node)

    def set_record(self, record: Record, value: object, node: ast.AST) -> None:
        """All fields of a record: of another one, or of as many values."""
        names = record.of.dtype.names or ()
        if isinstance(value, Record):
            if value.of.dtype.names != names:
                raise self.error(node, "the records have other fields")
            values = []
            for name in names:
                one = self.field_of_record(value, name, node)
                values.append(self.temporary(one, node) if isinstance(one, Num) else one)
        elif isinstance(value, Tuple) and len(value.items) == len(names):
            values = value.items
        else:
            raise self.error(node, f"a record of {len(names)} fields cannot be {describe(value)}")
        for name, one in zip(names, values, strict=True):
            self.set_field(record, name, one, node)

    def fill(self, view: Array, value: object, node: ast.AST) -> None:
        raise NotImplementedError

    def constant_array(self, value: object, node: ast.AST) -> Any:
        known = np.asarray(value)
        if known.dtype.names is None:
            return super().constant_array(known, node)
        made = self.record_memory("local", known.shape or (1,), known.dtype)
        for place, record in np.ndenumerate(known.reshape(known.shape or (1,))):
            one = Record(made, [self.constant(i) for i in place])
            self._set_constants(one, record, node)
        return made

    def _set_constants(self, record: Record, value: Any, node: ast.AST) -> None:
        for name in record.of.dtype.names:
            field = self.field_of(record.of, name, node)
            if isinstance(field, RecordArray):
                self._set_constants(Record(field, record.indices), value[name], node)
                continue
            for place, item in np.ndenumerate(np.asarray(value[name])):
                indices = [*record.indices, *(self.constant(i) for i in place)]
                number = self.constant(item.item(), Number(field.dtype))
                self.store(field, indices, number, node)

    def name_of_field(self, value: Record, index: object, node: ast.AST) -> str:
        """The field that an index of a record says: by its name, or its number."""
        if isinstance(index, Constant) and isinstance(index.value, str):
            return index.value
        names = value.of.dtype.names
        number = self.known_integer(index, node, "the number of a field")
        if not -len(names) <= number < len(names):
            raise self.error(node, f"a record of {len(names)} fields has no field {number}")
        return str(names[number])

    def record_memory(self, space: str, extents: tuple[int, ...], dtype: DType) -> RecordArray:
        """Memory of a block or of a thread for records; (0,): what the launch gives."""
        kind = "dynamic" if extents == (0,) else space
        number = len(self.program.arrays)
        uint8 = NAMES.index("uint8")
        whole = (*extents, dtype.itemsize)
        made = Array(number, uint8, len(whole), number, kind, space)
        if kind != "dynamic":
            made.extents = whole
        else:
            made.record_bytes = dtype.itemsize
        self.program.arrays.append(made)
        return RecordArray(made, dtype)


def record_type(value: DTypeLike) -> DType | None:
    """The type of records that a constant of a program stands for; None for all else."""
    found = getattr(value, "_simt_record", value)
    return found if isinstance(found, np.dtype) and found.names is not None else None
