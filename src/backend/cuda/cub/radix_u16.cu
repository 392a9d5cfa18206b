#include "radix.cuh"

HEDDLE_RADIX_SORTS(std::uint16_t)
