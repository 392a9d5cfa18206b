#include "ops/index_terms.h"

#include <algorithm>
#include <optional>

#include "graph/make.h"
#include "ops/elementwise.h"
#include "ops/reported.h"
#include "runtime/device.h"

namespace heddle {

bool IndexTerms::checked() const {
  return std::all_of(reports.begin(), reports.end(), [](auto address) { return address == 0; });
}

std::int64_t report_indices(Device& device, std::int64_t axis, std::int64_t extent) {
  return open_report(device, Reports::Use::of_index(axis, extent));
}

Operand place_operand(const IndexTerms& terms, std::size_t i, Operand index, const Dims& shape,
                      Device& device) {
  auto report = terms.reports[static_cast<std::int64_t>(i)];
  if (report == 0) return index;
  Operand operands[3] = {std::move(index)};
  auto number = [](std::int64_t value) {
    return graph::number({Dtype::int64, {{static_cast<std::uint64_t>(value), 0}}});
  };
  operands[1] = number(terms.extent(i));
  operands[2] = number(report);
  Operand place;
  place.dtype = Dtype::int64;
  place.value = graph::make(Op::bounded, Dtype::int64, shape, device, operands);
  return place;
}

array all_inside(const IndexTerms& terms) {
  std::optional<array> inside;
  for (std::size_t i = 0; i < terms.indices.size(); ++i) {
    if (terms.reports[static_cast<std::int64_t>(i)] == 0) continue;
    const array& index = terms.indices[i];
    auto extent = terms.extent(i);
    array one =
        elementwise(Op::bitwise_and, {elementwise(Op::greater_equal, {index, Scalar(-extent)}),
                                      elementwise(Op::less, {index, Scalar(extent)})});
    inside = inside ? elementwise(Op::bitwise_and, {*inside, one}) : one;
  }
  return *inside;
}

}  // namespace heddle
