#include "backend/cuda/transfer.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>

#include "backend/cuda/capture.h"
#include "backend/cuda/memory.h"
#include "runtime/interrupt.h"
#include "runtime/parallel.h"

namespace heddle::cuda {

namespace {

constexpr std::size_t small_bytes = std::size_t{64} << 10;
constexpr std::size_t piece_bytes = std::size_t{4} << 20;
constexpr std::size_t least_piece_bytes = std::size_t{512} << 10;
constexpr int most_slots = 16;  // of each size; as many pieces are on their way at once

// A page-locked buffer, and an event after the last copy that used it.
struct Slot {
  void* data = nullptr;
  CUevent event = nullptr;
};

// Waits for an event of this GPU, without the front end's lock if it takes a while.
void wait_on_host(CUevent event, const char* what) {
  const Driver& cuda = api();
  CUresult result = cuda.cuEventQuery(event);
  if (result == CUDA_ERROR_NOT_READY) {
    BlockingScope blocking;
    result = cuda.cuEventSynchronize(event);
  }
  check(result, what);
}

// Buffers of one size for one GPU, made when they are first needed and kept.
class Slots {
 public:
  explicit Slots(std::size_t bytes) : bytes_(bytes) {}

  // One that no copy uses any more. The GPU's context is current.
  Slot take() {
    std::unique_lock lock(mutex_);
    if (made_ < most_slots && (free_.empty() || !is_idle(free_.front()))) {
      ++made_;
      lock.unlock();
      return make();
    }
    if (!free_.empty() && is_idle(free_.front())) return pop();
    lock.unlock();
    BlockingScope blocking;  // whoever has one may need a front end before it comes back
    lock.lock();
    returned_.wait(lock, [&] { return !free_.empty(); });
    Slot slot = pop();
    lock.unlock();
    // Copies that failed are reported where results are waited for.
    api().cuEventSynchronize(slot.event);
    return slot;
  }

  void give_back(Slot slot) {
    {
      std::lock_guard lock(mutex_);
      free_.push_back(slot);
    }
    returned_.notify_one();
  }

 private:
  Slot pop() {
    Slot slot = free_.front();
    free_.pop_front();
    return slot;
  }
  static bool is_idle(const Slot& slot) { return api().cuEventQuery(slot.event) == CUDA_SUCCESS; }

  Slot make() {
    try {
      Slot slot;
      slot.data = pinned_pool().allocate(bytes_).data;
      check(api().cuEventCreate(&slot.event, CU_EVENT_DISABLE_TIMING), "making an event");
      return slot;
    } catch (...) {
      std::lock_guard lock(mutex_);
      --made_;
      throw;
    }
  }

  std::size_t bytes_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::deque<Slot> free_;  // the one that was used longest ago first
  int made_ = 0;
};

Slots& slots_of(const Gpu& gpu, std::size_t bytes) {
  struct Pair {
    Slots small{small_bytes}, large{piece_bytes};
  };
  static auto* all = new std::deque<Pair>(gpus().size());
  Pair& pair = (*all)[static_cast<std::size_t>(gpu.ordinal)];
  return bytes <= small_bytes ? pair.small : pair.large;
}

// A slot for the length of a scope. What is copied with it belongs to `stream`.
class HeldSlot {
 public:
  HeldSlot(Stream& stream, std::size_t bytes)
      : stream_(stream), slots_(slots_of(stream.gpu(), bytes)), slot_(slots_.take()) {}
  ~HeldSlot() { slots_.give_back(slot_); }
  HeldSlot(const HeldSlot&) = delete;
  HeldSlot& operator=(const HeldSlot&) = delete;

  void* data() const { return slot_.data; }
  void record() { check(api().cuEventRecord(slot_.event, stream_.handle()), "recording an event"); }
  void wait() { wait_on_host(slot_.event, "copying to the host"); }

 private:
  Stream& stream_;
  Slots& slots_;
  Slot slot_;
};

// Calls copy(offset, bytes) for all pieces, on several threads if there are several.
void in_pieces(Stream& stream, std::size_t bytes,
               const std::function<void(std::size_t, std::size_t)>& copy) {
  auto piece = std::clamp(bytes / most_slots, least_piece_bytes, piece_bytes);
  auto copy_piece = [&](std::int64_t i) {
    auto offset = static_cast<std::size_t>(i) * piece;
    copy(offset, std::min(piece, bytes - offset));
  };
  auto pieces = static_cast<std::int64_t>((bytes + piece - 1) / piece);
  // A thread's default stream is another one in other threads.
  if (pieces == 1 || stream.number() == CU_STREAM_PER_THREAD) {
    for (std::int64_t i = 0; i < pieces; ++i) copy_piece(i);
    return;
  }
  parallel_for(pieces, false, [&](std::int64_t i) {
    ContextScope scope(stream.gpu());
    copy_piece(i);
  });
}

bool is_page_locked(const void* pointer) {
  return facts_of(device_pointer(pointer)).type == CU_MEMORYTYPE_HOST;
}

void refuse_in_capture(Stream& stream, const char* what) {
  if (stream.capturing()) {
    throw device_error(std::string(what) + " while the stream is being captured", 900);
  }
}

void synchronize(Stream& stream) {
  BlockingScope blocking;
  check(api().cuStreamSynchronize(stream.handle()), "waiting for a copy");
}

}  // namespace

void copy_to_host(Stream& stream, void* to, CUdeviceptr from, std::size_t bytes) {
  if (bytes == 0) return;
  ContextScope scope(stream.gpu());
  refuse_in_capture(stream, "device memory cannot be read by the host");
  if (bytes > small_bytes && is_page_locked(to)) {
    check(api().cuMemcpyDtoHAsync(to, from, bytes, stream.handle()), "copying to the host");
    return synchronize(stream);
  }
  in_pieces(stream, bytes, [&](std::size_t offset, std::size_t count) {
    HeldSlot slot(stream, count);
    check(api().cuMemcpyDtoHAsync(slot.data(), from + offset, count, stream.handle()),
          "copying to the host");
    slot.record();
    slot.wait();
    std::memcpy(static_cast<char*>(to) + offset, slot.data(), count);
  });
}

void copy_from_host(Stream& stream, CUdeviceptr to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  ContextScope scope(stream.gpu());
  refuse_in_capture(stream, "host memory cannot be copied to the device");
  if (bytes > small_bytes && is_page_locked(from)) {
    check(api().cuMemcpyHtoDAsync(to, from, bytes, stream.handle()), "copying to the device");
    return synchronize(stream);
  }
  in_pieces(stream, bytes, [&](std::size_t offset, std::size_t count) {
    HeldSlot slot(stream, count);
    std::memcpy(slot.data(), static_cast<const char*>(from) + offset, count);
    check(api().cuMemcpyHtoDAsync(to + offset, slot.data(), count, stream.handle()),
          "copying to the device");
    slot.record();
  });
}

void copy_to_host_async(Stream& stream, void* to, CUdeviceptr from, std::size_t bytes) {
  ContextScope scope(stream.gpu());
  if (!is_page_locked(to)) return copy_to_host(stream, to, from, bytes);
  check(api().cuMemcpyDtoHAsync(to, from, bytes, stream.handle()), "copying to the host");
}

void copy_from_host_async(Stream& stream, CUdeviceptr to, const void* from, std::size_t bytes) {
  ContextScope scope(stream.gpu());
  if (!is_page_locked(from)) return copy_from_host(stream, to, from, bytes);
  check(api().cuMemcpyHtoDAsync(to, from, bytes, stream.handle()), "copying to the device");
}

void copy_between(Stream& stream, const Gpu& to_gpu, CUdeviceptr to, const Gpu& from_gpu,
                  CUdeviceptr from, std::size_t bytes) {
  CUcontext to_context = context_of(to_gpu), from_context = context_of(from_gpu);
  ContextScope scope(stream.gpu());
  check(api().cuMemcpyPeerAsync(to, to_context, from, from_context, bytes, stream.handle()),
        "copying between GPUs");
}

}  // namespace heddle::cuda
