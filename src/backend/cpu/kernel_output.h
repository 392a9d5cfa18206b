// printf of compiled kernels.
#pragma once

#include <cstdint>

namespace heddle::cpu {

// Arguments lie one after the other, each aligned as a number of its size. Gives how many there
// are.
std::int32_t print_arguments(const char* format, const char* arguments);

}  // namespace heddle::cpu
