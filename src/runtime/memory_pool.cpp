#include "runtime/memory_pool.h"

#include <algorithm>
#include <atomic>
#include <bit>

#include <fmt/format.h>

#include <heddle/errors.h>

namespace heddle {

namespace {
constexpr std::size_t alignment = 64;
constexpr std::size_t small_limit = 4096;
bool (*pressure_handler)() = nullptr;

std::atomic<MemoryObserver> the_observer{nullptr};

void notify(const MemoryNotice& notice) {
  if (auto observer = the_observer.load(std::memory_order_relaxed)) observer(notice);
}
}  // namespace

void set_memory_observer(MemoryObserver observer) { the_observer = observer; }

void set_memory_pressure_handler(bool (*handler)()) { pressure_handler = handler; }

std::size_t MemoryPool::rounded(std::size_t bytes) {
  bytes = std::max<std::size_t>(bytes, 1);
  if (bytes <= small_limit) return (bytes + alignment - 1) / alignment * alignment;
  // Eight classes per power of two: at most an eighth is wasted.
  std::size_t step = std::bit_floor(bytes) / 8;
  return (bytes + step - 1) / step * step;
}

std::size_t MemoryPool::class_of(std::size_t size) {
  constexpr std::size_t small_classes = small_limit / alignment;
  if (size <= small_limit) return size / alignment - 1;
  auto power = static_cast<std::size_t>(std::bit_width(size)) - 1;
  return small_classes + 8 * (power - std::bit_width(small_limit) + 1) + (size >> (power - 3)) - 8;
}

std::size_t MemoryPool::size_of_class(std::size_t index) {
  constexpr std::size_t small_classes = small_limit / alignment;
  if (index < small_classes) return (index + 1) * alignment;
  index -= small_classes;
  return (8 + index % 8) << (index / 8 + std::bit_width(small_limit) - 1 - 3);
}

MemoryPool::Block MemoryPool::take_cached(std::size_t size, void* stream) {
  List& list = cached_[class_of(size)];
  if (list.empty()) return {};
  // The latest of this stream; without streams that is the last.
  auto found = std::find_if(list.rbegin(), list.rend(),
                            [&](const Block& block) { return block.stream == stream; });
  if (found == list.rend()) {
    found = list.rbegin();
    hand_over(found->stream, stream);
  }
  void* data = found->data;
  *found = list.back();
  list.pop_back();
  free_ -= size;
  return {data, stream};
}

MemoryPool::Block MemoryPool::take(std::size_t bytes, std::size_t size) {
  void* stream = current_stream();
  {
    std::lock_guard lock(mutex_);
    Block block = take_cached(size, stream);
    if (!block.data && limit_ != 0 && used_ + free_ + size > limit_) return {};
    requested_ += bytes;
    used_ += size;
    peak_ = std::max(peak_, used_);
    if (block.data) return block;
  }
  // Outside of the lock: the system is slow, and an observer may allocate.
  notify({MemoryNotice::Kind::allocate, *this, size, size});
  auto take_back = [&] {
    std::lock_guard lock(mutex_);
    requested_ -= bytes;
    used_ -= size;
  };
  void* data = nullptr;
  try {
    data = system_allocate(size);
  } catch (...) {
    take_back();
    throw;
  }
  if (!data) {
    take_back();
    return {};
  }
  notify({MemoryNotice::Kind::allocate_done, *this, size, size, data});
  return {data, stream};
}

MemoryPool::Block MemoryPool::allocate(std::size_t bytes) {
  std::size_t size = rounded(bytes);
  notify({MemoryNotice::Kind::request, *this, bytes, size});
  Block block = take(bytes, size);
  if (!block.data) {
    free_all_blocks();
    block = take(bytes, size);
  }
  if (!block.data && pressure_handler && pressure_handler()) {
    free_all_blocks();
    block = take(bytes, size);
  }
  if (!block.data) {
    throw out_of_memory(fmt::format(
        "could not allocate {} bytes of {}: {} bytes in use, {} cached, limit {}", bytes, what(),
        used_bytes(), free_bytes(), limit() ? fmt::format("{} bytes", limit()) : "none"));
  }
  notify({MemoryNotice::Kind::request_done, *this, bytes, size, block.data});
  return block;
}

void MemoryPool::release(Block block, std::size_t bytes) {
  if (block.stream && withhold(block, bytes)) return;
  std::size_t size = rounded(bytes);
  notify({MemoryNotice::Kind::release, *this, bytes, size, block.data});
  {
    std::lock_guard lock(mutex_);
    used_ -= size;
    free_ += size;
    cached_[class_of(size)].push_back(block);
  }
  notify({MemoryNotice::Kind::release_done, *this, bytes, size, block.data});
}

void MemoryPool::release_cached() {
  for (std::size_t i = 0; i < class_count; ++i) {
    for (const Block& block : cached_[i]) system_release(block.data, size_of_class(i));
    List().swap(cached_[i]);
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
  for (const List& list : cached_) count += list.size();
  return count;
}

void MemoryPool::reset_statistics() {
  std::lock_guard lock(mutex_);
  peak_ = used_;
  requested_ = 0;
}

}  // namespace heddle
