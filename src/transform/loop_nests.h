// Loops of little work, as a host program (simt/program.h): one core goes through pass after pass,
// and each step of the body is a nest of loops over its elements. Launching a kernel for each step
// would take longer than computing it.
#pragma once

#include <optional>

#include "transform/loop_program.h"

namespace heddle::transform {

// Nothing where a step is one of a library, or has many elements, or the device is none that runs
// host programs.
std::optional<LoopProgram> nests_of(const Loop& loop);

}  // namespace heddle::transform
