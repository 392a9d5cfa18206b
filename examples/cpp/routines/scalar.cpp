// Numbers beside arrays: they take the type of the array, as long as its kind holds them.
#include <heddle/scalar.h>

#include <iostream>

#include <heddle/array.h>
#include <heddle/ufuncs.h>

using namespace heddle;

int main() {
  const array small = {1.f, 2.f};
  const array counts = {1, 2};
  std::cout << name((small * 2.5).dtype()) << ' ' << name((counts * 2).dtype()) << ' '
            << name((counts * 2.5).dtype()) << '\n';
  const Scalar half = 0.5;
  std::cout << maximum(small - 1.5, half) << '\n';
  return 0;
}

// Prints:
//   float32 int32 float64
//   [0.5 0.5]
