// A recursive mutex for which taking it again is nearly free, and taking it at all is two atomic
// steps: operations are made of operations, and each one locks.
#pragma once

#include <atomic>

#include "runtime/thread_number.h"

namespace heddle {

class RecursiveMutex {
 public:
  void lock() {
    if (try_lock()) return;
    for (std::uint32_t owner = 0;;) {
      if (owner_.compare_exchange_weak(owner, thread_number(), std::memory_order_acquire)) break;
      if (owner != 0) owner_.wait(owner, std::memory_order_relaxed);
      owner = 0;
    }
    depth_ = 1;
  }
  bool try_lock() {
    const auto self = thread_number();
    // Only its own thread finds itself here, so no order is needed.
    if (owner_.load(std::memory_order_relaxed) != self) {
      std::uint32_t nobody = 0;
      if (!owner_.compare_exchange_strong(nobody, self, std::memory_order_acquire)) return false;
    }
    ++depth_;
    return true;
  }
  void unlock() {
    if (--depth_ == 0) release();
  }
  // Lets go of it as often as this thread has taken it.
  void abandon() {
    if (owner_.load(std::memory_order_relaxed) != thread_number()) return;
    depth_ = 0;
    release();
  }

 private:
  void release() {
    owner_.exchange(0);  // in order with the look at who waits
    owner_.notify_one();
  }

  std::atomic<std::uint32_t> owner_{0};
  std::uint32_t depth_ = 0;  // of the owner
};

}  // namespace heddle
