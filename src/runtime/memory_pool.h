// A caching pool of one kind of memory: freed blocks are kept by size class and handed out again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include <heddle/export.h>

namespace heddle {

class HEDDLE_API MemoryPool {
 public:
  virtual ~MemoryPool() = default;

  // 64-byte aligned (or better). Throws out_of_memory after pending work was run, cached blocks
  // were released and the request still could not be met.
  void* allocate(std::size_t bytes);
  void release(void* pointer, std::size_t bytes);
  void free_all_blocks();
  void set_limit(std::size_t bytes);  // 0: no limit
  std::size_t limit() const;
  std::size_t used_bytes() const;   // in blocks handed out
  std::size_t free_bytes() const;   // in cached blocks
  std::size_t total_bytes() const;  // both
  std::size_t free_blocks() const;
  std::size_t peak_bytes() const;       // highest used_bytes since the last reset
  std::size_t allocated_bytes() const;  // sum of all requests since the last reset
  void reset_statistics();

  // The size class of a request: what a block of it really takes.
  static std::size_t rounded(std::size_t bytes);

 protected:
  virtual void* system_allocate(std::size_t bytes) = 0;  // null when there is no memory
  virtual void system_release(void* pointer, std::size_t bytes) = 0;
  virtual const char* what() const = 0;

 private:
  void* take(std::size_t block);
  void release_cached();

  mutable std::mutex mutex_;
  std::map<std::size_t, std::vector<void*>> cached_;
  std::vector<void*> small_[65];  // classes up to 4096 bytes, in steps of 64
  std::size_t used_ = 0;
  std::size_t free_ = 0;
  std::size_t limit_ = 0;
  std::size_t peak_ = 0;
  std::size_t requested_ = 0;
};

// Called when an allocation fails, before giving up: runs pending work that frees memory. Returns
// whether trying again makes sense. Set by the graph.
void set_memory_pressure_handler(bool (*handler)());

}  // namespace heddle
