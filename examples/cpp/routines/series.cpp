// Series of polynomials: values by the recurrence of the family.
#include <heddle/series.h>

#include <iostream>

#include <heddle/products.h>
#include <heddle/ufuncs.h>

using namespace heddle;

int main() {
  const array x{-1.0, 0.0, 0.5, 1.0}, c{1.0, 0.0, 0.5};
  std::cout << polynomial::polyval(x, c) << '\n';  // 1 + x^2 / 2
  std::cout << polynomial::chebval(x, c) << '\n';  // 1 + T2(x) / 2
  std::cout << polynomial::hermval(x, c) << '\n';
  const array matrix = polynomial::legvander(x, 2);  // P0, P1, P2 at each x
  std::cout << matrix << '\n';
  std::cout << matmul(matrix, c) - polynomial::legval(x, c) << '\n';
  return 0;
}

// Prints:
//   [1.5   1.    1.125 1.5  ]
//   [1.5  0.5  0.75 1.5 ]
//   [2.  0.  0.5 2. ]
//   [[ 1.    -1.     1.   ]
//    [ 1.     0.    -0.5  ]
//    [ 1.     0.5   -0.125]
//    [ 1.     1.     1.   ]]
//   [0. 0. 0. 0.]
