#include "runtime/statistics.h"

#include <array>
#include <atomic>
#include <utility>

#include "core/fork.h"

namespace heddle {

namespace {

constexpr std::size_t counters = static_cast<std::size_t>(Counter::kept) + 1;
using Counts = std::array<std::uint64_t, counters>;

// Written by its own thread only, so nothing is ever lost by adding without an atomic step.
struct ThreadCounts {
  std::array<std::atomic<std::uint64_t>, counters> counts{};
  ThreadCounts* next = nullptr;
  bool in_use = true;
};

// Never destroyed. What an ended thread leaves is used by the next one to begin, which counts on
// from there.
struct CountsRegistry {
  ForkSafeMutex mutex;
  ThreadCounts* first = nullptr;
  Counts at_reset{};

  ThreadCounts* join() {
    std::lock_guard lock(mutex);
    for (auto* known = first; known; known = known->next) {
      if (!std::exchange(known->in_use, true)) return known;
    }
    auto* made = new ThreadCounts;
    made->next = first;
    return first = made;
  }
  void leave(ThreadCounts* counts) {
    std::lock_guard lock(mutex);
    counts->in_use = false;
  }
  // The mutex is held.
  Counts sum() const {
    Counts total{};
    for (auto* known = first; known; known = known->next) {
      for (std::size_t i = 0; i < counters; ++i) {
        total[i] += known->counts[i].load(std::memory_order_relaxed);
      }
    }
    return total;
  }
};

CountsRegistry& registry() {
  static auto* instance = new CountsRegistry;
  return *instance;
}

thread_local ThreadCounts* own = nullptr;

// Gives them back when the thread ends. What is counted later still, by destructors of other
// things of the thread, makes the thread join again, and stay.
struct Membership {
  Membership() { own = registry().join(); }
  ~Membership() { registry().leave(std::exchange(own, nullptr)); }
};

ThreadCounts& own_counts() {
  if (!own) {
    thread_local Membership membership;
    if (!own) own = registry().join();
  }
  return *own;
}

}  // namespace

void count(Counter which, std::uint64_t amount) {
  auto& counter = own_counts().counts[static_cast<std::size_t>(which)];
  counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

Statistics read_statistics() {
  CountsRegistry& all = registry();
  std::lock_guard lock(all.mutex);
  Counts counts = all.sum();
  for (std::size_t i = 0; i < counters; ++i) counts[i] -= all.at_reset[i];
  auto of = [&](Counter which) { return counts[static_cast<std::size_t>(which)]; };
  return {of(Counter::compiled),      of(Counter::launched),  of(Counter::memory_hits),
          of(Counter::disk_hits),     of(Counter::pack_hits), of(Counter::bytes_read),
          of(Counter::bytes_written), of(Counter::replayed),  of(Counter::kept)};
}

void reset_statistics() {
  CountsRegistry& all = registry();
  std::lock_guard lock(all.mutex);
  all.at_reset = all.sum();
}

}  // namespace heddle
