#include "backend/cuda/capture.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include <unistd.h>

#include "runtime/recording.h"

namespace heddle::cuda {

// Captures that are under way. A stream may join the capture of another, so which of several a
// buffer belongs to is not known: all keep it.
class Capture {
 public:
  // `keeps`: buffers that are used stay for as long as the graph.
  explicit Capture(Stream& stream, bool keeps) : stream_(&stream), keeps_(keeps) {}

  static std::vector<Capture>& active() {
    static auto* captures = new std::vector<Capture>;
    return *captures;
  }
  static std::mutex& mutex() {
    static auto* instance = new std::mutex;
    return *instance;
  }

  Stream* stream_;
  bool keeps_;
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
    if (!capture.keeps_) continue;
    for (Buffer* buffer : buffers) capture.memory_.buffers.emplace_back(buffer);
  }
}

bool keep_for_capture(MemoryPool& pool, MemoryPool::Block block, std::size_t bytes) {
  std::lock_guard lock(Capture::mutex());
  auto& active = Capture::active();
  if (active.empty()) return false;
  // Blocks of streams that joined a capture go to any of them; a block has one owner.
  auto found = std::ranges::find(active, block.stream, &Capture::stream_);
  if (found == active.end()) found = active.end() - 1;
  found->memory_.blocks.push_back({&pool, block, bytes});
  return true;
}

namespace {

void begin_capture(Stream& stream, CUstreamCaptureMode mode, bool keeps) {
  ContextScope scope(stream.gpu());
  // Captured work cannot wait for work that is not captured: that must be done.
  flush_queues();
  check(api().cuCtxSynchronize(), "beginning a capture");
  check(api().cuStreamBeginCapture(stream.handle(), mode), "beginning a capture");
  std::lock_guard lock(Capture::mutex());
  Capture::active().emplace_back(stream, keeps);
  ++recordings;
}

}  // namespace

void begin_capture(Stream& stream, CUstreamCaptureMode mode) { begin_capture(stream, mode, true); }

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

namespace {

// A graph for one stream. Graphs of one stream follow one another there, so they may share what
// kernels and libraries keep for the stream that they were captured on.
class CapturedWork final : public RepeatedWork {
 public:
  CapturedWork(Stream& stream, CUgraph graph, KeptMemory memory)
      : stream_(stream), memory_(std::move(memory)) {
    memory_.give_to(stream_);
    const CUresult result = api().cuGraphInstantiateWithFlags(&executable_, graph, 0);
    api().cuGraphDestroy(graph);
    check(result, "instantiating a graph");
  }
  ~CapturedWork() override { api().cuGraphExecDestroy(executable_); }  // when it has run

  bool is_for_here() const override { return &current_stream(stream_.gpu()) == &stream_; }

  void run(std::span<Buffer* const> used) override {
    const ContextScope scope(stream_.gpu());
    const StreamUse use(stream_, used);
    check(api().cuGraphLaunch(executable_, stream_.handle()), "launching a graph");
  }

 private:
  Stream& stream_;
  KeptMemory memory_;
  CUgraphExec executable_ = nullptr;
};

// Where the work of a stream is captured.
Stream& beside(Stream& stream) {
  static auto* mutex = new std::mutex;
  static auto* known = new std::map<Stream*, Stream*>;
  const std::lock_guard lock(*mutex);
  Stream*& other = (*known)[&stream];
  if (!other) other = &Stream::create(stream.gpu(), true, 0);
  return *other;
}

}  // namespace

std::unique_ptr<RepeatedWork> capture_work(const Gpu& gpu, const std::function<void()>& work,
                                           std::span<Buffer* const> used) {
  if (any_capture()) return nullptr;
  const ContextScope scope(gpu);
  Stream& here = current_stream(gpu);
  Stream& stream = beside(here);
  begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED, false);
  Stream* before = exchange_current_stream(gpu, &stream);
  CUgraph graph = nullptr;
  // Whatever happens, the stream is one to work with again, and memory belongs where it did.
  auto end = [&] {
    exchange_current_stream(gpu, before);
    const CUresult result = api().cuStreamEndCapture(stream.handle(), &graph);
    for (Buffer* buffer : used) buffer->stream = &here;
    return result;
  };
  try {
    work();
  } catch (...) {
    end();
    if (graph) api().cuGraphDestroy(graph);
    KeptMemory memory = forget_capture(stream);
    memory.give_to(here);
    try {
      throw;
    } catch (const device_error&) {
      return nullptr;  // of what cannot be captured
    } catch (const out_of_memory&) {
      return nullptr;
    }
  }
  const CUresult result = end();
  KeptMemory memory = forget_capture(stream);
  if (result != CUDA_SUCCESS || !graph) {
    memory.give_to(here);
    return nullptr;
  }
  return std::make_unique<CapturedWork>(here, graph, std::move(memory));
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
