// Series of polynomials: values by the recurrence of the family, arithmetic, calculus, quadrature.
#include <heddle/series.h>

#include <iostream>

#include <heddle/creation.h>
#include <heddle/mathematics.h>
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
  // T1 T2 = (T1 + T3) / 2, its derivative, and the same in powers of x.
  const array product = polynomial::chebmul({0.0, 1.0}, {0.0, 0.0, 1.0});
  std::cout << product << ' ' << polynomial::chebder(product) << ' '
            << polynomial::cheb2poly(product) << '\n';
  std::cout << round(polynomial::lagroots(polynomial::lagfromroots({1.0, 3.0})), 6) << '\n';
  const array points = linspace(-1, 1, 50);
  std::cout << round(polynomial::legfit(points, polynomial::legval(points, c), 3), 6) << '\n';
  const auto [nodes, weights] = polynomial::leggauss(3);  // of x^4 over [-1, 1]: 2 / 5
  std::cout << round(sum(weights * power(nodes, 4)), 12) << '\n';
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
//   [0.  0.5 0.  0.5] [2. 0. 3.] [ 0. -1.  0.  2.]
//   [1. 3.]
//   [1.  0.  0.5 0. ]
//   0.4
