#include "ops/order.h"

#include "core/dtype.h"
#include "graph/recorder.h"
#include "graph/storage.h"
#include "ops/elementwise.h"
#include "runtime/device.h"
#include <heddle/errors.h>
#include <heddle/indexing.h>
#include <heddle/reductions.h>
#include <heddle/runtime.h>
#include <heddle/ufuncs.h>

namespace heddle {

namespace {

std::uint64_t sign_bit(Dtype key) { return std::uint64_t{1} << (8 * itemsize(key) - 1); }
std::uint64_t all_bits(Dtype key) { return sign_bit(key) | (sign_bit(key) - 1); }

std::uint64_t infinity_bits(Dtype floating) {
  switch (floating) {
    case Dtype::float16:
      return 0x7c00;
    case Dtype::bfloat16:
      return 0x7f80;
    case Dtype::float32:
      return 0x7f800000;
    default:
      return 0x7ff0000000000000;
  }
}

// The bits of the elements in C order, in memory of their own.
array own_bits_of(const array& a) {
  return dense(a, a.dtype()).view(type_of_width(itemsize(a.dtype())));
}

// The same, to be read only: where they lie, if they are in order there.
array bits_of(const array& a) {
  const bool in_order =
      !a.number() && a.storage().value()->dtype == a.dtype() && is_c_contiguous(a.layout());
  return in_order ? a.view(type_of_width(itemsize(a.dtype()))) : own_bits_of(a);
}

array float_keys(const array& a, Zeros zeros) {
  array bits = bits_of(a);
  const Dtype key = bits.dtype();
  const Scalar sign = sign_bit(key);
  array is_nan = bitwise_and(bits, all_bits(key) ^ sign_bit(key)) > infinity_bits(a.dtype());
  if (zeros == Zeros::equal) bits = where(equal(bits, sign), 0, bits);
  // Below zero all bits are turned: the larger the magnitude, the earlier.
  array keys = where(bits >= sign, invert(bits), bitwise_or(bits, sign));
  if (zeros == Zeros::equal) return where(is_nan, all_bits(key), keys);
  return where(is_nan, bitwise_or(bits, sign), keys);
}

}  // namespace

KeyMap key_map(Dtype dtype) {
  if (is_complex(dtype)) {
    return {.infinity = infinity_bits(real_type(dtype)), .pairs = true};
  }
  if (is_floating(dtype)) return {.infinity = infinity_bits(dtype)};
  return {.flip = is_signed(dtype) ? sign_bit(type_of_width(itemsize(dtype))) : 0};
}

std::pair<array, array> complex_keys(const array& a) {
  array re = float_keys(elementwise(Op::real, {a}), Zeros::equal);
  array im = float_keys(elementwise(Op::imag, {a}), Zeros::equal);
  // Numbers with nans come last, by where the nan is, then by the part that is none. No key of a
  // number is as large as these.
  const std::uint64_t nan = all_bits(re.dtype());
  array no_re = equal(re, nan), no_im = equal(im, nan);
  array first =
      where(no_re, where(no_im, array(nan, re.dtype()), nan - 1), where(no_im, nan - 2, re));
  array second = where(no_im, where(no_re, array(0, re.dtype()), re), im);
  return {first, second};
}

array keys_of(const array& a, Zeros zeros) {
  switch (kind(a.dtype())) {
    case Kind::boolean:
    case Kind::unsigned_integer:
      return own_bits_of(a);
    case Kind::signed_integer: {
      array bits = bits_of(a);
      return bitwise_xor(bits, sign_bit(bits.dtype()));
    }
    case Kind::floating:
      return float_keys(a, zeros);
    case Kind::complex:
      break;
  }
  if (a.dtype() != Dtype::complex64 || zeros == Zeros::distinct) {
    throw type_error("keys_of: there are no keys of one word for complex numbers");
  }
  auto [first, second] = complex_keys(a);
  return bitwise_or(left_shift(cast(first, Dtype::uint64), 32), second);
}

array values_of(const array& keys, Dtype dtype) {
  if (kind(dtype) == Kind::boolean || kind(dtype) == Kind::unsigned_integer) {
    return keys.view(dtype);
  }
  const Scalar sign = sign_bit(keys.dtype());
  if (kind(dtype) == Kind::signed_integer) return bitwise_xor(keys, sign).view(dtype);
  return where(keys >= sign, bitwise_xor(keys, sign), invert(keys)).view(dtype);
}

namespace {

constexpr std::int64_t many = 1 << 16;

// The host looks for their range: not where somebody records what would then depend on it.
bool may_have_narrow_keys(const array& a) {
  return is_integer(a.dtype()) && itemsize(a.dtype()) == 8 && a.size() >= many &&
         a.device().prefers_narrow_keys() && !Recorder::current();
}

std::uint64_t bits_of_integer(const array& a) {
  return is_signed(a.dtype()) ? static_cast<std::uint64_t>(a.item<std::int64_t>())
                              : a.item<std::uint64_t>();
}

}  // namespace

SortKeys::SortKeys(const array& a, Zeros zeros) : dtype_(a.dtype()) {
  if (may_have_narrow_keys(a)) {
    const array least = min(a), most = max(a);
    eval(least, most);
    const Dtype key = unsigned_type_of(bits_of_integer(most) - bits_of_integer(least));
    if (key != Dtype::uint64) {
      least_ = bits_of_integer(least);
      keys = dense(subtract(bits_of(a), *least_), key);
      return;
    }
  }
  keys = keys_of(a, zeros);
}

array SortKeys::values(const array& sorted) const {
  if (!least_) return values_of(sorted, dtype_);
  return add(cast(sorted, Dtype::uint64), *least_).view(dtype_);
}

}  // namespace heddle
