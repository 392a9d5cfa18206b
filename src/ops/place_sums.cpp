#include "ops/place_sums.h"

#include <optional>

#include "graph/make.h"
#include "graph/storage.h"
#include "ops/creation.h"
#include "ops/deferred.h"
#include "ops/elementwise.h"
#include "ops/index_terms.h"
#include "ops/placement.h"
#include "ops/write.h"
#include "runtime/device.h"
#include "runtime/sorting.h"
#include <heddle/indexing.h>
#include <heddle/reductions.h>
#include <heddle/sorting.h>

namespace heddle {

namespace {

constexpr std::int64_t few = 256;  // devices write them one after the other
// Places for each value from which on the values are sorted, instead of counting at all places.
constexpr std::int64_t sparse = 32;

// The part of a storage that a write may reach.
struct Reach {
  std::int64_t first, count;
};

Reach reach_of(const Layout& rest, const IndexTerms& terms) {
  std::int64_t first = rest.offset, last = rest.offset;
  auto extend = [&](std::int64_t extent, std::int64_t stride) {
    (stride < 0 ? first : last) += (extent - 1) * stride;
  };
  for (std::int64_t d = 0; d < rest.ndim(); ++d) extend(rest.shape[d], rest.strides[d]);
  for (std::size_t i = 0; i < terms.indices.size(); ++i)
    extend(terms.extent(i), terms.params[2 * static_cast<std::int64_t>(i) + 1]);
  return {first, last - first + 1};
}

// The i-th index, not negative, over the space of the write.
array place_along(const IndexTerms& terms, std::size_t i, const Dims& shape, Device& device) {
  const array index = terms.indices[i].broadcast_to(shape);
  if (terms.reports[static_cast<std::int64_t>(i)] == 0) {
    return where(elementwise(Op::less, {index, Scalar(0)}),
                 elementwise(Op::add, {index, Scalar(terms.extent(i))}), index);
  }
  Operand operand = graph::reading(index.storage().value(), index.dtype(), index.layout());
  Operand place = place_operand(terms, i, std::move(operand), shape, device);
  return deferred(std::move(place.value), contiguous_layout(shape), is_exported(index));
}

// Where each value goes, counted from the first place within reach: one dimension.
array places_of(const Layout& rest, const IndexTerms& terms, const Reach& reach, Device& device) {
  array total = full(rest.shape, rest.offset - reach.first, Dtype::int64, device);
  auto add = [&](const array& index, std::int64_t stride) {
    total = elementwise(Op::add, {total, elementwise(Op::multiply, {index, Scalar(stride)})});
  };
  for (std::size_t i = 0; i < terms.indices.size(); ++i) {
    add(place_along(terms, i, rest.shape, device),
        terms.params[2 * static_cast<std::int64_t>(i) + 1]);
  }
  for (std::int64_t d = 0; d < rest.ndim(); ++d) {
    if (rest.strides[d] != 0 && rest.shape[d] > 1)
      add(index_along(rest.shape, d, device), rest.strides[d]);
  }
  return total.reshape({-1});
}

// sums[b] of the values whose bin is b.
array sums_of(const array& bins, const array& values, std::int64_t count) {
  if (!is_complex(values.dtype())) return count_bins(bins, count, values);
  const array real = count_bins(bins, count, elementwise(Op::real, {values}));
  const array imaginary = count_bins(bins, count, elementwise(Op::imag, {values}));
  const Input parts[] = {real, imaginary};
  return elementwise_as(Op::make_complex, parts, Dtype::float64, Dtype::complex128);
}

// Rounded once.
array difference(const array& there, const array& sums) {
  array exact = elementwise(Op::subtract, {cast(there, sums.dtype()), sums});
  return exact.dtype() == there.dtype() ? exact : cast(exact, there.dtype());
}

// Equal places become neighbours and have one sum; each of them writes it.
void add_sorted(const array& region, const array& places, const array& values) {
  const std::int64_t n = places.size();
  array order = argsort(places);
  array sorted = take(places, order);
  array before = elementwise(
      Op::maximum,
      {elementwise(Op::subtract, {index_along({n}, 0, places.device()), Scalar(1)}), Scalar(0)});
  array begins = elementwise(Op::not_equal, {sorted, take(sorted, before)});
  array number = cumsum(cast(begins, Dtype::int64));
  array sums = take(sums_of(number, take(values, order), n), number);
  IndexTerms at{{sorted}, {region.size(), 1}, {0}};
  Layout rest{{n}, {0}, region.layout().offset};
  write_at(region, rest, at, difference(take(region, sorted), sums));
}

}  // namespace

bool sums_by_counting(const array& target, const Layout& rest, const array& value, Op op) {
  return (op == Op::add || op == Op::subtract) && is_inexact(value.dtype()) &&
         is_inexact(target.dtype()) && size_of(rest.shape) > few &&
         !target.device().host_accessible() && target.device().sorting().counts_sums();
}

void add_by_counting(const array& target, const Layout& rest, const IndexTerms& terms,
                     const array& value, Op op) {
  Device& device = target.device();
  const Reach reach = reach_of(rest, terms);
  array places = places_of(rest, terms, reach, device);
  array values = on_device("assignment", value, device);
  values = cast(values, is_complex(values.dtype()) ? Dtype::complex128 : Dtype::float64);
  // Always subtracted: x - 0.0 is x, for -0.0 as well, and most places may have no value at all.
  if (op == Op::add) values = elementwise(Op::negative, {values});
  values = values.broadcast_to(rest.shape);
  if (!terms.checked()) values = where(all_inside(terms), values, Scalar(0.0));
  values = values.reshape({-1});
  const array region = target.view_as(Layout{{reach.count}, {1}, reach.first}, target.dtype());
  if (reach.count > sparse * places.size()) return add_sorted(region, places, values);
  write(region, difference(region, sums_of(places, values, reach.count)));
}

}  // namespace heddle
