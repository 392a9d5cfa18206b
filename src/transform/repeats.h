// Repeats: stretches of a script's steps that are the same body several times, for roll_up.cpp. A
// body reads what it made itself, what earlier passes made, and values from outside: the same in
// all passes, or another one in each.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "transform/script.h"

namespace heddle::transform {

// Where an operand of a body comes from.
struct Source {
  enum class Kind : std::uint8_t {
    number,     // no value
    made,       // by a step of the same pass, or `depth` passes before
    fixed,      // a value from outside
    constants,  // a constant for each pass
    rows,       // what passes of another repeat made
  };
  Kind kind = Kind::number;
  std::int32_t step = -1, output = 0;  // made, rows: which one of a body
  std::int32_t depth = 0;              // made
  // made: those that stand for the passes before the first, earliest reader first; fixed: the one;
  // constants: by pass.
  std::vector<std::int32_t> outside;
  std::int32_t repeat = -1;        // rows: of which repeat
  std::int64_t first = 0, by = 0;  // rows: the pass there
  std::int64_t moved = 0;          // the offset grows by so much
  bool numbers_differ = false;     // number: from pass to pass
};

struct Repeat {
  std::size_t first = 0;   // step of the script
  std::size_t period = 0;  // steps of a pass
  std::int64_t passes = 0;
  std::vector<std::vector<Source>> sources;  // by step of the body, and operand
  std::vector<std::int64_t> targets_moved;   // by step of the body
  std::size_t end() const { return first + period * static_cast<std::size_t>(passes); }
};

// What is known of a value of a script.
struct Known {
  std::int32_t step = -1;  // that makes it; -1: none
  std::int32_t output = 0;
  const graph::OutputType* type = nullptr;
  const Value* constant = nullptr;
};

class Repeats {
 public:
  explicit Repeats(const Script& script);

  // All that were found, in order.
  const std::vector<Repeat>& all() const { return all_; }
  const Known& known(std::int32_t value) const { return known_[static_cast<std::size_t>(value)]; }
  // Which one a step is part of; -1: none.
  std::int32_t repeat_of(std::int32_t step) const {
    return step < 0 ? -1 : repeat_of_[static_cast<std::size_t>(step)];
  }

 private:
  class Check;
  void learn();
  void find(std::size_t begin, std::size_t end);
  bool find_at(std::size_t first, std::size_t end);

  const Script& script_;
  std::vector<graph::OutputType> constant_types_;
  std::vector<Known> known_;
  std::vector<std::uint64_t> looks_;  // by step: what it looks like without offsets and values
  std::vector<std::uint64_t> grams_;  // of the steps that begin here
  std::unordered_map<std::uint64_t, std::vector<std::int32_t>> places_;  // by gram
  std::vector<Repeat> all_;
  std::vector<std::int32_t> repeat_of_;
  std::int64_t compared_ = 0;  // steps so far
};

}  // namespace heddle::transform
