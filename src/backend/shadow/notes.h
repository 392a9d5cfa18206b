// What the shadow device writes down instead of doing it: see Device::write_down.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "runtime/memory_pool.h"

namespace heddle {

struct ShadowNotes {
  std::vector<std::function<void()>> calls;
  std::vector<std::pair<MemoryPool::Block, std::size_t>> blocks;  // freed meanwhile
};
// Of this thread, while it writes something down.
inline thread_local ShadowNotes* shadow_notes = nullptr;

// `call` owns all that it refers to, but memory.
template <class F>
void do_or_note(F call) {
  if (shadow_notes) {
    shadow_notes->calls.emplace_back(std::move(call));
  } else {
    call();
  }
}

}  // namespace heddle
