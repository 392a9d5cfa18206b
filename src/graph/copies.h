// Copies between buffers of one device that an evaluation makes beside its kernels: what an update
// leaves as it was, where it could not be in place.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/node.h"
#include "runtime/kernel_cache.h"

namespace heddle::graph {

// What an update does not write, or more: parts of its array.
struct Rest {
  Dtype dtype = Dtype::bool_;
  std::vector<Layout> parts;
  std::vector<FoundKernel> found;  // by part; empty: nobody has looked for them
};
Rest rest_of(const Node& update);
// For those who copy it often.
void find_kernels(Rest& rest, Device& device);
// Copies that to a buffer of the same size.
void copy_rest(const Rest& rest, Buffer& from, Buffer& to);
std::uint64_t bytes_to_copy(const Node& update);
// Copies all of a buffer to another, or as much as there is room for.
void copy_all(Buffer& from, Buffer& to);

}  // namespace heddle::graph
