// Random numbers by rejection. An attempt makes a number of two uniform ones and says whether it is
// to be kept. What was rejected is made again until it is, inside of the kernel, of the words of a
// Philox stream whose key are the two uniform numbers: they are the element's own, and the same on
// every device, so neither threads nor lanes change a number.
#include <cmath>
#include <functional>

#include "kernel/philox.h"
#include "kernel/scalar_lowering.h"

namespace heddle::kernel {

namespace {

struct Attempt {
  Lane number, kept;
};

// A method of rejection. `prepare` computes what depends on the parameters alone; `attempt` is
// given the two uniform numbers, the parameters, and what was prepared.
struct Method {
  std::function<LaneList(LaneBuilder&, const LaneList&)> prepare;
  std::function<Attempt(LaneBuilder&, const LaneList&)> attempt;
};

Lane log(LaneBuilder& l, Lane x) { return lower_math(l, Op::log, x); }

Lane power(LaneBuilder& l, Lane x, Lane y) {
  Lane arguments[] = {x, y};
  return lower_float(l, Op::power, arguments);
}

Lane least(LaneBuilder& l, Lane x, Lane y) { return l.where(x < y, x, y); }
Lane greatest(LaneBuilder& l, Lane x, Lane y) { return l.where(x > y, x, y); }
Lane greatest(LaneBuilder& l, Lane x, double y) {
  return greatest(l, x, l.number(x.value->getType(), y));
}
Lane least(LaneBuilder& l, Lane x, double y) {
  return least(l, x, l.number(x.value->getType(), y));
}

Lane log_factorial(LaneBuilder& l, Lane x) { return log_gamma(l, x + 1.0); }

// A number in (0, 1) of one in [0, 1).
Lane positive(LaneBuilder& l, Lane u) { return greatest(l, u, 0x1p-54); }

// --- methods ---

// Marsaglia and Tsang (2000), for a parameter of at least 1.
Method gamma() {
  return {[](LaneBuilder& l, const LaneList& p) {
            Lane d = p[0] - 1.0 / 3;
            return LaneList{d, 1.0 / l.sqrt(d * 9.0)};
          },
          [](LaneBuilder& l, const LaneList& g) {
            Lane d = g[3], c = g[4];
            Lane x = normal_of_unit(l, g[0]), v = positive(l, g[1]);
            Lane root = x * c + 1.0;
            Lane t = root * root * root;
            Lane inside = t > 0.0;
            Lane bound = x * x * 0.5 + d - d * t + d * log(l, l.where(inside, t, d));
            return Attempt{d * t, inside & (log(l, v) < bound)};
          }};
}

// The logarithm of a Poisson probability where numbers are so large that terms cancel: by the
// distance from the mean, and Stirling's formula.
llvm::Value* log_mass_far_out(LaneBuilder& l, Lane k, Lane mean) {
  Lane t = (k - mean) / mean;
  Lane deviance = mean * (t - (t + 1.0) * lower_math(l, Op::log1p, t));
  return deviance - log(l, k * (2 * M_PI)) * 0.5;
}

// The transformed rejection PTRS of Hörmann (1993).
Method poisson() {
  return {[](LaneBuilder& l, const LaneList& p) {
            Lane b = l.sqrt(p[0]) * 2.53 + 0.931;
            Lane a = b * 0.02483 - 0.059;
            return LaneList{a, b, 1.1328 / (b - 3.4) + 1.1239, log(l, p[0]),
                            0.9277 - 3.6224 / (b - 2.0)};
          },
          [](LaneBuilder& l, const LaneList& g) {
            Lane mean = g[2], a = g[3], b = g[4], inverse = g[5], log_mean = g[6], surely = g[7];
            Lane u = g[0] - 0.5, v = positive(l, g[1]);
            Lane us = 0.5 - l.abs(u);
            Lane k = l.floor((a * 2.0 / us + b) * u + mean + 0.43);
            Lane sure = (us >= 0.07) & (v <= surely);
            Lane inside = (k >= 0.0) & ((us >= 0.013) | (v <= us));
            Lane density = k * log_mean - mean - log_factorial(l, greatest(l, k, 0.0));
            density = l.rarely(mean > 1e9, density, [&] { return log_mass_far_out(l, k, mean); });
            Lane scaled = log(l, v * inverse / (a / (us * us) + b));
            return Attempt{k, sure | (inside & (scaled <= density))};
          }};
}

// The transformed rejection BTRS of Hörmann (1993), for probabilities up to 1/2.
Method binomial() {
  return {[](LaneBuilder& l, const LaneList& given) {
            Lane n = given[0], p = given[1];
            Lane spread = l.sqrt(n * p * (1.0 - p));
            Lane b = spread * 2.53 + 1.15;
            Lane a = b * 0.0248 - 0.0873 + p * 0.01;
            Lane m = l.floor((n + 1.0) * p);
            return LaneList{a,
                            b,
                            n * p + 0.5,
                            0.92 - 4.2 / b,
                            m,
                            log_factorial(l, m) + log_factorial(l, n - m),
                            log(l, p / (1.0 - p)),
                            (5.1 / b + 2.83) * spread};
          },
          [](LaneBuilder& l, const LaneList& g) {
            Lane n = g[2], a = g[4], b = g[5], middle = g[6], surely = g[7], m = g[8], top = g[9];
            Lane odds = g[10], scale = g[11];
            Lane u = g[0] - 0.5, v = positive(l, g[1]);
            Lane us = 0.5 - l.abs(u);
            Lane k = l.floor((a * 2.0 / us + b) * u + middle);
            Lane inside = (k >= 0.0) & (k <= n);
            Lane sure = (us >= 0.07) & (v <= surely);
            Lane held = l.where(inside, k, m);
            Lane here = log_factorial(l, held) + log_factorial(l, n - held);
            Lane bound = top - here + (held - m) * odds;
            Lane scaled = log(l, v * scale / (a / (us * us) + b));
            return Attempt{k, inside & (sure | (scaled <= bound))};
          }};
}

// The ratio of uniforms HRUA of Stadlober (1989).
Method hypergeometric() {
  // Of k marked ones, without the parts that all of them share.
  auto weight = [](LaneBuilder& l, Lane low, Lane high, Lane sample, Lane k) {
    return sum_of_log_gammas(l,
                             {k + 1.0, low - k + 1.0, sample - k + 1.0, high - sample + k + 1.0});
  };
  return {[weight](LaneBuilder& l, const LaneList& given) {
            Lane low = given[0], high = given[1], sample = given[2];
            Lane total = low + high;
            Lane p = low / total;
            Lane mean = sample * p + 0.5;
            Lane spread = l.sqrt((total - sample) * sample * p * (1.0 - p) / (total - 1.0) + 0.5);
            Lane m = l.floor((sample + 1.0) * (low + 1.0) / (total + 2.0));
            Lane end = least(l, least(l, sample, low) + 1.0, l.floor(mean + spread * 16.0));
            return LaneList{mean, spread * 1.7155277699214135 + 0.8989161620588988, m, end,
                            weight(l, low, high, sample, m)};
          },
          [weight](LaneBuilder& l, const LaneList& g) {
            Lane mean = g[5], width = g[6], m = g[7], end = g[8], top = g[9];
            Lane u = positive(l, g[0]), v = g[1];
            Lane x = mean + width * (v - 0.5) / u;
            Lane inside = (x >= 0.0) & (x < end);
            Lane k = l.floor(l.where(inside, x, m));
            Lane bound = top - weight(l, g[2], g[3], g[4], k);
            return Attempt{k, inside & (log(l, u) * 2.0 <= bound)};
          }};
}

// Devroye (1986).
Method zipf() {
  constexpr double beyond = 1024;  // all but 1 have no weight
  return {
      [](LaneBuilder& l, const LaneList& p) {
        Lane less = least(l, p[0] - 1.0, beyond);
        return LaneList{less, -1.0 / less, power(l, l.number(p[0].value->getType(), 2.0), less)};
      },
      [](LaneBuilder& l, const LaneList& g) {
        Lane less = g[3], exponent = g[4], b = g[5];
        // Lanes past the end of an array may have any parameter, and must come to an end, too.
        Lane sure = (less >= beyond) | (less <= 0.0);
        Lane u = positive(l, g[0]), v = g[1];
        Lane x = l.where(sure, l.number(u.value->getType(), 1.0), l.floor(power(l, u, exponent)));
        Lane t = power(l, 1.0 / x + 1.0, less);
        Lane fits = (x >= 1.0) & (x < 0x1p63);
        return Attempt{x, sure | (fits & (v * x * (t - 1.0) / (b - 1.0) <= t / b))};
      }};
}

// Kemp (1981).
Method logseries() {
  return {
      [](LaneBuilder& l, const LaneList& p) { return LaneList{lower_math(l, Op::log1p, -p[0])}; },
      [](LaneBuilder& l, const LaneList& g) {
        Lane p = g[2];
        Lane v = positive(l, g[0]), u = positive(l, g[1]);
        Lane one = l.number(v.value->getType(), 1.0);
        Lane q = -lower_math(l, Op::expm1, u * g[3]);
        Lane far = l.floor(log(l, v) / log(l, q) + 1.0);
        Lane first = v >= p, near = v > q * q;
        Lane k = l.where(near, l.where(v >= q, one, one + one), far);
        return Attempt{l.where(first, one, k), first | near | (far >= 1.0)};
      }};
}

// Best and Fisher (1979).
Method vonmises() {
  constexpr double flat = 1e-8, sharp = 1e6;  // the uniform and the normal limit
  return {[](LaneBuilder& l, const LaneList& p) {
            Lane k = greatest(l, least(l, p[0], sharp), flat);
            // Near zero the exact expression of s cancels: a series takes its place.
            Lane r = l.sqrt(k * k * 4.0 + 1.0) + 1.0;
            Lane rho = (r - l.sqrt(r * 2.0)) / (k * 2.0);
            Lane s = l.where(k < 1e-5, 1.0 / k + k, (rho * rho + 1.0) / (rho * 2.0));
            return LaneList{k, s, 1.0 / l.sqrt(greatest(l, p[0], flat))};
          },
          [](LaneBuilder& l, const LaneList& g) {
            Lane given = g[2], k = g[3], s = g[4];
            Lane u = g[0], v = positive(l, g[1]);
            // One half of the circle gives the sign.
            Lane z = lower_math(l, Op::cos, u * (2 * M_PI));
            Lane w = (s * z + 1.0) / (s + z);
            Lane y = k * (s - w);
            Lane kept = (y * (2.0 - y) - v >= 0.0) | (log(l, y / v) + 1.0 - y >= 0.0);
            Lane angle = lower_math(l, Op::arccos, greatest(l, least(l, w, 1.0), -1.0));
            angle = l.where(u < 0.5, angle, -angle);
            Lane even = given<flat, narrow = given> sharp;
            angle = l.where(even, (u * 2.0 - 1.0) * M_PI, angle);
            angle = l.where(narrow, normal_of_unit(l, u) * g[5], angle);
            return Attempt{angle, kept | even | narrow};
          }};
}

// --- attempts ---

// A number that is no number comes from such a parameter, and stays.
Attempt attempt(LaneBuilder& l, const Method& method, const LaneList& given) {
  Attempt made = method.attempt(l, given);
  return {made.number, made.kept | l.is_nan(made.number)};
}

// A word as a number in [0, 1), of the type of `like`.
Lane as_unit(LaneBuilder& l, Lane word, llvm::Type* like) {
  if (like->getScalarType()->isFloatTy())
    word = l(l.b.CreateTrunc(word, l.widen(l.b.getInt32Ty())));
  return lower_word(l, Op::unit_interval, word);
}

Lane made_again(LaneBuilder& l, const Method& method, LaneList given) {
  constexpr double most = 1000;  // in case that nothing is ever kept
  auto& b = l.b;
  llvm::Type* word = l.widen(b.getInt64Ty());
  llvm::Type* type = given[0].value->getType();
  auto key = [&](int i) { return l(b.CreateZExtOrTrunc(l.bits_of(given[i]), word)); };
  Lane key0 = key(0), key1 = key(1);
  Lane none = l(llvm::Constant::getNullValue(l.widen(b.getInt1Ty())));
  // The number of the attempt, the last number that was made, and whether it is kept.
  return l.repeat_while(
      {l.integer(word, 0), l.number(type, 0), none},
      [&](const LaneList& s) { return (!s[2]) & (s[0] < most); },
      [&](const LaneList& s) {
        const auto words = philox_block(l, key0, key1, s[0]);
        for (int i = 0; i < 2; ++i) given[i] = as_unit(l, words[i], type);
        const Attempt made = attempt(l, method, given);
        return LaneList{s[0] + 1.0, l.where(s[2], s[1], made.number), s[2] | made.kept};
      })[1];
}

Method method_of(Op op) {
  switch (op) {
    case Op::gamma_deviate:
      return gamma();
    case Op::poisson_deviate:
      return poisson();
    case Op::binomial_deviate:
      return binomial();
    case Op::hypergeometric_deviate:
      return hypergeometric();
    case Op::zipf_deviate:
      return zipf();
    case Op::logseries_deviate:
      return logseries();
    case Op::vonmises_deviate:
      return vonmises();
    default:
      no_lowering(op, "floats");
  }
}

}  // namespace

Lane lower_rejection(LaneBuilder& l, Op op, std::span<const Lane> args) {
  const Method method = method_of(op);
  LaneList given(args.begin(), args.end());
  given.append(l.shared({args.begin() + 2, args.end()}, method.prepare));
  const Attempt first = attempt(l, method, given);
  return l.one_by_one(
      !first.kept, first.number, given,
      [&](LaneBuilder& own, const LaneList& lane) { return made_again(own, method, lane); });
}

}  // namespace heddle::kernel
