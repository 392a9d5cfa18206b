#include "backend/cuda/stream.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "backend/cuda/capture.h"
#include "backend/cuda/device.h"
#include "core/per_thread.h"
#include "runtime/interrupt.h"

namespace heddle::cuda {

namespace {

// Of a thread, for each GPU.
struct Streams {
  std::array<Stream*, max_gpus> current{};  // null: the default stream
  std::array<Stream*, max_gpus> per_thread{};
};
Streams& own_streams() { return PerThread<Streams>::own(); }

// Streams that were destroyed, to be used again.
struct Retired {
  std::mutex mutex;
  std::vector<Stream*> streams;
};
Retired& retired() {
  static auto* instance = new Retired;
  return *instance;
}

CUevent new_event(unsigned flags) {
  CUevent event = nullptr;
  check(api().cuEventCreate(&event, flags), "making an event");
  return event;
}

bool is_done(CUresult result, const char* what) {
  if (result == CUDA_ERROR_NOT_READY) return false;
  check(result, what);
  return true;
}

}  // namespace

Stream& Stream::make(const Gpu& gpu, CUstream handle, Kind kind) {
  return *new Stream(gpu, handle, kind);
}

Stream& Stream::create(const Gpu& gpu, bool non_blocking, int priority) {
  ContextScope scope(gpu);
  const Driver& cuda = api();
  CUstream handle = nullptr;
  check(cuda.cuStreamCreateWithPriority(
            &handle, non_blocking ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT, priority),
        "making a stream");
  RelaxedCapture relaxed;
  std::lock_guard lock(retired().mutex);
  auto& streams = retired().streams;
  for (auto it = streams.begin(); it != streams.end(); ++it) {
    Stream& old = **it;
    std::lock_guard guard(old.mutex_);
    // A buffer that was last used on the old one need not wait for anything now.
    if (old.gpu_ != &gpu || cuda.cuEventQuery(old.event_) != CUDA_SUCCESS) continue;
    streams.erase(it);
    old.handle_ = handle;
    old.destroyed_ = false;
    return old;
  }
  return make(gpu, handle, Kind::own);
}

Stream& Stream::external(const Gpu& gpu, CUstream handle) {
  if (handle == nullptr || handle == CU_STREAM_LEGACY) return null(gpu);
  if (handle == CU_STREAM_PER_THREAD) return per_thread(gpu);
  static auto* mutex = new std::mutex;
  static auto* known = new std::map<std::pair<const Gpu*, CUstream>, Stream*>;
  std::lock_guard lock(*mutex);
  Stream*& stream = (*known)[{&gpu, handle}];
  if (!stream) stream = &make(gpu, handle, Kind::external);
  return *stream;
}

Stream& Stream::null(const Gpu& gpu) {
  static auto* streams = [] {
    auto* made = new std::vector<Stream*>;
    for (const Gpu& one : gpus()) made->push_back(&make(one, nullptr, Kind::null));
    return made;
  }();
  return *(*streams)[static_cast<std::size_t>(gpu.ordinal)];
}

Stream& Stream::per_thread(const Gpu& gpu) {
  Stream*& stream = own_streams().per_thread[static_cast<std::size_t>(gpu.ordinal)];
  if (!stream) stream = &make(gpu, CU_STREAM_PER_THREAD, Kind::per_thread);
  return *stream;
}

void Stream::destroy() {
  if (kind_ != Kind::own) return;
  ContextScope scope(*gpu_);
  mark();  // whoever waits for this stream later waits for that
  {
    std::lock_guard lock(mutex_);
    if (std::exchange(destroyed_, true)) return;
    check(api().cuStreamDestroy(std::exchange(handle_, nullptr)), "destroying a stream");
  }
  std::lock_guard lock(retired().mutex);
  retired().streams.push_back(this);
}

// An event after everything that was given to this stream so far.
CUevent Stream::mark() {
  std::lock_guard lock(mutex_);
  if (!event_) event_ = new_event(CU_EVENT_DISABLE_TIMING);
  // The owner of an external stream may have destroyed it since it was last current somewhere; the
  // event was recorded then.
  bool alive = !destroyed_ && (kind_ != Kind::external || users_ > 0);
  if (alive) check(api().cuEventRecord(event_, handle()), "recording an event");
  return event_;
}

void Stream::begin_use() {
  if (kind_ != Kind::external) return;
  std::lock_guard lock(mutex_);
  // The handle may be that of a new stream: it waits for the work of its predecessor.
  if (users_++ == 0 && event_) api().cuStreamWaitEvent(handle_, event_, 0);
}

void Stream::end_use() {
  if (kind_ != Kind::external) return;
  ContextScope scope(*gpu_);
  mark();
  std::lock_guard lock(mutex_);
  --users_;
}

void Stream::synchronize() {
  ContextScope scope(*gpu_);
  BlockingScope blocking;
  check(api().cuStreamSynchronize(handle()), "waiting for a stream");
  device_of(*gpu_).check_reports();
}

void Stream::finish() {
  ContextScope scope(*gpu_);
  const Driver& cuda = api();
  flush_queues();
  check(is_of_other_thread() ? cuda.cuCtxSynchronize() : cuda.cuEventSynchronize(mark()),
        "waiting for a stream");
}

// Then only that thread could put a mark there.
bool Stream::is_of_other_thread() const {
  return kind_ == Kind::per_thread && this != &per_thread(*gpu_);
}

bool Stream::done() {
  ContextScope scope(*gpu_);
  return is_done(api().cuStreamQuery(handle()), "asking a stream");
}

void Stream::wait(Stream& other) {
  if (&other == this) return;
  if (other.is_of_other_thread()) return other.finish();
  if (any_capture() && capturing() != other.capturing()) {
    // An event cannot lead into a capture, nor out of it. What was given to other streams before
    // the capture began is done, see begin_capture.
    if (capturing() && other.kind_ != Kind::null) other.finish();
    return;
  }
  CUevent event = nullptr;
  {
    ContextScope scope(*other.gpu_);
    event = other.mark();
  }
  wait(event);
}

void Stream::wait(CUevent event) {
  ContextScope scope(*gpu_);
  check(api().cuStreamWaitEvent(handle(), event, 0), "making a stream wait");
}

bool Stream::capturing() const {
  if (kind_ == Kind::null || !any_capture()) return false;
  ContextScope scope(*gpu_);
  auto status = CU_STREAM_CAPTURE_STATUS_NONE;
  api().cuStreamIsCapturing(handle_, &status);
  return status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

// A stream of each thread that others cannot give anything to cannot be flushed by them either.
void Stream::begin_launches() {
  if (kind_ != Kind::per_thread) queue_.begin(handle_);
}

void Stream::end_launches() {
  if (kind_ != Kind::per_thread) queue_.end(handle_);
}

void Stream::launch(const GridLaunch& launch, std::span<const std::uint64_t> words, bool now) {
  if (!now && queue_.collects() && kind_ != Kind::per_thread && !(any_capture() && capturing())) {
    queue_.add(launch, words, handle_);
  } else {
    launch_now(launch, words.data(), handle());
  }
}

Stream& current_stream(const Gpu& gpu) {
  Stream* stream = own_streams().current[static_cast<std::size_t>(gpu.ordinal)];
  return stream ? *stream : Stream::null(gpu);
}

Stream* exchange_current_stream(const Gpu& gpu, Stream* stream) {
  ContextScope scope(gpu);
  Stream*& here = own_streams().current[static_cast<std::size_t>(gpu.ordinal)];
  if (stream) stream->begin_use();
  if (here) here->end_use();
  return std::exchange(here, stream);
}

namespace {

// The rest of this is only for programs that use several streams.
bool all_on(const Stream& stream, std::span<Buffer* const> buffers) {
  return std::all_of(buffers.begin(), buffers.end(),
                     [&](const Buffer* buffer) { return buffer->stream == &stream; });
}

void take_over(Stream& stream, std::span<Buffer* const> buffers) {
  if (all_on(stream, buffers)) return;
  // Whoever takes a buffer over has waited when the next one does.
  static auto* mutex = new std::mutex;
  std::lock_guard lock(*mutex);
  Stream* waited_for = nullptr;  // operands often come from the same one
  for (Buffer* buffer : buffers) {
    auto* last = static_cast<Stream*>(buffer->stream.load());
    if (last == &stream) continue;
    if (last && last != waited_for) stream.wait(*last);
    waited_for = last;
    buffer->stream = &stream;
  }
}

}  // namespace

void order_on(Stream& stream, std::span<Buffer* const> buffers) {
  take_over(stream, buffers);
  if (any_capture() && stream.capturing()) keep_for_captures(buffers);
}

StreamUse::StreamUse(Stream& stream, std::span<Buffer* const> buffers)
    : stream_(stream), buffers_(buffers.begin(), buffers.end()) {
  order_on(stream, buffers);
}

StreamUse::~StreamUse() {
  try {
    take_over(stream_, {buffers_.data(), static_cast<std::size_t>(buffers_.size())});
  } catch (const error&) {  // NOLINT(bugprone-empty-catch)
    // The GPU has failed. The next call that waits for results says so.
  }
}

Event::Event(const Gpu& gpu, unsigned flags) : gpu_(&gpu) {
  ContextScope scope(gpu);
  handle_ = new_event(flags);
}

Event::~Event() {
  try {
    ContextScope scope(*gpu_);  // a thread that collects garbage may have none
    api().cuEventDestroy(handle_);
  } catch (const error&) {  // NOLINT(bugprone-empty-catch)
    // The driver is gone, and its events with it.
  }
}

void Event::record(Stream& stream) {
  ContextScope scope(stream.gpu());
  check(api().cuEventRecord(handle_, stream.handle()), "recording an event");
}

void Event::synchronize() {
  ContextScope scope(*gpu_);
  BlockingScope blocking;
  check(api().cuEventSynchronize(handle_), "waiting for an event");
  device_of(*gpu_).check_reports();
}

bool Event::done() {
  ContextScope scope(*gpu_);
  return is_done(api().cuEventQuery(handle_), "asking an event");
}

float Event::milliseconds_since(const Event& start) const {
  ContextScope scope(*gpu_);
  float milliseconds = 0;
  check(api().cuEventElapsedTime(&milliseconds, start.handle_, handle_), "timing between events");
  return milliseconds;
}

}  // namespace heddle::cuda
