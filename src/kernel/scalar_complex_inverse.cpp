// Inverse trigonometric and hyperbolic functions of complex numbers. The sums below have no terms
// of opposite signs, so that nothing cancels; T. E. Hull, T. F. Fairgrieve, P. T. P. Tang,
// Implementing the complex arcsine and arccosine functions using exception handling (1997) explains
// why.
#include <cmath>

#include "kernel/scalar_complex.h"

namespace heddle::kernel {

// In the first quadrant, with r = |z + 1|, s = |z - 1| and a = (r + s) / 2:
//   arcsin z = atan(x / sqrt(a^2 - x^2)) + i log(a + sqrt(a^2 - 1))
// The differences a - x and a - 1 are, depending on which side of 1 x is, one of
//   near = (y^2 / (r + x + 1) + s + |x - 1|) / 2
//   far  = (y^2 / (r + x + 1) + y^2 / (s + |x - 1|)) / 2
// and y^2 is kept out of the root of `far`, where it would underflow. `one` is 1 on the scale that
// large numbers are reduced to.
ComplexMath::Arc ComplexMath::arc(Complex z) {
  Lane one = shrinking(z);
  Lane x = l.abs(z.re) * one;
  Lane y = l.abs(z.im) * one;
  Lane y_square = y * y;
  Lane sum = x + one;
  Lane difference = l.abs(x - one);
  Lane r = l.sqrt(l.mad(sum, sum, y_square));
  Lane s = l.sqrt(l.mad(difference, difference, y_square));
  if (!narrow_) s = l.where(difference == 0.0, y, s);  // y^2 may underflow
  Lane a = (r + s) * 0.5;
  Lane r_inverse = 1.0 / (r + sum);
  Lane s_sum = s + difference;
  Lane near = l.mad(y_square, r_inverse, s_sum) * 0.5;
  Lane far = (r_inverse + 1.0 / s_sum) * 0.5;  // but for the factor y^2
  Lane is_inside = x < one;
  Lane near_root = l.sqrt(near * (a + l.where(is_inside, x, one)));
  Lane far_root = y * l.sqrt(far * (a + l.where(is_inside, one, x)));
  Lane excess = l.where(is_inside, l.mad(y_square, far, far_root), near + near_root);
  Lane log = log_sum(one, excess);
  if (!narrow_) log = log + log_of_scale(one);
  Lane infinite = is_infinite(z);
  return {x, l.where(infinite, y, l.where(x <= one, near_root, far_root)),
          l.where(infinite, constant(HUGE_VAL), log)};
}

Complex ComplexMath::arcsin(Complex z) {
  auto [x, root, log] = arc(z);
  Lane re = l.copysign(arctan2(x, root), z.re);
  return {l.where(z.re == 0.0, z.re, re), l.copysign(log, z.im)};
}

Complex ComplexMath::arccos(Complex z) {
  auto [x, root, log] = arc(z);
  Lane re = arctan2(root, l.copysign(x, z.re));
  return {l.where(z.re == 0.0, constant(M_PI_2), re), l.copysign(log, -z.im)};
}

// i arccos(z) or -i arccos(z), the one whose real part is not negative.
Complex ComplexMath::arccosh(Complex z) {
  Complex arc = arccos(z);
  return {l.abs(arc.im), l.copysign(arc.re, z.im)};
}

// W. Kahan's formulas: log1p(4x / ((1 - x)^2 + y^2)) / 4 and atan2(2y, (1 - x)(1 + x) - y^2) / 2.
Complex ComplexMath::arctanh(Complex z) {
  Lane one = shrinking(z);
  Lane x = l.abs(z.re) * one;
  Lane y = z.im * one;
  Lane y_square = y * y;
  Lane difference = one - x;
  Lane ratio = x * one * 4.0 / l.mad(difference, difference, y_square);
  Lane sum = ratio + 1.0;
  // Beside the pole at 1, where y^2 underflows: log(2 / |y|) / 2.
  Lane at_pole = (difference == 0.0) & (l.abs(y) < 0x1p-500);
  Lane log = real(Op::log, l.where(at_pole, l.abs(y), sum));
  Lane usual = (log + (ratio - (sum - 1.0)) / sum) * 0.25;
  Lane re = l.where(at_pole, (M_LN2 - log) * 0.5, usual);
  Lane im = arctan2(y * one * 2.0, l.mad(difference, x + one, -y_square)) * 0.5;
  Lane infinite = is_infinite(z);
  re = l.where(infinite | (x == 0.0), constant(0), re);
  Lane quarter = l.copysign(constant(M_PI_2), z.im);
  return {l.copysign(re, z.re), l.where(infinite & !l.is_nan(z.im), quarter, im)};
}

}  // namespace heddle::kernel
