// Random numbers through the C++ API: NumPy's streams, and distributions by their moments.
#include <cmath>
#include <set>

#include "api_support.h"

namespace heddle {
namespace {

using random::Generator;
using testing::raises;
using testing::values;
using Words = std::vector<std::uint64_t>;

Words words(Generator rng, std::int64_t count) {
  return rng.random_raw({count}).to_vector<std::uint64_t>();
}

TEST(ApiRandom, WordsAreNumpys) {
  EXPECT_EQ(words(Generator(7), 6),
            (Words{0x78046c3e44c57fae, 0x6d17e4bdf94f8ac5, 0x5cec5e6620741a73, 0x3cc339ccc49e4166,
                   0x23842adb3b9998c3, 0x83118b48f65c3034}));
  EXPECT_EQ(words(Generator((std::uint64_t{1} << 40) + 5), 2),
            (Words{0xe73f306a1fbba67e, 0xc88762b1eaa32988}));
  const Words list{1, 2, 3}, longer{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(words(Generator(list), 2), (Words{0xb84b131149d71a66, 0x0340710b4ca5ed71}));
  EXPECT_EQ(words(Generator(longer), 1), (Words{0xdcae15f5e7da58e8}));
  Generator other(longer);
  EXPECT_EQ(words(other.spawn(1)[0], 1), (Words{0x72fc9b859b2a532d}));
  EXPECT_NE(words(Generator(), 2), words(Generator(), 2));
}

TEST(ApiRandom, SpawnedAndJumped) {
  Generator rng(42);
  auto children = rng.spawn(1);
  children.push_back(rng.spawn(1)[0]);  // the second one
  EXPECT_EQ(words(children[0], 2), (Words{0x38411d067af41ba0, 0x74c9187aa4f8949a}));
  EXPECT_EQ(words(children[1], 2), (Words{0xc5ed7631b55ff4dc, 0x6c8da8750fd7eeeb}));
  EXPECT_EQ(words(children[0].spawn(1)[0], 1), (Words{0x5e3be1ed470cd827}));
  EXPECT_EQ(words(Generator(7).jumped(), 2), (Words{0x0f2329719fdbec9d, 0xae0c683dfe474c5f}));
  EXPECT_EQ(words(Generator(7).jumped(3), 2), (Words{0x1295455c0eef3258, 0x4cbf85029d4bb565}));
  Generator moved(7);
  moved.advance(5);
  EXPECT_EQ(words(moved, 2), (Words{0xd759516a5540c4dd, 0xf8c32d194660edcb}));
}

TEST(ApiRandom, TheStreamGoesOnInsideOfABlock) {
  const Words all = words(Generator(7), 40);
  Generator rng(7);
  Words found;
  for (const std::int64_t count : {1, 0, 2, 3, 7, 4, 20, 3}) {
    for (std::uint64_t word : rng.random_raw({count}).to_vector<std::uint64_t>())
      found.push_back(word);
  }
  EXPECT_EQ(found, all);
  Generator again(7);
  again.random_raw({3});
  EXPECT_EQ(again.random({2, 2}).to_vector<double>()[1],
            static_cast<double>(all[4] >> 11) * 0x1p-53);
}

TEST(ApiRandom, UniformNumbers) {
  Generator rng(7);
  EXPECT_EQ(values(rng.random({3})),
            (std::vector<double>{0.46881748695593284, 0.42614583623918467, 0.3629817008336008}));
  rng.random({2, 2});
  const auto moved = values(rng.uniform(-1, 3, {{2}}));
  EXPECT_DOUBLE_EQ(moved[0], 2.943800432625398);
  array single = rng.random({1000}, Dtype::float32);
  EXPECT_EQ(single.dtype(), Dtype::float32);
  EXPECT_LT(max(single).item<float>(), 1);
  EXPECT_THROW(rng.random({3}, Dtype::int32), type_error);
  EXPECT_EQ(rng.uniform().shape(), Dims{});
}

struct Moments {
  double mean, variance;
};

Moments moments(const array& a) {
  const array x = a.astype(Dtype::float64);
  const double mean = heddle::mean(x).item<double>();
  return {mean, heddle::mean(square(x - mean)).item<double>()};
}

void expect_moments(const array& a, double mean, double variance) {
  const auto found = moments(a);
  const double chance = std::sqrt(variance / static_cast<double>(a.size()));
  EXPECT_NEAR(found.mean, mean, 5 * chance);
  EXPECT_NEAR(found.variance, variance, 0.06 * variance);
}

TEST(ApiRandom, Moments) {
  Generator rng(1);
  const Dims shape{200, 500};
  expect_moments(rng.standard_normal(shape), 0, 1);
  expect_moments(rng.standard_normal(shape, Dtype::float32), 0, 1);
  expect_moments(rng.normal(2, 3, shape), 2, 9);
  expect_moments(rng.exponential(2, shape), 2, 4);
  expect_moments(rng.gamma(2.5, 2, shape), 5, 10);
  expect_moments(rng.gamma(1, 2, shape), 2, 4);
  expect_moments(rng.gamma(0.3, 1, shape), 0.3, 0.3);
  expect_moments(rng.beta(2, 3, shape), 0.4, 0.04);
  expect_moments(rng.poisson(4, shape), 4, 4);
  expect_moments(rng.poisson(50, shape), 50, 50);
  expect_moments(rng.binomial(10, 0.3, shape), 3, 2.1);
  expect_moments(rng.binomial(1000, 0.7, shape), 700, 210);
  expect_moments(rng.integers(-5, 6, shape), 0, 10);
  expect_moments(rng.lognormal(0, 0.25, shape), std::exp(0.03125), 0.0686);
  expect_moments(rng.standard_exponential(shape, Dtype::float32), 1, 1);
  expect_moments(rng.laplace(1, 2, shape), 1, 8);
  expect_moments(rng.logistic(1, 2, shape), 1, 13.1595);
  expect_moments(rng.gumbel(0, 2, shape), 1.154431, 6.579736);
  expect_moments(rng.rayleigh(2, shape), 2.506628, 1.716815);
  expect_moments(rng.weibull(2, shape), 0.886227, 0.214602);
  expect_moments(rng.pareto(6, shape), 0.2, 0.06);
  expect_moments(rng.power(3, shape), 0.75, 0.0375);
  expect_moments(rng.triangular(0, 1, 4, shape), 5.0 / 3, 13.0 / 18);
  expect_moments(rng.wald(1, 4, shape), 1, 0.25);
  expect_moments(rng.vonmises(0.5, 4, shape), 0.5, 0.2899);
  expect_moments(rng.standard_gamma(2, shape), 2, 2);
  expect_moments(rng.chisquare(3, shape), 3, 6);
  expect_moments(rng.f(3, 20, shape), 10.0 / 9, 1.08025);
  expect_moments(rng.standard_t(10, shape), 0, 1.25);
  expect_moments(rng.noncentral_chisquare(3, 1, shape), 4, 10);
  expect_moments(rng.noncentral_chisquare(1, 2, shape), 3, 10);
  expect_moments(rng.noncentral_f(3, 30, 1, shape), 1.428571, 1.4836);
  expect_moments(rng.negative_binomial(3, 0.5, shape), 3, 6);
  expect_moments(rng.geometric(0.3, shape), 10.0 / 3, 70.0 / 9);
  expect_moments(rng.logseries(0.6, shape), 1.637035, 1.412703);
  expect_moments(rng.zipf(6, shape), 1.019251, 0.025);
  expect_moments(rng.hypergeometric(5, 5, 3, shape), 1.5, 0.583333);
  expect_moments(rng.hypergeometric(500, 300, 200, shape), 125, 35.2);
  const array cauchy = abs(rng.standard_cauchy(shape)) < 1.0;
  EXPECT_NEAR(mean(cauchy.astype(Dtype::float64)).item<double>(), 0.5, 0.01);
}

TEST(ApiRandom, Samples) {
  Generator rng(2);
  expect_moments(rng.choice(11, {200, 500}), 5, 10);
  const auto some = rng.choice(50, {20}, false).to_vector<std::int64_t>();
  EXPECT_EQ(std::set<std::int64_t>(some.begin(), some.end()).size(), 20U);
  EXPECT_EQ(rng.choice(arange(12).reshape({4, 3}), {2, 5}).shape(), (Dims{2, 5, 3}));
  array a = arange(100);
  rng.shuffle(a);
  EXPECT_NE(values(a.astype(Dtype::float64)), values(arange(100.0)));
  EXPECT_EQ(sort(a).to_vector<std::int64_t>(), arange(100).to_vector<std::int64_t>());
  EXPECT_TRUE(raises<value_error>([&] { rng.choice(3, {4}, false); }, "larger sample"));
  EXPECT_TRUE(raises<value_error>([&] { rng.choice(0, {4}); }, "positive integer"));
}

TEST(ApiRandom, ParametersBroadcast) {
  Generator rng(3);
  const array means{1.0, 20.0};
  const array counts = rng.poisson(means, {{50000, 2}});
  EXPECT_EQ(counts.dtype(), Dtype::int64);
  expect_moments(counts(Slice{}, 0), 1, 1);
  expect_moments(counts(Slice{}, 1), 20, 20);
  const array successes = rng.binomial(array{10.0, 400.0}, array{0.8, 0.25}, {{50000, 2}});
  expect_moments(successes(Slice{}, 0), 8, 1.6);
  expect_moments(successes(Slice{}, 1), 100, 75);
  const array numbers = rng.gamma(array{0.5, 4.0}, 1, {{50000, 2}});
  expect_moments(numbers(Slice{}, 0), 0.5, 0.5);
  expect_moments(numbers(Slice{}, 1), 4, 4);
  EXPECT_EQ(rng.exponential(means).shape(), Dims{2});
  EXPECT_TRUE(raises<value_error>([&] { rng.normal(means, 1, {{3}}); }, "normal"));
}

TEST(ApiRandom, DeferredAndFused) {
  Generator rng(5);
  EXPECT_EQ(explain(rng.gamma(2.5, 1, {{1000}}) * 2.0).rfind("1 kernel ", 0), 0U);
  EXPECT_EQ(explain(rng.poisson(30, {{1000}})).rfind("1 kernel ", 0), 0U);
}

TEST(ApiRandom, Errors) {
  Generator rng(5);
  EXPECT_TRUE(raises<value_error>([&] { rng.normal(0, -1); }, "scale < 0"));
  EXPECT_TRUE(raises<value_error>([&] { rng.gamma(-1); }, "shape < 0"));
  EXPECT_TRUE(raises<value_error>([&] { rng.beta(0, 1); }, "a <= 0"));
  EXPECT_TRUE(raises<value_error>([&] { rng.poisson(-1); }, "lam < 0"));
  EXPECT_TRUE(raises<value_error>([&] { rng.poisson(1e19); }, "lam value too large"));
  EXPECT_TRUE(raises<value_error>([&] { rng.binomial(3, 1.5); }, "p > 1"));
  EXPECT_TRUE(raises<value_error>([&] { rng.binomial(3, array{0.5, -0.5}); }, "p < 0"));
  EXPECT_TRUE(raises<value_error>([&] { rng.integers(3, 3, {2}); }, "low >= high"));
  EXPECT_TRUE(raises<value_error>([&] { rng.uniform(3, 2); }, "high - low < 0"));
  EXPECT_TRUE(raises<value_error>([&] { rng.geometric(0); }, "p <= 0, p > 1"));
  EXPECT_TRUE(raises<value_error>([&] { rng.logseries(1); }, "p >= 1"));
  EXPECT_TRUE(raises<value_error>([&] { rng.zipf(array{1.0, 2.0}); }, "a <= 1"));
  EXPECT_TRUE(raises<value_error>([&] { rng.triangular(2, 1, 3); }, "left > mode"));
  EXPECT_TRUE(raises<value_error>([&] { rng.hypergeometric(2, 1, 4); }, "ngood + nbad < nsample"));
  EXPECT_TRUE(raises<type_error>([&] { rng.standard_normal({2}, Dtype::int32); }, "int32"));
  EXPECT_EQ(words(rng, 4), words(Generator(5), 4));  // failed calls draw nothing
}

TEST(ApiRandom, Permutations) {
  Generator rng(9);
  const auto order = rng.permutation(1000).to_vector<std::int64_t>();
  EXPECT_EQ(std::set<std::int64_t>(order.begin(), order.end()).size(), 1000U);
  EXPECT_NE(order[0] + order[1] + order[2], 3);
  const array a = arange(12).reshape({4, 3});
  const array mixed = rng.permutation(a);
  EXPECT_EQ(sort(mixed, 0).to_vector<std::int64_t>(), a.to_vector<std::int64_t>());
  EXPECT_EQ(rng.permutation(0).size(), 0);
}

TEST(ApiRandom, Vectors) {
  Generator rng(3);
  const array shares = rng.dirichlet({0.5, 1.0, 2.5}, {20000});
  EXPECT_EQ(shares.shape(), (Dims{20000, 3}));
  EXPECT_LT(max(abs(sum(shares, 1) - 1.0)).item<double>(), 1e-12);
  EXPECT_LT(max(abs(mean(shares, 0) - array{0.125, 0.25, 0.625})).item<double>(), 0.01);
  // So small that gamma numbers themselves would be zero.
  const array corners = rng.dirichlet({1e-3, 1e-3}, {1000});
  EXPECT_LT(max(abs(sum(corners, 1) - 1.0)).item<double>(), 1e-12);
  EXPECT_EQ(rng.dirichlet({1.0, 2.0}).shape(), (Dims{2}));

  const array counts = rng.multinomial(50, {{0.2, 0.3, 0.5}, {0.0, 1.0, 0.0}}, {{3000, 2}});
  EXPECT_EQ(counts.shape(), (Dims{3000, 2, 3}));
  EXPECT_EQ(counts.dtype(), Dtype::int64);
  EXPECT_TRUE(all(sum(counts, 2) == 50).item<bool>());
  const array means = mean(counts, 0);
  EXPECT_LT(max(abs(means - array{{10.0, 15.0, 25.0}, {0.0, 50.0, 0.0}})).item<double>(), 0.5);

  const std::int64_t colors[] = {30, 50, 20};
  const array drawn = rng.multivariate_hypergeometric(colors, 10, {4000});
  EXPECT_TRUE(all(sum(drawn, 1) == 10).item<bool>());
  EXPECT_LT(max(abs(mean(drawn, 0) - array{3.0, 5.0, 2.0})).item<double>(), 0.15);

  const array covariance{{2.0, 0.6}, {0.6, 0.5}};
  for (const auto method :
       {random::FactorMethod::svd, random::FactorMethod::eigh, random::FactorMethod::cholesky}) {
    const array x = rng.multivariate_normal({1.0, -1.0}, covariance, {50000}, method);
    EXPECT_LT(max(abs(mean(x, 0) - array{1.0, -1.0})).item<double>(), 0.05);
    const array apart = x - mean(x, 0);
    EXPECT_LT(max(abs(matmul(apart.T(), apart) / 50000.0 - covariance)).item<double>(), 0.06);
  }

  const array lines = rng.permuted(arange(3000).reshape({3, 1000}), -1);
  EXPECT_EQ(sort(lines, 1).to_vector<std::int64_t>(), arange(3000).to_vector<std::int64_t>());
  EXPECT_FALSE(all(lines[0] + 1000 == lines[1]).item<bool>());  // each has an order of its own
  EXPECT_EQ(rng.permuted(arange(6).reshape({2, 3})).shape(), (Dims{2, 3}));
}

TEST(ApiRandom, VectorsRefuseWhatTheyHaveNot) {
  Generator rng(5);
  const std::int64_t colors[] = {1, 2};
  EXPECT_TRUE(raises<value_error>([&] { rng.dirichlet({1.0, -1.0}); }, "alpha < 0"));
  EXPECT_TRUE(raises<value_error>([&] { rng.multinomial(3, {0.7, 0.6, 0.1}); }, "sum(pvals[:-1])"));
  EXPECT_TRUE(raises<value_error>([&] { rng.multinomial(-3, {0.5, 0.5}); }, "n < 0"));
  EXPECT_TRUE(raises<value_error>([&] { rng.multivariate_hypergeometric(colors, 4); },
                                  "nsample > sum(colors)"));
  EXPECT_TRUE(raises<value_error>([&] { rng.multivariate_normal({0.0}, {{1.0, 0.0}, {0.0, 1.0}}); },
                                  "same length"));
  EXPECT_TRUE(raises<value_error>(
      [&] { rng.multivariate_normal({0.0, 0.0}, {{1.0, 2.0}, {2.0, 1.0}}).to_vector<double>(); },
      "positive-semidefinite"));
  EXPECT_TRUE(raises<type_error>([&] { rng.permuted(array(1.0)); }, "permuted"));
}

TEST(ApiRandom, DevicesGiveTheSameNumbers) {
  auto drawn = [](const std::string& device) {
    DeviceScope on(device);
    Generator rng(4);
    return std::vector<array>{
        to_device(rng.gamma(0.7, 1, {{5000}}), "cpu"), to_device(rng.poisson(40, {{5000}}), "cpu"),
        to_device(rng.binomial(90, 0.4, {{5000}}), "cpu"), to_device(rng.random({5000}), "cpu")};
  };
  const auto here = drawn("cpu");
  for (const std::string& name : device_names()) {
    const auto there = drawn(name);
    for (std::size_t i = 0; i < here.size(); ++i)
      EXPECT_LT(max(abs(here[i] - there[i])).item<double>(), 1e-9) << name << ' ' << i;
  }
}

}  // namespace
}  // namespace heddle
