#include "ops/indexing.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "core/dtype.h"
#include "graph/look.h"
#include "graph/make.h"
#include "graph/numbers.h"
#include "graph/storage.h"
#include "ops/at_hand.h"
#include "ops/creation.h"
#include "ops/deferred.h"
#include "ops/elementwise.h"
#include "ops/index_expressions.h"
#include "ops/index_terms.h"
#include "ops/operators.h"
#include "ops/placement.h"
#include "ops/reduction.h"
#include "ops/selection.h"
#include "ops/write.h"
#include "ops/write_few.h"
#include "runtime/device.h"
#include <heddle/errors.h>
#include <heddle/runtime.h>

namespace heddle {

namespace {

using ItemKind = IndexItem::Kind;

bool has_arrays(std::span<const IndexItem> items) {
  for (const auto& item : items) {
    if (item.kind == ItemKind::array) return true;
  }
  return false;
}

// The dimensions of the result in the order of memory: that of the first index array where nothing
// but indices is left. Arrays in C's order give results in C's order; of others, as in NumPy, the
// dimensions of the indices come first, and the rest as the array has them.
Dims order_of_result(const array& a, const Advanced& at) {
  if (at.indices_only()) return memory_order(at.terms.indices[0].layout());
  Dims order(at.rest.ndim());
  std::iota(order.begin(), order.end(), 0);
  if (std::ranges::is_sorted(memory_order(a.layout()))) return order;
  Dims kept = memory_order(at.rest);
  auto is_index = [&](auto d) { return d >= at.place && d < at.place + at.index_dims; };
  std::ranges::stable_partition(kept, is_index);
  return kept;
}

array gather(const array& a, const Advanced& at) {
  if (size_of(at.rest.shape) == 0) return empty(at.rest.shape, a.dtype(), a.device());
  Dims order = order_of_result(a, at), places(order.size());
  for (std::int64_t i = 0; i < order.size(); ++i) places[order[i]] = i;
  Layout rest = permute(at.rest, order);
  graph::Draft node = graph::draft(NodeKind::gather);
  std::vector<Operand> operands(1);
  operands[0].value = a.storage().value();
  operands[0].dtype = a.dtype();
  operands[0].layout = SharedLayout(rest).ref();
  const auto& indices = at.terms.indices;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    Operand index = graph::reading(indices[i].storage().value(), indices[i].dtype(),
                                   permute(indices[i].layout(), order));
    operands.push_back(place_operand(at.terms, i, std::move(index), rest.shape, a.device()));
  }
  node->params = at.terms.params;
  Ref<Value> value = graph::make(std::move(node), a.dtype(), rest.shape, a.device(), operands);
  bool exported = is_exported(a);
  for (const array& index : indices) exported |= is_exported(index);
  Layout layout = permute(contiguous_layout(rest.shape), places);
  return deferred(std::move(value), std::move(layout), exported);
}

// A boolean mask over leading dimensions alone, seen with the shape of the array.
std::optional<array> whole_mask(const array& a, std::span<const IndexItem> items) {
  if (items.size() != 1 || items[0].kind != ItemKind::array) return std::nullopt;
  array mask = on_device("index", *items[0].indices, a.device());
  if (mask.dtype() != Dtype::bool_ || mask.ndim() == 0 || mask.ndim() > a.ndim())
    return std::nullopt;
  check_mask(mask, a.layout(), 0);
  if (mask.size() == 0) return std::nullopt;
  Layout layout = mask.layout();
  while (layout.ndim() < a.ndim()) {
    layout.shape.push_back(1);
    layout.strides.push_back(0);
  }
  return array(mask.shared_storage(), layout, Dtype::bool_).broadcast_to(a.shape());
}

// The smallest and the largest of few indices that the host sees in memory: it has looked at them
// before a kernel has begun.
std::optional<std::pair<std::int64_t, std::int64_t>> seen_range(const array& indices) {
  constexpr std::int64_t few = 256;
  if (indices.dtype() != Dtype::int64 || indices.size() > few || Recorder::current()) return {};
  const Ref<Value> held = indices.storage().value();
  Value& value = *held;
  const bool here = value.device->host_accessible() && value.computed() &&
                    value.dtype == Dtype::int64 && is_c_contiguous(indices.layout());
  if (!here) return {};
  const auto* first =
      static_cast<const std::int64_t*>(look(value).data()) + indices.layout().offset;
  const auto [low, high] = std::minmax_element(first, first + indices.size());
  return std::pair(*low, *high);
}

}  // namespace

void check_indices(const array& indices, std::int64_t axis, std::int64_t extent) {
  if (!is_integer(indices.dtype())) {
    throw index_error("arrays used as indices must be of integer (or boolean) type");
  }
  if (indices.size() == 0) return;
  if (auto all = stands_for(indices)) return check_indices(*all, axis, extent);
  auto fail = [&](auto i) {
    throw index_error(
        fmt::format("index {} is out of bounds for axis {} with size {}", i, axis, extent));
  };
  if (auto seen = seen_range(indices)) {
    if (seen->second >= extent) fail(seen->second);
    if (seen->first < -extent) fail(seen->first);
    return;
  }
  auto all = axis_mask("index", std::nullopt, indices.ndim());
  bool wide = indices.dtype() == Dtype::uint64;
  array both[] = {reduce(Op::minimum, indices, all, false, indices.dtype()),
                  reduce(Op::maximum, indices, all, false, indices.dtype())};
  // A recorder that compares what was looked at has to see the same where other indices are as
  // good.
  if (Recorder::current()) {
    const Scalar least(-extent), most(extent);
    array beyond = binary(Op::greater_equal, both[1], most);
    if (!wide) beyond = binary(Op::logical_or, beyond, binary(Op::less, both[0], least));
    if (!beyond.item<bool>()) return;
  }
  eval(both);
  if (wide) {
    auto high = both[1].item<std::uint64_t>();
    if (high >= static_cast<std::uint64_t>(extent)) fail(high);
    return;
  }
  auto low = both[0].item<std::int64_t>(), high = both[1].item<std::int64_t>();
  if (high >= extent) fail(high);
  if (low < -extent) fail(low);
}

std::vector<array> nonzero(const array& a) {
  array flat = flat_nonzero(a);
  std::vector<array> result(static_cast<std::size_t>(a.ndim()));
  for (auto d = a.ndim(); d-- > 0;) {
    if (d == 0) {
      result[0] = flat;
    } else {
      Scalar extent(std::max<std::int64_t>(a.shape()[d], 1));
      array above = elementwise(Op::floor_divide, {flat, extent});
      array whole = elementwise(Op::multiply, {above, extent});
      result[static_cast<std::size_t>(d)] = elementwise(Op::subtract, {flat, whole});
      flat = above;
    }
  }
  return result;
}

array basic_view(const array& a, std::span<const IndexItem> items) {
  const Layout& from = a.layout();
  Layout to;
  to.offset = from.offset;
  auto left = dims_left(items, a.ndim());
  std::int64_t axis = 0;
  auto add = [&](std::int64_t extent, std::int64_t stride) {
    to.shape.push_back(extent);
    to.strides.push_back(stride);
  };
  auto keep_left = [&] {
    for (; left > 0; --left, ++axis) add(from.shape[axis], from.strides[axis]);
  };
  for (const auto& item : items) {
    switch (item.kind) {
      case ItemKind::integer:
        to.offset += place_along(item.integer, axis, from.shape[axis]) * from.strides[axis];
        ++axis;
        break;
      case ItemKind::slice: {
        auto [first, count] = item.slice.of(from.shape[axis]);
        to.offset += first * from.strides[axis];
        add(count, scaled_stride(from.strides[axis], item.slice.step));
        ++axis;
        break;
      }
      case ItemKind::new_axis:
        add(1, 0);
        break;
      case ItemKind::array:
        throw index_error("only integers, slices, ellipsis and new axes make a view");
      case ItemKind::ellipsis:
        keep_left();
        break;
    }
  }
  keep_left();
  check_result(to);
  return a.view_as(std::move(to), a.dtype());
}

namespace {

// A mask of every element: NumPy gives its elements no other dimension to vary along.
void check_value_of_mask(const array& a, std::span<const IndexItem> items, const array& value) {
  if (value.ndim() <= 1 || items.size() != 1 || items[0].kind != ItemKind::array) return;
  const array& mask = *items[0].indices;
  if (mask.dtype() != Dtype::bool_ || mask.ndim() == 0 || mask.shape() != a.shape()) return;
  throw type_error(
      fmt::format("boolean array indexing assignment requires a 0 or 1-dimensional input, input "
                  "has {} dimensions",
                  value.ndim()));
}

// The indices, where there is an integer for each dimension.
std::optional<Dims> full_index(const array& a, std::span<const IndexItem> items) {
  if (static_cast<std::int64_t>(items.size()) != a.ndim()) return std::nullopt;
  Dims indices;
  for (const auto& item : items) {
    if (item.kind != ItemKind::integer) return std::nullopt;
    indices.push_back(item.integer);
  }
  return indices;
}

// Where in its storage the element at these indices is.
std::int64_t place_of(const Layout& layout, std::span<const std::int64_t> indices) {
  auto place = layout.offset;
  for (std::int64_t axis = 0; axis < layout.ndim(); ++axis) {
    auto index = indices[static_cast<std::size_t>(axis)];
    place += place_along(index, axis, layout.shape[axis]) * layout.strides[axis];
  }
  return place;
}

}  // namespace

bool copy_element_at_hand(const array& a, std::span<const std::int64_t> indices,
                          ScalarWords& element) {
  if (a.ndim() == 0 || a.number() || Recorder::current() ||
      threads_without_looks.load(std::memory_order_relaxed) > 0) {
    return false;
  }
  const auto place = place_of(a.layout(), indices);
  const Glance value(a.storage());
  if (!value->computed() || !value->device->host_accessible()) return false;
  const auto* elements = static_cast<const char*>(look(*value).data());
  copy_element(&element, elements + place * itemsize(a.dtype()), a.dtype());
  return true;
}

bool put_element_at_hand(const array& a, std::span<const std::int64_t> indices,
                         const ScalarWords& element) {
  if (a.ndim() == 0 || a.number() || !writeable(a)) return false;
  return put_element_at_once(a, place_of(a.layout(), indices), element);
}

array get_element(const array& a, std::span<const std::int64_t> indices) {
  ScalarWords element;
  if (copy_element_at_hand(a, indices, element)) return array::of_number(element, a.dtype());
  return make_element(a, indices);
}

array make_element(const array& a, std::span<const std::int64_t> indices) {
  const auto place = place_of(a.layout(), indices);
  const Ref<Value> held = a.storage().value();
  Value& value = *held;
  // An array of no dimensions stays an array, and so on its device; numbers have none.
  const bool stays = a.ndim() > 0 || value.device == &default_device();
  const bool here = stays && value.device->host_accessible() && !Recorder::current();
  if (here && !value.computed()) {
    if (auto number = constant(a)) return to_array(*number);
  }
  if (!here || !is_there_at_once(value, operations_for_a_number)) {
    array made = a.view_as({{}, {}, place}, a.dtype()).copy();
    made.storage().snapshot = true;
    return made;
  }
  // Where the host sees it in memory it is read at once: pending copies of many elements would each
  // be a kernel.
  ScalarWords element;
  const auto* elements = static_cast<const char*>(look(value).data());
  copy_element(&element, elements + place * itemsize(a.dtype()), a.dtype());
  return array::of_number(element, a.dtype());
}

void set_element(const array& a, std::span<const std::int64_t> indices, const array& value) {
  if (!writeable(a)) throw value_error("assignment destination is read-only");
  auto place = place_of(a.layout(), indices);
  // One of NumPy's versions refuses arrays of one element, others do not.
  if (value.size() != 1) throw value_error("setting an array element with a sequence.");
  if (value.ndim() > 0) return write_element(a, place, value.reshape({}));
  write_element(a, place, value);
}

namespace {

// Indices of elements that the host sees are looked at when they are used: a few elements are
// copied on the way. Nothing where one is out of range, which others say.
std::optional<array> gather_at_once(const array& a, const array& indices) {
  if (a.ndim() != 1) return std::nullopt;
  const auto from = vector_at_hand(a);
  const auto places = from ? few_places(indices, a.shape()[0], from->stride) : std::nullopt;
  if (!places) return std::nullopt;
  array made = empty(indices.shape(), a.dtype(), a.device());
  auto* to = static_cast<char*>(look(*made.storage().value()).data());
  for (const std::int64_t place : *places) {
    copy_element(to, static_cast<const char*>(from->first) + place, a.dtype());
    to += itemsize(a.dtype());
  }
  return made;
}

}  // namespace

array get_item(const array& a, std::span<const IndexItem> items) {
  if (auto indices = full_index(a, items)) {
    return get_element(a, {indices->data(), static_cast<std::size_t>(indices->size())});
  }
  if (!has_arrays(items)) return basic_view(a, items);
  if (items.size() == 1) {
    if (auto made = gather_at_once(a, *items[0].indices)) return *std::move(made);
  }
  if (auto mask = whole_mask(a, items); mask && items[0].indices->ndim() == a.ndim())
    return select_elements(a, *mask);
  return gather(a, resolve_advanced(a, expand_ellipsis(items, a.ndim())));
}

void check_index(const array& a, std::span<const IndexItem> items) {
  if (has_arrays(items)) return check_expression(a, items);
  static_cast<void>(basic_view(a, items));
}

void set_item(const array& a, std::span<const IndexItem> items, array value) {
  if (!writeable(a)) throw value_error("assignment destination is read-only");
  if (auto indices = full_index(a, items)) {
    set_element(a, {indices->data(), static_cast<std::size_t>(indices->size())}, value);
    return;
  }
  if (!has_arrays(items)) {
    write(basic_view(a, items), std::move(value));
    return;
  }
  if (items.size() == 1 && index_at_once(a, *items[0].indices, value)) return;
  check_value_of_mask(a, items, value);
  if (auto mask = value.size() == 1 && value.ndim() <= 1 ? whole_mask(a, items) : std::nullopt) {
    if (value.ndim() > 0) value = value.reshape({});
    write_where(a, std::move(value), *mask);
  } else {
    auto at = resolve_advanced(a, expand_ellipsis(items, a.ndim()), &value);
    write_at(a, at.rest, at.terms, std::move(value));
  }
}

void update_item(const array& a, std::span<const IndexItem> items, Op op, const array& value) {
  auto expanded = expand_ellipsis(items, a.ndim());
  auto at = resolve_advanced(a, expanded);
  if (at.terms.indices.empty()) {
    // Nothing repeats: a zero index makes it the same case as the others.
    at.terms.indices.push_back(full(at.rest.shape, 0, Dtype::int64, a.device()));
    at.terms.params = {1, 0};
    at.terms.reports = {0};
  }
  if (value.ndim() > at.rest.ndim()) {
    throw value_error(fmt::format("{}: an array of shape {} is not broadcastable to shape {}",
                                  info(op).name, to_string(value.shape()),
                                  to_string(at.rest.shape)));
  }
  write_at(a, at.rest, at.terms, value, &op);
}

const Selection& Selection::operator=(array value) const {
  set_item(source_, items_, std::move(value));
  return *this;
}

const Selection& Selection::operator=(Scalar value) const {
  set_item(source_, items_, to_element(value, source_.dtype()));
  return *this;
}

#define HEDDLE_IN_PLACE(symbol, op)                                 \
  const Selection& Selection::operator symbol(array other) const {  \
    array old = get();                                              \
    array value = binary(Op::op, old, other);                       \
    check_in_place(Op::op, old, value);                             \
    set_item(source_, items_, std::move(value));                    \
    return *this;                                                   \
  }                                                                 \
  const Selection& Selection::operator symbol(Scalar other) const { \
    array old = get();                                              \
    array value = binary(Op::op, old, other);                       \
    check_in_place(Op::op, old, value);                             \
    set_item(source_, items_, std::move(value));                    \
    return *this;                                                   \
  }
HEDDLE_IN_PLACE_OPERATORS(HEDDLE_IN_PLACE)
#undef HEDDLE_IN_PLACE

array take(const array& a, const array& indices, std::optional<std::int64_t> axis) {
  if (!axis) return take(a.reshape({-1}), indices, 0);
  std::vector<IndexItem> items(static_cast<std::size_t>(normalize_axis("take", *axis, a.ndim())),
                               index_item(Slice{}));
  items.push_back(index_item(indices));
  return get_item(a, items);
}

array where(const array& condition, const array& x, const array& y) {
  return elementwise(Op::select, {condition, x, y});
}
array where(const array& condition, const array& x, Scalar y) {
  return elementwise(Op::select, {condition, x, y});
}
array where(const array& condition, Scalar x, const array& y) {
  return elementwise(Op::select, {condition, x, y});
}
array where(const array& condition, Scalar x, Scalar y) {
  return elementwise(Op::select, {condition, x, y});
}

}  // namespace heddle
