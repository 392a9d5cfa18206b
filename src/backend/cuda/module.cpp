#include "backend/cuda/module.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "backend/cuda/stack.h"
#include "backend/cuda/stream.h"
#include "core/hash.h"
#include "runtime/interrupt.h"
#include <heddle/errors.h>

namespace heddle::cuda {

Module::Module(const Gpu& gpu, const std::string& image) : gpu_(&gpu) {
  const BlockingScope blocking;  // PTX is assembled by the driver
  const ContextScope scope(gpu);
  char log[8192] = "";
  CUjit_option names[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  const CUresult result = api().cuModuleLoadDataEx(&module_, image.c_str(), 2, names, values);
  if (result != CUDA_SUCCESS && *log)
    throw device_error(fmt::format("the code does not load: {}", log), result);
  check(result, "cuModuleLoadData");
  allow_stack(module_);
}

CUfunction Module::function(const std::string& name) const {
  const ContextScope scope(*gpu_);
  CUfunction found = nullptr;
  const CUresult result = api().cuModuleGetFunction(&found, module_, name.c_str());
  if (result == CUDA_ERROR_NOT_FOUND)
    throw device_error(fmt::format("CUDA_ERROR_NOT_FOUND: named symbol not found: the code has no "
                                   "kernel {} (is it extern \"C\"?)",
                                   name),
                       result);
  check(result, "cuModuleGetFunction");
  return found;
}

std::pair<CUdeviceptr, std::size_t> Module::variable(const std::string& name) const {
  const ContextScope scope(*gpu_);
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  const CUresult result = api().cuModuleGetGlobal(&address, &bytes, module_, name.c_str());
  if (result == CUDA_ERROR_NOT_FOUND)
    throw device_error(
        fmt::format("CUDA_ERROR_NOT_FOUND: named symbol not found: the code has no variable {}",
                    name),
        result);
  check(result, "cuModuleGetGlobal");
  return {address, bytes};
}

void check_shape(const std::string& name, const Gpu& gpu, CUfunction function,
                 const LaunchShape& shape) {
  auto attribute = [&](CUfunction_attribute which) {
    const ContextScope scope(gpu);
    int value = 0;
    check(api().cuFuncGetAttribute(&value, which, function), "cuFuncGetAttribute");
    return value;
  };
  ProgramLimits limits;
  limits.shared_bytes = gpu.shared_per_block_optin;
  limits.threads = attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  check_geometry(name, shape, limits, 0, gpu.name);
  if (shape.dynamic_bytes == 0) return;
  // More than this has to be asked for.
  const std::int64_t allowed = attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  if (shape.dynamic_bytes > allowed)
    throw value_error(
        fmt::format("{}: {} bytes of dynamic shared memory; it may have {}, and more after "
                    "max_dynamic_shared_size_bytes is set",
                    name, shape.dynamic_bytes, allowed));
}

ModuleLaunch::ModuleLaunch(std::string name, std::shared_ptr<const Module> module,
                           CUfunction function, const LaunchShape& shape,
                           std::vector<ForeignArgument> arguments)
    : name_(std::move(name)),
      module_(std::move(module)),
      function_(function),
      shape_(shape),
      arguments_(std::move(arguments)) {}

void ModuleLaunch::write_key(std::vector<std::uint64_t>& key) const {
  key.push_back(reinterpret_cast<std::uintptr_t>(function_));
  for (int d = 0; d < 3; ++d) {
    key.push_back(static_cast<std::uint64_t>(shape_.grid[d] << 32 | shape_.block[d]));
  }
  key.push_back(static_cast<std::uint64_t>(shape_.dynamic_bytes << 1 | shape_.cooperative));
  heddle::write_key(arguments_, key);
}

void ModuleLaunch::run(Device&, std::span<void* const> addresses,
                       std::span<Buffer* const> buffers) const {
  PackedArguments packed(arguments_, addresses);
  std::vector<void*>& parameters = packed.pointers();
  const ContextScope scope(module_->gpu());
  const StreamUse use(current_stream(module_->gpu()), buffers);
  unsigned g[3], b[3];
  std::copy_n(shape_.grid, 3, g);
  std::copy_n(shape_.block, 3, b);
  const auto shared = static_cast<unsigned>(shape_.dynamic_bytes);
  const CUstream stream = use.stream().handle();
  const CUresult result =
      shape_.cooperative ? api().cuLaunchCooperativeKernel(function_, g[0], g[1], g[2], b[0], b[1],
                                                           b[2], shared, stream, parameters.data())
                         : api().cuLaunchKernel(function_, g[0], g[1], g[2], b[0], b[1], b[2],
                                                shared, stream, parameters.data(), nullptr);
  check(result, name_.c_str());
}

}  // namespace heddle::cuda
