// OpenBLAS has threads of its own, and calls of it from several threads at once would each want all
// of them. Where the work is a stack of many matrices, each core takes matrices of its own, and
// OpenBLAS works in the thread that calls it.
#pragma once

#include <cstdint>
#include <functional>

namespace heddle::cpu {

// Calls body(first, last) for ranges of [0, count), on all cores where the matrices are many or
// small, else one after the other, with the threads of OpenBLAS for each. `operations` are
// those of one matrix.
void for_each_matrix(std::int64_t count, double operations,
                     const std::function<void(std::int64_t, std::int64_t)>& body);

}  // namespace heddle::cpu
