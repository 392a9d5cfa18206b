"""Arrays in host functions: parts of complex numbers, other types, how and where elements lie."""

from __future__ import annotations

import ast
from typing import Any

from heddle.simt._held import HeldArrays
from heddle.simt._types import (
    COMPLEX64,
    COMPLEX128,
    FLOAT32,
    FLOAT64,
    SIZES,
    Array,
    Flags,
    Flat,
    Num,
    Number,
    Part,
    is_complex,
)
from heddle.simt._whole import Whole

COMPLEX_PARTS = {COMPLEX64: FLOAT32, COMPLEX128: FLOAT64}


class Views(HeldArrays, Whole):
    """What arrays are asked for beside their elements."""

    def viewed_as(self, array: Array, dtype: int, node: ast.AST) -> Array:
        """x.view(dtype): the same bytes."""
        before, after = SIZES[array.dtype], SIZES[dtype]
        shape, strides = self._shape(array), self._strides(array)
        if before != after and not array.ndim:
            raise self.error(node, "an array without dimensions has views of types of its size")
        if before != after:
            size = self.apply("multiply", [shape[-1], self.constant(before)], node)
            rest = self.apply("remainder", [size, self.constant(after)], node)
            said = "When changing to a larger dtype, its size must be a divisor of the total size"
            self.need_equal(rest, self.constant(0), ValueError, said, node)
            said = "To change to a dtype of a different size, the last axis must be contiguous"
            self.need_equal(strides[-1], self.constant(1), ValueError, said, node)
            shape[-1] = self.apply("floor_divide", [size, self.constant(after)], node)
            strides = [*(self._resized(n, before, after, node) for n in strides[:-1]), strides[-1]]
        unit = self.is_unit(array) or before != after
        return self.recast(array, dtype, Part(self.constant(0), shape, strides, unit), node)

    def _strides(self, array: Array) -> list[Num]:
        return [self.stride(array, axis) for axis in range(array.ndim)]

    def _resized(self, stride: Num, before: int, after: int, node: ast.AST) -> Num:
        size = self.apply("multiply", [stride, self.constant(before)], node)
        return self.apply("floor_divide", [size, self.constant(after)], node)

    def strided(self, array: Array, shape: list[Any], strides: list[Any], node: ast.AST) -> Array:
        """Elements at any strides of bytes: nobody knows whether there are such."""
        size = self.constant(SIZES[array.dtype])
        extents = [self.temporary(self.integer(n, node, "in a shape"), node) for n in shape]
        steps = [self.integer(n, node, "in strides") for n in strides]
        if len(extents) != len(steps):
            raise self.error(node, "as_strided takes as many strides as extents")
        counted = [self.apply("floor_divide", [n, size], node) for n in steps]
        return self.view(array, Part(self._offset(array), extents, counted, False), node)

    def array_attribute(self, array: Array, name: str, node: ast.AST) -> Any:
        if name in ("real", "imag"):
            if not is_complex(array.dtype):
                if name == "real":
                    return array
                zero = self.constant(0, Number(array.dtype))
                return self.elementwise(lambda n: zero, [array], node)
            part = COMPLEX_PARTS[array.dtype]
            strides = [
                self.apply("multiply", [n, self.constant(2)], node) for n in self._strides(array)
            ]
            offset = self.constant(SIZES[part] if name == "imag" else 0)
            return self.recast(array, part, Part(offset, self._shape(array), strides, False), node)
        if name == "flags":
            return Flags(array)
        if name == "flat":
            return Flat(array)
        return super().array_attribute(array, name, node)

    def attribute(self, value: Any, node: ast.Attribute) -> Any:
        if isinstance(value, Flags):
            if node.attr not in ("c_contiguous", "f_contiguous", "contiguous"):
                raise self.error(
                    node, "of flags c_contiguous, f_contiguous and contiguous are known"
                )
            return self.contiguous(value.array, node.attr != "f_contiguous", node)
        return super().attribute(value, node)

    def contiguous(self, array: Array, c_order: bool, node: ast.AST) -> Num:
        """Whether elements follow one another."""
        shape, strides = self._shape(array), self._strides(array)
        made, step = self.constant(True), self.constant(1)
        empty = self.constant(False)
        for axis in range(array.ndim)[::-1] if c_order else range(array.ndim):
            single = self.apply("equal", [shape[axis], self.constant(1)], node)
            fits = self.apply("equal", [strides[axis], step], node)
            fits = self.apply("logical_or", [single, fits], node)
            made = self.apply("logical_and", [made, fits], node)
            none = self.apply("equal", [shape[axis], self.constant(0)], node)
            empty = self.apply("logical_or", [empty, none], node)
            step = self.apply("multiply", [step, shape[axis]], node)
        return self.apply("logical_or", [made, empty], node)

    def place_in(self, flat: Flat, index: object, node: ast.AST) -> list[Num]:
        """Where the elements of an array have a number, which may count from the end."""
        shape = [self.temporary(n, node) for n in self._shape(flat.array)]
        count = self.constant(1)
        for extent in shape:
            count = self.apply("multiply", [count, extent], node)
        count = self.temporary(count, node)
        rest = self.temporary(self.integer(index, node, "as an index"), node)
        negative = self.apply("less", [rest, self.constant(0)], node)
        rest = self.select(negative, self.apply("add", [rest, count], node), rest, node)
        rest = self.temporary(rest, node)
        outside = [
            self.apply("less", [rest, self.constant(0)], node),
            self.apply("greater_equal", [rest, count], node),
        ]
        said = ("index is out of bounds for the elements of the array",)
        self.fail(IndexError, said, node, self.apply("logical_or", outside, node))
        made: list[Num] = []
        for extent in reversed(shape[1:]):
            one = self.apply("maximum", [extent, self.constant(1)], node)
            made.insert(0, self.temporary(Whole.apply(self, "remainder", [rest, one], node), node))
            rest = self.temporary(Whole.apply(self, "floor_divide", [rest, one], node), node)
        return [rest, *made] if shape else []

    def item_of(self, value: object, node: ast.Subscript) -> Any:
        if isinstance(value, Flat):
            index = self.expression(node.slice)
            return self.element(value.array, self.place_in(value, index, node), node)
        return super().item_of(value, node)

    def _assign_element(self, target: ast.Subscript, value: object) -> None:
        owner = target.value
        if isinstance(owner, ast.Attribute) and owner.attr == "flat":
            flat = self.expression(owner)
            if isinstance(flat, Flat):
                number = self.temporary(self.number(value, target, "as an element"), target)
                places = self.place_in(flat, self.expression(target.slice), target)
                self.store(flat.array, places, number, target)
                return
        super()._assign_element(target, value)
