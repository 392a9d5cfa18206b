#include "runtime/kernel_cache.h"

#include <memory>
#include <optional>

#include "core/hash.h"
#include "runtime/once_map.h"
#include "runtime/statistics.h"

namespace heddle {

namespace {

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
    hash = mix(hash, std::uint64_t(instr.op) | std::uint64_t(instr.combine) << 16 |
                         std::uint64_t(instr.dtype) << 32 | std::uint64_t(instr.level) << 40 |
                         std::uint64_t{instr.phase} << 48);
    hash = mix(hash, std::uint64_t{instr.args[0]} | std::uint64_t{instr.args[1]} << 16 |
                         std::uint64_t{instr.args[2]} << 32 | std::uint64_t{instr.args[3]} << 48);
    hash = mix(hash, std::uint64_t{instr.args[4]} | std::uint64_t{instr.slot} << 16);
  }
  return hash;
}

// What is looked for, and, with a kernel of its own, what is kept.
struct Wanted {
  Device& device;
  const kernel::Kernel& kernel;
};
struct Kept {
  Device& device;
  std::shared_ptr<const kernel::Kernel> copy;
  const kernel::Kernel& kernel;
  explicit Kept(const Wanted& wanted)
      : device(wanted.device),
        copy(std::make_shared<kernel::Kernel>(wanted.kernel)),
        kernel(*copy) {}
};
struct Hash {
  using is_transparent = void;
  std::size_t operator()(const auto& key) const { return hash_of(key.device, key.kernel); }
};
struct Equal {
  using is_transparent = void;
  bool operator()(const auto& a, const auto& b) const {
    return &a.device == &b.device && a.kernel == b.kernel;
  }
};

struct Code {
  explicit Code(const Kept& kept)
      : kernel(kept.copy),
        compiled(kept.device.compile(*kernel)),
        may_go(kept.device.drops_kernels()) {}
  std::shared_ptr<const kernel::Kernel> kernel;
  std::unique_ptr<const CompiledKernel> compiled;
  bool may_go;
  mutable std::uint64_t last_use = 0;
};

}  // namespace

FoundKernel find_kernel(Device& device, const kernel::Kernel& kernel) {
  static auto* cache = new OnceMap<Kept, std::shared_ptr<const Code>, Hash, Equal>;
  static std::uint64_t uses = 0;  // counted under the lock of the cache
  bool was_there = false;
  auto code = cache->get(
      Wanted{device, kernel}, [](const Kept& kept) { return std::make_shared<const Code>(kept); },
      [&](const Kept&, const std::shared_ptr<const Code>& found, bool there) {
        was_there = there;
        found->last_use = ++uses;
        return found;
      });
  if (was_there) {
    count(Counter::memory_hits);
  } else {
    cache->drop_beyond(most_kernels, [](const std::shared_ptr<const Code>& kept) {
      const bool goes = kept->may_go && kept.use_count() == 1;
      return goes ? std::optional(kept->last_use) : std::nullopt;
    });
  }
  return {code->kernel.get(), code->compiled.get(), code};
}

}  // namespace heddle
