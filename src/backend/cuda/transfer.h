// Copies between host and GPUs. Ordinary host memory goes through page-locked staging buffers, in
// pieces that several threads copy while others are on the bus.
#pragma once

#include <cstddef>

#include "backend/cuda/driver.h"
#include "backend/cuda/stream.h"

namespace heddle::cuda {

// All of them come after what was given to the stream before.

// Returns when the bytes are there.
HEDDLE_API void copy_to_host(Stream& stream, void* to, CUdeviceptr from, std::size_t bytes);
// Returns when the source may change; the bytes may still be on their way.
HEDDLE_API void copy_from_host(Stream& stream, CUdeviceptr to, const void* from, std::size_t bytes);

// The same without waiting, where the host's memory is page-locked: it may be used when the stream
// has come that far. For other memory they are as above.
HEDDLE_API void copy_to_host_async(Stream& stream, void* to, CUdeviceptr from, std::size_t bytes);
HEDDLE_API void copy_from_host_async(Stream& stream, CUdeviceptr to, const void* from,
                                     std::size_t bytes);

// Between two GPUs, on a stream of either.
void copy_between(Stream& stream, const Gpu& to_gpu, CUdeviceptr to, const Gpu& from_gpu,
                  CUdeviceptr from, std::size_t bytes);

}  // namespace heddle::cuda
