// Tape: the recorder that keeps a whole program, to be run again on other inputs.
//
// What it holds on to are values: of a value that no recorded node makes (an input) the elements as
// they were when it was first read, of one that was looked at those that the host saw. As the tape
// itself holds every value, none is overwritten in place while it listens.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/make.h"
#include "graph/recorder.h"
#include "graph/script.h"

namespace heddle {

// A program as it was heard. Values are numbered in the order in which they appeared.
struct Recording {
  using Bytes = std::shared_ptr<const std::vector<std::byte>>;

  struct Numbered {
    Dtype dtype;
    Dims shape;
    Device* device;
    bool input;      // no recorded node makes it
    bool rewritten;  // an input because its memory was written to past the doors
    Bytes seen;      // of an input: its elements; else what the host saw of them, if it did
  };
  using Step = graph::ScriptStep;
  struct Look {
    std::int32_t value;
    Bytes seen;
  };
  // Values that were computed together, before an entry.
  struct Run {
    std::size_t entry;
    std::vector<std::int32_t> values;
  };
  enum class Door : std::uint8_t { make, look, rebind };
  struct Entry {
    Door door;
    std::int32_t which;  // step or look; of rebind: the value
    std::int32_t known;  // how many values have appeared with it
  };

  Recording() = default;
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  std::vector<Numbered> values;
  std::vector<Step> steps;
  std::vector<Look> looks;
  std::vector<Run> runs;
  std::vector<Entry> entries;
  std::string incomplete;  // why it ends early; empty: it does not
};

class HEDDLE_API Tape : public Recorder {
 public:
  // Beyond `most` bytes of values it listens no more.
  explicit Tape(std::size_t most = std::size_t{1} << 30) : most_(most) {}

  // What was heard so far. The tape begins anew.
  std::shared_ptr<const Recording> take();

  void make(const Node& node) override;
  void look(const Value& value) override;
  void about_to_compute(std::span<Value* const> targets) override;
  void rebind(const Storage& storage, const Ref<Value>& value) override;

 private:
  std::int32_t number_of(const Value& value);
  std::int32_t add(const Value& value, bool input, bool rewritten = false);
  void add(Recording::Door door, std::size_t which);
  bool changed_outside(std::int32_t number) const;
  void give_up_if_large();

  std::size_t most_, held_ = 0;
  std::shared_ptr<Recording> heard_ = std::make_shared<Recording>();
  std::vector<Ref<Value>> held_values_;  // by number
  std::unordered_map<const Value*, std::int32_t> numbers_;
};

// What a program computes of: its inputs in order of appearance, and the numbers in its nodes.
// Numbers are inputs because the host may have computed them of what it saw.
struct HEDDLE_API Inputs {
  std::vector<Ref<Value>> values;
  std::vector<kernel::ScalarBits> numbers;

  // Those that were recorded until an entry, in memory of their own.
  static Inputs of(const Recording& recording, std::size_t entries);
  static Inputs of(const Recording& recording) { return of(recording, recording.entries.size()); }
};

// Who holds the values of a program while it is replayed, and when they are computed.
enum class Holding : std::uint8_t {
  // As when it was recorded: everything is held to the end. So the kernels are the same, and the
  // order in which they add.
  as_recorded,
  // As in a program that nobody listens to: values go as soon as nothing that follows needs them.
  // More is fused, and updates are in place. But all outputs of a node stay until it runs:
  // libraries
  // compute some in another way where nobody wants the others.
  as_needed,
};

// Makes the nodes of the first entries again, with other inputs, and evaluates what was looked at
// when it was. Gives what was looked at, in order.
HEDDLE_API std::vector<Ref<Value>> replay(const Recording& program, std::size_t entries,
                                          Inputs inputs, Holding holding = Holding::as_needed);
inline std::vector<Ref<Value>> replay(const Recording& program, Inputs inputs) {
  return replay(program, program.entries.size(), std::move(inputs));
}

// How many entries two recordings have in common at their beginning: one program on two inputs.
// Those are the same if they are of the same door, with the same primitives, parameters, layouts,
// types and numbers of values. Nothing is said of the elements of inputs, of numbers in nodes
// (constants, keys of random streams), nor of which storage was written.
HEDDLE_API std::size_t common_entries(const Recording& a, const Recording& b);
HEDDLE_API bool same_structure(const Recording& a, const Recording& b);
// Where they differ, in words; empty where they do not.
HEDDLE_API std::string difference(const Recording& a, const Recording& b);
// Whether an input that is read, or a number in a node, differs within the first entries, which
// they have in common.
HEDDLE_API bool other_inputs(const Recording& a, const Recording& b, std::size_t entries);

// Replays the first entries on the inputs of another recording that has them too, and says in words
// which values are not bit for bit what the host saw there. It is replayed twice, once as_needed:
// but not where something is added up, as sums depend on what they are fused with.
HEDDLE_API std::vector<std::string> check_replay(const Recording& program, const Recording& other,
                                                 std::size_t entries);

// One line for each door that was passed.
HEDDLE_API std::string describe(const Recording& recording);

}  // namespace heddle
