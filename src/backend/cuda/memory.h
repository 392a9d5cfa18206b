// Pools of a GPU's memory and of page-locked host memory.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "backend/cuda/driver.h"
#include "backend/cuda/stream.h"
#include "runtime/memory_pool.h"

namespace heddle::cuda {

// Blocks are for the stream that is current when they are asked for. Freed on one stream and asked
// for on another, a block comes with a wait of that stream for the first.
class HEDDLE_API DevicePool final : public MemoryPool {
 public:
  enum class Source : std::uint8_t {
    device,
    managed,  // moves between host and device by itself, and may be more than the GPU has
  };
  explicit DevicePool(const Gpu& gpu, Source source = Source::device)
      : gpu_(&gpu), source_(source) {}
  const Gpu& gpu() const { return *gpu_; }

 protected:
  void* system_allocate(std::size_t bytes) override;
  void system_release(void* pointer, std::size_t bytes) override;
  std::string what() const override;
  void* current_stream() override { return &cuda::current_stream(*gpu_); }
  void hand_over(void* before, void* stream) override;
  bool withhold(Block block, std::size_t bytes) override;

 private:
  const Gpu* gpu_;
  Source source_;
  std::mutex leaving_mutex_;
  std::vector<CUdeviceptr> leaving_;  // blocks that could not go back to the driver yet
};

// Host memory that GPUs read and write directly. Who frees a block sees to it that no copy still
// uses it.
class HEDDLE_API PinnedPool final : public MemoryPool {
 protected:
  void* system_allocate(std::size_t bytes) override;
  void system_release(void* pointer, std::size_t bytes) override;
  std::string what() const override { return "page-locked host memory"; }
};

HEDDLE_API PinnedPool& pinned_pool();

}  // namespace heddle::cuda
