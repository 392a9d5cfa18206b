// The CUDA driver, opened at run time: its types, constants and functions as far as they are used
// here, and the GPUs it found. Nothing of CUDA is needed to build this, or linked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <heddle/errors.h>
#include <heddle/export.h>

namespace heddle::cuda {

// CUDA's own names, so that its manual can be read beside the code.
using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUlinkState = struct CUlinkState_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphExec = struct CUgraphExec_st*;
using CUgraphNode = struct CUgraphNode_st*;
using CUhostFn = void (*)(void* data);

enum : CUresult {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_DEINITIALIZED = 4,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_ECC_UNCORRECTABLE = 214,
  CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
  CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221,
  CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
  CUDA_ERROR_JIT_COMPILATION_DISABLED = 223,
  CUDA_ERROR_CONTAINED = 226,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
  CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
  CUDA_ERROR_MISALIGNED_ADDRESS = 716,
  CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
  CUDA_ERROR_INVALID_PC = 718,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_TENSOR_MEMORY_LEAK = 721,
};

enum CUdevice_attribute : int {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
  CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106,
  CU_DEVICE_ATTRIBUTE_MAX = 147,  // the highest that this table of names knows
};

enum CUfunction_attribute : int {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
};

enum CUjit_option : int {
  CU_JIT_MAX_REGISTERS = 0,
  CU_JIT_INFO_LOG_BUFFER = 3,
  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
  CU_JIT_OPTIMIZATION_LEVEL = 7,
  CU_JIT_TARGET = 9,
  CU_JIT_GENERATE_DEBUG_INFO = 11,
  CU_JIT_LOG_VERBOSE = 12,
  CU_JIT_GENERATE_LINE_INFO = 13,
};

enum CUjitInputType : int { CU_JIT_INPUT_CUBIN = 0, CU_JIT_INPUT_PTX = 1 };

enum CUpointer_attribute : int {
  CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  CU_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
  CU_POINTER_ATTRIBUTE_HOST_POINTER = 4,
  CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
};

enum CUmemorytype : int { CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2 };

struct CUDA_KERNEL_NODE_PARAMS {
  CUfunction func;
  unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  void** kernelParams;
  void** extra;
  struct CUkern_st* kern;
  CUcontext ctx;
};

enum CUstreamCaptureMode : int {
  CU_STREAM_CAPTURE_MODE_GLOBAL = 0,
  CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
  CU_STREAM_CAPTURE_MODE_RELAXED = 2,
};
enum CUstreamCaptureStatus : int {
  CU_STREAM_CAPTURE_STATUS_NONE = 0,
  CU_STREAM_CAPTURE_STATUS_ACTIVE = 1,
  CU_STREAM_CAPTURE_STATUS_INVALIDATED = 2,
};

enum : unsigned {
  CU_STREAM_DEFAULT = 0,
  CU_STREAM_NON_BLOCKING = 1,
  CU_EVENT_DEFAULT = 0,
  CU_EVENT_BLOCKING_SYNC = 1,
  CU_EVENT_DISABLE_TIMING = 2,
  CU_EVENT_INTERPROCESS = 4,
  CU_MEMHOSTALLOC_PORTABLE = 1,
};

// Handles that mean the default streams rather than a stream that was made.
inline const auto CU_STREAM_LEGACY = reinterpret_cast<CUstream>(std::uintptr_t{1});
inline const auto CU_STREAM_PER_THREAD = reinterpret_cast<CUstream>(std::uintptr_t{2});

// Name, the symbol's suffix (the version of the interface), parameters.
// clang-format off
#define HEDDLE_CUDA_FUNCTIONS(X) \
  X(cuInit, , (unsigned flags)) \
  X(cuDriverGetVersion, , (int* version)) \
  X(cuGetErrorName, , (CUresult error, const char** text)) \
  X(cuGetErrorString, , (CUresult error, const char** text)) \
  X(cuDeviceGetCount, , (int* count)) \
  X(cuDeviceGet, , (CUdevice * device, int ordinal)) \
  X(cuDeviceGetName, , (char* name, int length, CUdevice device)) \
  X(cuDeviceGetAttribute, , (int* value, CUdevice_attribute attribute, CUdevice device)) \
  X(cuDeviceTotalMem, _v2, (std::size_t* bytes, CUdevice device)) \
  X(cuDeviceGetPCIBusId, , (char* id, int length, CUdevice device)) \
  X(cuDeviceGetByPCIBusId, , (CUdevice* device, const char* id)) \
  X(cuDeviceCanAccessPeer, , (int* can, CUdevice device, CUdevice peer)) \
  X(cuDevicePrimaryCtxRetain, , (CUcontext* context, CUdevice device)) \
  X(cuCtxSetCurrent, , (CUcontext context)) \
  X(cuCtxGetCurrent, , (CUcontext* context)) \
  X(cuCtxGetDevice, , (CUdevice* device)) \
  X(cuCtxSynchronize, , ()) \
  X(cuCtxGetStreamPriorityRange, , (int* least, int* greatest)) \
  X(cuCtxEnablePeerAccess, , (CUcontext peer, unsigned flags)) \
  X(cuCtxDisablePeerAccess, , (CUcontext peer)) \
  X(cuCtxGetLimit, , (std::size_t* value, int limit)) \
  X(cuCtxSetLimit, , (int limit, std::size_t value)) \
  X(cuMemAlloc, _v2, (CUdeviceptr* pointer, std::size_t bytes)) \
  X(cuMemFree, _v2, (CUdeviceptr pointer)) \
  X(cuMemAllocManaged, , (CUdeviceptr* pointer, std::size_t bytes, unsigned flags)) \
  X(cuMemAllocAsync, , (CUdeviceptr* pointer, std::size_t bytes, CUstream stream)) \
  X(cuMemFreeAsync, , (CUdeviceptr pointer, CUstream stream)) \
  X(cuMemHostAlloc, , (void** pointer, std::size_t bytes, unsigned flags)) \
  X(cuMemAllocHost, _v2, (void** pointer, std::size_t bytes)) \
  X(cuMemFreeHost, , (void* pointer)) \
  X(cuMemHostRegister, _v2, (void* pointer, std::size_t bytes, unsigned flags)) \
  X(cuMemHostUnregister, , (void* pointer)) \
  X(cuMemGetInfo, _v2, (std::size_t* free, std::size_t* total)) \
  X(cuMemcpy, , (CUdeviceptr to, CUdeviceptr from, std::size_t bytes)) \
  X(cuMemcpyAsync, , (CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream)) \
  X(cuMemcpyHtoDAsync, _v2, (CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream)) \
  X(cuMemcpyDtoHAsync, _v2, (void* to, CUdeviceptr from, std::size_t bytes, CUstream stream)) \
  X(cuMemcpyDtoDAsync, _v2, (CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream)) \
  X(cuMemcpyPeerAsync, , (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, std::size_t bytes, CUstream stream)) \
  X(cuMemsetD8, _v2, (CUdeviceptr to, unsigned char value, std::size_t bytes)) \
  X(cuMemsetD8Async, , (CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream stream)) \
  X(cuPointerGetAttributes, , (unsigned count, CUpointer_attribute* attributes, void** values, CUdeviceptr pointer)) \
  X(cuStreamCreateWithPriority, , (CUstream* stream, unsigned flags, int priority)) \
  X(cuStreamDestroy, _v2, (CUstream stream)) \
  X(cuStreamSynchronize, , (CUstream stream)) \
  X(cuStreamQuery, , (CUstream stream)) \
  X(cuStreamWaitEvent, , (CUstream stream, CUevent event, unsigned flags)) \
  X(cuStreamGetPriority, , (CUstream stream, int* priority)) \
  X(cuStreamGetFlags, , (CUstream stream, unsigned* flags)) \
  X(cuStreamGetCtx, , (CUstream stream, CUcontext* context)) \
  X(cuStreamBeginCapture, _v2, (CUstream stream, CUstreamCaptureMode mode)) \
  X(cuStreamEndCapture, , (CUstream stream, CUgraph* graph)) \
  X(cuStreamIsCapturing, , (CUstream stream, CUstreamCaptureStatus* status)) \
  X(cuThreadExchangeStreamCaptureMode, , (CUstreamCaptureMode* mode)) \
  X(cuLaunchHostFunc, , (CUstream stream, CUhostFn function, void* data)) \
  X(cuEventCreate, , (CUevent* event, unsigned flags)) \
  X(cuEventRecord, , (CUevent event, CUstream stream)) \
  X(cuEventQuery, , (CUevent event)) \
  X(cuEventSynchronize, , (CUevent event)) \
  X(cuEventElapsedTime, , (float* milliseconds, CUevent start, CUevent end)) \
  X(cuEventDestroy, _v2, (CUevent event)) \
  X(cuModuleLoadDataEx, , (CUmodule* module, const void* image, unsigned options, CUjit_option* names, void** values)) \
  X(cuModuleUnload, , (CUmodule module)) \
  X(cuModuleGetFunction, , (CUfunction* function, CUmodule module, const char* name)) \
  X(cuModuleGetGlobal, _v2, (CUdeviceptr* pointer, std::size_t* bytes, CUmodule module, const char* name)) \
  X(cuFuncSetAttribute, , (CUfunction function, CUfunction_attribute attribute, int value)) \
  X(cuFuncGetAttribute, , (int* value, CUfunction_attribute attribute, CUfunction function)) \
  X(cuLaunchKernel, , (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void** parameters, void** extra)) \
  X(cuLaunchCooperativeKernel, , (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void** parameters)) \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, , (int* blocks, CUfunction function, int block_size, std::size_t shared_bytes)) \
  X(cuLinkCreate, _v2, (unsigned options, CUjit_option* names, void** values, CUlinkState* state)) \
  X(cuLinkAddData, _v2, (CUlinkState state, CUjitInputType type, void* data, std::size_t bytes, const char* name, unsigned options, CUjit_option* names, void** values)) \
  X(cuLinkComplete, , (CUlinkState state, void** cubin, std::size_t* bytes)) \
  X(cuLinkDestroy, , (CUlinkState state)) \
  X(cuGraphCreate, , (CUgraph* graph, unsigned flags)) \
  X(cuGraphAddKernelNode, _v2, (CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, std::size_t count, const CUDA_KERNEL_NODE_PARAMS* parameters)) \
  X(cuGraphExecKernelNodeSetParams, _v2, (CUgraphExec executable, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* parameters)) \
  X(cuGraphInstantiateWithFlags, , (CUgraphExec* executable, CUgraph graph, unsigned long long flags)) \
  X(cuGraphUpload, , (CUgraphExec executable, CUstream stream)) \
  X(cuGraphLaunch, , (CUgraphExec executable, CUstream stream)) \
  X(cuGraphExecDestroy, , (CUgraphExec executable)) \
  X(cuGraphDestroy, , (CUgraph graph)) \
  X(cuGraphDebugDotPrint, , (CUgraph graph, const char* path, unsigned flags)) \
  X(cuProfilerStart, , ()) \
  X(cuProfilerStop, , ())
// clang-format on

inline constexpr int max_gpus = 64;  // of one process; CUDA has no such limit

// Facts of a GPU that do not change.
struct Gpu {
  int ordinal = 0;
  CUdevice device = 0;
  std::string name;
  int major = 0, minor = 0;                              // compute capability
  int capability() const { return major * 10 + minor; }  // as 90 for 9.0
  int multiprocessors = 0;
  int threads_per_block = 0;
  int threads_per_multiprocessor = 0;
  int blocks_per_multiprocessor = 0;
  int registers_per_multiprocessor = 0;
  int shared_per_block = 0;        // bytes, without asking
  int shared_per_block_optin = 0;  // bytes, after cuFuncSetAttribute
  int shared_per_multiprocessor = 0;
  int l2_bytes = 0;
  std::size_t total_memory = 0;
};

struct Driver {
#define HEDDLE_CUDA_MEMBER(name, version, parameters) CUresult(*name) parameters = nullptr;
  HEDDLE_CUDA_FUNCTIONS(HEDDLE_CUDA_MEMBER)
#undef HEDDLE_CUDA_MEMBER
  int version = 0;  // of CUDA, as 13000 for 13.0
  std::string path;
  std::span<const Gpu> gpus;
};

// The driver, opened on the first call; null where there is none, where it finds no GPU, or where
// HEDDLE_DEVICE is "cpu". Never prints, never throws, makes no context.
HEDDLE_API const Driver* driver();
// The same, for code that only runs with a GPU; throws device_error.
HEDDLE_API const Driver& api();
// Why driver() is null, for people; empty where it is not.
HEDDLE_API const std::string& why_unavailable();

HEDDLE_API std::span<const Gpu> gpus();
// Throws device_error.
HEDDLE_API const Gpu& gpu(int ordinal);

// The primary context, made on the first call (it takes a tenth of a second).
HEDDLE_API CUcontext context_of(const Gpu& gpu);
// Whether it was made: the GPU has been used.
bool has_context(const Gpu& gpu);

// Makes the GPU's context current in this thread, and what was before again at the end.
class HEDDLE_API ContextScope {
 public:
  explicit ContextScope(const Gpu& gpu) {
    CUcontext wanted = context_of(gpu);
    const Driver& cuda = *driver();
    cuda.cuCtxGetCurrent(&before_);
    if (before_ == wanted) {
      before_ = nullptr;
    } else {
      enter(wanted);
    }
  }
  ~ContextScope() {
    // A thread that had none keeps ours.
    if (before_) driver()->cuCtxSetCurrent(before_);
  }
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  static void enter(CUcontext wanted);
  CUcontext before_ = nullptr;
};

// Throws out_of_memory, or device_error with CUDA's name and words for the error and, where the
// context is lost with it, what that means. `what` names the operation.
[[noreturn]] HEDDLE_API void throw_error(CUresult result, const char* what);
inline void check(CUresult result, const char* what) {
  if (result != CUDA_SUCCESS) [[unlikely]]
    throw_error(result, what);
}
// Whether every later call in this process will fail with it too.
bool is_sticky(CUresult result);

// What CUDA knows of an address; asking after memory that is not CUDA's is no error.
struct PointerFacts {
  int type = 0;  // a CUmemorytype; 0 for memory that CUDA does not know
  int managed = 0;
  int ordinal = -1;  // of the GPU, negative where there is none
  CUdeviceptr device_side = 0;
  void* host_side = nullptr;
};
HEDDLE_API PointerFacts facts_of(CUdeviceptr pointer);
// The GPU whose memory it is; throws device_error, for `what`, where it is no GPU's.
HEDDLE_API int owner_of(CUdeviceptr pointer, const char* what);

inline CUdeviceptr device_pointer(const void* pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

}  // namespace heddle::cuda
