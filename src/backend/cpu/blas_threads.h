// Who runs BLAS and LAPACK on several cores. OpenBLAS has threads of its own, which wait by
// spinning: a second pool of them, such as NumPy's, takes their cores from them for milliseconds.
// So work that falls into independent pieces is shared among our own threads, each calling OpenBLAS
// to work in the thread that calls it: products, and stacks of many matrices. Only what OpenBLAS
// has to divide itself, factorisations of large matrices, runs on its threads.
#pragma once

#include <cstdint>
#include <functional>

namespace heddle::cpu {

// Around calls of OpenBLAS: on how many threads it works. Several callers at a time are welcome. A
// call that is to work on one thread uses several while another caller's work does: nobody waits.
class BlasScope {
 public:
  enum class Threads : std::uint8_t { one, several };
  explicit BlasScope(Threads threads);
  ~BlasScope();
  BlasScope(const BlasScope&) = delete;
  BlasScope& operator=(const BlasScope&) = delete;
};

// Threads for routines that turn a matrix of n rows step by step, each a product with a vector:
// below a size OpenBLAS's threads wait for one another longer than they work.
BlasScope::Threads threads_by_steps(std::int64_t n);

// Whether for_each_matrix does several matrices at the same time.
bool is_worth_sharing(std::int64_t count, double operations);

// Calls body(first, last) for ranges of [0, count), on all cores where the matrices are many or
// small, else one after the other, with `threads` of OpenBLAS for each. `operations` are those of
// one matrix.
void for_each_matrix(std::int64_t count, double operations,
                     const std::function<void(std::int64_t, std::int64_t)>& body,
                     BlasScope::Threads threads = BlasScope::Threads::several);

// Into how many parts to cut work that is to read so many bytes.
std::int64_t vector_parts(double bytes);

// Calls body(part) for each part, on all cores, with one thread of OpenBLAS.
void for_each_part(std::int64_t parts, bool interruptible,
                   const std::function<void(std::int64_t)>& body);

}  // namespace heddle::cpu
