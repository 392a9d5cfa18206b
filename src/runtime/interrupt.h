// How a front end stops a long evaluation (Ctrl-C).
#pragma once

#include <heddle/export.h>

namespace heddle {

// Asks the hook, if there is one, whether the evaluation in this thread should stop.
bool interrupt_requested();
// Called from time to time in the thread that evaluates; must not throw.
HEDDLE_API void set_interrupt_hook(bool (*hook)());

// Around work that takes long, and around waiting for others: a front end lets go of its
// interpreter lock meanwhile. The hooks are called in any thread; `enter` returns null where there
// is nothing to let go of, because this thread does not hold the lock or has let go of it already.
struct BlockingHooks {
  void* (*enter)() = nullptr;
  void (*leave)(void*) = nullptr;
};
HEDDLE_API void set_blocking_hooks(BlockingHooks hooks);

// Scopes may lie in one another. Before one ends, whatever others may wait for with the lock in
// hand must be done.
class BlockingScope {
 public:
  // Does nothing unless the work is `worth` it, which more than about 50 us are.
  explicit BlockingScope(bool worth = true);
  ~BlockingScope();
  BlockingScope(const BlockingScope&) = delete;
  BlockingScope& operator=(const BlockingScope&) = delete;

 private:
  void* state_ = nullptr;
};

}  // namespace heddle
