// Random numbers: the streams of NumPy's Philox, on every device.
#include <heddle/random.h>

#include <iostream>

#include <heddle/creation.h>
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
  const array shares = rng.dirichlet({1.0, 2.0, 3.0}, {5});
  std::cout << "shares of " << shares.shape()[1] << " sum to " << rint(sum(shares, 1)) << '\n';
  const array seats = rng.multinomial(100, {0.5, 0.3, 0.2}, {{4}});
  std::cout << "seats " << sum(seats, 1) << '\n';
  const std::int64_t colors[] = {3, 4, 5};
  std::cout << "marbles " << sum(rng.multivariate_hypergeometric(colors, 6)) << '\n';
  const array pairs = rng.multivariate_normal({0.0, 10.0}, {{1.0, 0.5}, {0.5, 1.0}}, {100'000});
  std::cout << "means " << rint(mean(pairs, 0)) + 0.0 << '\n';
  std::cout << "rows " << sum(rng.permuted(arange(6).reshape({2, 3}), 1), 1) << '\n';
  return 0;
}

// Prints:
//   the same again: true
//   spread 2.0
//   dice from 1 to 6
//   shares of 3 sum to [1. 1. 1. 1. 1.]
//   seats [100 100 100 100]
//   marbles 6
//   means [ 0. 10.]
//   rows [ 3 12]
