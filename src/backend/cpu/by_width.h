// Code that is the same for all types of a width: it sees unsigned integers with their bits.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <type_traits>

namespace heddle::cpu {

// f(a value of the type that has the bits of an element of so many bytes); `Widest` is that of 16.
template <class Widest = void, class F>
auto by_width(int width, F f) {
  switch (width) {
    case 1:
      return f(std::uint8_t{});
    case 2:
      return f(std::uint16_t{});
    case 4:
      return f(std::uint32_t{});
    case 8:
      return f(std::uint64_t{});
    default:
      if constexpr (!std::is_void_v<Widest>) {
        if (width == 16) return f(Widest{});
      }
      throw std::logic_error("no element has this width");
  }
}

}  // namespace heddle::cpu
