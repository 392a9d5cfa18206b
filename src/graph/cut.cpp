#include "graph/cut.h"

#include <numeric>

namespace heddle::graph {

namespace {

// Per position: the bytes of values that are made before it and read from there on.
std::vector<std::int64_t> bytes_across(std::span<const Chained> chain) {
  std::vector<std::int64_t> crossing(chain.size(), 0);
  for (std::size_t i = 0; i < chain.size(); ++i) {
    for (std::size_t j = i + 1; j <= chain[i].last_read; ++j) crossing[j] += chain[i].bytes;
  }
  return crossing;
}

std::uint32_t work_of(std::span<const Chained> chain) {
  return std::accumulate(chain.begin(), chain.end(), std::uint32_t{0},
                         [](std::uint32_t sum, const Chained& node) { return sum + node.work; });
}

}  // namespace

std::vector<Cut> cut_chain(std::span<const Chained> chain, std::int64_t one, std::uint32_t soft,
                           std::uint32_t longest) {
  const auto crossing = bytes_across(chain);
  std::vector<Cut> cuts;
  std::size_t begin = 0, best = 0;
  std::uint32_t done = 0;
  // As soon as a piece is long enough and little crosses a cut, or where least does when it gets
  // too long.
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const bool enough = done >= soft;
    const bool full = done + chain[i].work > longest;
    if (enough && (best == begin || crossing[i] < crossing[best])) best = i;
    const bool cheap = one > 0 && enough &&
                       (crossing[i] <= one || (done >= 3 * soft / 2 && crossing[best] <= 2 * one));
    if (i > begin && (full || cheap)) {
      if (best == begin) best = i;
      cuts.push_back({best, crossing[best]});
      begin = best;
      done = work_of(chain.subspan(begin, i - begin));
    }
    done += chain[i].work;
  }
  return cuts;
}

}  // namespace heddle::graph
