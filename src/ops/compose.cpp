#include "ops/compose.h"

#include <algorithm>
#include <span>
#include <vector>

#include "ops/creation.h"
#include "ops/sorting.h"
#include "runtime/device.h"
#include <heddle/errors.h>
#include <heddle/indexing.h>
#include <heddle/manipulation.h>

namespace heddle {

array as_array(const Input& input, Dtype dtype) {
  return input.is_scalar() ? array(*input.scalar_, dtype) : as_type(*input.array_, dtype);
}

OneAxis one_axis(std::string_view op, const array& a, std::optional<std::int64_t> axis) {
  if (!axis || a.ndim() == 0) {
    return {a.reshape({a.size()}), normalize_axis(op, axis.value_or(0), 1)};
  }
  return {a, normalize_axis(op, *axis, a.ndim())};
}

array from_dims(const Dims& values, const array& beside) {
  return to_device(array(std::span(values.begin(), values.end())), beside.device());
}

array along(const array& a, const array& places, std::int64_t axis) {
  if (axis == a.ndim() - 1) return take_in_rows(a, places);
  return swapaxes(take_in_rows(swapaxes(a, axis, -1), swapaxes(places, axis, -1)), axis, -1);
}

array parts_at(const array& a, const array& places, std::int64_t axis) {
  std::vector<IndexItem> items(static_cast<std::size_t>(axis), index_item(Slice{}));
  items.push_back(index_item(places));
  items.back().in_bounds = true;
  return get_item(a, items);
}

array along_axes(const array& weights, const array& a, const Dims& axes) {
  Dims extents, order, shape(a.ndim(), 1);
  for (auto d : axes) extents.push_back(a.shape()[d]);
  if (weights.shape() != extents) {
    throw value_error("Shape of weights must be consistent with shape of a along specified axis.");
  }
  for (std::int64_t i = 0; i < axes.size(); ++i) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](auto i, auto j) { return axes[i] < axes[j]; });
  for (auto d : axes) shape[d] = a.shape()[d];
  return weights.transpose(order).reshape(shape);
}

void check_vector(const array& a) {
  if (a.ndim() == 1) return;
  throw value_error(a.ndim() > 1 ? "object too deep for desired array"
                                 : "object of too small depth for desired array");
}

}  // namespace heddle
