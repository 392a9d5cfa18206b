#include <heddle/array.h>

#include <algorithm>

#include <fmt/format.h>

#include "core/dtype.h"
#include "graph/look.h"
#include "graph/storage.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/operators.h"
#include "ops/write.h"
#include "runtime/device.h"
#include <heddle/errors.h>

namespace heddle {

array::array() : array(Scalar(0.0)) {}
array::array(Scalar value, std::optional<Dtype> dtype)
    : array(full({}, value, dtype.value_or(value.default_dtype()), default_device())) {}
array::array(Ref<Storage> storage, SharedLayout layout, Dtype dtype)
    : storage_(std::move(storage)), layout_(std::move(layout)), dtype_(dtype) {
  check_dims(layout_->ndim());
}
array::array(const ScalarWords& element, Dtype dtype)
    : number_(element), dtype_(dtype), was_number_(true) {}
array array::of_number(const ScalarWords& element, Dtype dtype) { return array(element, dtype); }
// Copies share the elements: a number gets a storage to share.
array::array(const array& other)
    : storage_(other.shared_storage()),
      layout_(other.shared_layout()),
      dtype_(other.dtype_),
      read_only_(other.read_only_),
      weak_(other.weak_) {}
array::array(array&& other) noexcept
    : storage_(std::move(other.storage_)),
      dtype_(other.dtype_),
      was_number_(other.was_number_),
      read_only_(other.read_only_),
      weak_(other.weak_) {
  if (was_number_) {
    number_ = other.number_;
  } else {
    new (&layout_) SharedLayout(std::move(other.layout_));
  }
}
array& array::operator=(const array& other) & { return *this = array(other); }
array& array::operator=(array&& other) & noexcept {
  if (this != &other) take(other);
  return *this;
}
array::~array() {
  if (!was_number_) layout_.~SharedLayout();
}

void array::take(array& other) noexcept {
  if (!was_number_) layout_.~SharedLayout();
  was_number_ = other.was_number_;
  if (was_number_) {
    number_ = other.number_;
  } else {
    new (&layout_) SharedLayout(std::move(other.layout_));
  }
  dtype_ = other.dtype_;
  read_only_ = other.read_only_;
  weak_ = other.weak_;
  storage_ = std::move(other.storage_);
}

// On the default device, as what is made of the host's numbers is, but ready to go to any other.
void array::make_storage() const {
  Device& device = default_device();
  const auto bytes = static_cast<std::size_t>(itemsize(dtype_));
  auto buffer = Buffer::allocate(device, bytes);
  if (device.host_accessible()) {
    copy_element(buffer->data(), &number_, dtype_);
  } else {
    device.copy_from_host(*buffer, 0, &number_, bytes);
  }
  Ref<Storage> made(new Storage(Value::with_buffer(dtype_, Shape(), std::move(buffer))));
  made->snapshot = true;
  made->placed = false;
  storage_.set_once(std::move(made));
}

array array::from_bytes(const void* data, std::size_t count, Dtype dtype, const Dims& shape) {
  if (static_cast<std::int64_t>(count) != size_of(shape)) {
    throw value_error(
        fmt::format("array: {} elements do not fill the shape {}", count, to_string(shape)));
  }
  return from_host(data, contiguous_layout(shape), dtype, default_device());
}

void array::throw_ragged() {
  throw value_error("array: rows of different lengths have no common shape");
}

void array::check_room(std::size_t count) const {
  if (static_cast<std::int64_t>(count) != size()) {
    throw value_error(fmt::format("copy_to: room for {} elements, but the array of shape {} has {}",
                                  count, to_string(shape()), size()));
  }
}

void array::check_single() const {
  if (size() != 1) throw value_error("can only convert an array of size 1 to a Python scalar");
}

array::operator bool() const {
  check_truth(*this);
  return item<bool>();
}

std::int64_t array::shape(std::int64_t axis) const {
  return shape()[normalize_axis("shape", axis, ndim())];
}

Device& array::device() const { return number() ? default_device() : *Glance(*storage_)->device; }
std::string array::device_name() const { return device().name(); }
bool array::pending() const { return !number() && !Glance(*storage_)->computed(); }

const array& array::eval() const {
  if (number()) return *this;
  const Ref<Value> value = storage_->value();  // others may write meanwhile
  evaluate(value.get());
  return *this;
}

void array::copy_to_host(void* to, Dtype dtype) const {
  auto width = static_cast<std::size_t>(itemsize(dtype));
  if (dtype == dtype_ && number()) {
    copy_element(to, number(), dtype);
    return;
  }
  eval();
  if (dtype != dtype_ || dtype != storage().value()->dtype || !is_c_contiguous(layout())) {
    dense(*this, dtype).eval().copy_to_host(to, dtype);
    return;
  }
  Ref<Value> value = storage().value();
  value->device->copy_to_host(to, look(*value), static_cast<std::size_t>(layout().offset) * width,
                              static_cast<std::size_t>(size()) * width);
}

array array::operator[](std::int64_t index) const { return (*this)(index); }

array array::view_as(SharedLayout layout, Dtype dtype) const {
  array view(shared_storage(), std::move(layout), dtype);
  view.read_only_ = read_only_;
  return view;
}

std::pair<std::int64_t, std::int64_t> Slice::of(std::int64_t extent) const {
  if (step == 0) throw value_error("slice step cannot be zero");
  bool back = step < 0;
  auto clamp = [&](std::int64_t i) {
    if (i < 0) i += extent;
    return std::clamp<std::int64_t>(i, back ? -1 : 0, back ? extent - 1 : extent);
  };
  auto first = start ? clamp(*start) : back ? extent - 1 : 0;
  auto end = stop ? clamp(*stop) : back ? -1 : extent;
  auto way = back ? first - end : end - first;
  if (way <= 0) return {0, 0};
  if (step == 1) return {first, way};
  return {first, (way - 1) / std::abs(step) + 1};
}

array array::slice(std::int64_t axis, Slice range) const {
  if (axis < 0) axis += ndim();
  if (axis < 0 || axis >= ndim()) {
    throw index_error(fmt::format("too many indices for array: array is {}-dimensional", ndim()));
  }
  auto [first, count] = range.of(shape()[axis]);
  Layout layout = this->layout();
  layout.shape[axis] = count;
  layout.offset += first * layout.strides[axis];
  layout.strides[axis] = scaled_stride(layout.strides[axis], range.step);
  return view_as(std::move(layout), dtype_);
}

array array::transpose() const {
  Layout layout = this->layout();
  std::reverse(layout.shape.begin(), layout.shape.end());
  std::reverse(layout.strides.begin(), layout.strides.end());
  return view_as(std::move(layout), dtype_);
}

array array::transpose(const Dims& axes) const {
  if (axes.size() != ndim()) throw value_error("axes don't match array");
  Dims order;
  std::uint64_t seen = 0;
  for (auto axis : axes) {
    order.push_back(normalize_axis("transpose", axis, ndim()));
    seen |= std::uint64_t{1} << order.back();
  }
  if (std::popcount(seen) != ndim()) throw value_error("repeated axis in transpose");
  return view_as(permute(layout(), order), dtype_);
}

array array::reshape(Dims shape) const {
  std::int64_t known = 1, unknown = -1;
  for (std::int64_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == -1) {
      if (unknown >= 0) throw value_error("can only specify one unknown dimension");
      unknown = d;
    } else {
      if (shape[d] < 0) throw value_error("negative dimensions not allowed");
      if (__builtin_mul_overflow(known, shape[d], &known)) known = 0;  // size_of() knows
    }
  }
  auto requested = to_string(shape);
  if (unknown >= 0 && known > 0 && size() % known == 0) shape[unknown] = size() / known;
  if ((unknown >= 0 && (known == 0 || size() % known != 0)) || size_of(shape) != size()) {
    throw value_error(
        fmt::format("cannot reshape array of size {} into shape {}", size(), requested));
  }
  if (auto layout = reshape_layout(this->layout(), shape)) return view_as(*layout, dtype_);
  array copied = dense(*this, dtype_);
  return array(copied.shared_storage(), SharedLayout::contiguous(shape), dtype_);
}

array array::broadcast_to(const Dims& shape) const {
  if (shape == this->shape()) return *this;
  return view_as(broadcast_layout("broadcast_to", layout(), shape), dtype_);
}

array array::view(Dtype dtype) const {
  auto from = itemsize(dtype_), to = itemsize(dtype);
  if (from == to) return view_as(shared_layout(), dtype);
  if (ndim() == 0) {
    throw value_error(
        "Changing the dtype of a 0d array is only supported if the itemsize is unchanged");
  }
  Layout layout = this->layout();
  bool unit = layout.strides.back() == 1 || layout.shape.back() <= 1 || size() == 0;
  if (!unit) {
    throw value_error("To change to a dtype of a different size, the last axis must be contiguous");
  }
  if (from > to) {
    auto ratio = from / to;
    for (auto& stride : layout.strides) stride *= ratio;
    layout.offset *= ratio;
    layout.shape.back() *= ratio;
  } else {
    auto ratio = to / from;
    if (layout.shape.back() % ratio != 0) {
      throw value_error(
          "When changing to a larger dtype, its size must be a divisor of the total size in bytes "
          "of the last axis of the array.");
    }
    for (std::int64_t d = 0; d + 1 < layout.ndim(); ++d) {
      if (layout.strides[d] % ratio != 0 && layout.shape[d] > 1 && size() != 0) {
        throw value_error("view: strides are not a multiple of the new item size");
      }
      layout.strides[d] /= ratio;
    }
    if (layout.offset % ratio != 0) throw value_error("view: the data is not aligned to the type");
    layout.offset /= ratio;
    layout.shape.back() /= ratio;
  }
  layout.strides.back() = 1;
  return view_as(std::move(layout), dtype);
}

array array::copy() const {
  const Ref<Value> value = storage().value();
  // Two storages may hold one value: whoever writes first gets memory of its own.
  if (storage_->exports == 0 && dtype_ == value->dtype && covers(layout(), value->size())) {
    return array(Ref<Storage>(new Storage(value)), shared_layout(), dtype_);
  }
  return cast(*this, dtype_);
}

array array::astype(Dtype dtype) const { return dtype == dtype_ ? copy() : cast(*this, dtype); }

array& array::assign(array value) {
  write(*this, std::move(value));
  return *this;
}
array& array::assign(Scalar value) {
  write(*this, to_element(value, dtype_));
  return *this;
}

// The operand is let go of before the write runs: see write.h.
#define HEDDLE_IN_PLACE(symbol, op)                              \
  array& array::operator symbol(array other) {                   \
    const WriteLock lock(storage());                             \
    array result = binary(Op::op, *this, other);                 \
    {                                                            \
      array gone = std::move(other);                             \
    }                                                            \
    write_in_place(Op::op, *this, std::move(result));            \
    return *this;                                                \
  }                                                              \
  array& array::operator symbol(Scalar other) {                  \
    const WriteLock lock(storage());                             \
    write_in_place(Op::op, *this, binary(Op::op, *this, other)); \
    return *this;                                                \
  }
HEDDLE_IN_PLACE_OPERATORS(HEDDLE_IN_PLACE)
#undef HEDDLE_IN_PLACE

}  // namespace heddle
