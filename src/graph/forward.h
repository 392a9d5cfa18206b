// Forwarding: reads of what an update wrote, or left alone, read what was written, or what was
// there before. Updates that nobody needs afterwards go: arrays that only carry values from one
// statement to the next are never memory.
#pragma once

#include "graph/program.h"

namespace heddle::graph {

// Changes operands of the collected nodes. True when something has changed: they are to be
// collected again. Their graph is locked.
bool forward_reads(Collected& graph);

}  // namespace heddle::graph
