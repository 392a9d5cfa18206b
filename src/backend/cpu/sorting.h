// Sorting, searching and counting on the CPU.
#pragma once

#include "runtime/sorting.h"

namespace heddle::cpu {

Sorting& sorting();

}  // namespace heddle::cpu
