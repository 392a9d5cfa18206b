// What a GPU would run for a launch: emitted and verified, each variant of a kernel once, but not
// run. So tests on the shadow device find programs that kernels for grids cannot be made of.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "backend/cuda/compiler.h"

namespace heddle {

class ShadowGrids {
 public:
  void check(const Launch& launch);

 private:
  struct Code {
    std::unique_ptr<cuda::GridKernel> kernel;
    std::vector<kernel::GridVariant> verified;
  };
  const cuda::Gpu gpu_ = cuda::usual_gpu(90);
  std::mutex mutex_;
  std::unordered_map<const kernel::Kernel*, Code> codes_;  // kernels live as long as the process
};

}  // namespace heddle
