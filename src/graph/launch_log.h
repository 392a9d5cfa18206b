// What evaluations of this thread launch, for those who want to launch it again without them: see
// transform/loop_replay.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/device.h"
#include "runtime/kernel_cache.h"

namespace heddle::graph {

class LaunchLog {
 public:
  // Where a slot begins, in memory that may be gone by now; no memory: scratch of a row.
  struct Place {
    const void* memory = nullptr;
    std::size_t bytes = 0;  // of all of it
    std::int64_t offset = 0;
  };
  struct Entry {
    FoundKernel found;
    std::vector<Place> places;  // by slot
    std::vector<std::int64_t> strides, extents;
    std::vector<kernel::ScalarBits> scalars;
    std::size_t scratch_bytes = 0;
    bool serial = false;
  };

  // Listens until it is destroyed.
  LaunchLog();
  ~LaunchLog();
  LaunchLog(const LaunchLog&) = delete;
  LaunchLog& operator=(const LaunchLog&) = delete;
  // The one that listens in this thread, or null.
  static LaunchLog* current();

  void add(const Launch& launch, const FoundKernel& found, std::span<Buffer* const> by_slot);
  // Something ran that is no launch.
  void add_call() { complete_ = false; }

  bool complete() const { return complete_; }
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  LaunchLog* before_;
  bool complete_ = true;
  std::vector<Entry> entries_;
};

}  // namespace heddle::graph
