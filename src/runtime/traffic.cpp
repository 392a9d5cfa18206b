#include "runtime/traffic.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "kernel/ir.h"
#include "runtime/bands.h"
#include "runtime/buffer.h"
#include "runtime/device.h"
#include "runtime/statistics.h"

namespace heddle {

namespace {

Touched touched_by(const Launch& launch, std::size_t slot) {
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

Touched within(Touched range, const Touched& memory) {
  range.begin = std::max(range.begin, memory.begin);
  range.end = std::min(range.end, memory.end);
  if (range.begin >= range.end) return {};
  range.bytes = std::min<std::uint64_t>(range.bytes, range.end - range.begin);
  return range;
}

// The memory of each slot, where all of them are known.
std::vector<Touched> memory_of(const Launch& launch) {
  std::vector<Touched> memory;
  std::size_t next = 0;
  for (const auto& slot : launch.kernel->slots) {
    if (slot.scratch) {
      memory.emplace_back();
      continue;
    }
    if (next == launch.buffers.size()) return {};
    const Buffer* buffer = launch.buffers[next++];
    if (!buffer) {
      memory.emplace_back();
      continue;
    }
    const auto begin = reinterpret_cast<std::uintptr_t>(buffer->data());
    memory.push_back({begin, begin + buffer->bytes(), buffer->bytes()});
  }
  return memory;
}

std::uint64_t sum_of(const std::vector<Touched>& each) {
  std::uint64_t sum = 0;
  for (const Touched& one : each) sum += one.bytes;
  return sum;
}

}  // namespace

std::uint64_t bytes_of(std::vector<Touched> ranges) {
  std::ranges::sort(ranges, {}, &Touched::begin);
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < ranges.size();) {
    Touched joined = ranges[i++];
    for (; i < ranges.size() && ranges[i].begin < joined.end; ++i) {
      joined.end = std::max(joined.end, ranges[i].end);
      joined.bytes += ranges[i].bytes;
    }
    total += std::min<std::uint64_t>(joined.bytes, joined.end - joined.begin);
  }
  return total;
}

void Traffic::add(const Traffic& other) {
  read.insert(read.end(), other.read.begin(), other.read.end());
  written.insert(written.end(), other.written.begin(), other.written.end());
  gathered.insert(gathered.end(), other.gathered.begin(), other.gathered.end());
  scattered.insert(scattered.end(), other.scattered.begin(), other.scattered.end());
}

std::uint64_t Traffic::bytes_read() const { return bytes_of(read) + sum_of(gathered); }
std::uint64_t Traffic::bytes_written() const { return bytes_of(written) + sum_of(scattered); }

Traffic traffic_of(const Launch& launch, std::span<const Touched> memory, const BandSlots& band) {
  std::uint64_t elements = 1;
  for (auto extent : launch.extents) elements *= static_cast<std::uint64_t>(extent);
  Traffic traffic;
  for (const auto& instr : launch.kernel->instrs) {
    const bool load = instr.op == Op::load, store = instr.op == Op::store;
    if ((!load && !store) || launch.kernel->slots[instr.slot].scratch) continue;
    if (store && !band.temporaries.empty() && band.temporaries[instr.slot] >= 0) continue;
    if (load && !band.made.empty() && band.made[instr.slot]) continue;
    if (instr.args[load ? 0 : 1] == kernel::no_arg) {
      Touched range = touched_by(launch, instr.slot);
      if (!memory.empty()) range = within(range, memory[instr.slot]);
      (load ? traffic.read : traffic.written).push_back(range);
      continue;
    }
    const auto begin = reinterpret_cast<std::uintptr_t>(launch.pointers[instr.slot]);
    const auto width = static_cast<std::uint64_t>(itemsize(launch.kernel->slots[instr.slot].dtype));
    // A table that is read again and again is in the caches.
    const auto most = memory.empty() || memory[instr.slot].bytes == 0
                          ? std::numeric_limits<std::uint64_t>::max()
                          : memory[instr.slot].bytes;
    (load ? traffic.gathered : traffic.scattered)
        .push_back({begin, begin, std::min(elements * width, most)});
  }
  return traffic;
}

bool counts_traffic() {
  static const bool wanted = std::getenv("HEDDLE_COUNT_BYTES") != nullptr;
  return wanted;
}

void count_traffic(const Launch& launch) {
  const Traffic traffic = traffic_of(launch, memory_of(launch));
  count(Counter::bytes_read, traffic.bytes_read());
  count(Counter::bytes_written, traffic.bytes_written());
}

void count_traffic(const BandedLaunches& launches) {
  Traffic all;
  for (const BandedLaunch& each : launches.launches) {
    const Traffic traffic =
        traffic_of(each.launch, memory_of(each.launch), {each.temporaries, each.made});
    all.add(traffic);
  }
  count(Counter::bytes_read, all.bytes_read());
  count(Counter::bytes_written, all.bytes_written());
}

}  // namespace heddle
