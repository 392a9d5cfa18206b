// A recorder that runs every step as it is made, and looks at what it made.
#pragma once

#include <vector>

#include "graph/recorder.h"
#include "transform/heard.h"

namespace heddle::transform {

class HEDDLE_API StepChecking : public Recorder {
 public:
  StepChecking() = default;
  explicit StepChecking(Outermost place) : Recorder(place) {}

  void make(const Node& node) override;
  void after_make() override;
  bool hears_numbers() const override { return true; }

 protected:
  // What it makes, and looks at, only those outside of this recorder hear.
  virtual void check(const Heard& heard) = 0;

 private:
  bool checks_ = false;
  std::vector<Heard> heard_;
};

}  // namespace heddle::transform
