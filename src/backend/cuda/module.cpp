#include "backend/cuda/module.h"

#include <cstring>

#include <fmt/format.h>

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
  auto refuse = [&](const std::string& why) { throw value_error(name + ": " + why); };
  std::uint64_t threads = 1;
  for (int d = 0; d < 3; ++d) {
    if (shape.grid[d] == 0 || shape.block[d] == 0)
      refuse(fmt::format("a grid of ({}, {}, {}) blocks of ({}, {}, {}) threads has none",
                         shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0],
                         shape.block[1], shape.block[2]));
    threads *= shape.block[d];
  }
  const ContextScope scope(gpu);
  auto attribute = [&](CUfunction_attribute which) {
    int value = 0;
    check(api().cuFuncGetAttribute(&value, which, function), "cuFuncGetAttribute");
    return value;
  };
  const auto most = attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  if (threads > static_cast<std::uint64_t>(most))
    refuse(fmt::format("blocks of {} threads; this kernel can have {}", threads, most));
  constexpr unsigned grids[] = {2147483647, 65535, 65535}, blocks[] = {1024, 1024, 64};
  for (int d = 0; d < 3; ++d) {
    if (shape.grid[d] > grids[d])
      refuse(fmt::format("{} blocks along {}; {} are possible", shape.grid[d], "xyz"[d], grids[d]));
    if (shape.block[d] > blocks[d])
      refuse(
          fmt::format("{} threads along {}; {} are possible", shape.block[d], "xyz"[d], blocks[d]));
  }
  const auto allowed =
      static_cast<unsigned>(attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES));
  if (shape.shared_bytes > allowed)
    refuse(
        fmt::format("{} bytes of dynamic shared memory; it may have {}, and more after "
                    "max_dynamic_shared_size_bytes is set",
                    shape.shared_bytes, allowed));
}

ModuleLaunch::ModuleLaunch(std::string name, std::shared_ptr<const Module> module,
                           CUfunction function, const LaunchShape& shape,
                           std::vector<LaunchArgument> arguments)
    : name_(std::move(name)),
      module_(std::move(module)),
      function_(function),
      shape_(shape),
      arguments_(std::move(arguments)) {}

void ModuleLaunch::write_key(std::vector<std::uint64_t>& key) const {
  key.push_back(reinterpret_cast<std::uintptr_t>(function_));
  for (int d = 0; d < 3; ++d) {
    key.push_back(std::uint64_t{shape_.grid[d]} << 32 | shape_.block[d]);
  }
  key.push_back(std::uint64_t{shape_.shared_bytes} << 1 | std::uint64_t{shape_.cooperative});
  for (const LaunchArgument& argument : arguments_) {
    key.push_back(argument.bytes.size() << 1 | std::uint64_t{argument.array});
    for (std::size_t i = 0; i < argument.bytes.size(); i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, &argument.bytes[i], std::min<std::size_t>(8, argument.bytes.size() - i));
      key.push_back(word);
    }
  }
}

void ModuleLaunch::run(Device&, std::span<void* const> addresses,
                       std::span<Buffer* const> buffers) const {
  // Each argument begins where anything may.
  constexpr std::size_t aligned = 16;
  std::size_t size = 0;
  std::vector<std::size_t> begin;
  for (const LaunchArgument& argument : arguments_) {
    begin.push_back(size);
    const std::size_t bytes = argument.bytes.size() + (argument.array ? sizeof(void*) : 0);
    size += (bytes + aligned - 1) / aligned * aligned;
  }
  struct alignas(aligned) Block {
    char bytes[aligned];
  };
  std::vector<Block> blocks(size / aligned + 1);
  char* memory = blocks[0].bytes;
  std::vector<void*> parameters;
  std::size_t next = 0;
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const LaunchArgument& argument = arguments_[i];
    char* at = memory + begin[i];
    parameters.push_back(at);
    if (argument.array) {
      const auto address = reinterpret_cast<std::uintptr_t>(addresses[next++]);
      std::memcpy(at, &address, sizeof address);
      at += sizeof(void*);
    }
    if (!argument.bytes.empty()) std::memcpy(at, argument.bytes.data(), argument.bytes.size());
  }
  const ContextScope scope(module_->gpu());
  const StreamUse use(current_stream(module_->gpu()), buffers);
  const LaunchShape& s = shape_;
  const Driver& cuda = api();
  if (s.cooperative) {
    check(cuda.cuLaunchCooperativeKernel(function_, s.grid[0], s.grid[1], s.grid[2], s.block[0],
                                         s.block[1], s.block[2], s.shared_bytes,
                                         use.stream().handle(), parameters.data()),
          name_.c_str());
  } else {
    check(cuda.cuLaunchKernel(function_, s.grid[0], s.grid[1], s.grid[2], s.block[0], s.block[1],
                              s.block[2], s.shared_bytes, use.stream().handle(), parameters.data(),
                              nullptr),
          name_.c_str());
  }
}

}  // namespace heddle::cuda
