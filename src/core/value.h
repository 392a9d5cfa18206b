// Value: an immutable array of one type and shape. Computed, it is a buffer: dense, in C order.
// Pending, it is an output of a node of some thread's graph (graph/node.h), which knows how to make
// it. It carries no operands: a computed Value is as small as it can be.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/buffer.h"
#include "core/recycled.h"
#include <heddle/dtype.h>
#include <heddle/export.h>
#include <heddle/layout.h>
#include <heddle/ref.h>

namespace heddle {

class Device;
class Graph;
struct Node;

class HEDDLE_API Value : public RefCounted, public Recycled<Value> {
 public:
  // With memory: computed, or about to be filled by its maker.
  static Ref<Value> with_buffer(Dtype dtype, Dims shape, Ref<Buffer> buffer);
  static void destroy(Value* value);

  // Any thread may ask. Once computed, a value stays so, and its buffer is there to be read.
  bool computed() const { return node_.load(std::memory_order_acquire) == nullptr; }
  std::int64_t size() const { return size_of(shape); }

  // For the graph's own code, and for those who look through its door (graph/look.h).
  const Ref<Buffer>& buffer() const { return buffer_; }
  // What makes it; null once computed. Stays there only while its graph is locked, or for the
  // thread that runs it.
  Node* node() const { return node_.load(std::memory_order_acquire); }
  // Whose node it was made by, also when it is computed; null for memory.
  Graph* graph() const { return graph_; }

  Dims shape;
  Device* device;
  Dtype dtype;
  std::uint8_t output = 0;  // which one of its node's
  bool held = false;        // counted in held_bytes()

 private:
  friend struct Node;
  friend struct NodeMaker;
  Value(Dtype dtype, Dims shape, Device& device);

  std::atomic<Node*> node_{nullptr};
  Graph* graph_ = nullptr;
  Ref<Buffer> buffer_;
};

// Memory of values that no storage holds any more and pending work still needs.
HEDDLE_API std::int64_t held_bytes();
// A storage lets go of a value.
void count_held(Value& value);

}  // namespace heddle
