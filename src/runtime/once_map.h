// A map of what takes long to make, and stays: looking up what is there never waits for what others
// make, and what several threads want at the same time is made once.
#pragma once

#include <condition_variable>
#include <optional>
#include <unordered_map>
#include <utility>

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
    {
      std::lock_guard lock(mutex_);
      auto entry = entries_.find(wanted);
      if (entry != entries_.end() && entry->second) return {entry->first, *entry->second, true};
    }
    BlockingScope blocking;
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      auto entry = entries_.find(wanted);
      if (entry == entries_.end()) break;
      if (entry->second) return {entry->first, *entry->second, true};
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
    return {key, *place, false};
  }

 private:
  // What threads were making is not going to be made, and nobody waits for it any more.
  void begin_again() {
    std::erase_if(entries_, [](const auto& entry) { return !entry.second; });
    made_ = new std::condition_variable;
  }

  ForkSafeMutex mutex_{[this] { begin_again(); }};
  std::unordered_map<Key, std::optional<Value>, Hash, Equal> entries_;
  std::condition_variable* made_ = new std::condition_variable;
};

}  // namespace heddle
