#include "runtime/traffic.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "kernel/ir.h"
#include "runtime/device.h"
#include "runtime/statistics.h"

namespace heddle {

namespace {

// From the first to the last byte of what a slot reaches, and how many bytes of these it touches.
struct Range {
  std::uintptr_t begin, end;
  std::uint64_t bytes;
};

Range range_of(const Launch& launch, std::size_t slot) {
  const auto dims = launch.extents.size();
  const auto width = static_cast<std::uint64_t>(itemsize(launch.kernel->slots[slot].dtype));
  auto begin = reinterpret_cast<std::intptr_t>(launch.pointers[slot]);
  auto last = begin;
  std::uint64_t bytes = width;
  for (std::size_t d = 0; d < dims; ++d) {
    const auto extent = launch.extents[d], stride = launch.strides[slot * dims + d];
    if (extent == 0) return {};
    if (stride == 0) continue;
    bytes *= static_cast<std::uint64_t>(extent);
    (stride < 0 ? begin : last) += (extent - 1) * stride;
  }
  return {static_cast<std::uintptr_t>(begin), static_cast<std::uintptr_t>(last) + width, bytes};
}

// What ranges touch together, at most all of what lies between the ends of those that overlap.
std::uint64_t together(std::vector<Range>& ranges) {
  std::ranges::sort(ranges, {}, &Range::begin);
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < ranges.size();) {
    Range joined = ranges[i++];
    for (; i < ranges.size() && ranges[i].begin < joined.end; ++i) {
      joined.end = std::max(joined.end, ranges[i].end);
      joined.bytes += ranges[i].bytes;
    }
    total += std::min<std::uint64_t>(joined.bytes, joined.end - joined.begin);
  }
  return total;
}

}  // namespace

bool counts_traffic() {
  static const bool wanted = std::getenv("HEDDLE_COUNT_BYTES") != nullptr;
  return wanted;
}

void count_traffic(const Launch& launch) {
  std::uint64_t elements = 1;
  for (auto extent : launch.extents) elements *= static_cast<std::uint64_t>(extent);
  std::vector<Range> read, written;
  std::uint64_t scattered = 0, gathered = 0;
  for (const auto& instr : launch.kernel->instrs) {
    const bool load = instr.op == Op::load, store = instr.op == Op::store;
    if ((!load && !store) || launch.kernel->slots[instr.slot].scratch) continue;
    // At places that only the kernel knows: one element for each index.
    if (instr.args[load ? 0 : 1] != kernel::no_arg) {
      (load ? gathered : scattered) +=
          elements * static_cast<std::uint64_t>(itemsize(launch.kernel->slots[instr.slot].dtype));
    } else {
      (load ? read : written).push_back(range_of(launch, instr.slot));
    }
  }
  count(Counter::bytes_read, together(read) + gathered);
  count(Counter::bytes_written, together(written) + scattered);
}

}  // namespace heddle
