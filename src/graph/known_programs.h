// Programs that graphs were planned to, found again by the structure of the graph.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "graph/forward.h"
#include "graph/program.h"

namespace heddle::graph {

// The way of collected nodes to a program: where updates are among them, reads are forwarded first.
// A graph of several updates that the thread has seen, with these offsets, needs neither thought a
// second time. The graph is locked.
class Forwarded {
 public:
  Forwarded(const Graph& graph, std::span<Value* const> targets,
            std::optional<Collected>& collected);

  std::shared_ptr<Program> program(const Collected& collected);

 private:
  struct Own;
  Own* own_ = nullptr;  // where there is something to remember
  std::vector<ForwardedRead> reads_;
  std::shared_ptr<Program> program_;
};

// The program of a node whose operands are all in memory, where this thread has run one like it:
// most small calls. Null: collect, plan or find it. The graph is locked.
std::shared_ptr<Program> known_program_of(const Node& node);

// The program that evaluating a pending value of this thread's graph would run, with its kernels.
std::shared_ptr<Program> prepared_program_of(Value& pending);

// Finds the kernels of all steps: all that can fail without memory of a device is done before the
// first step runs.
void prepare(Program& program, std::span<Node* const> nodes);

}  // namespace heddle::graph
