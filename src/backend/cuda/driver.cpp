#include "backend/cuda/driver.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>

namespace heddle::cuda {

namespace {

struct Found {
  Driver driver;
  std::vector<Gpu> gpus;
  std::deque<std::atomic<CUcontext>> contexts;  // of each GPU; null until used
  std::string problem;                          // empty when usable
};

std::string words_for(const Driver& cuda, CUresult result) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (cuda.cuGetErrorName) cuda.cuGetErrorName(result, &name);
  if (cuda.cuGetErrorString) cuda.cuGetErrorString(result, &text);
  if (!name) return fmt::format("CUDA error {}", result);
  return text ? fmt::format("{}: {}", name, text) : std::string(name);
}

constexpr int needed_version = 12000;

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

// Whether all functions were there, in a driver that is new enough.
bool load_functions(void* library, Driver& cuda, std::string& problem) {
  const char* missing = nullptr;
#define HEDDLE_CUDA_LOAD(name, version, parameters)                                  \
  cuda.name = reinterpret_cast<decltype(cuda.name)>(dlsym(library, #name #version)); \
  if (!cuda.name && !missing) missing = #name;
  HEDDLE_CUDA_FUNCTIONS(HEDDLE_CUDA_LOAD)
#undef HEDDLE_CUDA_LOAD
  if (cuda.cuDriverGetVersion) cuda.cuDriverGetVersion(&cuda.version);
  if (!missing && cuda.version >= needed_version) return true;
  problem = fmt::format(
      "the CUDA driver is too old: it is one of CUDA {}, and one of CUDA {} or newer is needed",
      version_text(cuda.version), version_text(needed_version));
  if (missing && cuda.version >= needed_version) {
    problem = fmt::format("the CUDA driver has no {}", missing);
  }
  return false;
}

Gpu describe(const Driver& cuda, int ordinal) {
  Gpu gpu;
  gpu.ordinal = ordinal;
  cuda.cuDeviceGet(&gpu.device, ordinal);
  char name[256] = {};
  cuda.cuDeviceGetName(name, sizeof name - 1, gpu.device);
  gpu.name = name;
  auto read = [&](int& field, CUdevice_attribute attribute) {
    cuda.cuDeviceGetAttribute(&field, attribute, gpu.device);
  };
  read(gpu.major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  read(gpu.minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  read(gpu.multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  read(gpu.threads_per_block, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  read(gpu.threads_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  read(gpu.blocks_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  read(gpu.registers_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  read(gpu.shared_per_block, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  read(gpu.shared_per_block_optin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  read(gpu.shared_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  read(gpu.l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  cuda.cuDeviceTotalMem(&gpu.total_memory, gpu.device);
  return gpu;
}

void open(Found& found) {
  const char* wanted = std::getenv("HEDDLE_DEVICE");
  if (wanted && std::string_view(wanted) == "cpu") {
    found.problem = "HEDDLE_DEVICE is cpu";
    return;
  }
  // WSL keeps it outside of the loader's path.
  void* library = nullptr;
  for (const char* name : {"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"}) {
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library) break;
  }
  if (!library) {
    found.problem = "there is no CUDA driver (libcuda.so.1)";
    return;
  }
  Driver& cuda = found.driver;
  if (!load_functions(library, cuda, found.problem)) return;
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(cuda.cuInit), &info) && info.dli_fname) {
    cuda.path = info.dli_fname;
  }
  int count = 0;
  CUresult result = cuda.cuInit(0);
  if (result == CUDA_SUCCESS) result = cuda.cuDeviceGetCount(&count);
  if (result != CUDA_SUCCESS) {
    found.problem = words_for(cuda, result);
    return;
  }
  if (count == 0) {
    found.problem = "the CUDA driver found no GPU";
    return;
  }
  for (int i = 0; i < std::min(count, max_gpus); ++i) {
    found.gpus.push_back(describe(cuda, i));
    found.contexts.emplace_back(nullptr);
  }
  cuda.gpus = found.gpus;
}

Found& found() {
  static auto* instance = [] {  // buffers may outlive static destruction
    auto* made = new Found;
    open(*made);
    return made;
  }();
  return *instance;
}

}  // namespace

const Driver* driver() {
  Found& here = found();
  return here.problem.empty() ? &here.driver : nullptr;
}

const std::string& why_unavailable() { return found().problem; }

const Driver& api() {
  if (const Driver* cuda = driver()) return *cuda;
  throw device_error(fmt::format("no GPU can be used: {}", why_unavailable()),
                     CUDA_ERROR_NO_DEVICE);
}

std::span<const Gpu> gpus() { return found().gpus; }

const Gpu& gpu(int ordinal) {
  api();
  auto all = gpus();
  if (ordinal < 0 || static_cast<std::size_t>(ordinal) >= all.size()) {
    throw device_error(
        fmt::format("there is no GPU number {}; this machine has {}", ordinal, all.size()), 101);
  }
  return all[static_cast<std::size_t>(ordinal)];
}

CUcontext context_of(const Gpu& gpu) {
  auto& known = found().contexts[static_cast<std::size_t>(gpu.ordinal)];
  CUcontext context = known.load(std::memory_order_acquire);
  if (context) return context;
  static auto* mutex = new std::mutex;
  std::lock_guard lock(*mutex);
  if (!known) {
    check(api().cuDevicePrimaryCtxRetain(&context, gpu.device), "making a context");
    known = context;
  }
  return known;
}

bool has_context(const Gpu& gpu) {
  return found().contexts[static_cast<std::size_t>(gpu.ordinal)].load() != nullptr;
}

void ContextScope::enter(CUcontext wanted) {
  check(api().cuCtxSetCurrent(wanted), "making a context current");
}

bool is_sticky(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_CONTAINED:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_TENSOR_MEMORY_LEAK:
      return true;
    default:
      return false;
  }
}

PointerFacts facts_of(CUdeviceptr pointer) {
  PointerFacts facts;
  CUpointer_attribute wanted[] = {
      CU_POINTER_ATTRIBUTE_MEMORY_TYPE,    CU_POINTER_ATTRIBUTE_IS_MANAGED,
      CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
      CU_POINTER_ATTRIBUTE_HOST_POINTER,
  };
  void* values[] = {&facts.type, &facts.managed, &facts.ordinal, &facts.device_side,
                    static_cast<void*>(&facts.host_side)};
  static_assert(std::size(wanted) == std::size(values));
  check(api().cuPointerGetAttributes(std::size(wanted), wanted, values, pointer),
        "asking after a pointer");
  return facts;
}

int owner_of(CUdeviceptr pointer, const char* what) {
  int ordinal = facts_of(pointer).ordinal;
  if (ordinal < 0) throw_error(CUDA_ERROR_INVALID_VALUE, what);
  return ordinal;
}

void throw_error(CUresult result, const char* what) {
  std::string text = fmt::format("{}: {}", what, words_for(found().driver, result));
  if (result == CUDA_ERROR_OUT_OF_MEMORY) throw out_of_memory(text);
  if (is_sticky(result)) {
    text +=
        ". A kernel launched before failed, and the process has lost its CUDA context: what is in "
        "device memory cannot be read any more, and the process must be restarted to use the GPU "
        "again. compute-sanitizer finds the place";
  } else if (result == CUDA_ERROR_NOT_INITIALIZED) {
    text +=
        ". CUDA cannot be used in a process that was forked from one that uses it: start workers "
        "with the 'spawn' or 'forkserver' method";
  }
  throw device_error(text, result);
}

}  // namespace heddle::cuda
