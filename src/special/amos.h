// xsf's AMOS, whose only use of the heap, for as many numbers as there are orders, is here the
// stack, as devices have no heap worth the name. Orders are one at a time.
#pragma once

#include <cmath>
#include <complex>
#include <cstdlib>
#include <memory>
#include <new>

namespace std {
template <class T>
struct heddle_stack_ptr;
template <class T>
struct heddle_stack_ptr<T[]> {
  T* numbers;
  T* get() const { return numbers; }
  T& operator[](int i) const { return numbers[i]; }
  bool operator==(nullptr_t) const { return numbers == nullptr; }
};
inline void* heddle_at(void* memory) { return memory; }
}  // namespace std

#define unique_ptr heddle_stack_ptr
#define nothrow heddle_at(__builtin_alloca(4 * sizeof(std::complex<double>)))
#include <xsf/amos/amos.h>
#undef nothrow
#undef unique_ptr
