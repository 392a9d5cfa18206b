// Forwarding: reads of what an update wrote, or left alone, read what was written, or what was
// there before. Updates that nobody needs afterwards go: arrays that only carry values from one
// statement to the next are never memory.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "graph/program.h"

namespace heddle::graph {

// An operand that was changed: it is what another one was before, read through `layout`. Nodes are
// named by their positions when nothing was changed yet.
struct ForwardedRead {
  std::int32_t node = -1;
  std::int32_t operand = -1;
  std::int32_t source_node = -1;
  std::int32_t source_operand = -1;
  LayoutRef layout;
};

// Changes operands of the collected nodes, which are the targets', and collects them again. Says
// what was changed. Their graph is locked.
std::vector<ForwardedRead> forward_reads(const Graph& graph, std::span<Value* const> targets,
                                         std::optional<Collected>& collected);
// The same changes in a graph of the same structure, with the same offsets.
void forward_again(std::span<const ForwardedRead> reads, const Graph& graph,
                   std::span<Value* const> targets, std::optional<Collected>& collected);

}  // namespace heddle::graph
