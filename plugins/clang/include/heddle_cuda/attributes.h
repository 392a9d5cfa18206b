// CUDA's words for functions and memory.
#pragma once

#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define CUDART_VERSION 13000
#define CUDA_VERSION 13000
#define __HEDDLE_CPU__ 1

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __grid_constant__
#define __restrict__ __restrict
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __device_builtin__
#define __cudart_builtin__
#define __nv_pure__ __attribute__((pure))
#define __cluster_dims__(...) \
  __attribute__((annotate("heddle needs: thread block clusters need a GPU")))

// Functions of these headers, and those that the lowering knows by name.
#define HEDDLE_INLINE static __device__ __attribute__((always_inline, nodebug)) inline
#define HEDDLE_DEVICE __device__ __attribute__((always_inline, nodebug)) inline
#define HEDDLE_KNOWN extern "C" __device__ __attribute__((nothrow))
#define HEDDLE_PURE extern "C" __device__ __attribute__((nothrow, const))

typedef unsigned long size_t;
typedef long ptrdiff_t;
typedef decltype(nullptr) nullptr_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#define NULL __null
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
