// Discrete Fourier transforms of a device.
#pragma once

#include <cstdint>

#include "runtime/buffer.h"
#include <heddle/dtype.h>
#include <heddle/layout.h>

namespace heddle {

// An array in device memory; strides in elements.
struct TransformOperand {
  Buffer* buffer = nullptr;  // that `data` lies in
  void* data = nullptr;
  Dims shape;
  Dims strides;
};

// Sums of input elements times exp(-+ 2 pi i j k / n), along one or more axes, each named once.
struct Transform {
  enum class Kind : std::uint8_t {
    complex,    // complex to complex
    from_real,  // real to the first half of the spectrum along the last of `axes`
    to_real,    // and back: of the lowest and the middle frequency only the real part counts
  };
  Kind kind = Kind::complex;
  Dtype precision = Dtype::float64;  // of each part: float32 or float64
  bool forward = true;               // the sign of the exponent is minus
  double scale = 1;                  // what results are multiplied by, see TransformTraits
  Dims axes;
  TransformOperand input, output;  // of other memory, or the same one in the same layout
};

// What an implementation leaves to its caller.
struct TransformTraits {
  // Results are multiplied by `scale`; else the caller does it.
  bool scales = true;
  // Input and output have to be dense in C order. Transformed axes that are the first or the last
  // ones are best.
  bool dense = false;
  // To and from real numbers there is but one sign, forward from and backward to them.
  // Kind::to_real transforms one axis, overwrites its input, and wants imaginary parts to be zero
  // that do not count.
  bool strict_halves = false;
};

class Transforms {
 public:
  virtual ~Transforms() = default;
  virtual TransformTraits traits() const = 0;
  virtual void transform(const Transform& transform) = 0;
};

}  // namespace heddle
