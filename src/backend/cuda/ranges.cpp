#include "backend/cuda/ranges.h"

#include <cstdlib>

#include "backend/cuda/libraries.h"

namespace heddle::cuda {

namespace {

struct Nvtx {
  int (*push)(const char* name) = nullptr;
  int (*pop)() = nullptr;
};

Nvtx open() {
  // Profilers say in the environment what NVTX is to load.
  if (!std::getenv("NVTX_INJECTION64_PATH") && !std::getenv("HEDDLE_NVTX")) return {};
  if (!is_installed(Library::nvtx)) return {};
  return {function<int(const char*)>(Library::nvtx, "nvtxRangePushA"),
          function<int()>(Library::nvtx, "nvtxRangePop")};
}

const Nvtx& nvtx() {
  static const Nvtx functions = open();
  return functions;
}

std::string name_of(const kernel::Instr& instr) {
  switch (instr.op) {
    case Op::scalar:
    case Op::load:
    case Op::store:
    case Op::index:
    case Op::cast:
      return "";
    case Op::reduce:
      return std::string(info(instr.combine).name) + ".reduce";
    case Op::scan:
      return std::string(info(instr.combine).name) + ".accumulate";
    default:
      return name(instr.op);
  }
}

}  // namespace

std::string operations_of(const kernel::Kernel& kernel) {
  std::string text;
  for (const kernel::Instr& instr : kernel.instrs) {
    std::string name = name_of(instr);
    if (!name.empty()) text += (text.empty() ? "" : " ") + name;
  }
  return text.empty() ? "copy" : text;
}

LaunchRange::LaunchRange(const kernel::Kernel& kernel) {
  if (!nvtx().push) return;
  nvtx().push(operations_of(kernel).c_str());
  begun_ = true;
}

LaunchRange::~LaunchRange() {
  if (begun_) nvtx().pop();
}

}  // namespace heddle::cuda
