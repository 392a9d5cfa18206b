// The public functions: what their options mean for fourier().
#include <heddle/fft.h>

#include <cmath>

#include <fmt/format.h>

#include "ops/fourier.h"
#include <heddle/errors.h>

namespace heddle::fft {

namespace {

using Kind = Transform::Kind;

double scale_of(Norm norm, bool forward, const Dims& points) {
  double count = 1;
  for (auto n : points) count *= static_cast<double>(n);
  if (norm == Norm::ortho) return 1 / std::sqrt(count);
  return (norm == Norm::forward) == forward ? 1 / count : 1;
}

array run(Kind kind, const char* name, const array& a, const OptionsN& options, bool forward) {
  if (kind == Kind::from_real && is_complex(a.dtype())) {
    throw type_error(fmt::format("{}: takes real numbers, not {}", name, heddle::name(a.dtype())));
  }
  Dims axes;
  if (options.axes.list()) {
    for (auto axis : *options.axes.list()) axes.push_back(normalize_axis(name, axis, a.ndim()));
  } else {
    for (std::int64_t d = 0; d < a.ndim(); ++d) axes.push_back(d);
  }
  if (axes.empty()) throw value_error(fmt::format("{}: needs at least one axis", name));
  Dims points;
  if (options.points) {
    points = *options.points;
  } else {
    for (auto axis : axes) points.push_back(a.shape()[axis]);
    if (kind == Kind::to_real) points.back() = 2 * (points.back() - 1);
  }
  return fourier(kind, a, axes, points, forward, scale_of(options.norm, forward, points));
}

OptionsN along_one(const Options& options) {
  OptionsN several;
  several.axes = Axes(options.axis);
  if (options.points) several.points = Dims{*options.points};
  several.norm = options.norm;
  return several;
}

}  // namespace

array fft(const array& a, const Options& options) {
  return run(Kind::complex, "fft", a, along_one(options), true);
}
array ifft(const array& a, const Options& options) {
  return run(Kind::complex, "ifft", a, along_one(options), false);
}
array rfft(const array& a, const Options& options) {
  return run(Kind::from_real, "rfft", a, along_one(options), true);
}
array irfft(const array& a, const Options& options) {
  return run(Kind::to_real, "irfft", a, along_one(options), false);
}
array fftn(const array& a, const OptionsN& options) {
  return run(Kind::complex, "fftn", a, options, true);
}
array ifftn(const array& a, const OptionsN& options) {
  return run(Kind::complex, "ifftn", a, options, false);
}
array rfftn(const array& a, const OptionsN& options) {
  return run(Kind::from_real, "rfftn", a, options, true);
}
array irfftn(const array& a, const OptionsN& options) {
  return run(Kind::to_real, "irfftn", a, options, false);
}

}  // namespace heddle::fft
