// Transformations of functions: the trails that the front end lays around a call.
#include <memory>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/convert.h"
#include "transform/batching.h"
#include "transform/trail.h"
#include <heddle/errors.h>

namespace heddle::python {

namespace {

using transform::Batching;
using transform::Trail;
using transform::Trailing;

// Of this thread, the innermost last.
std::vector<std::unique_ptr<Trailing>>& trailings() {
  thread_local std::vector<std::unique_ptr<Trailing>> stack;
  return stack;
}

Trailing& innermost() {
  if (trailings().empty()) throw value_error("no trail is laid in this thread");
  return *trailings().back();
}

// Which results depend on the inputs.
std::vector<bool> depends(const Trail& trail) {
  std::vector<bool> made;
  for (const Trail::Result& result : trail.results) made.push_back(result.number >= 0);
  return made;
}

// Batches of this thread, the innermost last.
std::vector<std::unique_ptr<Batching>>& batchings() {
  thread_local std::vector<std::unique_ptr<Batching>> stack;
  return stack;
}

Batching& innermost_batch() {
  if (batchings().empty()) throw value_error("there is no batch in this thread");
  return *batchings().back();
}

}  // namespace

void bind_transform(nb::module_& m) {
  nb::class_<Trail>(m, "Trail")
      .def_prop_ro("depends", depends)
      .def_prop_ro("steps", [](const Trail& trail) { return trail.steps.size(); })
      .def(
          "pull",
          [](const Trail& trail, const std::vector<std::optional<array>>& cotangents) {
            return transform::pull(trail, cotangents);
          },
          nb::arg("cotangents"));
  m.def(
      "stop_gradient", [](const array& a) { return elementwise(Op::stopped, {a}); }, nb::arg("a"));
  m.def("start_trail", [] { trailings().push_back(std::make_unique<Trailing>()); });
  m.def("watch", [](const array& a) { return innermost().watch(a); }, nb::arg("a"));
  m.def(
      "take_trail",
      [](const std::vector<array>& results) {
        return std::const_pointer_cast<Trail>(innermost().take(results));
      },
      nb::arg("results"));
  m.def("stop_trail", [] {
    innermost();
    trailings().pop_back();
  });
  m.def(
      "start_batch",
      [](std::int64_t rows) { batchings().push_back(std::make_unique<Batching>(rows)); },
      nb::arg("rows"));
  m.def(
      "enter_batch",
      [](const array& a, std::int64_t axis) { return innermost_batch().enter(a, axis); },
      nb::arg("a"), nb::arg("axis"));
  m.def(
      "leave_batch",
      [](const array& a, std::int64_t axis) { return innermost_batch().leave(a, axis); },
      nb::arg("a"), nb::arg("axis"));
  m.def("has_rows", [](const array& a) { return innermost_batch().has_rows(a); }, nb::arg("a"));
  // Gives the names of primitives that were computed row by row.
  m.def("stop_batch", [] {
    std::vector<std::string> slow = innermost_batch().take_slow();
    batchings().pop_back();
    return slow;
  });
}

}  // namespace heddle::python
