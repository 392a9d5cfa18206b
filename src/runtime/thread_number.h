// A number for each thread, from 1 on: what locks remember of who has them.
#pragma once

#include <cstdint>

#include <heddle/export.h>

namespace heddle {

namespace detail {
extern constinit thread_local std::uint32_t own_number;
std::uint32_t new_thread_number();
}  // namespace detail

inline std::uint32_t thread_number() {
  const auto number = detail::own_number;
  return number != 0 ? number : detail::new_thread_number();
}

}  // namespace heddle
