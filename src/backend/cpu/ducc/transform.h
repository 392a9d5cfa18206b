// A Fourier transform of the CPU, for each level of instructions (see backend/cpu/target.h).
#pragma once

#include "runtime/transforms.h"

namespace heddle::cpu {

// To real numbers along one axis only.
namespace v2 {
void transform(const Transform& t);
}
namespace v3 {
void transform(const Transform& t);
}
namespace v4 {
void transform(const Transform& t);
}

}  // namespace heddle::cpu
