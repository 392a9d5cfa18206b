// A recursive mutex that one thread, its owner, takes all the time, and others hardly ever, as
// guests. The owner takes it by writing a word that only it writes, and looking whether there is a
// guest. A guest says that it is there, which keeps the owner out from then on, makes sure that the
// owner sees that (runtime/asymmetric_fence.h), and waits until the owner is not inside.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/asymmetric_fence.h"
#include "runtime/thread_number.h"

namespace heddle {

class OwnedMutex {
 public:
  void lock() {
    const auto self = thread_number();
    if (!is_owner(self)) return lock_as_guest(self);
    while (!enter()) wait_for_zero(guest_);
  }
  bool try_lock() {
    const auto self = thread_number();
    return is_owner(self) ? enter() : try_lock_as_guest(self);
  }
  void unlock() { is_owner(thread_number()) ? leave() : leave_as_guest(); }

  // This thread is the owner from now on, also of what it holds already. There is none yet, or it
  // has disowned the mutex before this thread was told (by another mutex, say) that it may have it.
  void own();
  // There is no owner any more. By the owner, which is not inside.
  void disown();

  // Lets go of it as often as this thread has taken it.
  void abandon();
  // In a child made by fork: guests are no more, nor is the owner, unless it is this thread.
  void reset_in_child();

 private:
  using Word = std::atomic<std::uint32_t>;

  // Only its own thread finds itself there, so no order is needed.
  bool is_owner(std::uint32_t self) const { return owner_.load(std::memory_order_relaxed) == self; }

  bool enter() {
    const auto depth = depth_.load(std::memory_order_relaxed);
    store_before_reads(depth_, depth + 1);
    if (depth > 0 || guest_.load(std::memory_order_seq_cst) == 0) return true;
    leave();
    return false;
  }
  void leave() {
    const auto depth = depth_.load(std::memory_order_relaxed) - 1;
    store_before_reads(depth_, depth);
    if (depth == 0 && guest_.load(std::memory_order_seq_cst) != 0) tell_guest();
  }

  static void wait_for_zero(Word& word);
  void tell_guest();
  void become_guest(std::uint32_t self);
  void lock_as_guest(std::uint32_t self);
  bool try_lock_as_guest(std::uint32_t self);
  void leave_as_guest();

  Word owner_{0};  // the thread; 0: none
  Word depth_{0};  // how often the owner is inside; only it writes this
  Word guest_{0};  // the thread that is inside, or waits for the owner to leave; 0: none
  std::uint32_t guest_depth_ = 0;
};

}  // namespace heddle
