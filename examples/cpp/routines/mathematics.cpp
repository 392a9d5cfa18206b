// Differences and integrals, interpolation and convolution, rounding, windows, bits.
#include <heddle/mathematics.h>

#include <iostream>

#include <heddle/creation.h>
#include <heddle/ufuncs.h>

using namespace heddle;

int main() {
  const array x = linspace(0, 4, 5), y = x * x;
  std::cout << diff(y) << '\n' << gradient(y)[0] << '\n';
  std::cout << "integral " << trapezoid(y, x).item<double>() << '\n';
  std::cout << interp(array{0.5, 2.5, 9.0}, x, y) << '\n';
  std::cout << convolve(array{1, 2, 3}, array{1, 1}) << '\n';
  std::cout << cross(array{1, 0, 0}, array{0, 1, 0}) << '\n';
  std::cout << round(array{1.25, 2.675}, 1) << '\n';
  std::cout << hanning(5) << '\n';
  std::cout << unpackbits(array(std::vector<std::uint8_t>{5})) << '\n';
  return 0;
}

// Prints:
//   [1. 3. 5. 7.]
//   [1. 2. 4. 6. 7.]
//   integral 22
//   [ 0.5  6.5 16. ]
//   [1 3 5 3]
//   [0 0 1]
//   [1.2 2.7]
//   [0.  0.5 1.  0.5 0. ]
//   [0 0 0 0 0 1 0 1]
