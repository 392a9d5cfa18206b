// Work on all cores whose pieces may take long, or for ever: loops that somebody has written, bands
// of kernels. Beside paced.h, which is for those that end soon.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>

namespace heddle {

// Calls body(piece) for every piece in [0, pieces). The caller's thread does its share of them, and
// while it waits for the others it calls `look` now and then, which can tell the bodies to end.
void watched_for(std::int64_t pieces, const std::function<void(std::int64_t)>& body,
                 const std::function<void()>& look);

// What bodies ask between their parts. The thread that made it asks the front end now and then
// whether to stop, and the others hear what it was told.
class Stopping {
 public:
  bool asked();
  // Throws `interrupted` if somebody was told to stop.
  void finish() const;

 private:
  std::thread::id caller_ = std::this_thread::get_id();
  std::atomic<bool> stopped_{false};
};

}  // namespace heddle
