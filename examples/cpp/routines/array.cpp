// Arrays: elements that come and go, views, and what is written through them.
#include <heddle/array.h>

#include <iostream>
#include <vector>

using namespace heddle;

int main() {
  array x = {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}};
  std::cout << x.ndim() << " dimensions, " << x.size() << " elements of " << name(x.dtype())
            << '\n';

  // A view shares the elements, a copy does not.
  const array before = x.copy();
  array column = x.T()[1];
  column *= 10;
  x(0, Slice{}) = 0;
  std::cout << x << '\n' << before << '\n';

  // Nothing is computed before somebody looks.
  array later = x.reshape({-1});
  later = later.astype(Dtype::int32);
  for (const int element : later.to_vector<int>()) std::cout << element << ' ';
  std::cout << "\nthe last: " << later[-1].item<int>() << '\n';
  return 0;
}

// Prints:
//   2 dimensions, 6 elements of float64
//   [[ 0.  0.  0.]
//    [ 4. 50.  6.]]
//   [[1. 2. 3.]
//    [4. 5. 6.]]
//   0 0 0 4 50 6
//   the last: 6
