// What kernels say: printf, assert. And what needs a GPU, which is refused by name.
#pragma once

extern "C" __device__ int printf(const char* format, ...);
HEDDLE_KNOWN void __heddle_fail(const char* condition, const char* file, int line);

#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) \
  ((condition) ? (void)0 : __heddle_fail("Assertion `" #condition "` failed", __FILE__, __LINE__))
#endif
#define __trap() __heddle_fail("a thread ended the kernel by __trap()", __FILE__, __LINE__)

extern "C" __device__ void* malloc(size_t bytes);
extern "C" __device__ void free(void* memory);
extern "C" __device__ void* memcpy(void* to, const void* from, size_t bytes);
extern "C" __device__ void* memmove(void* to, const void* from, size_t bytes);
extern "C" __device__ void* memset(void* to, int value, size_t bytes);

HEDDLE_DEVICE void* operator new(size_t, void* at) noexcept { return at; }
HEDDLE_DEVICE void* operator new[](size_t, void* at) noexcept { return at; }
HEDDLE_DEVICE void* operator new(size_t bytes) { return malloc(bytes); }
HEDDLE_DEVICE void* operator new[](size_t bytes) { return malloc(bytes); }
HEDDLE_DEVICE void operator delete(void* memory) noexcept { free(memory); }
HEDDLE_DEVICE void operator delete[](void* memory) noexcept { free(memory); }
HEDDLE_DEVICE void operator delete(void* memory, size_t) noexcept { free(memory); }
HEDDLE_DEVICE void operator delete[](void* memory, size_t) noexcept { free(memory); }

#define HEDDLE_NO_TEXTURES __attribute__((unavailable("textures and surfaces need a GPU")))
#define HEDDLE_TEXTURE(name)                                                                  \
  template <typename... T, typename... A>                                                     \
  HEDDLE_NO_TEXTURES __device__ int name(A...);
HEDDLE_TEXTURE(tex1D)
HEDDLE_TEXTURE(tex2D)
HEDDLE_TEXTURE(tex3D)
HEDDLE_TEXTURE(tex1Dfetch)
HEDDLE_TEXTURE(tex1DLayered)
HEDDLE_TEXTURE(tex2DLayered)
HEDDLE_TEXTURE(texCubemap)
HEDDLE_TEXTURE(surf1Dread)
HEDDLE_TEXTURE(surf2Dread)
HEDDLE_TEXTURE(surf3Dread)
HEDDLE_TEXTURE(surf1Dwrite)
HEDDLE_TEXTURE(surf2Dwrite)
HEDDLE_TEXTURE(surf3Dwrite)
HEDDLE_TEXTURE(tex2Dgather)
HEDDLE_TEXTURE(tex1DLod)
HEDDLE_TEXTURE(tex2DLod)
HEDDLE_TEXTURE(tex3DLod)
HEDDLE_TEXTURE(tex1DGrad)
HEDDLE_TEXTURE(tex2DGrad)
HEDDLE_TEXTURE(tex3DGrad)
#undef HEDDLE_TEXTURE
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
template <typename T, int dimensions = 1, cudaTextureReadMode mode = cudaReadModeElementType>
struct HEDDLE_NO_TEXTURES texture {};

#define HEDDLE_LAUNCHES(name)                                                                 \
  template <typename... A>                                                                    \
  __attribute__((unavailable("dynamic parallelism, a kernel that launches another, needs a GPU"))) \
  __device__ int name(A...);
HEDDLE_LAUNCHES(cudaDeviceSynchronize)
HEDDLE_LAUNCHES(cudaLaunchKernel)
HEDDLE_LAUNCHES(cudaGetLastError)
HEDDLE_LAUNCHES(cudaStreamCreateWithFlags)
HEDDLE_LAUNCHES(cudaStreamDestroy)
#undef HEDDLE_LAUNCHES
