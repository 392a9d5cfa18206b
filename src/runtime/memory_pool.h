// A caching pool of one kind of memory: freed blocks are kept by size class and handed out again.
// On devices that work asynchronously a block may be freed while it is still being used: it
// remembers the stream that used it last, and one that goes to another stream waits for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/fork.h"
#include <heddle/export.h>

namespace heddle {

class HEDDLE_API MemoryPool {
 public:
  struct Block {
    void* data = nullptr;
    void* stream = nullptr;  // on which it is free to use; null where there are no streams
  };

  // `cached`: every thread keeps a few small blocks of its own, so that threads which allocate and
  // free all the time do not wait for one another; and only so many small blocks are kept in all.
  // Only for pools that have no streams and live as long as the process.
  enum class Threads : std::uint8_t { alike, cached };
  explicit MemoryPool(Threads threads = Threads::alike);
  virtual ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  // Blocks of up to tight_limit bytes may be in steps and aligned to tight_unit: small arrays are
  // many. All others are 64-byte aligned (or better).
  enum class Fit : std::uint8_t { aligned, tight };
  static constexpr std::size_t tight_unit = 16, tight_limit = 512;

  // Throws out_of_memory after pending work was run, cached blocks were released and the request
  // still could not be met.
  Block allocate(std::size_t bytes, Fit fit = Fit::aligned);
  void release(Block block, std::size_t bytes, Fit fit = Fit::aligned);
  void free_all_blocks();
  void set_limit(std::size_t bytes);  // 0: no limit
  std::size_t limit() const;
  std::size_t used_bytes() const;   // in blocks handed out
  std::size_t free_bytes() const;   // in cached blocks
  std::size_t total_bytes() const;  // both
  std::size_t free_blocks() const;
  // The highest used_bytes since the last reset. Of several threads that allocate at the same time
  // it may be more, by the little that each had for itself.
  std::size_t peak_bytes() const;
  std::size_t allocated_bytes() const;  // sum of all requests since the last reset
  void reset_statistics();

  // The size class of a request: what a block of it really takes.
  static std::size_t rounded(std::size_t bytes, Fit fit = Fit::aligned);
  // Whether the host sees the memory, and nothing else uses it behind its back.
  bool of_host() const { return thread_caches_ != nullptr; }

 protected:
  virtual void* system_allocate(std::size_t bytes) = 0;  // null when there is no memory
  virtual void system_release(void* pointer, std::size_t bytes) = 0;
  // Gives back what it has kept of released blocks.
  virtual void system_trim() {}
  virtual std::string what() const = 0;
  // The stream that new blocks are for.
  virtual void* current_stream() { return nullptr; }
  // Lets `stream` use a block only after what `before` was given so far.
  virtual void hand_over(void* before, void* stream) {}
  // Whether somebody keeps a block that is given back, and will give it back again.
  virtual bool withhold(Block block, std::size_t bytes) { return false; }

 private:
  using List = std::vector<Block>;
  // What a thread has for itself (memory_pool.cpp).
  class ThreadCache;
  struct ThreadCaches;
  // What a thread has counted since the pool was last told.
  struct Counts {
    std::int64_t used = 0;     // taken less given back
    std::int64_t highest = 0;  // of used
    std::size_t requested = 0;
  };

  static std::size_t class_of(std::size_t size);
  static std::size_t size_of_class(std::size_t index);
  ThreadCache* own_cache(std::size_t size);
  Block take(std::size_t bytes, std::size_t size);
  Block take_shared(std::size_t bytes, std::size_t size, ThreadCache* cache);
  Block pop(std::size_t size, void* stream);  // of the cached ones; the mutex is held
  void put_back(std::span<const Block> blocks, std::size_t size);
  void settle(const Counts& counts);  // the mutex is held
  Counts unsettled() const;           // of all threads
  void empty_thread_caches();

  mutable ForkSafeMutex mutex_;
  // Blocks by size class: up to 512 bytes in steps of 16, up to 4096 in steps of 64, then eight for
  // each power of two.
  static constexpr std::size_t class_count = 32 + 56 + 8 * 52;
  List cached_[class_count];
  std::size_t held_ = 0;  // of the system, used or cached
  std::int64_t used_ = 0;
  std::int64_t peak_ = 0;
  std::size_t tiny_ = 0, small_ = 0;  // bytes in cached blocks of such sizes
  std::size_t limit_ = 0;
  std::size_t requested_ = 0;
  std::mutex releasing_;  // who frees all blocks; others wait until they are free
  ThreadCaches* thread_caches_ = nullptr;
};

// For profilers: what pools do, in the thread that does it. `size` is that of the block.
struct MemoryNotice {
  enum class Kind : std::uint8_t {
    request,        // a block is asked for
    request_done,   // ... and was handed out
    allocate,       // the system is asked for memory, as no block was cached
    allocate_done,  // ... and gave it
    release,        // a block is given back
    release_done,
  };
  Kind kind;
  const MemoryPool& pool;
  std::size_t bytes = 0;  // as asked for
  std::size_t size = 0;
  void* data = nullptr;
};
using MemoryObserver = void (*)(const MemoryNotice&);
// At most one; null for none. It must not throw.
HEDDLE_API void set_memory_observer(MemoryObserver observer);

// Called when an allocation fails, before giving up: runs pending work that frees memory. Returns
// whether trying again makes sense. Set by the graph.
void set_memory_pressure_handler(bool (*handler)());

}  // namespace heddle
