// Unique elements, and unions, intersections and differences.
#include <heddle/sets.h>

#include <iostream>

using namespace heddle;

int main() {
  const array a = array{3, 1, 3, 2}, b = array{2, 3, 5};
  const auto [values, counts] = unique_counts(a);
  std::cout << values << " are there " << counts << " times\n";
  std::cout << union1d(a, b) << ' ' << intersect1d(a, b) << ' ' << setdiff1d(a, b) << ' '
            << setxor1d(a, b) << '\n';
  std::cout << isin(a, b) << '\n';
  return 0;
}

// Prints:
//   [1 2 3] are there [1 1 2] times
//   [1 2 3 5] [2 3] [1] [1 5]
//   [ True False  True  True]
