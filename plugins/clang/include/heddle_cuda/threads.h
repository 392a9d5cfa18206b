// Where a thread is, barriers, fences, clocks.
#pragma once

HEDDLE_PURE unsigned int __heddle_thread_x();
HEDDLE_PURE unsigned int __heddle_thread_y();
HEDDLE_PURE unsigned int __heddle_thread_z();
HEDDLE_PURE unsigned int __heddle_block_x();
HEDDLE_PURE unsigned int __heddle_block_y();
HEDDLE_PURE unsigned int __heddle_block_z();
HEDDLE_PURE unsigned int __heddle_block_size_x();
HEDDLE_PURE unsigned int __heddle_block_size_y();
HEDDLE_PURE unsigned int __heddle_block_size_z();
HEDDLE_PURE unsigned int __heddle_grid_size_x();
HEDDLE_PURE unsigned int __heddle_grid_size_y();
HEDDLE_PURE unsigned int __heddle_grid_size_z();
HEDDLE_PURE unsigned int __heddle_lane();             // in the warp
HEDDLE_PURE unsigned int __heddle_dynamic_bytes();
HEDDLE_KNOWN void __heddle_block_barrier();
HEDDLE_KNOWN int __heddle_block_count(int predicate);
HEDDLE_KNOWN int __heddle_block_and(int predicate);
HEDDLE_KNOWN int __heddle_block_or(int predicate);
HEDDLE_KNOWN void __heddle_grid_barrier();

#define HEDDLE_PLACE(name, function)                                                         \
  struct __heddle_##name {                                                                   \
    __declspec(property(get = get_x)) unsigned int x;                                        \
    __declspec(property(get = get_y)) unsigned int y;                                        \
    __declspec(property(get = get_z)) unsigned int z;                                        \
    HEDDLE_INLINE unsigned int get_x() { return __heddle_##function##_x(); }                 \
    HEDDLE_INLINE unsigned int get_y() { return __heddle_##function##_y(); }                 \
    HEDDLE_INLINE unsigned int get_z() { return __heddle_##function##_z(); }                 \
    HEDDLE_DEVICE operator uint3() const { return {get_x(), get_y(), get_z()}; }             \
    HEDDLE_DEVICE operator dim3() const { return dim3(get_x(), get_y(), get_z()); }          \
  };                                                                                         \
  extern const __device__ __attribute__((weak)) __heddle_##name name;

HEDDLE_PLACE(threadIdx, thread)
HEDDLE_PLACE(blockIdx, block)
HEDDLE_PLACE(blockDim, block_size)
HEDDLE_PLACE(gridDim, grid_size)
#undef HEDDLE_PLACE
extern const __device__ __attribute__((weak)) int warpSize;
#define warpSize 32

// A macro, as Clang has a function of this name for GPUs.
#define __syncthreads() __heddle_block_barrier()
HEDDLE_INLINE int __syncthreads_count(int predicate) { return __heddle_block_count(predicate); }
HEDDLE_INLINE int __syncthreads_and(int predicate) { return __heddle_block_and(predicate); }
HEDDLE_INLINE int __syncthreads_or(int predicate) { return __heddle_block_or(predicate); }

HEDDLE_INLINE void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
HEDDLE_INLINE void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
HEDDLE_INLINE void __threadfence_block() { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

// Nanoseconds, as no clock of a CPU counts cycles of a thread.
HEDDLE_KNOWN long long __heddle_nanoseconds();
HEDDLE_INLINE long long clock64() { return __heddle_nanoseconds(); }
HEDDLE_INLINE int clock() { return (int)__heddle_nanoseconds(); }
HEDDLE_INLINE unsigned long long globaltimer() { return __heddle_nanoseconds(); }
HEDDLE_INLINE void __nanosleep(unsigned int) {}
HEDDLE_INLINE void __brkpt() {}

template <typename T>
HEDDLE_DEVICE T __ldg(const T* at) { return *at; }
template <typename T>
HEDDLE_DEVICE T __ldca(const T* at) { return *at; }
template <typename T>
HEDDLE_DEVICE T __ldcg(const T* at) { return *at; }
template <typename T>
HEDDLE_DEVICE T __ldcs(const T* at) { return *at; }
template <typename T>
HEDDLE_DEVICE T __ldcv(const T* at) { return *(const volatile T*)at; }
template <typename T>
HEDDLE_DEVICE void __stcg(T* at, T value) { *at = value; }
template <typename T>
HEDDLE_DEVICE void __stcs(T* at, T value) { *at = value; }
template <typename T>
HEDDLE_DEVICE void __stwb(T* at, T value) { *at = value; }
template <typename T>
HEDDLE_DEVICE void __stwt(T* at, T value) { *at = value; }
