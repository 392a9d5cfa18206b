// Shuffles, votes and matches of the lanes of a warp.
#pragma once

HEDDLE_KNOWN void __heddle_warp_barrier(unsigned int mask);
// The value that lane `from` brings along; `from` may be any number below 32.
HEDDLE_KNOWN unsigned int __heddle_shuffle(unsigned int mask, unsigned int value, unsigned int from);
HEDDLE_KNOWN unsigned long long __heddle_shuffle_wide(unsigned int mask, unsigned long long value,
                                                      unsigned int from);
HEDDLE_KNOWN unsigned int __heddle_ballot(unsigned int mask, int predicate);
HEDDLE_KNOWN unsigned int __heddle_match(unsigned int mask, unsigned long long value);
HEDDLE_KNOWN unsigned int __heddle_reduce(unsigned int mask, unsigned int value, int how);
HEDDLE_KNOWN unsigned int __heddle_active();

HEDDLE_INLINE void __syncwarp(unsigned int mask = 0xffffffffu) { __heddle_warp_barrier(mask); }
HEDDLE_INLINE unsigned int __activemask() { return __heddle_active(); }
HEDDLE_INLINE unsigned int __ballot_sync(unsigned int mask, int predicate) {
  return __heddle_ballot(mask, predicate);
}
HEDDLE_INLINE int __any_sync(unsigned int mask, int predicate) {
  return __heddle_ballot(mask, predicate) != 0;
}
HEDDLE_INLINE int __all_sync(unsigned int mask, int predicate) {
  return __heddle_ballot(mask, !predicate) == 0;
}

template <typename T>
HEDDLE_DEVICE T __heddle_shuffle_any(unsigned int mask, T value, unsigned int from) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8,
                "shuffles move values of 2, 4 or 8 bytes");
  if constexpr (sizeof(T) == 8) {
    return __builtin_bit_cast(
        T, __heddle_shuffle_wide(mask, __builtin_bit_cast(unsigned long long, value), from));
  } else if constexpr (sizeof(T) == 2) {
    return __builtin_bit_cast(
        T, (unsigned short)__heddle_shuffle(mask, __builtin_bit_cast(unsigned short, value), from));
  } else {
    return __builtin_bit_cast(
        T, __heddle_shuffle(mask, __builtin_bit_cast(unsigned int, value), from));
  }
}
template <typename T>
HEDDLE_DEVICE T __shfl_sync(unsigned int mask, T value, int from, int width = 32) {
  const int lane = __heddle_lane();
  return __heddle_shuffle_any(mask, value, (lane & -width) | (from & (width - 1)));
}
template <typename T>
HEDDLE_DEVICE T __shfl_up_sync(unsigned int mask, T value, unsigned int delta, int width = 32) {
  const int lane = __heddle_lane(), from = lane - (int)delta;
  return __heddle_shuffle_any(mask, value, from < (lane & -width) ? lane : from);
}
template <typename T>
HEDDLE_DEVICE T __shfl_down_sync(unsigned int mask, T value, unsigned int delta, int width = 32) {
  const int lane = __heddle_lane(), from = lane + (int)delta;
  return __heddle_shuffle_any(mask, value, from > (lane | (width - 1)) ? lane : from);
}
template <typename T>
HEDDLE_DEVICE T __shfl_xor_sync(unsigned int mask, T value, int lanes, int width = 32) {
  const int lane = __heddle_lane(), from = lane ^ lanes;
  return __heddle_shuffle_any(mask, value, from > (lane | (width - 1)) ? lane : from);
}

template <typename T>
HEDDLE_DEVICE unsigned int __match_any_sync(unsigned int mask, T value) {
  if constexpr (sizeof(T) == 8) {
    return __heddle_match(mask, __builtin_bit_cast(unsigned long long, value));
  } else {
    return __heddle_match(mask, __builtin_bit_cast(unsigned int, value));
  }
}
template <typename T>
HEDDLE_DEVICE unsigned int __match_all_sync(unsigned int mask, T value, int* predicate) {
  const unsigned int same = __match_any_sync(mask, value);
  *predicate = same == mask;
  return same == mask ? mask : 0;
}

HEDDLE_INLINE unsigned int __reduce_add_sync(unsigned int mask, unsigned int v) {
  return __heddle_reduce(mask, v, 0);
}
HEDDLE_INLINE int __reduce_add_sync(unsigned int mask, int v) { return __heddle_reduce(mask, v, 0); }
HEDDLE_INLINE unsigned int __reduce_min_sync(unsigned int mask, unsigned int v) {
  return __heddle_reduce(mask, v, 1);
}
HEDDLE_INLINE int __reduce_min_sync(unsigned int mask, int v) { return __heddle_reduce(mask, v, 2); }
HEDDLE_INLINE unsigned int __reduce_max_sync(unsigned int mask, unsigned int v) {
  return __heddle_reduce(mask, v, 3);
}
HEDDLE_INLINE int __reduce_max_sync(unsigned int mask, int v) { return __heddle_reduce(mask, v, 4); }
HEDDLE_INLINE unsigned int __reduce_and_sync(unsigned int mask, unsigned int v) {
  return __heddle_reduce(mask, v, 5);
}
HEDDLE_INLINE unsigned int __reduce_or_sync(unsigned int mask, unsigned int v) {
  return __heddle_reduce(mask, v, 6);
}
HEDDLE_INLINE unsigned int __reduce_xor_sync(unsigned int mask, unsigned int v) {
  return __heddle_reduce(mask, v, 7);
}
