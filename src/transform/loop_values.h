// What a thread of a loop's kernel has in locals while the program of it is written: elements of
// values, loaded or computed, numbers and places. For loop_program.cpp, which writes the steps.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <utility>
#include <vector>

#include "transform/program_parts.h"
#include "transform/thread_elements.h"

namespace heddle::transform {

class LoopValues : protected ThreadElements, protected ProgramParts {
 protected:
  LoopValues(const Loop& loop, const Dims& tail, std::int64_t each);

  static Words thread_number();
  void begin_threads();
  void begin_carried();

  // Coordinate along an axis of the tail.
  int coordinate(std::int64_t part, std::int64_t axis);
  Words index_of(const Address& address);
  // first + by * pass, times a factor.
  Words place(const Loop::Places& places, std::int64_t factor) const;

  bool in_memory(std::int32_t value) const;
  // The local that has an element of a value in registers.
  int register_of(std::int32_t value, const Address& address);
  // An element of a value in memory. `moved`: what its offset grows by from pass to pass.
  int load_element(std::int32_t value, const Address& address, std::int64_t moved,
                   const Words& further = {});
  // An element of an operand of a step.
  int read(std::size_t s, std::size_t o, const Space& space, std::int64_t element);
  // All elements that a thread has of a value.
  std::vector<int> elements(std::int32_t value);

  int cast(int value, Dtype dtype);
  int compute(Op op, Dtype compute, Dtype dtype, std::initializer_list<int> args);
  int compute_of(Op op, Dtype compute, Dtype dtype, const std::vector<int>& args);

  static constexpr std::int64_t most_work = 1536;

  struct Changed {
    std::int64_t moved = 0;
    std::int32_t table = -1;
  };

  const Loop& loop_;
  std::vector<std::vector<Changed>> changed_;  // by step and operand
  Statements before_, body_, after_;
  int pass_ = 0, end_ = 0;
  std::vector<std::vector<int>> held_;  // by value: locals of the elements that a thread has
  std::int64_t work_ = 0;

 private:
  int number(std::size_t s, std::size_t o, Dtype dtype, std::int32_t table);

  static constexpr std::size_t most_loaded = 64;

  int thread_ = 0;
  std::vector<int> places_;
  std::map<std::pair<std::int64_t, std::int64_t>, int> coordinates_;
  std::map<std::pair<int, Words>, int> loaded_, loaded_in_pass_;
  std::map<std::pair<std::size_t, std::size_t>, int> numbers_;
};

}  // namespace heddle::transform
