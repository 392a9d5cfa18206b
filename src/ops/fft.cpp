// The public functions: what their options mean for fourier().
#include <heddle/fft.h>

#include <cmath>

#include <fmt/format.h>

#include "ops/fourier.h"
#include "ops/reduction.h"
#include <heddle/creation.h>
#include <heddle/errors.h>
#include <heddle/indexing.h>
#include <heddle/manipulation.h>
#include <heddle/ufuncs.h>

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

namespace {

// Without axes those that the two-dimensional transforms work on.
OptionsN along_two(OptionsN options) {
  if (!options.axes.list()) options.axes = Axes{-2, -1};
  return options;
}

}  // namespace

array fft2(const array& a, const OptionsN& options) { return fftn(a, along_two(options)); }
array ifft2(const array& a, const OptionsN& options) { return ifftn(a, along_two(options)); }
array rfft2(const array& a, const OptionsN& options) { return rfftn(a, along_two(options)); }
array irfft2(const array& a, const OptionsN& options) { return irfftn(a, along_two(options)); }

array hfft(const array& a, const Options& options) {
  return run(Kind::to_real, "hfft", a, along_one(options), true);
}
array ihfft(const array& a, const Options& options) {
  return run(Kind::from_real, "ihfft", a, along_one(options), false);
}

// --- frequencies ---

array fftfreq(std::int64_t n, double d) {
  const array index = arange(n);
  const array folded = where(index < (n - 1) / 2 + 1, index, index - n);
  return folded * (1.0 / (static_cast<double>(n) * d));
}

array rfftfreq(std::int64_t n, double d) {
  return arange(n / 2 + 1) * (1.0 / (static_cast<double>(n) * d));
}

namespace {

array shifted(const char* name, const array& a, const Axes& axes, std::int64_t sign) {
  const auto moved = axis_mask(name, axes.list(), a.ndim());
  Dims shifts(a.ndim(), 0);
  for (std::int64_t d = 0; d < a.ndim(); ++d) {
    if (moved >> d & 1) shifts[d] = sign * (a.shape()[d] / 2);
  }
  return roll(a, shifts);
}

}  // namespace

array fftshift(const array& a, const Axes& axes) { return shifted("fftshift", a, axes, 1); }
array ifftshift(const array& a, const Axes& axes) { return shifted("ifftshift", a, axes, -1); }

}  // namespace heddle::fft
