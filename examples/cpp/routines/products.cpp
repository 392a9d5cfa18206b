// Products of vectors and matrices, and Einstein's sums.
#include <heddle/products.h>

#include <iostream>

using namespace heddle;

int main() {
  const array a = array{{1.0, 2.0}, {3.0, 4.0}}, x = array{1.0, -1.0};
  std::cout << matmul(a, a) << '\n' << dot(a, x) << '\n';
  std::cout << einsum("i,ij,j->", {x, a, x}) << '\n';
  std::cout << einsum("ij->j", {a}) << '\n';
  std::cout << kron(x, array{1.0, 2.0}) << '\n';
  std::cout << "trace " << trace(a).item<double>() << '\n';
  return 0;
}

// Prints:
//   [15. 22.]]
//   [-1. -1.]
//   0.0
//   [4. 6.]
//   [ 1.  2. -1. -2.]
//   trace 5
