// Index expressions: views, and elements picked by arrays and masks.
#include <heddle/indexing.h>

#include <iostream>

#include <heddle/creation.h>
#include <heddle/ufuncs.h>

using namespace heddle;

int main() {
  array a = arange(12).reshape({3, 4});
  std::cout << a(1) << ' ' << a(Slice{}, -1) << '\n';
  a(Slice{0, 2}, 0) = -1;  // a view is written
  a(a > 9) = 0;            // and what a mask selects
  std::cout << a << '\n' << a(array{2, 0}, 1).get() << '\n';
  std::cout << where(a < 0, 0, a)(0) << '\n' << nonzero(a < 0)[0] << '\n';
  return 0;
}

// Prints:
//   [4 5 6 7] [ 3  7 11]
//   [ 8  9  0  0]]
//   [9 1]
//   [0 1 2 3]
//   [0 1]
