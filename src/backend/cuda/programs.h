// Kernels that people write, on a GPU.
#pragma once

#include <string>

#include "backend/cuda/driver.h"
#include "runtime/programs.h"

namespace heddle::cuda {

// PTX for a compute capability, as 90 for 9.0. Needs no GPU.
HEDDLE_API std::string program_ptx(const simt::Program& program, int capability);
// The same, assembled.
HEDDLE_API std::string program_cubin(const simt::Program& program, int capability);

class CudaDevice;

class CudaPrograms final : public Programs {
 public:
  explicit CudaPrograms(CudaDevice& device) : device_(device) {}
  ProgramLimits limits() const override;
  std::unique_ptr<const CompiledProgram> compile(const simt::Program& program) override;
  void check(const simt::Program& program, const CompiledProgram& code,
             const LaunchGeometry& geometry) override;
  void launch(const ProgramLaunch& launch) override;
  ProgramFacts facts(const simt::Program& program, const CompiledProgram& code) override;
  Residence residence(const CompiledProgram& code, std::int64_t threads,
                      std::int64_t dynamic_bytes) override;
  std::string text(const simt::Program& program, const std::string& kind) override;

 private:
  CudaDevice& device_;
};

}  // namespace heddle::cuda
