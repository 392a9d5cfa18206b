// What heddle.fft is made of: the transforms, and the plans that cuFFT keeps for them.
#include "ops/fourier.h"

#include <string_view>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include "backend/cuda/device.h"
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

cuda::PlanCache& plans_of(int device) {
  return cuda::device_of(cuda::gpu(device)).transforms().plans();
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
  m.def("fft_plans", [](int device) {
    cuda::PlanCacheInfo info = plans_of(device).info();
    return nb::make_tuple(info.size, info.max_size, info.hits, info.misses);
  });
  m.def("set_fft_plans",
        [](int device, std::size_t plans) { plans_of(device).set_max_size(plans); });
  m.def("clear_fft_plans", [](int device) { plans_of(device).clear(); });
}

}  // namespace heddle::python
