// The parts of _core.cuda.
#pragma once

#include <nanobind/nanobind.h>

namespace heddle::python {

void bind_cuda(nanobind::module_& m);
void bind_cuda_memory(nanobind::module_& m);
void bind_cuda_modules(nanobind::module_& m);

}  // namespace heddle::python
