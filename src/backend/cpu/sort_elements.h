// Sorting elements that have no keys, along any axis; see Sorting.
#pragma once

#include <span>

#include "runtime/sorting.h"

namespace heddle::cpu {

void sort_elements(const Elements& elements, Buffer& sorted);
void argsort_elements(const Elements& elements, Buffer& positions);
void partition_elements(const Elements& elements, std::span<const std::int64_t> ranks,
                        Buffer& partitioned);
void argpartition_elements(const Elements& elements, std::span<const std::int64_t> ranks,
                           Buffer& positions);

}  // namespace heddle::cpu
