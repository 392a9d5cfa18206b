// Complex results where real ones do not exist.
#include <heddle/emath.h>

#include <iostream>

#include <heddle/mathematics.h>

using namespace heddle;

int main() {
  std::cout << emath::sqrt(array{-1.0, 4.0}) << ' ' << emath::sqrt(array{1.0, 4.0}) << '\n';
  std::cout << round(emath::log(array{-1.0}), 4) << '\n';
  std::cout << emath::logn(array(2.0), array{4.0, 8.0}) << '\n';
  std::cout << emath::power(array{2, 4}, array(-1)) << '\n';
  return 0;
}

// Prints:
//   [0.+1.j 2.+0.j] [1. 2.]
//   [0.+3.1416j]
//   [2. 3.]
//   [0.5  0.25]
