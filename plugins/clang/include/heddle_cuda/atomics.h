// Atomics: of memory that blocks share they are the machine's. Those of __shared__ memory become
// plain accesses later, as one core runs a block.
#pragma once

template <typename T>
struct __heddle_same { typedef T type; };

template <typename T>
HEDDLE_DEVICE T atomicExch(T* at, typename __heddle_same<T>::type value) {
  if constexpr (__is_floating_point(T)) {
    if constexpr (sizeof(T) == 4) {
      return __builtin_bit_cast(T, __atomic_exchange_n((unsigned int*)at,
                                   __builtin_bit_cast(unsigned int, value), __ATOMIC_RELAXED));
    } else {
      return __builtin_bit_cast(T, __atomic_exchange_n((unsigned long long*)at,
                                   __builtin_bit_cast(unsigned long long, value),
                                   __ATOMIC_RELAXED));
    }
  } else {
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
  }
}
template <typename T>
HEDDLE_DEVICE T atomicCAS(T* at, typename __heddle_same<T>::type expected,
                          typename __heddle_same<T>::type value) {
  T found = expected;
  __atomic_compare_exchange_n(at, &found, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return found;
}
template <typename T>
HEDDLE_DEVICE T atomicAdd(T* at, typename __heddle_same<T>::type value) {
  return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
template <typename T>
HEDDLE_DEVICE T atomicSub(T* at, typename __heddle_same<T>::type value) {
  return __atomic_fetch_sub(at, value, __ATOMIC_RELAXED);
}
template <typename T>
HEDDLE_DEVICE T atomicMin(T* at, typename __heddle_same<T>::type value) {
  return __atomic_fetch_min(at, value, __ATOMIC_RELAXED);
}
template <typename T>
HEDDLE_DEVICE T atomicMax(T* at, typename __heddle_same<T>::type value) {
  return __atomic_fetch_max(at, value, __ATOMIC_RELAXED);
}
template <typename T>
HEDDLE_DEVICE T atomicAnd(T* at, typename __heddle_same<T>::type value) {
  return __atomic_fetch_and(at, value, __ATOMIC_RELAXED);
}
template <typename T>
HEDDLE_DEVICE T atomicOr(T* at, typename __heddle_same<T>::type value) {
  return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}
template <typename T>
HEDDLE_DEVICE T atomicXor(T* at, typename __heddle_same<T>::type value) {
  return __atomic_fetch_xor(at, value, __ATOMIC_RELAXED);
}
HEDDLE_INLINE unsigned int atomicInc(unsigned int* at, unsigned int limit) {
  unsigned int old = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(at, &old, old >= limit ? 0 : old + 1, true, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
  }
  return old;
}
HEDDLE_INLINE unsigned int atomicDec(unsigned int* at, unsigned int limit) {
  unsigned int old = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(at, &old, old == 0 || old > limit ? limit : old - 1, true,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return old;
}

#define HEDDLE_SCOPED(name)                                                                   \
  template <typename T, typename V>                                                           \
  HEDDLE_DEVICE T name##_block(T* at, V value) { return name(at, value); }                    \
  template <typename T, typename V>                                                           \
  HEDDLE_DEVICE T name##_system(T* at, V value) { return name(at, value); }
HEDDLE_SCOPED(atomicAdd)
HEDDLE_SCOPED(atomicSub)
HEDDLE_SCOPED(atomicMin)
HEDDLE_SCOPED(atomicMax)
HEDDLE_SCOPED(atomicAnd)
HEDDLE_SCOPED(atomicOr)
HEDDLE_SCOPED(atomicXor)
HEDDLE_SCOPED(atomicExch)
HEDDLE_SCOPED(atomicInc)
HEDDLE_SCOPED(atomicDec)
#undef HEDDLE_SCOPED
template <typename T, typename V, typename W>
HEDDLE_DEVICE T atomicCAS_block(T* at, V expected, W value) { return atomicCAS(at, expected, value); }
template <typename T, typename V, typename W>
HEDDLE_DEVICE T atomicCAS_system(T* at, V expected, W value) { return atomicCAS(at, expected, value); }
