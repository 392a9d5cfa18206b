#include "runtime/memory_pool.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include <heddle/errors.h>

namespace heddle {

namespace {
constexpr std::size_t alignment = 64;
constexpr std::size_t small_limit = 4096;
bool (*pressure_handler)() = nullptr;
}  // namespace

void set_memory_pressure_handler(bool (*handler)()) { pressure_handler = handler; }

std::size_t MemoryPool::rounded(std::size_t bytes) {
  bytes = std::max<std::size_t>(bytes, 1);
  if (bytes <= small_limit) return (bytes + alignment - 1) / alignment * alignment;
  // Eight classes per power of two: at most an eighth is wasted.
  std::size_t step = std::bit_floor(bytes) / 8;
  return (bytes + step - 1) / step * step;
}

void* MemoryPool::take(std::size_t block) {
  void* pointer = nullptr;
  if (block <= small_limit) {
    auto& list = small_[block / alignment];
    if (!list.empty()) {
      pointer = list.back();
      list.pop_back();
    }
  } else if (auto it = cached_.find(block); it != cached_.end() && !it->second.empty()) {
    pointer = it->second.back();
    it->second.pop_back();
  }
  if (pointer) {
    free_ -= block;
  } else if (limit_ == 0 || used_ + free_ + block <= limit_) {
    pointer = system_allocate(block);
  }
  if (pointer) {
    used_ += block;
    peak_ = std::max(peak_, used_);
  }
  return pointer;
}

void* MemoryPool::allocate(std::size_t bytes) {
  std::size_t block = rounded(bytes);
  {
    std::lock_guard lock(mutex_);
    if (void* pointer = take(block)) {
      requested_ += bytes;
      return pointer;
    }
    release_cached();
    if (void* pointer = take(block)) {
      requested_ += bytes;
      return pointer;
    }
  }
  // Outside of the lock: running pending work allocates and releases.
  if (pressure_handler && pressure_handler()) {
    std::lock_guard lock(mutex_);
    release_cached();
    if (void* pointer = take(block)) {
      requested_ += bytes;
      return pointer;
    }
  }
  throw out_of_memory(fmt::format(
      "could not allocate {} bytes of {}: {} bytes in use, {} cached, limit {}", bytes, what(),
      used_bytes(), free_bytes(), limit() ? fmt::format("{} bytes", limit()) : "none"));
}

void MemoryPool::release(void* pointer, std::size_t bytes) {
  std::size_t block = rounded(bytes);
  std::lock_guard lock(mutex_);
  used_ -= block;
  free_ += block;
  if (block <= small_limit) {
    small_[block / alignment].push_back(pointer);
  } else {
    cached_[block].push_back(pointer);
  }
}

void MemoryPool::release_cached() {
  for (auto& [block, list] : cached_) {
    for (void* pointer : list) system_release(pointer, block);
  }
  cached_.clear();
  for (std::size_t i = 0; i < std::size(small_); ++i) {
    for (void* pointer : small_[i]) system_release(pointer, i * alignment);
    small_[i].clear();
  }
  free_ = 0;
}

void MemoryPool::free_all_blocks() {
  std::lock_guard lock(mutex_);
  release_cached();
}

void MemoryPool::set_limit(std::size_t bytes) {
  std::lock_guard lock(mutex_);
  limit_ = bytes;
}

#define HEDDLE_POOL_GETTER(name, expression) \
  std::size_t MemoryPool::name() const {     \
    std::lock_guard lock(mutex_);            \
    return expression;                       \
  }
HEDDLE_POOL_GETTER(limit, limit_)
HEDDLE_POOL_GETTER(used_bytes, used_)
HEDDLE_POOL_GETTER(free_bytes, free_)
HEDDLE_POOL_GETTER(total_bytes, used_ + free_)
HEDDLE_POOL_GETTER(peak_bytes, peak_)
HEDDLE_POOL_GETTER(allocated_bytes, requested_)
#undef HEDDLE_POOL_GETTER

std::size_t MemoryPool::free_blocks() const {
  std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (auto& list : small_) count += list.size();
  for (auto& [block, list] : cached_) count += list.size();
  return count;
}

void MemoryPool::reset_statistics() {
  std::lock_guard lock(mutex_);
  peak_ = used_;
  requested_ = 0;
}

}  // namespace heddle
