#include "core/fork.h"

#include <algorithm>
#include <vector>

#include <pthread.h>

namespace heddle {

// Never destroyed: threads may run on while the process ends.
struct ForkHandlers {
  std::mutex mutex;  // guards the list
  std::vector<ForkSafeMutex*> locks;
  std::shared_mutex* working = new std::shared_mutex;

  ForkHandlers() {
    pthread_atfork([] { instance().prepare(); }, [] { instance().in_parent(); },
                   [] { instance().in_child(); });
  }
  static ForkHandlers& instance() {
    static auto* handlers = new ForkHandlers;
    return *handlers;
  }

  // First what may take a while, and may itself take the locks.
  void prepare() {
    working->lock();
    mutex.lock();
    for (ForkSafeMutex* lock : locks) lock->lock();
  }
  void release() {
    for (ForkSafeMutex* lock : locks) lock->unlock();
    mutex.unlock();
  }
  void in_parent() {
    release();
    working->unlock();
  }
  void in_child() {
    for (ForkSafeMutex* lock : locks) {
      if (lock->in_child_) lock->in_child_();
    }
    release();
    working = new std::shared_mutex;  // to the old one this thread has another number now
  }
};

ForkSafeMutex::ForkSafeMutex(std::function<void()> in_child) : in_child_(std::move(in_child)) {
  ForkHandlers& handlers = ForkHandlers::instance();
  std::lock_guard lock(handlers.mutex);
  handlers.locks.push_back(this);
}

ForkSafeMutex::~ForkSafeMutex() {
  ForkHandlers& handlers = ForkHandlers::instance();
  std::lock_guard lock(handlers.mutex);
  std::erase(handlers.locks, this);
}

NoForkScope::NoForkScope() : lock_(*ForkHandlers::instance().working) {}

}  // namespace heddle
