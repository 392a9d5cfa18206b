// Script: a call of a function, to be repeated on other arguments without the function: jit.
//
// A Scripting is the recorder that writes it down while the function runs, on real values. It
// numbers values without holding them: what a storage of an argument holds at the beginning are
// inputs, what nodes make comes after, and any other value is a constant, which is held. What the
// function looked at is kept: where a later call finds other elements there, control flow may have
// gone another way, and the script does not serve.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/numbering.h"
#include "graph/recorder.h"
#include "graph/script.h"
#include "graph/storage.h"
#include <heddle/array.h>

namespace heddle::transform {

class WholeCall;

struct HEDDLE_API Script : std::enable_shared_from_this<Script> {
  Script();
  ~Script();
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;

  enum class Door : std::uint8_t { make, look, rebind, call };
  struct Entry {
    Door door;
    std::int32_t which;  // step, look, rebind or call
  };
  struct Look {
    std::int32_t value;
    std::vector<std::byte> seen;
    std::string where;  // the line that looked, where somebody knows it
    // What was looked at is only how many elements there are; -1: the elements.
    std::int64_t count = -1;
  };
  // A storage that was there before gets another value.
  struct Rebind {
    std::int32_t storage;
    std::int32_t value;
  };
  // How the words of a generator are to be drawn again: its key now, and how much further its
  // counter is than when the call was recorded.
  struct Stream {
    std::array<std::uint64_t, 2> key;
    std::array<std::uint64_t, 4> moved;
    // What the operands of recorded words become: the key, and the counter in two halves.
    void draw_anew(std::span<Operand> operands) const;
  };
  struct Result {
    std::int32_t storage = -1;  // one that was there before; -1: a new one
    std::int32_t value = -1;    // of a new one
    std::int32_t fresh = -1;    // which new one: results may be views of each other
    SharedLayout layout;
    Dtype dtype;
    bool snapshot = false;
  };

  // What happens in every call beside values: something is printed, for example.
  struct Effect {
    virtual ~Effect() = default;
    virtual void run(const std::vector<array>& arguments) = 0;
  };
  struct Call {
    std::shared_ptr<Effect> effect;
    std::vector<Result> arguments;
    // These, of values by number.
    std::vector<array> arguments_of(std::span<const Ref<Value>> values) const;
  };

  std::int32_t values = 0;  // how many are numbered
  // Of the values of arguments' storages, which are the first ones.
  std::vector<graph::OutputType> inputs;
  std::int32_t storages() const { return static_cast<std::int32_t>(inputs.size()); }
  std::vector<std::pair<std::int32_t, Ref<Value>>> constants;
  // Values that somebody else makes anew for each call: they are given after the arguments.
  std::vector<std::pair<std::int32_t, graph::OutputType>> late;
  // Generators that words are drawn of, by the names that they give themselves.
  std::vector<std::uint64_t> sources;
  // Storages that were there before and are no arguments, but are written to.
  std::vector<Ref<Storage>> outside;
  std::vector<graph::ScriptStep> steps;
  std::vector<Look> looks;
  std::vector<Rebind> rebinds;
  std::vector<Call> calls;
  std::vector<Entry> entries;
  std::vector<std::size_t> last;  // by value: the entry after which it is needed no more
  std::vector<Result> results;
  int fresh = 0;
  std::string impossible;                  // why it cannot be repeated; empty: it can
  std::unique_ptr<const WholeCall> whole;  // where it can be repeated as one step

  // Whether what it does depends on elements.
  bool decides() const;

  // The values of a call, by number, as far as they are there before its first step.
  std::vector<Ref<Value>> values_of(std::span<const array> arguments,
                                    std::span<const array> late) const;
  // The results, of storages that were there before and of values by number.
  std::vector<array> results_of(std::span<const Ref<Storage>> storages,
                                std::span<const Ref<Value>> values) const;
};

class HEDDLE_API Scripting : public Recorder {
 public:
  // A trial is of something whose results alone are wanted, not what it does.
  enum class Of : std::uint8_t { call, loop_body, trial };
  // The arguments' storages, each once.
  explicit Scripting(std::span<const array> arguments, Of of = Of::call);

  std::shared_ptr<const Script> take(std::span<const array> results);

  // Is to happen again, with these arrays as they are then.
  void add_effect(std::shared_ptr<Script::Effect> effect, std::span<const array> arguments);
  // Whether an array was there before, and is no argument.
  bool is_outside(const array& a) const;
  // An array that was made of something else than values, and is going to be made again.
  void add_input(const array& made);
  // The call cannot be repeated.
  void refuse(std::string why) { script_->impossible = std::move(why); }
  // What arrays that are no arguments held before the call wrote to them, unless it is a call.
  // Those whose memory others see are not among them.
  using Before = std::vector<std::pair<Ref<Storage>, Ref<Value>>>;
  Before take_before() { return std::move(before_); }

  void make(const Node& node) override;
  void look(const Value& value) override;
  void rebind(const Storage& storage, const Ref<Value>& value) override;
  void draw(const Value& words, std::uint64_t source) override;
  // A call that is repeated looks at indices as it did; the passes of a loop do not wait for that.
  bool defers_index_errors() const override { return of_ != Of::call; }
  void out_of_bounds(const Ref<Value>& any) override { out_of_bounds_.push_back(any); }
  // What it was told of indices so far.
  std::vector<array> told_out_of_bounds() const;

 private:
  std::int32_t number_of(const Value& value);
  std::int32_t new_number(Value& value);
  std::int32_t storage_number(const Storage& storage);
  void add(Script::Door door, std::size_t which);
  Script::Result read(const array& a);

  const Of of_;
  std::vector<Ref<Value>> out_of_bounds_;
  std::uint64_t number_;  // as a recorder: see Storage::born
  std::shared_ptr<Script> script_ = std::make_shared<Script>();
  Numbering numbers_;
  std::vector<Ref<Storage>> arguments_;
  std::vector<std::pair<const Storage*, Ref<Storage>>> fresh_;
  Before before_;
};

// The results of the call on other arguments, of the same types and layouts, and what is made anew;
// nothing if it would have looked at other elements, and then nothing has changed. `apart`: its
// steps are made one by one, even where the call could be one.
HEDDLE_API std::optional<std::vector<array>> repeat(const Script& script,
                                                    std::span<const array> arguments,
                                                    std::span<const array> late = {},
                                                    std::span<const Script::Stream> streams = {},
                                                    bool apart = false);

}  // namespace heddle::transform
