// Element-wise functions and operators: a whole expression is one kernel.
#include <heddle/ufuncs.h>

#include <iostream>

#include <heddle/creation.h>
#include <heddle/runtime.h>

using namespace heddle;

int main() {
  const array x = linspace(0, 1, 5);
  const array y = sqrt(x) * 2 + square(x) - 1;
  std::cout << "waiting: " << std::boolalpha << y.pending() << '\n' << y << '\n';
  std::cout << clip(y, 0, 1) << '\n' << (y > 0) << '\n';
  const auto [quotient, rest] = divmod(array{7, -7}, 3);
  std::cout << quotient << ' ' << rest << '\n' << special::erf(array{0.0}) << '\n';
  return 0;
}

// Prints:
//   waiting: true
//   [-1.
//   [False  True  True  True  True]
//   [ 2 -3] [1 2]
//   [0.]
