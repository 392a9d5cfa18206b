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

}  // namespace
}  // namespace heddle
