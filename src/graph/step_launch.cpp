#include "graph/step_launch.h"

#include <utility>

#include "runtime/statistics.h"
#include "runtime/traffic.h"

namespace heddle::graph {

LaunchesScope::~LaunchesScope() {
  try {
    end();
  } catch (...) {  // NOLINT(bugprone-empty-catch)
    // Whoever waits for the results is told.
  }
}

void LaunchesScope::end() {
  if (Device* device = std::exchange(device_, nullptr)) device->end_launches();
}

bool needs_buffers(Device& device) { return !device.host_accessible() || counts_traffic(); }

Launch launch_of(const Step& step, const StepMemory& memory) {
  Launch launch;
  launch.kernel = step.found.kernel;
  launch.code = step.found.code;
  launch.pointers = memory.pointers;
  launch.strides = step.strides;
  launch.extents = step.extents;
  launch.scalars = memory.scalars;
  launch.buffers = memory.buffers;
  launch.scratch_bytes = step.scratch_bytes;
  launch.serial = step.serial;
  launch.interruptible = !memory.overwrites;
  return launch;
}

void launch_step(const Step& step, Device& device, const StepMemory& memory) {
  launch_counted(launch_of(step, memory), device);
}

void launch_counted(const Launch& launch, Device& device) {
  count(Counter::memory_hits);
  device.launch(launch);
  count(Counter::launched);
}

}  // namespace heddle::graph
