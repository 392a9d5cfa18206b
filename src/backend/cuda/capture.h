// Capture of a stream's work into a graph that can be launched again and again. All memory that
// captured work uses is kept for as long as the graph, so that it never runs on that of others.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "backend/cuda/driver.h"
#include "backend/cuda/stream.h"
#include "runtime/buffer.h"
#include "runtime/memory_pool.h"
#include "runtime/repeated_work.h"

namespace heddle::cuda {

// What captured work uses.
struct KeptMemory {
  KeptMemory() = default;
  KeptMemory(KeptMemory&&) = default;
  KeptMemory& operator=(KeptMemory&&) = default;
  ~KeptMemory();
  // From here on the blocks are used on that stream.
  void give_to(Stream& stream) {
    for (auto& piece : blocks) piece.block.stream = &stream;
  }

  struct Piece {
    MemoryPool* pool;
    MemoryPool::Block block;
    std::size_t bytes;
  };
  std::vector<Ref<Buffer>> buffers;
  std::vector<Piece> blocks;  // of buffers that went while the capture was under way
};

class HEDDLE_API Graph {
 public:
  Graph(const Gpu& gpu, CUgraph graph, KeptMemory memory);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void launch(Stream& stream);
  void upload(Stream& stream);
  // In the language of Graphviz.
  std::string dot(unsigned flags) const;
  CUgraph handle() const { return graph_; }
  CUgraphExec executable() const { return executable_; }

 private:
  const Gpu* gpu_;
  CUgraph graph_;
  CUgraphExec executable_ = nullptr;
  std::mutex mutex_;  // one launch at a time
  KeptMemory memory_;
};

// Pending work is not part of a capture: run it before and after. Throws device_error for the
// default stream, which cannot be captured.
HEDDLE_API void begin_capture(Stream& stream, CUstreamCaptureMode mode);
HEDDLE_API std::unique_ptr<Graph> end_capture(Stream& stream);

// What `work` gives to the current stream of this thread, written down: see Device::write_down.
std::unique_ptr<RepeatedWork> capture_work(const Gpu& gpu, const std::function<void()>& work,
                                           std::span<Buffer* const> used);

// Whether any stream of this process is being captured, a cheap first question.
bool any_capture();
// Keeps the buffers for the graphs that are being captured.
void keep_for_captures(std::span<Buffer* const> buffers);
// Keeps a block that goes back to its pool during a capture; false where there is none any more.
bool keep_for_capture(MemoryPool& pool, MemoryPool::Block block, std::size_t bytes);

// Allocating and asking about events is forbidden to a capturing thread unless it says that it
// knows what it does.
class HEDDLE_API RelaxedCapture {
 public:
  RelaxedCapture();
  ~RelaxedCapture();
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  bool active_ = false;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

}  // namespace heddle::cuda
