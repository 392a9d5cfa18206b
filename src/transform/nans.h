// A recorder that runs every step as it is made, and says which one makes a nan or an infinity.
#pragma once

#include <string>

#include "transform/step_checking.h"

namespace heddle::transform {

class HEDDLE_API NanChecking : public StepChecking {
 public:
  explicit NanChecking(bool infinities) : infinities_(infinities) {}

  // A step has made a number that is none.
  virtual void found(const std::string& step, const char* what) = 0;

 protected:
  void check(const Heard& heard) override;

 private:
  bool infinities_;
};

}  // namespace heddle::transform
