// LAPACK's routines for few matrices (runtime/dense_routines.h), as OpenBLAS has them.
#pragma once

#include "runtime/dense_routines.h"

namespace heddle::cpu {

DenseRoutines& dense_routines();

}  // namespace heddle::cpu
