#include "runtime/thread_number.h"

#include <atomic>

namespace heddle::detail {

constinit thread_local std::uint32_t own_number = 0;

std::uint32_t new_thread_number() {
  static std::atomic<std::uint32_t> threads{0};
  return own_number = ++threads;
}

}  // namespace heddle::detail
