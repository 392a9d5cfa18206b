// Polynomials by their coefficients, the highest degree first.
#include <heddle/polynomial.h>

#include <iostream>

#include <heddle/creation.h>
#include <heddle/mathematics.h>
#include <heddle/ufuncs.h>

using namespace heddle;

int main() {
  const array p = array{1.0, -3.0, 2.0};  // (x - 1) (x - 2)
  std::cout << polyval(p, array{0.0, 1.0, 3.0}) << '\n' << round(roots(p), 6) << '\n';
  std::cout << polymul(p, array{1.0, 1.0}) << ' ' << polyder(p) << '\n';
  const array x = linspace(0, 1, 20);
  std::cout << round(polyfit(x, polyval(p, x), 2), 6) << '\n';
  return 0;
}

// Prints:
//   [2. 0. 2.]
//   [2. 1.]
//   [ 1. -2. -1.  2.] [ 2. -3.]
//   [ 1. -3.  2.]
