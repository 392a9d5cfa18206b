// Kernels that people write, on the CPU: blocks over all cores, threads of a block in vectors.
#pragma once

#include "runtime/programs.h"

namespace heddle::cpu {

Programs& programs();

}  // namespace heddle::cpu
