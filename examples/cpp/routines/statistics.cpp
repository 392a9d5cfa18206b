// Medians and quantiles, averages and covariances, histograms.
#include <heddle/statistics.h>

#include <iostream>
#include <limits>

using namespace heddle;

int main() {
  const array a = array{{1.0, 3.0, 2.0}, {4.0, 6.0, 5.0}};
  std::cout << "median " << median(a).item<double>() << '\n';
  std::cout << median(a, {.axis = 1}) << '\n';
  std::cout << quantile(a, {0.25, 0.75}) << '\n';
  std::cout << "90 % are below " << percentile(a, 90).item<double>() << '\n';
  std::cout << average(array{1.0, 2.0}, array{3.0, 1.0}) << '\n';
  std::cout << cov(a) << '\n';

  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::cout << nanmean(array{1.0, nan, 3.0}) << ' ' << nanmedian(array{1.0, nan, 4.0}) << '\n';

  const auto [counts, edges] = histogram(a, 3);
  std::cout << counts << " in bins from " << edges[0] << " to " << edges[-1] << '\n';
  std::cout << bincount(array{0, 1, 1, 3}) << '\n';
  return 0;
}

// Prints:
//   median 3.5
//   [2. 5.]
//   [2.25 4.75]
//   90 % are below 5.5
//   1.25
//   [[1. 1.]
//   2.0 2.5
//   [2 2 2] in bins from 1.0 to 6.0
//   [1 2 0 1]
