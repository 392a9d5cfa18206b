#include "ops/write.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>

#include <fmt/format.h>

#include "core/dtype.h"
#include "graph/graph.h"
#include "graph/look.h"
#include "graph/make.h"
#include "graph/node_facts.h"
#include "graph/program.h"
#include "graph/storage.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/index_terms.h"
#include "ops/place_sums.h"
#include "ops/placement.h"
#include "ops/write_few.h"
#include "runtime/device.h"
#include "runtime/recording.h"
#include <heddle/errors.h>

namespace heddle {

namespace {

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
  if (storage.exports != 0 || value.storage().exports != 0 || target.device().records()) {
    return false;
  }
  const Value& old = storage.contents();
  const Ref<Value> given = value.storage().value();
  return target.dtype() == old.dtype && value.dtype() == target.dtype() &&
         value.dtype() == given->dtype && value.layout() == target.layout() &&
         given->device == old.device && given->size() == old.size() &&
         covers(target.layout(), old.size());
}

// Before elements in memory change, or their address is given away: pending work that reads them
// runs, and a value that others hold is left to them. The caller holds no reference.
void take_memory(Storage& storage) {
  evaluate(&storage.contents());
  if (storage.exports > 0 || !storage.shares()) return;
  evaluate_readers_of(&storage.contents());
  if (!storage.shares()) return;
  const Value& shared = storage.contents();
  array flat(Ref<Storage>(&storage), contiguous_layout(shared.shape), shared.dtype);
  array copied = cast(flat, flat.dtype());  // never elided: a node of its own
  copied.eval();
  storage.rebind(copied.storage().value());
}

// The space that a write walks: the shape of the target, with its dimensions as they lie in memory.
struct Walk {
  explicit Walk(const Layout& target) : shape(target.shape), order(memory_order(target)) {
    for (std::int64_t d = 0; d < order.size(); ++d) permuted |= order[d] != d;
  }

  Operand through(const array& value) const {
    const Ref<Value> contents = value.storage().value();
    if (!permuted && value.shape() == shape) {
      return graph::reading(contents, value.dtype(), value.shared_layout());
    }
    Layout layout = permute(broadcast_layout("assignment", value.layout(), shape), order);
    return graph::reading(contents, value.dtype(), std::move(layout));
  }

  const Dims& shape;
  Dims order;
  bool permuted = false;
};

// A number on its way into an array is an argument of a kernel, wherever that runs.
array constant_of(array number, Dtype dtype, const Dims& shape, Device& device) {
  if (number.dtype() != dtype) number = cast(number, dtype);
  return filled(shape, *known_number(number), device);
}

// A write that has to land in memory takes what it reads there elsewhere to a temporary first.
void copy_what_is_overwritten(const Node& node, std::span<Operand> operands) {
  const Value* old = operands[0].value.get();
  for (Operand& operand : operands.subspan(1)) {
    if (operand.value.get() != old) continue;
    if (graph::overlap_with(node, operand) != graph::Overlap::overlap) continue;
    Operand copied;
    copied.dtype = operand.dtype;
    copied.value = graph::make(Op::cast, operand.dtype, node.target->shape, *old->device,
                               std::span(&operand, 1));
    operand = std::move(copied);
  }
}

// Whether writing an element is to wait with the array. Large ones that kernels are going to make
// are made together with what reads them next, which saves a pass over memory. Somebody who writes
// element by element is not made to wait for ever longer chains of them.
bool waits_for(const Value& old) {
  constexpr std::size_t large = std::size_t{1} << 16;  // bytes
  constexpr int most = 4;                              // elements written so
  if (old.computed() || graph::bytes_of(old) < large || old.graph() != &Graph::own()) {
    return false;
  }
  std::lock_guard lock(*old.graph());
  const Node* node = old.node();
  for (int elements = 0; node && node->kind == NodeKind::update; ++elements) {
    if (size_of(node->target->shape) > 1) return true;
    if (elements == most) return false;
    node = node->operands[0].value->node();
  }
  return node && node->kind == NodeKind::elementwise &&
         std::any_of(node->operands, node->operands + node->operand_count,
                     [](const Operand& operand) { return operand.value != nullptr; });
}

// Whether the host puts an element where it belongs, without a kernel.
bool lands_at_once(const array& target) {
  return target.device().host_accessible() && !Recorder::current() &&
         !waits_for(target.storage().contents());
}

struct Scatter {
  const array* mask = nullptr;
  const Op* accumulate = nullptr;  // op(what is there, value), one index after the other
  const IndexTerms* terms = nullptr;
};

// Where among the elements of the space it writes, and whether.
void add_places(const Scatter& scatter, const Walk& walk, Node& node,
                std::vector<Operand>& operands) {
  if (scatter.terms) {
    Device& device = *operands[0].value->device;
    for (std::size_t i = 0; i < scatter.terms->indices.size(); ++i) {
      Operand index = walk.through(scatter.terms->indices[i]);
      operands.push_back(
          place_operand(*scatter.terms, i, std::move(index), node.target->shape, device));
    }
    node.params = scatter.terms->params;
  }
  if (scatter.mask) operands.push_back(walk.through(*scatter.mask));
}

// `layout` is the target over the space that is walked; for scattered writes it is the part that
// the indices do not move.
void update(const array& target, const Layout& layout, array value, const Scatter& scatter) {
  Storage& storage = target.storage();
  if (!writeable(target)) throw value_error("assignment destination is read-only");
  if (value.number()) {
    Dtype dtype = scatter.accumulate ? value.dtype() : target.dtype();
    value = constant_of(std::move(value), dtype, {}, target.device());
  }
  bool nothing = size_of(layout.shape) == 0;
  if (value.ndim() > layout.ndim()) {
    value = without_leading_dims(std::move(value), layout.ndim(), nothing && scatter.terms);
  }
  if (value.shape() != layout.shape) {
    broadcast_layout("assignment", value.layout(), layout.shape);  // errors before any change
  }
  if (nothing) return;
  if (&value.device() != &target.device()) {
    value = on_device("assignment", value, target.device());
  }
  if (value.dtype() != target.dtype() && !scatter.accumulate) value = cast(value, target.dtype());

  // Elements that move within the array are a value of their own, which the plan may put aside.
  if (value.storage().value().get() == &storage.contents() && value.layout() != layout) {
    value = cast(value, value.dtype());
  }

  // Where somebody outside looks at the memory, or it is recorded what is done with it, the write
  // has to land there, and now.
  const bool in_place = storage.exports > 0 || recording();
  if (in_place) {
    evaluate(&storage.contents());
    if (storage.shares()) {
      value.eval();  // with what it reads there, before the others do
      evaluate_readers_of(&storage.contents());
    }
  }
  const Walk walk(layout);
  Value& old = storage.contents();
  graph::Draft node = graph::draft(NodeKind::update);
  node->target = std::make_unique<Layout>(walk.permuted ? permute(layout, walk.order) : layout);
  node->target_dtype = target.dtype();
  node->masked = scatter.mask != nullptr;
  node->in_place = in_place;
  if (scatter.accumulate) {
    node->accumulates = true;
    node->op = *scatter.accumulate;
  }
  Operand usual[2] = {{Ref<Value>(&old), old.dtype, {}, {}}, walk.through(value)};
  std::span<Operand> operands = usual;
  std::vector<Operand> scattered;
  if (scatter.terms || scatter.mask) {
    scattered.assign(std::move_iterator(std::begin(usual)), std::move_iterator(std::end(usual)));
    add_places(scatter, walk, *node, scattered);
    operands = scattered;
  }
  if (in_place) copy_what_is_overwritten(*node, operands);
  {
    array gone = std::move(value);  // its storage is not to count as somebody who wants the value
  }
  graph::make_into(storage, std::move(node), operands);
  if (in_place) look(storage.contents());  // whoever has the address sees it
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
  Storage& storage = target.storage();
  const WriteLock lock(storage);
  const Layout& layout = target.layout();
  // One of several elements; else it is the whole, and takes the value over.
  bool element = layout.ndim() == 0 && value.ndim() == 0 && storage.contents().size() > 1;
  if (element && lands_at_once(target)) {
    write_element(target, layout.offset, value);
    return;
  }
  if (is_filled_by_rows(target, value)) look(storage.contents());
  if (copy_at_once(target, value) || put_at_once(target, value)) return;
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
  const bool allowed =
      size_of(layout.shape) == storage.contents().size() && writeable(target) && !recording();
  if (allowed && storage.exports == 0 && &value.device() == &target.device() &&
      target.dtype() == storage.contents().dtype && layout.offset == 0 && is_c_contiguous(layout) &&
      !replaces_whole(target, value)) {
    value = dense(value, target.dtype());
  }
  if (allowed && replaces_whole(target, value)) {
    storage.rebind(value.storage().value());
    return;
  }
  update(target, layout, std::move(value), {});
}

void write_element(const array& a, std::int64_t place, const array& value) {
  Storage& storage = a.storage();
  const WriteLock lock(storage);
  if (storage.contents().size() == 1 || !lands_at_once(a)) {
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
  take_memory(storage);
  put_element(storage, place, element, a.dtype());
}

namespace {

// Whether kernels are going to make all that a mask selects from: then they choose, too. In memory
// that is there a write costs less.
bool is_made_by_kernels(const array& target) {
  const Storage& storage = target.storage();
  const Value& old = storage.contents();
  if (old.computed() || old.graph() != &Graph::own() || storage.exports > 0 || recording())
    return false;
  if (target.dtype() != old.dtype || target.layout().offset != 0 ||
      !is_c_contiguous(target.layout()) || target.size() != old.size()) {
    return false;
  }
  std::lock_guard lock(*old.graph());
  const Node* node = old.node();
  while (node && graph::is_plain_update(*node)) node = node->operands[0].value->node();
  return node && node->kind == NodeKind::elementwise;
}

}  // namespace

void write_where(const array& target, array value, const array& mask) {
  const WriteLock lock(target.storage());
  // Of vectors there is an element for each place here, of which the mask selects some.
  if (value.number() && fill_at_once(target, value, mask)) return;
  array condition = cast(on_device("assignment", mask, target.device()), Dtype::bool_);
  broadcast_layout("assignment", condition.layout(), target.shape());
  if (writeable(target) && is_made_by_kernels(target)) {
    if (value.ndim() > target.ndim()) {
      value = without_leading_dims(std::move(value), target.ndim());
    }
    broadcast_layout("assignment", value.layout(), target.shape());
    if (&value.device() != &target.device()) {
      value = on_device("assignment", value, target.device());
    }
    if (value.dtype() != target.dtype()) value = cast(value, target.dtype());
    return write(target, elementwise(Op::select, {condition, value, target}));
  }
  Scatter scatter;
  scatter.mask = &condition;
  update(target, target.layout(), std::move(value), scatter);
}

void write_at(const array& target, const Layout& rest, const IndexTerms& terms, array value,
              const Op* accumulate) {
  const WriteLock lock(target.storage());
  if (accumulate && writeable(target) && sums_by_counting(target, rest, value, *accumulate)) {
    if (value.ndim() > rest.ndim()) value = without_leading_dims(std::move(value), rest.ndim());
    broadcast_layout("assignment", value.layout(), rest.shape);
    return add_by_counting(target, rest, terms, value, *accumulate);
  }
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
  const WriteLock lock(a.storage());
  take_memory(a.storage());
  return static_cast<char*>(look(a.storage().contents()).data()) +
         a.layout().offset * itemsize(a.dtype());
}

}  // namespace heddle
