#include "ops/index_expressions.h"

#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/dtype.h"
#include "graph/recorder.h"
#include "graph/storage.h"
#include "ops/creation.h"
#include "ops/deferred.h"
#include "ops/elementwise.h"
#include "ops/indexing.h"
#include "ops/operators.h"
#include "ops/placement.h"
#include "ops/reduction.h"
#include "runtime/device.h"
#include <heddle/errors.h>

namespace heddle {

void check_result(const Layout& layout) {
  if (layout.ndim() > max_dims) throw index_error("too many dimensions in the result of an index");
}

namespace {

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

}  // namespace

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

std::int64_t place_along(std::int64_t index, std::int64_t axis, std::int64_t extent) {
  if (index < -extent || index >= extent) {
    throw index_error(
        fmt::format("index {} is out of bounds for axis {} with size {}", index, axis, extent));
  }
  return index < 0 ? index + extent : index;
}

void check_mask(const array& mask, const Layout& from, std::int64_t axis) {
  for (std::int64_t d = 0; d < mask.ndim(); ++d) {
    // As in NumPy, a mask without elements selects nothing from any extent.
    if (mask.shape()[d] != from.shape[axis + d] && mask.shape()[d] != 0) {
      throw index_error(fmt::format(
          "boolean index did not match indexed array along axis {}; size of axis is {} but size of "
          "corresponding boolean axis is {}",
          axis + d, from.shape[axis + d], mask.shape()[d]));
    }
  }
}

namespace {

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

// Leading dimensions of extent 1 are left out where there are too many; of nothing all are.
void check_value(const array& value, const Dims& shape) {
  const auto lead = value.ndim() - shape.size();
  bool fits = size_of(shape) == 0 && value.size() == 0 && lead > 0;
  if (!fits) {
    fits = true;
    for (std::int64_t d = 0; d < value.ndim(); ++d) {
      const auto extent = value.shape()[d];
      fits &= extent == 1 || (d >= lead && extent == shape[d - lead]);
    }
  }
  if (fits) return;
  throw value_error(
      fmt::format("shape mismatch: value array of shape {} could not be broadcast to indexing "
                  "result of shape {}",
                  to_string(value.shape()), to_string(shape)));
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

// Reads the items of an index expression from the left to the right.
class AdvancedReader {
 public:
  explicit AdvancedReader(const array& a) : a_(a), from_(a.layout()), offset_(from_.offset) {}

  void read(const IndexItem& item) {
    switch (item.kind) {
      case ItemKind::integer:
        return read_integer(item.integer);
      case ItemKind::slice:
        return read_slice(item.slice);
      case ItemKind::new_axis:
        return keep(1, 0);
      case ItemKind::array: {
        const array indices = on_device("index", *item.indices, a_.device());
        if (indices.dtype() == Dtype::bool_) return read_mask(indices);
        if (!item.in_bounds) unchecked_.push_back({*item.indices, axis_, terms_.size()});
        return move_along(as_places(indices));
      }
      case ItemKind::ellipsis:
        gap_ = first_place_ >= 0;
        return;
    }
  }

  void check() const { static_cast<void>(broadcast_indices(terms_)); }

  Advanced result(const array* value_to_write) {
    const Dims index_shape = broadcast_indices(terms_);
    Advanced result;
    result.place = adjacent_ ? first_place_ : 0;
    result.index_dims = index_shape.size();
    result.rest = with_index_dims(index_shape, result.place);
    check_result(result.rest);
    if (value_to_write) check_value(*value_to_write, result.rest.shape);
    // Indices that broadcasting leaves unused are not looked at, as in NumPy.
    if (size_of(index_shape) != 0) {
      const bool used = size_of(shape_) != 0;
      for (const GivenIndices& given : unchecked_)
        check_or_report(given, a_.device(), terms_, used);
    }
    for (const Term& term : terms_) add_term(result, term);
    return result;
  }

 private:
  // A dimension that basic indexing leaves.
  void keep(std::int64_t extent, std::int64_t stride) {
    shape_.push_back(extent);
    strides_.push_back(stride);
    gap_ = first_place_ >= 0;
  }

  void read_slice(const Slice& slice) {
    const auto [first, count] = slice.of(from_.shape[axis_]);
    offset_ += first * from_.strides[axis_];
    keep(count, scaled_stride(from_.strides[axis_], slice.step));
    ++axis_;
  }

  // Beside index arrays an integer is one of them.
  void read_integer(std::int64_t index) {
    const auto place = place_along(index, axis_, from_.shape[axis_]);
    move_along(full({}, place, Dtype::int64, a_.device()));
  }

  void read_mask(const array& mask) {
    if (mask.ndim() == 0) {
      const auto count = static_cast<std::int64_t>(mask.item<bool>());
      return move({full({count}, 0, Dtype::int64, a_.device()), 1, 0});
    }
    check_mask(mask, from_, axis_);
    for (array& found : nonzero(mask)) move_along(std::move(found));
  }

  // Indices along the next axis.
  void move_along(array indices) {
    move({std::move(indices), from_.shape[axis_], from_.strides[axis_]});
    ++axis_;
  }

  void move(Term term) {
    if (first_place_ < 0) first_place_ = shape_.size();
    if (gap_) adjacent_ = false;
    terms_.push_back(std::move(term));
  }

  // What basic indexing leaves, with the dimensions of the index arrays before that at `place`.
  Layout with_index_dims(const Dims& index_shape, std::int64_t place) const {
    Layout out;
    out.offset = offset_;
    for (std::int64_t d = 0; d <= shape_.size(); ++d) {
      if (d == place) {
        for (const auto extent : index_shape) {
          out.shape.push_back(extent);
          out.strides.push_back(0);
        }
      }
      if (d < shape_.size()) {
        out.shape.push_back(shape_[d]);
        out.strides.push_back(strides_[d]);
      }
    }
    return out;
  }

  // The term over all dimensions of the result.
  void add_term(Advanced& result, const Term& term) const {
    Layout layout = term.indices.layout();
    for (std::int64_t d = result.place; d < shape_.size(); ++d) {
      layout.shape.push_back(1);
      layout.strides.push_back(0);
    }
    const array widened(term.indices.shared_storage(), layout, Dtype::int64);
    result.terms.indices.push_back(widened.broadcast_to(result.rest.shape));
    result.terms.params.push_back(term.extent);
    result.terms.params.push_back(term.stride);
    result.terms.reports.push_back(term.report);
  }

  const array& a_;
  const Layout& from_;
  Dims shape_, strides_;  // of what basic indexing leaves
  std::int64_t offset_, axis_ = 0;
  std::vector<Term> terms_;
  std::vector<GivenIndices> unchecked_;
  std::int64_t first_place_ = -1;  // where the index dimensions go if the indices are adjacent
  bool adjacent_ = true, gap_ = false;
};

}  // namespace

Advanced resolve_advanced(const array& a, std::span<const IndexItem> items,
                          const array* value_to_write) {
  AdvancedReader reader(a);
  for (const IndexItem& item : items) reader.read(item);
  return reader.result(value_to_write);
}

void check_expression(const array& a, std::span<const IndexItem> items) {
  AdvancedReader reader(a);
  for (const IndexItem& item : expand_ellipsis(items, a.ndim())) reader.read(item);
  reader.check();
}

}  // namespace heddle
