/// @file
/// Everything: arrays, functions as NumPy groups them, and the runtime.
///
///     using namespace heddle;
///     array a = linspace(0, 1, 1'000'000, true, Dtype::float32);
///     array y = sin(a) * 2 + sqrt(abs(a));       // nothing has run yet
///     float total = sum(y).item<float>();        // one kernel
///
/// Errors are exceptions of errors.h, with the messages that Python users see. Distinct arrays are
/// free to use from any thread; sharing one for reading is safe; writes to one storage need the
/// caller's own ordering.
#pragma once

#include <heddle/array.h>
#include <heddle/convolution.h>
#include <heddle/creation.h>
#include <heddle/dtype.h>
#include <heddle/emath.h>
#include <heddle/errors.h>
#include <heddle/fft.h>
#include <heddle/index_routines.h>
#include <heddle/indexing.h>
#include <heddle/io.h>
#include <heddle/linalg.h>
#include <heddle/logic.h>
#include <heddle/manipulation.h>
#include <heddle/mathematics.h>
#include <heddle/polynomial.h>
#include <heddle/products.h>
#include <heddle/random.h>
#include <heddle/reductions.h>
#include <heddle/runtime.h>
#include <heddle/series.h>
#include <heddle/sets.h>
#include <heddle/sorting.h>
#include <heddle/special.h>
#include <heddle/statistics.h>
#include <heddle/transform.h>
#include <heddle/ufuncs.h>
#include <heddle/version.h>
