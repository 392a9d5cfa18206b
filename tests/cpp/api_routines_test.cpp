// The public functions as C++ calls them: what braces, numbers and options mean. What the functions
// compute is tested from Python, against NumPy.
#include <cmath>
#include <limits>

#include "api_support.h"

namespace heddle::testing {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

using Values = std::vector<double>;

TEST(ApiRoutines, NumbersSplitEvenlyAndBracesAtIndices) {
  const array a = arange(6);
  EXPECT_EQ(split(a, 3).size(), 3u);
  EXPECT_EQ(values(split(a, {2})[1]), (Values{2, 3, 4, 5}));
  EXPECT_EQ(split(a, {2, 5}).size(), 3u);
  EXPECT_TRUE(raises<value_error>([&] { split(a, 4); }, "equal division"));
  EXPECT_EQ(array_split(a, 4)[0].size(), 2);
  split(a, 2)[0] += 10;  // parts are views
  EXPECT_EQ(a[0].item<int>(), 10);
}

TEST(ApiRoutines, BlocksNestToAnyDepth) {
  const array a = ones({2, 2}), row = array{1.0, 2.0};
  EXPECT_EQ(block({a, a}).shape(), (Dims{2, 4}));
  EXPECT_EQ(block({{a}, {row}}).shape(), (Dims{3, 2}));
  EXPECT_EQ(block({{{a}}, {{a}}}).shape(), (Dims{2, 2, 2}));
  EXPECT_TRUE(raises<value_error>([&] { block({{a}, a}); }, "depths are mismatched"));
}

TEST(ApiRoutines, OneQuantileIsWeakAndSeveralAreFloat64) {
  const array a = array{1.f, 2.f, 3.f, 4.f};
  EXPECT_EQ(quantile(a, 0.5).dtype(), Dtype::float32);
  EXPECT_EQ(quantile(a, {0.5}).dtype(), Dtype::float64);
  EXPECT_EQ(quantile(a, {0.25, 0.75}).shape(), Dims{2});
  EXPECT_EQ(quantile(a, 1).item<float>(), 4);
  EXPECT_EQ(values(percentile(a, {0, 50, 100}, {.method = QuantileMethod::lower})),
            (Values{1, 2, 4}));
  EXPECT_TRUE(raises<value_error>([&] { quantile(a, 1.5); }, "range [0, 1]"));
}

TEST(ApiRoutines, NansAreLeftOut) {
  const array a = array{{1.0, nan, 3.0}, {nan, 5.0, 7.0}};
  EXPECT_EQ(values(nansum(a, 0)), (Values{1, 5, 10}));
  EXPECT_EQ(values(nanmean(a, 1)), (Values{2, 6}));
  EXPECT_EQ(values(nanmedian(a, {.axis = 1})), (Values{2, 6}));
  EXPECT_EQ(values(nanmax(a, {.axis = 1, .keepdims = true})), (Values{3, 7}));
  EXPECT_EQ(values(nanargmin(a, 1)), (Values{0, 1}));
  EXPECT_DOUBLE_EQ(nanvar(array{1.0, nan, 3.0}, {.ddof = 1}).item<double>(), 2);
  EXPECT_EQ(values(nan_to_num(array{nan, 1.0})), (Values{0, 1}));
}

TEST(ApiRoutines, HistogramsTakeNumbersNamesAndEdges) {
  const array a = array{0.0, 0.4, 0.6, 1.0, 2.0};
  EXPECT_EQ(values(histogram(a, 2).counts), (Values{3, 2}));
  EXPECT_EQ(values(histogram(a, array{0.0, 0.5, 1.0}).counts), (Values{2, 2}));
  EXPECT_EQ(values(histogram(a, 2, {.range = {{0, 1}}}).counts), (Values{2, 2}));
  EXPECT_GE(histogram(a, "auto").counts.size(), 1);
  const auto plane = histogram2d(a, a, {2});
  EXPECT_EQ(plane.counts.shape(), (Dims{2, 2}));
  EXPECT_EQ(plane.edges.size(), 2u);
  EXPECT_TRUE(raises<value_error>([&] { histogram(a, "none"); }, "not a valid estimator"));
}

TEST(ApiRoutines, PadsByPairsForAllAxesOrEach) {
  const array a = array{{1.0, 2.0}, {3.0, 4.0}};
  EXPECT_EQ(pad(a, 1).shape(), (Dims{4, 4}));
  EXPECT_EQ(pad(a, {{0, 1}}).shape(), (Dims{3, 3}));
  EXPECT_EQ(pad(a, {{0, 0}, {1, 2}}).shape(), (Dims{2, 5}));
  EXPECT_EQ(values(pad(array{1.0, 2.0}, 1, PadMode::constant, {.values = {{5, 6}}})),
            (Values{5, 1, 2, 6}));
  EXPECT_EQ(values(pad(array{1.0, 2.0, 4.0}, 2, PadMode::reflect, {.odd = true})),
            (Values{-2, 0, 1, 2, 4, 6, 7}));
}

TEST(ApiRoutines, SetsSayWhereElementsWere) {
  const array a = array{3, 1, 3};
  const auto all = unique_all(a);
  EXPECT_EQ(values(all.values), (Values{1, 3}));
  EXPECT_EQ(values(all.indices), (Values{1, 0}));
  EXPECT_EQ(values(all.inverse_indices), (Values{1, 0, 1}));
  const auto both = intersection(a, array{5, 3});
  EXPECT_EQ(values(both.values), (Values{3}));
  EXPECT_EQ(values(both.second), (Values{1}));
}

TEST(ApiRoutines, GradientsTakeNumbersAndCoordinates) {
  const array y = array{0.0, 1.0, 4.0, 9.0};
  EXPECT_EQ(values(gradient(y)[0]), (Values{1, 2, 4, 5}));
  EXPECT_EQ(values(gradient(y, {2.0})[0]), (Values{0.5, 1, 2, 2.5}));
  EXPECT_EQ(values(gradient(y, {array{0.0, 1.0, 2.0, 4.0}})[0])[0], 1);
  EXPECT_EQ(gradient(ones({3, 4})).size(), 2u);
  EXPECT_EQ(gradient(ones({3, 4}), {}, 1).size(), 1u);
}

TEST(ApiRoutines, EinsteinSumsAreContractedInPairs) {
  const array a = ones({2, 3}), b = ones({3, 4}), c = ones({4, 2});
  EXPECT_EQ(einsum("ij,jk,kl->il", {a, b, c}).shape(), (Dims{2, 2}));
  EXPECT_EQ(einsum("ij,jk,kl->il", {a, b, c})(0, 0).item<double>(), 12);
  EXPECT_EQ(einsum_path("ij,jk,kl->il", {a, b, c}).size(), 2u);
  EXPECT_EQ(einsum("...i->...", {a}).shape(), Dims{2});
  EXPECT_TRUE(raises<value_error>([&] { einsum("ij,kj->ik", {a, b}); }, "broadcast"));
}

TEST(ApiRoutines, NormsOfVectorsAndMatrices) {
  const array a = array{{3.0, 4.0}, {0.0, 0.0}};
  EXPECT_EQ(linalg::norm(a).item<double>(), 5);
  EXPECT_EQ(values(linalg::vector_norm(a, 1, 1)), (Values{7, 0}));
  EXPECT_EQ(linalg::matrix_norm(a, linalg::MatrixNorm::infinite).item<double>(), 7);
  EXPECT_TRUE(std::isinf(linalg::cond(a).item<double>()));
}

TEST(ApiRoutines, WritesThroughIndexRoutines) {
  array a = zeros({2, 3});
  put(a, array{0, -1}, array{1.0, 2.0});
  putmask(a, a == 0, array{7.0});
  EXPECT_EQ(values(a), (Values{1, 7, 7, 7, 7, 2}));
  array turned = a.T();  // whose elements no flat view reaches
  put(turned, array{1}, array(9.0));
  EXPECT_EQ(a(1, 0).item<double>(), 9);
  EXPECT_TRUE(raises<index_error>([&] { put(a, array{6}, array(0.0)); }, "out of bounds"));
}

}  // namespace
}  // namespace heddle::testing
