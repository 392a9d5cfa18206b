// Random words and what is made of them; the generators' state is kept in python/heddle/random.
#include "ops/random.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "graph/storage.h"
#include "ops/at_hand.h"
#include "ops/creation.h"
#include "ops/distributions.h"
#include "python/convert.h"
#include "runtime/device.h"
#include <heddle/creation.h>
#include <heddle/ufuncs.h>

namespace heddle::python {

namespace {

using Key = std::array<std::uint64_t, 2>;
using Counter = std::array<std::uint64_t, 4>;

// The memory of a NumPy array that nobody else has, or will see.
array taken(nb::handle given) {
  array made = from_numpy(given, true);
  --made.storage().exports;
  return made;
}

// The stream of a bit generator of Python's.
class PythonSource final : public random::Source {
 public:
  explicit PythonSource(nb::handle bits) : bits_(bits) {}
  random::Reserved reserve(std::int64_t count, int planes, int per_word) override {
    return nb::cast<random::Reserved>(bits_.attr("reserve")(count, planes, per_word));
  }
  array next(const Dims& shape) override {
    return nb::cast<array>(bits_.attr("words")(to_tuple(shape)));
  }

 private:
  nb::handle bits_;
};

random::Parameter to_parameter(nb::handle given) {
  if (nb::isinstance<array>(given)) return nb::cast<array>(given);
  return nb::cast<double>(given);
}

std::vector<random::Parameter> to_parameters(const nb::sequence& given) {
  std::vector<random::Parameter> parameters;
  for (nb::handle one : given) parameters.push_back(to_parameter(one));
  return parameters;
}

// What was just drawn is nobody's view.
array own(array made) {
  made.storage().snapshot = made.ndim() == 0;
  return made;
}

void bind_distributions(nb::module_& m) {
  nb::class_<random::Reserved>(m, "Reserved", "Blocks that one call has for itself.")
      .def(
          "__init__",
          [](random::Reserved* self, const Key& key, const Counter& counter, std::uint64_t blocks,
             std::uint64_t source) { new (self) random::Reserved{{key, counter, source}, blocks}; },
          nb::arg("key"), nb::arg("counter"), nb::arg("blocks"), nb::arg("source"))
      .def(
          "words",
          [](const random::Reserved& self, nb::handle shape, std::uint64_t plane) {
            return self.words(to_dims(shape), plane);
          },
          nb::arg("shape"), nb::arg("plane") = 0, "One word for every element.");
  m.def(
      "draw",
      [](std::string_view distribution, nb::handle bits, nb::sequence given, nb::handle shape,
         nb::handle dtype) {
        const std::vector<random::Parameter> parameters = to_parameters(given);
        PythonSource source(bits);
        const Dtype wanted = dtype.is_none() ? Dtype::float64 : to_dtype(dtype);
        return own(random::draw(distribution, source, parameters, to_dims(shape), wanted));
      },
      nb::arg("distribution"), nb::arg("bits"), nb::arg("parameters"), nb::arg("shape"),
      nb::arg("dtype") = nb::none());
  m.def(
      "draw_at_once",
      [](std::string_view distribution, const Key& key, std::uint64_t low, int used,
         nb::sequence given, nb::handle shape) {
        Counter counter{low};
        random::Stream source(key, counter, used);
        const Dims extents = shape.is_none() ? Dims{} : to_dims(shape);
        array made = own(random::draw(distribution, source, to_parameters(given), extents));
        nb::object drawn;
        if (shape.is_none()) {
          drawn = to_python_number(made);
        } else {
          // A loop that draws a few numbers in each pass does not become one long kernel.
          is_there_at_once(*made.storage().value());
          drawn = nb::steal(wrap(std::move(made)));
        }
        return nb::make_tuple(std::move(drawn), counter[0], used);
      },
      nb::arg("distribution"), nb::arg("key"), nb::arg("counter"), nb::arg("used"),
      nb::arg("parameters"), nb::arg("shape").none());
  // first + a number of [0, span] for each element, and where the words are then.
  m.def(
      "draw_integers_at_once",
      [](const Key& key, std::uint64_t counter, int used, std::optional<std::uint64_t> half,
         std::int64_t first, std::uint64_t span, nb::handle shape) {
        HostWords words(key, counter, used, half);
        const Dims extents = to_dims(shape);
        std::vector<std::uint64_t> drawn(static_cast<std::size_t>(size_of(extents)));
        for (std::uint64_t& number : drawn) {
          number = static_cast<std::uint64_t>(first) + words.next_number(span);
        }
        array made = from_host(drawn.data(), SharedLayout::contiguous(extents), Dtype::int64,
                               default_device());
        return nb::make_tuple(nb::steal(wrap(own(std::move(made)))), words.counter(), words.used(),
                              words.half(), words.last_half());
      },
      nb::arg("key"), nb::arg("counter"), nb::arg("used"), nb::arg("half").none(), nb::arg("first"),
      nb::arg("span"), nb::arg("shape"));
  m.def(
      "check_parameters",
      [](std::string_view distribution, nb::sequence given) {
        random::check(distribution, to_parameters(given));
      },
      nb::arg("distribution"), nb::arg("parameters"));
  m.def("high_product", [](const array& x, nb::handle y) {
    if (nb::isinstance<array>(y)) return random::high_product(x, nb::cast<array>(y));
    return random::high_product(x, full({}, nb::cast<std::uint64_t>(y), Dtype::uint64));
  });
  m.def(
      "draw_between",
      [](nb::handle bits, const array& first, const array& span, nb::handle shape) {
        PythonSource source(bits);
        return own(random::draw_between(source, first, span, to_dims(shape)));
      },
      nb::arg("bits"), nb::arg("first"), nb::arg("span"), nb::arg("shape"));
  m.def(
      "draw_order",
      [](nb::handle bits, std::int64_t count, std::optional<std::int64_t> wanted) {
        PythonSource source(bits);
        return random::draw_order(source, count, wanted);
      },
      nb::arg("bits"), nb::arg("count"), nb::arg("wanted") = nb::none());
}

random::FactorMethod to_method(std::string_view name) {
  return name == "svd"    ? random::FactorMethod::svd
         : name == "eigh" ? random::FactorMethod::eigh
                          : random::FactorMethod::cholesky;
}

void bind_vectors(nb::module_& m) {
  m.def(
      "draw_dirichlet",
      [](nb::handle bits, const array& alpha, const std::vector<double>& numbers, bool small,
         nb::handle shape) {
        PythonSource source(bits);
        return random::draw_dirichlet(source, alpha, numbers, small, to_dims(shape));
      },
      nb::arg("bits"), nb::arg("alpha"), nb::arg("numbers"), nb::arg("small"), nb::arg("shape"));
  m.attr("small_dirichlet") = random::small_dirichlet;
  m.def(
      "draw_multinomial",
      [](nb::handle bits, nb::handle n, const array& p, nb::handle shape) {
        PythonSource source(bits);
        return random::draw_multinomial(source, to_parameter(n), p, to_dims(shape));
      },
      nb::arg("bits"), nb::arg("n"), nb::arg("pvals"), nb::arg("shape"));
  m.def(
      "draw_multivariate_hypergeometric",
      [](nb::handle bits, const std::vector<std::int64_t>& colors, std::int64_t sample,
         nb::handle shape) {
        PythonSource source(bits);
        return random::draw_multivariate_hypergeometric(source, colors, sample, to_dims(shape));
      },
      nb::arg("bits"), nb::arg("colors"), nb::arg("nsample"), nb::arg("shape"));
  m.def(
      "factor_covariance",
      [](const array& covariance, std::string_view method, double tolerance) {
        random::CovarianceFactor made =
            random::factor_covariance(covariance, to_method(method), tolerance);
        return std::pair(std::move(made.factor), std::move(made.wrong));
      },
      nb::arg("cov"), nb::arg("method"), nb::arg("tol"));
  m.def(
      "draw_permuted",
      [](nb::handle bits, const array& a, std::optional<std::int64_t> axis) {
        PythonSource source(bits);
        return own(random::draw_permuted(source, a, axis));
      },
      nb::arg("bits"), nb::arg("a"), nb::arg("axis") = nb::none());
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
  m.def("set_drawing_batches", &set_drawing_batches, nb::arg("most"));
  m.def("row_of_drawn", &row_of_drawn, nb::arg("rows"));
  m.def(
      "random_block",
      [](const Key& key, const Counter& counter) { return random_block({key, counter}); },
      nb::arg("key"), nb::arg("counter"));
  m.def("unit_interval", [](const array& words) { return apply(Op::unit_interval, words); });
  m.def("normal_deviate", [](const array& words) { return apply(Op::normal_deviate, words); });
  // What was just drawn, in another shape: an array that is nobody's view.
  m.def("drawn", [](const array& a, nb::handle shape) { return own(a.reshape(to_dims(shape))); });
  bind_distributions(m);
  bind_vectors(m);
  m.def("taken", &taken, nb::arg("drawn"));
}

}  // namespace heddle::python
