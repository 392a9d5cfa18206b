// A graph for steps that make nodes and run them while they run themselves: what is pending around
// them, and its limits, are no business of theirs.
#pragma once

#include <memory>

#include "graph/recorder.h"
#include "graph/value.h"
#include <heddle/export.h>

namespace heddle {

class Graph;
struct GraphHold;

// While there is one, this thread's own graph is another one, which nobody else has, and nobody
// listens to what is made in it: they have heard of the step.
class HEDDLE_API SeparateGraph {
 public:
  SeparateGraph();
  ~SeparateGraph();
  SeparateGraph(const SeparateGraph&) = delete;
  SeparateGraph& operator=(const SeparateGraph&) = delete;

 private:
  Recorder::Outside unheard_;
  Graph* before_;
  std::unique_ptr<GraphHold> hold_;
};

// The memory of a value that such a step was given or has computed: nobody listens to that.
HEDDLE_API const Ref<Buffer>& memory_of(const Value& value);

}  // namespace heddle
