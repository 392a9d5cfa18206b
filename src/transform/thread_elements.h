// Which elements of arrays a thread of a loop's kernel has, for loop_program.cpp.
#pragma once

#include <cstdint>

#include <heddle/layout.h>

namespace heddle::transform {

// Threads share the last axes, `tail`, of all arrays that have them; each has `each` elements
// there, and all elements along other axes. What has no such axes every thread has for itself.
class ThreadElements {
 protected:
  ThreadElements(const Dims& tail, std::int64_t each)
      : tail_(tail), each_(each), threads_(size_of(tail) / each) {}

  // The elements that a thread has of an iteration space.
  struct Space {
    Dims shape;
    bool shared = false;  // among the threads
    std::int64_t elements = 1;
  };
  // Where in the memory of a value an element is: base + what the thread's place gives.
  struct Address {
    enum class Tail : std::uint8_t { none, dense, any };
    std::int64_t base = 0;
    Tail tail = Tail::none;
    std::int64_t part = 0;  // which of the thread's places along the tail
    Dims strides;           // along the tail
  };

  bool has_tail(const Dims& shape) const;
  Space space_of(const Dims& shape) const;
  // Of an element that is read through a layout over a space.
  Address address(const Layout& layout, const Space& space, std::int64_t element) const;

  const Dims tail_;
  const std::int64_t each_, threads_;

 private:
  void find_tail(const Layout& layout, std::int64_t first, Address& address) const;
};

}  // namespace heddle::transform
