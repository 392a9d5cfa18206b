// Transformations of functions: the trails that the front end lays around a call.
#include <algorithm>
#include <memory>
#include <ranges>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/convert.h"
#include "transform/batching.h"
#include "transform/script.h"
#include "transform/trail.h"
#include <heddle/errors.h>

namespace heddle::python {

namespace {

using transform::Batching;
using transform::Script;
using transform::Scripting;
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

// A way back that a Python function knows.
struct PythonPull final : transform::OwnPull {
  explicit PythonPull(nb::object function) : function(std::move(function)) {}
  ~PythonPull() override {
    const InterpreterLock lock;
    function.reset();
  }
  PythonPull(const PythonPull&) = delete;
  PythonPull& operator=(const PythonPull&) = delete;

  std::vector<std::optional<array>> pull(
      const std::vector<std::optional<array>>& cotangents) const override {
    const InterpreterLock lock;
    return nb::cast<std::vector<std::optional<array>>>(function(cotangents));
  }

  nb::object function;
};

// The innermost trail that depends on one of the arrays; null: none.
Trailing* depending(const std::vector<array>& arrays) {
  for (const auto& trailing : std::views::reverse(trailings())) {
    for (const array& a : arrays) {
      if (trailing->depends(a)) return trailing.get();
    }
  }
  return nullptr;
}

// f() while the trail hears nothing.
template <class F>
auto paused(Trailing& trailing, F f) {
  struct Pause {
    explicit Pause(Trailing& trailing) : trailing(trailing) { trailing.pause(true); }
    ~Pause() { trailing.pause(false); }
    Trailing& trailing;
  } pause(trailing);
  return f();
}

// What `compute` gives, a pair of a list of results and a way back, as a step of the innermost
// trail that depends on the inputs. None where no trail does, and then nothing was computed.
nb::object own_step(const std::vector<array>& inputs, const nb::object& compute) {
  Trailing* trailing = depending(inputs);
  if (!trailing) return nb::none();
  nb::object made = paused(*trailing, [&] { return compute(); });
  const auto results = nb::cast<std::vector<array>>(made[0]);
  return nb::cast(
      trailing->add_step(inputs, results, std::make_shared<PythonPull>(nb::object(made[1]))));
}

// Scripts that are being written in this thread, the innermost last.
std::vector<std::unique_ptr<Scripting>>& scriptings() {
  thread_local std::vector<std::unique_ptr<Scripting>> stack;
  return stack;
}

// What a script depends on of arrays: types, shapes, layouts, devices, and which of them share a
// storage. As bytes, to be looked up.
nb::bytes signature(const std::vector<array>& arrays) {
  std::vector<std::int64_t> words;
  std::vector<const Storage*> storages;
  for (const array& a : arrays) {
    const Storage& storage = a.storage();
    const Value& value = *storage.value();
    const auto known = std::ranges::find(storages, &storage);
    words.push_back(known - storages.begin());
    if (known == storages.end()) storages.push_back(&storage);
    words.push_back(static_cast<std::int64_t>(a.dtype()) << 8 |
                    static_cast<std::int64_t>(value.dtype));
    words.push_back(reinterpret_cast<std::intptr_t>(value.device));
    const Layout& layout = a.layout();
    words.push_back(layout.ndim());
    words.push_back(layout.offset);
    words.insert(words.end(), layout.shape.begin(), layout.shape.end());
    words.insert(words.end(), layout.strides.begin(), layout.strides.end());
    words.push_back(value.shape.size());
    words.insert(words.end(), value.shape.begin(), value.shape.end());
  }
  return nb::bytes(words.data(), words.size() * sizeof(std::int64_t));
}

// The arrays of which each has a storage that none before it has.
std::vector<array> by_storage(const std::vector<array>& arrays) {
  std::vector<array> made;
  for (const array& a : arrays) {
    const bool known = std::ranges::any_of(
        made, [&](const array& other) { return &other.storage() == &a.storage(); });
    if (!known) made.push_back(a);
  }
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
  m.def("own_step", own_step, nb::arg("inputs"), nb::arg("compute"));
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
  nb::class_<Script>(m, "Script")
      .def_prop_ro("impossible", [](const Script& script) { return script.impossible; })
      .def_prop_ro("steps", [](const Script& script) { return script.steps.size(); })
      .def_prop_ro("looks", [](const Script& script) { return script.looks.size(); })
      .def(
          "repeat",
          [](const Script& script, const std::vector<array>& arguments) {
            return transform::repeat(script, by_storage(arguments));
          },
          nb::arg("arguments"));
  m.def("signature", signature, nb::arg("arrays"));
  m.def(
      "start_script",
      [](const std::vector<array>& arguments) {
        scriptings().push_back(std::make_unique<Scripting>(by_storage(arguments)));
      },
      nb::arg("arguments"));
  m.def(
      "take_script",
      [](const std::vector<array>& results) {
        return std::const_pointer_cast<Script>(scriptings().back()->take(results));
      },
      nb::arg("results"));
  m.def("stop_script", [] { scriptings().pop_back(); });
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
