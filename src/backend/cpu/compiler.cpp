#include "backend/cpu/compiler.h"

#include <map>
#include <mutex>
#include <optional>

#include <dlfcn.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/SHA256.h>
#include <sys/stat.h>

#include "backend/cpu/jit.h"
#include "backend/cpu/pack.h"
#include "kernel/schedule.h"
#include "runtime/disk_cache.h"
#include <heddle/version.h>

namespace heddle::cpu {
namespace {

CacheKey sha256(const std::string& text) {
  llvm::SHA256 hash;
  hash.update(llvm::StringRef(text));
  return hash.final();
}

// Everything the code depends on but the compiler itself.
std::string description(const kernel::Kernel& kernel, const kernel::Target& target) {
  std::string text = kernel::serialize(kernel);
  for (const std::string& part :
       {target.cpu, target.features, llvm_version(), std::string(version())}) {
    text += '\0';
    text += part;
  }
  text += target.vector_math ? '\1' : '\0';
  return text;
}

// Another build of the library emits other code for the same kernel, under the same version while
// it is being developed. The pack is made together with the library and needs no such mark.
const std::string& build_mark() {
  static const std::string mark = [] {
    Dl_info where;
    struct stat status;
    if (!dladdr(reinterpret_cast<void*>(&description), &where) || !where.dli_fname ||
        ::stat(where.dli_fname, &status) != 0)
      return std::string();
    return std::to_string(status.st_size) + "." + std::to_string(status.st_mtim.tv_sec) + "." +
           std::to_string(status.st_mtim.tv_nsec);
  }();
  return mark;
}

// The key is in the names of an object's functions, so that no two objects clash. Those of the pack
// and of the cache are told apart by the key itself.
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
                         const std::string& what, Origin& origin) {
  const CacheKey pack_key = sha256(what);
  if (const auto object = Pack::instance().find(pack_key)) {
    origin = Origin::pack_hit;
    if (auto entry = try_load(kernel, pack_key, *object)) return *entry;
  }
  DiskCache& cache = DiskCache::instance();
  const CacheKey key = sha256(what + build_mark());
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

std::mutex& compiler_mutex() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

kernel::EntryPoints compile(const kernel::Kernel& kernel, const kernel::Target& target,
                            Origin* origin) {
  static std::map<std::string, kernel::EntryPoints> known;
  const std::string what = description(kernel, target);
  const std::lock_guard lock(compiler_mutex());
  Origin how = Origin::memory_hit;
  auto found = known.find(what);
  if (found == known.end()) found = known.emplace(what, make(kernel, target, what, how)).first;
  if (origin) *origin = how;
  return found->second;
}

kernel::EntryPoints compile(const kernel::Kernel& kernel, Origin* origin) {
  return compile(kernel, host_target(), origin);
}

int lanes(const kernel::Kernel& kernel) {
  return kernel::make_schedule(kernel, host_target()).lanes;
}

void write_pack(const std::string& path, const std::vector<kernel::Kernel>& kernels,
                const std::vector<kernel::Target>& targets) {
  const std::lock_guard lock(compiler_mutex());
  std::map<CacheKey, std::string> objects;
  for (const kernel::Target& target : targets) {
    for (const kernel::Kernel& kernel : kernels) {
      kernel::verify(kernel);
      const CacheKey key = sha256(description(kernel, target));
      if (!objects.contains(key)) objects[key] = generate_object(kernel, target, prefix_of(key));
    }
  }
  write_pack_file(path, objects);
}

}  // namespace heddle::cpu
