// Which updates are computed for whole values: `zeros`, then some slices, or the parts of a join,
// are chosen element by element, from what was written there or from what was there before.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/program.h"

namespace heddle::graph {

// Why an update writes into memory, instead of being chosen element by element.
enum class Written : std::uint8_t {
  none,
  kind,    // a mask, indices, an accumulation, another type
  target,  // what it writes has gaps, or is no box
  many,    // more updates one upon another than a choice should have
  before,  // what was there before is memory, and some of it stays
  parts,   // parts of equal shapes are written by one kernel in any case
  cost,    // that costs more than to write the parts one by one
};

struct Choices {
  explicit Choices(std::size_t count = 0)
      : chosen(count, false), covered(count, false), blank(count, false), written(count) {}

  // All per node, by its mark.
  std::vector<bool> chosen;
  // Of a chosen update: those below it leave nothing of what was there before them.
  std::vector<bool> covered;
  // Of others: the first of several that leave nothing of what was there. It begins with new
  // memory.
  std::vector<bool> blank;
  std::vector<Written> written;
};

// `given`: updates that are chosen in any case.
Choices choose_updates(const Collected& graph, const std::vector<bool>& given);

}  // namespace heddle::graph
