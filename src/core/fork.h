// Locks and fork. A child made by fork has only the thread that forked: locks that other threads
// held stay taken in it for ever, unless they are seen to.
#pragma once

#include <functional>
#include <mutex>
#include <shared_mutex>

namespace heddle {

// A lock that is free in the child: fork takes all of them first. For short sections, in which no
// other such lock is taken and nobody waits for a front end.
class ForkSafeMutex : public std::mutex {
 public:
  // `in_child` puts in order what threads that are no more have left unfinished.
  explicit ForkSafeMutex(std::function<void()> in_child = {});
  ~ForkSafeMutex();
  ForkSafeMutex(const ForkSafeMutex&) = delete;
  ForkSafeMutex& operator=(const ForkSafeMutex&) = delete;

 private:
  friend struct ForkHandlers;
  std::function<void()> in_child_;
};

// While there is one, fork waits: for work in libraries that have locks of their own. It must not
// wait for a front end, whose lock the thread that forks may hold.
class NoForkScope {
 public:
  NoForkScope();

 private:
  std::shared_lock<std::shared_mutex> lock_;
};

}  // namespace heddle
