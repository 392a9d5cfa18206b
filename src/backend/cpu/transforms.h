// Fourier transforms on the CPU, by ducc0.
#pragma once

#include "runtime/transforms.h"

namespace heddle::cpu {

class CpuTransforms final : public Transforms {
 public:
  TransformTraits traits() const override { return {}; }
  void transform(const Transform& t) override;
};

}  // namespace heddle::cpu
