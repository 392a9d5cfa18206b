// Compiled kernels on disk, for every device: bytes by key. Nothing here ever fails: what cannot be
// read is not there, and what cannot be written is left out.
//
// HEDDLE_CACHE_DIR names the folder (empty: no cache), else $XDG_CACHE_HOME/heddle, else
// ~/.cache/heddle. The oldest entries go when the folder outgrows its limit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernel/kernel_key.h"
#include <heddle/export.h>

namespace heddle {

class HEDDLE_API DiskCache {
 public:
  // An empty folder disables the cache.
  explicit DiskCache(const std::string& folder,
                     std::uint64_t limit_bytes = std::uint64_t{256} << 20);

  static DiskCache& instance();  // of the environment

  std::optional<std::string> load(const CacheKey& key) const;
  void store(const CacheKey& key, std::string_view bytes);
  void remove(const CacheKey& key) const;

  const std::string& folder() const { return folder_; }

 private:
  std::string path(const CacheKey& key) const;
  void evict() const;

  std::string folder_;
  std::uint64_t limit_;
};

std::string to_hex(const CacheKey& key);

}  // namespace heddle
