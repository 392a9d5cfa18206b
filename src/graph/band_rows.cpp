#include "graph/band_rows.h"

#include <algorithm>
#include <utility>

namespace heddle::graph {

namespace {

using kernel::no_arg;

// Indices along a dimension, from the first to the last.
using Interval = std::pair<std::int64_t, std::int64_t>;

std::int64_t floor_of(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

std::optional<std::int64_t> constant_of(const Step& step, std::uint16_t n) {
  const auto& instr = step.kernel.instrs[n];
  if (instr.op != Op::scalar || step.scalars[instr.slot].node >= 0) return {};
  const auto word = step.scalars[instr.slot].constant.word[0];
  return itemsize(instr.dtype) == 4 ? static_cast<std::int64_t>(static_cast<std::int32_t>(word))
                                    : static_cast<std::int64_t>(word);
}

// Of an index along d that something is added to: that.
std::optional<std::int64_t> place_along(const Step& step, std::uint16_t n, std::size_t d) {
  const auto& instr = step.kernel.instrs[n];
  if (instr.op == Op::cast) return place_along(step, instr.args[0], d);
  if (instr.op == Op::index) {
    return instr.slot == d ? std::optional<std::int64_t>(0) : std::nullopt;
  }
  if (instr.op != Op::add) return {};
  const auto place = place_along(step, instr.args[0], d);
  const auto more = constant_of(step, instr.args[1]);
  return place && more ? std::optional(*place + *more) : std::nullopt;
}

// By a condition, as lowering makes them of guards.
void restrict_by(const Step& step, std::uint16_t condition, std::size_t d, Interval& to) {
  const auto& instr = step.kernel.instrs[condition];
  if (instr.op == Op::logical_and) {
    restrict_by(step, instr.args[0], d, to);
    restrict_by(step, instr.args[1], d, to);
    return;
  }
  if (instr.op != Op::less_equal && instr.op != Op::greater_equal) return;
  const auto place = place_along(step, instr.args[0], d);
  const auto bound = constant_of(step, instr.args[1]);
  if (!place || !bound) return;
  const auto limit = *bound - *place;
  if (instr.op == Op::greater_equal) {
    to.first = std::max(to.first, limit);
    return;
  }
  to.second = std::min(to.second, limit);
  // Without a sign, places before zero are very large.
  if (!is_signed(step.kernel.instrs[instr.args[0]].dtype)) to.first = std::max(to.first, -*place);
}

// Where along dimension d a slot is read, as far as guards say.
Interval passing(const Step& step, std::size_t slot, std::size_t d) {
  Interval all(step.extents[d], -1);
  for (const auto& instr : step.kernel.instrs) {
    if (instr.op != Op::load || instr.slot != slot) continue;
    Interval some(0, step.extents[d] - 1);
    if (instr.args[1] != no_arg) restrict_by(step, instr.args[1], d, some);
    if (some.first > some.second) continue;
    all = {std::min(all.first, some.first), std::max(all.second, some.second)};
  }
  return all;
}

// Random words are made by blocks, which begin where rows do.
bool blocks_fit(const Step& step, const BandStep& band) {
  constexpr std::int64_t longest_block = 64;
  if (band.dim + 1 != step.kernel.kept_dims || band.unit % longest_block == 0) return true;
  return std::ranges::none_of(step.kernel.instrs,
                              [](const kernel::Instr& instr) { return instr.op == Op::random; });
}

// Nothing where no element of the slot is touched.
std::optional<Touch> touch_of(const Step& step, std::size_t slot, std::int64_t pitch,
                              std::span<Node* const> nodes, const BandStep& band) {
  const auto d = band.dim;
  const bool writes = step.kernel.slots[slot].written;
  auto low = offset_of(step.slots[slot], step, nodes);
  auto high = low + itemsize(step.kernel.slots[slot].dtype) - 1;
  bool any = true;
  for (std::size_t e = 0; e < step.extents.size(); ++e) {
    const auto [first, last] = e == d   ? Interval(0, band.unit - 1)
                               : writes ? Interval(0, step.extents[e] - 1)
                                        : passing(step, slot, e);
    any &= first <= last;
    const auto stride = stride_of(step, slot, e);
    low += std::min(stride * first, stride * last);
    high += std::max(stride * first, stride * last);
  }
  Touch touch{band.memory[slot], floor_of(low, pitch), floor_of(high, pitch), writes,
              stride_of(step, slot, d) == 0};
  if (touch.fixed && any) {
    // A row that few others read, as guards say.
    const auto [first, last] = passing(step, slot, d);
    any &= first <= last;
    touch.low -= last / band.unit;
    touch.high -= first / band.unit;
  }
  return any ? std::optional(touch) : std::nullopt;
}

}  // namespace

std::optional<std::vector<Touch>> touches_along(std::size_t dim, const Step& step,
                                                std::size_t written,
                                                std::span<const std::int64_t> pitches,
                                                std::span<Node* const> nodes, BandStep& band) {
  const auto step_bytes = stride_of(step, written, dim);
  if (step_bytes <= 0 || pitches[written] % step_bytes != 0) return {};
  band.dim = dim;
  band.unit = pitches[written] / step_bytes;
  if (step.extents[dim] % band.unit != 0) return {};
  band.rows = step.extents[dim] / band.unit;
  if (!blocks_fit(step, band)) return {};
  std::vector<Touch> touches;
  band.shifts.assign(step.slots.size(), 0);
  for (std::size_t i = 0; i < step.slots.size(); ++i) {
    if (band.memory[i] < 0) continue;
    const auto stride = stride_of(step, i, dim);
    if (stride != 0 && stride * band.unit != pitches[i]) return {};
    const auto touch = touch_of(step, i, pitches[i], nodes, band);
    if (!touch) continue;
    band.shifts[i] = touch->low;
    if (touch->writes && touch->low != touch->high) return {};
    touches.push_back(*touch);
  }
  return touches;
}

}  // namespace heddle::graph
