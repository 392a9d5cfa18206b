// Comparing arrays as wholes.
#include <heddle/logic.h>

#include <iostream>

#include <heddle/ufuncs.h>

using namespace heddle;

int main() {
  const array a = array{1.0, 2.0}, b = a + 1e-9;
  std::cout << std::boolalpha << "close: " << allclose(a, b) << ", equal: " << array_equal(a, b)
            << '\n';
  std::cout << isclose(a, array{1.0, 2.1}, {.rtol = 0.01}) << '\n';
  std::cout << "views share memory: " << may_share_memory(a, a(Slice{1, {}})) << '\n';
  return 0;
}

// Prints:
//   close: true, equal: false
//   [ True False]
//   views share memory: true
