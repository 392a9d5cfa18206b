// A map of what takes long to make, and is kept: looking up what is there never waits for what
// others make, and what several threads want at the same time is made once.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/fork.h"
#include "runtime/interrupt.h"

namespace heddle {

// Entries keep their addresses. Look-ups may be by another type than Key, which Hash and Equal then
// take (is_transparent), and of which a Key can be made.
template <class Key, class Value, class Hash, class Equal = std::equal_to<Key>>
class OnceMap {
 public:
  OnceMap() = default;
  ~OnceMap() { delete made_; }
  OnceMap(const OnceMap&) = delete;
  OnceMap& operator=(const OnceMap&) = delete;

  struct Found {
    const Key& key;
    const Value& value;
    bool was_there;
  };

  // make(const Key&) runs without locks, and without a front end's lock. Where it throws, whoever
  // waited for it tries again.
  template <class Wanted, class Make>
  Found get(const Wanted& wanted, Make&& make) {
    return get(
        wanted, std::forward<Make>(make),
        [](const Key& key, const Value& value, bool there) { return Found{key, value, there}; });
  }

  // The same of what may be dropped: take(key, value, whether it was there) copies what is needed,
  // under the lock.
  template <class Wanted, class Make, class Take>
  auto get(const Wanted& wanted, Make&& make, Take&& take) {
    {
      std::lock_guard lock(mutex_);
      auto entry = entries_.find(wanted);
      if (entry != entries_.end() && entry->second) return take(entry->first, *entry->second, true);
    }
    BlockingScope blocking;
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      auto entry = entries_.find(wanted);
      if (entry == entries_.end()) break;
      if (entry->second) return take(entry->first, *entry->second, true);
      made_->wait(lock);
    }
    // Others may move what an iterator stands for, but not what is in the map.
    auto& [key, place] = *entries_.emplace(Key(wanted), std::nullopt).first;
    lock.unlock();
    try {
      Value value = make(std::as_const(key));
      lock.lock();
      place.emplace(std::move(value));
    } catch (...) {
      lock.lock();
      entries_.erase(entries_.find(wanted));
      made_->notify_all();
      throw;
    }
    made_->notify_all();
    return take(std::as_const(key), std::as_const(*place), false);
  }

  // Where there are more than `most` entries, drops a quarter of them: those whose last_use(value)
  // is the longest ago. Those that have none stay.
  template <class F>
  void drop_beyond(std::size_t most, F last_use) {
    std::vector<typename Entries::node_type> dropped;  // destroyed without the lock
    std::lock_guard lock(mutex_);
    if (entries_.size() <= std::max(most, enough_)) return;
    std::vector<std::pair<std::uint64_t, typename Entries::iterator>> candidates;
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
      if (!entry->second) continue;
      if (const auto use = last_use(*entry->second)) candidates.emplace_back(*use, entry);
    }
    const auto count = std::min(candidates.size(), entries_.size() - most + most / 4);
    std::nth_element(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(count),
                     candidates.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < count; ++i) {
      dropped.push_back(entries_.extract(candidates[i].second));
    }
    enough_ = entries_.size() + most / 4;  // looking is not for every new entry
  }

 private:
  // What threads were making is not going to be made, and nobody waits for it any more.
  void begin_again() {
    std::erase_if(entries_, [](const auto& entry) { return !entry.second; });
    made_ = new std::condition_variable;
  }

  using Entries = std::unordered_map<Key, std::optional<Value>, Hash, Equal>;
  ForkSafeMutex mutex_{[this] { begin_again(); }};
  Entries entries_;
  std::size_t enough_ = 0;  // entries, below which nothing is to be dropped
  std::condition_variable* made_ = new std::condition_variable;
};

}  // namespace heddle
