// Kernels to functions of a GPU, through the pack of prebuilt kernels, the cache on disk, or LLVM
// and an assembler.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/cuda/driver.h"
#include "kernel/grid.h"
#include "kernel/schedule.h"
#include "runtime/device.h"
#include "runtime/disk_cache.h"
#include "runtime/once_map.h"

namespace heddle::cuda {

// One variant of a kernel, loaded. Lives as long as the process.
struct GridCode {
  std::vector<CUfunction> entries;  // one, or one per phase of a split variant
};

// A kernel of a GPU. Its variants are made when a launch first needs them.
class GridKernel final : public CompiledKernel {
 public:
  GridKernel(const kernel::Kernel& kernel, const Gpu& gpu);

  const GridCode& code(const kernel::GridVariant& variant) const;

  const kernel::Kernel& kernel() const { return *kernel_; }
  const Gpu& gpu() const { return *gpu_; }
  const kernel::GridArguments& arguments() const { return arguments_; }
  const kernel::Schedule& vectors() const { return vectors_; }  // of variants with vectors
  int saved_bytes(int lanes) const { return kernel::GridAccumulators(*kernel_, lanes).bytes; }
  bool any_order() const { return any_order_; }
  bool scans() const { return scans_; }
  bool keeps_rows() const { return keeps_rows_; }
  kernel::Scatter scatter() const { return scatter_; }

 private:
  const kernel::Kernel* kernel_;
  const Gpu* gpu_;
  kernel::GridArguments arguments_;
  kernel::Schedule vectors_;
  bool any_order_;
  bool scans_;
  bool keeps_rows_;
  kernel::Scatter scatter_;
  struct VariantHash {
    std::size_t operator()(const kernel::GridVariant& variant) const;
  };
  mutable OnceMap<kernel::GridVariant, GridCode, VariantHash> variants_;
};

// Arithmetic is never what a kernel waits for.
inline constexpr Preferences gpu_preferences{
    .recompute_cost = 1e300, .narrow_integers = true, .half_products = true};

// For what is made without a GPU: the facts that decide about variants are alike in all.
Gpu usual_gpu(int capability);

// A kernel's machine code for a GPU of this capability, for the pack (kernel/pack.h); nothing where
// there is no nvJitLink. Needs no GPU.
struct Prebuilt {
  CacheKey key;
  std::string cubin;
};
std::optional<Prebuilt> prebuild(const kernel::Kernel& kernel, const kernel::GridVariant& variant,
                                 int capability);

// The kernel has to outlive it.
std::unique_ptr<const CompiledKernel> compile(const kernel::Kernel& kernel, const Gpu& gpu);

}  // namespace heddle::cuda
