#include "radix.cuh"

HEDDLE_RADIX_SORTS(std::uint8_t)
