#include "short_rows.cuh"

HEDDLE_SHORT_ROWS(std::uint32_t)
