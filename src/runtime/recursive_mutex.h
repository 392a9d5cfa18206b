// A recursive mutex for which taking it again is nearly free: operations are made of operations,
// and each one locks.
#pragma once

#include <atomic>
#include <mutex>
#include <thread>

namespace heddle {

class RecursiveMutex {
 public:
  void lock() {
    if (!mine()) {
      mutex_.lock();
      owner_.store(self(), std::memory_order_relaxed);
    }
    ++depth_;
  }
  bool try_lock() {
    if (!mine()) {
      if (!mutex_.try_lock()) return false;
      owner_.store(self(), std::memory_order_relaxed);
    }
    ++depth_;
    return true;
  }
  void unlock() {
    if (--depth_ > 0) return;
    owner_.store({}, std::memory_order_relaxed);
    mutex_.unlock();
  }
  // Lets go of it as often as this thread has taken it.
  void abandon() {
    if (!mine()) return;
    depth_ = 1;
    unlock();
  }

 private:
  static std::thread::id self() { return std::this_thread::get_id(); }
  // Only its own thread finds itself here, so no order is needed.
  bool mine() const { return owner_.load(std::memory_order_relaxed) == self(); }

  std::mutex mutex_;
  std::atomic<std::thread::id> owner_{};
  int depth_ = 0;  // guarded by mutex_
};

}  // namespace heddle
