// The CPUs kernels are compiled for: the x86-64 levels that compilers and distributions agree on.
#pragma once

#include "kernel/target.h"

namespace heddle::cpu {

enum class CpuLevel { v2, v3, v4 };  // SSE4.2, AVX2 with FMA, AVX-512

kernel::Target make_target(CpuLevel level, bool vector_math);

// The best level this machine runs. HEDDLE_CPU_LEVEL=v2, v3 or v4 lowers it.
CpuLevel host_level();
const kernel::Target& host_target();

// libmvec's functions, or null where it is not installed.
void* vector_math_library();

}  // namespace heddle::cpu
