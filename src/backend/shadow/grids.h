// What a GPU would run for a launch: emitted and verified, each variant of a kernel once, but not
// run. So tests on the shadow device find programs that kernels for grids cannot be made of.
#pragma once

#include <memory>

#include "backend/cuda/compiler.h"
#include "runtime/once_map.h"

namespace heddle {

class ShadowGrids {
 public:
  void check(const Launch& launch);

 private:
  struct Verified {
    const kernel::Kernel* kernel;
    kernel::GridVariant variant;
    bool operator==(const Verified&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Verified& v) const { return std::hash<const void*>()(v.kernel); }
  };
  const cuda::Gpu gpu_ = cuda::usual_gpu(90);
  // Kernels live as long as the process.
  OnceMap<const kernel::Kernel*, std::unique_ptr<cuda::GridKernel>, std::hash<const void*>>
      kernels_;
  OnceMap<Verified, bool, Hash> verified_;
};

}  // namespace heddle
