// The version of the library that runs.
#include <heddle/version.h>

#include <iostream>

int main() {
  std::cout << "heddle " << heddle::version() << '\n';
  return 0;
}

// Prints:
//   heddle 0.
