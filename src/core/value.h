// Value: an immutable node of the graph. It knows its type and shape and either the operation that
// makes it, with its operands, or, once computed, the buffer that holds it: dense, in C order.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/buffer.h"
#include "core/recycled.h"
#include "kernel/ir.h"
#include <heddle/dtype.h>
#include <heddle/export.h>
#include <heddle/layout.h>
#include <heddle/op_table.h>
#include <heddle/ref.h>

namespace heddle {

class Value;
class Device;

// What a Value reads. A scalar (no value), or a Value through a layout.
struct Operand {
  Ref<Value> value;
  Dtype dtype = Dtype::bool_;  // type the elements are read as; differs from value->dtype in views
  // Layout over the iteration space of the reader; null when the reader's space is value->shape
  // itself, element for element.
  std::unique_ptr<Layout> layout;
  kernel::ScalarBits scalar;
};

enum class NodeKind : std::uint8_t {
  data,         // has a buffer
  elementwise,  // op(operands)
  reduce,       // combine over the axes in `axes`
  argreduce,    // op argmin or argmax over the axes in `axes`
  scan,         // running combine along the axis in `axes`
  index,        // the index along the axis in `axes`, int64
  random,       // words of a random stream, at the positions of the elements in C order: operands
                // are its key and counter (three scalars)
  gather,       // operands[0] at the positions operands[1...], see `params`
  update,       // operands[0] with operands[1] written through `target`; see write.h
};

class HEDDLE_API Value : public RefCounted, public Recycled<Value> {
 public:
  // Making a pending node needs the graph to be locked.
  Value(NodeKind kind, Dtype dtype, Dims shape, Device& device);
  static void destroy(Value* value);

  // A node with memory: computed, or about to be filled by its maker.
  static Ref<Value> with_buffer(Dtype dtype, Dims shape, Ref<Buffer> buffer);

  bool computed() const { return kind == NodeKind::data; }
  std::int64_t size() const { return size_of(shape); }
  // Turns a pending node into a computed one; its operands go.
  void complete(Ref<Buffer> result);

  NodeKind kind;
  Op op = Op::cast;      // elementwise, argreduce
  Op combine = Op::add;  // reduce, scan
  Dtype dtype;
  std::uint8_t operand_count = 0;
  std::uint32_t pending = 0;  // pending work below and including this node, in cheap operations
  std::int64_t held = 0;      // bytes that only pending work keeps alive, see held_bytes()
  std::int32_t mark = -1;     // position in the plan being made; -1 outside of planning
  std::uint64_t axes = 0;
  Dims shape;
  Device* device;
  Ref<Buffer> buffer;
  Operand* operands = inline_operands;  // operand_count of them
  // gather: [extent, stride] per index operand. update: same, for indices that follow operand 1.
  Dims params;
  std::unique_ptr<Layout> target;  // update: where in the storage; masked: last operand is a mask
  Dtype target_dtype = Dtype::bool_;  // update: type that the target is written as
  bool masked = false;
  bool accumulates = false;  // update: op(what is there, operand 1) instead of operand 1, in order

  // All pending nodes, oldest first.
  Value* previous = nullptr;
  Value* next = nullptr;

  // Takes the operands over, moving from the range.
  void set_operands(std::span<Operand> list);
  void set_operands(std::vector<Operand>&& list) { set_operands(std::span(list)); }

 private:
  static constexpr int inline_count = 3;
  Operand inline_operands[inline_count];
  std::unique_ptr<Operand[]> more_operands_;
  void clear_operands();
};

// The oldest pending node, or null. Guarded by graph_mutex().
Value* first_pending();
std::int64_t pending_count();
// Called when a value with held bytes goes.
void forget_held(Value& value);
// Destroys nodes that died while the graph was locked by another thread. The graph is locked.
void bury_values();

}  // namespace heddle
