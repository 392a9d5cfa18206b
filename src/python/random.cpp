// Random words and what is made of them; the generators are in python/heddle/random.
#include "ops/random.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>

#include "core/storage.h"
#include "python/convert.h"
#include "runtime/device.h"

namespace heddle::python {

namespace {

using Key = std::array<std::uint64_t, 2>;
using Counter = std::array<std::uint64_t, 4>;

array of_words(Op op, const array& words) {
  Input input(words);
  auto types = resolve(op, std::span(&input, 1));
  return elementwise_as(op, std::span(&input, 1), types.compute, types.result);
}

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
      [](const Key& key, const Counter& counter, nb::handle shape, nb::handle dtype) {
        return random_words({key, counter}, to_dims(shape), to_dtype(dtype), default_device());
      },
      nb::arg("key"), nb::arg("counter"), nb::arg("shape"), nb::arg("dtype"));
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
  function("log_gamma", Op::log_gamma);
  function("poisson_quantile", Op::poisson_quantile);
  function("binomial_quantile", Op::binomial_quantile);
  for (Op op : {Op::shuffled, Op::hypergeometric_quantile, Op::gamma_deviate, Op::poisson_deviate,
                Op::binomial_deviate, Op::hypergeometric_deviate, Op::zipf_deviate,
                Op::logseries_deviate, Op::vonmises_deviate})
    function(info(op).name, op);
  // What was just drawn, in another shape: an array that is nobody's view.
  m.def("drawn", [](const array& a, nb::handle shape) {
    array made = a.reshape(to_dims(shape));
    made.storage().snapshot = made.ndim() == 0;
    return made;
  });
  m.def("taken", &taken, nb::arg("drawn"));
  m.def("unit_interval", [](const array& a) { return of_words(Op::unit_interval, a); });
  m.def("normal_deviate", [](const array& a) { return of_words(Op::normal_deviate, a); });
}

}  // namespace heddle::python
