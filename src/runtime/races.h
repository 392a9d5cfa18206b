// Finds what threads of a kernel do to the same memory with nothing that puts it in order, and
// barriers that not all threads of a block reach, while a program tells what it does
// (simt/watch.h). One launch, on one thread of the host.
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/programs.h"
#include <heddle/errors.h>

namespace heddle {

class HEDDLE_API race_error : public error {
 public:
  using error::error;
};

class RaceChecker {
 public:
  RaceChecker(const simt::Program& program, const LaunchGeometry& geometry);
  ~RaceChecker();
  RaceChecker(const RaceChecker&) = delete;
  RaceChecker& operator=(const RaceChecker&) = delete;

  // Puts what the program calls into its report.
  void listen(std::int64_t* report);
  // Throws race_error for the first that was found.
  void raise() const;

 private:
  class Found;
  std::unique_ptr<Found> found_;
};

}  // namespace heddle
