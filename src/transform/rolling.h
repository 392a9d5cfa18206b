// One repeat of a script on its way to a loop: see roll_up.h.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "transform/repeats.h"

namespace heddle::transform {

// A value of a body: which output of which of its steps.
using Made = std::pair<std::int32_t, std::int32_t>;

// What others want of a repeat.
struct Wanted {
  std::map<Made, std::int32_t> last;  // by value of the body: its number in the last pass
  std::map<Made, std::vector<std::pair<std::int64_t, std::int32_t>>> singles;  // pass, number
  std::set<Made> stacked;
  std::set<Made> rows;  // those that other repeats read pass by pass
};

// By repeat: numbers of the arrays of what its passes made.
using Stacks = std::vector<std::map<Made, std::int32_t>>;

// Adds the loop to `steps`, and what has to come after it. `renamed`: numbers of values that
// change. `stacks` has those of earlier repeats, and gets those of this one. False where it cannot
// be a loop.
bool roll(Script& script, const Repeats& repeats, std::size_t number, const Wanted& wanted,
          std::vector<graph::ScriptStep>& steps, std::vector<std::int32_t>& renamed,
          Stacks& stacks);

}  // namespace heddle::transform
