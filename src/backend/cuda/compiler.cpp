#include "backend/cuda/compiler.h"

#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "backend/cuda/assembler.h"
#include "backend/cuda/device.h"
#include "backend/cuda/ptx.h"
#include "backend/cuda/stack.h"
#include "kernel/kernel_key.h"
#include "kernel/pack.h"
#include "runtime/disk_cache.h"
#include "runtime/statistics.h"
#include <heddle/errors.h>

namespace heddle::cuda {
namespace {

using kernel::GridVariant;
using kernel::Kernel;

GridCode load_entries(const std::vector<std::string>& names, const std::string& cubin) {
  const Driver& cuda = api();
  CUmodule module = nullptr;
  check(cuda.cuModuleLoadDataEx(&module, cubin.data(), 0, nullptr, nullptr), "cuModuleLoadData");
  try {
    allow_stack(module);
    GridCode code;
    for (const std::string& name : names) {
      CUfunction function = nullptr;
      check(cuda.cuModuleGetFunction(&function, module, name.c_str()), "cuModuleGetFunction");
      code.entries.push_back(function);
    }
    return code;
  } catch (...) {
    cuda.cuModuleUnload(module);
    throw;
  }
}

// Code takes memory of the GPU, too: that of free blocks where there is no other.
GridCode load(const Kernel& kernel, const GridVariant& variant, const std::string& cubin,
              const Gpu& gpu) {
  const auto names = entry_names(kernel, variant);
  try {
    return load_entries(names, cubin);
  } catch (const out_of_memory&) {
    device_of(gpu).pool().free_all_blocks();
    return load_entries(names, cubin);
  }
}

// Cached code that does not load counts as not cached.
std::optional<GridCode> try_load(const Kernel& kernel, const GridVariant& variant,
                                 const std::string& cubin, const Gpu& gpu) {
  try {
    return load(kernel, variant, cubin, gpu);
  } catch (const device_error& failure) {
    if (is_sticky(failure.status)) throw;
    return std::nullopt;
  }
}

CacheKey key_of(const Kernel& given, const GridVariant& variant, int capability) {
  Kernel kernel = given;
  for (kernel::Slot& slot : kernel.slots) slot.streamed = false;  // means nothing to a GPU
  return kernel::kernel_key(kernel, make_target(capability),
                            fmt::format("{}{}", serialize(variant), capability));
}

GridCode make(const Kernel& kernel, const GridVariant& variant, const Gpu& gpu) {
  const ContextScope scope(gpu);
  // Code for 8.0 also runs on 8.6, and so on.
  for (const int capable : {gpu.capability(), gpu.major * 10}) {
    const auto cubin = kernel::Pack::instance().find(key_of(kernel, variant, capable));
    auto code = cubin ? try_load(kernel, variant, *cubin, gpu) : std::nullopt;
    if (!code) continue;
    count(Counter::pack_hits);
    return std::move(*code);
  }
  const CacheKey key = key_of(kernel, variant, gpu.capability());
  DiskCache& cache = DiskCache::instance();
  if (const auto cubin = cache.load(key)) {
    if (auto code = try_load(kernel, variant, *cubin, gpu)) {
      count(Counter::disk_hits);
      return std::move(*code);
    }
  }
  count(Counter::compiled);
  kernel::verify(kernel);
  const kernel::Target target = make_target(gpu.capability());
  const std::string cubin = assemble(generate_ptx(kernel, variant, target), gpu.capability());
  auto code = load(kernel, variant, cubin, gpu);
  cache.store(key, cubin);
  return code;
}

}  // namespace

Gpu usual_gpu(int capability) {
  Gpu gpu;
  gpu.major = capability / 10;
  gpu.minor = capability % 10;
  gpu.multiprocessors = 132;
  return gpu;
}

std::optional<Prebuilt> prebuild(const Kernel& kernel, const GridVariant& variant, int capability) {
  kernel::verify(kernel);
  auto cubin =
      assemble_by_library(generate_ptx(kernel, variant, make_target(capability)), capability);
  if (!cubin) return std::nullopt;
  return Prebuilt{key_of(kernel, variant, capability), std::move(*cubin)};
}

GridKernel::GridKernel(const Kernel& kernel, const Gpu& gpu)
    : kernel_(&kernel),
      gpu_(&gpu),
      arguments_(kernel),
      vectors_(kernel::make_schedule(kernel, make_target(gpu.capability()))),
      any_order_(kernel::any_order(kernel)),
      scans_(kernel::scans_in_blocks(kernel)),
      keeps_rows_(kernel::can_keep_rows(kernel)),
      scatter_(kernel::scatter_of(kernel)) {}

// Variants of one kernel differ in little, and are few.
std::size_t GridKernel::VariantHash::operator()(const GridVariant& v) const {
  return static_cast<std::size_t>(v.walk) | static_cast<std::size_t>(v.team) << 4 |
         std::size_t{v.vectors} << 8 | std::size_t{v.wide} << 9 | std::size_t{v.split} << 10 |
         std::size_t{v.places} << 16 | std::size_t{v.kept_steps} << 24 |
         std::size_t{v.tiled_slots} << 32;
}

const GridCode& GridKernel::code(const GridVariant& variant) const {
  return variants_
      .get(variant, [&](const GridVariant& wanted) { return make(*kernel_, wanted, *gpu_); })
      .value;
}

std::unique_ptr<const CompiledKernel> compile(const Kernel& kernel, const Gpu& gpu) {
  return std::make_unique<GridKernel>(kernel, gpu);
}

}  // namespace heddle::cuda
