// Convolution with channels, as neural networks have it.
#include <heddle/convolution.h>

#include <iostream>

#include <heddle/creation.h>

using namespace heddle;

int main() {
  const array image = arange(0, 9, 1, Dtype::float32).reshape({1, 3, 3, 1});
  const array kernel = ones({2, 2, 1, 1}, Dtype::float32);  // sums of windows
  std::cout << conv(image, kernel).reshape({2, 2}) << '\n';
  std::cout << conv(image, kernel, {.strides = {2, 2}, .before = {1, 1}}).reshape({2, 2}) << '\n';
  return 0;
}

// Prints:
//   [[ 8. 12.]
//   [20. 24.]]
//   [[ 0.  3.]
//   [ 9. 24.]]
