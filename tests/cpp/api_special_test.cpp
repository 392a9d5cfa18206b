// Special functions that are composed of element-wise ones, through the C++ API.
#include <cmath>
#include <complex>
#include <numbers>

#include "api_support.h"

namespace heddle {
namespace {

using testing::raises;
using testing::values;

using Complex = std::complex<double>;

double difference(const array& a, const array& b) { return max(abs(a - b)).item<double>(); }

TEST(ApiSpecial, DerivativesOfBesselFunctions) {
  const array x{0.5, 2.0, 7.0}, order(1.5);
  const double step = 1e-4;
  using OfOrder = array (*)(const array&, const array&, std::int64_t);
  const std::pair<OfOrder, OfOrder> both[] = {
      {special::jvp,
       [](const array& v, const array& z, std::int64_t) { return special::jv(v, z); }},
      {special::yvp,
       [](const array& v, const array& z, std::int64_t) { return special::yv(v, z); }},
      {special::ivp,
       [](const array& v, const array& z, std::int64_t) { return special::iv(v, z); }},
      {special::kvp,
       [](const array& v, const array& z, std::int64_t) { return special::kv(v, z); }},
  };
  for (const auto& [slope, function] : both) {
    const auto at = [&](double moved) { return function(order, x + moved, 0); };
    const array wanted =
        (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step);
    EXPECT_LT(difference(slope(order, x, 1) / wanted, ones({3})), 1e-9);
    EXPECT_EQ(values(slope(order, x, 0)), values(at(0)));
    // The second derivative of the first one.
    const array curved = (slope(order, x + step, 1) - slope(order, x - step, 1)) / (2 * step);
    EXPECT_LT(difference(slope(order, x, 2) / curved, ones({3})), 1e-5);
  }
  const array h = special::h1vp(order, x) - special::h2vp(order, x);
  EXPECT_LT(difference(imag(h) / 2, special::yvp(order, x)), 1e-13);
  EXPECT_TRUE(raises<value_error>([&] { special::jvp(order, x, -1); }, "non-negative"));
}

TEST(ApiSpecial, SphericalFunctions) {
  const array x{0.5, 2.0, -2.0};
  EXPECT_LT(difference(special::spherical_jn(array(0), x), sin(x) / x), 1e-15);
  EXPECT_LT(difference(special::spherical_yn(array(0), x), -cos(x) / x), 1e-15);
  EXPECT_LT(difference(special::spherical_in(array(0), x), sinh(x) / x), 1e-15);
  EXPECT_LT(difference(special::spherical_jn(array(0), x, true), (cos(x) - sin(x) / x) / x), 1e-15);
  const array positive{0.5, 2.0};
  EXPECT_LT(difference(special::spherical_kn(array(0), positive),
                       std::numbers::pi / 2 * exp(-positive) / positive),
            1e-15);
  const array harmonic = special::sph_harm_y(array(1), array(0), array{0.0, 1.0}, array(0.3));
  EXPECT_LT(
      difference(real(harmonic), std::sqrt(3 / (4 * std::numbers::pi)) * cos(array{0.0, 1.0})),
      1e-15);
  EXPECT_TRUE(raises<type_error>(
      [] { special::sph_harm_y(array(1.0), array(0), array(0.0), array(0.0)); }, "whole numbers"));
}

TEST(ApiSpecial, RelativesOfTheGammaFunction) {
  EXPECT_NEAR(special::zeta(array(2.0)).item<double>(), std::pow(std::numbers::pi, 2) / 6, 1e-15);
  EXPECT_LT(
      difference(special::polygamma(array{0, 1}, array(3.0)),
                 stack({special::digamma(array(3.0)), special::zeta(array(2.0), array(3.0))})),
      1e-15);
  EXPECT_LT(difference(special::multigammaln(array{5.0}, 1), special::gammaln(array{5.0})), 1e-14);
  EXPECT_TRUE(raises<value_error>([] { special::multigammaln(array{0.5}, 3); }, "not met"));
  const array w = special::lambertw(array{1.0, 5.0});
  EXPECT_LT(difference(real(w * exp(w)), array{1.0, 5.0}), 1e-14);
  EXPECT_EQ(values(special::psi(array{1.5})), values(special::digamma(array{1.5})));
}

TEST(ApiSpecial, Counting) {
  EXPECT_EQ(values(special::comb(array{4, 5, 3}, array(2))), (std::vector{6.0, 10.0, 3.0}));
  EXPECT_EQ(values(special::comb(array{4, 0}, array{2, 0}, true)), (std::vector{10.0, 1.0}));
  EXPECT_EQ(values(special::perm(array{4, 1}, array(2))), (std::vector{12.0, 0.0}));
  EXPECT_EQ(values(special::factorial(array{0, 5, -1})), (std::vector{1.0, 120.0, 0.0}));
  EXPECT_LT(difference(special::factorial2(array{7, 8}) / array{105.0, 384.0}, ones({2})), 1e-14);
  EXPECT_LT(difference(special::factorialk(array{7, 8}, 3) / array{28.0, 80.0}, ones({2})), 1e-14);
  const array half = special::factorial(array{0.5}, special::Extend::complex);
  EXPECT_NEAR(half[0].item<double>(), std::sqrt(std::numbers::pi) / 2, 1e-15);
  EXPECT_TRUE(raises<value_error>([] { special::factorial2(array{0.5}); }, "Extend::complex"));
  EXPECT_TRUE(raises<value_error>([] { special::factorialk(array{5}, 0); }, "zero"));
}

TEST(ApiSpecial, SumsOfExponentials) {
  const array a{{1.0, 1000.0}, {2.0, 3.0}};
  EXPECT_EQ(special::logsumexp(a).item<double>(), 1000.0);
  const array rows = special::logsumexp(a, {.axis = 1});
  EXPECT_LT(difference(rows, array{1000.0, std::log(std::exp(2.0) + std::exp(3.0))}), 1e-14);
  EXPECT_EQ(special::logsumexp(a, {.axis = 1, .keepdims = true}).shape(), (Dims{2, 1}));
  const auto [size, sign] = special::logsumexp_and_sign(a[1], {.b = array{1.0, -1.0}});
  EXPECT_NEAR(size.item<double>(), std::log(std::exp(3.0) - std::exp(2.0)), 1e-14);
  EXPECT_EQ(sign.item<double>(), -1);
  EXPECT_TRUE(std::isnan(special::logsumexp(a[1], {.b = array{1.0, -1.0}}).item<double>()));
  EXPECT_LT(difference(sum(special::softmax(a, 1), 1), ones({2})), 1e-15);
  EXPECT_LT(difference(exp(special::log_softmax(a[1])), special::softmax(a[1])), 1e-15);
  EXPECT_EQ(values(special::softplus(array{-1000.0, 1000.0})), (std::vector{0.0, 1000.0}));
  const array turns{0.0, 2 * std::numbers::pi, 1.0};
  const double third = std::sin(1.5) / (3 * std::sin(0.5));
  EXPECT_LT(difference(special::diric(turns, array(3)), array{1.0, 1.0, third}), 1e-14);
  // The largest elements are constants: slopes are those of the formula.
  const auto total = [](const array& x) { return special::logsumexp(x); };
  EXPECT_LT(difference(grad(total)(a[1]), special::softmax(a[1])), 1e-15);
}

TEST(ApiSpecial, ComplexResultsWhereThereAreNoRealOnes) {
  EXPECT_EQ(emath::sqrt(array{1.0, 4.0}).dtype(), Dtype::float64);
  EXPECT_EQ(emath::sqrt(array{-1.f, 4.f}).dtype(), Dtype::complex64);
  EXPECT_LT(difference(emath::sqrt(array{-1.0, 4.0}), array{Complex(0, 1), Complex(2, 0)}), 1e-15);
  EXPECT_LT(difference(imag(emath::log(array{-1.0})), array{std::numbers::pi}), 1e-15);
  EXPECT_LT(difference(cos(emath::arccos(array{2.0, 0.5})), array{2.0, 0.5}), 1e-14);
  EXPECT_EQ(emath::arcsin(array{0.5}).dtype(), Dtype::float64);
  EXPECT_EQ(values(emath::power(array{2, 4}, array(-1))), (std::vector{0.5, 0.25}));
  EXPECT_EQ(values(emath::logn(array(2.0), array{4.0, 8.0})), (std::vector{2.0, 3.0}));
}

}  // namespace
}  // namespace heddle
