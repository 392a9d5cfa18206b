// Rules of element-wise operations, made from the rows of derivatives.h.
#include <cmath>
#include <limits>

#include "graph/derivative.h"
#include "graph/make.h"
#include "transform/derivatives.h"
#include "transform/gamma_slope.h"
#include "transform/rules.h"
#include "transform/support.h"
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

// y * x**(y - 1), and 0 where y is 0.
array slope_of_power(const array& x, const array& y) {
  if (!is_complex(y.dtype())) {
    if (auto known = known_number(y)) {
      const double exponent = to_array(*known).item<double>();
      return exponent == 0 ? x * 0.0 : power(x, Scalar(exponent - 1)) * Scalar(exponent);
    }
  }
  const array is_zero = y == 0;
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
#define times_xz(f) HEDDLE_SLOPE(xz, gated(g, f))
#define times_yz(f) HEDDLE_SLOPE(yz, gated(g, f))
#define times_wz(f) HEDDLE_SLOPE(wz, gated(g, f))
#define as_none(f) HEDDLE_SLOPE(none, f)
#define as_x(f) HEDDLE_SLOPE(x, f)
#define as_y(f) HEDDLE_SLOPE(y, f)
#define as_xy(f) HEDDLE_SLOPE(xy, f)
#define unknown HEDDLE_SLOPE(none, g* Scalar(std::numeric_limits<double>::quiet_NaN()))

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

}  // namespace heddle::transform
