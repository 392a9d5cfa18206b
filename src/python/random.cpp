// Random words and what is made of them; the generators are in python/heddle/random.
#include "ops/random.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>

#include "graph/storage.h"
#include "python/convert.h"
#include "runtime/device.h"

namespace heddle::python {

namespace {

using Key = std::array<std::uint64_t, 2>;
using Counter = std::array<std::uint64_t, 4>;

// The memory of a NumPy array that nobody else has, or will see.
array taken(nb::handle given) {
  array made = from_numpy(given, true);
  made.storage().exports.fetch_sub(1, std::memory_order_relaxed);
  return made;
}

}  // namespace

void bind_random(nb::module_& m) {
  m.def(
      "random_words",
      [](const Key& key, const Counter& counter, nb::handle shape, nb::handle dtype,
         std::int64_t skipped, std::uint64_t source) {
        return random_words({key, counter, source}, to_dims(shape), to_dtype(dtype),
                            default_device(), skipped);
      },
      nb::arg("key"), nb::arg("counter"), nb::arg("shape"), nb::arg("dtype"),
      nb::arg("skipped") = 0, nb::arg("source") = 0);
  m.def("rows_at_once", &rows_at_once);
  m.def("row_of_drawn", &row_of_drawn, nb::arg("rows"));
  m.def(
      "random_block",
      [](const Key& key, const Counter& counter) { return random_block({key, counter}); },
      nb::arg("key"), nb::arg("counter"));
  auto function = [&m](const char* name, Op op) {
    m.def(name, [op](nb::args args) {
      PythonInput given[max_inputs];
      std::vector<Input> inputs;
      for (std::size_t i = 0; i < args.size(); ++i) {
        given[i].set(args[i], true);
        inputs.push_back(given[i].input());
      }
      return elementwise(op, inputs);
    });
  };
  for (int row = 0; row < table_ops; ++row) {
    const Op op = static_cast<Op>(row);
    if (info(op).space == Space::random) function(info(op).name, op);
  }
  // What was just drawn, in another shape: an array that is nobody's view.
  m.def("drawn", [](const array& a, nb::handle shape) {
    array made = a.reshape(to_dims(shape));
    made.storage().snapshot = made.ndim() == 0;
    return made;
  });
  m.def("taken", &taken, nb::arg("drawn"));
}

}  // namespace heddle::python
