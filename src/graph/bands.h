// Bands: which steps of a program run together, some rows at a time (runtime/bands.h). A chain of
// stencils, or the levels of columns, leaves values in between that are larger than the caches; the
// kernels stay as they are, but each is called for the rows that are in the caches just now. Rows
// are places along the first axis, or the first axes, of all that the steps make.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "graph/program.h"
#include "runtime/bands.h"

namespace heddle::graph {

struct BandStep {
  std::size_t dim = 0;
  std::int64_t unit = 1, rows = 0, before = 0, after = 0;  // as in BandedLaunch
  std::vector<std::int32_t> memory;   // per slot: what the steps make; -1: what was there before
  std::vector<std::int32_t> outputs;  // per output of the step
  std::vector<std::int32_t> updates;  // per update of the step
  std::vector<std::int32_t> temporaries;  // per slot
  std::vector<std::int64_t> shifts;       // per slot
  std::vector<std::uint8_t> made;         // per slot
};

// Memory that the steps make, for one value or for updates one upon another.
struct BandMemory {
  std::size_t bytes = 0;
  std::int32_t temporary = -1;  // -1: others need it, too
};

struct Bands {
  std::size_t first = 0;  // of the steps
  std::vector<BandStep> steps;
  std::vector<BandMemory> memory;
  std::vector<BandTemporary> temporaries;
  std::int64_t begin = 0, end = 0, rows = 1;  // as in BandedLaunches
  std::uint64_t saved = 0;                    // bytes that are not written, or not read
};

// Looks for steps that had better run together, and puts some that are independent of these before
// them; `groups`, which belong to the steps, likewise.
std::vector<Bands> find_bands(const Collected& graph, std::vector<Step>& steps,
                              std::vector<std::int32_t>& groups);

// Memory for what others need of what the steps make; null for temporaries.
std::vector<Ref<Buffer>> make_memory(const Bands& bands, Device& device);

// Where what a slot reads lies that was there before, and the numbers of a step.
struct BandInputs {
  struct Place {
    Buffer* buffer;
    std::int64_t offset;  // bytes
  };
  std::function<Place(std::size_t step, std::size_t slot)> place;
  std::function<kernel::ScalarBits(std::size_t step, std::size_t scalar)> number;
};
void run_bands(const Bands& bands, std::span<const Step> steps, Device& device,
               std::span<const Ref<Buffer>> memory, const BandInputs& inputs);

}  // namespace heddle::graph
