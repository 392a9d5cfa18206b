#include "transform/step_checking.h"

#include <utility>

#include "graph/graph.h"

namespace heddle::transform {

void StepChecking::make(const Node& node) {
  Recorder::make(node);
  // What stands for rows has no elements; that which is made of all rows is heard as well.
  if (!checks_ && !node.graph().has_stand_ins()) heard_.emplace_back(node);
}

void StepChecking::after_make() {
  Recorder::after_make();
  if (checks_ || heard_.empty()) return;
  const Outside outside(*this);
  checks_ = true;
  try {
    for (const Heard& heard : std::exchange(heard_, {})) check(heard);
  } catch (...) {
    checks_ = false;
    throw;
  }
  checks_ = false;
}

}  // namespace heddle::transform
