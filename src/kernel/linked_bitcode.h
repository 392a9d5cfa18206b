// The bitcode that kernels are linked with (kernel/linked_code.h).
#pragma once

#include <string_view>

namespace heddle::kernel {

std::string_view linked_bitcode();

}  // namespace heddle::kernel
