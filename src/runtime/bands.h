// Kernels that follow one another, run band by band: each does some rows of its domain, then the
// next one those that are ready for it, and so on over all rows. What they hand to one another is
// read while it is in the caches, and what nobody else needs never is memory.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/device.h"

namespace heddle {

// What a kernel leaves to others of the same bands, and to nobody else. Each thread has its own.
struct BandTemporary {
  std::int64_t pitch = 0;  // bytes of a row
  // While rows [t, u) are worked on, [t + before, u + after) of it are there.
  std::int64_t before = 0, after = 0;
  std::int64_t capacity = 0;  // rows that a thread has room for
  bool ring = false;          // row r is at place r % capacity; else rows follow one another
};

struct BandedLaunch {
  // Over all rows. The pointers of temporaries are offsets, and their buffers null.
  Launch launch;
  std::size_t dim = 0;    // the kept dimension that goes from row to row,
  std::int64_t unit = 1;  // with so many indices for each row
  std::int64_t rows = 0;
  // When rows [t, u) are worked on, [t + before, u + after) of its own have been computed.
  std::int64_t before = 0, after = 0;
  std::span<const std::int32_t> temporaries;  // per slot; -1: memory
  std::span<const std::int64_t> shifts;       // per slot: which row of it belongs to row 0
  std::span<const std::uint8_t> made;         // per slot: whether one of the kernels makes it
};

struct BandedLaunches {
  std::span<const BandedLaunch> launches;
  std::span<const BandTemporary> temporaries;
  std::int64_t begin = 0, end = 0;  // rows
  std::int64_t rows = 1;            // of a band
};

// A device that can do that, beside being a Device.
class BandRunner {
 public:
  BandRunner() = default;
  virtual ~BandRunner() = default;
  BandRunner(const BandRunner&) = delete;
  BandRunner& operator=(const BandRunner&) = delete;

  virtual void launch(const BandedLaunches& launches) = 0;
};

}  // namespace heddle
