// Uses the installed package: find_package(heddle), one header, one target.
#include <iostream>

#include <heddle/version.h>

int main() {
  std::cout << "heddle " << heddle::version() << '\n';
  return 0;
}
