// What the process has done so far, in numbers. Every thread counts on its own; the sum over all of
// them is made when somebody asks.
#pragma once

#include <cstdint>

#include <heddle/export.h>

namespace heddle {

enum class Counter : std::uint8_t {
  compiled,
  launched,
  memory_hits,
  disk_hits,
  pack_hits,
  bytes_read,  // traffic.h says when
  bytes_written,
  replayed,  // kernels that were run as part of a graph of the device
  kept,      // kernels and calls of libraries that needed no nodes: graph/kept.h
};

struct Statistics {
  std::uint64_t compiled = 0;
  std::uint64_t launched = 0;
  std::uint64_t memory_hits = 0;
  std::uint64_t disk_hits = 0;
  std::uint64_t pack_hits = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t replayed = 0;
  std::uint64_t kept = 0;
};

HEDDLE_API void count(Counter which, std::uint64_t amount = 1);

// Of all threads, also those that have ended, since the last reset.
HEDDLE_API Statistics read_statistics();
HEDDLE_API void reset_statistics();

}  // namespace heddle
