// The definitions of radix.h.
#pragma once

#include <cub/device/device_radix_sort.cuh>

#include "radix.h"

namespace heddle::cub_part {

template <class K>
cudaError_t sort_keys(void* workspace, std::size_t& bytes, Both<K>& keys, std::int64_t count,
                      int end_bit, cudaStream_t stream) {
  cub::DoubleBuffer<K> buffer(keys.now(), keys.arrays[1 - keys.current]);
  const cudaError_t error =
      cub::DeviceRadixSort::SortKeys(workspace, bytes, buffer, count, 0, end_bit, stream);
  if (workspace) keys.current ^= buffer.selector;
  return error;
}

template <class K>
cudaError_t sort_pairs(void* workspace, std::size_t& bytes, Both<K>& keys,
                       Both<std::uint32_t>& values, std::int64_t count, int end_bit,
                       cudaStream_t stream) {
  cub::DoubleBuffer<K> buffer(keys.now(), keys.arrays[1 - keys.current]);
  cub::DoubleBuffer<std::uint32_t> beside(values.now(), values.arrays[1 - values.current]);
  const cudaError_t error =
      cub::DeviceRadixSort::SortPairs(workspace, bytes, buffer, beside, count, 0, end_bit, stream);
  if (workspace) {
    keys.current ^= buffer.selector;
    values.current ^= beside.selector;
  }
  return error;
}

}  // namespace heddle::cub_part

#define HEDDLE_RADIX_SORTS(K)                                                             \
  namespace heddle::cub_part {                                                            \
  template cudaError_t sort_keys<K>(void*, std::size_t&, Both<K>&, std::int64_t, int,     \
                                    cudaStream_t);                                        \
  template cudaError_t sort_pairs<K>(void*, std::size_t&, Both<K>&, Both<std::uint32_t>&, \
                                     std::int64_t, int, cudaStream_t);                    \
  }
