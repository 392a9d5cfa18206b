// Special functions: element-wise ones of the table, and those composed of them.
#include <heddle/special.h>

#include <iostream>

#include <heddle/creation.h>

using namespace heddle;

int main() {
  const array x{0.5, 1.0, 2.0};
  std::cout << heddle::round(special::erf(x), 6) << '\n';
  // Bessel functions and their derivatives: J0' = -J1.
  std::cout << heddle::round(absolute(special::jvp(array(0), x) + special::j1(x)), 6) << '\n';
  std::cout << heddle::round(absolute(special::spherical_jn(array(0), x) - sin(x) / x), 6) << '\n';
  // Counting.
  std::cout << special::comb(array{4, 5}, array(2)) << ' ' << special::factorial(array{3, 4})
            << '\n';
  // Sums of exponentials that no type holds.
  const array scores{1000.0, 1000.0, 999.0};
  std::cout << special::logsumexp(scores) << ' ' << heddle::round(special::softmax(scores), 4)
            << '\n';
  std::cout << heddle::round(special::zeta(array{2.0, 4.0}), 6) << '\n';
  return 0;
}

// Prints:
//   [0.5205   0.842701 0.995322]
//   [0. 0. 0.]
//   [0. 0. 0.]
//   [ 6. 10.] [ 6. 24.]
//   1000.8619948 [0.4223 0.4223 0.1554]
//   [1.644934 1.082323]
