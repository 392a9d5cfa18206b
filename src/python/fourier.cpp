// What heddle.fft is made of: the transforms.
#include "ops/fourier.h"

#include <string_view>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include "python/convert.h"
#include <heddle/errors.h>

namespace heddle::python {

namespace {

Transform::Kind to_kind(std::string_view name) {
  if (name == "complex") return Transform::Kind::complex;
  if (name == "from_real") return Transform::Kind::from_real;
  if (name == "to_real") return Transform::Kind::to_real;
  throw value_error("fourier: the kind must be complex, from_real or to_real");
}

}  // namespace

void bind_fourier(nb::module_& m) {
  m.def(
      "fourier",
      [](std::string_view kind, const array& a, nb::handle axes, nb::handle lengths, bool forward,
         double scale) {
        return fourier(to_kind(kind), a, to_dims(axes), to_dims(lengths), forward, scale);
      },
      nb::arg("kind"), nb::arg("a"), nb::arg("axes"), nb::arg("lengths"), nb::arg("forward"),
      nb::arg("scale"));
}

}  // namespace heddle::python
