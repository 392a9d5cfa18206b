// Memory for small objects that are made and destroyed all the time: a short list of free blocks
// per thread, in front of the general allocator.
#pragma once

#include <cstddef>
#include <new>

namespace heddle {

// Base class: `class Value : public Recycled<Value>`. Blocks may be freed on another thread than
// the one that made them.
template <class T>
class Recycled {
 public:
  static void* operator new(std::size_t bytes) {
    List& list = free_blocks();
    if (bytes == sizeof(T) && list.count > 0) return list.blocks[--list.count];
    return ::operator new(bytes);
  }
  static void operator delete(void* block, std::size_t bytes) {
    List& list = free_blocks();
    if (bytes == sizeof(T) && list.count < most && !list.closed) {
      list.blocks[list.count++] = block;
    } else {
      ::operator delete(block);
    }
  }

 private:
  friend T;
  Recycled() = default;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static constexpr std::size_t most = 0;  // let the sanitizers see every use after the end
#else
  static constexpr std::size_t most = 64;
#endif
  struct List {
    void* blocks[most > 0 ? most : 1];
    std::size_t count = 0;
    bool closed = false;  // the thread is ending: destructors of other statics may still free
    ~List() {
      while (count > 0) ::operator delete(blocks[--count]);
      closed = true;
    }
  };
  static List& free_blocks() {
    thread_local List list;
    return list;
  }
};

}  // namespace heddle
