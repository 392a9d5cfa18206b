#include "graph/step_launch.h"

#include "runtime/statistics.h"
#include "runtime/traffic.h"
#include <heddle/errors.h>

namespace heddle::graph {

LaunchesScope::~LaunchesScope() {
  if (!device_) return;
  try {
    device_->end_launches();
  } catch (const error&) {  // NOLINT(bugprone-empty-catch)
    // The device has failed. The next call that waits for results says so.
  }
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
  count(Counter::memory_hits);
  device.launch(launch_of(step, memory));
  count(Counter::launched);
}

}  // namespace heddle::graph
