#include "runtime/sole_thread.h"

#include <thread>

#include <pthread.h>

namespace heddle::detail {

constinit std::atomic<std::uintptr_t> sole_thread = no_thread;
constinit std::atomic<std::uint32_t> sole_depth = 0;

namespace {

// A child made by fork has one thread, which is not inside.
[[maybe_unused]] const int watching = pthread_atfork(nullptr, nullptr, [] {
  sole_depth = 0;
  sole_thread = no_thread;
});

}  // namespace

bool enter_at_first() {
  const std::uintptr_t self = this_thread();
  for (;;) {
    std::uintptr_t sole = sole_thread.load(std::memory_order_acquire);
    if (sole == several_threads) return false;
    if (sole == second_thread) {
      sole_thread.wait(sole, std::memory_order_acquire);
    } else if (sole == no_thread) {
      if (sole_thread.compare_exchange_strong(sole, self)) return enter_alone();
    } else if (sole_thread.compare_exchange_strong(sole, second_thread)) {
      fence_all_threads();
      while (sole_depth.load(std::memory_order_acquire) != 0) std::this_thread::yield();
      sole_thread.store(several_threads, std::memory_order_seq_cst);
      sole_thread.notify_all();
      return false;
    }
  }
}

}  // namespace heddle::detail
