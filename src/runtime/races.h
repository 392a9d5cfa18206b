// Finds what threads of a kernel do to the same memory with nothing that puts it in order, and
// barriers that not all threads of a block reach, while a program tells what it does
// (simt/watch.h). One launch, on one thread of the host.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/programs.h"
#include <heddle/errors.h>

namespace heddle {

class HEDDLE_API race_error : public error {
 public:
  using error::error;
};

class RaceChecker {
 public:
  // `sites`: what to call the places of the code, by number. `cooperative`: blocks run at the same
  // time, each with shared memory of its own; else one takes the memory of the one before.
  RaceChecker(std::vector<std::string> sites, bool cooperative, const LaunchGeometry& geometry);
  RaceChecker(const simt::Program& program, const LaunchGeometry& geometry);
  ~RaceChecker();
  RaceChecker(const RaceChecker&) = delete;
  RaceChecker& operator=(const RaceChecker&) = delete;

  // Puts what the program calls into its report.
  void listen(std::int64_t* report);
  // What a program would tell (simt::Watch::Function).
  void tell(std::int64_t what, std::int64_t address, std::int64_t site, std::int64_t block,
            std::int64_t thread);
  bool found() const;
  // Throws race_error for the first that was found.
  void raise() const;

 private:
  class Found;
  std::unique_ptr<Found> found_;
};

}  // namespace heddle
