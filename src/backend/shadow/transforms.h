// The CPU's Fourier transforms with the restrictions of a GPU's, so that what goes around them is
// tested without one.
#pragma once

#include "runtime/transforms.h"

namespace heddle {

class ShadowTransforms final : public Transforms {
 public:
  TransformTraits traits() const override {
    return {.scales = false, .dense = true, .strict_halves = true};
  }
  void transform(const Transform& t) override;
};

}  // namespace heddle
