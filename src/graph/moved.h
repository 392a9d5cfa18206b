// What the steps of a program move: bytes read and written, known before they run, and the least
// that any program with the same inputs and results would move.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/program.h"

namespace heddle::graph {

struct Moved {
  std::uint64_t read = 0, written = 0;
};

// A library reads what it is given and writes what it makes, once at least.
Moved moved_by_call(const Node& call);

// An update of a step, if it is the first one there of its array.
struct MovedUpdate {
  bool in_place = false;     // the memory of the old elements
  std::uint64_t copied = 0;  // bytes of what it leaves as it was, where it is not
};

struct MovedStep {
  Moved moved;  // as they are counted while the step runs (runtime/traffic.h)
  std::vector<MovedUpdate> updates;
};

struct MovedProgram {
  std::vector<MovedStep> steps;
  Moved total;
  // Elements of inputs that are read, and those of results that are written, once.
  Moved least;
};
// What several steps of a band read counts for the first of them.
MovedProgram moved_by(const Collected& graph, std::span<const Step> steps,
                      std::span<const Bands> bands);

}  // namespace heddle::graph
