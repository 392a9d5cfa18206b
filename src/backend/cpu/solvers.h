// The CPU's LAPACK.
#pragma once

#include "runtime/solvers.h"

namespace heddle::cpu {

Solvers& solvers();

}  // namespace heddle::cpu
