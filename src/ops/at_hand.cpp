#include "ops/at_hand.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "core/dtype.h"
#include "graph/look.h"
#include "graph/node.h"
#include "graph/node_facts.h"
#include "graph/storage.h"
#include "ops/elementwise.h"
#include "runtime/device.h"
#include "runtime/traffic.h"

namespace heddle {

bool may_work_at_once(const Value& value) {
  return value.device->host_accessible() && !Recorder::current() &&
         threads_without_looks.load(std::memory_order_relaxed) == 0;
}

std::optional<HostVector> vector_at_hand(const array& a) {
  if (a.number() || a.ndim() != 1) return std::nullopt;
  const std::int64_t width = itemsize(a.dtype());
  Ref<Value> value = a.storage().value();
  if (!value->computed() || !may_work_at_once(*value) || counts_traffic()) return std::nullopt;
  auto* elements = static_cast<char*>(look(*value).data());
  return HostVector{std::move(value), elements + a.layout().offset * width,
                    a.layout().strides[0] * width};
}

std::optional<HostVector> short_vector(const array& a, int times) {
  if (a.size() * itemsize(a.dtype()) > limits().at_once * times) return std::nullopt;
  return vector_at_hand(a);
}

std::optional<std::vector<std::int64_t>> few_places(const array& indices, std::int64_t extent,
                                                    std::int64_t stride) {
  if (!is_integer(indices.dtype())) return std::nullopt;
  const auto at = short_vector(indices);
  if (!at) return std::nullopt;
  std::vector<std::int64_t> places(static_cast<std::size_t>(indices.size()));
  return dispatch(indices.dtype(), [&]<class T>(T) -> std::optional<std::vector<std::int64_t>> {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      const auto* next = static_cast<const char*>(at->first);
      for (std::int64_t& place : places) {
        T index;
        std::memcpy(&index, next, sizeof index);
        next += at->stride;
        if (!std::in_range<std::int64_t>(index)) return std::nullopt;
        auto i = static_cast<std::int64_t>(index);
        if (i < 0) i += extent;
        if (i < 0 || i >= extent) return std::nullopt;
        place = i * stride;
      }
    }
    return std::move(places);
  });
}

namespace {

// How many elements a node reads of an operand for all that it computes.
std::int64_t elements_read(const Operand& read) {
  return read.layout ? size_of(read.layout->shape) : read.value->size();
}

// Whether a pending value is a few operations, each on few bytes, of what is in memory. Its graph
// is locked.
bool is_little_work(const Value& value, int& operations) {
  if (value.computed()) return true;
  const Node* node = value.node();
  const auto most = limits().at_once;
  if (node->runner || static_cast<std::int64_t>(graph::bytes_of(value)) > most) return false;
  if (--operations < 0) return false;
  // Other kinds read as many elements as they compute.
  const bool reads_more = node->kind == NodeKind::reduce || node->kind == NodeKind::argreduce ||
                          node->kind == NodeKind::library;
  return std::all_of(node->operands, node->operands + node->operand_count,
                     [&](const Operand& read) {
                       if (!read.value) return true;
                       if (reads_more && elements_read(read) * itemsize(read.dtype) > most)
                         return false;
                       return is_little_work(*read.value, operations);
                     });
}

}  // namespace

bool is_there_at_once(Value& value, int operations) {
  if (value.computed()) return true;
  if (static_cast<std::int64_t>(graph::bytes_of(value)) > limits().at_once ||
      value.graph() != &Graph::own() || !may_work_at_once(value)) {
    return false;
  }
  {
    std::lock_guard lock(*value.graph());
    if (!value.computed() && !is_little_work(value, operations)) return false;
  }
  evaluate(&value);
  return true;
}

array number_at_once(array made) {
  if (made.ndim() > 0 || made.number()) return made;
  const Ref<Value> held = made.storage().value();
  Value& value = *held;
  if (value.computed() || !is_there_at_once(value, operations_for_a_number)) return made;
  const auto number = known_number(made);
  return number ? to_array(*number) : made;
}

}  // namespace heddle
