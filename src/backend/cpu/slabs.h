// Memory for small blocks, cut out of large pieces that go back to the system when all of their
// blocks are free: a million small arrays cost little more than their elements, and leave nothing
// behind.
#pragma once

#include <array>
#include <cstddef>

#include "runtime/fork.h"

namespace heddle::cpu {

class Slabs {
 public:
  static constexpr std::size_t unit = 64;  // sizes and alignment are multiples of it
  static constexpr std::size_t largest = 1024;

  // `bytes` is a multiple of unit, at most largest. Null when there is no memory.
  void* allocate(std::size_t bytes);
  void release(void* block, std::size_t bytes);

 private:
  struct Slab;
  static constexpr std::size_t slab_bytes = std::size_t{256} << 10;  // and their alignment
  static constexpr int most_empty = 16;                              // kept for the next blocks

  static Slab* map();
  static void unmap(Slab* slab);
  Slab* begin_slab(std::size_t bytes);
  void link(Slab*& list, Slab* slab);
  void unlink(Slab*& list, Slab* slab);

  ForkSafeMutex mutex_;
  std::array<Slab*, largest / unit> partial_{};  // with blocks in use and free ones, by size
  Slab* empty_ = nullptr;
  int empty_count_ = 0;
};

}  // namespace heddle::cpu
