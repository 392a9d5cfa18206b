// A number for each thread, from 1 on: what locks remember of who has them.
#pragma once

#include <cstdint>

#include <heddle/export.h>

// Few words of a thread that every operation asks for: at a fixed place, without a call.
#define HEDDLE_NEAR_THREAD_LOCAL constinit thread_local __attribute__((tls_model("initial-exec")))

namespace heddle {

namespace detail {
extern HEDDLE_NEAR_THREAD_LOCAL std::uint32_t own_number;
std::uint32_t new_thread_number();
}  // namespace detail

inline std::uint32_t thread_number() {
  const auto number = detail::own_number;
  return number != 0 ? number : detail::new_thread_number();
}

}  // namespace heddle
