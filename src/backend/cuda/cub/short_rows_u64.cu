#include "short_rows.cuh"

HEDDLE_SHORT_ROWS(std::uint64_t)
