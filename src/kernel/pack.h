// The file of prebuilt kernels of all devices: a sorted index of keys and the objects they stand
// for, each compressed on its own with a dictionary that all share, mapped into memory. A file that
// is damaged, foreign or not there is an empty one.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "kernel/kernel_key.h"

struct ZSTD_DCtx_s;
struct ZSTD_DDict_s;

namespace heddle::kernel {

class Pack {
 public:
  explicit Pack(const std::string& path);
  Pack(const Pack&) = delete;
  Pack& operator=(const Pack&) = delete;
  ~Pack();

  static const Pack& instance();  // heddle.pack beside the library

  std::optional<std::string> find(const CacheKey& key) const;
  std::size_t size() const { return count_; }

 private:
  const char* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t count_ = 0;
  ZSTD_DDict_s* dictionary_ = nullptr;
  // To make one takes longer than to use it.
  mutable std::mutex mutex_;
  ZSTD_DCtx_s* context_ = nullptr;
};

// Throws std::runtime_error when the file cannot be written.
void write_pack_file(const std::string& path, const std::map<CacheKey, std::string>& objects);

}  // namespace heddle::kernel
