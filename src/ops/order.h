// NumPy's order of every type as the order of unsigned integers, which is what devices sort
// (runtime/sorting.h): ascending, nan last, complex numbers by their real and then imaginary parts.
#pragma once

#include <optional>
#include <utility>

#include "runtime/sorting.h"
#include <heddle/array.h>

namespace heddle {

enum class Zeros : std::uint8_t {
  distinct,  // -0.0 before 0.0: the keys tell them apart, and values_of brings them back
  equal,     // as they compare; all nans are equal, too
};

// Keys of the elements, as wide as they are, dense in C order and in memory of their own. Real
// types; complex64 has keys of 8 bytes where zeros are equal.
array keys_of(const array& a, Zeros zeros);
// The elements whose keys with distinct zeros these are.
array values_of(const array& keys, Dtype dtype);

// Keys that may be narrower than the elements, and the way back.
struct SortKeys {
  SortKeys(const array& a, Zeros zeros);
  array values(const array& sorted) const;  // sorted: all keys or some, in any order

  array keys;

 private:
  Dtype dtype_;
  std::optional<std::uint64_t> least_;  // 64-bit integers: what the keys count from
};

// How the bits of a type, or of the parts of a complex one, become the keys where zeros are equal.
KeyMap key_map(Dtype dtype);

// Keys of complex numbers in two parts: the order is that of the first, then that of the second.
std::pair<array, array> complex_keys(const array& a);

}  // namespace heddle
