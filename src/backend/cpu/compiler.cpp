#include "backend/cpu/compiler.h"

#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <span>

#include "backend/cpu/jit.h"
#include "core/fork.h"
#include "kernel/kernel_key.h"
#include "kernel/pack.h"
#include "kernel/schedule.h"
#include "runtime/disk_cache.h"
#include "runtime/once_map.h"
#include "runtime/parallel.h"
#include <heddle/errors.h>

namespace heddle::cpu {
namespace {

// The key is in the names of an object's functions, for profilers and debuggers.
std::string prefix_of(const CacheKey& key) { return "heddle_" + to_hex(key).substr(0, 32) + "_"; }

LoadedKernel load(const kernel::Kernel& kernel, const CacheKey& key, std::string_view object) {
  const std::string prefix = prefix_of(key);
  LoadedKernel loaded;
  auto take = [&](std::span<const std::string> names) {
    LoadedObject found = load_object(object, names);
    loaded.code = std::move(found.code);
    return std::move(found.addresses);
  };
  if (!kernel.split) {
    const std::string names[] = {prefix + "run"};
    loaded.run = reinterpret_cast<kernel::RunFunction>(take(names)[0]);
    return loaded;
  }
  const std::string names[] = {prefix + "part", prefix + "combine", prefix + "finish"};
  const auto addresses = take(names);
  loaded.part = reinterpret_cast<kernel::PartFunction>(addresses[0]);
  loaded.combine = reinterpret_cast<kernel::CombineFunction>(addresses[1]);
  loaded.finish = reinterpret_cast<kernel::FinishFunction>(addresses[2]);
  return loaded;
}

// A cached object that does not load counts as not cached.
std::optional<LoadedKernel> try_load(const kernel::Kernel& kernel, const CacheKey& key,
                                     std::string_view object) {
  try {
    return load(kernel, key, object);
  } catch (const out_of_memory&) {
    throw;
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

LoadedKernel make(const kernel::Kernel& kernel, const kernel::Target& target, const CacheKey& key,
                  Origin& origin) {
  if (const auto object = kernel::Pack::instance().find(key)) {
    origin = Origin::pack_hit;
    if (auto loaded = try_load(kernel, key, *object)) return *std::move(loaded);
  }
  DiskCache& cache = DiskCache::instance();
  if (const auto object = cache.load(key)) {
    origin = Origin::disk_hit;
    if (auto loaded = try_load(kernel, key, *object)) return *std::move(loaded);
  }
  origin = Origin::compiled;
  kernel::verify(kernel);
  const std::string object = generate_object(kernel, target, prefix_of(key));
  LoadedKernel loaded = load(kernel, key, object);
  cache.store(key, object);
  return loaded;
}

struct KeyHash {
  std::size_t operator()(const CacheKey& key) const {  // which is a good hash itself
    std::size_t word = 0;
    std::memcpy(&word, key.data(), sizeof word);
    return word;
  }
};

}  // namespace

LoadedKernel compile(const kernel::Kernel& kernel, const kernel::Target& target, Origin* origin) {
  // Those that somebody holds come on top.
  constexpr std::size_t most = 1024;
  static auto* known = new OnceMap<CacheKey, LoadedKernel, KeyHash>;
  Origin how = Origin::memory_hit;
  bool was_there = false;
  LoadedKernel found = known->get(
      kernel::kernel_key(kernel, target),
      [&](const CacheKey& key) {
        NoForkScope no_fork;  // LLVM has locks of its own
        return make(kernel, target, key, how);
      },
      [&](const CacheKey&, const LoadedKernel& loaded, bool there) {
        was_there = there;
        return loaded;
      });
  if (!was_there) {
    known->drop_beyond(most, [](const LoadedKernel& loaded) {
      return loaded.code.use_count() == 1 ? std::optional<std::uint64_t>(0) : std::nullopt;
    });
  }
  if (origin) *origin = was_there ? Origin::memory_hit : how;
  return found;
}

LoadedKernel compile(const kernel::Kernel& kernel, Origin* origin) {
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
