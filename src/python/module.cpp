#include <nanobind/nanobind.h>

#include "graph/ending.h"
#include "python/convert.h"
#include "python/cuda.h"
#include "python/numpy_scalars.h"
#include "python/recorded_calls.h"
#include "python/routines.h"
#include <heddle/version.h>

namespace nb = nanobind;

namespace heddle::python {
void bind_export(nb::module_& m);
void bind_simt(nb::module_& m);
void bind_host_functions(nb::module_& m);
void bind_sources(nb::module_& m);
}  // namespace heddle::python

NB_MODULE(_core, m) {
  using namespace heddle::python;
  nb::set_leak_warnings(false);  // types and ufuncs live as long as the process
  prepare_conversions();
  prepare_numpy_scalars();
  Py_AtExit(heddle::about_to_exit);  // the last that the interpreter does
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (...) {
      set_python_error();
    }
  });
  m.attr("NoNumbers") = no_numbers_type();
  m.def("version", [] { return nb::str(heddle::version().data(), heddle::version().size()); });
  bind_export(m);
  bind_ndarray(m);
  bind_scalar(m);
  bind_functions(m);
  bind_ufunc(m);
  bind_operations(m);
  bind_sorting(m);
  bind_manipulation(m);
  bind_mathematics(m);
  bind_index_routines(m);
  bind_statistics(m);
  bind_series(m);
  bind_special(m);
  bind_sets(m);
  bind_einsum(m);
  bind_linalg(m);
  bind_fourier(m);
  bind_random(m);
  bind_runtime(m);
  bind_tape(m);
  bind_transform(m);
  bind_own_nodes(m);
  bind_recorded_calls(m);
  bind_reports(m);
  bind_cuda(m);
  bind_interop(m);
  bind_simt(m);
  bind_host_functions(m);
  bind_sources(m);
}
