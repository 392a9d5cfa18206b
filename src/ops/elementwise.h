// Element-wise operations on arrays: type resolution, broadcasting, memory order, and the node.
#pragma once

#include <span>
#include <variant>

#include "core/op_types.h"
#include <heddle/array.h>
#include <heddle/op_table.h>

namespace heddle {

// An operand of an operation: an array, or a weak scalar.
struct Input {
  Input(const array& a) : array_(&a) {}
  Input(const Scalar& s) : scalar_(&s) {}
  const array* array_ = nullptr;
  const Scalar* scalar_ = nullptr;
  bool is_scalar() const { return scalar_ != nullptr; }
  // Whether its type yields to those of others.
  bool is_weak() const { return scalar_ || array_->weak(); }
  // Whether it is an array with a storage: numbers have a type, but are nowhere.
  bool has_storage() const { return array_ && !array_->number(); }
};

struct Number;
HEDDLE_API array to_array(const Number& number);
// The number that fills a pending array, if that is all there is to it.
std::optional<Number> constant(const array& a);
// The element of a 0-d array, where the host sees it without waiting for anything.
HEDDLE_API std::optional<Number> known_number(const array& a);

struct Resolution {
  Dtype compute;  // what operands are converted to
  Dtype result;
};

// The types an operation computes in and gives for these operands; throws type_error.
HEDDLE_API Resolution resolve(Op op, std::span<const Input> inputs,
                              std::optional<Dtype> dtype = std::nullopt);
// The row that computes an operation of these operands: itself, or that for whole numbers.
HEDDLE_API Op row_for(Op op, std::span<const Input> inputs,
                      std::optional<Dtype> dtype = std::nullopt);
// NumPy's result_type: arrays and weak scalars.
HEDDLE_API Dtype common_type(std::span<const Input> inputs);

HEDDLE_API array elementwise(Op op, std::span<const Input> inputs,
                             std::optional<Dtype> dtype = std::nullopt);
inline array elementwise(Op op, std::initializer_list<Input> inputs,
                         std::optional<Dtype> dtype = std::nullopt) {
  return elementwise(op, std::span<const Input>(inputs.begin(), inputs.size()), dtype);
}
// With the types already decided: operands are cast to `compute` (select: but the condition).
// `memory` says how the result lies in memory: as the operands do, or in C order.
enum class Order : std::uint8_t { keep, c };
HEDDLE_API array elementwise_as(Op op, std::span<const Input> inputs, Dtype compute, Dtype result,
                                Order memory = Order::keep);

// Of two real arrays: complex64 where float32 holds the elements of both, else complex128.
HEDDLE_API array make_complex(const array& re, const array& im);

// A copy of another type (or the same); never elided.
HEDDLE_API array cast(const array& a, Dtype dtype);
// The same in C order, in a storage of its own.
HEDDLE_API array dense(const array& a, Dtype dtype);

}  // namespace heddle
