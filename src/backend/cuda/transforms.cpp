#include "backend/cuda/transforms.h"

#include <algorithm>
#include <vector>

#include "backend/cuda/device.h"

namespace heddle::cuda {

namespace {

constexpr std::int64_t max_rank = 3;  // of a plan

// A call of a plan for each of `outer` parts of the array.
struct Step {
  PlanKey key;
  std::int64_t outer = 1;
};

std::int64_t product(const Dims& shape, std::int64_t first, std::int64_t last) {
  std::int64_t result = 1;
  for (auto d = first; d < last; ++d) result *= shape[d];
  return result;
}

// Axes [first, last) of a dense array whose real side has this shape.
Step step_along(Transform::Kind kind, Dtype precision, const Dims& shape, std::int64_t first,
                std::int64_t last) {
  Step step;
  step.key.kind = kind;
  step.key.precision = precision;
  step.key.rank = last - first;
  for (auto d = first; d < last; ++d) step.key.lengths[d - first] = shape[d];
  step.key.inner = product(shape, last, shape.size());
  std::int64_t outer = product(shape, 0, first);
  // Transforms that follow one another are one call, and so are interleaved ones.
  step.key.batch = step.key.inner == 1 ? outer : step.key.inner;
  step.outer = step.key.inner == 1 ? 1 : outer;
  return step;
}

// Runs of neighbouring axes, the last ones first, which has the halved axis where there is one.
std::vector<Step> steps_of(const Transform& t) {
  Dims axes = t.axes;
  std::sort(axes.begin(), axes.end());
  Dims shape = t.kind == Transform::Kind::to_real ? t.output.shape : t.input.shape;
  std::vector<Step> steps;
  auto kind = t.kind;
  for (auto last = axes.size(); last > 0;) {
    auto first = last - 1;
    while (first > 0 && last - first < max_rank && axes[first - 1] + 1 == axes[first]) --first;
    steps.push_back(step_along(kind, t.precision, shape, axes[first], axes[last - 1] + 1));
    // What follows transforms the result of the first.
    kind = Transform::Kind::complex;
    shape = t.output.shape;
    last = first;
  }
  return steps;
}

// Bytes from one part of an array to the next.
std::int64_t part_bytes(const Step& step, bool real, bool halved) {
  std::int64_t count = step.key.inner;
  for (std::int64_t i = 0; i < step.key.rank; ++i) {
    bool is_halved = halved && i + 1 == step.key.rank;
    count *= is_halved ? step.key.lengths[i] / 2 + 1 : step.key.lengths[i];
  }
  return count * itemsize(real ? step.key.precision : complex_type(step.key.precision));
}

}  // namespace

void CudaTransforms::transform(const Transform& t) {
  using Kind = Transform::Kind;
  Stream& stream = current_stream(*gpu_);
  ContextScope scope(*gpu_);
  auto* input = static_cast<char*>(t.input.data);
  auto* output = static_cast<char*>(t.output.data);
  for (const Step& step : steps_of(t)) {
    const auto plan = plans_.get(step.key);
    if (stream.capturing()) plan->captured = true;
    Ref<Buffer> work;
    if (plan->work_bytes > 0) work = Buffer::allocate(device_of(*gpu_), plan->work_bytes);
    std::vector<Buffer*> used{t.input.buffer, t.output.buffer};
    if (work) used.push_back(work.get());
    const StreamUse use(stream, used);
    bool from_real = step.key.kind == Kind::from_real, to_real = step.key.kind == Kind::to_real;
    auto input_bytes = part_bytes(step, from_real, to_real);
    auto output_bytes = part_bytes(step, to_real, from_real);
    for (std::int64_t i = 0; i < step.outer; ++i) {
      execute(*plan, stream, input + i * input_bytes, output + i * output_bytes,
              work ? work->data() : nullptr, t.forward);
    }
    input = output;
  }
}

}  // namespace heddle::cuda
