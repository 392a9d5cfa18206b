// Series of polynomials for the Python layer: the numbers that tell the families apart, values at
// points, quadrature.
#include "ops/series.h"

#include <complex>

#include <nanobind/stl/complex.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "python/routines.h"

namespace heddle::python {

namespace {

using polynomial::Terms;

// up, same and down of the first polynomials of a family.
nb::tuple bands(std::string_view prefix, std::int64_t count,
                Terms (*terms)(polynomial::Family, std::int64_t)) {
  const polynomial::Family family = polynomial::family_of(prefix);
  std::vector<double> up, same, down;
  for (std::int64_t n = 0; n < count; ++n) {
    const Terms t = terms(family, n);
    up.push_back(t.up);
    same.push_back(t.same);
    down.push_back(t.down);
  }
  return nb::make_tuple(up, same, down);
}

nb::tuple slopes(std::string_view prefix, std::int64_t count) {
  const polynomial::Family family = polynomial::family_of(prefix);
  std::vector<double> before, after;
  for (std::int64_t n = 1; n < count; ++n) {
    before.push_back(polynomial::before(family, n));
    after.push_back(polynomial::after(family, n - 1));
  }
  return nb::make_tuple(before, after, polynomial::facts(family).stride);
}

}  // namespace

void bind_series(nb::module_& m) {
  m.def(
      "series_domain",
      [](std::string_view family) {
        const auto& facts = polynomial::facts(polynomial::family_of(family));
        return std::pair{facts.low, facts.high};
      },
      nb::arg("family"));
  m.def(
      "series_recurrence",
      [](std::string_view family, std::int64_t n) {
        const auto r = polynomial::recurrence(polynomial::family_of(family), n);
        return nb::make_tuple(r.p, r.q, r.r, r.s);
      },
      nb::arg("family"), nb::arg("n"));
  m.def(
      "series_bands",
      [](std::string_view family, std::int64_t count) {
        return bands(family, count, polynomial::times_x);
      },
      nb::arg("family"), nb::arg("count"));
  m.def(
      "series_integrals",
      [](std::string_view family, std::int64_t count) {
        return bands(family, count, polynomial::integral_of);
      },
      nb::arg("family"), nb::arg("count"));
  m.def("series_slopes", slopes, nb::arg("family"), nb::arg("count"));
  m.def(
      "series_weight",
      [](std::string_view family, const array& x) {
        return polynomial::weight(polynomial::family_of(family), x);
      },
      nb::arg("family"), nb::arg("x"));
  m.def(
      "series_gauss",
      [](std::string_view family, std::int64_t count) {
        return polynomial::gauss(polynomial::family_of(family), count);
      },
      nb::arg("family"), nb::arg("count"));
  m.def(
      "series_values",
      [](std::string_view family, const array& x, const array& c) {
        return polynomial::clenshaw(polynomial::family_of(family), c, x);
      },
      nb::arg("family"), nb::arg("x"), nb::arg("c"));
  m.def(
      "series_of_numbers",
      [](std::string_view family, const array& x, const std::vector<double>& c) {
        return polynomial::clenshaw(polynomial::family_of(family), c, x);
      },
      nb::arg("family"), nb::arg("x"), nb::arg("c"));
  m.def(
      "series_of_complex",
      [](std::string_view family, const array& x, const std::vector<std::complex<double>>& c) {
        return polynomial::clenshaw(polynomial::family_of(family), c, x);
      },
      nb::arg("family"), nb::arg("x"), nb::arg("c"));
  m.def(
      "series_columns",
      [](std::string_view family, const array& x, std::int64_t degree) {
        return polynomial::columns(polynomial::family_of(family), x, degree);
      },
      nb::arg("family"), nb::arg("x"), nb::arg("degree"));
}

}  // namespace heddle::python
