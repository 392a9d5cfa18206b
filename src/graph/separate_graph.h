// A graph for steps that make nodes and run them while they run themselves: what is pending around
// them, and its limits, are no business of theirs.
#pragma once

#include <memory>

#include <heddle/export.h>

namespace heddle {

class Graph;
struct GraphHold;

// While there is one, this thread's own graph is another one, which nobody else has.
class HEDDLE_API SeparateGraph {
 public:
  SeparateGraph();
  ~SeparateGraph();
  SeparateGraph(const SeparateGraph&) = delete;
  SeparateGraph& operator=(const SeparateGraph&) = delete;

 private:
  Graph* before_;
  std::unique_ptr<GraphHold> hold_;
};

}  // namespace heddle
