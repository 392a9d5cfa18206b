#include "radix.cuh"

HEDDLE_RADIX_SORTS(std::uint32_t)
