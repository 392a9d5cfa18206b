#include "graph/bands.h"

#include "core/at.h"
#include "graph/step_launch.h"
#include "runtime/statistics.h"

namespace heddle::graph {

std::vector<Ref<Buffer>> make_memory(const Bands& bands, Device& device) {
  std::vector<Ref<Buffer>> memory(bands.memory.size());
  for (std::size_t i = 0; i < memory.size(); ++i) {
    if (bands.memory[i].temporary < 0) memory[i] = Buffer::allocate(device, bands.memory[i].bytes);
  }
  return memory;
}

void run_bands(const Bands& bands, std::span<const Step> steps, Device& device,
               std::span<const Ref<Buffer>> memory, const BandInputs& inputs) {
  struct Arguments {
    std::vector<void*> pointers;
    std::vector<Buffer*> buffers;
    std::vector<kernel::ScalarBits> scalars;
  };
  std::vector<Arguments> arguments(bands.steps.size());
  std::vector<BandedLaunch> launches;
  for (std::size_t s = 0; s < bands.steps.size(); ++s) {
    const BandStep& band = bands.steps[s];
    const Step& step = steps[bands.first + s];
    auto& [pointers, buffers, scalars] = arguments[s];
    for (std::size_t i = 0; i < step.slots.size(); ++i) {
      const bool scratch = step.slots[i].kind == SlotSource::Kind::scratch;
      auto [buffer, offset] = inputs.place(s, i);
      if (band.memory[i] >= 0) buffer = memory[at(band.memory[i])].get();
      // What stays inside of the bands has its memory later, and until then no address to add to.
      const auto base = scratch || !buffer ? 0 : reinterpret_cast<std::uintptr_t>(buffer->data());
      pointers.push_back(reinterpret_cast<void*>(base + static_cast<std::uintptr_t>(offset)));
      if (!scratch) buffers.push_back(buffer);
    }
    for (std::size_t i = 0; i < step.scalars.size(); ++i) scalars.push_back(inputs.number(s, i));
    BandedLaunch& made = launches.emplace_back();
    made.launch = launch_of(step, {pointers, scalars, buffers, false});
    made.dim = band.dim;
    made.unit = band.unit;
    made.rows = band.rows;
    made.before = band.before;
    made.after = band.after;
    made.temporaries = band.temporaries;
    made.shifts = band.shifts;
    made.made = band.made;
  }
  dynamic_cast<BandRunner&>(device).launch(
      {launches, bands.temporaries, bands.begin, bands.end, bands.rows});
  count(Counter::memory_hits, launches.size());
  count(Counter::launched, launches.size());
}

}  // namespace heddle::graph
