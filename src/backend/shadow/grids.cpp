#include "backend/shadow/grids.h"

#include <algorithm>

#include "backend/cuda/grid_plan.h"
#include "backend/cuda/ptx.h"

namespace heddle {

void ShadowGrids::check(const Launch& launch) {
  if (std::find(launch.extents.begin(), launch.extents.end(), 0) != launch.extents.end()) return;
  const std::lock_guard lock(mutex_);
  Code& code = codes_[launch.kernel];
  if (!code.kernel) code.kernel = std::make_unique<cuda::GridKernel>(*launch.kernel, gpu_);
  const kernel::GridVariant variant = cuda::plan_launch(launch, *code.kernel).variant;
  if (std::find(code.verified.begin(), code.verified.end(), variant) != code.verified.end()) return;
  cuda::verify_grid(*launch.kernel, variant, cuda::make_target(90));
  code.verified.push_back(variant);
}

}  // namespace heddle
