// Symbols that compiled kernels may refer to: the run-time helpers of runtime_math.cpp and what the
// code generator calls for operations the machine has no instruction for.
#pragma once

#include <string_view>

namespace heddle::kernel {

// The address of a symbol, or null when it is none of ours.
void* runtime_symbol(std::string_view name);

}  // namespace heddle::kernel
