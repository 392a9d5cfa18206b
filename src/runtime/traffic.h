// How many bytes kernels and calls of libraries read and write. Counted where the environment has
// HEDDLE_COUNT_BYTES, for measurements: it takes about as long as a small launch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <heddle/export.h>

namespace heddle {

struct Launch;
struct BandedLaunches;

// From the first to the last byte of what is reached, and how many bytes of these are touched.
struct Touched {
  std::uintptr_t begin = 0, end = 0;
  std::uint64_t bytes = 0;
};

// What ranges touch together, at most all of what lies between the ends of those that overlap.
HEDDLE_API std::uint64_t bytes_of(std::vector<Touched> ranges);

// What a kernel reads and writes. Memory that several slots read, shifted against one another say,
// counts once; scratch does not count, as it stays in the caches.
struct Traffic {
  std::vector<Touched> read, written;
  // At places that only the kernel knows: one element for each index, however often, at most all of
  // the memory where it is known how much that is.
  std::vector<Touched> gathered, scattered;

  void add(const Traffic& other);
  std::uint64_t bytes_read() const;
  std::uint64_t bytes_written() const;
};
// Only the kernel, the pointers, the strides and the extents of the launch are looked at. Where it
// is known which memory each slot lies in, what is beyond that does not count: guards keep it from
// being read. `band`: what is written and read while it is in the caches does not count, either.
struct BandSlots {
  std::span<const std::int32_t> temporaries;
  std::span<const std::uint8_t> made;
};
HEDDLE_API Traffic traffic_of(const Launch& launch, std::span<const Touched> memory = {},
                              const BandSlots& band = {});

HEDDLE_API bool counts_traffic();
HEDDLE_API void count_traffic(const Launch& launch);
// What several kernels of a band read counts once.
HEDDLE_API void count_traffic(const BandedLaunches& launches);

}  // namespace heddle
