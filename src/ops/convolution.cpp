// Convolution, as products of matrices of windows. It is bilinear, and its derivatives are two
// bilinear functions of the same kind: what a cotangent of the result gives the input, and what it
// gives the kernel. Each of the three is a step whose rule is made of the other two.
#include <heddle/convolution.h>

#include <algorithm>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "graph/batch.h"
#include "graph/derivative.h"
#include "graph/recorder.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/linear.h"
#include "ops/placement.h"
#include "ops/reduction.h"
#include "ops/window_products.h"
#include "ops/write.h"
#include "runtime/device.h"
#include <heddle/errors.h>
#include <heddle/manipulation.h>

namespace heddle {

namespace {

// A convolution with the extents of its input and its kernel along the axes that windows move over;
// padding is not negative.
struct Geometry final : Parameters {
  Convolution how;
  Dims input, kernel;

  std::int64_t axes() const { return kernel.size(); }
  // With zeros in between.
  std::int64_t dilated(std::int64_t d) const {
    return input[d] == 0 ? 0 : (input[d] - 1) * how.input_dilation[d] + 1;
  }
  std::int64_t reach(std::int64_t d) const {
    return kernel[d] == 0 ? 0 : (kernel[d] - 1) * how.kernel_dilation[d] + 1;
  }
  std::int64_t padded(std::int64_t d) const { return dilated(d) + how.before[d] + how.after[d]; }
  std::int64_t windows(std::int64_t d) const {
    const auto room = padded(d) - reach(d);
    return room < 0 ? 0 : room / how.strides[d] + 1;
  }

  void write_key(std::vector<std::uint64_t>& key) const override {
    for (const Dims* dims : {&how.strides, &how.before, &how.after, &how.input_dilation,
                             &how.kernel_dilation, &input, &kernel}) {
      key.push_back(static_cast<std::uint64_t>(dims->size()));
      for (auto word : *dims) key.push_back(static_cast<std::uint64_t>(word));
    }
    key.push_back(static_cast<std::uint64_t>(how.groups));
  }
};

// (batch, extents..., channels) of the extents that `of` gives for each axis.
template <class Of>
Dims shape_with(std::int64_t batch, const Geometry& g, const Of& of, std::int64_t channels) {
  Dims shape{batch};
  for (std::int64_t d = 0; d < g.axes(); ++d) shape.push_back(of(d));
  shape.push_back(channels);
  return shape;
}

// The channels as groups: one more axis before the last.
array in_groups(const array& a, std::int64_t groups) {
  Dims shape = a.shape();
  shape.back() = groups;
  shape.push_back(a.shape(-1) / groups);
  return a.reshape(shape);
}

array without_groups(const array& a) {
  Dims shape = a.shape();
  const auto last = shape.back();
  shape.pop_back();
  shape.back() *= last;
  return a.reshape(shape);
}

// Of an array over the padded input, the elements that are those of the input.
array inside(array padded, const Geometry& g) {
  for (std::int64_t d = 0; d < g.axes(); ++d) {
    const auto first = g.how.before[d];
    padded = padded.slice(d + 1, {first, first + g.dilated(d), g.how.input_dilation[d]});
  }
  return padded;
}

// The input with zeros around it and in between.
array padded(const array& x, const Geometry& g) {
  const Dims shape = shape_with(x.shape(0), g, [&](auto d) { return g.padded(d); }, x.shape(-1));
  if (shape == x.shape()) {
    const bool side_by_side = x.layout().strides.back() == 1 || x.shape(-1) == 1;
    return side_by_side ? x : dense(x, x.dtype());
  }
  array made = full(shape, Scalar(0), x.dtype(), x.device());
  write(inside(made, g), x);
  return made;
}

// What a window has at one place of the kernel, for all windows: (batch, windows..., channels).
array at_place(array padded, const Geometry& g, const Dims& place) {
  for (std::int64_t d = 0; d < g.axes(); ++d) {
    const auto first = place[d] * g.how.kernel_dilation[d], step = g.how.strides[d];
    padded = padded.slice(d + 1, {first, first + (g.windows(d) - 1) * step + 1, step});
  }
  return padded;
}

// The places of the kernel, in C order.
std::vector<Dims> places_of(const Geometry& g) {
  std::vector<Dims> places{Dims{}};
  for (std::int64_t d = 0; d < g.axes(); ++d) {
    std::vector<Dims> more;
    for (const Dims& place : places) {
      for (std::int64_t i = 0; i < g.kernel[d]; ++i) {
        more.push_back(place);
        more.back().push_back(i);
      }
    }
    places = std::move(more);
  }
  return places;
}

// All windows of a padded input, as a view: (groups, batch, windows..., kernel..., channels), or
// without the first axis where there is one group.
array windows_of(const array& x, const Geometry& g) {
  const Layout& from = x.layout();
  const auto groups = g.how.groups, last = g.axes() + 1, channels = from.shape[last] / groups;
  Layout made;
  made.offset = from.offset;
  if (groups > 1) {
    made.shape.push_back(groups);
    made.strides.push_back(from.strides[last] * channels);
  }
  made.shape.push_back(from.shape[0]);
  made.strides.push_back(from.strides[0]);
  for (std::int64_t d = 0; d < g.axes(); ++d) {
    made.shape.push_back(g.windows(d));
    made.strides.push_back(from.strides[d + 1] * g.how.strides[d]);
  }
  for (std::int64_t d = 0; d < g.axes(); ++d) {
    made.shape.push_back(g.kernel[d]);
    made.strides.push_back(from.strides[d + 1] * g.how.kernel_dilation[d]);
  }
  made.shape.push_back(channels);
  made.strides.push_back(from.strides[last]);
  return x.view_as(made, x.dtype());
}

WindowAxes axes_of(const Geometry& g) { return {g.how.groups > 1 ? 1 : 0, g.axes() + 1}; }

// The kernel as matrices, from channels of windows to features: (k, n), or a stack of groups.
array kernel_matrix(const array& kernel, const Geometry& g) {
  const auto groups = g.how.groups;
  if (groups == 1) return kernel.reshape({kernel.size() / kernel.shape(-1), kernel.shape(-1)});
  const array stacked = moveaxis(in_groups(kernel, groups), -2, 0);
  return stacked.reshape({groups, kernel.size() / kernel.shape(-1), kernel.shape(-1) / groups});
}

// With a group for each channel there are no matrices: each place of the kernel is a factor.
bool is_by_channel(const array& kernel, const Geometry& g) {
  return g.how.groups > 1 && kernel.shape(-2) == 1;
}

// Of a kernel by channels, the factors at a place: (channels, features of each).
array factors_at(const array& kernel, const Geometry& g, const Dims& place) {
  array made = kernel;
  for (std::int64_t d = 0; d < g.axes(); ++d) made = made[place[d]];
  return in_groups(made[0], g.how.groups);
}

array multiplied(const array& a, const array& b) { return elementwise(Op::multiply, {a, b}); }
array summed(const array& a, std::uint64_t axes) {
  return reduce(Op::add, a, axes, false, a.dtype());
}
void add_to(const array& target, const array& value) {
  write(target, elementwise(Op::add, {target, value}));
}

array result_of(const array& x, const array& kernel, const Geometry& g) {
  const Dims shape =
      shape_with(x.shape(0), g, [&](auto d) { return g.windows(d); }, kernel.shape(-1));
  if (size_of(shape) == 0 || kernel.size() == 0) {
    return full(shape, Scalar(0), x.dtype(), x.device());
  }
  const array input = padded(x, g);
  if (!is_by_channel(kernel, g)) {
    const array made = window_product(windows_of(input, g), axes_of(g), kernel_matrix(kernel, g));
    return g.how.groups == 1 ? made : without_groups(moveaxis(made, 0, -2));
  }
  std::optional<array> sum;
  for (const Dims& place : places_of(g)) {
    array term =
        multiplied(expand_dims(at_place(input, g, place), -1), factors_at(kernel, g, place));
    sum = sum ? elementwise(Op::add, {*sum, term}) : std::move(term);
  }
  return without_groups(*sum);
}

// A kernel from features to channels, turned round.
array turned(const array& kernel, const Geometry& g) {
  const auto groups = g.how.groups;
  Dims order;
  for (std::int64_t d = 0; d < g.axes(); ++d) order.push_back(d);
  array made = flip(kernel, Axes(order));
  if (groups == 1) return swapaxes(made, -1, -2);
  return without_groups(swapaxes(in_groups(made, groups), -1, -3));
}

// Windows that move by one element at a time: a convolution of the cotangent.
array input_by_convolution(const array& cotangent, const array& kernel, const Geometry& g) {
  Convolution how;
  how.strides = g.how.input_dilation;
  how.kernel_dilation = g.how.kernel_dilation;
  how.groups = g.how.groups;
  for (std::int64_t d = 0; d < g.axes(); ++d) {
    const auto before = g.reach(d) - 1 - g.how.before[d];
    how.before.push_back(before);
    how.after.push_back(g.dilated(d) - 1 + g.reach(d) - before - cotangent.shape()[d + 1]);
  }
  return conv(cotangent, turned(kernel, g), how);
}

array input_of(const array& cotangent, const array& kernel, const Geometry& g) {
  const auto groups = g.how.groups, channels = kernel.shape(-2) * groups;
  const Dims shape =
      shape_with(cotangent.shape(0), g, [&](auto d) { return g.input[d]; }, channels);
  if (size_of(shape) == 0 || cotangent.size() == 0 || kernel.size() == 0) {
    return full(shape, Scalar(0), kernel.dtype(), kernel.device());
  }
  const bool by_channel = is_by_channel(kernel, g);
  const auto& strides = g.how.strides;
  if (!by_channel && std::ranges::all_of(strides, [](auto stride) { return stride == 1; })) {
    return input_by_convolution(cotangent, kernel, g);
  }
  // What each window gives its elements, added up place by place.
  const auto batch = cotangent.shape(0);
  const array sums = full(shape_with(
                              batch, g, [&](auto d) { return g.padded(d); }, channels),
                          Scalar(0), kernel.dtype(), kernel.device());
  if (by_channel) {
    const array given = in_groups(cotangent, groups);
    for (const Dims& place : places_of(g)) {
      add_to(at_place(sums, g, place), summed(multiplied(given, factors_at(kernel, g, place)),
                                              std::uint64_t{1} << (given.ndim() - 1)));
    }
    return inside(sums, g);
  }
  array rows = groups == 1 ? cotangent : moveaxis(in_groups(cotangent, groups), -2, 0);
  Dims split = rows.shape();
  split.pop_back();
  const array matrix = swapaxes(kernel_matrix(kernel, g), -1, -2);
  Dims flat = groups == 1 ? Dims{} : Dims{groups};
  flat.push_back(size_of(split) / groups);
  flat.push_back(rows.shape(-1));
  rows = blas_product(rows.reshape(flat), matrix);
  for (auto extent : g.kernel) split.push_back(extent);
  split.push_back(kernel.shape(-2));
  rows = rows.reshape(split);
  const auto first = g.axes() + (groups == 1 ? 1 : 2);
  for (const Dims& place : places_of(g)) {
    array at = rows;
    for (std::int64_t d = 0; d < g.axes(); ++d) {
      at = at.slice(first + d, {place[d], place[d] + 1});
    }
    Dims kept;
    for (std::int64_t d = 0; d < first; ++d) kept.push_back(split[d]);
    kept.push_back(split.back());
    at = at.reshape(kept);
    add_to(at_place(sums, g, place), groups == 1 ? at : without_groups(moveaxis(at, 0, -2)));
  }
  return inside(sums, g);
}

array kernel_of(const array& x, const array& cotangent, const Geometry& g) {
  const auto groups = g.how.groups, channels = x.shape(-1) / groups;
  Dims shape = g.kernel;
  shape.push_back(channels);
  shape.push_back(cotangent.shape(-1));
  if (size_of(shape) == 0 || x.size() == 0 || cotangent.size() == 0) {
    return full(shape, Scalar(0), x.dtype(), x.device());
  }
  const array input = padded(x, g);
  if (channels == 1 && groups > 1) {
    const array given = in_groups(cotangent, groups);
    std::uint64_t axes = 0;
    for (std::int64_t d = 0; d <= g.axes(); ++d) axes |= std::uint64_t{1} << d;
    std::vector<array> made;
    for (const Dims& place : places_of(g)) {
      made.push_back(summed(multiplied(expand_dims(at_place(input, g, place), -1), given), axes));
    }
    return stack(made).reshape(shape);
  }
  if (groups == 1) return window_sums(windows_of(input, g), axes_of(g), cotangent);
  const array given = moveaxis(in_groups(cotangent, groups), -2, 0);
  return without_groups(moveaxis(window_sums(windows_of(input, g), axes_of(g), given), 0, -2));
}

using Function = array (*)(const array&, const array&, const Geometry&);

array result_step(const array& x, const array& kernel, const Geometry& g);
array input_step(const array& cotangent, const array& kernel, const Geometry& g);
array kernel_step(const array& x, const array& cotangent, const Geometry& g);

// The rule of one of the three functions: what a cotangent of its result and its other operand give
// each operand.
template <Function first, Function second>
void pull(graph::Pullback& step) {
  const auto& g = step.node().parameters_as<Geometry>();
  const array given = *step.cotangent(0);
  if (step.wants(0)) step.give(0, first(given, step.operand(1), g));
  if (step.wants(1)) step.give(1, second(given, step.operand(0), g));
}

template <Function f>
array swapped_operands(const array& a, const array& b, const Geometry& g) {
  return f(b, a, g);
}

// All rows of a batch: as more of what the batch of the convolution has, where the kernel is the
// same for all, else as groups.
array merged_channels(const array& a) { return without_groups(moveaxis(a, 0, -2)); }

template <Function f, bool takes_kernel>
void batch(graph::Batch& step) {
  const auto& g = step.node().parameters_as<Geometry>();
  const auto rows = step.rows();
  const Dims shape = graph::with_rows(rows, step.shape_of_output());
  if (takes_kernel && !step.has_rows(1)) {
    const array x = step.operand(0);
    Dims flat{rows * x.shape(1)};
    for (std::int64_t d = 2; d < x.ndim(); ++d) flat.push_back(x.shape(d));
    step.give(0, f(x.reshape(flat), step.operand(1), g).reshape(shape));
    return;
  }
  Geometry of_all = g;
  of_all.how.groups *= rows;
  const array made = f(merged_channels(step.spread(0)), merged_channels(step.spread(1)), of_all);
  step.give(0, moveaxis(in_groups(made, rows), -2, 0));
}

// result(x, kernel), input(cotangent, kernel), kernel(x, cotangent).
const graph::Derivative of_result = {0b11, 0, pull<input_step, swapped_operands<kernel_step>>};
const graph::Derivative of_input = {0b11, 0, pull<result_step, kernel_step>};
const graph::Derivative of_kernel = {
    0b11, 0, pull<swapped_operands<input_step>, swapped_operands<result_step>>};

const Primitive result_primitive = {
    "convolution", graph::run_composed, &of_result, batch<result_step, true>, true, true};
const Primitive input_primitive = {
    "convolution_input", graph::run_composed, &of_input, batch<input_step, true>, true, true};
const Primitive kernel_primitive = {
    "convolution_kernel", graph::run_composed, &of_kernel, batch<kernel_step, false>, true, true};

// What the function computes, as a step with a rule of its own where somebody differentiates.
array as_step(const Primitive& primitive, Function f, const array& a, const array& b,
              const Geometry& g) {
  if (!differentiated()) return f(a, b, g);
  std::vector<array> results;
  {
    const Constant constant;
    results.push_back(f(a, b, g));
  }
  const array inputs[] = {a, b};
  return graph::composed(primitive, std::make_shared<Geometry>(g), inputs, results)[0];
}

array result_step(const array& x, const array& kernel, const Geometry& g) {
  return as_step(result_primitive, result_of, x, kernel, g);
}
array input_step(const array& cotangent, const array& kernel, const Geometry& g) {
  return as_step(input_primitive, input_of, cotangent, kernel, g);
}
array kernel_step(const array& x, const array& cotangent, const Geometry& g) {
  return as_step(kernel_primitive, kernel_of, x, cotangent, g);
}

void check(const array& x, const array& kernel, const Convolution& how) {
  const auto axes = kernel.ndim() - 2;
  if (axes < 0 || x.ndim() != kernel.ndim()) {
    throw value_error(fmt::format("conv: an input of shape {} and a kernel of shape {}",
                                  to_string(x.shape()), to_string(kernel.shape())));
  }
  for (const Dims* dims :
       {&how.strides, &how.input_dilation, &how.kernel_dilation, &how.before, &how.after}) {
    if (!dims->empty() && dims->size() != axes) {
      throw value_error(
          fmt::format("conv: {} numbers for {} axes that windows move over", dims->size(), axes));
    }
  }
  for (const Dims* dims : {&how.strides, &how.input_dilation, &how.kernel_dilation}) {
    if (std::ranges::any_of(*dims, [](auto step) { return step < 1; })) {
      throw value_error("conv: strides and dilations are positive");
    }
  }
  const auto groups = how.groups;
  if (groups < 1 || x.shape(-1) != kernel.shape(-2) * groups || kernel.shape(-1) % groups != 0) {
    throw value_error(fmt::format(
        "conv: an input of {} channels, and a kernel of {} channels and {} features in {} groups",
        x.shape(-1), kernel.shape(-2), kernel.shape(-1), groups));
  }
}

Dims or_all(const Dims& dims, std::int64_t axes, std::int64_t usual) {
  return dims.empty() ? Dims(axes, usual) : dims;
}

// Negative padding leaves elements out: what is left of the input, and padding that is not
// negative.
array cropped(array x, Convolution& how) {
  for (std::int64_t d = 0; d < how.before.size(); ++d) {
    const auto step = how.input_dilation[d];
    auto less = [&](std::int64_t& padding) {
      if (padding >= 0) return std::int64_t{0};
      const auto elements = (-padding + step - 1) / step;
      padding += elements * step;
      return elements;
    };
    const auto first = less(how.before[d]);
    const auto last = std::max(first, x.shape()[d + 1] - less(how.after[d]));
    if (first > 0 || last < x.shape()[d + 1]) x = x.slice(d + 1, {first, last});
  }
  return x;
}

}  // namespace

array conv(const array& x, const array& kernel, const Convolution& how) {
  check(x, kernel, how);
  Input both[] = {x, kernel};
  const Dtype dtype = common_type(both);
  Device& device = common_device("conv", both);
  const bool narrow = is_half(dtype) && !device.preferences().half_products;
  const Dtype compute = narrow ? Dtype::float32 : dtype;
  if (!has_matmul(compute)) {
    throw type_error(fmt::format("conv: elements of type {}: convert them to a floating-point type",
                                 name(dtype)));
  }
  auto typed = [&](const array& a) {
    const array there = on_device("conv", a, device);
    return there.dtype() == compute ? there : cast(there, compute);
  };
  const auto axes = kernel.ndim() - 2;
  Geometry g;
  g.how = {or_all(how.strides, axes, 1),         or_all(how.before, axes, 0),
           or_all(how.after, axes, 0),           or_all(how.input_dilation, axes, 1),
           or_all(how.kernel_dilation, axes, 1), how.groups};
  const array input = cropped(typed(x), g.how);
  for (std::int64_t d = 0; d < axes; ++d) {
    g.input.push_back(input.shape()[d + 1]);
    g.kernel.push_back(kernel.shape()[d]);
  }
  const array made = result_step(input, typed(kernel), g);
  return narrow ? cast(made, dtype) : made;
}

}  // namespace heddle
