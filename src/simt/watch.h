// What a program that looks for races says of itself while it runs, and how: a function, whose
// address is in its report (Report::watch), is told each access to memory that threads share, each
// barrier, and who arrives there.
#pragma once

#include <cstdint>

namespace heddle::simt {

struct Watch {
  // `site`: the text that says where. `block`, `thread`: numbers, x first.
  using Function = void (*)(void* context, std::int64_t what, std::int64_t address,
                            std::int64_t site, std::int64_t block, std::int64_t thread);

  static constexpr int read = 0, write = 1, atomic = 2;
  static constexpr int arrive = 3;   // at the barrier that is told next
  static constexpr int barrier = 4;  // of a block. `address`: what has parted its threads, or -1
  static constexpr int grid_barrier = 5;  // the same, of all blocks: told by each
  static constexpr int exit = 6;          // the thread has ended
  static constexpr int warp = 7;          // a barrier of the thread's warp
  static constexpr int fence = 8;         // for the whole device
  static constexpr int in_shared = 16;    // added to an access
};

}  // namespace heddle::simt
