// Two threads that each write one word and then read the other's need a fence between the two, or
// both may miss what the other wrote. Where one of them does so all the time and the other hardly
// ever, the system can do it for both: the rare one asks it to put a fence into every running
// thread (membarrier), and the frequent one only keeps the compiler from changing the order.
#pragma once

#include <atomic>

#include <heddle/export.h>

namespace heddle {

namespace detail {
extern HEDDLE_API bool system_fences;  // the system has them
}

// Writes `value`, in order with reads of the same thread that follow.
template <class T>
void store_before_reads(std::atomic<T>& word, T value) {
  if (detail::system_fences) {
    word.store(value, std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  } else {
    word.store(value, std::memory_order_seq_cst);
  }
}

// The same for the rare one, after its write (seq_cst): what others stored before reads is seen
// from here on, or they read what was written.
void fence_all_threads();

}  // namespace heddle
