// Runs kernels that are cut where their threads wait for each other (block_frame.h): all threads of
// a group together while they are at the same site, one by one where they are not. A group is a
// warp in kernels that have operations of warps, else the block.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "backend/cpu/block_frame.h"

namespace heddle::cpu {

class SourceChecker;

// What is known of a kernel that is checked; see description.h of the plug-in.
struct CheckedKernel {
  std::int64_t granule = 0;  // all accesses begin and end at multiples of it; 0: it is not checked
  struct Site {
    std::int64_t place = 0, parted = -1;  // numbers of places
  };
  std::vector<Site> sites;
  struct Shared {
    std::string name;
    std::int64_t offset = 0, bytes = 0;
  };
  std::vector<Shared> shared;
  std::vector<std::string> parameters;
};

struct SourceKernel {
  std::string symbol;
  RunAll run_all = nullptr;
  RunOne run_one = nullptr;
  std::size_t shared_bytes = 0, row_bytes = 0, uniform_bytes = 0;
  bool warps = false;   // has operations of warps
  bool prints = false;  // says something to the user
  bool fails = false;   // has assertions
  bool asks = false;    // has loops that nobody knows the end of
  std::vector<Site> sites;
  std::vector<std::pair<std::size_t, std::size_t>> parameters;  // size and alignment
  CheckedKernel checked;

  bool waits() const { return sites.size() > 1; }
  bool waits_for_grid() const;
};

// One launch, of which all cores know.
struct KernelLaunch {
  const SourceKernel* kernel = nullptr;
  std::int64_t grid[3], block[3];
  std::int64_t dynamic_bytes = 0;
  const void* const* parameters = nullptr;
  char* variables = nullptr;  // of the module
  SourceChecker* checker = nullptr;

  std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> stopped{false};
  std::atomic<bool> interrupted{false};
  std::mutex mutex;
  std::string failure;  // of the first assertion that did not hold

  std::int64_t threads() const { return block[0] * block[1] * block[2]; }
  std::int64_t blocks() const { return grid[0] * grid[1] * grid[2]; }
};

// Of one block.
std::size_t scratch_bytes(const KernelLaunch& launch);
// Blocks one after the other.
void run_in_order(KernelLaunch& launch, std::int64_t first, std::int64_t count);
// All blocks on this core, which may wait for each other.
void run_together(KernelLaunch& launch);

// What compiled kernels call: null where the name is none of theirs.
void* kernel_symbol(const std::string& name);

}  // namespace heddle::cpu
