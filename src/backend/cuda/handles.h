// Handles of CUDA's libraries. A handle has memory that its work uses, so it belongs to one stream,
// and to one thread at a time: whoever needs one borrows it.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "backend/cuda/stream.h"

namespace heddle::cuda {

// Never destroyed: libraries may be gone when the process ends.
template <class T>
class Handles {
 public:
  class Borrowed {
   public:
    Borrowed(Handles& from, Stream& stream, T* handle)
        : from_(from), stream_(stream), handle_(handle) {}
    ~Borrowed() {
      std::lock_guard lock(from_.mutex_);
      from_.idle_[&stream_].push_back(handle_);
    }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    T& operator*() const { return *handle_; }

   private:
    Handles& from_;
    Stream& stream_;
    T* handle_;
  };

  // make() gives a new one, where all of the stream's are in use. prepare(handle) is called every
  // time.
  template <class Make, class Prepare>
  Borrowed borrow(Stream& stream, Make make, Prepare prepare) {
    T* handle = idle(stream);
    if (!handle) handle = new T(make());
    prepare(*handle);
    return Borrowed(*this, stream, handle);
  }

 private:
  T* idle(Stream& stream) {
    std::lock_guard lock(mutex_);
    auto& handles = idle_[&stream];
    if (handles.empty()) return nullptr;
    T* handle = handles.back();
    handles.pop_back();
    return handle;
  }

  std::mutex mutex_;
  std::map<Stream*, std::vector<T*>> idle_;
};

}  // namespace heddle::cuda
