// GPUs of NVIDIA as devices. Work is given to the current stream of the calling thread.
#include "backend/cuda/device.h"

#include <cstring>
#include <deque>
#include <mutex>
#include <string>

#include "backend/cuda/blas.h"
#include "backend/cuda/capture.h"
#include "backend/cuda/compiler.h"
#include "backend/cuda/launcher.h"
#include "backend/cuda/ranges.h"
#include "backend/cuda/solvers.h"
#include "backend/cuda/transfer.h"
#include "runtime/interrupt.h"
#include "runtime/traffic.h"

namespace heddle::cuda {

namespace {

CUdeviceptr address_in(const Buffer& buffer, std::size_t offset) {
  return device_pointer(buffer.data()) + offset;
}

}  // namespace

CudaDevice::CudaDevice(const Gpu& gpu)
    : gpu_(&gpu),
      name_("cuda:" + std::to_string(gpu.ordinal)),
      pool_(gpu),
      solvers_(make_solvers(*this)),
      transforms_(gpu) {}

StreamUse CudaDevice::ordered(std::initializer_list<Buffer*> buffers) {
  return StreamUse(current_stream(*gpu_), std::span(buffers.begin(), buffers.size()));
}

std::unique_ptr<const CompiledKernel> CudaDevice::compile(const kernel::Kernel& kernel) {
  return cuda::compile(kernel, *gpu_);
}

void CudaDevice::launch(const Launch& launch) {
  StreamUse use(current_stream(*gpu_), launch.buffers);
  LaunchRange range(*launch.kernel);
  if (counts_traffic()) count_traffic(launch);
  cuda::launch(launch, use.stream());
}

void CudaDevice::begin_launches() { current_stream(*gpu_).begin_launches(); }
void CudaDevice::end_launches() { current_stream(*gpu_).end_launches(); }

std::unique_ptr<RepeatedWork> CudaDevice::write_down(const std::function<void()>& work,
                                                     std::span<Buffer* const> used) {
  return capture_work(*gpu_, work, used);
}

void CudaDevice::synchronize() {
  if (!has_context(*gpu_)) return;  // nothing was ever given to it
  ContextScope scope(*gpu_);
  flush_queues();
  BlockingScope blocking;
  check(api().cuCtxSynchronize(), "synchronize");
  check_reports();
}

Reports* CudaDevice::reports() {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  if (!reports_) {
    ContextScope scope(*gpu_);
    constexpr std::size_t bytes = Reports::words * sizeof(std::int64_t);
    void* memory = pinned_pool().allocate(bytes).data;
    std::memset(memory, 0, bytes);
    reports_ = new Reports(static_cast<std::int64_t*>(memory));  // kernels may still write
  }
  return reports_;
}

void CudaDevice::check_reports() {
  if (Reports* reports = reports_) reports->check();
}

void CudaDevice::copy_to_host(void* to, Buffer& from, std::size_t offset, std::size_t bytes) {
  cuda::copy_to_host(ordered({&from}).stream(), to, address_in(from, offset), bytes);
  check_reports();
}

void CudaDevice::copy_from_host(Buffer& to, std::size_t offset, const void* from,
                                std::size_t bytes) {
  cuda::copy_from_host(ordered({&to}).stream(), address_in(to, offset), from, bytes);
}

void CudaDevice::start_copy_to_host(void* to, Buffer& from, std::size_t bytes) {
  copy_to_host_async(ordered({&from}).stream(), to, address_in(from, 0), bytes);
}

bool CudaDevice::copy_from_device(Buffer& to, Buffer& from, std::size_t bytes) {
  auto* other = dynamic_cast<CudaDevice*>(&from.device());
  if (!other) return false;
  const StreamUse use = ordered({&to, &from});
  copy_between(use.stream(), *gpu_, address_in(to, 0), other->gpu(), address_in(from, 0), bytes);
  return true;
}

void CudaDevice::matmul(const Matmul& product) {
  cuda::matmul(ordered({product.a.buffer, product.b.buffer, product.c.buffer}).stream(), product);
}

void CudaDevice::finish(Buffer& buffer) {
  auto& stream = *static_cast<Stream*>(buffer.stream.load());
  // Owners order what they do with the memory on the default stream.
  if (&stream == &Stream::null(*gpu_)) return;
  try {
    stream.finish();
  } catch (const error&) {  // NOLINT(bugprone-empty-catch)
    // Then nothing runs any more. The next call that waits for results says so.
  }
}

CudaDevice& device_of(const Gpu& gpu) {
  static auto* all = [] {  // buffers may outlive static destruction
    auto* made = new std::deque<CudaDevice>;
    for (const Gpu& one : gpus()) made->emplace_back(one);
    return made;
  }();
  return (*all)[static_cast<std::size_t>(gpu.ordinal)];
}

namespace {
[[maybe_unused]] const DeviceKind registered([] {
  std::vector<Device*> found;
  for (const Gpu& gpu : gpus()) found.push_back(&device_of(gpu));
  return found;
});
}  // namespace

const Gpu* gpu_of(const Device& device) {
  const auto* found = dynamic_cast<const CudaDevice*>(&device);
  return found ? &found->gpu() : nullptr;
}

const Gpu* gpu_of(const MemoryPool& pool) {
  const auto* found = dynamic_cast<const DevicePool*>(&pool);
  return found ? &found->gpu() : nullptr;
}

}  // namespace heddle::cuda
