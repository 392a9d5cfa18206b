// Kernels that people write, on a GPU.
#pragma once

#include <string>

#include "backend/cuda/driver.h"
#include "runtime/programs.h"

namespace heddle::cuda {

// PTX for a compute capability, as 90 for 9.0. Needs no GPU.
HEDDLE_API std::string program_ptx(const simt::Program& program, int capability);

class CudaDevice;

class CudaPrograms final : public Programs {
 public:
  explicit CudaPrograms(CudaDevice& device) : device_(device) {}
  ProgramLimits limits() const override;
  std::unique_ptr<const CompiledProgram> compile(const simt::Program& program) override;
  void launch(const ProgramLaunch& launch) override;
  std::string text(const simt::Program& program, const std::string& kind) override;

 private:
  CudaDevice& device_;
};

}  // namespace heddle::cuda
