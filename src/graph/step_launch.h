// Launches of a program's kernels, wherever their memory comes from.
#pragma once

#include <span>
#include <vector>

#include "graph/program.h"
#include "runtime/device.h"

namespace heddle::graph {

// A short list of references to buffers: few steps have more than a handful.
class Buffers {
 public:
  explicit Buffers(std::size_t count) : many_(count > few ? count : 0) {
    all_ = many_.empty() ? std::span(few_, count) : std::span(many_);
  }
  Ref<Buffer>& operator[](std::size_t i) { return all_[i]; }
  std::size_t size() const { return all_.size(); }
  std::span<Ref<Buffer>> all() { return all_; }

 private:
  static constexpr std::size_t few = 4;
  Ref<Buffer> few_[few];
  std::vector<Ref<Buffer>> many_;
  std::span<Ref<Buffer>> all_;
};

// Several launches, for a device that takes them together; null: there is only one.
class LaunchesScope {
 public:
  explicit LaunchesScope(Device* device) : device_(device) {
    if (device_) device_->begin_launches();
  }
  ~LaunchesScope();
  // Throws what went wrong with launches that were put off. Without it, whoever waits for their
  // results is told: steps that could not be run again once more have no use for an error here.
  void end();
  LaunchesScope(const LaunchesScope&) = delete;
  LaunchesScope& operator=(const LaunchesScope&) = delete;

 private:
  Device* device_;
};

struct StepMemory {
  std::span<void* const> pointers;  // by slot
  std::span<const kernel::ScalarBits> scalars;
  std::span<Buffer* const> buffers;  // all of these, for devices that run behind the host
  // An operand that is half overwritten could not be read again.
  bool overwrites = false;
};
Launch launch_of(const Step& step, const StepMemory& memory);
void launch_step(const Step& step, Device& device, const StepMemory& memory);
// A launch of a kernel that was found in memory, in the statistics: launch_step, for those who
// change something about the launch first.
void launch_counted(const Launch& launch, Device& device);
// Whether launch_step needs to know the buffers: where the host sees the memory, work is done when
// a launch returns, and nobody has to wait.
bool needs_buffers(Device& device);

}  // namespace heddle::graph
