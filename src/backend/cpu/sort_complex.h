// Sorting complex numbers, by their real and then imaginary parts, nans last. Elements are their
// bits: one word of 64 bits for two float32, Bits128 for two float64.
#pragma once

#include <cstdint>
#include <span>

namespace heddle::cpu {

struct Bits128 {
  std::uint64_t re, im;
};

// E: std::uint64_t or Bits128. One row, to other memory, on all cores if `parallel` and there is
// enough to do. See Sorting.
template <class E>
void sort_complex(const E* from, E* to, std::int64_t count, bool parallel);
template <class E>
void argsort_complex(const E* from, std::int64_t* positions, std::int64_t count, bool parallel);
template <class E>
void partition_complex(const E* from, E* to, std::int64_t count,
                       std::span<const std::int64_t> ranks, bool parallel);
template <class E>
void argpartition_complex(const E* from, std::int64_t* positions, std::int64_t count,
                          std::span<const std::int64_t> ranks, bool parallel);

// Rows that follow one another, on the calling core.
template <class E>
void sort_complex_rows(const E* from, E* to, std::int64_t rows, std::int64_t length);
template <class E>
void argsort_complex_rows(const E* from, std::int64_t* positions, std::int64_t rows,
                          std::int64_t length);
template <class E>
void argpartition_complex_rows(const E* from, std::int64_t* positions, std::int64_t rows,
                               std::int64_t length, std::span<const std::int64_t> ranks);

}  // namespace heddle::cpu
