// Random bits as numbers of a distribution, one for each word: uniform ones as NumPy makes them,
// and normal ones by the inverse of the distribution function. And what distributions of counts are
// made of.
#include <cmath>
#include <functional>

#include "kernel/lane_builder.h"
#include "kernel/scalar_lowering.h"

namespace heddle::kernel {

namespace {

Lane log(LaneBuilder& l, Lane x) { return lower_math(l, Op::log, x); }

Lane unit_interval(LaneBuilder& l, Lane word) {
  const bool half = word.value->getType()->getScalarSizeInBits() == 32;
  llvm::Type* type = l.widen(half ? l.b.getFloatTy() : l.b.getDoubleTy());
  // Both are positive as signed numbers, which converts faster.
  Lane kept = l(l.b.CreateLShr(word, half ? 8 : 11));
  return l(l.b.CreateSIToFP(kept, type)) * (half ? 0x1p-24 : 0x1p-53);
}

// What the quantile is made of: x in (-1, 1), symmetric around zero, and 1 - x^2 without the
// cancellation.
struct Centred {
  Lane x, rest;
};

Centred centred_double(LaneBuilder& l, Lane word) {
  // (k + 1/2) / 2^52 for 52 bits of the word, exact: they become the fraction of a number in [1,
  // 2).
  Lane bits = l(l.b.CreateLShr(word, 12)) | l.integer(word.value->getType(), 0x3ffull << 52);
  Lane u = l.float_of(bits) - (1 - 0x1p-53);
  Lane down = 1.0 - u;
  return {u - down, u * down * 4.0};
}

Centred centred_single(LaneBuilder& l, Lane word) {
  // All 32 bits count, or the tails would end too early: (m + 1/2) / 2^31 and a sign, where m and
  // what it lacks to one are both converted.
  auto& b = l.b;
  llvm::Type* type = l.widen(b.getFloatTy());
  Lane sign = l(b.CreateAShr(word, 31));
  Lane size = word ^ sign;
  Lane missing = size ^ l.integer(word.value->getType(), 0x7fffffff);
  auto fraction = [&](Lane m) { return l(b.CreateSIToFP(m, type)) * 0x1p-31 + 0x1p-32; };
  Lane x = fraction(size), rest = fraction(missing);
  return {l.where(sign < 0.0, -x, x), rest * (2.0 - rest)};
}

// Of a number in [0, 1) that unit_interval made, which has a bit more than are used.
Centred centred_unit(LaneBuilder& l, Lane u) {
  const double steps = u.value->getType()->getScalarType()->isFloatTy() ? 0x1p23 : 0x1p52;
  Lane middle = (l.floor(u * steps) + 0.5) * (1 / steps);
  Lane down = 1.0 - middle;
  return {middle - down, middle * down * 4.0};
}

// sqrt(2) erfinv(x) as x times a polynomial of w = -log(1 - x^2); of sqrt(w) in the tails, which
// one number in a thousand is in. Minimax fits (Remez), to half a unit in the last place.
Lane quantile(LaneBuilder& l, const Centred& c) {
  const bool single = c.x.value->getType()->getScalarType()->isFloatTy();
  Lane w = -log(l, c.rest);
  Lane usual =
      single
          ? l.polynomial(w - 2.5,
                         {2.1233135673540087, 0.34880266099942003, -0.005908169992866127,
                          -0.0017730110163966435, 0.0003091486932992475, -6.217781039532593e-06,
                          -4.990097466589154e-06, 4.860866803212756e-07, 4.0313843664128344e-08})
          : l.polynomial(w - 3.125,
                         {2.3386207100265937,      0.3396349587011405,     -0.00853289917727279,
                          -0.0010475115695006796,  0.0002640820495640542,  -1.963285282262949e-05,
                          -1.9310650671232984e-06, 5.988894346509403e-07,  -4.111170699595796e-08,
                          -5.81614442736387e-09,   1.4866364951556811e-09, -7.658493509695929e-11,
                          -1.8348959944042948e-11, 3.7242286709451e-12,    -1.1541098950955853e-13,
                          -5.732498440728451e-14,  9.402522989650273e-15,  2.843138502099831e-17,
                          -1.8972623919344577e-16, 1.5835042313059765e-17, 1.8698480302758594e-18,
                          -2.393746616120542e-19,  -6.1133432884095635e-21});
  return l.rarely(w > (single ? 5.0 : 6.25), usual * c.x, [&]() -> llvm::Value* {
    Lane s = l.sqrt(w);
    Lane size =
        single ? l.polynomial(s - 3.45, {4.6458536258423875, 1.424252244743848, 0.00477098438074384,
                                         -0.0026092181978367773, 0.0009205577864655323,
                                         -0.0002615393921524391, 5.371725798709469e-05,
                                         4.2582717355264945e-06, -1.167959699771935e-05,
                                         3.8063497273148404e-06})
               : l.polynomial(
                     s - 4.3,
                     {5.858696501881445,       1.428419703271519,       0.0008824906842728808,
                      -0.0007994595937886896,  0.0002738099174665711,   -7.582139048613842e-05,
                      1.8871268748199943e-05,  -4.2979357786139286e-06, 8.47484378255476e-07,
                      -1.0230168569935725e-07, -2.508767485372945e-08,  2.7175751344131392e-08,
                      -1.3783978542843536e-08, 4.86310765370616e-09,    -1.0015415182971817e-09,
                      -2.55103122907101e-11,   8.720005672958865e-11,   -4.9364568742161223e-11,
                      2.884482548919823e-11,   -5.48953038823522e-12,   -3.2415554754266935e-12,
                      1.2760560715533226e-12,  8.257748199242426e-14,   -5.910255559559976e-14});
    return l.copysign(size, c.x);
  });
}

// Stirling's series, far enough out for a few terms of it; without the product that leads there.
struct Stirling {
  Lane far, product;
};

Stirling stirling(LaneBuilder& l, Lane x) {
  Lane far = x + 7.0, product = x;
  for (int i = 1; i < 7; ++i) product = product * (x + i);
  Lane inverse = 1.0 / far;
  Lane series =
      inverse * l.polynomial(inverse * inverse, {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680,
                                                 1.0 / 1188, -691.0 / 360360});
  Lane main = (far - 0.5) * log(l, far) - far;
  return {main + (series + 0.5 * std::log(2 * M_PI)), product};
}

// Adds up probabilities until they reach u: step(k, p) is the probability of k from that of k - 1.
Lane count_up_to(LaneBuilder& l, Lane u, Lane first, double most,
                 const std::function<Lane(Lane, Lane)>& step) {
  llvm::Type* type = u.value->getType();
  auto active = [&](const LaneList& s) { return (u > s[2]) & (s[0] < most); };
  return l.repeat_while({l.number(type, 0), first, first}, active, [&](const LaneList& s) {
    Lane goes_on = active(s), k = s[0] + 1.0, p = step(k, s[1]);
    return LaneList{l.where(goes_on, k, s[0]), l.where(goes_on, p, s[1]),
                    l.where(goes_on, s[2] + p, s[2])};
  })[0];
}

constexpr int short_sample = 10;  // what quantiles of the hypergeometric distribution are for

// The probability that none of a short sample is marked, where the others are enough for it.
Lane hypergeometric_none(LaneBuilder& l, Lane marked, Lane others, Lane sample) {
  Lane all = marked + others, one = l.number(marked.value->getType(), 1), product = one;
  for (int i = 0; i < short_sample; ++i) {
    Lane drawn = sample > static_cast<double>(i);
    product = product * l.where(drawn, (others - i) / (all - i), one);
  }
  return product;
}

}  // namespace

Lane lower_distribution(LaneBuilder& l, Op op, std::span<const Lane> args) {
  constexpr double most = 1000;  // for means that are not much greater than ten
  switch (op) {
    case Op::log_gamma:
      return log_gamma(l, args[0]);
    case Op::poisson_quantile: {
      Lane mean = args[0];
      const LaneList none = l.shared({mean}, [&](LaneBuilder& on, const LaneList& p) {
        return LaneList{lower_math(on, Op::exp, -p[0])};
      });
      return count_up_to(l, args[1], none[0], most, [&](Lane k, Lane p) { return p * (mean / k); });
    }
    case Op::binomial_quantile: {
      const LaneList given = l.shared({args[0], args[1]}, [&](LaneBuilder& on, const LaneList& p) {
        Lane none = lower_math(on, Op::exp, p[0] * lower_math(on, Op::log1p, -p[1]));
        return LaneList{none, p[1] / (1.0 - p[1])};
      });
      Lane n = args[0], odds = given[1];
      return count_up_to(l, args[2], given[0], most,
                         [&](Lane k, Lane p) { return p * ((n - k + 1.0) * odds / k); });
    }
    case Op::hypergeometric_quantile: {
      const LaneList given(args.begin(), args.begin() + 3);
      Lane none = l.shared(given, [&](LaneBuilder& on, const LaneList& p) {
        return LaneList{hypergeometric_none(on, p[0], p[1], p[2])};
      })[0];
      Lane marked = args[0] + 1.0, sample = args[2] + 1.0, others = args[1] - args[2];
      return count_up_to(l, args[3], none, short_sample, [&](Lane k, Lane p) {
        return p * ((marked - k) * (sample - k) / (k * (others + k)));
      });
    }
    default:
      return lower_rejection(l, op, args);
  }
}

Lane normal_of_unit(LaneBuilder& l, Lane u) { return quantile(l, centred_unit(l, u)); }

Lane log_gamma(LaneBuilder& l, Lane x) {
  const Stirling s = stirling(l, x);
  return s.far - log(l, s.product);
}

Lane sum_of_log_gammas(LaneBuilder& l, const LaneList& list) {
  if (list[0].value->getType()->getScalarType()->isFloatTy()) {  // products would be too large
    Lane sum = log_gamma(l, list[0]);
    for (std::size_t i = 1; i < list.size(); ++i) sum = sum + log_gamma(l, list[i]);
    return sum;
  }
  Stirling sum = stirling(l, list[0]);
  for (std::size_t i = 1; i < list.size(); ++i) {
    const Stirling next = stirling(l, list[i]);
    sum = {sum.far + next.far, sum.product * next.product};
  }
  return sum.far - log(l, sum.product);
}

Lane lower_word(LaneBuilder& l, Op op, Lane word) {
  const bool half = word.value->getType()->getScalarSizeInBits() == 32;
  switch (op) {
    case Op::unit_interval:
      return unit_interval(l, word);
    case Op::normal_deviate:
      return quantile(l, half ? centred_single(l, word) : centred_double(l, word));
    default:
      no_lowering(op, "words");
  }
}

}  // namespace heddle::kernel
