#include "backend/cpu/source_checks.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "simt/watch.h"
#include <heddle/errors.h>

namespace heddle::cpu {
namespace {

using simt::Watch;

constexpr std::int32_t kinds = 16;  // Watch's accesses are below
const char* const everything = reinterpret_cast<const char*>(~std::uintptr_t{0});

LaunchGeometry geometry_of(const KernelLaunch& launch) {
  LaunchGeometry made;
  std::copy_n(launch.grid, 3, made.grid);
  std::copy_n(launch.block, 3, made.block);
  made.dynamic_bytes = launch.dynamic_bytes;
  return made;
}

std::int64_t number_of(const char* address) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address));
}

bool lies_in(const NamedMemory& memory, const char* address) {
  return address >= memory.low && address < memory.high;
}

}  // namespace

SourceChecker::SourceChecker(KernelLaunch& launch, const std::vector<std::string>& places,
                             bool cooperative, const std::vector<NamedMemory>& arrays,
                             std::vector<NamedMemory> variables)
    : launch_(launch), places_(places), races_(places, cooperative, geometry_of(launch)) {
  for (const NamedMemory& array : arrays) {
    const bool has = array.low != nullptr;
    bounds_.push_back(has ? array.low : nullptr);
    bounds_.push_back(has ? array.high : everything);
    if (has) known_.push_back(array);
  }
  known_.insert(known_.end(), variables.begin(), variables.end());
}

std::int64_t SourceChecker::block_number(const BlockFrame& frame) const {
  return frame.block[0] + launch_.grid[0] * (frame.block[1] + launch_.grid[1] * frame.block[2]);
}

bool SourceChecker::is_shared(const BlockFrame& frame, const char* address) const {
  const char* end = frame.dynamic + frame.dynamic_bytes;  // dynamic memory comes last
  return address >= frame.shared && address < end;
}

std::vector<NamedMemory> SourceChecker::shared(const BlockFrame& frame) const {
  std::vector<NamedMemory> made;
  for (const CheckedKernel::Shared& s : launch_.kernel->checked.shared) {
    const char* low = s.bytes == 0 ? frame.dynamic : frame.shared + s.offset;
    made.push_back({s.name, low, low + (s.bytes == 0 ? frame.dynamic_bytes : s.bytes)});
  }
  return made;
}

bool SourceChecker::access(const BlockFrame& frame, std::int32_t what, const char* address,
                           std::int64_t bytes, std::int32_t place, std::int64_t thread,
                           const char* low, const char* high) {
  if (launch_.stopped) return true;
  if (bytes <= 0) return false;
  const auto number = [](const char* at) { return reinterpret_cast<std::uintptr_t>(at); };
  // Nothing lies there: a pointer that was set to nothing.
  constexpr std::uintptr_t first_pages = 1 << 16;
  if (number(address) < first_pages || address < low || address > high ||
      number(high) - number(address) < static_cast<std::uintptr_t>(bytes)) {
    refuse(frame, what, address, bytes, place, thread, low, high);
    return true;
  }
  if ((what & access_of_thread) != 0) return false;
  const bool in_shared = is_shared(frame, address);
  const auto lies = [&](const NamedMemory& memory) { return lies_in(memory, address); };
  if (!in_shared && (what & access_of_array) == 0 &&
      std::none_of(known_.begin(), known_.end(), lies))
    return false;  // the thread's own
  const std::int64_t step = launch_.kernel->checked.granule;
  const std::int64_t told = what % kinds + (in_shared ? Watch::in_shared : 0);
  for (std::int64_t at = 0; at < bytes; at += step)
    races_.tell(told, number_of(address + at), place, block_number(frame), thread);
  if (races_.found()) stop();
  return races_.found();
}

const char* SourceChecker::bound(const BlockFrame& frame, const char* address, bool end) const {
  const std::vector<NamedMemory> here = shared(frame);
  for (const auto* list : std::initializer_list<const std::vector<NamedMemory>*>{&known_, &here}) {
    for (const NamedMemory& memory : *list) {
      if (lies_in(memory, address)) return end ? memory.high : memory.low;
    }
  }
  return end ? everything : nullptr;
}

void SourceChecker::refuse(const BlockFrame& frame, std::int32_t what, const char* address,
                           std::int64_t bytes, std::int32_t place, std::int64_t thread,
                           const char* low, const char* high) {
  std::string name = (what & access_of_thread) != 0 ? "an array of the thread" : "an array";
  const std::vector<NamedMemory> here = shared(frame);
  for (const auto* list : std::initializer_list<const std::vector<NamedMemory>*>{&known_, &here}) {
    for (const NamedMemory& memory : *list) {
      if (memory.low == low && memory.high == high) name = memory.name;
    }
  }
  const std::int64_t all = high - low, from = address - low;
  const char* does = what % kinds == Watch::read ? "reads" : "writes";
  const std::string where = fmt::format(
      "thread ({}, {}, {}) of block ({}, {}, {})", thread % launch_.block[0],
      thread / launch_.block[0] % launch_.block[1], thread / launch_.block[0] / launch_.block[1],
      frame.block[0], frame.block[1], frame.block[2]);
  if (low == nullptr) {
    out_of_range_ = fmt::format("{}: {} {} bytes through a null pointer, at address {}, in {}",
                                places_[static_cast<std::size_t>(place)], does, bytes, from, where);
    stop();
    return;
  }
  const bool elements = all % bytes == 0 && from % bytes == 0;
  out_of_range_ =
      elements ? fmt::format("{}: an index out of range: {} element {} of {}, which has {}, in {}",
                             places_[static_cast<std::size_t>(place)], does, from / bytes, name,
                             all / bytes, where)
               : fmt::format(
                     "{}: an index out of range: {} {} bytes at byte {} of {}, which has {}, in {}",
                     places_[static_cast<std::size_t>(place)], does, bytes, from, name, all, where);
  stop();
}

void SourceChecker::fence(const BlockFrame& frame, std::int64_t thread) {
  races_.tell(Watch::fence, 0, 0, block_number(frame), thread);
}

bool SourceChecker::barrier(const BlockFrame& frame, const std::vector<std::int32_t>& states) {
  const std::int64_t block = block_number(frame);
  // The one that most wait at; all others should be there.
  std::vector<std::int64_t> counts(launch_.kernel->sites.size());
  for (const std::int32_t state : states) {
    if (state >= 0) ++counts[static_cast<std::size_t>(state)];
  }
  const auto chosen =
      static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  for (std::size_t t = 0; t < states.size(); ++t) {
    if (states[t] < 0 && frame.returned[t] == 1) {
      races_.tell(Watch::exit, 0, 0, block, static_cast<std::int64_t>(t));
      frame.returned[t] = 2;
    } else if (states[t] == static_cast<std::int32_t>(chosen)) {
      races_.tell(Watch::arrive, 0, 0, block, static_cast<std::int64_t>(t));
    }
  }
  const CheckedKernel::Site& site = launch_.kernel->checked.sites[chosen];
  const bool grid = launch_.kernel->sites[chosen] == Site::grid_barrier;
  races_.tell(grid ? Watch::grid_barrier : Watch::barrier, site.parted, site.place, block, 0);
  if (races_.found()) stop();
  return !races_.found();
}

void SourceChecker::warp(const BlockFrame& frame, Site kind, std::int32_t first) {
  if (kind == Site::warp_barrier) races_.tell(Watch::warp, 0, 0, block_number(frame), first);
}

void SourceChecker::missing(const BlockFrame& frame, std::int32_t first, std::int32_t state,
                            std::uint32_t waiting, std::uint32_t alive) {
  std::uint32_t wanted = 0;
  for (int lane = 0; lane < 32; ++lane) {
    if ((waiting >> lane & 1u) != 0) wanted |= frame.masks[first + lane];
  }
  const CheckedKernel::Site& site = launch_.kernel->checked.sites[static_cast<std::size_t>(state)];
  missing_ = fmt::format(
      "{}: {} lanes of warp {} of block ({}, {}, {}) wait for {} others (mask {:#010x}), which do "
      "not come",
      places_[static_cast<std::size_t>(site.place)], std::popcount(waiting), first / 32,
      frame.block[0], frame.block[1], frame.block[2], std::popcount(wanted & alive & ~waiting),
      wanted);
  if (site.parted >= 0)
    missing_ += fmt::format("; they part at {}", places_[static_cast<std::size_t>(site.parted)]);
  stop();
}

void SourceChecker::raise() const {
  if (!out_of_range_.empty()) throw index_error(out_of_range_);
  if (!missing_.empty()) throw race_error(missing_);
  races_.raise();
}

namespace {

SourceChecker& checker_of(const BlockFrame& frame) {
  return *static_cast<KernelLaunch*>(frame.launch)->checker;
}

}  // namespace

std::int32_t checked_access(BlockFrame* frame, std::int32_t what, const char* address,
                            std::int64_t bytes, std::int32_t place, const char* low,
                            const char* high, std::int64_t thread) {
  return checker_of(*frame).access(*frame, what, address, bytes, place, thread, low, high) ? 1 : 0;
}

const char* checked_bound(BlockFrame* frame, const char* address, std::int32_t end) {
  return checker_of(*frame).bound(*frame, address, end != 0);
}

void checked_fence(BlockFrame* frame, std::int64_t thread) {
  checker_of(*frame).fence(*frame, thread);
}

}  // namespace heddle::cpu
