// Special functions that are composed of element-wise ones, and those with complex results where
// real ones do not exist, for the Python layer.
#include "ops/special.h"

#include "python/routines.h"
#include <heddle/emath.h>

namespace heddle::python {

namespace {

// What ufuncs take; a number of Python's yields to the types of others.
array operand(nb::handle given) {
  PythonInput input;
  input.set(given, true);
  array made = input.as_array();
  if (input.is_scalar()) made.set_weak(true);
  return made;
}

special::Extend to_extend(bool complex) {
  return complex ? special::Extend::complex : special::Extend::zero;
}

using OfOrder = array (*)(const array&, const array&, std::int64_t);
constexpr std::pair<const char*, OfOrder> derivatives[] = {
    {"special_jvp", special::jvp}, {"special_yvp", special::yvp},   {"special_ivp", special::ivp},
    {"special_kvp", special::kvp}, {"special_h1vp", special::h1vp}, {"special_h2vp", special::h2vp},
};

using Spherical = array (*)(const array&, const array&, bool);
constexpr std::pair<const char*, Spherical> spherical[] = {
    {"spherical_jn", special::spherical_jn},
    {"spherical_yn", special::spherical_yn},
    {"spherical_in", special::spherical_in},
    {"spherical_kn", special::spherical_kn},
};

using OfOne = array (*)(const array&);
constexpr std::pair<const char*, OfOne> extended[] = {
    {"emath_sqrt", emath::sqrt},       {"emath_log", emath::log},
    {"emath_log2", emath::log2},       {"emath_log10", emath::log10},
    {"emath_arccos", emath::arccos},   {"emath_arcsin", emath::arcsin},
    {"emath_arctanh", emath::arctanh},
};

}  // namespace

void bind_special(nb::module_& m) {
  for (const auto& [name, function] : extended) m.def(name, function, nb::arg("x"));
  m.def("emath_logn", emath::logn, nb::arg("n"), nb::arg("x"));
  m.def("emath_power", emath::power, nb::arg("x"), nb::arg("p"));
  for (const auto& [name, function] : derivatives) {
    m.def(
        name,
        [function = function](nb::handle v, nb::handle z, std::int64_t n) {
          return function(operand(v), operand(z), n);
        },
        nb::arg("v"), nb::arg("z"), nb::arg("n"));
  }
  for (const auto& [name, function] : spherical) {
    m.def(name, function, nb::arg("n"), nb::arg("z"), nb::arg("derivative"));
  }
  m.def(
      "sph_harm_y",
      [](const array& n, const array& order, nb::handle theta, nb::handle phi) {
        return special::sph_harm_y(n, order, operand(theta), operand(phi));
      },
      nb::arg("n"), nb::arg("m"), nb::arg("theta"), nb::arg("phi"));
  m.def("polygamma", special::polygamma, nb::arg("n"), nb::arg("x"));
  m.def("multigammaln", special::multigammaln, nb::arg("a"), nb::arg("d"));
  m.def("comb", special::comb, nb::arg("n"), nb::arg("k"), nb::arg("repetition"));
  m.def("perm", special::perm, nb::arg("n"), nb::arg("k"));
  m.def(
      "factorial",
      [](const array& n, bool complex) { return special::factorial(n, to_extend(complex)); },
      nb::arg("n"), nb::arg("complex"));
  m.def(
      "factorialk",
      [](const array& n, Scalar k, bool complex) {
        return special::factorialk(n, k, to_extend(complex));
      },
      nb::arg("n"), nb::arg("k"), nb::arg("complex"));
  m.def("diric", special::diric, nb::arg("x"), nb::arg("n"));
  m.def(
      "logsumexp",
      [](const array& a, const Axes& axis, std::optional<array> b, bool keepdims, bool sign) {
        const special::LogSum how{.axis = axis, .keepdims = keepdims, .b = std::move(b)};
        if (!sign) return std::pair{special::logsumexp(a, how), std::optional<array>()};
        auto [made, direction] = special::logsumexp_and_sign(a, how);
        return std::pair{std::move(made), std::optional(std::move(direction))};
      },
      nb::arg("a"), nb::arg("axis").none(), nb::arg("b").none(), nb::arg("keepdims"),
      nb::arg("sign"));
  m.def(
      "logarithm_of_sum",
      [](const array& a, const Axes& axis, const std::optional<array>& b,
         const std::optional<array>& mask, bool size) {
        auto made = special::logarithm_of_sum(a, axis, b, mask, size);
        return std::pair{std::move(made.logarithm), std::move(made.sign)};
      },
      nb::arg("a"), nb::arg("axis").none(), nb::arg("b").none(), nb::arg("mask").none(),
      nb::arg("size"));
  m.def("special_softmax", special::softmax, nb::arg("x"), nb::arg("axis").none());
  m.def("special_log_softmax", special::log_softmax, nb::arg("x"), nb::arg("axis").none());
  m.def("softmax", special::softmax_where, nb::arg("x"), nb::arg("axis").none(),
        nb::arg("mask").none());
  m.def("log_softmax", special::log_softmax_where, nb::arg("x"), nb::arg("axis").none(),
        nb::arg("mask").none());
}

}  // namespace heddle::python
