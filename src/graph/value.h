// Value: an immutable array of one type and shape. Computed, it is a buffer: dense, in C order.
// Pending, it is an output of a node of some thread's graph (graph/node.h), which knows how to make
// it. It carries no operands: a computed Value is as small as it can be.
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>

#include "core/recycled.h"
#include "runtime/buffer.h"
#include <heddle/dtype.h>
#include <heddle/export.h>
#include <heddle/layout.h>
#include <heddle/ref.h>

namespace heddle {

class Device;
class Graph;
struct Node;

// A shape, in the layout of a dense array of it, which the array of a value shares.
class Shape {
 public:
  Shape() = default;
  Shape(const Dims& dims) : dense_(SharedLayout::contiguous(dims)) {}
  Shape(std::initializer_list<std::int64_t> dims) : Shape(Dims(dims)) {}
  operator const Dims&() const { return dense_->shape; }
  const SharedLayout& dense() const { return dense_; }

  std::int64_t size() const { return dense_->shape.size(); }
  bool empty() const { return dense_->shape.empty(); }
  const std::int64_t& operator[](std::int64_t i) const { return dense_->shape[i]; }
  const std::int64_t& back() const { return dense_->shape.back(); }
  const std::int64_t* begin() const { return dense_->shape.begin(); }
  const std::int64_t* end() const { return dense_->shape.end(); }
  friend bool operator==(const Shape& a, const Shape& b) { return a.dense_ == b.dense_; }
  friend bool operator==(const Shape& a, const Dims& b) { return a.dense_->shape == b; }

 private:
  SharedLayout dense_;
};

class HEDDLE_API Value : public RefCounted, public Recycled<Value> {
 public:
  // With memory: computed, or about to be filled by its maker.
  static Ref<Value> with_buffer(Dtype dtype, Shape shape, Ref<Buffer> buffer);
  static void destroy(Value* value);
  ~Value();

  // Any thread may ask. Once computed, a value stays so, and its buffer is there to be read.
  bool computed() const { return (source_.load(std::memory_order_acquire) & pending) == 0; }
  std::int64_t size() const { return size_of(shape); }

  // Whoever has a graph locked may take references to values that are pending in it.
  bool drop() const {  // NOLINT(bugprone-derived-method-shadowing-base-method)
    return computed() ? RefCounted::drop() : drop_watched();
  }

  // For the graph's own code, and for those who look through its door (graph/look.h). Of computed
  // values.
  const Ref<Buffer>& buffer() const { return buffer_; }
  // What makes it; null once computed. Stays there only while its graph is locked, or for the
  // thread that runs it.
  Node* node() const {
    const auto source = source_.load(std::memory_order_acquire);
    return source & pending ? reinterpret_cast<Node*>(source - pending) : nullptr;
  }
  // Whose node it was made by, also when it is computed; null for memory.
  Graph* graph() const { return graph_; }

  Dtype dtype;
  std::uint8_t output = 0;  // which one of its node's
  bool held = false;        // counted in held_bytes()
  bool numbered = false;    // somebody has a number for it: see graph/numbering.h
  Shape shape;
  Device* device;

 private:
  friend struct Node;
  friend struct NodeMaker;
  Value(Dtype dtype, Shape shape, Device& device);
  void set_node(Graph& graph, Node& node);
  void set_buffer(Ref<Buffer> buffer);  // in the place of the node

  static constexpr std::uintptr_t pending = 1;
  Graph* graph_ = nullptr;
  // The address of the node, plus `pending`, or of the buffer: one word, so that whoever looks sees
  // one or the other.
  union {
    std::atomic<std::uintptr_t> source_{0};
    Ref<Buffer> buffer_;
  };
};

// Memory of values that no storage holds any more and pending work still needs.
HEDDLE_API std::int64_t held_bytes();
// A storage lets go of a value.
void count_held(Value& value);

}  // namespace heddle
