// Sets, and sorting beyond sort itself, for the Python layer.
#include <heddle/sets.h>

#include "python/routines.h"
#include <heddle/errors.h>
#include <heddle/sorting.h>

namespace heddle::python {

namespace {

Lookup to_lookup(const std::optional<std::string>& kind) {
  if (!kind) return Lookup::fastest;
  if (*kind == "sort") return Lookup::sort;
  if (*kind == "table") return Lookup::table;
  throw value_error("Invalid kind: '" + *kind + "'. Please use None, 'sort' or 'table'.");
}

// The values, and after them what was asked for, in NumPy's order.
nb::tuple unique_of(const array& a, bool index, bool inverse, bool counts,
                    std::optional<std::int64_t> axis, bool equal_nan) {
  Unique found = unique_with(a, {index, inverse, counts, axis, equal_nan});
  std::vector<array> all{std::move(found.values)};
  for (auto* part : {&found.index, &found.inverse, &found.counts}) {
    if (*part) all.push_back(*std::move(*part));
  }
  return to_tuple(std::move(all));
}

}  // namespace

void bind_sets(nb::module_& m) {
  m.def("unique", unique_of, nb::arg("a"), nb::arg("index"), nb::arg("inverse"), nb::arg("counts"),
        nb::arg("axis").none(), nb::arg("equal_nan"));
  m.def(
      "isin",
      [](const array& elements, const array& tests, bool invert, std::optional<std::string> kind) {
        return isin(elements, tests, invert, to_lookup(kind));
      },
      nb::arg("elements"), nb::arg("tests"), nb::arg("invert"), nb::arg("kind").none());
  m.def("union1d", union1d);
  m.def("intersect1d", intersect1d);
  m.def("intersection", [](const array& a, const array& b, bool assume_unique) {
    auto found = intersection(a, b, assume_unique);
    return nb::make_tuple(found.values, found.first, found.second);
  });
  m.def("setxor1d", setxor1d);
  m.def("setdiff1d", setdiff1d);
  m.def("lexsort", lexsort);
  m.def("topk", [](const array& a, std::int64_t k, std::int64_t axis, bool largest) {
    auto found = topk(a, k, axis, largest);
    return nb::make_tuple(found.values, found.indices);
  });
}

}  // namespace heddle::python
