// Code that somebody compiled, loaded on a GPU: its functions and variables, and launches of them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "backend/cuda/driver.h"
#include "runtime/foreign.h"
#include "runtime/programs.h"

namespace heddle::cuda {

// A cubin, a fatbin or PTX. It stays loaded: launches and graphs that were captured may run it.
class HEDDLE_API Module {
 public:
  Module(const Gpu& gpu, const std::string& image);
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  const Gpu& gpu() const { return *gpu_; }
  // Throw device_error where the code has no such name.
  CUfunction function(const std::string& name) const;
  std::pair<CUdeviceptr, std::size_t> variable(const std::string& name) const;

 private:
  const Gpu* gpu_;
  CUmodule module_ = nullptr;
};

struct LaunchShape : LaunchGeometry {
  bool cooperative = false;  // all blocks run at the same time, and may wait for each other
};

class HEDDLE_API ModuleLaunch final : public ForeignCall {
 public:
  ModuleLaunch(std::string name, std::shared_ptr<const Module> module, CUfunction function,
               const LaunchShape& shape, std::vector<ForeignArgument> arguments);

  std::string name() const override { return name_; }
  void write_key(std::vector<std::uint64_t>& key) const override;
  void run(Device& device, std::span<void* const> addresses,
           std::span<Buffer* const> buffers) const override;

 private:
  std::string name_;
  std::shared_ptr<const Module> module_;
  CUfunction function_;
  LaunchShape shape_;
  std::vector<ForeignArgument> arguments_;
};

// Throws value_error for a shape that no launch of the function can have.
HEDDLE_API void check_shape(const std::string& name, const Gpu& gpu, CUfunction function,
                            const LaunchShape& shape);

}  // namespace heddle::cuda
