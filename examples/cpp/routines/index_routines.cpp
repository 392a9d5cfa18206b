// Picking and writing elements by index, mask and condition.
#include <heddle/index_routines.h>

#include <iostream>

#include <heddle/ufuncs.h>

using namespace heddle;

int main() {
  array a = array{{3, 1, 2}, {6, 5, 4}};
  std::cout << take_along_axis(a, array{{1}, {2}}, 1) << '\n';
  std::cout << argwhere(a > 4) << '\n';
  std::cout << extract(a > 2, a) << '\n';
  std::cout << choose(array{0, 1, 0}, {array{1, 2, 3}, array{10, 20, 30}}) << '\n';

  putmask(a, a < 3, array(0));
  fill_diagonal(a, array(9));
  std::cout << a << '\n';

  const auto where_it_is = unravel_index(array(4), {2, 3});
  std::cout << "element 4 is in row " << where_it_is[0].item<int>() << '\n';
  std::cout << sliding_window_view(arange(5), {3}) << '\n';
  return 0;
}

// Prints:
//   [[1]
//   [1 1]]
//   [3 6 5 4]
//   [ 1 20  3]
//   [[9 0 0]
//   element 4 is in row 1
//   [2 3 4]]
