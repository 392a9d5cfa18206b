// Loops that are no kernel: nodes are made pass by pass.
#pragma once

#include <span>
#include <vector>

#include "transform/loop.h"

namespace heddle::transform {

// Computes a loop as the step that it is.
void run_passes(LibraryCall& call, const Loop& loop);

// Makes the nodes of all passes, for those who want them, of the values of the loop's operands;
// `made` has room for its outputs.
void make_passes(const Loop& loop, std::vector<Ref<Value>> operands, std::span<Ref<Value>> made);

}  // namespace heddle::transform
