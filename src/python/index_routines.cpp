// NumPy's indexing routines for the Python layer.
#include <heddle/index_routines.h>

#include "python/routines.h"
#include <heddle/errors.h>

namespace heddle::python {

namespace {

OutOfRange to_mode(const std::string& name) {
  if (name == "raise") return OutOfRange::raise;
  if (name == "wrap") return OutOfRange::wrap;
  if (name == "clip") return OutOfRange::clip;
  throw value_error("clipmode must be one of 'clip', 'raise', or 'wrap' (got '" + name + "')");
}

array raveled(const std::vector<array>& indices, const Dims& shape,
              const std::vector<std::string>& modes, bool columns) {
  std::vector<OutOfRange> each;
  for (const std::string& mode : modes) each.push_back(to_mode(mode));
  return ravel_multi_index(indices, shape, each, columns);
}

}  // namespace

void bind_index_routines(nb::module_& m) {
  m.def("take", [](const array& a, const array& indices, std::int64_t axis,
                   const std::string& mode) { return take(a, indices, axis, to_mode(mode)); });
  m.def("choose", [](const array& which, const std::vector<array>& choices,
                     const std::string& mode) { return choose(which, choices, to_mode(mode)); });
  m.def("argwhere", argwhere);
  m.def("compress", compress, nb::arg("condition"), nb::arg("a"), nb::arg("axis").none());
  m.def("ix_", ix_, nb::arg("indices"));
  m.def("sliding_window_view", sliding_window_view, nb::arg("a"), nb::arg("window"),
        nb::arg("axes").none());
  m.def("put", [](const array& a, const array& indices, const array& values,
                  const std::string& mode) { put(a, indices, values, to_mode(mode)); });
  m.def("place", place);
  m.def("putmask", putmask);
  m.def("fill_diagonal", fill_diagonal);
  m.def("ravel_multi_index", raveled);
  m.def("unravel_index", [](const array& indices, const Dims& shape, bool columns) {
    return to_tuple(unravel_index(indices, shape, columns));
  });
}

}  // namespace heddle::python
