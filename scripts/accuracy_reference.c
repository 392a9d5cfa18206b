/* Elementary functions in more digits than scripts/accuracy.py looks at: float in double, double in
   x87's 80 bits, and sums of two exponentials, whose terms may cancel, in 128 bits.

       cc -O2 -shared -fPIC -o accuracy_reference.so accuracy_reference.c -lquadmath -lm */

#include <math.h>
#include <quadmath.h>
#include <stdint.h>
#include <string.h>

#define WORST 8
#define MOST 4 /* results of the same arguments */

typedef double (*Narrow)(double);
typedef long double (*Wide)(long double);
typedef double (*Narrow2)(double, double);
typedef long double (*Wide2)(long double, long double);

typedef struct {
  const char* name;
  Narrow narrow;
  Wide wide;
  Narrow2 narrow2;
  Wide2 wide2;
} Function;

static long double sum_of_powers(long double x, long double y, __float128 log_base) {
  if (isnan(x) || isnan(y)) return x + y;
  if (x == y && isinf(x)) return x;
  const __float128 high = x > y ? x : y, low = x > y ? y : x;
  return (long double)(high + log1pq(expq((low - high) * log_base)) / log_base);
}
static long double logaddexp(long double x, long double y) { return sum_of_powers(x, y, 1); }
static long double logaddexp2(long double x, long double y) {
  return sum_of_powers(x, y, M_LN2q);
}
static double short_logaddexp(double x, double y) { return (double)sum_of_powers(x, y, 1); }
static double short_logaddexp2(double x, double y) {
  return (double)sum_of_powers(x, y, M_LN2q);
}

#define ONE(name, function) {#name, function, function##l, 0, 0}
#define TWO(name, function) {#name, 0, 0, function, function##l}
static const Function functions[] = {
    ONE(exp, exp),       ONE(exp2, exp2),     ONE(expm1, expm1),    ONE(log, log),
    ONE(log2, log2),     ONE(log10, log10),   ONE(log1p, log1p),    ONE(sqrt, sqrt),
    ONE(cbrt, cbrt),     ONE(sin, sin),       ONE(cos, cos),        ONE(tan, tan),
    ONE(arcsin, asin),   ONE(arccos, acos),   ONE(arctan, atan),    ONE(sinh, sinh),
    ONE(cosh, cosh),     ONE(tanh, tanh),     ONE(arcsinh, asinh),  ONE(arccosh, acosh),
    ONE(arctanh, atanh), TWO(hypot, hypot),   TWO(arctan2, atan2),  TWO(power, pow),
    {"logaddexp", 0, 0, short_logaddexp, logaddexp},
    {"logaddexp2", 0, 0, short_logaddexp2, logaddexp2},
};

typedef struct {
  double error[WORST];
  int64_t at[WORST];
} Worst;

static void add(Worst* worst, double error, int64_t at) {
  int place = WORST - 1;
  for (; place > 0 && worst->error[place - 1] < error; --place) {
    worst->error[place] = worst->error[place - 1];
    worst->at[place] = worst->at[place - 1];
  }
  worst->error[place] = error;
  worst->at[place] = at;
}

typedef struct {
  int bits, least;  /* of a fraction, and the exponent of the smallest normal number */
  double most;
} Type;
static const Type half = {11, -14, 65504}, single = {24, -126, 3.4028234663852886e38},
                  twice = {53, -1022, 1.7976931348623157e308};

/* In units in the last place. An infinity is the number after the greatest one. */
static double error_of(long double ours, long double exact, Type type, int strange) {
  if (isnan(exact) || isnan(ours)) {
    return strange || (isnan(exact) && isnan(ours)) ? 0 : INFINITY;
  }
  if (fabsl(exact) >= type.most) {
    return fabsl(ours) >= type.most && signbit(ours) == signbit(exact) ? 0 : INFINITY;
  }
  if (isinf(ours)) ours = copysignl(ldexpl(1, ilogb(type.most) + 1), ours);
  int exponent = exact == 0 ? type.least : ilogbl(exact);
  if (exponent < type.least) exponent = type.least;
  return (double)ldexpl(fabsl(ours - exact), type.bits - 1 - exponent);
}

/* The largest errors of each of some results of the same arguments, and where they are, largest
   first: WORST of each. `bytes` of a number; those of float16 come as float. Strange arguments, nans
   of a function of two numbers, may give anything: the C library tells signalling ones from
   others. */
int find_worst(const char* name, int bytes, int64_t count, const void* x, const void* y,
               const void* const* results, int result_count, double* errors, int64_t* at) {
  const Function* function = 0;
  for (unsigned i = 0; i < sizeof functions / sizeof *functions; ++i) {
    if (strcmp(functions[i].name, name) == 0) function = &functions[i];
  }
  if (!function || result_count > MOST) return 1;
  Worst worst[MOST];
  for (int r = 0; r < result_count; ++r) {
    for (int i = 0; i < WORST; ++i) worst[r].error[i] = worst[r].at[i] = -1;
  }
  const Type type = bytes == 2 ? half : bytes == 4 ? single : twice;
  for (int64_t i = 0; i < count; ++i) {
    long double a, b, exact;
    if (bytes < 8) {
      a = ((const float*)x)[i], b = y ? ((const float*)y)[i] : 0;
      exact = y ? function->narrow2((double)a, (double)b) : function->narrow((double)a);
    } else {
      a = ((const double*)x)[i], b = y ? ((const double*)y)[i] : 0;
      exact = y ? function->wide2(a, b) : function->wide(a);
    }
    const int strange = y && (isnan(a) || isnan(b));
    for (int r = 0; r < result_count; ++r) {
      const void* ours = results[r];
      const long double own = bytes < 8 ? ((const float*)ours)[i] : ((const double*)ours)[i];
      const double error = error_of(own, exact, type, strange);
      if (error > worst[r].error[WORST - 1]) add(&worst[r], error, i);
    }
  }
  for (int r = 0; r < result_count; ++r) {
    memcpy(errors + r * WORST, worst[r].error, sizeof worst[r].error);
    memcpy(at + r * WORST, worst[r].at, sizeof worst[r].at);
  }
  return 0;
}
