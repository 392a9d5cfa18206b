#include "ops/at_hand.h"

#include <algorithm>
#include <mutex>

#include "core/dtype.h"
#include "graph/look.h"
#include "graph/node.h"
#include "graph/node_facts.h"
#include "graph/storage.h"
#include "runtime/device.h"
#include "runtime/traffic.h"

namespace heddle {

namespace {

// Whether nobody minds that the host looks at elements now.
bool may_work_at_once(const Value& value) {
  return value.device->host_accessible() && !Recorder::current() &&
         threads_without_looks.load(std::memory_order_relaxed) == 0;
}

}  // namespace

std::optional<HostVector> short_vector(const array& a) {
  const std::int64_t width = itemsize(a.dtype());
  if (a.number() || a.ndim() != 1 || a.shape()[0] * width > limits().at_once) return std::nullopt;
  Value& value = *a.storage().value();
  if (!value.computed() || !may_work_at_once(value) || counts_traffic()) return std::nullopt;
  auto* elements = static_cast<char*>(look(value).data());
  return HostVector{elements + a.layout().offset * width, a.layout().strides[0] * width};
}

namespace {

// Whether a pending value is a few operations on elements of memory, indices or random words, no
// more of them than `size`. Its graph is locked.
bool is_little_work(const Value& value, std::int64_t size, int& operations) {
  if (value.computed()) return true;
  const Node* node = value.node();
  const bool plain = node->kind == NodeKind::elementwise || node->kind == NodeKind::index ||
                     node->kind == NodeKind::random;
  if (!plain || node->runner || value.size() > size) return false;
  if (--operations < 0) return false;
  return std::all_of(node->operands, node->operands + node->operand_count,
                     [&](const Operand& read) {
                       return !read.value || is_little_work(*read.value, size, operations);
                     });
}

}  // namespace

bool is_there_at_once(Value& value) {
  if (value.computed()) return true;
  const auto bytes = static_cast<std::int64_t>(graph::bytes_of(value));
  if (bytes > limits().at_once || value.graph() != &Graph::own() || !may_work_at_once(value)) {
    return false;
  }
  {
    constexpr int most = 6;
    int operations = most;
    std::lock_guard lock(*value.graph());
    if (!value.computed() && !is_little_work(value, value.size(), operations)) return false;
  }
  evaluate(&value);
  return true;
}

}  // namespace heddle
