// Fourier transforms on a GPU, by cuFFT.
#pragma once

#include "backend/cuda/plans.h"
#include "runtime/transforms.h"

namespace heddle::cuda {

class HEDDLE_API CudaTransforms final : public Transforms {
 public:
  explicit CudaTransforms(const Gpu& gpu) : gpu_(&gpu), plans_(gpu) {}
  TransformTraits traits() const override {
    return {.scales = false, .dense = true, .strict_halves = true};
  }
  void transform(const Transform& t) override;
  PlanCache& plans() { return plans_; }

 private:
  const Gpu* gpu_;
  PlanCache plans_;
};

}  // namespace heddle::cuda
