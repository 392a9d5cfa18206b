// WholeCall: a script that is repeated as one step, where nobody listens and nothing is around it
// that it had better be fused with: the call is planned once, and makes no nodes after that.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "graph/kept.h"
#include "graph/primitive.h"
#include "transform/script.h"

namespace heddle::transform {

// Scripts of fewer steps are made anew at each call, so that they fuse with what is around them.
HEDDLE_API std::atomic<std::size_t>& fewest_whole_steps();

class WholeCall final : public Parameters {
 public:
  // Null where the script does more than to make values and to write them to arrays, or is so short
  // that fusing it with what is around it saves more.
  static std::unique_ptr<const WholeCall> of(const Script& script);

  // Whether it serves for these arguments, here and now.
  bool serves(std::span<const array> arguments) const;
  std::vector<array> repeat(const Script& script, std::span<const array> arguments,
                            std::span<const array> late,
                            std::span<const Script::Stream> streams) const;

  void write_key(std::vector<std::uint64_t>& key) const override;
  void run(LibraryCall& call) const;

  explicit WholeCall(const Script& script) : script_(script) {}

 private:
  // Plans the call; where that cannot be kept, computes the results instead, and gives nothing.
  std::shared_ptr<const graph::Kept> plan(LibraryCall& call, std::span<Ref<Buffer>> results) const;

  const Script& script_;  // which has this
  Device* device_ = nullptr;
  std::vector<std::int32_t> read_;        // values that are given, by operand
  std::vector<std::int32_t> draws_;       // steps that draw; three numbers of each come after them
  std::vector<std::int32_t> made_;        // values that results are, by output
  std::vector<graph::OutputType> types_;  // of these
  std::vector<Script::Rebind> writes_;    // what storages have in the end
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const graph::Kept> kept_;
  mutable std::atomic<bool> fails_{false};
};

}  // namespace heddle::transform
