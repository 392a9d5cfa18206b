// Plans of cuFFT, kept for the transforms that come again: the most recently used of each GPU.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>

#include "backend/cuda/stream.h"
#include "runtime/transforms.h"

namespace heddle::cuda {

using FftHandle = int;

// Many transforms of one kind over dense memory. Where `inner` is 1 they follow one another; else
// each has one element of every row of `inner`, and the next one begins at the next element.
struct PlanKey {
  Transform::Kind kind = Transform::Kind::complex;
  Dtype precision = Dtype::float32;
  std::int64_t rank = 0;
  std::int64_t lengths[3] = {};  // of the real side
  std::int64_t inner = 1;
  std::int64_t batch = 1;
  bool operator==(const PlanKey&) const = default;
};

// Goes when nobody uses it any more.
struct Plan {
  Plan(const Gpu& gpu, const PlanKey& key) : gpu(&gpu), key(key) {}
  ~Plan();
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  const Gpu* gpu;
  const PlanKey key;
  std::mutex mutex;  // cuFFT takes one call for a plan at a time
  FftHandle handle = -1;
  std::size_t work_bytes = 0;  // of memory that an execution needs; the plan has none of its own
  std::atomic<bool> captured{false};  // a graph refers to it: it has to stay
};

struct PlanCacheInfo {
  std::size_t size = 0, max_size = 0;
  std::size_t hits = 0, misses = 0;
};

// Safe from any thread. Making a plan takes long, and nobody waits for those of others.
class HEDDLE_API PlanCache {
 public:
  explicit PlanCache(const Gpu& gpu) : gpu_(&gpu) {}
  std::shared_ptr<Plan> get(const PlanKey& key);
  PlanCacheInfo info() const;
  // The plan in use stays also with 0.
  void set_max_size(std::size_t plans);
  void clear();

 private:
  using List = std::list<std::shared_ptr<Plan>>;
  std::shared_ptr<Plan> find_or_begin(const PlanKey& key, List& excess);
  List shrink(std::size_t plans);  // those that go; the mutex is held

  const Gpu* gpu_;
  mutable std::mutex mutex_;
  List plans_;  // the last used first
  std::size_t max_size_ = 16;
  std::size_t hits_ = 0, misses_ = 0;
};

// Runs on the stream; the work area is the plan's alone until it is done.
void execute(Plan& plan, Stream& stream, void* input, void* output, void* work, bool forward);

}  // namespace heddle::cuda
