// Kernels of CUDA C++ that are checked: they tell each access to memory, with the bounds of what
// they access, and whoever runs their blocks tells who waits where. An access out of range ends the
// launch before it happens; races and barriers are RaceChecker's. One launch, on one core.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/cpu/block_frame.h"
#include "backend/cpu/block_scheduler.h"
#include "runtime/races.h"

namespace heddle::cpu {

// Memory that has a name.
struct NamedMemory {
  std::string name;
  const char *low, *high;
};

class SourceChecker {
 public:
  // `places`: lines of the source, by number. `arrays`: of each parameter, null where there is
  // none; `variables`: of the module.
  SourceChecker(KernelLaunch& launch, const std::vector<std::string>& places, bool cooperative,
                const std::vector<NamedMemory>& arrays, std::vector<NamedMemory> variables);

  const char* const* bounds() const { return bounds_.data(); }

  // Whether the thread has to end.
  bool access(const BlockFrame& frame, std::int32_t what, const char* address, std::int64_t bytes,
              std::int32_t place, std::int64_t thread, const char* low, const char* high);
  // Of the memory that an address lies in: its beginning or its end; of any memory where it is in
  // none that is known.
  const char* bound(const BlockFrame& frame, const char* address, bool end) const;
  void fence(const BlockFrame& frame, std::int64_t thread);
  // `states`: of all threads, which have ended or wait. False where the launch has to end.
  bool barrier(const BlockFrame& frame, const std::vector<std::int32_t>& states);
  // Lanes of the warp that begins with this thread have met.
  void warp(const BlockFrame& frame, Site kind, std::int32_t first);
  // Some of them wait for others, which do not come.
  void missing(const BlockFrame& frame, std::int32_t first, std::int32_t state,
               std::uint32_t waiting, std::uint32_t alive);

  // Throws index_error, or race_error.
  void raise() const;

 private:
  std::int64_t block_number(const BlockFrame& frame) const;
  bool is_shared(const BlockFrame& frame, const char* address) const;
  std::vector<NamedMemory> shared(const BlockFrame& frame) const;
  void refuse(const BlockFrame& frame, std::int32_t what, const char* address, std::int64_t bytes,
              std::int32_t place, std::int64_t thread, const char* low, const char* high);
  void stop() { launch_.stopped = true; }

  KernelLaunch& launch_;
  const std::vector<std::string>& places_;
  RaceChecker races_;
  std::vector<const char*> bounds_;     // two for each parameter
  std::vector<NamedMemory> known_;      // arrays and variables
  std::string out_of_range_, missing_;  // what was found, if it was
};

// What compiled kernels call.
std::int32_t checked_access(BlockFrame* frame, std::int32_t what, const char* address,
                            std::int64_t bytes, std::int32_t place, const char* low,
                            const char* high, std::int64_t thread);
const char* checked_bound(BlockFrame* frame, const char* address, std::int32_t end);
void checked_fence(BlockFrame* frame, std::int64_t thread);

}  // namespace heddle::cpu
