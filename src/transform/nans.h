// A recorder that runs every step as it is made, and says which one makes a nan or an infinity.
#pragma once

#include <string>
#include <vector>

#include "graph/recorder.h"
#include "transform/heard.h"

namespace heddle::transform {

class HEDDLE_API NanChecking : public Recorder {
 public:
  explicit NanChecking(bool infinities) : infinities_(infinities) {}

  void make(const Node& node) override;
  void after_make() override;

  // A step has made a number that is none.
  virtual void found(const std::string& step, const char* what) = 0;

 private:
  void check(const Heard& heard);

  bool infinities_;
  bool checks_ = false;
  std::vector<Heard> heard_;
};

}  // namespace heddle::transform
