// Shapes, joining, splitting, repeating, padding and editing.
#include <heddle/manipulation.h>

#include <iostream>

#include <heddle/creation.h>

using namespace heddle;

int main() {
  const array a = arange(6).reshape({2, 3});
  std::cout << vstack({a, array{7, 8, 9}}) << '\n';
  std::cout << block({{a, a}, {ones({1, 6}, Dtype::int64)}}).shape(0) << " rows of blocks\n";
  for (const array& part : split(a, {1}, 1)) std::cout << "a part of " << part.size() << '\n';

  std::cout << tile(array{1, 2}, {2}) << '\n';
  std::cout << repeat(array{1, 2, 3}, array{0, 1, 2}) << '\n';
  std::cout << pad(array{1, 2, 3}, 2, PadMode::reflect) << '\n';
  std::cout << rot90(a) << '\n';
  std::cout << insert(array{1, 2, 3}, 1, array{9}) << '\n';
  std::cout << delete_(arange(6), Slice{1, {}, 2}) << '\n';
  return 0;
}

// Prints:
//   [7 8 9]]
//   3 rows of blocks
//   a part of 2
//   a part of 4
//   [1 2 1 2]
//   [2 3 3]
//   [3 2 1 2 3 2 1]
//   [[2 5]
//   [1 9 2 3]
//   [0 2 4]
