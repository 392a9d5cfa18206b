// Devices, waiting, and what pending work becomes.
#include <heddle/runtime.h>

#include <iostream>

#include <heddle/creation.h>
#include <heddle/reductions.h>
#include <heddle/ufuncs.h>

using namespace heddle;

int main() {
  std::cout << "on " << default_device_name() << " of " << device_names().size() << " or more\n";
  const array x = arange(1000);
  array total = sum(x * x + 1);
  std::cout << explain(total);
  eval(total);
  std::cout << total << '\n';
  return 0;
}

// Prints:
//   1 kernel for
//   332834500
