// How a launch is spread over the threads of a GPU, and by which variant of its kernel. Needs no
// GPU: the pack of prebuilt kernels is made of the variants that launches choose.
#pragma once

#include "backend/cuda/compiler.h"
#include "runtime/device.h"

namespace heddle::cuda {

inline constexpr std::int64_t narrow = std::int64_t{1} << 31;  // counts below divide in 32 bits
inline constexpr std::int64_t most_columns = 1 << 16;          // of a split launch

struct GridPlan {
  kernel::GridVariant variant;
  int lanes = 1;
  std::int64_t items = 1, steps = 1;
  std::int64_t tiles = 1;  // of an item, where scans are split
  std::int64_t grid_x = 1, grid_y = 1, grid_z = 1, block_x = 1, block_y = 1;
};

// `launch.code` is not looked at; no kept extent is zero.
GridPlan plan_launch(const Launch& launch, const GridKernel& code);

}  // namespace heddle::cuda
