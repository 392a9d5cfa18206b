// The door through which the host sees elements: everything that reads a value's memory outside of
// the plan comes here.
#pragma once

#include <atomic>

#include "graph/graph.h"
#include "graph/recorder.h"
#include "graph/value.h"
#include <heddle/errors.h>

namespace heddle {

// What a look raises in a thread that said it would not wait.
class HEDDLE_API look_forbidden : public error {
 public:
  look_forbidden() : error("Device synchronization was detected while disallowed.") {}
};

// Says whether this thread may wait for elements, and gives what held before.
HEDDLE_API bool exchange_may_look(bool may);
// Throws where it may not.
HEDDLE_API void check_may_look();
// How many threads may not: nearly always none, so that a look costs no more.
HEDDLE_API extern std::atomic<int> threads_without_looks;

// The memory of a value, evaluated. The caller holds a reference, or the lock of writers: others
// may let go of a value while it is waited for.
inline Buffer& look(Value& value) {
  if (threads_without_looks.load(std::memory_order_relaxed) > 0) check_may_look();
  if (Recorder* recorder = Recorder::current()) recorder->look(value);
  evaluate(&value);
  return *value.buffer();
}

}  // namespace heddle
