#include "ops/fourier.h"

#include <algorithm>
#include <bit>
#include <vector>

#include <fmt/format.h>

#include "graph/batch.h"
#include "graph/copies.h"
#include "graph/derivative.h"
#include "graph/make.h"
#include "graph/storage.h"
#include "ops/creation.h"
#include "ops/deferred.h"
#include "ops/elementwise.h"
#include "ops/placement.h"
#include "ops/write.h"
#include "runtime/device.h"
#include <heddle/errors.h>

namespace heddle {

namespace {

Dtype precision_of(Dtype dtype) {
  bool is_single = is_half(dtype) || real_type(dtype) == Dtype::float32;
  return is_single ? Dtype::float32 : Dtype::float64;
}

void check(const array& a, const Dims& axes, const Dims& lengths) {
  if (axes.empty() || axes.size() != lengths.size()) {
    throw value_error("fourier: there must be one length for every axis");
  }
  Dims seen(a.ndim(), 0);
  for (std::int64_t i = 0; i < axes.size(); ++i) {
    if (axes[i] < 0 || axes[i] >= a.ndim() || seen[axes[i]]++ != 0) {
      throw value_error(
          fmt::format("fourier: axes {} are not distinct axes of an array of shape {}",
                      to_string(axes), to_string(a.shape())));
    }
    if (lengths[i] < 1) {
      throw value_error(
          fmt::format("Invalid number of FFT data points ({}) specified.", lengths[i]));
    }
  }
}

// The array with these extents: views where it is longer, zeros where it is shorter.
array fitted(const array& a, const Dims& shape, Dtype dtype) {
  array cropped = a;
  Dims overlap = shape;
  for (std::int64_t d = 0; d < a.ndim(); ++d) {
    overlap[d] = std::min(shape[d], a.shape()[d]);
    if (overlap[d] < a.shape()[d]) cropped = cropped.slice(d, {0, overlap[d]});
  }
  if (overlap == shape) return cropped;
  array padded = full(shape, 0, dtype, a.device());
  array target = padded;
  for (std::int64_t d = 0; d < a.ndim(); ++d) target = target.slice(d, {0, overlap[d]});
  write(target, cropped);
  return padded;
}

// Whether each run of neighbouring transformed axes is the first or the last of a dense array.
bool at_the_ends(const Dims& order, const Dims& axes, const Dims& shape) {
  auto is_transformed = [&](std::int64_t d) {
    return std::find(axes.begin(), axes.end(), order[d]) != axes.end();
  };
  // Extents of 1 separate nothing.
  std::int64_t changes = 0;
  bool first = true, before = false, begins = false;
  for (std::int64_t d = 0; d < order.size(); ++d) {
    if (shape[order[d]] == 1 && !is_transformed(d)) continue;
    bool now = is_transformed(d);
    if (first) begins = now;
    if (!first && now != before) ++changes;
    before = now;
    first = false;
  }
  // none; some then none; none then some; some, none, some
  return changes <= 1 || (changes == 2 && begins);
}

// The order of dimensions in memory for a device that wants dense arrays: as they are, if that
// suits, else with the transformed ones at the end.
Dims dense_order(const array& a, const Dims& axes, bool halves) {
  Dims order = memory_order(a.layout());
  bool suits = at_the_ends(order, axes, a.shape());
  // Rows of real numbers and of half a spectrum have to be whole.
  if (halves) suits = suits && order.back() == axes.back();
  if (suits) return order;
  auto is_kept = [&](std::int64_t d) {
    return std::find(axes.begin(), axes.end(), d) == axes.end();
  };
  Dims moved;
  std::copy_if(order.begin(), order.end(), std::back_inserter(moved), is_kept);
  std::copy_if(order.begin(), order.end(), std::back_inserter(moved),
               [&](std::int64_t d) { return !is_kept(d) && d != axes.back(); });
  moved.push_back(axes.back());
  return moved;
}

Dims inverse(const Dims& order) {
  Dims result(order.size());
  for (std::int64_t d = 0; d < order.size(); ++d) result[order[d]] = d;
  return result;
}

Dims permuted(const Dims& dims, const Dims& order) {
  Dims result;
  for (auto d : order) result.push_back(dims[d]);
  return result;
}

// With zeros for the imaginary parts that do not count in a transform to `length` real numbers.
array with_real_ends(const array& a, std::int64_t axis, std::int64_t length) {
  array index = index_along(a.shape(), axis, a.device());
  array is_end = elementwise(Op::equal, {index, Scalar(0)});
  if (length % 2 == 0) {
    array is_middle = elementwise(Op::equal, {index, Scalar(length / 2)});
    is_end = elementwise(Op::logical_or, {is_end, is_middle});
  }
  array real = cast(elementwise(Op::real, {a}), a.dtype());
  return elementwise(Op::select, {is_end, real, a});
}

struct Description final : Parameters {
  Transform::Kind kind = Transform::Kind::complex;
  Dtype precision = Dtype::float64;
  bool forward = true;
  double scale = 1;
  Dims axes;
  void write_key(std::vector<std::uint64_t>& key) const override {
    using word = std::uint64_t;
    key.push_back(word(kind) | word(precision) << 8 | word(forward) << 16 |
                  static_cast<word>(axes.size()) << 24);
    key.push_back(std::bit_cast<word>(scale));
    for (auto axis : axes) key.push_back(static_cast<word>(axis));
  }
};

// Libraries read real numbers in pairs.
std::int64_t alignment(Dtype precision) { return 2 * itemsize(precision); }

// Where the operand of a transform lies: where it is, if the library may read and overwrite that as
// it does, else in a copy, which is kept here.
class Source {
 public:
  Source(const LibraryCall& call, const TransformTraits& traits, const Description& what) {
    const Layout& layout = call.layout(0);
    operand.shape = layout.shape;
    operand.strides = layout.strides;
    operand.data = call.data(0);
    operand.buffer = &call.buffer(0);
    // Memory of others may lie anywhere.
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(operand.data) %
                                static_cast<std::uintptr_t>(alignment(what.precision)) ==
                            0;
    if (what.kind == Transform::Kind::to_real && traits.strict_halves) {
      use(call.take(0), 0);  // dense, from the first element on
    } else if (traits.dense && !is_aligned) {
      auto copy = Buffer::allocate(call.device(), operand.buffer->bytes());
      graph::copy_all(*operand.buffer, *copy);
      use(std::move(copy),
          static_cast<char*>(operand.data) - static_cast<char*>(operand.buffer->data()));
    }
  }

  TransformOperand operand;

 private:
  void use(Ref<Buffer> memory, std::ptrdiff_t offset) {
    kept_ = std::move(memory);
    operand.buffer = kept_.get();
    operand.data = static_cast<char*>(kept_->data()) + offset;
  }

  Ref<Buffer> kept_;
};

// Halves stand for two numbers each but at the ends, which are their own conjugates.
array doubled_inside(const array& half, std::int64_t axis, std::int64_t length) {
  Dims extents(half.ndim(), 1);
  extents[axis] = half.shape()[axis];
  const array place = index_along(extents, axis, half.device());
  array is_end = elementwise(Op::equal, {place, Scalar(0)});
  if (length % 2 == 0) {
    is_end =
        elementwise(Op::logical_or, {is_end, elementwise(Op::equal, {place, Scalar(length / 2)})});
  }
  return elementwise(Op::select, {is_end, half, elementwise(Op::add, {half, half})});
}

// Transposed, a transform is one in the same direction.
void pull_transform(graph::Pullback& step) {
  const auto& what = step.node().parameters_as<Description>();
  const bool to_real = what.kind == Transform::Kind::to_real;
  const array g = *step.cotangent(0);
  Dims lengths;
  for (auto axis : what.axes) {
    lengths.push_back((to_real ? step.shape_of_output() : step.shape_of(0))[axis]);
  }
  const auto kind = to_real ? Transform::Kind::from_real : Transform::Kind::complex;
  array made = fourier(kind, g, what.axes, lengths, what.forward, what.scale);
  if (to_real) made = doubled_inside(made, what.axes.back(), lengths.back());
  if (what.kind == Transform::Kind::from_real) made = elementwise(Op::real, {made});
  step.give(0, std::move(made));
}

const graph::Derivative derivative_of_transform = {0, 0, pull_transform};

void batch_transform(graph::Batch& step) {
  const auto& what = step.node().parameters_as<Description>();
  const array a = step.operand(0);
  const bool to_real = what.kind == Transform::Kind::to_real;
  Dims axes, lengths;
  for (auto axis : what.axes) {
    axes.push_back(axis + 1);
    lengths.push_back(to_real ? step.shape_of_output()[axis] : a.shape()[axis + 1]);
  }
  step.give(0, fourier(what.kind, a, axes, lengths, what.forward, what.scale));
}

// The operand, read through its layout, to a dense array of the same dimensions.
const Primitive transforming = {
    "fft",
    [](LibraryCall& call) {
      const auto& what = call.node().parameters_as<Description>();
      Transforms& transforms = call.device().transforms();
      Buffer& result = call.make(0);
      const Source source(call, transforms.traits(), what);
      Transform t;
      t.kind = what.kind;
      t.precision = what.precision;
      t.forward = what.forward;
      t.scale = what.scale;
      t.axes = what.axes;
      t.input = source.operand;
      t.output.buffer = &result;
      t.output.data = result.data();
      t.output.shape = call.node().shape();
      t.output.strides = contiguous_strides(t.output.shape);
      transforms.transform(t);
    },
    &derivative_of_transform,
    batch_transform,
    true,
    true,
};

// One call of the library, deferred, of an input that it can read. `order` is that of dimensions in
// memory.
array transformed_in_order(Description what, const array& input, const Dims& shape,
                           const Dims& order) {
  const Dtype dtype =
      what.kind == Transform::Kind::to_real ? what.precision : complex_type(what.precision);
  auto made = [&](const Layout& layout, const Dims& result) {
    Operand operand = graph::reading(input.storage().value(), input.dtype(), layout);
    Ref<Value> value = graph::make(graph::draft(transforming, std::move(what)), dtype, result,
                                   input.device(), std::span(&operand, 1));
    return deferred(std::move(value), is_exported(input));
  };
  if (std::is_sorted(order.begin(), order.end())) return made(input.layout(), shape);
  const Dims back = inverse(order);
  what.axes = permuted(back, what.axes);
  return made(permute(input.layout(), order), permuted(shape, order)).transpose(back);
}

// A copy that is dense in this order of dimensions.
array dense_in(const array& a, Dtype dtype, const Dims& order) {
  return dense(a.transpose(order), dtype).transpose(inverse(order));
}

// As the library wants it.
array ready(const array& a, Dtype dtype, const Dims& order, bool dense_only) {
  if (a.dtype() != dtype || a.storage().value()->dtype != dtype) return dense_in(a, dtype, order);
  if (!dense_only) return a;
  const bool is_aligned = a.layout().offset * itemsize(dtype) % alignment(real_type(dtype)) == 0;
  return is_aligned && is_c_contiguous(permute(a.layout(), order)) ? a : dense_in(a, dtype, order);
}

array conjugate(const array& a) { return elementwise(Op::conjugate, {a}); }

// A device that transforms to real numbers along one axis and overwrites its input.
array to_real_strictly(Description t, array a, const Dims& shape) {
  Dims rest(t.axes.begin(), t.axes.end() - 1);
  std::int64_t axis = t.axes.back();
  Dtype dtype = complex_type(t.precision);
  if (t.forward) a = conjugate(a);
  t.forward = false;
  if (!rest.empty()) {
    Description others = t;
    others.kind = Transform::Kind::complex;
    others.axes = rest;
    Dims order = dense_order(a, rest, false);
    a = transformed_in_order(others, ready(a, dtype, order, true), a.shape(), order);
  }
  t.axes = {axis};
  Dims order = dense_order(a, t.axes, true);
  a = with_real_ends(a, axis, shape[axis]);
  return transformed_in_order(t, dense_in(a, dtype, order), shape, order);
}

array transformed(Description t, const array& input, const Dims& shape, TransformTraits traits) {
  bool from_real = t.kind == Transform::Kind::from_real;
  Dims order = traits.dense ? dense_order(input, t.axes, from_real) : memory_order(input.layout());
  bool backward = from_real && traits.strict_halves && !t.forward;
  if (backward) t.forward = true;
  Dtype dtype = from_real ? t.precision : complex_type(t.precision);
  array result =
      transformed_in_order(std::move(t), ready(input, dtype, order, traits.dense), shape, order);
  return backward ? conjugate(result) : result;
}

}  // namespace

array fourier(Transform::Kind kind, const array& a, const Dims& axes, const Dims& lengths,
              bool forward, double scale) {
  check(a, axes, lengths);
  Input given(a);
  Device& device = common_device("fft", std::span(&given, 1));
  TransformTraits traits = device.transforms().traits();
  Description t;
  t.kind = kind;
  t.precision = precision_of(a.dtype());
  t.forward = forward;
  t.scale = traits.scales ? scale : 1;
  Dims input_shape = a.shape(), shape = a.shape();
  for (std::int64_t i = 0; i < axes.size(); ++i) {
    input_shape[axes[i]] = shape[axes[i]] = lengths[i];
    // A single point is its own transform.
    if (lengths[i] > 1) t.axes.push_back(axes[i]);
  }
  if (kind == Transform::Kind::from_real) shape[axes.back()] = lengths.back() / 2 + 1;
  if (kind == Transform::Kind::to_real) input_shape[axes.back()] = lengths.back() / 2 + 1;
  const bool single = lengths.back() == 1;
  if (single) t.kind = Transform::Kind::complex;
  Dtype complex = complex_type(t.precision);
  if (size_of(shape) == 0) {
    return empty(shape, kind == Transform::Kind::to_real ? t.precision : complex, device);
  }
  Dtype from = t.kind == Transform::Kind::from_real ? t.precision : complex;
  array input = fitted(on_device("fft", a, device), input_shape, from);
  array result;
  bool scaled = traits.scales;
  if (t.axes.empty()) {
    result = cast(input, complex);
    scaled = false;
  } else if (t.kind == Transform::Kind::to_real && traits.strict_halves) {
    result = to_real_strictly(t, input.dtype() == from ? input : cast(input, from), shape);
  } else {
    result = transformed(std::move(t), input, shape, traits);
  }
  if (kind == Transform::Kind::to_real && single) result = elementwise(Op::real, {result});
  if (!scaled && scale != 1) result = elementwise(Op::multiply, {result, Scalar(scale)});
  return result;
}

}  // namespace heddle
