#include "core/fork.h"

#include <algorithm>
#include <vector>

#include <pthread.h>

namespace heddle {

// Never destroyed: threads may run on while the process ends.
struct ForkHandlers {
  std::mutex mutex;  // guards the list
  std::vector<ForkWatched*> locks;
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
    for (ForkWatched* lock : locks) lock->take_(lock->lock_);
  }
  void release() {
    for (ForkWatched* lock : locks) lock->let_go_(lock->lock_);
    mutex.unlock();
  }
  void in_parent() {
    release();
    working->unlock();
  }
  void in_child() {
    for (ForkWatched* lock : locks) {
      if (lock->in_child_) lock->in_child_();
    }
    release();
    working = new std::shared_mutex;  // to the old one this thread has another number now
  }
};

ForkWatched::ForkWatched(void* lock, Action take, Action let_go, std::function<void()> in_child)
    : lock_(lock), take_(take), let_go_(let_go), in_child_(std::move(in_child)) {
  ForkHandlers& handlers = ForkHandlers::instance();
  std::lock_guard registering(handlers.mutex);
  handlers.locks.push_back(this);
}

ForkWatched::~ForkWatched() {
  ForkHandlers& handlers = ForkHandlers::instance();
  std::lock_guard lock(handlers.mutex);
  std::erase(handlers.locks, this);
}

NoForkScope::NoForkScope() : lock_(*ForkHandlers::instance().working) {}

}  // namespace heddle
