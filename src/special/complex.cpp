// What compilers call for complex numbers, for devices that have no C library: heddle_grid_<name>
// stands for C's <name> there. Results are those of the formulas, of arguments that are finite.
#include <cmath>

namespace {

using Pair = double _Complex;

double re(Pair z) { return __real__ z; }
double im(Pair z) { return __imag__ z; }
Pair make(double re, double im) {
  Pair z;
  __real__ z = re;
  __imag__ z = im;
  return z;
}

// The part of sinh and cosh that has no overflow where exp(abs(x)) has one but the product has
// none.
struct Hyperbolic {
  double sinh, cosh;
};
Hyperbolic hyperbolic(double x) { return {std::sinh(x), std::cosh(x)}; }

Pair exponential(double x, double y) {
  if (y == 0) return make(std::exp(x), y);
  const double cos = std::cos(y), sin = std::sin(y);
  if (x > 709) {
    const double part = std::exp(x - 709), scale = 8.21840746155497e+307;  // exp(709)
    return make(part * cos * scale, part * sin * scale);
  }
  const double size = std::exp(x);
  return make(size * cos, size * sin);
}

// log|z| without overflow, and to full precision where it is near 0.
double log_of_modulus(double x, double y) {
  double large = std::abs(x), small = std::abs(y);
  if (large < small) {
    const double other = large;
    large = small;
    small = other;
  }
  if (large > 0.5 && large < 2) {
    const double excess = (large - 1) * (large + 1);
    return 0.5 * std::log1p(std::fma(small, small, excess));
  }
  return std::log(std::hypot(large, small));
}

}  // namespace

extern "C" {

Pair heddle_grid___muldc3(double a, double b, double c, double d) {
  return make(a * c - b * d, a * d + b * c);
}

// Smith's quotient.
Pair heddle_grid___divdc3(double a, double b, double c, double d) {
  if (std::abs(c) >= std::abs(d)) {
    const double ratio = d / c, size = c + d * ratio;
    if (c == 0) return make(a / std::abs(c), b / std::abs(c));
    return make((a + b * ratio) / size, (b - a * ratio) / size);
  }
  const double ratio = c / d, size = c * ratio + d;
  return make((a * ratio + b) / size, (b * ratio - a) / size);
}

double heddle_grid_cabs(Pair z) { return std::hypot(re(z), im(z)); }
double heddle_grid_carg(Pair z) { return std::atan2(im(z), re(z)); }
Pair heddle_grid_cexp(Pair z) { return exponential(re(z), im(z)); }
Pair heddle_grid_clog(Pair z) {
  return make(log_of_modulus(re(z), im(z)), std::atan2(im(z), re(z)));
}

Pair heddle_grid_csqrt(Pair z) {
  const double x = re(z), y = im(z);
  if (x == 0 && y == 0) return make(0, y);
  if (std::isinf(y)) return make(std::abs(y), y);
  const double t = std::sqrt(0.5 * std::abs(x) + 0.5 * std::hypot(x, y));
  if (x >= 0) return make(t, y / (2 * t));
  return make(std::abs(y) / (2 * t), std::copysign(t, y));
}

Pair heddle_grid_cpow(Pair z, Pair w) {
  if (re(z) == 0 && im(z) == 0) return re(w) == 0 && im(w) == 0 ? make(1, 0) : make(0, 0);
  const double length = log_of_modulus(re(z), im(z)), angle = std::atan2(im(z), re(z));
  return exponential(re(w) * length - im(w) * angle, re(w) * angle + im(w) * length);
}

Pair heddle_grid_csinh(Pair z) {
  const Hyperbolic h = hyperbolic(re(z));
  return make(h.sinh * std::cos(im(z)), im(z) == 0 ? im(z) : h.cosh * std::sin(im(z)));
}
Pair heddle_grid_ccosh(Pair z) {
  const Hyperbolic h = hyperbolic(re(z));
  return make(h.cosh * std::cos(im(z)),
              re(z) == 0 || im(z) == 0 ? re(z) * im(z) : h.sinh * std::sin(im(z)));
}
Pair heddle_grid_csin(Pair z) {
  const Pair turned = heddle_grid_csinh(make(-im(z), re(z)));
  return make(im(turned), -re(turned));
}
Pair heddle_grid_ccos(Pair z) { return heddle_grid_ccosh(make(-im(z), re(z))); }

// (log(1 + iz) - log(1 - iz)) / 2i
Pair heddle_grid_catan(Pair z) {
  const double x = re(z), y = im(z);
  const double real = 0.5 * std::atan2(2 * x, (1 - x) * (1 + x) - y * y);
  const double above = x * x + (y + 1) * (y + 1), below = x * x + (y - 1) * (y - 1);
  return make(real, 0.25 * std::log(above / below));
}
}
