#include "backend/cpu/compiler.h"

#include <cstring>
#include <map>
#include <mutex>
#include <optional>

#include "backend/cpu/jit.h"
#include "core/fork.h"
#include "kernel/kernel_key.h"
#include "kernel/pack.h"
#include "kernel/schedule.h"
#include "runtime/disk_cache.h"
#include "runtime/once_map.h"
#include "runtime/parallel.h"

namespace heddle::cpu {
namespace {

// The key is in the names of an object's functions, so that no two objects clash.
std::string prefix_of(const CacheKey& key) { return "heddle_" + to_hex(key).substr(0, 32) + "_"; }

kernel::EntryPoints load(const kernel::Kernel& kernel, const CacheKey& key,
                         std::string_view object) {
  const std::string prefix = prefix_of(key);
  kernel::EntryPoints entry;
  if (!kernel.split) {
    const std::string names[] = {prefix + "run"};
    entry.run = reinterpret_cast<kernel::RunFunction>(load_object(object, names)[0]);
    return entry;
  }
  const std::string names[] = {prefix + "part", prefix + "combine", prefix + "finish"};
  const auto addresses = load_object(object, names);
  entry.part = reinterpret_cast<kernel::PartFunction>(addresses[0]);
  entry.combine = reinterpret_cast<kernel::CombineFunction>(addresses[1]);
  entry.finish = reinterpret_cast<kernel::FinishFunction>(addresses[2]);
  return entry;
}

// A cached object that does not load counts as not cached.
std::optional<kernel::EntryPoints> try_load(const kernel::Kernel& kernel, const CacheKey& key,
                                            std::string_view object) {
  try {
    return load(kernel, key, object);
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

kernel::EntryPoints make(const kernel::Kernel& kernel, const kernel::Target& target,
                         const CacheKey& key, Origin& origin) {
  if (const auto object = kernel::Pack::instance().find(key)) {
    origin = Origin::pack_hit;
    if (auto entry = try_load(kernel, key, *object)) return *entry;
  }
  DiskCache& cache = DiskCache::instance();
  if (const auto object = cache.load(key)) {
    origin = Origin::disk_hit;
    if (auto entry = try_load(kernel, key, *object)) return *entry;
  }
  origin = Origin::compiled;
  kernel::verify(kernel);
  const std::string object = generate_object(kernel, target, prefix_of(key));
  const kernel::EntryPoints entry = load(kernel, key, object);
  cache.store(key, object);
  return entry;
}

struct KeyHash {
  std::size_t operator()(const CacheKey& key) const {  // which is a good hash itself
    std::size_t word = 0;
    std::memcpy(&word, key.data(), sizeof word);
    return word;
  }
};

}  // namespace

kernel::EntryPoints compile(const kernel::Kernel& kernel, const kernel::Target& target,
                            Origin* origin) {
  static auto* known = new OnceMap<CacheKey, kernel::EntryPoints, KeyHash>;
  Origin how = Origin::memory_hit;
  const auto found = known->get(kernel::kernel_key(kernel, target), [&](const CacheKey& key) {
    NoForkScope no_fork;  // LLVM has locks of its own
    return make(kernel, target, key, how);
  });
  if (origin) *origin = found.was_there ? Origin::memory_hit : how;
  return found.value;
}

kernel::EntryPoints compile(const kernel::Kernel& kernel, Origin* origin) {
  return compile(kernel, host_target(), origin);
}

int lanes(const kernel::Kernel& kernel) {
  return kernel::make_schedule(kernel, host_target()).lanes;
}

std::map<CacheKey, std::string> prebuild(const std::vector<kernel::Kernel>& kernels,
                                         const std::vector<kernel::Target>& targets) {
  std::mutex mutex;
  std::map<CacheKey, std::string> objects;
  const auto count = static_cast<std::int64_t>(kernels.size());
  parallel_for(count * static_cast<std::int64_t>(targets.size()), false, [&](std::int64_t i) {
    const kernel::Kernel& kernel = kernels[static_cast<std::size_t>(i % count)];
    const kernel::Target& target = targets[static_cast<std::size_t>(i / count)];
    kernel::verify(kernel);
    const CacheKey key = kernel::kernel_key(kernel, target);
    std::string object = generate_object(kernel, target, prefix_of(key));
    const std::lock_guard lock(mutex);
    objects[key] = std::move(object);
  });
  return objects;
}

}  // namespace heddle::cpu
