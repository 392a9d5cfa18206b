// Derivatives and batches of ordinary functions, writes included.
#include <heddle/transform.h>

#include <iostream>

#include <heddle/creation.h>
#include <heddle/reductions.h>
#include <heddle/ufuncs.h>

using namespace heddle;

int main() {
  auto f = [](const array& x) {
    array y = zeros_like(x);
    y(Slice{1, {}}) = square(x(Slice{1, {}}));  // the first element does not count
    return sum(y);
  };
  const array x = array{1.0, 2.0, 3.0};
  std::cout << grad(f)(x) << '\n';
  std::cout << vmap(grad(f))(array{{1.0, 2.0}, {3.0, 4.0}}) << '\n';
  std::cout << jit(f)(x) << '\n';
  std::cout << jacobian([](const array& a) { return a * sum(a); })(array{1.0, 2.0}) << '\n';
  std::cout << hvp(f, x, array{1.0, 1.0, 0.0}) << '\n';
  return 0;
}

// Prints:
//   [0. 4. 6.]
//   [[0. 4.]
//   13.0
//   [[4. 1.]
//   [0. 2. 0.]
