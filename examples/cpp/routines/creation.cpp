// Making arrays: counted, on grids, as matrices, and the caller's own memory.
#include <heddle/creation.h>

#include <iostream>
#include <vector>

using namespace heddle;

int main() {
  std::cout << linspace(0, 1, 5) << '\n' << geomspace(1, 1000, {.count = 4}) << '\n';
  std::cout << tri(3, 3, 0, Dtype::int64) << '\n';
  std::cout << vander(array{1, 2, 3}, 3) << '\n';

  const auto grid = meshgrid({arange(3), arange(2)});
  std::cout << grid[0] << '\n';
  std::cout << fromfunction([](const auto& at) { return at[0]; }, {2, 2}, Dtype::int64) << '\n';

  std::vector<double> samples{1, 2, 3};
  array shared = alias(std::span(samples));
  shared.assign(7.0);  // lands in the vector
  std::cout << "the vector has " << samples[2] << '\n';
  return 0;
}

// Prints:
//   [0.   0.25 0.5  0.75 1.  ]
//   [   1.   10.  100. 1000.]
//   [1 1 1]]
//   [9 3 1]]
//   [[0 1 2]
//   [1 1]]
//   the vector has 7
