// Errors: one type for each of Python's, thrown on the line of the call that is wrong.
#include <heddle/errors.h>

#include <iostream>

#include <heddle/creation.h>
#include <heddle/linalg.h>
#include <heddle/reductions.h>
#include <heddle/ufuncs.h>

using namespace heddle;

int main() {
  try {
    zeros({3}) + zeros({4});
  } catch (const value_error& wrong) {
    std::cout << wrong.what() << '\n';
  }
  try {
    sum(zeros({3}), 1);
  } catch (const axis_error& wrong) {  // a value_error, too
    std::cout << wrong.what() << '\n';
  }
  try {
    linalg::inv(zeros({2, 2}));
  } catch (const error& wrong) {  // all of them are
    std::cout << wrong.what() << '\n';
  }
  return 0;
}

// Prints:
//   add: operands could not be broadcast together with shapes (3,) (4,)
//   sum: axis 1 is out of bounds for array of dimension 1
//   Singular matrix
