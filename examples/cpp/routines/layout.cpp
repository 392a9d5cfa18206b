// How elements lie in memory: shapes, strides, and what broadcasting makes of them.
#include <heddle/layout.h>

#include <iostream>

#include <heddle/creation.h>

using namespace heddle;

int main() {
  const array a = arange(12).reshape({3, 4});
  const Layout every_second = a(Slice{}, Slice{1, 4, 2}).layout();
  std::cout << "shape " << to_string(every_second.shape) << ", strides "
            << to_string(every_second.strides) << ", from " << every_second.offset << '\n';
  std::cout << "in C order: " << is_c_contiguous(a.layout())
            << ", transposed: " << is_c_contiguous(a.T().layout()) << '\n';
  std::cout << to_string(broadcast_shapes("add", {3, 1}, {4})) << '\n';
  // A view can be reshaped without a copy where the elements still have strides.
  std::cout << reshape_layout(a.layout(), {2, 6}).has_value() << ' '
            << reshape_layout(a.T().layout(), {2, 6}).has_value() << '\n';
  return 0;
}

// Prints:
//   shape (3,2), strides (4,2), from 1
//   in C order: 1, transposed: 0
//   (3,4)
//   1 0
