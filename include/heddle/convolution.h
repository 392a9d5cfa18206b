/// @file
/// Convolution over any number of axes with many channels, as neural networks have it: sums over
/// windows, with the kernel as it stands, not turned round.
#pragma once

#include <heddle/array.h>

namespace heddle {

/// How windows lie, along each axis that they move over. Empty: 1 everywhere, and no padding.
struct Convolution {
  Dims strides;          ///< from one window to the next
  Dims before, after;    ///< zeros on both sides; negative: so many elements less
  Dims input_dilation;   ///< from one element of the input to the next, with zeros in between
  Dims kernel_dilation;  ///< from one element of the kernel to the next
  std::int64_t groups = 1;
};

/// The input is (batch, extents..., channels), the kernel (extents..., channels / groups,
/// features); the result is (batch, windows..., features). Both are of one type.
HEDDLE_API array conv(const array& input, const array& kernel, const Convolution& how = {});

}  // namespace heddle
