#include "backend/cpu/compress.h"

// Highway compiles what is between its namespaces once for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/compress.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace heddle::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

std::int64_t count(const std::uint8_t* flags, std::int64_t size) {
  const hn::ScalableTag<std::uint8_t> d;
  const hn::Repartition<std::uint64_t, decltype(d)> wide;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto one = hn::Set(d, 1);
  auto sums = hn::Zero(wide);
  std::int64_t i = 0;
  for (; i + lanes <= size; i += lanes)
    sums = hn::Add(sums, hn::SumsOf8(hn::Min(hn::LoadU(d, flags + i), one)));
  auto found = static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(wide, sums)));
  for (; i < size; ++i) found += flags[i] != 0;
  return found;
}

// Flags as lanes of the width of elements.
template <class D>
auto flag_lanes(D d, const std::uint8_t* flags) {
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<std::uint8_t, D>(), flags));
  } else {
    return hn::PromoteTo(d, flag_lanes(hn::Rebind<std::uint32_t, D>(), flags));
  }
}

// The lanes of a mask first. By halves of 32 bits: Highway's table for those of 64 is copied each
// time it is used.
template <class D, class V, class M>
auto selected(D d, V v, M mask) {
  if constexpr (hn::MaxLanes(D()) == 1) {
    return v;
  } else {
    const hn::Repartition<std::uint32_t, D> halves;
    const auto both = hn::MaskFromVec(hn::BitCast(halves, hn::VecFromMask(d, mask)));
    return hn::BitCast(d, hn::Compress(hn::BitCast(halves, v), both));
  }
}

// A whole vector is written each time, of which what is selected comes first: as long as that
// stays within the piece. Vectors that go to memory compressed are slow on some processors.
template <class T, class Vector, class Element>
void compress(const std::uint8_t* flags, std::int64_t size, T* to, T* end, Vector vector,
              Element element) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= size && end - to >= lanes; i += lanes) {
    const auto mask = hn::Ne(flag_lanes(d, flags + i), hn::Zero(d));
    hn::StoreU(selected(d, vector(d, i), mask), d, to);
    to += hn::CountTrue(d, mask);
  }
  for (; i < size && to < end; ++i) {
    *to = element(i);
    to += flags[i] != 0;
  }
}

template <class T>
void compress_values(const std::uint8_t* flags, const T* values, std::int64_t size, T* to, T* end) {
  compress(
      flags, size, to, end, [=](auto d, std::int64_t i) { return hn::LoadU(d, values + i); },
      [=](std::int64_t i) { return values[i]; });
}
void values_32(const std::uint8_t* flags, const std::uint32_t* values, std::int64_t size,
               std::uint32_t* to, std::uint32_t* end) {
  compress_values(flags, values, size, to, end);
}
void values_64(const std::uint8_t* flags, const std::uint64_t* values, std::int64_t size,
               std::uint64_t* to, std::uint64_t* end) {
  compress_values(flags, values, size, to, end);
}
void positions(const std::uint8_t* flags, std::uint64_t first, std::int64_t size, std::uint64_t* to,
               std::uint64_t* end) {
  auto place = [first](std::int64_t i) { return first + static_cast<std::uint64_t>(i); };
  compress(
      flags, size, to, end, [=](auto d, std::int64_t i) { return hn::Iota(d, place(i)); }, place);
}

}  // namespace
}  // namespace heddle::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heddle::cpu {

HWY_EXPORT(count);
HWY_EXPORT(values_32);
HWY_EXPORT(values_64);
HWY_EXPORT(positions);

std::int64_t count_flags(const std::uint8_t* flags, std::int64_t size) {
  return HWY_DYNAMIC_DISPATCH(count)(flags, size);
}

template <>
void compress(const std::uint8_t* flags, const std::uint32_t* values, std::int64_t size,
              std::uint32_t* to, std::uint32_t* end) {
  HWY_DYNAMIC_DISPATCH(values_32)(flags, values, size, to, end);
}
template <>
void compress(const std::uint8_t* flags, const std::uint64_t* values, std::int64_t size,
              std::uint64_t* to, std::uint64_t* end) {
  HWY_DYNAMIC_DISPATCH(values_64)(flags, values, size, to, end);
}

void compress_positions(const std::uint8_t* flags, std::int64_t first, std::int64_t size,
                        std::int64_t* to, std::int64_t* end) {
  HWY_DYNAMIC_DISPATCH(positions)
  (flags, static_cast<std::uint64_t>(first), size, reinterpret_cast<std::uint64_t*>(to),
   reinterpret_cast<std::uint64_t*>(end));
}

}  // namespace heddle::cpu
#endif
