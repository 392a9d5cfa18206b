// Streams and events: queues of work on a GPU, and marks in them. Every thread has a current stream
// for each GPU, the default stream until another is put in its place. Buffers remember the stream
// that used them last, and order_on makes a stream wait for the others where a buffer moves.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "backend/cuda/driver.h"
#include "backend/cuda/launch_queue.h"
#include "runtime/buffer.h"
#include <heddle/small_vector.h>

namespace heddle::cuda {

class Capture;

// Never freed, as buffers and cached blocks refer to streams: one that was destroyed is used again
// for a new stream when its work is done.
class HEDDLE_API Stream {
 public:
  // `priority`: lower numbers first; CUDA clamps it to what the GPU has.
  static Stream& create(const Gpu& gpu, bool non_blocking, int priority);
  // Of somebody else, who keeps it alive while it is the current stream of a thread.
  static Stream& external(const Gpu& gpu, CUstream handle);
  // CUDA's default stream, which waits for all blocking streams and they for it.
  static Stream& null(const Gpu& gpu);
  // The default stream of this thread.
  static Stream& per_thread(const Gpu& gpu);

  // For a stream of `create`. Work given to it goes on.
  void destroy();

  // To give it anything, or to ask it anything: after all that was put off.
  CUstream handle() {
    queue_.flush(handle_);
    return handle_;
  }
  CUstream number() const { return handle_; }  // its name
  const Gpu& gpu() const { return *gpu_; }

  // Waits for the work given to it; front ends let others run meanwhile.
  void synchronize();
  bool done();
  // The same for whoever holds locks, and for streams that may have been destroyed meanwhile.
  void finish();
  // Waits, on the GPU, for what was given to `other` so far.
  void wait(Stream& other);
  void wait(CUevent event);

  // Records work instead of running it; see capture.h.
  bool capturing() const;

  // Around launches that may be put off, and given to it together.
  void begin_launches();
  void end_launches();
  // A kernel with its arguments, which are copied. `now`: the GPU is not to wait for others.
  void launch(const GridLaunch& launch, std::span<const std::uint64_t> words, bool now);

 private:
  friend class Capture;
  friend Stream* exchange_current_stream(const Gpu&, Stream*);
  enum class Kind : std::uint8_t { null, per_thread, own, external };

  Stream(const Gpu& gpu, CUstream handle, Kind kind)
      : gpu_(&gpu), handle_(handle), kind_(kind), queue_(gpu) {}
  static Stream& make(const Gpu& gpu, CUstream handle, Kind kind);
  CUevent mark();
  bool is_of_other_thread() const;
  void begin_use();
  void end_use();

  const Gpu* gpu_;
  CUstream handle_;
  Kind kind_;
  LaunchQueue queue_;
  std::mutex mutex_;         // guards what follows
  CUevent event_ = nullptr;  // where waits for this stream begin; made when first needed
  int users_ = 0;            // external: threads that have it as their current stream
  bool destroyed_ = false;
};

// This thread's. Null as `stream` means the default stream. Returns the stream that was current,
// null for the default.
HEDDLE_API Stream& current_stream(const Gpu& gpu);
HEDDLE_API Stream* exchange_current_stream(const Gpu& gpu, Stream* stream);

// Before work that uses the buffers is given to the stream: waits for what other streams do with
// them, and notes that this stream is now the last. For buffers that no other thread knows of; see
// StreamUse.
HEDDLE_API void order_on(Stream& stream, std::span<Buffer* const> buffers);

// Around giving work that uses the buffers to a stream. Another thread may use them on a stream of
// its own at the same time (both read), and cannot be made to wait for work that is not given yet;
// so they are put in order once more when it is: whoever comes last waits for the others.
class HEDDLE_API StreamUse {
 public:
  StreamUse(Stream& stream, std::span<Buffer* const> buffers);
  ~StreamUse();
  StreamUse(const StreamUse&) = delete;
  StreamUse& operator=(const StreamUse&) = delete;
  Stream& stream() const { return stream_; }

 private:
  Stream& stream_;
  SmallVector<Buffer*, 16> buffers_;
};

class HEDDLE_API Event {
 public:
  Event(const Gpu& gpu, unsigned flags);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  CUevent handle() const { return handle_; }
  const Gpu& gpu() const { return *gpu_; }
  void record(Stream& stream);
  void synchronize();
  bool done();
  // From `start` to this one.
  float milliseconds_since(const Event& start) const;

 private:
  const Gpu* gpu_;
  CUevent handle_ = nullptr;
};

}  // namespace heddle::cuda
