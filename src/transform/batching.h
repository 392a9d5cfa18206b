// Batching: the recorder behind vmap. A function sees stand-ins, which have the shape of one row
// and no elements. Whatever it makes of them is made of all rows at once, as it is made: the nodes
// that it makes itself are never run.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "graph/numbering.h"
#include "graph/recorder.h"
#include "transform/heard.h"
#include <heddle/array.h>

namespace heddle::transform {

class HEDDLE_API Batching : public Recorder {
 public:
  explicit Batching(std::int64_t rows);

  // A stand-in for the rows of an array along an axis.
  array enter(const array& a, std::int64_t axis);
  // What a result stands for, with the rows along an axis; one that does not depend on rows is the
  // same in all of them.
  array leave(const array& result, std::int64_t axis) const;
  // Whether it differs from row to row.
  bool has_rows(const array& a) const;

  // Primitives that were computed row by row, as they have no rule for batches.
  std::vector<std::string> take_slow() { return std::exchange(slow_, {}); }

  void make(const Node& node) override;
  void after_make() override;
  void rebind(const Storage& storage, const Ref<Value>& value) override;
  Ref<Value> stands_for(const Value& value) const override;
  std::int64_t rows() const override { return count_; }
  array stand_for(const array& rows) override { return enter(rows, 0); }
  bool defers_failures() const override { return true; }
  void fail_if(const Ref<Value>& failed, const char* message) override;

 private:
  friend class BatchedStep;
  Ref<Value> stands_for_here(const Value& value) const;
  void batch(Heard& heard);
  void set_rows(Value& stand_in, Ref<Value> rows);

  std::int64_t count_;
  std::uint64_t number_;  // storages that were there before were born with a smaller one
  std::vector<Heard> heard_;
  Numbering numbers_;
  std::vector<Ref<Value>> rows_;  // by number
  std::vector<std::string> slow_;
};

// Whether two arrays are what the same operations make of the same operands, as far as a few steps
// say, so that their elements are equal; of stand-ins, too, whose elements nobody sees.
HEDDLE_API bool is_same_computation(const array& a, const array& b);

}  // namespace heddle::transform
