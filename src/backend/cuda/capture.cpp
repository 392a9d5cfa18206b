#include "backend/cuda/capture.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <unistd.h>

#include "runtime/recording.h"

namespace heddle::cuda {

// Captures that are under way. A stream may join the capture of another, so which of several a
// buffer belongs to is not known: all keep it.
class Capture {
 public:
  explicit Capture(Stream& stream) : stream_(&stream) {}

  static std::vector<Capture>& active() {
    static auto* captures = new std::vector<Capture>;
    return *captures;
  }
  static std::mutex& mutex() {
    static auto* instance = new std::mutex;
    return *instance;
  }

  Stream* stream_;
  KeptMemory memory_;
};

KeptMemory::~KeptMemory() {
  for (const Piece& piece : blocks) piece.pool->release(piece.block, piece.bytes);
}

namespace {

KeptMemory forget_capture(Stream& stream) {
  std::lock_guard lock(Capture::mutex());
  KeptMemory memory;
  std::erase_if(Capture::active(), [&](Capture& capture) {
    if (capture.stream_ != &stream) return false;
    memory = std::move(capture.memory_);
    return true;
  });
  recordings = static_cast<int>(Capture::active().size());
  return memory;
}

}  // namespace

bool any_capture() { return recording(); }

void keep_for_captures(std::span<Buffer* const> buffers) {
  std::lock_guard lock(Capture::mutex());
  for (Capture& capture : Capture::active()) {
    for (Buffer* buffer : buffers) capture.memory_.buffers.emplace_back(buffer);
  }
}

bool keep_for_capture(MemoryPool& pool, MemoryPool::Block block, std::size_t bytes) {
  std::lock_guard lock(Capture::mutex());
  if (Capture::active().empty()) return false;
  // Blocks of streams that joined a capture go to any of them; a block has one owner.
  Capture::active().back().memory_.blocks.push_back({&pool, block, bytes});
  return true;
}

void begin_capture(Stream& stream, CUstreamCaptureMode mode) {
  ContextScope scope(stream.gpu());
  // Captured work cannot wait for work that is not captured: that must be done.
  flush_queues();
  check(api().cuCtxSynchronize(), "beginning a capture");
  check(api().cuStreamBeginCapture(stream.handle(), mode), "beginning a capture");
  std::lock_guard lock(Capture::mutex());
  Capture::active().emplace_back(stream);
  ++recordings;
}

std::unique_ptr<Graph> end_capture(Stream& stream) {
  ContextScope scope(stream.gpu());
  CUgraph graph = nullptr;
  CUresult result = api().cuStreamEndCapture(stream.handle(), &graph);
  auto memory = forget_capture(stream);
  check(result, "ending a capture");
  return std::make_unique<Graph>(stream.gpu(), graph, std::move(memory));
}

Graph::Graph(const Gpu& gpu, CUgraph graph, KeptMemory memory)
    : gpu_(&gpu), graph_(graph), memory_(std::move(memory)) {
  CUresult result = api().cuGraphInstantiateWithFlags(&executable_, graph_, 0);
  if (result != CUDA_SUCCESS) api().cuGraphDestroy(graph_);
  check(result, "instantiating a graph");
}

Graph::~Graph() {
  api().cuGraphExecDestroy(executable_);
  api().cuGraphDestroy(graph_);
}

void Graph::launch(Stream& stream) {
  ContextScope scope(*gpu_);
  std::lock_guard lock(mutex_);
  std::vector<Buffer*> buffers;
  buffers.reserve(memory_.buffers.size());
  for (const auto& buffer : memory_.buffers) buffers.push_back(buffer.get());
  StreamUse use(stream, buffers);
  for (auto& piece : memory_.blocks) {
    stream.wait(*static_cast<Stream*>(piece.block.stream));
    piece.block.stream = &stream;
  }
  check(api().cuGraphLaunch(executable_, stream.handle()), "launching a graph");
}

void Graph::upload(Stream& stream) {
  ContextScope scope(*gpu_);
  check(api().cuGraphUpload(executable_, stream.handle()), "uploading a graph");
}

std::string Graph::dot(unsigned flags) const {
  // The driver only writes to files.
  std::string path = std::filesystem::temp_directory_path() / "heddle-graph-XXXXXX";
  int file = mkstemp(path.data());
  if (file < 0) throw device_error("could not make a temporary file for the graph");
  close(file);
  CUresult result = api().cuGraphDebugDotPrint(graph_, path.c_str(), flags);
  std::ifstream stream(path);
  std::string text((std::istreambuf_iterator<char>(stream)), {});
  std::remove(path.c_str());
  check(result, "printing a graph");
  return text;
}

RelaxedCapture::RelaxedCapture() {
  if (!any_capture()) return;
  active_ = true;
  api().cuThreadExchangeStreamCaptureMode(&mode_);
}

RelaxedCapture::~RelaxedCapture() {
  if (active_) api().cuThreadExchangeStreamCaptureMode(&mode_);
}

}  // namespace heddle::cuda
