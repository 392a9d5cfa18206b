#include "backend/cpu/blocks.h"

#include <algorithm>

#include "backend/cpu/thread_scratch.h"
#include "runtime/paced.h"
#include "runtime/parallel.h"

namespace heddle::cpu {

std::int64_t pieces_of(const BlockRange& range) {
  // A few thousand threads are not worth waking other cores.
  constexpr std::int64_t few = 4096;
  const bool small = range.blocks * range.threads <= few / std::max<std::int64_t>(range.work, 1);
  return range.alone || small ? 1 : std::min<std::int64_t>(range.blocks, 16 * thread_count());
}

void run_blocks(const BlockRange& range,
                const std::function<void(std::int64_t first, std::int64_t count)>& run) {
  const std::int64_t pieces = pieces_of(range), blocks = range.blocks;
  if (range.interruptible) stop_if_interrupted(blocks * range.threads * range.work);
  if (pieces <= 1) {
    run(0, blocks);
    return;
  }
  paced_for(range.site, blocks, pieces, range.interruptible,
            [&](std::int64_t from, std::int64_t to) {
              const std::int64_t first = blocks * from / pieces, end = blocks * to / pieces;
              run(first, end - first);
            });
}

char* block_scratch(std::size_t bytes) {
  struct Block;
  return static_cast<char*>(thread_scratch<Block>(bytes));
}

}  // namespace heddle::cpu
