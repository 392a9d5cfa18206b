// Mathematics that the C library has not: inverses of error functions, Bessel functions, norms.
#pragma once

HEDDLE_INLINE double nan(const char*) { return __builtin_nan(""); }
HEDDLE_INLINE float nanf(const char*) { return __builtin_nanf(""); }
HEDDLE_INLINE double scalbln(double x, long by) {
  return scalbn(x, (int)(by > 100000 ? 100000 : by < -100000 ? -100000 : by));
}
HEDDLE_INLINE float scalblnf(float x, long by) {
  return scalbnf(x, (int)(by > 100000 ? 100000 : by < -100000 ? -100000 : by));
}
HEDDLE_INLINE float jnf(int n, float x) { return (float)jn(n, (double)x); }
HEDDLE_INLINE float ynf(int n, float x) { return (float)yn(n, (double)x); }

// --- lengths, whose squares may be out of range ---
HEDDLE_INLINE double norm3d(double x, double y, double z) { return hypot(hypot(x, y), z); }
HEDDLE_INLINE double norm4d(double x, double y, double z, double w) {
  return hypot(hypot(x, y), hypot(z, w));
}
HEDDLE_INLINE double norm(int n, const double* x) {
  double made = 0;
  for (int i = 0; i < n; ++i) made = hypot(made, x[i]);
  return made;
}
HEDDLE_INLINE float norm3df(float x, float y, float z) { return (float)norm3d(x, y, z); }
HEDDLE_INLINE float norm4df(float x, float y, float z, float w) { return (float)norm4d(x, y, z, w); }
HEDDLE_INLINE float normf(int n, const float* x) {
  double squares = 0;
  for (int i = 0; i < n; ++i) squares += (double)x[i] * x[i];
  return (float)sqrt(squares);
}
HEDDLE_INLINE double rnorm3d(double x, double y, double z) { return 1 / norm3d(x, y, z); }
HEDDLE_INLINE double rnorm4d(double x, double y, double z, double w) { return 1 / norm4d(x, y, z, w); }
HEDDLE_INLINE double rnorm(int n, const double* x) { return 1 / norm(n, x); }
HEDDLE_INLINE float rnorm3df(float x, float y, float z) { return (float)rnorm3d(x, y, z); }
HEDDLE_INLINE float rnorm4df(float x, float y, float z, float w) { return (float)rnorm4d(x, y, z, w); }
HEDDLE_INLINE float rnormf(int n, const float* x) { return 1 / normf(n, x); }

// --- error functions ---
HEDDLE_INLINE double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
HEDDLE_INLINE float normcdff(float x) { return (float)normcdf((double)x); }
// Where exp(x^2) is large: the continued fraction of Laplace.
HEDDLE_INLINE double erfcx(double x) {
  if (x < 8) {
    const double square = x * x;
    return exp(square) * erfc(x) * (1 + fma(x, x, -square));
  }
  double rest = x;
  for (int k = 20; k > 0; --k) rest = x + 0.5 * k / rest;
  return 0.56418958354775628695 / rest;
}
HEDDLE_INLINE float erfcxf(float x) { return (float)erfcx((double)x); }

// The y of erfc(y) = small, for small up to 1 and y not negative: an approximation (Giles, 2012;
// far out the first terms of the asymptotic series, solved by iteration), and steps of Halley's.
HEDDLE_INLINE double __heddle_erfc_inverse(double small) {
  double w = -log(small * (2 - small)), y;
  if (w < 5) {
    w -= 2.5;
    y = 2.81022636e-08;
    y = y * w + 3.43273939e-07;
    y = y * w - 3.5233877e-06;
    y = y * w - 4.39150654e-06;
    y = y * w + 0.00021858087;
    y = y * w - 0.00125372503;
    y = y * w - 0.00417768164;
    y = y * w + 0.246640727;
    y = y * w + 1.50140941;
    y *= 1 - small;
  } else {
    y = sqrt(w);
    for (int i = 0; i < 4; ++i) y = sqrt(-log(small * 1.77245385090551602730 * y) + log(1 - 0.5 / (y * y)));
  }
  for (int i = 0; i < 2; ++i) {
    const double step = (erfc(y) - small) / (-1.12837916709551257390 * exp(-y * y));
    y -= step / (1 + y * step);
  }
  return y;
}
HEDDLE_INLINE double erfinv(double x) {
  const double size = fabs(x);
  if (!(size < 1)) return size == 1 ? copysign(__builtin_inf(), x) : __builtin_nan("");
  if (size >= 0.5) return copysign(__heddle_erfc_inverse(1 - size), x);
  if (size < 1e-8) return x * 0.88622692545275801365;  // the rest of the series is lost
  double y = __heddle_erfc_inverse(1 - size);
  for (int i = 0; i < 2; ++i) {  // erf itself is exact near 0
    const double step = (erf(y) - size) / (1.12837916709551257390 * exp(-y * y));
    y -= step / (1 + y * step);
  }
  return copysign(y, x);
}
HEDDLE_INLINE double erfcinv(double x) {
  if (!(x > 0 && x < 2)) return x == 0 ? __builtin_inf() : x == 2 ? -__builtin_inf() : __builtin_nan("");
  if (x >= 0.5 && x <= 1.5) return erfinv(1 - x);
  return x < 1 ? __heddle_erfc_inverse(x) : -__heddle_erfc_inverse(2 - x);
}
HEDDLE_INLINE double normcdfinv(double x) { return 0 - 1.41421356237309504880 * erfcinv(2 * x); }
HEDDLE_INLINE float erfinvf(float x) { return (float)erfinv((double)x); }
HEDDLE_INLINE float erfcinvf(float x) { return (float)erfcinv((double)x); }
HEDDLE_INLINE float normcdfinvf(float x) { return (float)normcdfinv((double)x); }

// --- Bessel functions: the power series, and far out the asymptotic one ---
HEDDLE_INLINE double __heddle_bessel_i(int order, double x) {
  const double size = fabs(x);
  double term = 1, sum = 1;
  if (size < 20) {
    const double square = 0.25 * x * x;
    for (int k = 1; k < 80 && term > 1e-18 * sum; ++k) {
      term *= square / (k * (double)(k + order));
      sum += term;
    }
    return order == 0 ? sum : 0.5 * x * sum;
  }
  for (int k = 1; k < 30; ++k) {
    term *= ((2 * k - 1) * (2 * k - 1) - 4.0 * order * order) / (8 * k * size);
    sum += term;
  }
  const double half = exp(0.5 * size);
  const double made = half * (half * (sum / sqrt(6.28318530717958647693 * size)));
  return order == 1 && x < 0 ? -made : made;
}
HEDDLE_INLINE double cyl_bessel_i0(double x) { return __heddle_bessel_i(0, x); }
HEDDLE_INLINE double cyl_bessel_i1(double x) { return __heddle_bessel_i(1, x); }
HEDDLE_INLINE float cyl_bessel_i0f(float x) { return (float)cyl_bessel_i0((double)x); }
HEDDLE_INLINE float cyl_bessel_i1f(float x) { return (float)cyl_bessel_i1((double)x); }
