#include "backend/cuda/plans.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "backend/cuda/capture.h"
#include "backend/cuda/device.h"
#include "backend/cuda/libraries.h"
#include "runtime/interrupt.h"

namespace heddle::cuda {

namespace {

// CUDA's own names and values.
enum FftResult : int { CUFFT_SUCCESS = 0, CUFFT_ALLOC_FAILED = 2 };
enum DataType : int { CUDA_R_32F = 0, CUDA_R_64F = 1, CUDA_C_32F = 4, CUDA_C_64F = 5 };
enum Direction : int { CUFFT_FORWARD = -1, CUFFT_INVERSE = 1 };

using MakePlanMany = FftResult(FftHandle plan, int rank, long long* n, long long* inembed,
                               long long istride, long long idist, DataType inputtype,
                               long long* onembed, long long ostride, long long odist,
                               DataType outputtype, long long batch, std::size_t* work_size,
                               DataType executiontype);

const char* words(FftResult result) {
  switch (static_cast<int>(result)) {
    case 0x1:
      return "CUFFT_INVALID_PLAN";
    case 0x2:
      return "CUFFT_ALLOC_FAILED";
    case 0x3:
      return "CUFFT_INVALID_TYPE";
    case 0x4:
      return "CUFFT_INVALID_VALUE";
    case 0x5:
      return "CUFFT_INTERNAL_ERROR";
    case 0x6:
      return "CUFFT_EXEC_FAILED";
    case 0x7:
      return "CUFFT_SETUP_FAILED";
    case 0x8:
      return "CUFFT_INVALID_SIZE";
    case 0x9:
      return "CUFFT_UNALIGNED_DATA";
    case 0xD:
      return "CUFFT_NO_WORKSPACE";
    case 0xE:
      return "CUFFT_NOT_IMPLEMENTED";
    case 0x10:
      return "CUFFT_NOT_SUPPORTED";
    case 0x11:
      return "CUFFT_MISSING_DEPENDENCY";
    case 0x12:
      return "CUFFT_NVRTC_FAILURE";
    case 0x13:
      return "CUFFT_NVJITLINK_FAILURE";
    default:
      return "unknown error";
  }
}

void check_fft(FftResult result, const char* what) {
  if (result == CUFFT_SUCCESS) return;
  if (result == CUFFT_ALLOC_FAILED) {
    throw out_of_memory(fmt::format("fft: {}: cuFFT found no memory for its tables", what));
  }
  const char* hint = any_capture() ? "; plans cannot be made during every kind of capture: run the "
                                     "transform once before it begins"
                                   : "";
  throw_failed_call(
      fmt::format("fft: {}: {} ({}){}", what, words(result), static_cast<int>(result), hint),
      result);
}

template <class F>
F* fft_function(const char* name) {
  return function<F>(Library::cufft, name);
}

void destroy(const Gpu& gpu, FftHandle handle) {
  ContextScope scope(gpu);
  RelaxedCapture relaxed;
  // Frees its tables, which waits for all work on the GPU.
  fft_function<FftResult(FftHandle)>("cufftDestroy")(handle);
}

FftResult make(FftHandle handle, const PlanKey& key, std::size_t* work_bytes) {
  bool is_single = key.precision == Dtype::float32;
  DataType real = is_single ? CUDA_R_32F : CUDA_R_64F;
  DataType complex = is_single ? CUDA_C_32F : CUDA_C_64F;
  long long lengths[3] = {}, full[3] = {}, half[3] = {};
  long long full_size = 1, half_size = 1;
  for (std::int64_t i = 0; i < key.rank; ++i) {
    lengths[i] = full[i] = half[i] = key.lengths[i];
    if (i + 1 == key.rank) half[i] = full[i] / 2 + 1;
    full_size *= full[i];
    half_size *= half[i];
  }
  bool reads_half = key.kind == Transform::Kind::to_real;
  bool writes_half = key.kind == Transform::Kind::from_real;
  auto distance = [&](long long size) { return key.inner == 1 ? size : 1; };
  return fft_function<MakePlanMany>("cufftXtMakePlanMany")(
      handle, static_cast<int>(key.rank), lengths, reads_half ? half : full, key.inner,
      distance(reads_half ? half_size : full_size), writes_half ? real : complex,
      writes_half ? half : full, key.inner, distance(writes_half ? half_size : full_size),
      reads_half ? real : complex, key.batch, work_bytes, complex);
}

// The plan's mutex is held.
void complete(Plan& plan) {
  const Gpu& gpu = *plan.gpu;
  ContextScope scope(gpu);
  RelaxedCapture relaxed;
  for (bool again : {false, true}) {
    check_fft(fft_function<FftResult(FftHandle*)>("cufftCreate")(&plan.handle), "cufftCreate");
    FftResult result =
        fft_function<FftResult(FftHandle, int)>("cufftSetAutoAllocation")(plan.handle, 0);
    if (result == CUFFT_SUCCESS) result = make(plan.handle, plan.key, &plan.work_bytes);
    if (result == CUFFT_SUCCESS) break;
    destroy(gpu, std::exchange(plan.handle, -1));
    if (again || result != CUFFT_ALLOC_FAILED) check_fft(result, "making a plan");
    device_of(gpu).pool().free_all_blocks();
  }
}

}  // namespace

Plan::~Plan() {
  if (handle >= 0) destroy(*gpu, handle);
}

std::shared_ptr<Plan> PlanCache::find_or_begin(const PlanKey& key, List& excess) {
  std::lock_guard lock(mutex_);
  auto found = std::find_if(plans_.begin(), plans_.end(),
                            [&](const auto& plan) { return plan->key == key; });
  if (found != plans_.end()) {
    ++hits_;
    plans_.splice(plans_.begin(), plans_, found);
  } else {
    ++misses_;
    plans_.push_front(std::make_shared<Plan>(*gpu_, key));
    excess = shrink(std::max<std::size_t>(max_size_, 1));
  }
  return plans_.front();
}

std::shared_ptr<Plan> PlanCache::get(const PlanKey& key) {
  List excess;  // destroyed without the lock: that waits for the GPU
  auto plan = find_or_begin(key, excess);
  try {
    // Who comes first makes it, the others wait for that.
    {
      std::unique_lock lock(plan->mutex, std::try_to_lock);
      if (lock.owns_lock() && plan->handle >= 0) return plan;
    }
    BlockingScope blocking;
    std::lock_guard lock(plan->mutex);
    if (plan->handle < 0) complete(*plan);
  } catch (...) {
    std::lock_guard lock(mutex_);
    plans_.remove(plan);
    throw;
  }
  return plan;
}

PlanCache::List PlanCache::shrink(std::size_t plans) {
  List gone;
  auto excess = plans_.size() > plans ? plans_.size() - plans : 0;
  for (auto plan = plans_.end(); excess > 0 && plan != plans_.begin();) {
    auto here = --plan;
    if ((*here)->captured) continue;
    ++plan;
    gone.splice(gone.end(), plans_, here);
    --excess;
  }
  return gone;
}

PlanCacheInfo PlanCache::info() const {
  std::lock_guard lock(mutex_);
  return {plans_.size(), max_size_, hits_, misses_};
}

void PlanCache::set_max_size(std::size_t plans) {
  List gone;
  std::lock_guard lock(mutex_);
  max_size_ = plans;
  gone = shrink(plans);
}

void PlanCache::clear() {
  List gone;
  std::lock_guard lock(mutex_);
  gone = shrink(0);
  hits_ = misses_ = 0;
}

void execute(Plan& plan, Stream& stream, void* input, void* output, void* work, bool forward) {
  static auto* set_stream = fft_function<FftResult(FftHandle, CUstream)>("cufftSetStream");
  static auto* set_work = fft_function<FftResult(FftHandle, void*)>("cufftSetWorkArea");
  static auto* run = fft_function<FftResult(FftHandle, void*, void*, Direction)>("cufftXtExec");
  std::lock_guard lock(plan.mutex);
  check_fft(set_stream(plan.handle, stream.handle()), "cufftSetStream");
  if (work) check_fft(set_work(plan.handle, work), "cufftSetWorkArea");
  check_fft(run(plan.handle, input, output, forward ? CUFFT_FORWARD : CUFFT_INVERSE),
            "cufftXtExec");
}

}  // namespace heddle::cuda
