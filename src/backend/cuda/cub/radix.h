// Radix sorts, one file of code for each width of keys: radix_u8.cu and its neighbours.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

namespace heddle::cub_part {

// Two arrays between which a sort moves its elements; `current` is where they are.
template <class T>
struct Both {
  T* arrays[2] = {nullptr, nullptr};
  int current = 0;
  T* now() const { return arrays[current]; }
};

// By the bits [0, end_bit) of the keys, stable. With a null workspace says how much it takes.
template <class K>
cudaError_t sort_keys(void* workspace, std::size_t& bytes, Both<K>& keys, std::int64_t count,
                      int end_bit, cudaStream_t stream);
template <class K>
cudaError_t sort_pairs(void* workspace, std::size_t& bytes, Both<K>& keys,
                       Both<std::uint32_t>& values, std::int64_t count, int end_bit,
                       cudaStream_t stream);

}  // namespace heddle::cub_part
