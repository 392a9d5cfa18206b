#include "transform/gamma_slope.h"

#include <cmath>
#include <numbers>
#include <vector>

#include "ops/creation.h"
#include "ops/reduction.h"
#include "transform/support.h"
#include <heddle/manipulation.h>

namespace heddle::transform {

namespace {

// Points and weights of Gauss and Legendre between 0 and `end`.
struct Quadrature {
  Quadrature(int count, double end) {
    for (int i = 0; i < count; ++i) {
      double x = std::cos(std::numbers::pi * (i + 0.75) / (count + 0.5)), slope = 1;
      for (int round = 0; round < 8; ++round) {  // Newton's steps, from close by
        double before = 1, here = x;
        for (int n = 2; n <= count; ++n) {
          const double next = ((2 * n - 1) * x * here - (n - 1) * before) / n;
          before = here;
          here = next;
        }
        slope = count * (x * here - before) / (x * x - 1);
        x -= here / slope;
      }
      points.push_back((x + 1) / 2 * end);
      weights.push_back(end / ((1 - x * x) * slope * slope));
    }
  }
  std::vector<double> points, weights;
};

}  // namespace

// With p the density and P its integral to z, dz/da is -(dP/da) / p(z), and so minus the integral
// of (log t - digamma(a)) p(t) / p(z), from 0 to z, or plus the one from z on: the shorter one,
// where nothing cancels. t is z exp(-r) below, and z (1 + r) above; r goes in steps of the width of
// what is added up.
array gamma_slope(const array& a, const array& z) {
  static const auto* rule = new Quadrature(40, 36);
  Device& device = z.device();
  const array x = to_device(array(rule->points), device);
  const array w = to_device(array(rule->weights), device);
  const array is_below = z <= a;
  const array root = sqrt(z);
  const array step = reciprocal(where(is_below, a - z, z - a + 1.0) + root);
  const array difference = log(z) - special::digamma(a);
  const auto spread = [](const array& one) { return expand_dims(one, -1); };
  const array r = spread(step) * x, below = spread(is_below), all_a = spread(a), all_z = spread(z);
  const array s = where(below, r, log1p(r));
  const array exponent =
      where(below, -(all_a * r) - all_z * expm1(-r), (all_a - 1.0) * s - all_z * r);
  const array size = where(below, s - spread(difference), s + spread(difference));
  return z * step * sum(w * size * exp(exponent), -1);
}

}  // namespace heddle::transform
