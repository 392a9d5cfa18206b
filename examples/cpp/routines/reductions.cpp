// Reductions over axes, running results, and those that leave nans out.
#include <heddle/reductions.h>

#include <iostream>
#include <limits>

using namespace heddle;

int main() {
  const array a = array{{1, 2, 3}, {4, 5, 6}};
  std::cout << sum(a) << ' ' << sum(a, 0) << ' ' << max(a, {.axis = 1, .keepdims = true}) << '\n';
  std::cout << mean(a, 1) << ' ' << argmax(a, 1) << '\n';
  std::cout << cumsum(a, 1) << '\n';
  std::cout << cumulative_sum(array{1, 2}, {.include_initial = true}) << '\n';
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::cout << nansum(array{1.0, nan}) << ' ' << nanmax(array{1.0, nan}) << '\n';
  return 0;
}

// Prints:
//   21 [5 7 9] [[3]
//   [2. 5.] [2 2]
//   [ 4  9 15]]
//   [0 1 3]
//   1.0 1.0
