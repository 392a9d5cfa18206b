#include "ops/padding.h"

#include <algorithm>

#include "ops/creation.h"
#include "ops/write.h"
#include <heddle/errors.h>

namespace heddle {

std::optional<Padding> padding_of(std::string_view mode) {
  if (mode == "constant") return Padding::zeros;
  if (mode == "edge") return Padding::edge;
  if (mode == "reflect") return Padding::reflect;
  if (mode == "symmetric") return Padding::symmetric;
  if (mode == "wrap") return Padding::wrap;
  return std::nullopt;
}

namespace {

Dims reversed(Dims dims) {
  std::reverse(dims.begin(), dims.end());
  return dims;
}

// Where the elements before and after `extent` others come from.
struct Sources {
  Slice before, after;
};

Sources sources(Padding mode, std::int64_t extent, std::int64_t before, std::int64_t after) {
  switch (mode) {
    case Padding::zeros:
      break;
    case Padding::edge:
      return {{0, 1}, {extent - 1, {}}};
    case Padding::wrap:
      return {{extent - before, {}}, {0, after}};
    case Padding::reflect:
    case Padding::symmetric: {
      // Of both sides the elements nearest to the edge, turned round.
      using End = std::optional<std::int64_t>;
      const std::int64_t skip = mode == Padding::reflect ? 1 : 0, last = extent - skip;
      const End first = skip ? End(0) : End(), stop = last - after;
      return {{before - 1 + skip, first, -1}, {last - 1, *stop ? End(*stop - 1) : End(), -1}};
    }
  }
  return {};
}

}  // namespace

std::optional<array> pad(const array& a, const Dims& before, const Dims& after, Padding mode) {
  if (is_c_contiguous(a.transpose().layout()) && !is_c_contiguous(a.layout())) {
    auto columns = pad(a.transpose(), reversed(before), reversed(after), mode);
    return columns ? std::optional(columns->transpose()) : std::nullopt;
  }
  Dims shape = a.shape();
  const bool copies = mode != Padding::zeros && mode != Padding::edge;
  for (std::int64_t d = 0; d < a.ndim(); ++d) {
    const auto there = shape[d] - (mode == Padding::reflect ? 1 : 0);
    if (copies && std::max(before[d], after[d]) > there) return std::nullopt;
    if (__builtin_add_overflow(shape[d], before[d], &shape[d]) ||
        __builtin_add_overflow(shape[d], after[d], &shape[d])) {
      throw_too_big();
    }
  }
  array result = empty(shape, a.dtype(), a.device());
  auto inner = [&](const array& of, std::int64_t d) {
    return of.slice(d, Slice{before[d], before[d] + a.shape()[d]});
  };
  array middle = result;
  for (std::int64_t d = 0; d < a.ndim(); ++d) middle = inner(middle, d);
  write(middle, a);
  for (std::int64_t d = 0; d < a.ndim(); ++d) {
    // Along axes that come later only what is not padding yet.
    array band = result;
    for (auto later = d + 1; later < a.ndim(); ++later) band = inner(band, later);
    const auto [left, right] = sources(mode, a.shape()[d], before[d], after[d]);
    auto put = [&](Slice place, Slice source) {
      write(band.slice(d, place), mode == Padding::zeros ? full({}, 0, a.dtype(), a.device())
                                                         : inner(band, d).slice(d, source));
    };
    if (before[d] > 0) put({0, before[d]}, left);
    if (after[d] > 0) put({before[d] + a.shape()[d], {}}, right);
  }
  return result;
}

}  // namespace heddle
