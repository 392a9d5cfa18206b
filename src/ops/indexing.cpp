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
#include "ops/creation.h"
#include "ops/deferred.h"
#include "ops/elementwise.h"
#include "ops/index_terms.h"
#include "ops/operators.h"
#include "ops/placement.h"
#include "ops/reduction.h"
#include "ops/selection.h"
#include "ops/write.h"
#include "runtime/device.h"
#include <heddle/errors.h>
#include <heddle/runtime.h>

namespace heddle {

namespace {

void check_result(const Layout& layout) {
  if (layout.ndim() > max_dims) throw index_error("too many dimensions in the result of an index");
}

using ItemKind = IndexItem::Kind;

std::int64_t consumed_dims(const IndexItem& item) {
  switch (item.kind) {
    case ItemKind::integer:
    case ItemKind::slice:
      return 1;
    case ItemKind::new_axis:
    case ItemKind::ellipsis:
      return 0;
    case ItemKind::array:
      return item.indices->dtype() == Dtype::bool_ ? item.indices->ndim() : 1;
  }
  return 0;
}

// How many dimensions an index expression says nothing about, or by an ellipsis.
std::int64_t dims_left(std::span<const IndexItem> items, std::int64_t ndim) {
  std::int64_t consumed = 0, ellipses = 0;
  for (const auto& item : items) {
    consumed += consumed_dims(item);
    ellipses += item.kind == ItemKind::ellipsis;
  }
  if (ellipses > 1) {
    throw index_error("an index can only have a single ellipsis ('...')");
  }
  if (consumed > ndim) {
    throw index_error(
        fmt::format("too many indices for array: array is {}-dimensional, but {} were indexed",
                    ndim, consumed));
  }
  return ndim - consumed;
}

// Puts full slices after the ellipsis (or at the end). The ellipsis stays: index arrays on both
// sides of it are apart even if it stands for no dimension.
std::vector<IndexItem> expand_ellipsis(std::span<const IndexItem> items, std::int64_t ndim) {
  auto left = dims_left(items, ndim);
  std::vector<IndexItem> result;
  auto fill = [&] {
    for (; left > 0; --left) result.push_back(index_item(Slice{}));
  };
  for (const auto& item : items) {
    result.push_back(item);
    if (item.kind == ItemKind::ellipsis) fill();
  }
  fill();
  return result;
}

// The place that an index along an axis names, of those before which it may count from the end.
std::int64_t place_along(std::int64_t index, std::int64_t axis, std::int64_t extent) {
  if (index < -extent || index >= extent) {
    throw index_error(
        fmt::format("index {} is out of bounds for axis {} with size {}", index, axis, extent));
  }
  return index < 0 ? index + extent : index;
}

// An index expression taken apart: what basic indexing leaves, and where indices move it.
struct Advanced {
  Layout rest;       // over the result's dimensions; 0 along those of the index arrays
  IndexTerms terms;  // over the result's dimensions
  std::int64_t place, index_dims;  // where the dimensions of the index arrays are, and their number

  bool indices_only() const { return index_dims == rest.ndim(); }
};

struct Term {
  array indices;
  std::int64_t extent, stride;
  std::int64_t report = 0;  // as in IndexTerms
};

Dims broadcast_indices(const std::vector<Term>& terms) {
  Dims shape;
  for (const Term& term : terms) {
    try {
      shape = broadcast_shapes("index", shape, term.indices.shape());
    } catch (const value_error&) {
      std::string shapes;
      for (const Term& t : terms) shapes += " " + to_string(t.indices.shape());
      throw index_error(fmt::format(
          "shape mismatch: indexing arrays could not be broadcast together with shapes{}", shapes));
    }
  }
  return shape;
}

array boolean_terms_shape_check(const array& mask, const Layout& from, std::int64_t axis) {
  for (std::int64_t d = 0; d < mask.ndim(); ++d) {
    // As in NumPy, a mask without elements selects nothing from any extent.
    if (mask.shape()[d] != from.shape[axis + d] && mask.shape()[d] != 0) {
      throw index_error(fmt::format(
          "boolean index did not match indexed array along axis {}; size of axis is {} but size of "
          "corresponding boolean axis is {}",
          axis + d, from.shape[axis + d], mask.shape()[d]));
    }
  }
  return mask;
}

// Indices that the program gave, before they were moved to the array's device.
struct GivenIndices {
  array indices;
  std::int64_t axis;
  std::size_t term;  // that they became
};

// As int64; numbers beyond stay out of bounds.
array as_places(const array& indices) {
  if (!is_integer(indices.dtype()))
    throw index_error("arrays used as indices must be of integer (or boolean) type");
  if (indices.dtype() != Dtype::uint64) return cast(indices, Dtype::int64);
  Scalar most(std::numeric_limits<std::int64_t>::max());
  return cast(elementwise(Op::minimum, {indices, most}), Dtype::int64);
}

// Whether any of them, maybe for rows that they stand for, is out of bounds.
array any_out_of_bounds(const array& indices, std::int64_t extent) {
  if (auto all = stands_for(indices)) return any_out_of_bounds(*all, extent);
  const array places = as_places(indices);
  const array beyond = binary(Op::logical_or, binary(Op::greater_equal, places, Scalar(extent)),
                              binary(Op::less, places, Scalar(-extent)));
  const auto all = axis_mask("index", std::nullopt, indices.ndim());
  return reduce(Op::logical_or, beyond, all, false, Dtype::bool_);
}

// Checks them at once where that means no waiting, or where nothing comes of them; else the device
// does when it uses them, or whoever records when it knows them: then they stay inside.
void check_or_report(const GivenIndices& given, Device& device, std::vector<Term>& terms,
                     bool used) {
  Term& term = terms[given.term];
  bool here = given.indices.device().host_accessible();
  Recorder* recorder = Recorder::current();
  if (here && used && term.extent > 0 && recorder && recorder->defers_index_errors()) {
    recorder->out_of_bounds(any_out_of_bounds(given.indices, term.extent).storage().value());
    const array most = binary(Op::minimum, term.indices, Scalar(term.extent - 1));
    term.indices = binary(Op::maximum, most, Scalar(-term.extent));
    return;
  }
  if (here || !used || term.extent == 0 || !device.reports())
    check_indices(given.indices, given.axis, term.extent);
  else
    term.report = report_indices(device, given.axis, term.extent);
}

Advanced resolve_advanced(const array& a, const std::vector<IndexItem>& items) {
  const Layout& from = a.layout();
  Dims shape, strides;  // of what basic indexing leaves
  std::int64_t offset = from.offset, axis = 0;
  std::vector<Term> terms;
  std::vector<GivenIndices> unchecked;
  std::int64_t first_place = -1;  // where the index dimensions go if the indices are adjacent
  bool adjacent = true, gap = false;
  auto add_term = [&](Term term) {
    if (first_place < 0) first_place = shape.size();
    if (gap) adjacent = false;
    terms.push_back(std::move(term));
  };
  for (const auto& item : items) {
    switch (item.kind) {
      case ItemKind::integer: {
        auto extent = from.shape[axis];
        auto place = place_along(item.integer, axis, extent);
        // Beside index arrays an integer is one of them.
        add_term({full({}, place, Dtype::int64, a.device()), extent, from.strides[axis]});
        ++axis;
        break;
      }
      case ItemKind::slice: {
        auto [first, count] = item.slice.of(from.shape[axis]);
        shape.push_back(count);
        strides.push_back(scaled_stride(from.strides[axis], item.slice.step));
        offset += first * from.strides[axis];
        ++axis;
        gap = first_place >= 0;
        break;
      }
      case ItemKind::new_axis:
        shape.push_back(1);
        strides.push_back(0);
        gap = first_place >= 0;
        break;
      case ItemKind::array: {
        array indices = on_device("index", *item.indices, a.device());
        if (indices.dtype() != Dtype::bool_) {
          if (!item.in_bounds) unchecked.push_back({*item.indices, axis, terms.size()});
          add_term({as_places(indices), from.shape[axis], from.strides[axis]});
          ++axis;
        } else if (indices.ndim() == 0) {
          auto count = static_cast<std::int64_t>(indices.item<bool>());
          add_term({full({count}, 0, Dtype::int64, a.device()), 1, 0});
        } else {
          boolean_terms_shape_check(indices, from, axis);
          for (array& found : nonzero(indices)) {
            add_term({found, from.shape[axis], from.strides[axis]});
            ++axis;
          }
        }
        break;
      }
      case ItemKind::ellipsis:
        gap = first_place >= 0;
        break;
    }
  }
  Dims index_shape = broadcast_indices(terms);
  // Indices that broadcasting leaves unused are not looked at, as in NumPy.
  if (size_of(index_shape) != 0) {
    bool used = size_of(shape) != 0;
    for (const GivenIndices& given : unchecked) check_or_report(given, a.device(), terms, used);
  }
  auto place = adjacent ? first_place : 0;
  Advanced result;
  result.rest.offset = offset;
  result.place = place;
  result.index_dims = index_shape.size();
  auto& out = result.rest;
  for (std::int64_t d = 0; d <= shape.size(); ++d) {
    if (d == place) {
      for (auto extent : index_shape) {
        out.shape.push_back(extent);
        out.strides.push_back(0);
      }
    }
    if (d < shape.size()) {
      out.shape.push_back(shape[d]);
      out.strides.push_back(strides[d]);
    }
  }
  check_result(out);
  auto trailing = shape.size() - place;
  for (const Term& term : terms) {
    Layout layout = term.indices.layout();
    for (std::int64_t d = 0; d < trailing; ++d) {
      layout.shape.push_back(1);
      layout.strides.push_back(0);
    }
    array widened(term.indices.shared_storage(), layout, Dtype::int64);
    result.terms.indices.push_back(widened.broadcast_to(out.shape));
    result.terms.params.push_back(term.extent);
    result.terms.params.push_back(term.stride);
    result.terms.reports.push_back(term.report);
  }
  return result;
}

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
  boolean_terms_shape_check(mask, a.layout(), 0);
  if (mask.size() == 0) return std::nullopt;
  Layout layout = mask.layout();
  while (layout.ndim() < a.ndim()) {
    layout.shape.push_back(1);
    layout.strides.push_back(0);
  }
  return array(mask.shared_storage(), layout, Dtype::bool_).broadcast_to(a.shape());
}

}  // namespace

namespace {

// The smallest and the largest of few indices that the host sees in memory: it has looked at them
// before a kernel has begun.
std::optional<std::pair<std::int64_t, std::int64_t>> seen_range(const array& indices) {
  constexpr std::int64_t few = 256;
  if (indices.dtype() != Dtype::int64 || indices.size() > few || Recorder::current()) return {};
  Value& value = *indices.storage().value();
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

array get_element(const array& a, std::span<const std::int64_t> indices) {
  auto place = place_of(a.layout(), indices);
  Value& value = *a.storage().value();
  const bool here = value.device->host_accessible() && !Recorder::current();
  if (here && !value.computed()) {
    if (auto number = constant(a)) return to_array(*number);
  }
  if (!here || !value.computed()) {
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

array get_item(const array& a, std::span<const IndexItem> items) {
  if (auto indices = full_index(a, items)) {
    return get_element(a, {indices->data(), static_cast<std::size_t>(indices->size())});
  }
  if (!has_arrays(items)) return basic_view(a, items);
  if (auto mask = whole_mask(a, items); mask && items[0].indices->ndim() == a.ndim())
    return select_elements(a, *mask);
  return gather(a, resolve_advanced(a, expand_ellipsis(items, a.ndim())));
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
  check_value_of_mask(a, items, value);
  if (auto mask = value.size() == 1 && value.ndim() <= 1 ? whole_mask(a, items) : std::nullopt) {
    if (value.ndim() > 0) value = value.reshape({});
    write_where(a, std::move(value), *mask);
  } else {
    auto at = resolve_advanced(a, expand_ellipsis(items, a.ndim()));
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
