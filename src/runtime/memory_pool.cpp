#include "runtime/memory_pool.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "core/per_thread.h"
#include "runtime/interrupt.h"
#include "runtime/owned_mutex.h"
#include <heddle/errors.h>

namespace heddle {

namespace {
constexpr std::size_t alignment = 64;
constexpr std::size_t small_limit = 4096;
constexpr std::size_t tight_classes = MemoryPool::tight_limit / MemoryPool::tight_unit;
constexpr std::size_t small_classes =
    tight_classes + (small_limit - MemoryPool::tight_limit) / alignment;
// Of pools with caches of threads: up to this size they keep blocks, and so many of them.
constexpr std::size_t largest_kept = std::size_t{64} << 10;
constexpr std::size_t most_kept_bytes = std::size_t{1} << 20;  // by one thread
constexpr std::size_t most_kept_bytes_of_class = std::size_t{128} << 10;
constexpr std::size_t most_kept_blocks_of_class = 64;
// Beyond so many cached bytes small blocks go back to the system: in all, and of tiny ones, which
// the system has in slabs.
constexpr std::size_t tiny_limit = 1024;
constexpr std::size_t most_tiny_bytes = std::size_t{512} << 10;
constexpr std::size_t most_small_bytes = std::size_t{64} << 20;

std::atomic<bool (*)()> pressure_handler{nullptr};

std::atomic<MemoryObserver> the_observer{nullptr};

void notify(const MemoryNotice& notice) {
  if (auto observer = the_observer.load(std::memory_order_relaxed)) observer(notice);
}
}  // namespace

void set_memory_observer(MemoryObserver observer) { the_observer = observer; }

void set_memory_pressure_handler(bool (*handler)()) { pressure_handler = handler; }

std::size_t MemoryPool::rounded(std::size_t bytes, Fit fit) {
  bytes = std::max<std::size_t>(bytes, 1);
  if (fit == Fit::tight && bytes <= tight_limit) {
    return (bytes + tight_unit - 1) / tight_unit * tight_unit;
  }
  if (bytes <= small_limit) return (bytes + alignment - 1) / alignment * alignment;
  // Eight classes per power of two: at most an eighth is wasted.
  std::size_t step = std::bit_floor(bytes) / 8;
  return (bytes + step - 1) / step * step;
}

std::size_t MemoryPool::class_of(std::size_t size) {
  if (size <= tight_limit) return size / tight_unit - 1;
  if (size <= small_limit) return tight_classes + (size - tight_limit) / alignment - 1;
  auto power = static_cast<std::size_t>(std::bit_width(size)) - 1;
  return small_classes + 8 * (power - std::bit_width(small_limit) + 1) + (size >> (power - 3)) - 8;
}

std::size_t MemoryPool::size_of_class(std::size_t index) {
  if (index < tight_classes) return (index + 1) * tight_unit;
  if (index < small_classes) return tight_limit + (index - tight_classes + 1) * alignment;
  index -= small_classes;
  return (8 + index % 8) << (index / 8 + std::bit_width(small_limit) - 1 - 3);
}

// --- caches of threads ---

// Blocks and counts of one thread, which owns the lock: others only want to know, or to have it
// emptied.
class MemoryPool::ThreadCache {
 public:
  // By the thread that has it from now on, and when it ends.
  void own() { mutex_.own(); }
  void disown() { mutex_.disown(); }

  void* take(std::size_t bytes, std::size_t size) {
    std::lock_guard lock(mutex_);
    auto& list = lists_[class_of(size)];
    if (list.empty()) return nullptr;
    void* data = list.back();
    list.pop_back();
    bytes_ -= size;
    counts_.requested += bytes;
    counts_.used += static_cast<std::int64_t>(size);
    counts_.highest = std::max(counts_.highest, counts_.used);
    return data;
  }

  // Keeps a block that is given back. Those that are too many then are put to `excess`.
  void give(void* data, std::size_t size, List& excess) {
    std::lock_guard lock(mutex_);
    counts_.used -= static_cast<std::int64_t>(size);
    auto& list = lists_[class_of(size)];
    if (list.size() >= most_blocks(size) || bytes_ + size > most_kept_bytes) {
      move_half(list, size, excess);
    }
    if (bytes_ + size > most_kept_bytes) {
      excess.push_back({data});
    } else {
      list.push_back(data);
      bytes_ += size;
    }
  }

  // Takes blocks in that nobody uses.
  void fill(std::span<const Block> blocks, std::size_t size) {
    std::lock_guard lock(mutex_);
    for (const Block& block : blocks) lists_[class_of(size)].push_back(block.data);
    bytes_ += blocks.size() * size;
  }

  // All blocks, class by class: f(blocks, size).
  template <class F>
  void empty(F f) {
    for (std::size_t i = 0; i < kept_classes; ++i) {
      List blocks;
      {
        std::lock_guard lock(mutex_);
        for (void* data : lists_[i]) blocks.push_back({data});
        bytes_ -= blocks.size() * size_of_class(i);
        std::vector<void*>().swap(lists_[i]);
      }
      if (!blocks.empty()) f(blocks, size_of_class(i));
    }
  }

  Counts counts() const {
    std::lock_guard lock(mutex_);
    return counts_;
  }
  Counts settled() {
    std::lock_guard lock(mutex_);
    return std::exchange(counts_, {});
  }
  std::size_t blocks() const {
    std::lock_guard lock(mutex_);
    std::size_t count = 0;
    for (const auto& list : lists_) count += list.size();
    return count;
  }

  static std::size_t most_blocks(std::size_t size) {
    return std::clamp<std::size_t>(most_kept_bytes_of_class / size, 2, most_kept_blocks_of_class);
  }

  bool in_use = true;  // guarded by ThreadCaches::mutex

 private:
  void move_half(std::vector<void*>& list, std::size_t size, List& to) {
    // The ones that were used longest ago.
    const auto count = (list.size() + 1) / 2;
    for (std::size_t i = 0; i < count; ++i) to.push_back({list[i]});
    list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(count));
    bytes_ -= count * size;
  }

  static constexpr std::size_t kept_classes =
      small_classes + 8 * (std::bit_width(largest_kept) - std::bit_width(small_limit)) + 1;
  mutable ForkSafe<OwnedMutex> mutex_;
  Counts counts_;
  std::size_t bytes_ = 0;  // of the blocks
  std::vector<void*> lists_[kept_classes];
};

// Those of one pool. Never destroyed; what an ended thread leaves goes to the next one to begin.
struct MemoryPool::ThreadCaches {
  ThreadCaches(MemoryPool& pool, std::size_t number) : pool(pool), number(number) {}

  MemoryPool& pool;
  std::size_t number;  // of the pool, among those with such caches
  mutable ForkSafeMutex mutex;
  std::vector<ThreadCache*> all;

  ThreadCache* join() {
    {
      std::lock_guard lock(mutex);
      for (ThreadCache* cache : all) {
        if (!std::exchange(cache->in_use, true)) return cache;
      }
    }
    // With no lock in hand: whoever forks keeps others from making such mutexes, and then takes
    // all.
    auto* made = new ThreadCache;
    std::lock_guard lock(mutex);
    return all.emplace_back(made);
  }
  void leave(ThreadCache* cache) {
    cache->empty([&](const List& blocks, std::size_t size) { pool.put_back(blocks, size); });
    const Counts counts = cache->settled();
    {
      std::lock_guard lock(pool.mutex_);
      pool.settle(counts);
    }
    cache->disown();
    std::lock_guard lock(mutex);
    cache->in_use = false;
  }
  std::vector<ThreadCache*> list() const {
    std::lock_guard lock(mutex);
    return all;
  }

  // Those of this thread, by the numbers of the pools.
  static constexpr std::size_t most_pools = 4;
  struct Own {
    ThreadCaches* pools[most_pools] = {};
    ThreadCache* caches[most_pools] = {};
    ~Own() {
      for (std::size_t i = 0; i < most_pools; ++i) {
        if (caches[i]) pools[i]->leave(caches[i]);
      }
    }
  };
  ThreadCache* own() {
    Own* here = PerThread<Own>::get();
    if (!here) return nullptr;
    if (!here->caches[number]) {
      here->pools[number] = this;
      here->caches[number] = join();
      here->caches[number]->own();
    }
    return here->caches[number];
  }
};

MemoryPool::MemoryPool(Threads threads) {
  static std::atomic<std::size_t> pools{0};
  if (threads == Threads::alike) return;
  if (auto number = pools++; number < ThreadCaches::most_pools) {
    thread_caches_ = new ThreadCaches(*this, number);
  }
}

MemoryPool::~MemoryPool() = default;

MemoryPool::ThreadCache* MemoryPool::own_cache(std::size_t size) {
  return thread_caches_ && size <= largest_kept ? thread_caches_->own() : nullptr;
}

void MemoryPool::settle(const Counts& counts) {
  peak_ = std::max(peak_, used_ + counts.highest);
  used_ += counts.used;
  requested_ += counts.requested;
}

MemoryPool::Counts MemoryPool::unsettled() const {
  Counts sum;
  if (!thread_caches_) return sum;
  for (const ThreadCache* cache : thread_caches_->list()) {
    const Counts counts = cache->counts();
    sum.used += counts.used;
    sum.highest += counts.highest;
    sum.requested += counts.requested;
  }
  return sum;
}

void MemoryPool::empty_thread_caches() {
  if (!thread_caches_) return;
  for (ThreadCache* cache : thread_caches_->list()) {
    cache->empty([&](const List& blocks, std::size_t size) { put_back(blocks, size); });
  }
}

// --- what threads share ---

MemoryPool::Block MemoryPool::pop(std::size_t size, void* stream) {
  List& list = cached_[class_of(size)];
  if (list.empty()) return {};
  // The latest of this stream; without streams that is the last.
  auto found = std::find_if(list.rbegin(), list.rend(),
                            [&](const Block& block) { return block.stream == stream; });
  if (found == list.rend()) found = list.rbegin();
  Block block = *found;
  *found = list.back();
  list.pop_back();
  if (size <= tiny_limit) tiny_ -= size;
  if (size <= largest_kept) small_ -= size;
  return block;
}

void MemoryPool::put_back(std::span<const Block> blocks, std::size_t size) {
  std::size_t kept = 0;
  {
    std::lock_guard lock(mutex_);
    for (; kept < blocks.size(); ++kept) {
      const bool too_many =
          thread_caches_ && ((size <= tiny_limit && tiny_ + size > most_tiny_bytes) ||
                             (size <= largest_kept && small_ + size > most_small_bytes));
      if (too_many) break;
      cached_[class_of(size)].push_back(blocks[kept]);
      if (size <= tiny_limit) tiny_ += size;
      if (size <= largest_kept) small_ += size;
    }
    held_ -= (blocks.size() - kept) * size;
  }
  for (const Block& block : blocks.subspan(kept)) system_release(block.data, size);
}

MemoryPool::Block MemoryPool::take(std::size_t bytes, std::size_t size) {
  ThreadCache* cache = own_cache(size);
  if (cache) {
    if (void* data = cache->take(bytes, size)) return {data};
  }
  return take_shared(bytes, size, cache);
}

MemoryPool::Block MemoryPool::take_shared(std::size_t bytes, std::size_t size, ThreadCache* cache) {
  void* stream = current_stream();
  // What this thread has counted is part of the peak.
  ThreadCache* own = cache ? cache : thread_caches_ ? thread_caches_->own() : nullptr;
  const Counts counts = own ? own->settled() : Counts{};
  const auto signed_size = static_cast<std::int64_t>(size);
  Block block;
  List more;  // for the thread to keep
  {
    std::lock_guard lock(mutex_);
    settle(counts);
    block = pop(size, stream);
    if (!block.data && limit_ != 0 && held_ + size > limit_) return {};
    requested_ += bytes;
    used_ += signed_size;
    peak_ = std::max(peak_, used_);
    if (!block.data) held_ += size;
    for (auto room = cache && block.data ? ThreadCache::most_blocks(size) / 2 : 0; room > 0;
         --room) {
      Block another = pop(size, stream);
      if (!another.data) break;
      more.push_back(another);
    }
  }
  if (!more.empty()) cache->fill(more, size);
  auto take_back = [&](bool was_there) {
    if (was_there) put_back(std::span(&block, 1), size);
    std::lock_guard lock(mutex_);
    requested_ -= bytes;
    used_ -= signed_size;
    if (!was_there) held_ -= size;
  };
  // Outside of the lock: other streams and the system are slow, and an observer may allocate.
  if (block.data) {
    if (block.stream != stream) {
      try {
        hand_over(block.stream, stream);
      } catch (...) {
        take_back(true);
        throw;
      }
    }
    return {block.data, stream};
  }
  notify({MemoryNotice::Kind::allocate, *this, size, size});
  void* data = nullptr;
  try {
    data = system_allocate(size);
  } catch (...) {
    take_back(false);
    throw;
  }
  if (!data) {
    take_back(false);
    return {};
  }
  notify({MemoryNotice::Kind::allocate_done, *this, size, size, data});
  return {data, stream};
}

MemoryPool::Block MemoryPool::allocate(std::size_t bytes, Fit fit) {
  std::size_t size = rounded(bytes, fit);
  notify({MemoryNotice::Kind::request, *this, bytes, size});
  Block block = take(bytes, size);
  if (!block.data) {
    free_all_blocks();
    block = take(bytes, size);
  }
  auto handler = pressure_handler.load(std::memory_order_acquire);
  if (!block.data && handler && handler()) {
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

void MemoryPool::release(Block block, std::size_t bytes, Fit fit) {
  if (block.stream && withhold(block, bytes)) return;
  std::size_t size = rounded(bytes, fit);
  notify({MemoryNotice::Kind::release, *this, bytes, size, block.data});
  if (ThreadCache* cache = own_cache(size)) {
    List excess;
    cache->give(block.data, size, excess);
    if (!excess.empty()) put_back(excess, size);
  } else {
    {
      std::lock_guard lock(mutex_);
      used_ -= static_cast<std::int64_t>(size);
    }
    put_back(std::span(&block, 1), size);
  }
  notify({MemoryNotice::Kind::release_done, *this, bytes, size, block.data});
}

void MemoryPool::free_all_blocks() {
  BlockingScope blocking;  // a device finishes its work first, which may need a front end
  // Blocks on their way back are memory that whoever comes next may count on.
  std::lock_guard releasing(releasing_);
  empty_thread_caches();
  for (std::size_t i = 0; i < class_count; ++i) {
    List blocks;
    {
      std::lock_guard lock(mutex_);
      blocks.swap(cached_[i]);
      const std::size_t size = size_of_class(i), bytes = blocks.size() * size;
      if (size <= tiny_limit) tiny_ -= bytes;
      if (size <= largest_kept) small_ -= bytes;
    }
    for (const Block& block : blocks) system_release(block.data, size_of_class(i));
    std::lock_guard lock(mutex_);
    held_ -= blocks.size() * size_of_class(i);
  }
  system_trim();
}

void MemoryPool::set_limit(std::size_t bytes) {
  std::lock_guard lock(mutex_);
  limit_ = bytes;
}

std::size_t MemoryPool::limit() const {
  std::lock_guard lock(mutex_);
  return limit_;
}

std::size_t MemoryPool::total_bytes() const {
  std::lock_guard lock(mutex_);
  return held_;
}

std::size_t MemoryPool::used_bytes() const {
  const Counts counts = unsettled();
  std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::max<std::int64_t>(used_ + counts.used, 0));
}

std::size_t MemoryPool::free_bytes() const {
  const std::size_t used = used_bytes(), total = total_bytes();
  return total - std::min(used, total);
}

std::size_t MemoryPool::peak_bytes() const {
  const Counts counts = unsettled();
  std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::max(peak_, used_ + counts.highest));
}

std::size_t MemoryPool::allocated_bytes() const {
  const Counts counts = unsettled();
  std::lock_guard lock(mutex_);
  return requested_ + counts.requested;
}

std::size_t MemoryPool::free_blocks() const {
  std::size_t count = 0;
  if (thread_caches_) {
    for (const ThreadCache* cache : thread_caches_->list()) count += cache->blocks();
  }
  std::lock_guard lock(mutex_);
  for (const List& list : cached_) count += list.size();
  return count;
}

void MemoryPool::reset_statistics() {
  Counts all;
  if (thread_caches_) {
    for (ThreadCache* cache : thread_caches_->list()) all.used += cache->settled().used;
  }
  std::lock_guard lock(mutex_);
  settle(all);
  peak_ = used_;
  requested_ = 0;
}

}  // namespace heddle
