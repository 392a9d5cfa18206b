// How many bytes kernels and calls of libraries read and write. Counted where the environment has
// HEDDLE_COUNT_BYTES, for measurements: it takes about as long as a small launch.
#pragma once

#include <cstdint>

#include <heddle/export.h>

namespace heddle {

struct Launch;

HEDDLE_API bool counts_traffic();

// Memory that several slots of a kernel read, shifted against one another say, counts once; scratch
// does not count, as it stays in the caches.
HEDDLE_API void count_traffic(const Launch& launch);

}  // namespace heddle
