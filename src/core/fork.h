// Locks and fork. A child made by fork has only the thread that forked: locks that other threads
// held stay taken in it for ever, unless they are seen to.
#pragma once

#include <functional>
#include <mutex>
#include <shared_mutex>
#include <utility>

namespace heddle {

// What makes a lock free in the child: fork takes all such locks first. For short sections, in
// which no other one is taken and nobody waits for a front end.
class ForkWatched {
 public:
  ForkWatched(const ForkWatched&) = delete;
  ForkWatched& operator=(const ForkWatched&) = delete;

 protected:
  using Action = void (*)(void* lock);
  // `in_child` puts in order what threads that are no more have left unfinished. No virtual
  // functions: others may fork while the rest of the object is being made.
  ForkWatched(void* lock, Action take, Action let_go, std::function<void()> in_child);
  ~ForkWatched();

 private:
  friend struct ForkHandlers;
  void* lock_;
  Action take_, let_go_;
  std::function<void()> in_child_;
};

template <class Mutex>
class ForkSafe : public Mutex, ForkWatched {
 public:
  explicit ForkSafe(std::function<void()> in_child = {})
      : ForkWatched(
            static_cast<Mutex*>(this), [](void* lock) { static_cast<Mutex*>(lock)->lock(); },
            [](void* lock) { static_cast<Mutex*>(lock)->unlock(); }, std::move(in_child)) {}
};

using ForkSafeMutex = ForkSafe<std::mutex>;

// While there is one, fork waits: for work in libraries that have locks of their own. It must not
// wait for a front end, whose lock the thread that forks may hold.
class NoForkScope {
 public:
  NoForkScope();

 private:
  std::shared_lock<std::shared_mutex> lock_;
};

}  // namespace heddle
