// Out-of-line helpers of compiled kernels: loops over the lanes of one vector with the scalar
// functions of the C library that rows of the op table name.
//   heddle_rt_<name>_f32(out*, in*..., n), heddle_rt_<name>_f64
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace heddle::kernel {

// All of them, with their addresses.
std::vector<std::pair<std::string, void*>> runtime_math();

}  // namespace heddle::kernel
