// Memory for small objects that are made and destroyed all the time: a short list of free blocks
// per thread, in front of slabs that all threads share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>

#include "core/per_thread.h"
#include <heddle/export.h>

namespace heddle {

// Blocks of the slabs. Throws bad_alloc; may return fewer than there is room for, but one.
HEDDLE_API std::size_t take_blocks(std::size_t bytes, std::span<void*> blocks);
HEDDLE_API void give_blocks(std::size_t bytes, std::span<void* const> blocks);
// Gives back to the system what none of them uses.
HEDDLE_API void trim_blocks();

// Base class: `class Value : public Recycled<Value>`. Blocks may be freed on another thread than
// the one that made them.
template <class T>
class Recycled {
 public:
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  // The sanitizers see every use after the end.
#else
  static void* operator new(std::size_t bytes) {
    if (bytes != sizeof(T)) return ::operator new(bytes);
    List* list = PerThread<List>::get();
    if (!list) {
      void* block = nullptr;
      take_blocks(bytes, std::span(&block, 1));
      return block;
    }
    if (list->count == 0) list->count = take_blocks(bytes, std::span(list->blocks, most / 2));
    return list->blocks[--list->count];
  }
  static void operator delete(void* block, std::size_t bytes) {
    if (bytes != sizeof(T)) return ::operator delete(block);
    List* list = PerThread<List>::get();
    if (!list) return give_blocks(bytes, std::span(&block, 1));
    if (list->count == most) {
      // Those that were used longest ago.
      give_blocks(bytes, std::span(list->blocks, most / 2));
      std::copy(list->blocks + most / 2, list->blocks + most, list->blocks);
      list->count = most / 2;
    }
    list->blocks[list->count++] = block;
  }
#endif

 private:
  friend T;
  Recycled() = default;

  static constexpr std::size_t most = 64;  // in a list
  struct List {
    void* blocks[most];
    std::size_t count = 0;
    ~List() { give_blocks(sizeof(T), std::span(blocks, count)); }
  };
};

}  // namespace heddle
