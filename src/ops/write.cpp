#include "ops/write.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/dtype.h"
#include "core/storage.h"
#include "graph/graph.h"
#include "graph/numbers.h"
#include "graph/program.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/index_terms.h"
#include "ops/placement.h"
#include "runtime/device.h"
#include "runtime/recording.h"
#include <heddle/errors.h>

namespace heddle {

namespace {

// How often, and how, the pending work that makes `value` reads `old`.
struct Reads {
  std::int64_t count = 0;
  bool in_place = true;  // no read is of an element that another iteration writes
};

// The bytes that a layout spans.
std::pair<std::int64_t, std::int64_t> span_of(const Layout& layout, Dtype dtype) {
  auto reach = extent_of(layout).value_or(std::pair<std::int64_t, std::int64_t>(0, -1));
  return {reach.first * itemsize(dtype), (reach.second + 1) * itemsize(dtype)};
}

Reads reads_of(Value* value, const Value* old, const Layout& target, Dtype dtype) {
  Reads reads;
  if (value->computed()) return reads;
  graph::Collected pending(std::span(&value, 1));
  auto written = span_of(target, dtype);
  bool plain = true, apart = true;
  for (const Value* made : pending.nodes()) {
    const Value& node = *made;
    plain &= node.kind == NodeKind::elementwise && node.shape == target.shape;
    for (int o = 0; o < node.operand_count; ++o) {
      const Operand& operand = node.operands[o];
      if (operand.value.get() != old) continue;
      ++reads.count;
      Layout whole;
      if (!operand.layout) whole = contiguous_layout(old->shape);
      const Layout& layout = operand.layout ? *operand.layout : whole;
      auto read = span_of(layout, operand.dtype);
      if (read.second <= written.first || written.second <= read.first) continue;
      apart = false;
      reads.in_place &= layout == target && itemsize(operand.dtype) == itemsize(dtype);
    }
  }
  reads.in_place &= plain || apart;
  return reads;
}

// NumPy lets the value have leading dimensions of extent 1 that the target has not; `any`: of any
// extent, if what is left has no elements.
array without_leading_dims(array value, std::int64_t ndim, bool any = false) {
  Layout layout = value.layout();
  const auto& shape = layout.shape;
  any = any && std::find(shape.end() - ndim, shape.end(), 0) != shape.end();
  while (layout.ndim() > ndim && (any || layout.shape[0] == 1)) {
    layout.shape.erase(0);
    layout.strides.erase(0);
  }
  return array(value.shared_storage(), layout, value.dtype());
}

bool replaces_whole(const array& target, const array& value) {
  const Storage& storage = target.storage();
  return storage.exports == 0 && value.storage().exports == 0 && !target.device().records() &&
         target.dtype() == storage.value->dtype && value.dtype() == target.dtype() &&
         value.dtype() == value.storage().value->dtype && value.layout() == target.layout() &&
         &value.device() == &target.device() &&
         value.storage().value->size() == storage.value->size() &&
         covers(target.layout(), storage.value->size());
}

// Gives the storage memory of its own unless only it and `readers` others refer to its value. The
// caller holds no reference.
void own_memory(Storage& storage, std::int64_t readers) {
  if (storage.exports > 0 || storage.value->references() <= 1 + readers) return;
  array flat(Ref<Storage>(&storage), contiguous_layout(storage.value->shape), storage.value->dtype);
  array copied = cast(flat, flat.dtype());  // never elided: a node of its own
  copied.eval();
  storage.value = copied.storage().value;
}

// What has to be done before memory changes: pending work that reads the old elements runs, and a
// value that others hold is left to them. `except` is pending work with `readers` reads of its own.
void take_memory(Storage& storage, Value* except, std::int64_t readers) {
  if (storage.value->references() > 1 + readers) {
    evaluate_readers_of(storage.value.get(), except);
  }
  own_memory(storage, readers);
}

Operand through(const array& value, const Dims& shape, const Dims& order) {
  Operand operand;
  operand.dtype = value.dtype();
  if (const Operand* number = constant(value)) {
    operand.scalar = number->scalar;
    return operand;
  }
  operand.value = value.storage().value;
  Layout layout = permute(broadcast_layout("assignment", value.layout(), shape), order);
  bool dense = layout.offset == 0 && is_c_contiguous(layout) &&
               operand.value->dtype == operand.dtype && operand.value->shape == layout.shape;
  if (!dense) operand.layout = std::make_unique<Layout>(std::move(layout));
  return operand;
}

// A number on its way into an array is an argument of a kernel, wherever that runs.
array constant_of(array number, Dtype dtype, const Dims& shape, Device& device) {
  if (number.dtype() != dtype) number = cast(number, dtype);
  return filled(shape, *known_number(number), device);
}

struct Scatter {
  const array* mask = nullptr;
  const Op* accumulate = nullptr;  // op(what is there, value), one index after the other
  const IndexTerms* terms = nullptr;
};

// `layout` is the target over the space that is walked; for scattered writes it is the part that
// the indices do not move.
void update(const array& target, const Layout& layout, array value, const Scatter& scatter) {
  Storage& storage = target.storage();
  if (!writeable(target)) throw value_error("assignment destination is read-only");
  if (value.number()) {
    Dtype dtype = scatter.accumulate ? value.dtype() : target.dtype();
    value = constant_of(std::move(value), dtype, {}, target.device());
  }
  bool scattered = scatter.mask || scatter.terms;
  bool nothing = size_of(layout.shape) == 0;
  if (value.ndim() > layout.ndim()) {
    value = without_leading_dims(std::move(value), layout.ndim(), nothing && scatter.terms);
  }
  broadcast_layout("assignment", value.layout(), layout.shape);  // errors before any change
  if (nothing) return;
  if (&value.device() != &target.device()) {
    value = on_device("assignment", value, target.device());
  }
  if (value.dtype() != target.dtype() && !scatter.accumulate) value = cast(value, target.dtype());

  evaluate(storage.value.get());
  Dims order = memory_order(layout);
  Layout walked = permute(layout, order);
  const Value* before = storage.value.get();
  auto reads = reads_of(value.storage().value.get(), before, walked, target.dtype());
  bool aliased = value.storage().value == storage.value;
  if ((reads.count && (!reads.in_place || scattered)) || (aliased && value.layout() != layout)) {
    if (aliased) {
      value = cast(value, value.dtype());
    }
    value.eval();
    reads.count = 0;
  }
  take_memory(storage, value.storage().value.get(), reads.count);

  Ref<Value> old = storage.value;
  Ref<Value> node(new Value(NodeKind::update, old->dtype, old->shape, *old->device));
  std::vector<Operand> operands(2);
  operands[0].value = old;
  operands[0].dtype = old->dtype;
  operands[1] = through(value, layout.shape, order);
  if (scatter.terms) {
    for (std::size_t i = 0; i < scatter.terms->indices.size(); ++i) {
      Operand index = through(scatter.terms->indices[i], layout.shape, order);
      operands.push_back(
          place_operand(*scatter.terms, i, std::move(index), walked.shape, *old->device));
    }
    node->params = scatter.terms->params;
  }
  if (scatter.mask) operands.push_back(through(*scatter.mask, layout.shape, order));
  node->target_dtype = target.dtype();
  if (scatter.accumulate) {
    node->accumulates = true;
    node->op = *scatter.accumulate;
  }
  node->masked = scatter.mask != nullptr;
  node->target = std::make_unique<Layout>(std::move(walked));
  node->set_operands(std::move(operands));
  // The storage must not count as a reader that outlives the write.
  {
    array gone = std::move(value);
  }
  evaluate(node.get());
  storage.value = std::move(node);
}

}  // namespace

bool writeable(const array& a) {
  const Layout& layout = a.layout();
  bool repeats = false, empty = false;
  for (std::int64_t d = 0; d < layout.ndim(); ++d) {
    repeats |= layout.strides[d] == 0 && layout.shape[d] > 1;
    empty |= layout.shape[d] == 0;
  }
  if (repeats && !empty) return false;
  return a.storage().writeable && !a.read_only();
}

void write(const array& target, array value) {
  std::lock_guard lock(graph_mutex());
  Storage& storage = target.storage();
  const Layout& layout = target.layout();
  // One of several elements; else it is the whole, and takes the value over.
  bool element = layout.ndim() == 0 && value.ndim() == 0 && storage.value->size() > 1;
  if (element && target.device().host_accessible()) {
    write_element(target, layout.offset, value);
    return;
  }
  if (value.number()) {
    value = constant_of(std::move(value), target.dtype(), layout.shape, target.device());
  }
  // Python ends x[i:j] += y by assigning the view that was updated to itself.
  bool itself =
      &value.storage() == &storage && value.dtype() == target.dtype() && value.layout() == layout;
  if (itself && writeable(target)) return;
  if (value.ndim() > layout.ndim()) {
    value = without_leading_dims(std::move(value), layout.ndim());
  }
  if (value.shape() != layout.shape) value = value.broadcast_to(layout.shape);
  // A whole dense target takes the value over, without a pass of its own.
  bool allowed = writeable(target) && !recording();
  if (allowed && storage.exports == 0 && &value.device() == &target.device() &&
      target.dtype() == storage.value->dtype && layout.offset == 0 && is_c_contiguous(layout) &&
      size_of(layout.shape) == storage.value->size() && !replaces_whole(target, value)) {
    value = dense(value, target.dtype());
  }
  if (allowed && replaces_whole(target, value)) {
    storage.value = value.storage().value;
    return;
  }
  update(target, layout, std::move(value), {});
}

void write_element(const array& a, std::int64_t place, const array& value) {
  std::lock_guard lock(graph_mutex());
  Storage& storage = a.storage();
  if (storage.value->size() == 1 || !storage.value->device->host_accessible()) {
    const ScalarWords* number = value.number();  // a copy of the array would have a storage
    write(a.view_as({{}, {}, place}, a.dtype()),
          number ? array::of_number(*number, value.dtype()) : value);
    return;
  }
  if (!writeable(a)) throw value_error("assignment destination is read-only");
  ScalarWords element;
  if (value.dtype() == a.dtype()) {
    value.copy_to_host(&element, a.dtype());
  } else {
    cast(value, a.dtype()).copy_to_host(&element, a.dtype());
  }
  evaluate(storage.value.get());
  take_memory(storage, nullptr, 0);
  auto* elements = static_cast<char*>(storage.value->buffer->data());
  copy_element(elements + place * itemsize(a.dtype()), &element, a.dtype());
}

void write_where(const array& target, array value, const array& mask) {
  std::lock_guard lock(graph_mutex());
  array condition = cast(on_device("assignment", mask, target.device()), Dtype::bool_);
  broadcast_layout("assignment", condition.layout(), target.shape());
  Scatter scatter;
  scatter.mask = &condition;
  update(target, target.layout(), std::move(value), scatter);
}

void write_at(const array& target, const Layout& rest, const IndexTerms& terms, array value,
              const Op* accumulate) {
  std::lock_guard lock(graph_mutex());
  Scatter scatter;
  scatter.accumulate = accumulate;
  scatter.terms = &terms;
  std::optional<array> inside;
  if (!terms.checked()) {
    inside = all_inside(terms);
    scatter.mask = &*inside;
  }
  update(target, rest, std::move(value), scatter);
}

void* pin(const array& a) {
  std::lock_guard lock(graph_mutex());
  Storage& storage = a.storage();
  evaluate(storage.value.get());
  if (storage.exports == 0 && storage.value->references() > 1) {
    evaluate_readers_of(storage.value.get(), nullptr);
    own_memory(storage, 0);
  }
  return static_cast<char*>(storage.value->buffer->data()) +
         a.layout().offset * itemsize(a.dtype());
}

}  // namespace heddle
