// Sorting and searching for the Python layer.

#include "ops/sorting.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include "python/convert.h"

namespace heddle::python {

void bind_sorting(nb::module_& m) {
  m.def("sort", heddle::sort, nb::arg("a"), nb::arg("axis"));
  m.def("argsort", heddle::argsort, nb::arg("a"), nb::arg("axis"));
  m.def(
      "partition",
      [](const array& a, nb::handle ranks, std::int64_t axis) {
        return partition(a, to_dims(ranks), axis);
      },
      nb::arg("a"), nb::arg("ranks"), nb::arg("axis"));
  m.def(
      "argpartition",
      [](const array& a, nb::handle ranks, std::int64_t axis) {
        return argpartition(a, to_dims(ranks), axis);
      },
      nb::arg("a"), nb::arg("ranks"), nb::arg("axis"));
  m.def("order_statistics",
        [](const array& a, nb::handle ranks) { return order_statistics(a, to_dims(ranks)); });
  m.def("searchsorted", heddle::searchsorted, nb::arg("sorted"), nb::arg("values"),
        nb::arg("right"));
  m.def("take_in_rows", take_in_rows, nb::arg("a"), nb::arg("indices"));
  m.def("count_bins", count_bins, nb::arg("bins"), nb::arg("count"),
        nb::arg("weights") = nb::none());
}

}  // namespace heddle::python
