#include "ops/write_few.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <vector>

#include "core/dtype.h"
#include "graph/graph.h"
#include "graph/look.h"
#include "graph/node_facts.h"
#include "graph/storage.h"
#include "ops/at_hand.h"
#include "ops/elementwise.h"
#include "ops/write.h"
#include "runtime/device.h"
#include "runtime/recording.h"

namespace heddle {

namespace {

// Elements in one piece of memory that the host sees, and nobody has to wait for; else null.
char* elements_at_hand(const array& a, Value& contents) {
  if (!contents.computed() || !is_c_contiguous(a.layout())) return nullptr;
  return static_cast<char*>(look(contents).data()) + a.layout().offset * itemsize(a.dtype());
}

// Whether the elements of a target are in memory that the host may change right there. Of a large
// array only such as a node has made: what is joined there, or assigned piece by piece, fuses with
// its readers. A small one is made for it.
bool may_change_at_once(const array& target) {
  if (Recorder::current() || recording() || !writeable(target)) return false;
  Value& old = target.storage().contents();
  if (!old.device->host_accessible()) return false;
  const bool is_small = old.size() * itemsize(old.dtype) <= limits().at_once;
  if (!(is_small ? is_there_at_once(old) : old.computed() && old.graph())) return false;
  return !look(old).foreign();
}

constexpr std::int64_t few_bytes = 32 * 1024;

}  // namespace

bool is_filled_by_rows(const array& target, const array& value) {
  constexpr int most = 8;  // rows that wait
  const auto bytes_of = [](const Dims& shape, Dtype dtype) {
    return size_of(shape) * itemsize(dtype);
  };
  const Value& old = target.storage().contents();
  if (old.computed() || old.graph() != &Graph::own() || limits().at_once == 0 ||
      !may_work_at_once(old) || target.size() > old.size() / most) {
    return false;
  }
  // Rows that are computed, of rows before them maybe, are so at the call once all of it is memory.
  const bool there = value.number() || Glance(value.storage())->computed();
  const std::int64_t bytes = there ? few_bytes : limits().at_once;
  const auto is_short = [&](const Dims& shape, Dtype dtype) {
    return bytes_of(shape, dtype) <= bytes;
  };
  if (!is_short(target.shape(), target.dtype())) return false;
  std::lock_guard lock(*old.graph());
  const Node* node = old.node();
  for (int rows = 0; node && graph::is_plain_update(*node); ++rows) {
    if (rows == most) return true;
    if (!is_short(node->target->shape, node->target_dtype)) return false;
    node = node->operands[0].value->node();
  }
  return false;
}

namespace {

// Whether a target is few such elements. A kernel for them, and its place in a plan, would cost
// more than to write them.
bool may_change_few_at_once(const array& target) {
  return target.size() * itemsize(target.dtype()) <= few_bytes && may_change_at_once(target);
}

// Where a target that may change at once has its elements; null where pending work reads what is
// there. Asked last: what is put there may have had to be computed, and was among that work.
char* elements_to_change(const array& target) {
  if (target.storage().shares()) return nullptr;
  return elements_at_hand(target, target.storage().contents());
}

}  // namespace

void put_element(Storage& storage, std::int64_t place, const ScalarWords& element, Dtype dtype) {
  auto* elements = static_cast<char*>(look(storage.contents()).data());
  copy_element(elements + place * itemsize(dtype), &element, dtype);
}

bool put_element_at_once(const array& target, std::int64_t place, const ScalarWords& element) {
  Storage& storage = target.storage();
  const WriteLock lock(storage);
  Value& old = storage.contents();
  // One that is the whole array takes the number over.
  if (!old.computed() || old.size() == 1 || !old.device->host_accessible() || Recorder::current() ||
      (storage.exports == 0 && storage.shares())) {
    return false;
  }
  put_element(storage, place, element, target.dtype());
  return true;
}

// A whole array does better: it takes the value over.
bool copy_at_once(const array& target, const array& value) {
  if (value.number() || target.size() == target.storage().contents().size() ||
      value.dtype() != target.dtype() || value.shape() != target.shape() ||
      &value.storage() == &target.storage() || &value.device() != &target.device()) {
    return false;
  }
  char* to = may_change_few_at_once(target) ? elements_to_change(target) : nullptr;
  const Ref<Value> given = value.storage().value();
  const char* from = to ? elements_at_hand(value, *given) : nullptr;
  if (!from) return false;
  std::memcpy(to, from, static_cast<std::size_t>(target.size() * itemsize(target.dtype())));
  return true;
}

namespace {

// The bytes of a number as an element of another type.
ScalarWords element_of(const array& number, Dtype dtype) {
  ScalarWords element;
  (number.dtype() == dtype ? number : cast(number, dtype)).copy_to_host(&element, dtype);
  return element;
}

// What is put into few places: a number, or the elements of a vector.
struct GivenElements {
  const char* operator[](std::int64_t i) const {
    return held ? first + i * stride : reinterpret_cast<const char*>(&number);
  }

  ScalarWords number;
  Ref<Value> held;  // null: the number
  const char* first = nullptr;
  std::int64_t stride = 0;  // bytes
};

// A number, or a vector of `size` elements that is there or quickly computed, and not the target
// itself; nothing where it is not so.
std::optional<GivenElements> elements_for(const array& target, std::int64_t size,
                                          const array& value) {
  const Dtype dtype = target.dtype();
  GivenElements given;
  if (value.number()) {
    given.number = element_of(value, dtype);
    return given;
  }
  if (value.dtype() != dtype || value.ndim() != 1 || value.size() != size ||
      &value.device() != &target.device()) {
    return std::nullopt;
  }
  // One that others wait for is computed with what they want.
  const bool wanted = value.storage().shares();
  given.held = value.storage().value();
  if (given.held.get() == &target.storage().contents() || (!given.held->computed() && wanted) ||
      !is_there_at_once(*given.held)) {
    return std::nullopt;
  }
  const std::int64_t width = itemsize(dtype);
  given.first = static_cast<const char*>(look(*given.held).data()) + value.layout().offset * width;
  given.stride = value.layout().strides[0] * width;
  return given;
}

// The same as `elements_to_change` of a vector, which may be every second element of memory.
std::optional<HostVector> vector_to_change(const array& target) {
  if (target.storage().shares()) return std::nullopt;
  const std::int64_t width = itemsize(target.dtype());
  auto* elements = static_cast<char*>(look(target.storage().contents()).data());
  return HostVector{nullptr, elements + target.layout().offset * width,
                    target.layout().strides[0] * width};
}

}  // namespace

bool put_at_once(const array& target, const array& value) {
  const std::int64_t width = itemsize(target.dtype()), size = target.size();
  const Value& old = target.storage().contents();
  // A whole array takes values over, and numbers where there is no memory yet.
  const bool takes_over = size == old.size() && !(value.number() && old.computed());
  if (target.ndim() != 1 || size * width > limits().at_once || takes_over ||
      !may_change_at_once(target)) {
    return false;
  }
  const auto given = elements_for(target, size, value);
  const auto places = given ? vector_to_change(target) : std::nullopt;
  if (!places) return false;
  auto* to = static_cast<char*>(places->first);
  if (given->stride == width && places->stride == width) {
    std::memcpy(to, given->first, static_cast<std::size_t>(size * width));
    return true;
  }
  for (std::int64_t i = 0; i < size; ++i) {
    copy_element(to + i * places->stride, (*given)[i], target.dtype());
  }
  return true;
}

bool fill_at_once(const array& target, const array& value, const array& mask) {
  if (mask.number() || mask.dtype() != Dtype::bool_ || mask.shape() != target.shape() ||
      &mask.device() != &target.device() || !is_c_contiguous(target.layout()) ||
      !may_change_few_at_once(target)) {
    return false;
  }
  const Ref<Value> held = mask.storage().value();
  const char* chosen = elements_at_hand(mask, *held);
  if (!chosen) return false;
  const std::int64_t width = itemsize(target.dtype()), size = target.size();
  const auto count = value.number() ? 1 : std::count(chosen, chosen + size, 1);
  const auto given = elements_for(target, count, value);
  char* to = given ? elements_to_change(target) : nullptr;
  if (!to) return false;
  for (std::int64_t i = 0, next = 0; i < size; ++i) {
    if (chosen[i]) copy_element(to + i * width, (*given)[next++], target.dtype());
  }
  return true;
}

namespace {

bool scatter_at_once(const array& target, const array& indices, const array& value) {
  if (target.ndim() != 1 || !may_change_at_once(target)) return false;
  const auto places =
      few_places(indices, target.shape()[0], target.layout().strides[0] * itemsize(target.dtype()));
  const auto given = places ? elements_for(target, indices.size(), value) : std::nullopt;
  const auto to = given ? vector_to_change(target) : std::nullopt;
  if (!to) return false;
  std::int64_t next = 0;
  for (const std::int64_t place : *places) {
    copy_element(static_cast<char*>(to->first) + place, (*given)[next++], target.dtype());
  }
  return true;
}

}  // namespace

bool index_at_once(const array& target, const array& indices, const array& value) {
  if (target.number() || indices.number()) return false;
  const WriteLock lock(target.storage());
  // A short array that is hardly any work, as new ones are, is there now: loops go on with it.
  // Those that masks are written to wait, as kernels that are going to make them choose, too.
  if (target.ndim() == 1 && indices.dtype() != Dtype::bool_) {
    static_cast<void>(is_there_at_once(target.storage().contents()));
  }
  return fill_at_once(target, value, indices) || scatter_at_once(target, indices, value);
}

}  // namespace heddle
