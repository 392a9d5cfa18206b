// Discrete Fourier transforms through the device's library.
#pragma once

#include "runtime/transforms.h"
#include <heddle/array.h>

namespace heddle {

// The transform of `a` along `axes` (at least one, each once), times `scale`. Along axes[i] the
// input is cropped or padded with zeros to what a transform of lengths[i] points takes. The result
// is complex, or real for Kind::to_real; in single precision for float32 and what is smaller.
// Deferred: one or two steps of their own.
HEDDLE_API array fourier(Transform::Kind kind, const array& a, const Dims& axes,
                         const Dims& lengths, bool forward, double scale);

}  // namespace heddle
