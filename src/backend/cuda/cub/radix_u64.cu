#include "radix.cuh"

HEDDLE_RADIX_SORTS(std::uint64_t)
