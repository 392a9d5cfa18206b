// Memory of sorts that nobody else sees, and how their work is shared among cores.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "backend/cpu/thread_scratch.h"
#include "runtime/buffer.h"
#include "runtime/device.h"
#include "runtime/parallel.h"

namespace heddle::cpu {

// From the pool.
template <class K>
class Scratch {
 public:
  explicit Scratch(std::int64_t count)
      : buffer_(Buffer::allocate(cpu_device(), static_cast<std::size_t>(count) * sizeof(K))) {}
  K* data() const { return static_cast<K*>(buffer_->data()); }

 private:
  Ref<Buffer> buffer_;
};

// The same where no lock is held: kept by the thread. One for each K and purpose, in use only
// inside of a call.
enum class Purpose : std::uint8_t { keys, seconds, words, positions, numbers, same };
template <class K, Purpose purpose>
K* local_scratch(std::int64_t count) {
  struct Kind;
  return static_cast<K*>(thread_scratch<Kind>(static_cast<std::size_t>(count) * sizeof(K)));
}

// One of both, by who works: all cores or the calling one.
template <class K, Purpose purpose>
class Workspace {
 public:
  Workspace(std::int64_t count, bool parallel)
      : shared_(parallel ? count : 0),
        data_(parallel ? shared_.data() : local_scratch<K, purpose>(count)) {}
  K* data() const { return data_; }

 private:
  Scratch<K> shared_;
  K* data_;
};

inline constexpr std::int64_t serial_work = 32 * 1024;  // less is not worth waking other cores
inline constexpr std::int64_t long_row = 256 * 1024;    // all cores work on one row

// Calls body(piece) for all pieces; on all cores if there is enough to do.
template <class F>
void in_parallel(std::int64_t pieces, std::int64_t work, F body) {
  if (work <= serial_work || pieces == 1) {
    for (std::int64_t piece = 0; piece < pieces; ++piece) body(piece);
  } else {
    parallel_for(pieces, true, body);
  }
}

// Rows, each by all cores or many at once: all(first key of a row), or here(first key, rows).
template <class All, class Here>
void for_rows(std::int64_t rows, std::int64_t length, All all, Here here) {
  if (length >= long_row || (rows == 1 && length > serial_work / 2)) {
    for (std::int64_t row = 0; row < rows; ++row) all(row * length);
    return;
  }
  const auto step = std::max<std::int64_t>(1, serial_work / 4 / length);
  in_parallel((rows + step - 1) / step, rows * length, [&](std::int64_t piece) {
    const auto first = piece * step;
    here(first * length, std::min(step, rows - first));
  });
}

}  // namespace heddle::cpu
