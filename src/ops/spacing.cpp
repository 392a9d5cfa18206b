// Numbers at regular distances between bounds.
#include <complex>
#include <limits>

#include <fmt/format.h>

#include "ops/compose.h"
#include "ops/creation.h"
#include "ops/reported.h"
#include "runtime/device.h"
#include <heddle/errors.h>
#include <heddle/indexing.h>
#include <heddle/manipulation.h>
#include <heddle/ufuncs.h>

namespace heddle {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// The bounds, what is between them, and one step of so many; of numbers, or of arrays.
template <class T>
struct Interval {
  T start, stop, delta, step;
  bool lost;  // a step that underflowed to zero would lose all the samples
};

Scalar as_scalar(std::complex<double> value, Dtype type) {
  return is_complex(type) ? Scalar(value) : Scalar(value.real());
}

// Bounds that are numbers stay on the host, so that nothing has to run to look at the step.
Interval<Scalar> interval_of(const Scalar& start, const Scalar& stop, std::int64_t parts,
                             Dtype type) {
  const std::complex<double> first(start.real(), start.imag()), last(stop.real(), stop.imag());
  const auto delta = last - first;
  const auto count = static_cast<double>(parts);
  // Complex numbers are divided as NumPy divides them: by the reciprocal.
  const auto part = is_complex(type) ? delta * (1 / count) : delta / count;
  const auto step = parts > 0 ? part : std::complex<double>(nan);
  return {as_scalar(first, type), as_scalar(last, type), as_scalar(delta, type),
          as_scalar(step, type), parts > 0 && step == 0.0};
}

Interval<array> interval_of(const array& start, const array& stop, std::int64_t parts) {
  const array delta = stop - start;
  if (parts <= 0) return {start, stop, delta, array(Scalar(nan)), false};
  const array step = delta / parts;
  return {start, stop, delta, step, step.size() > 0 && is_true_anywhere(step == 0)};
}

template <class T>
array samples_of(const Interval<T>& interval, array index, std::int64_t parts, bool endpoint,
                 Dtype type) {
  array samples = as_type(index, type);
  if (parts <= 0) {
    samples = samples * interval.delta;
  } else if (interval.lost) {
    samples = samples / parts * interval.delta;
  } else {
    samples = samples * interval.step;
  }
  samples = samples + interval.start;
  if (endpoint && parts > 0) samples = where(index == parts, interval.stop, samples);
  return samples;
}

array to_array(const array& a) { return a; }
array to_array(const Scalar& s) { return array(s); }

array numbered(std::int64_t count, std::int64_t rank, Device& device) {
  Dims shape(rank + 1, 1);
  shape[0] = count;
  return index_along({count}, 0, device).reshape(shape);
}

}  // namespace

Spaced spaced(const Input& start, const Input& stop, const Spacing& how) {
  if (how.count < 0) {
    throw value_error(fmt::format("Number of samples, {}, must be non-negative.", how.count));
  }
  const auto parts = how.endpoint ? how.count - 1 : how.count;
  const Scalar zero(0.0);
  const Input inputs[] = {start, stop, zero};
  const Dtype type = common_type(inputs);
  auto made = [&](const auto& interval, const array& index) -> Spaced {
    array samples = samples_of(interval, index, parts, how.endpoint, type);
    if (how.axis != 0) samples = moveaxis(samples, 0, how.axis);
    const Dtype wanted = how.dtype.value_or(type);
    if (is_integer(wanted)) samples = floor(samples);
    return {as_type(samples, wanted), to_array(interval.step)};
  };
  if (start.is_scalar() && stop.is_scalar()) {
    return made(interval_of(*start.scalar_, *stop.scalar_, parts, type),
                numbered(how.count, 0, default_device()));
  }
  const auto interval = interval_of(as_array(start, type), as_array(stop, type), parts);
  return made(interval, numbered(how.count, interval.delta.ndim(), interval.delta.device()));
}

array linspace(double start, double stop, std::int64_t count, bool endpoint, Dtype dtype) {
  return spaced(Scalar(start), Scalar(stop), {count, endpoint, dtype}).samples;
}

array linspace(const array& start, const array& stop, const Spacing& how) {
  return spaced(start, stop, how).samples;
}

namespace {

array powers(const Input& start, const Input& stop, const Spacing& how, double base) {
  Spacing exponents = how;
  exponents.dtype.reset();
  const array made = power(Scalar(base), spaced(start, stop, exponents).samples);
  return as_type(made, how.dtype.value_or(made.dtype()));
}

}  // namespace

array logspace(double start, double stop, const Spacing& how, double base) {
  return powers(Scalar(start), Scalar(stop), how, base);
}

array logspace(const array& start, const array& stop, const Spacing& how, double base) {
  return powers(start, stop, how, base);
}

array geomspace(double start, double stop, const Spacing& how) {
  return geomspace(array(start), array(stop), how);
}

array geomspace(const array& given_start, const array& given_stop, const Spacing& how) {
  if (is_true_anywhere(given_start == 0) || is_true_anywhere(given_stop == 0)) {
    throw value_error("Geometric sequence cannot include zero");
  }
  const Scalar number(static_cast<double>(how.count));
  const Input inputs[] = {given_start, given_stop, number};
  Dtype type = common_type(inputs);
  if (how.dtype) type = promote_types(type, *how.dtype);
  array start = as_type(given_start, type), stop = as_type(given_stop, type);
  // Complex and negative sequences turn to start on the positive real axis.
  const array direction = sign(start);
  start = start / direction;
  stop = stop / direction;
  array result = as_type(
      logspace(log10(start), log10(stop), {how.count, how.endpoint, std::nullopt, 0}), type);
  if (how.count > 0) {
    const array index = numbered(how.count, result.ndim() - 1, result.device());
    result = where(index == 0, start, result);
    if (how.count > 1 && how.endpoint) result = where(index == how.count - 1, stop, result);
  }
  result = result * direction;
  if (how.axis != 0) result = moveaxis(result, 0, how.axis);
  return as_type(result, how.dtype.value_or(type));
}

}  // namespace heddle
