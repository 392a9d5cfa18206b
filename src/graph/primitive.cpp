#include "graph/primitive.h"

#include "graph/copies.h"
#include "graph/node.h"
#include "graph/node_facts.h"

namespace heddle {

namespace {
const Operand& operand_of(const Node& node, int operand) { return node.operands[operand]; }
}  // namespace

Device& LibraryCall::device() const { return node_.device(); }

Buffer& LibraryCall::buffer(int operand) const {
  return *operand_of(node_, operand).value->buffer();
}

void* LibraryCall::data(int operand) const {
  const Operand& read = operand_of(node_, operand);
  auto* base = static_cast<char*>(read.value->buffer()->data());
  return read.layout ? base + read.layout->offset * itemsize(read.dtype) : base;
}

const Layout& LibraryCall::layout(int operand) const {
  const Operand& read = operand_of(node_, operand);
  if (read.layout) return *read.layout;
  return read.value->shape.dense();
}

Ref<Buffer> LibraryCall::take(int operand) const {
  const Value& value = *operand_of(node_, operand).value;
  if (value.references() == 1 && !value.buffer()->foreign()) return value.buffer();
  auto copy = Buffer::allocate(device(), value.buffer()->bytes());
  graph::copy_all(*value.buffer(), *copy);
  return copy;
}

bool LibraryCall::wants(int output) const {
  return node_.outputs()[static_cast<std::size_t>(output)] != nullptr;
}

Buffer& LibraryCall::make(int output) const {
  const Value& value = *node_.outputs()[static_cast<std::size_t>(output)];
  auto& made = outputs_[static_cast<std::size_t>(output)];
  made = Buffer::allocate(device(), graph::bytes_of(value));
  return *made;
}

}  // namespace heddle
