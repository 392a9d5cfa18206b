// Memory for small blocks, cut out of large pieces that go back to the system when all of their
// blocks are free: a million small arrays cost little more than their elements, and leave nothing
// behind.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "core/fork.h"

namespace heddle {

class Slabs {
 public:
  static constexpr std::size_t largest = 1024;
  // Sizes are multiples of `unit`, a power of two from 8 to 64. Blocks are aligned to the largest
  // power of two that their size is a multiple of, at most 64.
  explicit Slabs(std::size_t unit) : unit_(unit) {}

  // `bytes` is a multiple of the unit, at most largest. Null when there is no memory.
  void* allocate(std::size_t bytes);
  void release(void* block, std::size_t bytes);
  // Several at once. Returns how many there are.
  std::size_t allocate(std::size_t bytes, std::span<void*> blocks);
  void release(std::span<void* const> blocks, std::size_t bytes);
  // Gives back what was kept for the next blocks.
  void trim();

 private:
  struct Slab;
  // And their alignment. Threads keep a few free blocks of every size, each size in another slab.
  static constexpr std::size_t slab_bytes = std::size_t{64} << 10;
  static constexpr std::size_t header = 64;
  static constexpr int most_empty = 8;  // kept for the next blocks

  static Slab* map();
  static void unmap_all(Slab* list);
  static void link(Slab*& list, Slab* slab);
  static void unlink(Slab*& list, Slab* slab);
  // With the lock held.
  Slab* begin_slab(std::size_t bytes);
  void* take(std::size_t bytes);
  Slab* give(void* block, std::size_t bytes);  // returns a slab to unmap, or null
  Slab*& partial(std::size_t bytes) { return partial_[bytes / unit_ - 1]; }

  const std::size_t unit_;
  ForkSafeMutex mutex_;
  std::array<Slab*, largest / 8> partial_{};  // with blocks in use and free ones, by size
  Slab* empty_ = nullptr;
  int empty_count_ = 0;
};

}  // namespace heddle
