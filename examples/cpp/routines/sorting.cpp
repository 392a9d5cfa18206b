// Sorting, searching and partitioning.
#include <heddle/sorting.h>

#include <iostream>

using namespace heddle;

int main() {
  const array a = array{30, 10, 20, 40};
  std::cout << sort(a) << ' ' << argsort(a) << '\n';
  const auto [best, places] = topk(a, 2);
  std::cout << best << " at " << places << '\n';
  std::cout << lexsort({array{2, 1, 2}, array{1, 1, 0}}) << '\n';
  std::cout << searchsorted(sort(a), array{15, 40}) << '\n';
  return 0;
}

// Prints:
//   [10 20 30 40] [1 2 0 3]
//   [40 30] at [3 0]
//   [2 1 0]
//   [1 3]
