// Einstein's sums for the Python layer, which knows NumPy's other ways to write them.
#include "ops/einsum.h"

#include "python/routines.h"
#include <heddle/errors.h>

namespace heddle::python {

namespace {

using einstein::Search;

std::vector<Dims> shapes_of(const std::vector<array>& arrays) {
  std::vector<Dims> shapes;
  for (const array& a : arrays) shapes.push_back(a.shape());
  return shapes;
}

Search to_search(const std::string& name) {
  if (name == "greedy") return Search::greedy;
  if (name == "optimal") return Search::optimal;
  if (name == "all") return Search::all_at_once;
  throw value_error("einsum: no such path");
}

// The terms of the operands, that of the output, and the extent of each label.
nb::tuple parsed(const std::string& text, const std::vector<Dims>& shapes, bool sum_ellipses) {
  const auto found = einstein::parse(text, shapes, sum_ellipses);
  nb::dict sizes;
  for (const auto& [label, extent] : found.sizes) sizes[nb::str(&label, 1)] = extent;
  return nb::make_tuple(found.terms, found.output, sizes);
}

// Without a path, the greedy one.
array contracted(const std::string& text, const std::vector<array>& arrays, bool sum_ellipses,
                 const std::optional<std::vector<Dims>>& path, std::optional<Dtype> dtype) {
  const auto expression = einstein::parse(text, shapes_of(arrays), sum_ellipses);
  const std::vector<Input> inputs(arrays.begin(), arrays.end());
  return einstein::contract(expression, path ? *path : find_path(expression, Search::greedy),
                            arrays, dtype.value_or(common_type(inputs)));
}

// None where something of the operand is summed.
nb::object view_of(nb::handle operand, const std::string& text, bool sum_ellipses) {
  const array& a = array_in(operand.ptr());
  const auto expression = einstein::parse(text, {a.shape()}, sum_ellipses);
  for (char label : expression.terms[0]) {
    if (expression.output.find(label) == std::string::npos) return nb::none();
  }
  return nb::steal(wrap_view(einstein::view(a, expression), operand));
}

}  // namespace

void bind_einsum(nb::module_& m) {
  m.def("einsum_parse", parsed);
  m.def("einsum_view", view_of);
  m.def(
      "einsum_path",
      [](const std::string& text, const std::vector<Dims>& shapes, const std::string& search,
         std::optional<double> limit) {
        return find_path(einstein::parse(text, shapes, true), to_search(search), limit);
      },
      nb::arg("text"), nb::arg("shapes"), nb::arg("search"), nb::arg("limit").none());
  m.def("einsum", contracted, nb::arg("text"), nb::arg("arrays"), nb::arg("sum_ellipses"),
        nb::arg("path").none(), nb::arg("dtype").none());
}

}  // namespace heddle::python
