// Linear algebra for heddle.linalg, which gives it NumPy's arguments.
#include <heddle/linalg.h>

#include <algorithm>
#include <string_view>

#include "ops/dense_routines.h"
#include "python/casters.h"
#include <heddle/errors.h>

namespace heddle::python {

namespace {

template <class... Arrays>
nb::tuple tuple_of(Arrays... arrays) {
  return nb::make_tuple(nb::steal(wrap(std::move(arrays)))...);
}

linalg::MatrixNorm to_norm(const std::string& order) {
  static constexpr std::string_view names[] = {"fro", "nuc", "1", "-1", "2", "-2", "inf", "-inf"};
  const auto* found = std::ranges::find(names, order);
  if (found == std::end(names)) throw value_error("Invalid norm order for matrices.");
  return static_cast<linalg::MatrixNorm>(found - std::begin(names));
}

DenseRoutine to_routine(const std::string& name) {
  static constexpr std::string_view names[] = {
      "hessenberg",          "schur",           "reorder_schur", "generalised_schur",
      "reorder_generalised", "generalised_eig", "two_sided_eig", "indefinite",
      "pivoted_qr",          "sylvester"};
  const auto* found = std::ranges::find(names, name);
  if (found == std::end(names)) throw value_error("no routine has this name: " + name);
  return static_cast<DenseRoutine>(found - std::begin(names));
}

}  // namespace

void bind_linalg(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("linalg", "Factorisations of matrices.");
  m.def(
      "result_type",
      [](const array& a, std::optional<array> b) {
        return numpy_dtype(b ? linalg::result_type(a, *b) : linalg::result_type(a));
      },
      nb::arg("a"), nb::arg("b") = nb::none());
  m.def("exchange_ignored", [](bool ignored) {
    const auto now = ignored ? linalg::Failures::ignore : linalg::Failures::raise;
    return linalg::exchange_failures(now) == linalg::Failures::ignore;
  });
  m.def("solve", linalg::solve);
  m.def("inv", linalg::inv);
  m.def("inv_or_nan", linalg::inv_or_nan);
  m.def("det", linalg::det);
  m.def("slogdet", [](const array& a) {
    auto [sign, logabsdet] = linalg::slogdet(a);
    return tuple_of(sign, logabsdet);
  });
  m.def("lu", [](const array& a) {
    auto [factors, pivots] = linalg::lu(a);
    return tuple_of(factors, pivots);
  });
  m.def("solve_triangular", linalg::solve_triangular);
  // What the device's LAPACK has beyond (ops/dense_routines.h).
  m.def("has_dense_routines", [](const array& a) { return has_dense_routines(a.device()); });
  m.def("dense_routine",
        [](const std::string& name, const std::vector<array>& given, bool lower, bool hermitian) {
          nb::list made;
          for (array& each : dense_routine(to_routine(name), given, lower, hermitian)) {
            made.append(nb::steal(wrap(std::move(each))));
          }
          return nb::tuple(made);
        });
  m.def("cholesky", linalg::cholesky);
  m.def("qr", [](const array& a, bool complete) {
    auto [q, r] = linalg::qr(a, complete);
    return tuple_of(q, r);
  });
  m.def("qr_r", linalg::qr_r);
  m.def("qr_raw", [](const array& a) {
    auto [h, tau] = linalg::qr_raw(a);
    return tuple_of(h, tau);
  });
  m.def("svd", [](const array& a, bool full_matrices) {
    auto [u, s, vh] = linalg::svd(a, full_matrices);
    return tuple_of(u, s, vh);
  });
  m.def("svdvals", linalg::svdvals);
  m.def("eigh", [](const array& a, bool upper) {
    auto [w, v] = linalg::eigh(a, upper);
    return tuple_of(w, v);
  });
  m.def("eigvalsh", linalg::eigvalsh);
  m.def("eig", [](const array& a) {
    auto [w, v] = linalg::eig(a);
    return tuple_of(w, v);
  });
  m.def("eigvals", linalg::eigvals);
  m.def("pinv", linalg::pinv);
  m.def("length_of", linalg::length_of);
  m.def("norm", linalg::norm);
  m.def("vector_norm", linalg::vector_norm);
  m.def("matrix_norm", [](const array& x, const std::string& order, std::int64_t rows,
                          std::int64_t columns, bool keepdims) {
    return linalg::matrix_norm(x, to_norm(order), rows, columns, keepdims);
  });
  m.def("cond",
        [](const array& x, const std::string& order) { return linalg::cond(x, to_norm(order)); });
  m.def("matrix_power", linalg::matrix_power);
  m.def("multi_dot", linalg::multi_dot);
  m.def("tensorsolve", linalg::tensorsolve);
  m.def("tensorinv", linalg::tensorinv);
  m.def(
      "lstsq",
      [](const array& a, const array& b, std::optional<double> rcond) {
        auto made = linalg::lstsq(a, b, rcond);
        return nb::make_tuple(nb::steal(wrap(made.x)), nb::steal(wrap(made.residuals)), made.rank,
                              nb::steal(wrap(made.singular_values)));
      },
      nb::arg("a"), nb::arg("b"), nb::arg("rcond").none());
}

}  // namespace heddle::python
