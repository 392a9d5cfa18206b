// Which rows of what the steps of a band make (graph/bands.h) one of them touches: as offsets and
// strides of its slots say, and the guards of what it reads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "graph/bands.h"

namespace heddle::graph {

// What a slot of a step touches of an object: for row i of the step, rows i + low to i + high.
struct Touch {
  std::int32_t object;
  std::int64_t low, high;
  bool writes;
  bool fixed = false;  // always the same row
};

// In bytes.
inline std::int64_t stride_of(const Step& step, std::size_t slot, std::size_t dim) {
  return step.strides[slot * step.extents.size() + dim];
}

// What a step touches of the objects in `band.memory` if its rows lie along dimension `dim`, and
// the band with what follows of that; nothing where they do not, in one of its slots. `pitches` are
// the bytes of a row of each object, and `written` is a slot that the step writes to.
std::optional<std::vector<Touch>> touches_along(std::size_t dim, const Step& step,
                                                std::size_t written,
                                                std::span<const std::int64_t> pitches,
                                                std::span<Node* const> nodes, BandStep& band);

}  // namespace heddle::graph
