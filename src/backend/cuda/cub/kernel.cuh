// Kernels over [0, count).
#pragma once

#include <algorithm>
#include <cstdint>

#include <cuda_runtime.h>

namespace heddle::cub_part {

constexpr int threads = 256;

template <class F>
__global__ void __launch_bounds__(threads) over(std::int64_t count, F body) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * threads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x; i < count;
       i += step)
    body(i);
}

template <class F>
cudaError_t for_each(std::int64_t count, cudaStream_t stream, F body) {
  if (count == 0) return cudaSuccess;
  constexpr std::int64_t most_blocks = 1 << 20;
  const std::int64_t blocks = std::min((count + threads - 1) / threads, most_blocks);
  over<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(count, body);
  return cudaGetLastError();
}

// Calls body(K()) with the unsigned type of a width.
template <class F>
cudaError_t with_key(int width, F body) {
  switch (width) {
    case 1:
      return body(std::uint8_t());
    case 2:
      return body(std::uint16_t());
    case 4:
      return body(std::uint32_t());
    case 8:
      return body(std::uint64_t());
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace heddle::cub_part
