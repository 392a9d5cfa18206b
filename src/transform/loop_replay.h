// Passes of a loop that is no kernel, launched again without making nodes: what a pass launches is
// logged three times, and if it is the same but for memory that moves along, the rest of the passes
// is these launches, on memory that belongs to the loop.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/launch_log.h"
#include "runtime/buffer.h"

namespace heddle::transform {

// Where memory is, without holding on to it: who holds it decides what passes do.
struct Memory {
  explicit Memory(const Buffer& buffer) : begin(buffer.data()), bytes(buffer.bytes()) {}
  const void* begin;
  std::size_t bytes;
};

class LoopReplay {
 public:
  // `counts`: numbers in launches may grow from pass to pass, as a counter does.
  LoopReplay(Device& device, bool counts) : device_(device), counts_(counts) {}

  // What some passes launched, and where what is carried was before and after; `others` is what
  // stays where it is: what passes only read, and stacks. The next passes are heard in turn. True
  // once it is known how they go on.
  bool learn(const graph::LaunchLog& log, std::span<const Memory> carried,
             std::span<const Memory> others, std::span<const Memory> carried_after);
  // Whether there is no use in listening on.
  bool hopeless() const { return hopeless_; }

  // Goes on `times` times from where the last one that was learnt of ended; `carried` is what that
  // left, and what this leaves. Those that change are the loop's own.
  void run(std::int64_t times, std::span<const Ref<Buffer>> others,
           std::vector<Ref<Buffer>>& carried);

 private:
  // Memory by what it is in a pass: carried, others, or memory that is only used meanwhile.
  struct Role {
    enum class Kind : std::uint8_t { carried, other, between, scratch };
    Kind kind = Kind::scratch;
    std::int32_t which = 0;
    bool operator==(const Role&) const = default;
  };
  struct Slot {
    Role role;
    std::int64_t offset = 0, moves = 0;  // bytes
  };
  struct Started {
    FoundKernel found;
    std::vector<Slot> slots;
    std::vector<std::int64_t> strides, extents;
    std::vector<kernel::ScalarBits> scalars;
    std::vector<std::uint64_t> grows;  // by scalar
    std::size_t scratch_bytes = 0;
    bool serial = false;
  };
  struct Pass {
    std::vector<Started> launches;
    std::vector<Role> carried_after;
    std::vector<std::size_t> between;  // bytes
  };

  static bool read(const graph::LaunchLog& log, std::span<const Memory> carried,
                   std::span<const Memory> others, std::span<const Memory> carried_after,
                   Pass& pass);
  // Whether a pass follows from the one before; sets what moves, or compares it.
  bool follows(Pass& pass, const Pass& earlier, bool compares) const;
  void launch(Started& started, std::span<const Ref<Buffer>> carried,
              std::span<const Ref<Buffer>> others, std::span<const Ref<Buffer>> between) const;

  Device& device_;
  const bool counts_;
  bool hopeless_ = false;
  int heard_ = 0;  // that follow from one another
  int tries_ = 0;
  Pass pass_;
};

}  // namespace heddle::transform
