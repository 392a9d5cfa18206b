// Series of polynomials at points, for the Python layer.
#include "ops/series.h"

#include <complex>

#include <nanobind/stl/complex.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "python/routines.h"

namespace heddle::python {

void bind_series(nb::module_& m) {
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
