#include "backend/cuda/assembler.h"

#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "backend/cuda/driver.h"
#include "backend/cuda/libraries.h"
#include <heddle/errors.h>

namespace heddle::cuda {
namespace {

// --- the driver ---

std::string assemble_by_driver(const std::string& ptx) {
  const Driver& cuda = api();
  char log[4096] = "";
  CUjit_option names[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  CUlinkState state = nullptr;
  check(cuda.cuLinkCreate(2, names, values, &state), "cuLinkCreate");
  struct Guard {
    CUlinkState state;
    ~Guard() { driver()->cuLinkDestroy(state); }
  } guard{state};
  auto* text = const_cast<char*>(ptx.c_str());
  const CUresult added = cuda.cuLinkAddData(state, CU_JIT_INPUT_PTX, text, ptx.size() + 1, "kernel",
                                            0, nullptr, nullptr);
  void* cubin = nullptr;
  std::size_t bytes = 0;
  const CUresult done = added ? added : cuda.cuLinkComplete(state, &cubin, &bytes);
  if (done)
    throw device_error(
        fmt::format("kernel compiler: the driver's assembler failed ({}): {}", done, log), done);
  return std::string(static_cast<const char*>(cubin), bytes);
}

// --- nvJitLink ---

using Handle = struct nvJitLink*;
using Status = int;
constexpr Status compile_error = 4;  // NVJITLINK_ERROR_PTX_COMPILE
constexpr int ptx_input = 2;         // NVJITLINK_INPUT_PTX

struct JitLink {
  Status (*create)(Handle*, std::uint32_t, const char**);
  Status (*add)(Handle, int, const void*, std::size_t, const char*);
  Status (*complete)(Handle);
  Status (*cubin_size)(Handle, std::size_t*);
  Status (*cubin)(Handle, void*);
  Status (*log_size)(Handle, std::size_t*);
  Status (*log)(Handle, char*);
  Status (*destroy)(Handle*);
};

// Null where it is missing, or so old that it has other names.
const JitLink* jit_link() {
  static const std::optional<JitLink> library = []() -> std::optional<JitLink> {
    JitLink found{};
    auto get = [](auto*& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
          find_function(Library::nvjitlink, name));
    };
    try {
      get(found.create, "nvJitLinkCreate");
      get(found.add, "nvJitLinkAddData");
      get(found.complete, "nvJitLinkComplete");
      get(found.cubin_size, "nvJitLinkGetLinkedCubinSize");
      get(found.cubin, "nvJitLinkGetLinkedCubin");
      get(found.log_size, "nvJitLinkGetErrorLogSize");
      get(found.log, "nvJitLinkGetErrorLog");
      get(found.destroy, "nvJitLinkDestroy");
    } catch (const error&) {
      return std::nullopt;
    }
    return found;
  }();
  return library ? &*library : nullptr;
}

std::string log_of(const JitLink& library, Handle handle) {
  std::size_t size = 0;
  if (library.log_size(handle, &size) != 0 || size == 0) return {};
  std::string log(size, '\0');
  library.log(handle, log.data());
  log.resize(log.find('\0') == std::string::npos ? size : log.find('\0'));
  return log;
}

bool can_do_without_driver(CUresult status) {
  return status == CUDA_ERROR_JIT_COMPILER_NOT_FOUND ||
         status == CUDA_ERROR_UNSUPPORTED_PTX_VERSION ||
         status == CUDA_ERROR_JIT_COMPILATION_DISABLED;
}

}  // namespace

std::optional<std::string> assemble_by_library(const std::string& ptx, int capability) {
  const JitLink* library = jit_link();
  if (!library) return std::nullopt;
  const std::string arch = fmt::format("-arch=sm_{}", capability);
  const char* options[] = {arch.c_str()};
  // There is one to destroy also where it cannot be made for such a GPU.
  struct Guard {
    const JitLink* library;
    Handle handle = nullptr;
    ~Guard() {
      if (handle) library->destroy(&handle);
    }
  } guard{library};
  if (library->create(&guard.handle, 1, options) != 0) return std::nullopt;
  Handle handle = guard.handle;
  Status status = library->add(handle, ptx_input, ptx.c_str(), ptx.size() + 1, "kernel");
  if (status == 0) status = library->complete(handle);
  std::size_t size = 0;
  if (status == 0) status = library->cubin_size(handle, &size);
  if (status == compile_error)
    throw device_error(
        fmt::format("kernel compiler: nvJitLink failed: {}", log_of(*library, handle)), status);
  if (status != 0) return std::nullopt;
  std::string cubin(size, '\0');
  if (library->cubin(handle, cubin.data()) != 0) return std::nullopt;
  return cubin;
}

std::string assemble(const std::string& ptx, int capability) {
  const char* environment = std::getenv("HEDDLE_ASSEMBLER");
  const std::string_view wanted = environment ? environment : "";
  if (wanted == "nvjitlink") {
    if (auto cubin = assemble_by_library(ptx, capability)) return std::move(*cubin);
    throw device_error(
        fmt::format("HEDDLE_ASSEMBLER is nvjitlink, which is missing or does not know GPUs of "
                    "compute capability {}.{}",
                    capability / 10, capability % 10));
  }
  try {
    return assemble_by_driver(ptx);
  } catch (const device_error& failure) {
    if (wanted == "driver" || !can_do_without_driver(failure.status)) throw;
    if (auto cubin = assemble_by_library(ptx, capability)) return std::move(*cubin);
    throw;
  }
}

}  // namespace heddle::cuda
