// KeptPasses: passes of a loop, each of which is the same kept program but for numbers that it is
// given and for offsets that grow evenly, as those of rows do. Three passes are planned and
// compared; all others run without nodes and without a plan.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "graph/kept.h"

namespace heddle::graph {

class HEDDLE_API KeptPasses {
 public:
  // The next pass. True once it is known how they go on.
  bool learn(std::shared_ptr<Kept> pass);
  // Whether there is no use in planning more of them.
  bool hopeless() const { return tries_ >= most_tries; }
  void give_up() { tries_ = most_tries; }

  // Numbers that were given, of the pass with this number among those that are run here.
  using NumbersOf = std::function<Kept::Numbers(std::int64_t pass)>;
  // Runs the last pass that was learnt, and those after it, `times` in all. `memory` is that of
  // what was taken and of the inputs, and what the last pass leaves.
  void run(std::int64_t times, const NumbersOf& numbers, std::span<Ref<Buffer>> memory);

 private:
  struct Move {
    std::size_t step, slot;
    std::int64_t bytes;
    bool operator==(const Move&) const = default;
  };
  using Moves = std::vector<Move>;

  static bool alike(const Kept::Update& a, const Kept::Update& b);
  // False where one pass is no pass of the other's kind.
  static bool compare(const Kept& earlier, const Kept& later, Moves& moves);
  static bool compare(const Kept::KeptStep& earlier, const Kept::KeptStep& later, std::size_t step,
                      Moves& moves);
  void advance();

  static constexpr int most_tries = 8;
  std::shared_ptr<Kept> pass_;
  Moves moves_;
  int heard_ = 0;  // passes that follow from one another
  int tries_ = 0;
};

}  // namespace heddle::graph
