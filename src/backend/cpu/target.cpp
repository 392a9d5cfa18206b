#include "backend/cpu/target.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <dlfcn.h>
#include <llvm/Support/TargetSelect.h>

namespace heddle::cpu {

namespace {

void register_x86() {
  static const bool registered = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    return true;
  }();
  (void)registered;
}

}  // namespace

kernel::Target make_target(CpuLevel level, bool vector_math) {
  kernel::Target target;
  target.triple = "x86_64-unknown-linux-gnu";
  target.vector_math = vector_math;
  target.register_machine = register_x86;
  switch (level) {
    case CpuLevel::v2:
      target.cpu = "x86-64-v2";
      target.vector_bytes = 16;
      break;
    case CpuLevel::v3:
      target.cpu = "x86-64-v3";
      target.vector_bytes = 32;
      target.fma = true;
      break;
    case CpuLevel::v4:
      target.cpu = "x86-64-v4";
      target.vector_bytes = 64;
      target.fma = true;
      target.avx512 = true;
      target.masked_memory = true;
      break;
  }
  return target;
}

namespace {

CpuLevel detect() {
  if (__builtin_cpu_supports("x86-64-v4")) return CpuLevel::v4;
  if (__builtin_cpu_supports("x86-64-v3")) return CpuLevel::v3;
  return CpuLevel::v2;
}

}  // namespace

CpuLevel host_level() {
  static const CpuLevel level = [] {
    const CpuLevel best = detect();
    const char* asked = std::getenv("HEDDLE_CPU_LEVEL");
    const std::string_view name = asked ? asked : "";
    if (name == "v2") return CpuLevel::v2;
    if (name == "v3") return std::min(best, CpuLevel::v3);
    return best;
  }();
  return level;
}

void* vector_math_library() {
  static void* library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
  return library;
}

const kernel::Target& host_target() {
  static const auto* target =
      new kernel::Target(make_target(host_level(), vector_math_library() != nullptr));
  return *target;
}

}  // namespace heddle::cpu
