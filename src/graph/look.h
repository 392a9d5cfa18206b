// The door through which the host sees elements: everything that reads a value's memory outside of
// the plan comes here.
#pragma once

#include "graph/graph.h"
#include "graph/recorder.h"
#include "graph/value.h"

namespace heddle {

// The memory of a value, evaluated. The caller holds a reference, or the lock of writers: others
// may let go of a value while it is waited for.
inline Buffer& look(Value& value) {
  if (Recorder* recorder = Recorder::current()) recorder->look(value);
  evaluate(&value);
  return *value.buffer();
}

}  // namespace heddle
