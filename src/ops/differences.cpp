// Differences, gradients and integrals along an axis.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ops/compose.h"
#include "ops/creation.h"
#include "ops/reduction.h"
#include "ops/write.h"
#include <heddle/errors.h>
#include <heddle/indexing.h>
#include <heddle/manipulation.h>
#include <heddle/mathematics.h>
#include <heddle/ufuncs.h>

namespace heddle {

namespace {

using Bound = std::optional<std::int64_t>;

array part(const array& a, std::int64_t axis, Bound first, Bound end) {
  return a.slice(axis, Slice{first, end});
}

// A vector along one axis of so many.
array along_axis(const array& vector, std::int64_t axis, std::int64_t rank) {
  Dims shape(rank, 1);
  shape[axis] = vector.size();
  return vector.reshape(shape);
}

}  // namespace

array diff(const array& a, std::int64_t n, std::int64_t axis) {
  if (n == 0) return a;
  if (n < 0) throw value_error(fmt::format("order must be non-negative but got {}", n));
  if (a.ndim() == 0) throw value_error("diff requires input that is at least one dimensional");
  axis = normalize_axis("diff", axis, a.ndim());
  const Op minus = a.dtype() == Dtype::bool_ ? Op::not_equal : Op::subtract;
  array result = a;
  for (std::int64_t i = 0; i < n; ++i) {
    const array after = part(result, axis, 1, {}), before = part(result, axis, {}, -1);
    result = elementwise(minus, {after, before});
  }
  return result;
}

array diff(const array& a, std::int64_t n, std::int64_t given, const std::optional<array>& prepend,
           const std::optional<array>& append) {
  if (!prepend && !append) return diff(a, n, given);
  if (a.ndim() == 0) throw value_error("diff requires input that is at least one dimensional");
  const auto axis = normalize_axis("diff", given, a.ndim());
  std::vector<array> parts;
  auto add = [&](const array& extra) {
    Dims shape = a.shape();
    shape[axis] = 1;
    parts.push_back(extra.ndim() == 0 ? extra.broadcast_to(shape) : extra);
  };
  if (prepend) add(*prepend);
  parts.push_back(a);
  if (append) add(*append);
  return diff(concatenate(parts, axis), n, axis);
}

array ediff1d(const array& given, const std::optional<array>& to_end,
              const std::optional<array>& to_begin) {
  const array a = ravel(given);
  std::vector<array> parts;
  auto add = [&](const char* name, const std::optional<array>& ends) {
    if (!ends) return;
    if (!can_cast(ends->dtype(), a.dtype(), Casting::same_kind)) {
      throw type_error(fmt::format(
          "dtype of `{}` must be compatible with input `ary` under the `same_kind` rule.", name));
    }
    parts.push_back(ravel(as_type(*ends, a.dtype())));
  };
  add("to_begin", to_begin);
  parts.push_back(part(a, 0, 1, {}) - part(a, 0, {}, -1));
  add("to_end", to_end);
  return parts.size() == 1 ? parts[0] : concatenate(parts);
}

// --- gradients ---

namespace {

// a / number; where that is exact by the reciprocal, which takes less time, or not at all.
array divided(array a, double number) {
  if (number == 1) return a;
  int exponent = 0;
  const double fraction = std::frexp(number, &exponent);
  const bool power_of_two = std::abs(fraction) == 0.5 && std::abs(exponent - 1) <= 8;
  const bool exact = power_of_two && !is_complex(a.dtype());
  return exact ? a * (1 / number) : a / number;
}
array divided(const array& a, const array& number) { return a / number; }

// The slopes along one axis: of f, written into `to` part by part.
struct Slopes {
  const array& f;
  const array& to;
  std::int64_t axis;

  array at(Bound first, Bound end) const { return part(f, axis, first, end); }
  void put(Bound first, Bound end, array value) const {
    write(part(to, axis, first, end), std::move(value));
  }
  // Lines through the first two elements, and through the last two.
  template <class T>
  void straight_ends(const T& first, const T& last) const {
    put(0, 1, divided(at(1, 2) - at(0, 1), first));
    put(-1, {}, divided(at(-1, {}) - at(-2, -1), last));
  }
  // Parabolas through three; weights of those at each end, from the left.
  template <class T>
  void curved_ends(const T (&left)[3], const T (&right)[3]) const {
    put(0, 1, left[0] * at(0, 1) + left[1] * at(1, 2) + left[2] * at(2, 3));
    put(-1, {}, right[0] * at(-3, -2) + right[1] * at(-2, -1) + right[2] * at(-1, {}));
  }
};

template <class T>
void even_slopes(const Slopes& slopes, const T& step, int edge_order) {
  slopes.put(1, -1, divided(slopes.at(2, {}) - slopes.at({}, -2), 2.0 * step));
  if (edge_order == 1) return slopes.straight_ends(step, step);
  slopes.curved_ends<T>({-1.5 / step, 2.0 / step, -0.5 / step},
                        {0.5 / step, -2.0 / step, 1.5 / step});
}

void uneven_slopes(const Slopes& slopes, const array& steps, int edge_order) {
  const array before = part(steps, 0, {}, -1), after = part(steps, 0, 1, {});
  auto weight = [&](const array& w) { return along_axis(w, slopes.axis, slopes.f.ndim()); };
  const array a = weight(-after / (before * (before + after)));
  const array b = weight((after - before) / (before * after));
  const array c = weight(before / (after * (before + after)));
  slopes.put(1, -1, a * slopes.at({}, -2) + b * slopes.at(1, -1) + c * slopes.at(2, {}));
  if (edge_order == 1) return slopes.straight_ends(steps[0], steps[-1]);
  const array one = steps[0], two = steps[1], last = steps[-1], inner = steps[-2];
  slopes.curved_ends<array>({-(2.0 * one + two) / (one * (one + two)), (one + two) / (one * two),
                             -one / (two * (one + two))},
                            {last / (inner * (inner + last)), -(last + inner) / (inner * last),
                             (2.0 * last + inner) / (last * (inner + last))});
}

array gradient_along(const array& f, std::int64_t axis, const Distance& distance, int edge_order) {
  const array result = empty(f.shape(), f.dtype(), f.device());
  const Slopes slopes{f, result, axis};
  if (!distance.coordinates()) {
    even_slopes(slopes, distance.step(), edge_order);
    return result;
  }
  array x = *distance.coordinates();
  if (x.ndim() == 0) {
    even_slopes(slopes, x, edge_order);
    return result;
  }
  if (x.ndim() != 1) throw value_error("distances must be either scalars or 1d");
  if (x.size() != f.shape()[axis]) {
    throw value_error("when 1d, distances must match the length of the corresponding dimension");
  }
  if (is_integer(x.dtype())) x = cast(x, Dtype::float64);
  const array steps = diff(x);
  // Equal steps count as one number, as in NumPy.
  const bool equal = steps.size() > 0 && all(steps == steps[0]).item<bool>();
  if (equal) {
    even_slopes(slopes, steps[0].item<double>(), edge_order);
  } else {
    uneven_slopes(slopes, steps, edge_order);
  }
  return result;
}

}  // namespace

std::vector<array> gradient(const array& given, const std::vector<Distance>& distances,
                            const Axes& axis, int edge_order) {
  Dims axes;
  axis_mask("gradient", axis.list(), given.ndim());  // no axis twice
  if (axis.list()) {
    for (auto d : *axis.list()) axes.push_back(normalize_axis("gradient", d, given.ndim()));
  } else {
    for (std::int64_t d = 0; d < given.ndim(); ++d) axes.push_back(d);
  }
  const bool one = distances.size() == 1 &&
                   (!distances[0].coordinates() || distances[0].coordinates()->ndim() == 0);
  if (!distances.empty() && !one && static_cast<std::int64_t>(distances.size()) != axes.size()) {
    throw type_error("invalid number of arguments");
  }
  if (edge_order > 2) throw value_error("'edge_order' greater than 2 not supported");
  const array f = is_integer(given.dtype()) ? cast(given, Dtype::float64) : given;
  std::vector<array> found;
  for (std::int64_t i = 0; i < axes.size(); ++i) {
    if (f.shape()[axes[i]] < edge_order + 1) {
      throw value_error(
          "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) "
          "elements are required.");
    }
    const Distance distance = distances.empty() ? Distance(1.0)
                              : one             ? distances[0]
                                                : distances[static_cast<std::size_t>(i)];
    found.push_back(gradient_along(f, axes[i], distance, edge_order));
  }
  return found;
}

// --- integrals ---

namespace {

// An axis that is counted from the last one is so in the terms, too, where the steps have more
// dimensions.
template <class T>
array trapezoids(const array& y, const T& step, std::int64_t given) {
  const auto axis = normalize_axis("trapezoid", given, y.ndim());
  const array terms = step * (part(y, axis, 1, {}) + part(y, axis, {}, -1)) / 2.0;
  return sum(terms, {.axis = given});
}

}  // namespace

array trapezoid(const array& y, double dx, std::int64_t axis) { return trapezoids(y, dx, axis); }

array trapezoid(const array& y, const array& x, std::int64_t axis) {
  if (x.ndim() != 1) return trapezoids(y, diff(x, 1, axis), axis);
  const auto along = normalize_axis("trapezoid", axis, y.ndim());
  return trapezoids(y, along_axis(diff(x), along, y.ndim()), axis);
}

array unwrap(const array& p, std::optional<Scalar> discont, std::int64_t given, Scalar period) {
  const auto axis = normalize_axis("unwrap", given, p.ndim());
  const array steps = diff(p, 1, axis);
  const Input inputs[] = {steps, period};
  const Dtype type = common_type(inputs);
  const bool exact = is_integer(type), odd = exact && period.integer() % 2 != 0;
  const Scalar high = exact ? Scalar(period.integer() / 2) : Scalar(period.real() / 2);
  const Scalar low = exact ? Scalar(-high.integer()) : Scalar(-high.real());
  array rest = remainder(steps - low, period) + low;
  // A jump of exactly half a period keeps its sign.
  if (!odd) rest = where(logical_and(rest == low, steps > 0), high, rest);
  const Scalar bound = discont.value_or(Scalar(period.real() / 2));
  const array correction = where(absolute(steps) < bound, Scalar(0), rest - steps);
  array result = as_type(p, type).copy();
  write(
      part(result, axis, 1, {}),
      part(p, axis, 1, {}) + scan(Op::add, correction, axis, reduction_type(Op::add, correction)));
  return result;
}

array cross(const array& given_a, const array& given_b, std::int64_t axis_of_a,
            std::int64_t axis_of_b, std::int64_t axis_of_result) {
  if (given_a.ndim() < 1 || given_b.ndim() < 1) {
    throw value_error("At least one array has zero dimension");
  }
  const array a = moveaxis(given_a, axis_of_a, -1), b = moveaxis(given_b, axis_of_b, -1);
  auto components = [](const array& v) {
    std::vector<array> found;
    if (v.shape(-1) != 2 && v.shape(-1) != 3) {
      throw value_error("incompatible dimensions for cross product\n(dimension must be 2 or 3)");
    }
    for (std::int64_t i = 0; i < v.shape(-1); ++i) {
      found.push_back(squeeze(v.slice(-1, Slice{i, i + 1}), -1));
    }
    return found;
  };
  auto x = components(a), y = components(b);
  if (x.size() == 2 && y.size() == 2) return x[0] * y[1] - x[1] * y[0];
  std::vector<array> parts;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto j = (i + 1) % 3, k = (i + 2) % 3;
    // A third component that is not there makes no term: zero times infinity would be nan.
    const bool first = j < x.size() && k < y.size(), second = k < x.size() && j < y.size();
    parts.push_back(first && second ? x[j] * y[k] - x[k] * y[j]
                    : first         ? x[j] * y[k]
                                    : negative(x[k] * y[j]));
  }
  return moveaxis(stack(parts, -1), -1, axis_of_result);
}

}  // namespace heddle
