// What masks select, on the CPU.
#pragma once

#include "runtime/compaction.h"

namespace heddle::cpu {

Compaction& compaction();

}  // namespace heddle::cpu
