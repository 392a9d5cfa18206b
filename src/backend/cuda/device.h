// A GPU of NVIDIA as a device.
#pragma once

#include <atomic>
#include <initializer_list>
#include <memory>
#include <string>

#include "backend/cuda/compiler.h"
#include "backend/cuda/driver.h"
#include "backend/cuda/memory.h"
#include "backend/cuda/sorting.h"
#include "backend/cuda/stream.h"
#include "backend/cuda/transforms.h"
#include "runtime/compaction.h"
#include "runtime/device.h"
#include "runtime/solvers.h"

namespace heddle::cuda {

class HEDDLE_API CudaDevice final : public Device {
 public:
  explicit CudaDevice(const Gpu& gpu);
  const Gpu& gpu() const { return *gpu_; }

  std::string name() const override { return name_; }
  DevicePool& pool() override { return pool_; }
  bool host_accessible() const override { return false; }
  Preferences preferences() const override { return gpu_preferences; }
  std::unique_ptr<const CompiledKernel> compile(const kernel::Kernel& kernel) override;
  void launch(const Launch& launch) override;
  void synchronize() override;
  void begin_launches() override;
  void end_launches() override;
  std::unique_ptr<RepeatedWork> write_down(const std::function<void()>& work,
                                           std::span<Buffer* const> used) override;
  void copy_to_host(void* to, Buffer& from, std::size_t offset, std::size_t bytes) override;
  void copy_from_host(Buffer& to, std::size_t offset, const void* from, std::size_t bytes) override;
  void start_copy_to_host(void* to, Buffer& from, std::size_t bytes) override;
  bool copy_from_device(Buffer& to, Buffer& from, std::size_t bytes) override;
  Compaction& compaction() override { return compaction_; }
  Sorting& sorting() override { return sorting_; }
  bool chains_scans() const override { return false; }
  bool prefers_narrow_keys() const override { return true; }  // a pass over them for each byte
  void matmul(const Matmul& product) override;
  Solvers& solvers() override { return *solvers_; }
  CudaTransforms& transforms() override { return transforms_; }
  bool records() const override { return current_stream(*gpu_).capturing(); }
  void finish(Buffer& buffer) override;
  Reports* reports() override;
  // After the host has waited for work of this device.
  void check_reports();
  // The current stream, which waits for what others do with the buffers. To be held until the work
  // that uses them is given to it.
  StreamUse ordered(std::initializer_list<Buffer*> buffers);

 private:
  const Gpu* gpu_;
  std::string name_;
  DevicePool pool_;
  std::unique_ptr<Solvers> solvers_;
  KernelCompaction compaction_{*this};
  CudaSorting sorting_{*this};
  std::atomic<Reports*> reports_{nullptr};
  CudaTransforms transforms_;
};

HEDDLE_API CudaDevice& device_of(const Gpu& gpu);
// The GPU that a device, or the memory of a pool, is; null for other kinds.
HEDDLE_API const Gpu* gpu_of(const Device& device);
HEDDLE_API const Gpu* gpu_of(const MemoryPool& pool);

}  // namespace heddle::cuda
