// Memory that a thread keeps from one call to the next.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "core/per_thread.h"

namespace heddle::cpu {

namespace detail {
// All kinds in one place: a thread has few words of its own (core/per_thread.h).
struct ThreadScratch {
  std::vector<std::vector<char>> by_kind;
};
inline std::atomic<std::size_t> scratch_kinds{0};
}  // namespace detail

// At the start of a cache line. There is one for each kind of work, in use only inside of a call.
template <class Kind>
void* thread_scratch(std::size_t bytes) {
  static const std::size_t kind = detail::scratch_kinds++;
  constexpr std::size_t alignment = 64;
  auto& kinds = PerThread<detail::ThreadScratch>::own().by_kind;
  if (kinds.size() <= kind) kinds.resize(kind + 1);
  std::vector<char>& memory = kinds[kind];
  if (memory.size() < bytes + alignment) memory.resize(bytes + alignment);
  void* base = memory.data();
  std::size_t room = memory.size();
  return std::align(alignment, bytes, base, room);
}

}  // namespace heddle::cpu
