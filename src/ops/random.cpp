#include "ops/random.h"

#include <fmt/format.h>

#include "core/storage.h"
#include "core/value.h"
#include "graph/graph.h"
#include "ops/deferred.h"
#include "ops/elementwise.h"
#include <heddle/errors.h>

namespace heddle {

namespace {

void check_word(Dtype dtype) {
  if (dtype == Dtype::uint64 || dtype == Dtype::uint32) return;
  throw type_error(fmt::format("random words are uint64 or uint32, not {}", name(dtype)));
}

std::vector<Operand> operands_of(const RandomStream& stream) {
  std::vector<Operand> operands(3);
  for (Operand& operand : operands) operand.dtype = Dtype::uint64;
  operands[0].scalar = {{stream.key[0], stream.key[1]}};
  operands[1].scalar = {{stream.counter[0], stream.counter[1]}};
  operands[2].scalar = {{stream.counter[2], stream.counter[3]}};
  return operands;
}

}  // namespace

array random_words(const RandomStream& stream, const Dims& shape, Dtype dtype, Device& device) {
  check_word(dtype);
  std::lock_guard lock(graph_mutex());
  Ref<Value> node(new Value(NodeKind::random, dtype, shape, device));
  node->set_operands(operands_of(stream));
  return deferred(std::move(node), contiguous_layout(shape), false);
}

array random_words_at(const RandomStream& stream, const array& positions, Dtype dtype) {
  check_word(dtype);
  std::lock_guard lock(graph_mutex());
  array dense_positions = dense(positions, Dtype::int64);
  auto operands = operands_of(stream);
  operands.emplace_back();
  operands[3].dtype = Dtype::int64;
  operands[3].value = dense_positions.storage().value;
  Ref<Value> node(new Value(NodeKind::random, dtype, positions.shape(), dense_positions.device()));
  node->set_operands(std::move(operands));
  return deferred(std::move(node), contiguous_layout(positions.shape()), is_exported(positions));
}

}  // namespace heddle
