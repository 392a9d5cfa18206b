#include "runtime/paced.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "core/per_thread.h"
#include "runtime/parallel.h"

namespace heddle {

namespace {

using clock = std::chrono::steady_clock;

// Waking another core and waiting for it takes some microseconds; half of this work is saved.
constexpr double worth_waking = 12e-6;

double seconds_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

// What a loop took when it ran last.
struct Pace {
  const void* site = nullptr;
  double turn = 0;  // seconds of one thread
};

constexpr std::size_t remembered = 64;
using Paces = std::array<Pace, remembered>;

Pace& pace_of(const void* site) {
  Paces& paces = PerThread<Paces>::own();
  const auto address = reinterpret_cast<std::uintptr_t>(site);
  Pace& pace = paces[(address >> 4 ^ address >> 12) % remembered];
  if (pace.site != site) pace = {site, 0};
  return pace;
}

}  // namespace

void paced_for(const void* site, std::int64_t turns, std::int64_t pieces, bool interruptible,
               const std::function<void(std::int64_t, std::int64_t)>& body) {
  if (pieces <= 0) return;
  Pace pace = pace_of(site);  // loops inside of the body have theirs at the same place
  const auto start = clock::now();
  const auto all = static_cast<double>(std::max<std::int64_t>(turns, 1));
  const double expected = pace.turn * all;
  std::int64_t done = 0;
  if (expected < 2 * worth_waking) {
    // Of what is known to be short an eighth shows whether it still is.
    const bool brief = expected > 0 && expected < worth_waking;
    std::int64_t look = brief ? (pieces + 7) / 8 : 1;
    for (; done < pieces; look = brief ? pieces : std::min(2 * look, pieces)) {
      body(done, look);
      done = look;
      const double taken = seconds_since(start);
      const auto left = static_cast<double>(pieces - done);
      pace.turn = taken / all * static_cast<double>(pieces) / static_cast<double>(done);
      if (taken / static_cast<double>(done) * left > worth_waking) break;
    }
  }
  if (done < pieces) {
    const auto from = clock::now();
    parallel_for(pieces - done, interruptible,
                 [&](std::int64_t i) { body(done + i, done + i + 1); });
    const double share = static_cast<double>(pieces) / static_cast<double>(pieces - done);
    pace.turn = seconds_since(from) * share * thread_count() / all;
  }
  pace_of(site) = pace;
}

}  // namespace heddle
