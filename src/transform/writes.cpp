#include "transform/writes.h"

#include <algorithm>

#include "transform/support.h"

namespace heddle::transform {

Writes::Writes(std::span<const array> inputs) : number_(detail::recorder_number) {
  for (const array& input : inputs) {
    if (is_inexact(input.dtype())) reached_.set(*input.storage().value(), 0);
  }
}

std::vector<array> Writes::arrays() const {
  std::vector<array> made;
  for (const Ref<Storage>& storage : written_) {
    const Ref<Value> held = storage->value();
    const Value& value = *held;
    if (reached_.find(value) >= 0) made.emplace_back(storage, value.shape.dense(), value.dtype);
  }
  return made;
}

void Writes::make(const Node& node) {
  Recorder::make(node);
  if (node.kind == NodeKind::elementwise && node.op == Op::stopped) return;
  const std::span operands(node.operands, node.operand_count);
  const bool reached = std::ranges::any_of(operands, [&](const Operand& operand) {
    return operand.value && is_inexact(operand.dtype) && reached_.find(*operand.value) >= 0;
  });
  if (!reached) return;
  for (Value* output : node.outputs()) {
    if (is_inexact(output->dtype)) reached_.set(*output, 0);
  }
}

void Writes::rebind(const Storage& storage, const Ref<Value>& value) {
  Recorder::rebind(storage, value);
  if (storage.born() >= number_ || is_copy(*value, *storage.value())) return;
  if (std::ranges::find(written_, &storage, &Ref<Storage>::get) != written_.end()) return;
  written_.emplace_back(const_cast<Storage*>(&storage));
}

void write_last(std::vector<array>& made, std::span<array> written) {
  const auto last = made.end() - static_cast<std::ptrdiff_t>(written.size());
  for (std::size_t i = 0; i < written.size(); ++i) {
    written[i].assign(last[static_cast<std::ptrdiff_t>(i)]);
  }
  made.erase(last, made.end());
}

}  // namespace heddle::transform
