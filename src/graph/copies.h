// Copies between buffers of one device that an evaluation makes beside its kernels: what an update
// leaves as it was, where it could not be in place.
#pragma once

#include <cstdint>

#include "graph/node.h"

namespace heddle::graph {

// Copies to a buffer of the same size what the update does not write, or more.
void copy_rest(const Node& update, Buffer& from, Buffer& to);
std::uint64_t bytes_to_copy(const Node& update);
// Copies all of a buffer to another of at least its size.
void copy_all(Buffer& from, Buffer& to);

}  // namespace heddle::graph
