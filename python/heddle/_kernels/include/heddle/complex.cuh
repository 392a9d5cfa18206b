// complex<float> and complex<double>, as Heddle's arrays hold them. Functions of them (exp, abs,
// conj ...) are found by their arguments.
#pragma once

#include <cuda/std/complex>

template <typename T>
using complex = cuda::std::complex<T>;
