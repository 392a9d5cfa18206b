// Writes: the recorder around a step with a way back of its own. It finds the arrays that were
// there before and that the step wrote what it made of its inputs to: of these the way back knows
// nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/numbering.h"
#include "graph/recorder.h"
#include "graph/storage.h"
#include <heddle/array.h>

namespace heddle::transform {

class HEDDLE_API Writes : public Recorder {
 public:
  explicit Writes(std::span<const array> inputs);

  // Those arrays, each as a whole.
  std::vector<array> arrays() const;

  void make(const Node& node) override;
  void rebind(const Storage& storage, const Ref<Value>& value) override;

 private:
  std::uint64_t number_;  // storages that were there before were born with a smaller one
  Numbering reached_;     // what is made of the inputs
  std::vector<Ref<Storage>> written_;
};

// Takes as many off the end of what a step made, and puts them where the step wrote.
HEDDLE_API void write_last(std::vector<array>& made, std::span<array> written);

}  // namespace heddle::transform
