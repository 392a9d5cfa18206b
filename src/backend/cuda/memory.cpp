#include "backend/cuda/memory.h"

#include <fmt/format.h>

#include "backend/cuda/capture.h"
#include "backend/cuda/launch_queue.h"
#include <heddle/errors.h>

namespace heddle::cuda {

void* DevicePool::system_allocate(std::size_t bytes) {
  constexpr unsigned attach_global = 1;
  ContextScope scope(*gpu_);
  RelaxedCapture relaxed;
  CUdeviceptr pointer = 0;
  const Driver& cuda = api();
  CUresult result = source_ == Source::managed
                        ? cuda.cuMemAllocManaged(&pointer, bytes, attach_global)
                        : cuda.cuMemAlloc(&pointer, bytes);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) return nullptr;
  check(result, "allocating device memory");
  return reinterpret_cast<void*>(pointer);
}

void DevicePool::system_release(void* pointer, std::size_t) {
  ContextScope scope(*gpu_);
  RelaxedCapture relaxed;
  try {
    flush_queues();
  } catch (const out_of_memory&) {
    // Launches that were put off use it yet.
    std::lock_guard lock(leaving_mutex_);
    leaving_.push_back(device_pointer(pointer));
    return;
  }
  // Waits for all work on the GPU, so none uses the block any more. An error here is one of that
  // work; whoever waits for it next is told.
  api().cuMemFree(device_pointer(pointer));
  std::vector<CUdeviceptr> others;
  {
    std::lock_guard lock(leaving_mutex_);
    others.swap(leaving_);
  }
  for (const CUdeviceptr each : others) api().cuMemFree(each);
}

std::string DevicePool::what() const {
  std::size_t free = 0, total = 0;
  ContextScope scope(*gpu_);
  api().cuMemGetInfo(&free, &total);
  return fmt::format("device memory ({} has {} bytes, {} of them free)", gpu_->name, total, free);
}

void DevicePool::hand_over(void* before, void* stream) {
  if (before) static_cast<Stream*>(stream)->wait(*static_cast<Stream*>(before));
}

bool DevicePool::withhold(Block block, std::size_t bytes) {
  if (!any_capture() || !static_cast<Stream*>(block.stream)->capturing()) return false;
  return keep_for_capture(*this, block, bytes);
}

void* PinnedPool::system_allocate(std::size_t bytes) {
  ContextScope scope(gpu(0));  // portable: it is page-locked for all GPUs
  RelaxedCapture relaxed;
  void* pointer = nullptr;
  CUresult result = api().cuMemHostAlloc(&pointer, bytes, CU_MEMHOSTALLOC_PORTABLE);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) return nullptr;
  check(result, "allocating page-locked memory");
  return pointer;
}

void PinnedPool::system_release(void* pointer, std::size_t) {
  ContextScope scope(gpu(0));
  RelaxedCapture relaxed;
  api().cuMemFreeHost(pointer);
}

PinnedPool& pinned_pool() {
  static auto* pool = new PinnedPool;
  return *pool;
}

}  // namespace heddle::cuda
