// Rules of element-wise operations, made from the rows of derivatives.h.
#include <cmath>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "graph/derivative.h"
#include "graph/explain.h"
#include "graph/make.h"
#include "transform/derivatives.h"
#include "transform/gamma_slope.h"
#include "transform/rules.h"
#include "transform/support.h"
#include <heddle/errors.h>
#include <heddle/op_table.h>

namespace heddle::transform {

namespace {

array imaginary(const array& part) {
  const Scalar zero(0.0);
  const Input parts[] = {zero, part};
  return elementwise_as(Op::make_complex, parts, part.dtype(), complex_type(part.dtype()));
}

// Of logarithms: 0 where they are equal, infinities too.
array difference(const array& x, const array& z) { return where(x == z, Scalar(0), x - z); }

// What of the cotangent goes to one of two operands: all of it, half where they are equal.
array share(const array& is_result, const array& is_tie, Dtype dtype) {
  return where(is_tie, array(0.5, dtype), cast(is_result, dtype));
}

// y * x**(y - 1), and 0 where both are 0. Where only y is 0, it is 0 as well, but changes with y.
array slope_of_power(const array& x, const array& y) {
  if (!is_complex(y.dtype())) {
    if (auto known = known_number(y)) {
      const double exponent = to_array(*known).item<double>();
      return exponent == 0 ? x * 0.0 : power(x, Scalar(exponent - 1)) * Scalar(exponent);
    }
  }
  const array is_zero = logical_and(y == 0, x == 0);
  return where(is_zero, Scalar(0), y * power(x, where(is_zero, Scalar(1), y - 1)));
}

// Of complex numbers it is z / |z|: what changes is the direction.
array slope_of_sign(const array& g, const array& x) {
  if (!is_complex(x.dtype())) return g * 0.0;
  const array direction = sign(x), length = cast(or_one(absolute(x)), x.dtype());
  const array turned = gated(g, direction / length);
  return (gated(g, reciprocal(length)) - conjugate(direction) * cast(real(turned), x.dtype()));
}

constexpr double normal_density = 0.398942280401432677939946059934381868;  // at 0

array trigamma(const array& x) { return elementwise(Op::zeta_of, {Scalar(2.0), x}); }

// What pseudo_huber has for a root.
array bend(const array& delta, const array& r) { return sqrt(square(r / delta) + 1); }

// Of the regularised incomplete gamma function with respect to a. That of a + 1 differs from it by
// the density p there, whose slope is p (log(x) - digamma(a + 1)); the integral wants a from 1 on.
array incomplete_slope(const array& a, const array& x) {
  const array b = a + 1, density = exp(a * log(x) - x - special::gammaln(b));
  const array inside = or_one(x);
  return where(x == 0, Scalar(0),
               density * (log(inside) - special::digamma(b) - gamma_slope(b, inside)));
}

array boxcox_slope(const array& x, const array& lambda) {
  const array logarithm = log(x);
  return where(lambda == 0, square(logarithm) * 0.5,
               (power(x, lambda) * logarithm - special::boxcox(x, lambda)) / or_one(lambda));
}

// (K(m) - E(m)) / m, Legendre's D, without the difference.
array difference_of_integrals(const array& m) {
  return elementwise(Op::elliprd, {Scalar(0.0), 1 - m, Scalar(1.0)}) * (1.0 / 3);
}

array apply_all(Op op, std::initializer_list<array> operands) {
  const std::vector<array> all(operands);
  return apply(op, std::span<const array>(all));
}

array beta_density(const array& a, const array& b, const array& x) {
  return exp((a - 1) * log(x) + (b - 1) * log1p(-x) - special::betaln(a, b));
}

array chi_square_density(const array& v, const array& x) {
  const array half = v * 0.5;
  return exp((half - 1) * log(x * 0.5) - x * 0.5 - special::gammaln(half)) * 0.5;
}

array student_density(const array& v, const array& t) {
  const array power = log1p(square(t) / v) * (v + 1) * -0.5;
  return exp(power - special::betaln(v * 0.5, array(0.5, v.dtype()))) / sqrt(v);
}

// The degree of a polynomial as a number to multiply with.
array of_degree(const array& n, const array& x) { return cast(n, x.dtype()); }

[[noreturn]] array unknown_slope(const graph::Pullback& step) {
  throw type_error(
      fmt::format("{} has no derivative with respect to its parameters: see stop_gradient",
                  graph::name_of(step.node())));
}

// One derivative of an operation: null where it is flat.
using Rule = array (*)(const graph::Pullback& step, const array& g);
struct Row {
  graph::Derivative derivative;
  Rule rules[5] = {};
};

// x, y and w are operands, z is the result.
enum Uses : std::uint32_t {
  none = 0,
  x = 1,
  y = 2,
  w = 4,
  z = 8,
  xy = x | y,
  xyw = x | y | w,
  xyz = x | y | z,
  xz = x | z,
  yz = y | z,
  wz = w | z
};

struct Slope {
  std::uint32_t uses = 0;
  Rule rule = nullptr;
};

#define HEDDLE_READ_none
#define HEDDLE_READ_x [[maybe_unused]] const array& x = step.operand(0);
#define HEDDLE_READ_y [[maybe_unused]] const array& y = step.operand(1);
#define HEDDLE_READ_z [[maybe_unused]] const array& z = step.output(0);
#define HEDDLE_READ_w [[maybe_unused]] const array& w = step.operand(2);
#define HEDDLE_READ_wz HEDDLE_READ_w HEDDLE_READ_z
#define HEDDLE_READ_xy HEDDLE_READ_x HEDDLE_READ_y
#define HEDDLE_READ_xyw HEDDLE_READ_xy HEDDLE_READ_w
#define HEDDLE_READ_xyz HEDDLE_READ_xy HEDDLE_READ_z
#define HEDDLE_READ_xz HEDDLE_READ_x HEDDLE_READ_z
#define HEDDLE_READ_yz HEDDLE_READ_y HEDDLE_READ_z
#define HEDDLE_SLOPE(uses, expression)                                     \
  Slope {                                                                  \
    Uses::uses, [](const graph::Pullback& step, const array& g) -> array { \
      HEDDLE_READ_##uses(void) step;                                       \
      return expression;                                                   \
    }                                                                      \
  }
#define times_x(f) HEDDLE_SLOPE(x, gated(g, f))
#define times_y(f) HEDDLE_SLOPE(y, gated(g, f))
#define times_z(f) HEDDLE_SLOPE(z, gated(g, f))
#define times_xy(f) HEDDLE_SLOPE(xy, gated(g, f))
#define times_xyw(f) HEDDLE_SLOPE(xyw, gated(g, f))
#define times_xz(f) HEDDLE_SLOPE(xz, gated(g, f))
#define times_yz(f) HEDDLE_SLOPE(yz, gated(g, f))
#define times_wz(f) HEDDLE_SLOPE(wz, gated(g, f))
#define as_none(f) HEDDLE_SLOPE(none, f)
#define as_x(f) HEDDLE_SLOPE(x, f)
#define as_y(f) HEDDLE_SLOPE(y, f)
#define as_xy(f) HEDDLE_SLOPE(xy, f)
#define as_xyz(f) HEDDLE_SLOPE(xyz, f)
#define unknown HEDDLE_SLOPE(none, unknown_slope(step))

void pull_elementwise(graph::Pullback& step);

Row row_of(std::initializer_list<Slope> slopes) {
  Row row;
  row.derivative.pull = pull_elementwise;
  int i = 0;
  for (const Slope& slope : slopes) {
    row.derivative.operands |= slope.uses & (Uses::xy | Uses::w);
    row.derivative.outputs |= slope.uses & Uses::z ? 1 : 0;
    row.rules[i++] = slope.rule;
  }
  return row;
}

// The row of an operation; null where there is none.
const Row* row_of(Op op) {
  static const auto same = Slope{0, [](const graph::Pullback&, const array& g) { return g; }};
  static const auto negated = Slope{0, [](const graph::Pullback&, const array& g) { return -g; }};
  static const auto flat = Slope{};
  switch (op) {
#define HEDDLE_CASE(op, ...)                      \
  case Op::op: {                                  \
    static const Row row = row_of({__VA_ARGS__}); \
    return &row;                                  \
  }
    HEDDLE_DERIVATIVES(HEDDLE_CASE)
#undef HEDDLE_CASE
    default:
      return nullptr;
  }
}

void pull_elementwise(graph::Pullback& step) {
  const array g = *step.cotangent(0);
  const Row& row = *row_of(step.node().op);
  for (int i = 0; i < step.operand_count(); ++i) {
    if (step.wants(i) && row.rules[i]) step.give(i, row.rules[i](step, g));
  }
}

}  // namespace

const graph::Derivative* elementwise_derivative(Op op) {
  const Row* row = row_of(op);
  return row ? &row->derivative : nullptr;
}

bool is_flat(Op op, int operand) {
  const Row* row = row_of(op);
  return op == Op::sign || (row && !row->rules[operand]);
}

}  // namespace heddle::transform
