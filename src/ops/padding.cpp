// Arrays within larger ones.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "ops/compose.h"
#include "ops/creation.h"
#include "ops/reduction.h"
#include "ops/write.h"
#include <heddle/errors.h>
#include <heddle/manipulation.h>
#include <heddle/statistics.h>
#include <heddle/ufuncs.h>

namespace heddle {

std::optional<PadMode> pad_mode(std::string_view name) {
  static constexpr std::string_view names[] = {"constant", "edge",      "empty",  "linear_ramp",
                                               "maximum",  "mean",      "median", "minimum",
                                               "reflect",  "symmetric", "wrap"};
  const auto* found = std::ranges::find(names, name);
  if (found == std::end(names)) return std::nullopt;
  return static_cast<PadMode>(found - std::begin(names));
}

namespace {

using Sides = std::pair<array, array>;

// What is put beside the elements along one axis, in turn for each.
struct Padder {
  PadMode mode;
  const PadOptions& options;
  std::int64_t rank;

  // `inner` has as many dimensions as the array, and its elements along the axis.
  Sides sides(const array& inner, std::int64_t axis, PadWidth width) const;

 private:
  // The pair for an axis of a list with one for each, or one for all.
  template <class T>
  T of_axis(const std::vector<T>& list, std::int64_t axis, const T& missing) const {
    if (list.empty()) return missing;
    return list[list.size() == 1 ? 0 : static_cast<std::size_t>(axis)];
  }
  std::pair<Scalar, Scalar> values(std::int64_t axis) const {
    return of_axis(options.values, axis, std::pair<Scalar, Scalar>(0, 0));
  }
  Sides constants(const array& inner, std::int64_t axis) const;
  Sides ramps(const array& inner, std::int64_t axis, PadWidth width) const;
  Sides statistics(const array& inner, std::int64_t axis) const;
  array statistic(const array& part, std::int64_t axis) const;
};

Sides Padder::constants(const array& inner, std::int64_t axis) const {
  // Converted without regard to ranges, as NumPy's astype does.
  auto element = [&](const Scalar& value) {
    return value.fits(inner.dtype()) ? full({}, value, inner.dtype(), inner.device())
                                     : cast(array(value), inner.dtype());
  };
  const auto [before, after] = values(axis);
  return {element(before), element(after)};
}

Sides Padder::ramps(const array& inner, std::int64_t axis, PadWidth width) const {
  const auto [before, after] = values(axis);
  auto ramp = [&](const Scalar& end, Slice edge, std::int64_t count) {
    const array from = squeeze(inner.slice(axis, edge), axis);
    return spaced(end, from, {count, false, inner.dtype(), axis}).samples;
  };
  return {ramp(before, {0, 1}, width.first), flip(ramp(after, {-1, {}}, width.second), axis)};
}

array Padder::statistic(const array& part, std::int64_t axis) const {
  const Reduction along_axis{.axis = axis, .keepdims = true};
  if (mode == PadMode::maximum) return max(part, along_axis);
  if (mode == PadMode::minimum) return min(part, along_axis);
  array value = part;
  if (mode == PadMode::median) {
    value = median(part, {.axis = axis, .keepdims = true});
  } else {
    const array total =
        sum(part, {.axis = axis, .keepdims = true, .dtype = inexact_type(part.dtype())});
    value = total / part.shape()[axis];
  }
  if (is_integer(part.dtype())) value = rint(value);
  return as_type(value, part.dtype());
}

Sides Padder::statistics(const array& inner, std::int64_t axis) const {
  const auto extent = inner.shape()[axis];
  const auto [before, after] = of_axis(options.lengths, axis, {});
  const auto first = std::min(before.value_or(extent), extent);
  const auto last = std::min(after.value_or(extent), extent);
  const array left = statistic(inner.slice(axis, Slice{0, first}), axis);
  if (first == extent && last == extent) return {left, left};
  return {left, statistic(inner.slice(axis, Slice{extent - last, extent}), axis)};
}

// --- copies of elements ---

// Where the elements come from that are outside, at these places.
Dims sources(PadMode mode, std::int64_t extent, std::int64_t first, std::int64_t last) {
  const bool symmetric = mode == PadMode::symmetric;
  const auto end = 2 * extent - (symmetric ? 1 : 2);  // mirrored, place n is end - n
  const auto period = std::max<std::int64_t>(symmetric ? 2 * extent : end, 1);
  auto modulo = [](std::int64_t n, std::int64_t by) { return (n % by + by) % by; };
  Dims places;
  for (auto n = first; n < last; ++n) {
    if (mode == PadMode::edge) {
      places.push_back(std::clamp<std::int64_t>(n, 0, extent - 1));
    } else if (mode == PadMode::wrap) {
      places.push_back(modulo(n, extent));
    } else {
      const auto folded = modulo(n, period);
      places.push_back(folded < extent ? folded : end - folded);
    }
  }
  return places;
}

// As views, where no element has to come twice.
Sides views(const array& inner, std::int64_t axis, PadWidth width, PadMode mode) {
  using End = std::optional<std::int64_t>;
  const auto extent = inner.shape()[axis];
  auto part = [&](Slice range) { return inner.slice(axis, range); };
  if (mode == PadMode::edge) return {part({0, 1}), part({extent - 1, {}})};
  if (mode == PadMode::wrap) return {part({extent - width.first, {}}), part({0, width.second})};
  // Of both sides the elements nearest to the edge, turned round.
  const std::int64_t skip = mode == PadMode::reflect ? 1 : 0, last = extent - skip;
  const auto stop = last - width.second;
  const array left = part({width.first - 1 + skip, skip ? End(0) : End(), -1});
  return {left, part({last - 1, stop ? End(stop - 1) : End(), -1})};
}

Sides copies(const array& inner, std::int64_t axis, PadWidth width, PadMode mode) {
  const auto extent = inner.shape()[axis];
  const auto there = extent - (mode == PadMode::reflect ? 1 : 0);
  if (mode == PadMode::edge || std::max(width.first, width.second) <= there) {
    return views(inner, axis, width, mode);
  }
  auto side = [&](std::int64_t first, std::int64_t last) {
    return parts_at(inner, from_dims(sources(mode, extent, first, last), inner), axis);
  };
  return {side(-width.first, 0), side(extent, extent + width.second)};
}

// Reflections through the edge points, as often as the padding asks.
Sides odd_reflections(const array& inner, std::int64_t axis, PadWidth width, PadMode mode) {
  const auto extent = inner.shape()[axis];
  if (extent == 1) return copies(inner, axis, width, PadMode::edge);
  const std::int64_t skip = mode == PadMode::reflect ? 1 : 0, period = extent - skip;
  auto [left, right] = width;
  array grown = inner;
  auto mirrored = [&](std::int64_t first, std::int64_t last, Slice edge) {
    return 2 * grown.slice(axis, edge) - flip(grown.slice(axis, Slice{first, last}), axis);
  };
  while (left > 0 || right > 0) {
    // Whole periods only, so that the parts stay in phase with the original.
    const auto chunk = (grown.shape()[axis] - skip) / period * period;
    if (left > 0) {
      const auto count = std::min(chunk, left);
      grown = concatenate({mirrored(skip, skip + count, {0, 1}), grown}, axis);
      left -= count;
    }
    if (right > 0) {
      const auto count = std::min(chunk, right), stop = grown.shape()[axis] - skip;
      grown = concatenate({grown, mirrored(stop - count, stop, {-1, {}})}, axis);
      right -= count;
    }
  }
  return {grown.slice(axis, Slice{0, width.first}),
          grown.slice(axis, Slice{width.first + extent, {}})};
}

Sides Padder::sides(const array& inner, std::int64_t axis, PadWidth width) const {
  switch (mode) {
    case PadMode::constant:
      return constants(inner, axis);
    case PadMode::linear_ramp:
      return ramps(inner, axis, width);
    case PadMode::maximum:
    case PadMode::mean:
    case PadMode::median:
    case PadMode::minimum:
      return statistics(inner, axis);
    case PadMode::reflect:
    case PadMode::symmetric:
      if (options.odd) return odd_reflections(inner, axis, width, mode);
      break;
    case PadMode::edge:
    case PadMode::wrap:
    case PadMode::empty:
      break;
  }
  return copies(inner, axis, width, mode);
}

// --- the whole ---

void check(const array& a, const std::vector<PadWidth>& widths, PadMode mode,
           const PadOptions& options) {
  const auto rank = static_cast<std::size_t>(a.ndim());
  auto fits = [&](std::size_t count) { return count <= 1 || count == rank; };
  if (widths.size() != rank || !fits(options.values.size()) || !fits(options.lengths.size())) {
    throw value_error(
        fmt::format("pad: an array of {} dimensions needs a pair for each, or one", a.ndim()));
  }
  for (const auto& [before, after] : widths) {
    if (before < 0 || after < 0) throw value_error("index can't contain negative values");
  }
  if (mode == PadMode::maximum || mode == PadMode::minimum) {
    for (const auto& [before, after] : options.lengths) {
      if (before == 0 || after == 0) {
        throw value_error("stat_length of 0 yields no value for padding");
      }
    }
  }
  if (mode == PadMode::constant || mode == PadMode::empty) return;
  for (std::size_t d = 0; d < rank; ++d) {
    if (a.shape()[static_cast<std::int64_t>(d)] == 0 && (widths[d].first || widths[d].second)) {
      throw value_error(fmt::format(
          "can't extend empty axis {} using modes other than 'constant' or 'empty'", d));
    }
  }
}

// An array whose elements are not set, in Fortran's order as its source is.
array room_for(const array& a, Dims shape) {
  if (!is_c_contiguous(a.transpose().layout()) || is_c_contiguous(a.layout())) {
    return empty(shape, a.dtype(), a.device());
  }
  std::reverse(shape.begin(), shape.end());
  return empty(shape, a.dtype(), a.device()).transpose();
}

}  // namespace

array pad(const array& a, const std::vector<PadWidth>& given, PadMode mode,
          const PadOptions& options) {
  std::vector<PadWidth> widths = given;
  if (given.size() == 1) widths.assign(static_cast<std::size_t>(a.ndim()), given[0]);
  check(a, widths, mode, options);
  auto width_of = [&](std::int64_t d) { return widths[static_cast<std::size_t>(d)]; };
  Dims shape = a.shape();
  for (std::int64_t d = 0; d < a.ndim(); ++d) {
    const auto [before, after] = width_of(d);
    if (__builtin_add_overflow(shape[d], before, &shape[d]) ||
        __builtin_add_overflow(shape[d], after, &shape[d])) {
      throw_too_big();
    }
  }
  const array result = room_for(a, shape);
  auto inner = [&](const array& of, std::int64_t d) {
    return of.slice(d, Slice{width_of(d).first, width_of(d).first + a.shape()[d]});
  };
  array middle = result;
  for (std::int64_t d = 0; d < a.ndim(); ++d) middle = inner(middle, d);
  write(middle, a);
  const bool sets = mode != PadMode::empty && (a.size() > 0 || mode == PadMode::constant);
  const Padder padder{mode, options, a.ndim()};
  bool first = true;
  for (std::int64_t d = 0; sets && d < a.ndim(); ++d) {
    const auto width = width_of(d);
    if (!width.first && !width.second) continue;
    // Along axes that come later only what is not padding yet.
    array band = result;
    for (auto later = d + 1; later < a.ndim(); ++later) band = inner(band, later);
    // Nothing is around the array yet: it need not be read where it has just been written.
    const auto [left, right] =
        padder.sides(std::exchange(first, false) ? a : inner(band, d), d, width);
    if (width.first > 0) write(band.slice(d, Slice{0, width.first}), left);
    if (width.second > 0) write(band.slice(d, Slice{width.first + a.shape()[d], {}}), right);
  }
  return result;
}

array pad(const array& a, std::int64_t width, PadMode mode, const PadOptions& options) {
  return pad(a, {{width, width}}, mode, options);
}

}  // namespace heddle
