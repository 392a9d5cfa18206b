// Ranges around launches for NVIDIA's profilers, named by the operations of the kernel. They are
// made where a profiler is attached, or HEDDLE_NVTX is set.
#pragma once

#include "kernel/ir.h"

namespace heddle::cuda {

// The operations of a kernel, as "multiply sin add.reduce".
std::string operations_of(const kernel::Kernel& kernel);

class LaunchRange {
 public:
  explicit LaunchRange(const kernel::Kernel& kernel);
  ~LaunchRange();
  LaunchRange(const LaunchRange&) = delete;
  LaunchRange& operator=(const LaunchRange&) = delete;

 private:
  bool begun_ = false;
};

}  // namespace heddle::cuda
