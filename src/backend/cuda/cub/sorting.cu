// Sorts of rows. Short ones by a block each, a few long ones one after the other; else all at once,
// by keys that begin with the number of the row, or, where those would be too long, first by key
// and then by row, which keeps the order that the keys have.
#include "heddle_cub.h"
#include "kernel.cuh"
#include "radix.h"
#include "short_rows.h"

namespace heddle::cub_part {
namespace {

constexpr std::int64_t most_numbered = std::int64_t{1} << 32;  // elements that 32 bits number
constexpr std::int64_t long_row = 1 << 22;                     // it fills the GPU by itself
constexpr std::int64_t most_at_once = 1 << 26;  // elements of several rows: bounds the workspace

// That tell so many things apart, at least one.
int bits_for(std::int64_t count) {
  int bits = 1;
  while (count > std::int64_t{1} << bits) ++bits;
  return bits;
}

// Of several rows, in 32 bits: GPUs divide in software.
struct Rows {
  std::uint32_t length;
  __device__ std::uint32_t row(std::int64_t i) const {
    return static_cast<std::uint32_t>(i) / length;
  }
  __device__ std::uint32_t place(std::int64_t i) const {
    return static_cast<std::uint32_t>(i) % length;
  }
};

// Hands out pieces of a workspace; of none, only counts.
class Workspace {
 public:
  explicit Workspace(void* base) : base_(static_cast<char*>(base)) {}
  template <class T>
  T* take(std::int64_t count) {
    const std::size_t at = bytes_;
    bytes_ += (static_cast<std::size_t>(count) * sizeof(T) + 255) / 256 * 256;
    return base_ ? reinterpret_cast<T*>(base_ + at) : nullptr;
  }
  bool counting() const { return base_ == nullptr; }
  std::size_t bytes() const { return bytes_; }

 private:
  char* base_;
  std::size_t bytes_ = 0;
};

#define HEDDLE_CUB_TRY(call) \
  if (const cudaError_t failed = (call); failed != cudaSuccess) return failed

// One sort, with the workspace that it needs besides.
template <class K>
class Radix {
 public:
  Radix(Workspace& workspace, Both<K> keys, bool with_values, std::int64_t count, int end_bit)
      : keys(keys), count_(count), end_bit_(end_bit) {
    if (with_values) {
      values.arrays[0] = workspace.take<std::uint32_t>(count);
      values.arrays[1] = workspace.take<std::uint32_t>(count);
    }
    with_values_ = with_values;
    status_ = call(nullptr, nullptr);
    own_ = workspace.take<char>(static_cast<std::int64_t>(bytes_));
  }
  cudaError_t status() const { return status_; }
  cudaError_t run(cudaStream_t stream) { return call(own_, stream); }

  Both<K> keys;
  Both<std::uint32_t> values;

 private:
  cudaError_t call(void* own, cudaStream_t stream) {
    return with_values_ ? sort_pairs(own, bytes_, keys, values, count_, end_bit_, stream)
                        : sort_keys(own, bytes_, keys, count_, end_bit_, stream);
  }
  std::int64_t count_;
  int end_bit_;
  bool with_values_ = false;
  std::size_t bytes_ = 1;
  void* own_ = nullptr;
  cudaError_t status_;
};

template <class K>
Both<K> two(Workspace& workspace, std::int64_t count) {
  Both<K> both;
  both.arrays[0] = workspace.take<K>(count);
  both.arrays[1] = workspace.take<K>(count);
  return both;
}

cudaError_t number(std::uint32_t* values, std::int64_t count, cudaStream_t stream) {
  return for_each(count, stream,
                  [=] __device__(std::int64_t i) { values[i] = static_cast<std::uint32_t>(i); });
}

// What a sort works on: rows of it, and where their order goes, if it is wanted.
template <class K>
struct Job {
  K* keys;
  std::int64_t rows, length;
  std::int64_t* positions;
  cudaStream_t stream;
  std::int64_t count() const { return rows * length; }
  Rows short_rows() const { return {static_cast<std::uint32_t>(length)}; }
};

template <class K>
cudaError_t sort_row(const Job<K>& job, Workspace& workspace) {
  const std::int64_t count = job.length;
  Radix<K> radix(workspace, {{job.keys, workspace.take<K>(count)}}, job.positions != nullptr, count,
                 8 * sizeof(K));
  HEDDLE_CUB_TRY(radix.status());
  if (workspace.counting()) return cudaSuccess;
  if (job.positions) HEDDLE_CUB_TRY(number(radix.values.now(), count, job.stream));
  HEDDLE_CUB_TRY(radix.run(job.stream));
  if (!job.positions) {
    if (radix.keys.current == 0) return cudaSuccess;
    return cudaMemcpyAsync(job.keys, radix.keys.now(), static_cast<std::size_t>(count) * sizeof(K),
                           cudaMemcpyDeviceToDevice, job.stream);
  }
  return for_each(count, job.stream,
                  [from = radix.values.now(), to = job.positions] __device__(std::int64_t i) {
                    to[i] = from[i];
                  });
}

// By keys of type P that begin with the row.
template <class P, class K>
cudaError_t sort_packed(const Job<K>& job, Workspace& workspace) {
  const std::int64_t count = job.count();
  constexpr int bits = 8 * sizeof(K);
  Radix<P> radix(workspace, two<P>(workspace, count), job.positions != nullptr, count,
                 bits + bits_for(job.rows));
  HEDDLE_CUB_TRY(radix.status());
  if (workspace.counting()) return cudaSuccess;
  const Rows rows = job.short_rows();
  HEDDLE_CUB_TRY(for_each(count, job.stream,
                          [rows, from = job.keys, to = radix.keys.now(),
                           places = radix.values.now()] __device__(std::int64_t i) {
                            to[i] = static_cast<P>(static_cast<P>(rows.row(i)) << bits | from[i]);
                            if (places) places[i] = rows.place(i);
                          }));
  HEDDLE_CUB_TRY(radix.run(job.stream));
  return for_each(count, job.stream,
                  [from = radix.keys.now(), to = job.keys, places = radix.values.now(),
                   positions = job.positions] __device__(std::int64_t i) {
                    if (positions) {
                      positions[i] = places[i];
                    } else {
                      to[i] = static_cast<K>(from[i]);
                    }
                  });
}

// By key, then by row.
template <class K>
cudaError_t sort_twice(const Job<K>& job, Workspace& workspace) {
  const std::int64_t count = job.count();
  Radix<K> by_key(workspace, {{job.keys, workspace.take<K>(count)}}, true, count, 8 * sizeof(K));
  Radix<std::uint32_t> by_row(workspace, two<std::uint32_t>(workspace, count), true, count,
                              bits_for(job.rows));
  HEDDLE_CUB_TRY(by_key.status());
  HEDDLE_CUB_TRY(by_row.status());
  if (workspace.counting()) return cudaSuccess;
  HEDDLE_CUB_TRY(number(by_key.values.now(), count, job.stream));
  HEDDLE_CUB_TRY(by_key.run(job.stream));
  const Rows rows = job.short_rows();
  HEDDLE_CUB_TRY(for_each(count, job.stream,
                          [rows, from = by_key.values.now(), to = by_row.keys.now(),
                           order = by_row.values.now()] __device__(std::int64_t i) {
                            to[i] = rows.row(from[i]);
                            order[i] = static_cast<std::uint32_t>(i);
                          }));
  HEDDLE_CUB_TRY(by_row.run(job.stream));
  const std::uint32_t* order = by_row.values.now();
  if (job.positions) {
    return for_each(count, job.stream,
                    [rows, order, from = by_key.values.now(), to = job.positions] __device__(
                        std::int64_t i) { to[i] = rows.place(from[order[i]]); });
  }
  // Gathered into the array that the keys are not in.
  K* sorted = by_key.keys.arrays[1 - by_key.keys.current];
  HEDDLE_CUB_TRY(for_each(count, job.stream,
                          [order, from = by_key.keys.now(), sorted] __device__(std::int64_t i) {
                            sorted[i] = from[order[i]];
                          }));
  if (sorted == job.keys) return cudaSuccess;
  return cudaMemcpyAsync(job.keys, sorted, static_cast<std::size_t>(count) * sizeof(K),
                         cudaMemcpyDeviceToDevice, job.stream);
}

// Rows of at most `most_at_once` elements in all.
template <class K>
cudaError_t sort_rows(const Job<K>& job, Workspace& workspace) {
  if constexpr (sizeof(K) == 8) {
    return sort_twice(job, workspace);
  } else {
    if constexpr (sizeof(K) < 4) {
      if (8 * static_cast<int>(sizeof(K)) + bits_for(job.rows) <= 32)
        return sort_packed<std::uint32_t>(job, workspace);
    }
    return sort_packed<std::uint64_t>(job, workspace);
  }
}

// How many rows are sorted at once; 0: one, by itself.
template <class K>
std::int64_t rows_at_once(const Job<K>& job) {
  if (job.rows == 1 || job.length >= long_row) return 0;
  return std::min(job.rows, most_at_once / job.length);
}

template <class K>
cudaError_t sort(Job<K> job, void* memory, std::size_t* bytes) {
  if (job.positions && job.length >= most_numbered) return cudaErrorInvalidValue;
  if (job.length < 1 || job.rows < 1) {
    *bytes = 0;
    return cudaSuccess;
  }
  if constexpr (sizeof(K) >= 4) {  // shorter ones are sorted faster with the rows in front of them
    if (job.length <= longest_short_row) {
      *bytes = 1;
      if (!memory) return cudaSuccess;
      return sort_short_rows(job.keys, job.rows, job.length, job.positions, job.stream);
    }
  }
  const std::int64_t step = rows_at_once(job);
  for (std::int64_t first = 0; first < job.rows; first += std::max<std::int64_t>(step, 1)) {
    Workspace workspace(memory);
    Job<K> part = job;
    part.keys += first * job.length;
    if (job.positions) part.positions += first * job.length;
    part.rows = std::min(std::max<std::int64_t>(step, 1), job.rows - first);
    HEDDLE_CUB_TRY(step ? sort_rows(part, workspace) : sort_row(part, workspace));
    if (!memory) {  // the first part is the largest
      *bytes = workspace.bytes();
      return cudaSuccess;
    }
  }
  return cudaSuccess;
}

cudaError_t sort_keys_of(const heddle_cub_keys& keys, std::int64_t* positions, void* workspace,
                         std::size_t* bytes, void* stream) {
  return with_key(keys.width, [&](auto zero) {
    using K = decltype(zero);
    return sort(Job<K>{static_cast<K*>(keys.data), keys.rows, keys.length, positions,
                       static_cast<cudaStream_t>(stream)},
                workspace, bytes);
  });
}

}  // namespace
}  // namespace heddle::cub_part

extern "C" {

__attribute__((visibility("default"))) int heddle_cub_version(void) { return HEDDLE_CUB_VERSION; }

__attribute__((visibility("default"))) const char* heddle_cub_error(int error) {
  return cudaGetErrorString(static_cast<cudaError_t>(error));
}

__attribute__((visibility("default"))) int heddle_cub_sort(const heddle_cub_keys* keys,
                                                           void* workspace, size_t* workspace_bytes,
                                                           void* stream) {
  return heddle::cub_part::sort_keys_of(*keys, nullptr, workspace, workspace_bytes, stream);
}

__attribute__((visibility("default"))) int heddle_cub_argsort(const heddle_cub_keys* keys,
                                                              int64_t* positions, void* workspace,
                                                              size_t* workspace_bytes,
                                                              void* stream) {
  return heddle::cub_part::sort_keys_of(*keys, positions, workspace, workspace_bytes, stream);
}

}  // extern "C"
