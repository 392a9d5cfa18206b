// Who runs BLAS and LAPACK on several cores. OpenBLAS has threads of its own, which wait by
// spinning: a second pool of them, such as NumPy's, takes their cores from them for milliseconds.
// So work that falls into independent pieces is shared among our own threads, each calling OpenBLAS
// to work in the thread that calls it: stacks of many matrices, and products with vectors. Only
// what OpenBLAS divides better itself, products and factorisations of large matrices, runs on its
// threads.
#pragma once

#include <cstdint>
#include <functional>

namespace heddle::cpu {

// Calls body(first, last) for ranges of [0, count), on all cores where the matrices are many or
// small, else one after the other, with the threads of OpenBLAS for each. `operations` are
// those of one matrix.
void for_each_matrix(std::int64_t count, double operations,
                     const std::function<void(std::int64_t, std::int64_t)>& body);

// Into how many parts to cut work that is to read so many bytes.
std::int64_t vector_parts(double bytes);

// Calls body(part) for each part, on all cores, with one thread of OpenBLAS.
void for_each_part(std::int64_t parts, const std::function<void(std::int64_t)>& body);

}  // namespace heddle::cpu
