#include "runtime/owned_mutex.h"

namespace heddle {

void OwnedMutex::wait_for_zero(Word& word) {
  while (auto value = word.load(std::memory_order_acquire)) {
    word.wait(value, std::memory_order_acquire);
  }
}

void OwnedMutex::tell_guest() {
  depth_.exchange(0);  // it is: in order with the look at who waits
  depth_.notify_all();
}

void OwnedMutex::become_guest(std::uint32_t self) {
  for (std::uint32_t none = 0; !guest_.compare_exchange_strong(none, self); none = 0) {
    guest_.wait(none);
  }
}

void OwnedMutex::lock_as_guest(std::uint32_t self) {
  if (guest_.load(std::memory_order_relaxed) != self) {
    become_guest(self);
    fence_all_threads();
    wait_for_zero(depth_);
  }
  ++guest_depth_;
}

bool OwnedMutex::try_lock_as_guest(std::uint32_t self) {
  if (guest_.load(std::memory_order_relaxed) != self) {
    std::uint32_t none = 0;
    if (!guest_.compare_exchange_strong(none, self)) return false;
    fence_all_threads();
    if (depth_.load() != 0) {
      guest_.store(0);
      guest_.notify_all();
      return false;
    }
  }
  ++guest_depth_;
  return true;
}

void OwnedMutex::leave_as_guest() {
  if (--guest_depth_ > 0) return;
  guest_.store(0);
  guest_.notify_all();
}

void OwnedMutex::own() {
  const auto self = thread_number();
  // There is no owner to wait for, so no fence, which would cost as much as a thread's first work.
  if (guest_.load(std::memory_order_relaxed) != self) become_guest(self);
  ++guest_depth_;
  owner_.store(self, std::memory_order_relaxed);
  depth_.store(guest_depth_ - 1,
               std::memory_order_release);  // what it holds, it holds as the owner
  guest_depth_ = 1;
  leave_as_guest();
}

void OwnedMutex::disown() {
  lock();
  owner_.store(0, std::memory_order_relaxed);
  leave();
}

void OwnedMutex::abandon() {
  const auto self = thread_number();
  if (is_owner(self)) {
    if (depth_.load(std::memory_order_relaxed) == 0) return;
    depth_.store(1, std::memory_order_relaxed);
    leave();
  } else if (guest_.load(std::memory_order_relaxed) == self) {
    guest_depth_ = 1;
    leave_as_guest();
  }
}

void OwnedMutex::reset_in_child() {
  guest_ = 0;
  guest_depth_ = 0;
  if (is_owner(thread_number())) return;
  owner_ = 0;
  depth_ = 0;
}

}  // namespace heddle
