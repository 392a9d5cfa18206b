// Memory that a thread keeps from one call to the next.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/per_thread.h"

namespace heddle::cpu {

// At the start of a cache line. There is one for each kind of work, in use only inside of a call.
template <class Kind>
void* thread_scratch(std::size_t bytes) {
  struct Memory {
    std::vector<char> bytes;
  };
  constexpr std::size_t alignment = 64;
  std::vector<char>& memory = PerThread<Memory>::own().bytes;
  if (memory.size() < bytes + alignment) memory.resize(bytes + alignment);
  void* base = memory.data();
  std::size_t room = memory.size();
  return std::align(alignment, bytes, base, room);
}

}  // namespace heddle::cpu
