#include "backend/shadow/grids.h"

#include <algorithm>

#include "backend/cuda/grid_plan.h"
#include "backend/cuda/ptx.h"

namespace heddle {

void ShadowGrids::check(const Launch& launch) {
  if (std::find(launch.extents.begin(), launch.extents.end(), 0) != launch.extents.end()) return;
  const auto& kernel = kernels_
                           .get(launch.kernel,
                                [&](const kernel::Kernel* wanted) {
                                  return std::make_unique<cuda::GridKernel>(*wanted, gpu_);
                                })
                           .value;
  const Verified wanted{launch.kernel, cuda::plan_launch(launch, *kernel).variant};
  verified_.get(wanted, [&](const Verified& v) {
    cuda::verify_grid(*v.kernel, v.variant, cuda::make_target(90));
    return true;
  });
}

}  // namespace heddle
