// Types of elements: their names and sizes, what two of them become, what can be cast to what.
#include <heddle/dtype.h>

#include <iostream>

using namespace heddle;

int main() {
  for (const Dtype dtype : {dtype_of<bool>, dtype_of<float>, Dtype::complex128}) {
    std::cout << name(dtype) << " has " << itemsize(dtype) << " bytes\n";
  }
  std::cout << "int64 and float32: " << name(promote_types(Dtype::int64, Dtype::float32)) << '\n';
  std::cout << std::boolalpha
            << "float64 to float32, safely: " << can_cast(Dtype::float64, Dtype::float32)
            << ", within a kind: " << can_cast(Dtype::float64, Dtype::float32, Casting::same_kind)
            << '\n';
  const auto bytes = dispatch(Dtype::int16, []<class T>(T) { return sizeof(T); });
  std::cout << "an int16 is " << bytes << " bytes in C++\n";
  return 0;
}

// Prints:
//   bool has 1 bytes
//   float32 has 4 bytes
//   complex128 has 16 bytes
//   int64 and float32: float64
//   float64 to float32, safely: false, within a kind: true
//   an int16 is 2 bytes in C++
