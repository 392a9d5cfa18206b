#include "runtime/kernel_cache.h"

#include <mutex>
#include <unordered_map>

#include "graph/graph.h"

namespace heddle {

namespace {

struct Entry {
  kernel::Kernel kernel;
  Device* device;
  const CompiledKernel* code;
};

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash ^= word;
  hash *= 0x9e3779b97f4a7c15ull;
  return hash ^ (hash >> 29);
}

std::uint64_t hash_of(const Device& device, const kernel::Kernel& k) {
  auto hash = mix(reinterpret_cast<std::uintptr_t>(&device),
                  std::uint64_t{k.kept_dims} | std::uint64_t{k.reduced_dims} << 8 |
                      std::uint64_t{k.phases} << 16 | std::uint64_t(k.lanes) << 24 |
                      std::uint64_t{k.split} << 32 | std::uint64_t{k.sequential} << 33 |
                      std::uint64_t{k.scalars} << 40);
  for (auto& slot : k.slots) {
    hash = mix(hash, std::uint64_t(slot.dtype) | std::uint64_t{slot.written} << 8 |
                         std::uint64_t{slot.scratch} << 9 | std::uint64_t(slot.lane) << 10 |
                         std::uint64_t{slot.streamed} << 12 | slot.zero_dims << 16);
  }
  for (auto& instr : k.instrs) {
    hash = mix(hash, std::uint64_t(instr.op) | std::uint64_t(instr.dtype) << 8 |
                         std::uint64_t(instr.level) << 16 | std::uint64_t{instr.phase} << 24 |
                         std::uint64_t(instr.combine) << 32 | std::uint64_t{instr.slot} << 48);
    hash = mix(hash, std::uint64_t{instr.args[0]} | std::uint64_t{instr.args[1]} << 16 |
                         std::uint64_t{instr.args[2]} << 32 | std::uint64_t{instr.args[3]} << 48);
  }
  return hash;
}

}  // namespace

FoundKernel find_kernel(Device& device, const kernel::Kernel& kernel) {
  static auto* mutex = new std::mutex;
  static auto* cache = new std::unordered_multimap<std::uint64_t, std::unique_ptr<Entry>>;
  std::lock_guard lock(*mutex);
  auto hash = hash_of(device, kernel);
  auto [first, last] = cache->equal_range(hash);
  for (auto it = first; it != last; ++it) {
    Entry& entry = *it->second;
    if (entry.device == &device && entry.kernel == kernel) {
      ++statistics().memory_hits;
      return {&entry.kernel, entry.code};
    }
  }
  auto entry = std::make_unique<Entry>(Entry{kernel, &device, nullptr});
  entry->code = device.compile(entry->kernel);
  Entry* kept = entry.get();
  cache->emplace(hash, std::move(entry));
  return {&kept->kernel, kept->code};
}

}  // namespace heddle
