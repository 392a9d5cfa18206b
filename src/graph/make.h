// The one maker of pending nodes: limits are enforced here, numbers and fills are folded here, and
// recorders hear of every node here.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "graph/node.h"
#include <heddle/layout.h>

namespace heddle {

class Storage;

// A number of a type.
struct Number {
  Dtype dtype = Dtype::bool_;
  kernel::ScalarBits bits;
};

namespace graph {

// A node whose parameters are still to be set: kind, op, axes and so on, not its operands.
using Draft = std::unique_ptr<Node>;
inline Draft draft(NodeKind kind) { return std::make_unique<Node>(kind); }
inline Draft draft(const Primitive& primitive) {
  Draft made = draft(NodeKind::library);
  made->primitive = &primitive;
  return made;
}
template <class P>
Draft draft(const Primitive& primitive, P&& parameters) {
  Draft made = draft(primitive);
  made->parameters = std::make_shared<const std::decay_t<P>>(std::forward<P>(parameters));
  return made;
}
// One with the same parameters, to be made again.
HEDDLE_API Draft draft_like(const Node& node);

// The value that a node makes. Takes the operands over.
HEDDLE_API Ref<Value> make(Draft node, Dtype dtype, const Shape& shape, Device& device,
                           std::span<Operand> operands);
// The same of an element-wise operation.
HEDDLE_API Ref<Value> make(Op op, Dtype dtype, const Shape& shape, Device& device,
                           std::span<Operand> operands);
// The same as the new contents of a storage: what was there before is let go of first, so that its
// memory may be taken over.
HEDDLE_API void make_into(Storage& storage, Draft node, std::span<Operand> operands);
// A node with several outputs, which `made` has room for.
struct OutputType {
  Dtype dtype;
  Dims shape;
};
HEDDLE_API void make_all(Draft node, std::span<const OutputType> outputs, Device& device,
                         std::span<Operand> operands, std::span<Ref<Value>> made);
// A value of one axis whose extent is known only when its step has run, `most` at the most: it runs
// here, and the memory that it gives says how many elements there are. Recorders hear a look.
HEDDLE_API Ref<Value> make_sized(Draft node, Dtype dtype, std::int64_t most, Device& device,
                                 std::span<Operand> operands);

// What makes values that have a shape and no elements: recorders give them to functions in the
// place of arrays. Whatever depends on one is a stand-in, too.
extern HEDDLE_API const Primitive stand_in;

// A value through a layout over the reader's space: no layout where it is read element for element.
HEDDLE_API Operand reading(Ref<Value> value, Dtype dtype, const SharedLayout& layout);
// Another value through the same layout; none of a number.
HEDDLE_API Operand reading_like(const Operand& operand, Ref<Value> value);
// A number.
HEDDLE_API Operand number(const Number& number);

// The number that fills a pending value, if that is all there is to it.
HEDDLE_API std::optional<Number> fill_of(const Value& value);

}  // namespace graph
}  // namespace heddle
