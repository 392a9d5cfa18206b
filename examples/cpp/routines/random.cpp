// Random numbers: the streams of NumPy's Philox, on every device.
#include <heddle/random.h>

#include <iostream>

#include <heddle/reductions.h>
#include <heddle/ufuncs.h>

using namespace heddle;

int main() {
  random::Generator rng(7), same(7);
  const array noise = rng.normal(0, 2, {{100'000}});
  std::cout << std::boolalpha
            << "the same again: " << all(noise == same.normal(0, 2, {{100'000}})).item<bool>()
            << '\n';
  std::cout << "spread " << rint(stddev(noise)) << '\n';
  std::cout << "dice from " << min(rng.integers(1, 7, {1000})) << " to "
            << max(rng.integers(1, 7, {1000})) << '\n';
  return 0;
}

// Prints:
//   the same again: true
//   spread 2.0
//   dice from 1 to 6
