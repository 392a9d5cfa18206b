// Blocks of a grid over all cores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace heddle::cpu {

struct BlockRange {
  std::int64_t blocks = 1, threads = 1;  // threads of each
  std::int64_t work = 1;                 // of a thread, roughly: how many cores are worth it
  bool alone = false;                    // on one core, whatever there is to do
  bool interruptible = true;
  const void* site = nullptr;  // tells one kernel from another
};

// How many pieces the blocks are cut into.
std::int64_t pieces_of(const BlockRange& range);
// run(first, count) for pieces that are all of the blocks.
void run_blocks(const BlockRange& range,
                const std::function<void(std::int64_t first, std::int64_t count)>& run);

// Memory of the block that a core runs.
char* block_scratch(std::size_t bytes);

}  // namespace heddle::cpu
