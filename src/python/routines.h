// NumPy's routines that the core computes, for the front end that reads their arguments: by topic,
// as the public headers are.
#pragma once

#include "python/casters.h"

namespace heddle::python {

void bind_manipulation(nb::module_& m);
void bind_einsum(nb::module_& m);
void bind_mathematics(nb::module_& m);
void bind_index_routines(nb::module_& m);
void bind_statistics(nb::module_& m);
void bind_series(nb::module_& m);
void bind_sets(nb::module_& m);
void bind_special(nb::module_& m);

}  // namespace heddle::python
