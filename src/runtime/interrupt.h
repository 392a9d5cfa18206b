// How a front end stops a long evaluation (Ctrl-C).
#pragma once

#include <heddle/export.h>

namespace heddle {

// Asks the hook, if there is one, whether the evaluation in this thread should stop.
bool interrupt_requested();
// Called from time to time in the thread that evaluates; must not throw.
HEDDLE_API void set_interrupt_hook(bool (*hook)());

// Around work that takes long: a front end lets go of its interpreter lock meanwhile.
struct BlockingHooks {
  void* (*enter)() = nullptr;
  void (*leave)(void*) = nullptr;
};
HEDDLE_API void set_blocking_hooks(BlockingHooks hooks);

class BlockingScope {
 public:
  BlockingScope();
  ~BlockingScope();
  BlockingScope(const BlockingScope&) = delete;
  BlockingScope& operator=(const BlockingScope&) = delete;

 private:
  void* state_ = nullptr;
};

}  // namespace heddle
