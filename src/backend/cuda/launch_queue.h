// Launches that are given to a stream together. Programs of many short kernels wait for the host,
// not for the GPU: those that come again in the same order are one CUDA graph, which takes one
// call.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "backend/cuda/driver.h"

namespace heddle::cuda {

// A kernel on its threads; what it is given comes besides.
struct GridLaunch {
  CUfunction function = nullptr;
  unsigned grid_x = 1, grid_y = 1, grid_z = 1, block_x = 1, block_y = 1, block_z = 1;
  unsigned shared_bytes = 0;  // beside what the kernel says itself
  unsigned words = 0;         // of its arguments
  bool cooperative = false;   // its blocks wait for one another; never put off
  bool operator==(const GridLaunch&) const = default;
};

// `words` are copied.
void launch_now(const GridLaunch& launch, const std::uint64_t* words, CUstream stream);

// One for each stream. Whoever looks at the stream, or gives anything else to it, flushes the queue
// first (Stream::handle does), so nobody can tell that launches were put off.
class HEDDLE_API LaunchQueue {
 public:
  explicit LaunchQueue(const Gpu& gpu) : gpu_(&gpu) {}
  ~LaunchQueue();
  LaunchQueue(const LaunchQueue&) = delete;
  LaunchQueue& operator=(const LaunchQueue&) = delete;

  // Between these launches are put off; several threads may do so at a time. What the GPU has no
  // memory for when they are given to it is an error of whoever wants that, and waits on: results
  // are taken for computed by then, so nobody may see the stream without them.
  void begin(CUstream stream);
  void end(CUstream stream);
  bool collects() const { return collectors_.load(std::memory_order_relaxed) > 0; }

  void add(const GridLaunch& launch, std::span<const std::uint64_t> words, CUstream stream);
  void flush(CUstream stream) {
    if (waiting_.load(std::memory_order_acquire)) flush_all(stream);
  }

 private:
  using Launches = std::vector<GridLaunch>;
  using Words = std::vector<std::uint64_t>;

  // A graph of a row of launches, and the arguments that it has now.
  struct Executable {
    CUgraph graph = nullptr;
    CUgraphExec executable = nullptr;
    std::vector<CUgraphNode> nodes;
    Words words;
    std::uint64_t used = 0;
  };
  // Rows of the same kernels: arguments change with the memory that is free at the time.
  struct Row {
    int seen = 0;
    std::vector<Executable> executables;
  };
  struct Hash {
    std::size_t operator()(const Launches& launches) const;
  };

  void flush_all(CUstream stream);
  void submit(CUstream stream);  // the lock is held
  void drop(std::size_t launches, std::size_t words);
  bool replay(CUstream stream);
  void launch_as_graph(Row& row, CUstream stream);
  Executable make_executable() const;
  void update(Executable& executable) const;
  void forget();

  const Gpu* gpu_;
  std::atomic<int> collectors_{0};
  std::atomic<bool> waiting_{false};
  bool listed_ = false;  // among the queues that flush_queues knows, whose lock guards it
  std::mutex mutex_;     // guards what follows
  Launches launches_;
  Words words_;  // of all launches
  std::unordered_map<Launches, Row, Hash> rows_;
  std::size_t executables_ = 0;
  std::uint64_t clock_ = 0;
};

// Flushes the queues of all streams, before what waits for the GPU as a whole.
void flush_queues();

}  // namespace heddle::cuda
