#include "backend/shadow/transforms.h"

#include <cstring>
#include <stdexcept>

#include "backend/shadow/notes.h"
#include "runtime/device.h"

namespace heddle {

namespace {

void expect(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

bool is_dense(const TransformOperand& a) { return is_c_contiguous({a.shape, a.strides, 0}); }

// Whether the imaginary parts of one frequency are zero.
template <class T>
bool is_real(const TransformOperand& a, std::int64_t axis, std::int64_t frequency) {
  std::int64_t inner = a.strides[axis], length = a.shape[axis];
  std::int64_t outer = size_of(a.shape) / (inner * length);
  const auto* parts = static_cast<const T*>(a.data);
  for (std::int64_t i = 0; i < outer; ++i) {
    for (std::int64_t j = 0; j < inner; ++j) {
      if (parts[2 * ((i * length + frequency) * inner + j) + 1] != 0) return false;
    }
  }
  return true;
}

bool is_real(const Transform& t, std::int64_t frequency) {
  std::int64_t axis = t.axes[0];
  return t.precision == Dtype::float32 ? is_real<float>(t.input, axis, frequency)
                                       : is_real<double>(t.input, axis, frequency);
}

void transform_as_gpus_do(const Transform& t) {
  expect(t.scale == 1, "transform: scaled");
  expect(is_dense(t.input) && is_dense(t.output), "transform: not dense");
  bool to_real = t.kind == Transform::Kind::to_real;
  if (t.kind == Transform::Kind::from_real) expect(t.forward, "transform: backward from real");
  if (to_real) {
    expect(!t.forward && t.axes.size() == 1, "transform: to real forward, or along several axes");
    std::int64_t length = t.output.shape[t.axes[0]];
    expect(is_real(t, 0) && (length % 2 != 0 || is_real(t, length / 2)),
           "transform: imaginary parts where they do not count");
  }
  cpu_device().transforms().transform(t);
  if (to_real) {
    auto bytes = size_of(t.input.shape) * itemsize(complex_type(t.precision));
    std::memset(t.input.data, 0xff, static_cast<std::size_t>(bytes));
  }
}

}  // namespace

void ShadowTransforms::transform(const Transform& t) {
  do_or_note([t] { transform_as_gpus_do(t); });
}

}  // namespace heddle
