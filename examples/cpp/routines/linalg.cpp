// Linear algebra: systems, factorisations, norms.
#include <heddle/linalg.h>

#include <iostream>

#include <heddle/errors.h>

using namespace heddle;

int main() {
  const array a = array{{4.0, 1.0}, {2.0, 3.0}};
  std::cout << linalg::solve(a, array{1.0, 2.0}) << '\n';
  std::cout << "determinant " << round(linalg::det(a), 6) << '\n';
  std::cout << round(linalg::eigvals(a), 6) << '\n';
  std::cout << linalg::lu(array{{1.0, 2.0}, {4.0, 4.0}}).factors << '\n';
  std::cout << linalg::solve_triangular(a, array{{4.0}, {8.0}}, true) << '\n';
  std::cout << linalg::matrix_power(a, 2) << '\n';
  std::cout << linalg::vector_norm(array{{3.0, 4.0}, {6.0, 8.0}}, 2, 1) << '\n';
  std::cout << "rank " << linalg::matrix_rank(array{{1.0, 2.0}, {2.0, 4.0}}).item<int>() << '\n';
  try {
    linalg::inv(array{{1.0, 2.0}, {2.0, 4.0}});
  } catch (const linalg_error& e) {
    std::cout << "error: " << e.what() << '\n';
  }
  return 0;
}

// Prints:
//   [0.1 0.6]
//   determinant 10.0
//   [0.25 1.  ]]
//   [[1.]
//   [2.]]
//   [14. 11.]]
//   [ 5. 10.]
//   rank 1
//   error: Singular matrix
