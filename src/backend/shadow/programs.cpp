// Kernels that people write: computed as the CPU does, and made for a GPU as well, so that what
// cannot be made is found without one.
#include "runtime/programs.h"

#include "backend/cuda/programs.h"
#include "runtime/device.h"

namespace heddle {

namespace {

constexpr int capability = 90;

class ShadowPrograms final : public Programs {
 public:
  ProgramLimits limits() const override { return cpu().limits(); }
  std::unique_ptr<const CompiledProgram> compile(const simt::Program& program) override {
    cuda::program_ptx(program, capability);
    return cpu().compile(program);
  }
  void launch(const ProgramLaunch& launch) override { cpu().launch(launch); }
  ProgramFacts facts(const simt::Program& program, const CompiledProgram& code) override {
    return cpu().facts(program, code);
  }
  Residence residence(const CompiledProgram& code, std::int64_t threads,
                      std::int64_t dynamic_bytes) override {
    return cpu().residence(code, threads, dynamic_bytes);
  }
  std::string text(const simt::Program& program, const std::string& kind) override {
    return kind == "ptx" ? cuda::program_ptx(program, capability) : cpu().text(program, kind);
  }

 private:
  static Programs& cpu() { return programs_of(cpu_device()); }
};

[[maybe_unused]] const ProgramsKind registered([](Device& device) -> Programs* {
  static auto* instance = new ShadowPrograms;
  return device.name() == "shadow:0" ? instance : nullptr;
});

}  // namespace

}  // namespace heddle
