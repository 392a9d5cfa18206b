// Short sections that need no lock as long as one thread is the only one that ever enters them, as
// in most programs. It says that it is inside by writing a word that only it writes; the first
// other thread that comes makes sure that it is seen, waits until nobody is inside, and from then
// on all threads take locks. As in runtime/owned_mutex.h, for the whole process and once.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/asymmetric_fence.h"
#include <heddle/export.h>

namespace heddle {

namespace detail {
// Which one it is, by where its control block is, the quickest thing to know of a thread. No thread
// has the first numbers: nobody came yet, a second one comes, there are several.
inline constexpr std::uintptr_t no_thread = 0, second_thread = 1, several_threads = 2;
inline std::uintptr_t this_thread() {
  return reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
}
extern HEDDLE_API std::atomic<std::uintptr_t> sole_thread;
extern HEDDLE_API std::atomic<std::uint32_t> sole_depth;  // how often it is inside
HEDDLE_API bool enter_at_first();
}  // namespace detail

// Whether this thread is the only one, and inside from now on; else it takes a lock. Inside nothing
// waits for another thread, and nothing is called that might.
inline bool enter_alone() {
  using namespace detail;
  const std::uintptr_t self = this_thread();
  if (const auto sole = sole_thread.load(std::memory_order_acquire); sole != self) [[unlikely]] {
    return sole != several_threads && enter_at_first();
  }
  const auto depth = sole_depth.load(std::memory_order_relaxed);
  store_before_reads(sole_depth, depth + 1);
  if (sole_thread.load(std::memory_order_seq_cst) == self) [[likely]]
    return true;
  sole_depth.store(depth, std::memory_order_release);
  return enter_at_first();
}

inline void leave_alone() {
  const auto depth = detail::sole_depth.load(std::memory_order_relaxed);
  detail::sole_depth.store(depth - 1, std::memory_order_release);
}

}  // namespace heddle
