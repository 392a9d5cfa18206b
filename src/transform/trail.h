// Trail: what a function computed of some of its inputs, with what the way back needs of it.
//
// A Trailing is the recorder that lays it. It numbers values and holds only those whose elements
// rules ask for; of a few elements of a large array it holds a copy, so that writes into the rest
// stay in place. So a loop that fills an array element by element leaves as many elements behind,
// not as many arrays. As long as nothing was evaluated, what it holds is pending, and costs
// nothing once the way back has been made: forward and backward pass are planned as one program.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/derivative.h"
#include "graph/make.h"
#include "graph/numbering.h"
#include "graph/recorder.h"
#include "transform/heard.h"
#include <heddle/array.h>

namespace heddle::transform {

struct Trail {
  Trail() = default;
  Trail(const Trail&) = delete;
  Trail& operator=(const Trail&) = delete;

  // A value that depends on an input.
  struct Place {
    Dtype dtype;
    Shape shape;
    Device* device;
  };
  struct Read {
    std::int32_t number = -1;  // of the value; -1: it does not depend on any input
    Dtype dtype;
    LayoutRef layout;  // null: element for element
    Dims shape;
    std::optional<array> kept;
  };
  struct Step {
    graph::Draft node;
    const graph::Derivative* derivative;
    std::vector<Read> operands;
    std::vector<graph::OutputType> types;
    std::vector<std::int32_t> numbers;  // of the outputs; -1: of a type without derivatives
    std::vector<std::optional<array>> kept;
  };
  // Some elements of a value: a result of the function.
  struct Result {
    std::int32_t number = -1;
    Dtype dtype;
    SharedLayout layout;
  };

  std::vector<Place> places;
  std::vector<Step> steps;
  std::int32_t inputs = 0;  // they are the first places
  std::vector<Result> results;
};

// A way back that somebody else knows: from the cotangents of results to those of inputs, none
// where there is none.
struct OwnPull : Parameters {
  virtual std::vector<std::optional<array>> pull(
      const std::vector<std::optional<array>>& cotangents) const = 0;
};

class HEDDLE_API Trailing : public Recorder {
 public:
  // With `linear_rule` everything has to be linear in the inputs: what compares them, or is a step
  // function of them, throws type_error, which begins with that.
  explicit Trailing(std::string linear_rule = {});
  ~Trailing() override;
  Trailing(const Trailing&) = delete;
  Trailing& operator=(const Trailing&) = delete;

  bool depends(const array& a) const;
  // While it is paused it hears nothing; those outside do.
  void pause(bool paused) { paused_ = paused; }
  bool is_paused() const { return paused_; }
  // Of these its steps may be computed while it is paused; nothing that it depends on else.
  void allow(std::span<const array> inputs);
  // Whether such a step was computed, or is one of these results, since then.
  bool was_read_around(std::span<const array> results) const;
  // Results that were computed of inputs while it was paused, as a step with a way back of its own.
  // Gives arrays that stand for them from here on.
  std::vector<array> add_step(std::span<const array> inputs, std::span<const array> results,
                              std::shared_ptr<const OwnPull> pull);

  // The same elements, as an input. Throws type_error unless they are inexact.
  array watch(const array& a);
  // The trail until here; it leads from the inputs to the results.
  std::shared_ptr<const Trail> take(std::span<const array> results);

  void make(const Node& node) override;
  void after_make() override;
  void rebind(const Storage& storage, const Ref<Value>& value) override;
  bool differentiates() const override { return true; }

 private:
  // A node of its own, so that others who hold the same value are not taken for the copy.
  array copied(const array& a) const;
  std::int32_t add_place(Value& value);
  std::int32_t number_of(const Value& value);
  void lay(Heard& heard);

  // Throws where a step that depends on inputs is for certain not linear in them.
  void check_linear(const Trail::Step& step, bool inexact) const;
  bool is_allowed(const Value& value) const;
  void mute_those_outside(int by);

  std::string linear_rule_;
  // What is constant for those outside is none for one who began inside of it.
  int constant_outside_;
  int muted_ = 0;  // by those inside of what is constant
  bool paused_ = false;
  std::vector<Ref<Value>> allowed_;  // while it is paused
  bool read_around_ = false;
  std::shared_ptr<Trail> trail_ = std::make_shared<Trail>();
  std::vector<Heard> heard_;  // and not laid yet
  Numbering numbers_;
  // Values of whole numbers that are made of the bits of inputs.
  Numbering bits_;
};

// The way back: from cotangents of the results (none: zero) to those of the inputs; none for inputs
// that no result depends on.
HEDDLE_API std::vector<std::optional<array>> pull(const Trail& trail,
                                                  std::span<const std::optional<array>> cotangents);

// The derivative of a node; null: it has none.
const graph::Derivative* derivative_of(const Node& node);

// Whether an operation is a step function of an operand.
bool is_flat(Op op, int operand);

}  // namespace heddle::transform
