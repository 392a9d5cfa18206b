// Series of polynomials through the C++ API.
#include "api_support.h"

namespace heddle {
namespace {

using testing::raises;
using testing::values;

TEST(ApiSeries, ValuesAreThoseOfTheColumns) {
  using polynomial::Family;
  const array x{-0.9, 0.0, 0.3, 2.0}, c{1.5, -2.0, 0.5, 3.0};
  for (const Family family : {Family::power, Family::chebyshev, Family::legendre, Family::laguerre,
                              Family::hermite, Family::hermite_e}) {
    const array direct = polynomial::values(family, x, c);
    const array summed = matmul(polynomial::vander(family, x, 3), c);
    EXPECT_LT(max(abs(direct - summed)).item<double>(), 1e-12) << static_cast<int>(family);
    // One coefficient, and two, take ways of their own.
    EXPECT_EQ(values(polynomial::values(family, x, array{2.0})), values(full({4}, 2.0)));
    const array two = matmul(polynomial::vander(family, x, 1), array{1.0, 2.0});
    EXPECT_EQ(values(polynomial::values(family, x, array{1.0, 2.0})), values(two));
  }
  EXPECT_EQ(values(polynomial::chebval(array{0.5}, {0.0, 0.0, 0.0, 1.0})), std::vector{-1.0});
  EXPECT_EQ(values(polynomial::hermval(array{0.5}, {0.0, 0.0, 0.0, 1.0})), std::vector{-5.0});
  EXPECT_EQ(values(polynomial::hermeval(array{2.0}, {0.0, 0.0, 0.0, 1.0})), std::vector{2.0});
  EXPECT_EQ(values(polynomial::lagval(array{2.0}, {0.0, 0.0, 1.0})), std::vector{-1.0});
  EXPECT_EQ(values(polynomial::legval(array{2.0}, {0.0, 0.0, 1.0})), std::vector{5.5});
}

TEST(ApiSeries, SeveralSeriesAndErrors) {
  const array c{{1.0, 2.0}, {3.0, 4.0}}, x{0.0, 1.0, 2.0};  // two series: columns
  EXPECT_EQ(polynomial::polyval(x, c).shape(), (Dims{2, 3}));
  EXPECT_EQ(values(polynomial::polyval(array{1.0, 2.0}, c, false)), (std::vector{4.0, 10.0}));
  EXPECT_EQ(polynomial::chebvander(x.reshape({3, 1}), 4).shape(), (Dims{3, 1, 5}));
  EXPECT_TRUE(raises<value_error>([&] { polynomial::chebvander(x, -1); }, "non-negative"));
  EXPECT_TRUE(raises<value_error>([&] { polynomial::legval(x, zeros({0})); }, "coefficient"));
}

using polynomial::Family;
constexpr Family families[] = {Family::power,    Family::chebyshev, Family::legendre,
                               Family::laguerre, Family::hermite,   Family::hermite_e};

double difference(const array& a, const array& b) { return max(abs(a - b)).item<double>(); }

class ApiSeriesOf : public ::testing::TestWithParam<Family> {
 protected:
  const Family family = GetParam();
  const array x{-0.9, 0.0, 0.3, 0.8};
  const array a{1.5, -2.0, 0.5, 3.0}, b{0.5, 1.0, 2.0};
  array at(const array& c) const { return polynomial::values(family, x, c); }
};
INSTANTIATE_TEST_SUITE_P(Families, ApiSeriesOf, ::testing::ValuesIn(families));

TEST_P(ApiSeriesOf, ArithmeticIsThatOfTheValues) {
  EXPECT_LT(difference(at(polynomial::add(family, a, b)), at(a) + at(b)), 1e-13);
  EXPECT_LT(difference(at(polynomial::sub(family, a, b)), at(a) - at(b)), 1e-13);
  EXPECT_EQ(polynomial::sub(family, a, a).shape(), (Dims{1}));
  EXPECT_LT(difference(at(polynomial::mul(family, a, b)), at(a) * at(b)), 1e-11);
  EXPECT_LT(difference(at(polynomial::mulx(family, a)), at(a) * x), 1e-12);
  EXPECT_LT(difference(at(polynomial::pow(family, b, 3)), power(at(b), 3)), 1e-9);
  EXPECT_EQ(values(polynomial::pow(family, b, 0)), std::vector{1.0});
  const auto [quotient, rest] = polynomial::div(family, a, b);
  EXPECT_LE(rest.size(), 2);
  EXPECT_LT(difference(at(quotient) * at(b) + at(rest), at(a)), 1e-12);
  EXPECT_LT(difference(at(polynomial::line(family, array(2.0), array(3.0))), 2 + 3 * x), 1e-13);
  EXPECT_TRUE(raises<zero_division_error>([&] { polynomial::div(family, a, array{0.0}); }, ""));
  EXPECT_TRUE(raises<value_error>([&] { polynomial::pow(family, a, -1); }, "non-negative"));
  EXPECT_TRUE(raises<value_error>([&] { polynomial::add(family, zeros({2, 2}), a); }, "1-d"));
}

TEST_P(ApiSeriesOf, OtherFamiliesHaveTheSameValues) {
  for (const Family target : families) {
    const array c = polynomial::convert(family, target, a);
    EXPECT_LT(difference(polynomial::values(target, x, c), at(a)), 1e-12);
  }
}

TEST_P(ApiSeriesOf, IntegralsAreTheOtherWayOfDerivatives) {
  EXPECT_LT(difference(polynomial::der(family, polynomial::integ(family, a)), a), 1e-12);
  const array twice = polynomial::integ(family, a, 2, {.constants = {1.0, 2.0}, .lower = 0.5});
  EXPECT_LT(difference(polynomial::der(family, twice, 2), a), 1e-12);
  EXPECT_NEAR(polynomial::values(family, array(0.5), twice).item<double>(), 2, 1e-12);
  const double step = 1e-5;
  const array slope =
      (polynomial::values(family, x + step, a) - polynomial::values(family, x - step, a)) /
      (2 * step);
  EXPECT_LT(difference(at(polynomial::der(family, a)), slope), 1e-8);
  // Along another axis: each row is a series.
  const array rows = stack({a, 2 * a});
  const array of_rows = polynomial::der(family, rows, 1, 1, 1);
  EXPECT_LT(difference(of_rows[1], 2 * polynomial::der(family, a)), 1e-13);
  const array integrals = polynomial::integ(family, rows, 1, {.axis = 1});
  EXPECT_LT(difference(integrals[1], 2 * polynomial::integ(family, a)), 1e-13);
}

TEST_P(ApiSeriesOf, RootsAndFits) {
  const array zeros_of{-1.5, 0.25, 2.0};
  const array c = polynomial::fromroots(family, zeros_of);
  EXPECT_LT(difference(polynomial::roots(family, c), zeros_of), 1e-12);
  EXPECT_LT(difference(polynomial::values(family, zeros_of, c), zeros({3})), 1e-11);
  EXPECT_EQ(polynomial::companion(family, c).shape(), (Dims{3, 3}));
  EXPECT_EQ(polynomial::roots(family, array{2.0}).size(), 0);
  EXPECT_LT(difference(polynomial::roots(family, polynomial::line(family, array(-3.0), array(2.0))),
                       array{1.5}),
            1e-14);
  const array points = linspace(-1, 1, 30), y = polynomial::values(family, points, a);
  EXPECT_LT(difference(polynomial::fit(family, points, y, 3), a), 1e-11);
  const std::int64_t degrees[] = {2, 0};
  const array some =
      polynomial::fit(family, points, polynomial::values(family, points, array{1.0, 0.0, 2.0}),
                      degrees, {.weights = full({30}, 2.0)});
  EXPECT_LT(difference(some, array{1.0, 0.0, 2.0}), 1e-12);
  EXPECT_TRUE(raises<type_error>([&] { polynomial::fit(family, points, a, 2); }, "same length"));
}

TEST_P(ApiSeriesOf, SeveralVariables) {
  const array c = arange(12).reshape({3, 4}) / 10.0, y = x + 0.1;
  const array points[] = {x, y};
  const std::int64_t degrees[] = {2, 3};
  const array direct = polynomial::values_at(family, points, c);
  const array matrix = polynomial::vander_of(family, points, degrees);
  EXPECT_EQ(matrix.shape(), (Dims{4, 12}));
  EXPECT_LT(difference(matmul(matrix, c.reshape({12})), direct), 1e-12);
  const array grid = polynomial::values_on_grid(family, points, c);
  EXPECT_EQ(grid.shape(), (Dims{4, 4}));
  EXPECT_LT(difference(diagonal(grid), direct), 1e-12);
}

TEST_P(ApiSeriesOf, QuadratureIsExactUpToItsDegree) {
  if (family == Family::power) {
    EXPECT_TRUE(raises<value_error>([] { polynomial::gauss(Family::power, 2); }, "orthogonal"));
    return;
  }
  const auto [points, weights] = polynomial::gauss(family, 5);
  const auto [more, their_weights] = polynomial::gauss(family, 40);
  for (const array& c : {a, polynomial::mul(family, a, a), polynomial::mulx(family, b)}) {
    const double few = sum(weights * polynomial::values(family, points, c)).item<double>();
    const double many = sum(their_weights * polynomial::values(family, more, c)).item<double>();
    EXPECT_NEAR(few, many, 1e-11 * std::abs(many) + 1e-12);
    EXPECT_NEAR(polynomial::values(family, array(0.0), polynomial::integ(family, c)).item<double>(),
                0, 1e-12);
  }
  // P[0] is 1, and the others are orthogonal to it.
  const array inner = matmul(weights, polynomial::vander(family, points, 4));
  EXPECT_LT(max(abs(inner(Slice{1, {}}))).item<double>(), 1e-11);
  EXPECT_GT(sum(polynomial::weight(family, array{0.1, 0.5})).item<double>(), 0);
}

TEST(ApiSeries, IntervalsAndChebyshevPoints) {
  EXPECT_EQ(values(polynomial::domain(Family::laguerre)), (std::vector{0.0, 1.0}));
  EXPECT_EQ(values(polynomial::getdomain(array{3.0, -1.0, 2.0})), (std::vector{-1.0, 3.0}));
  const array mapped = polynomial::mapdomain(array{0.0, 0.5, 1.0}, array{0.0, 1.0}, {-1.0, 1.0});
  EXPECT_EQ(values(mapped), (std::vector{-1.0, 0.0, 1.0}));
  EXPECT_LT(difference(polynomial::chebval(polynomial::chebpts1(5), {0., 0., 0., 0., 0., 1.}),
                       zeros({5})),
            1e-14);
  EXPECT_LT(difference(polynomial::chebpts2(3), array{-1.0, 0.0, 1.0}), 1e-15);
  const array c = polynomial::chebinterpolate([](const array& x) { return exp(x); }, 14);
  EXPECT_LT(difference(polynomial::chebval(array{-0.7, 0.2}, c), exp(array{-0.7, 0.2})), 1e-13);
  EXPECT_EQ(values(polynomial::trimcoef(array{1.0, 0.0, 1e-9}, 1e-6)), std::vector{1.0});
  EXPECT_LT(
      difference(polynomial::polyvalfromroots(array{0.0, 3.0}, array{1.0, 2.0}), array{2.0, 2.0}),
      1e-15);
}

}  // namespace
}  // namespace heddle
