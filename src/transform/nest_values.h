// Where the values of a loop's body are while it is written as nests of loops (loop_nests.cpp), and
// how elements of them are read and made.
//
// A value is in a local where it is one element, else in memory: that of a carried value, an array
// that the loop reads, or some of its own ("scratch"). What one step alone reads, element for
// element, is computed there ("pending").
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "transform/program_parts.h"

namespace heddle::transform {

class NestValues : protected ProgramParts {
 protected:
  using OutputType = graph::OutputType;
  using Coordinates = std::vector<Words>;

  // Where a value is.
  struct Place {
    int local = -1;
    int array = -1;
    Words offset = {};            // of its first element in the array; none: 0
    bool owned = false;           // memory that may be overwritten when nobody needs the value
    std::int32_t pending = -1;    // the step that makes it, where it is read
    std::vector<int> reads = {};  // pending: arrays
  };
  struct Changed {
    std::int64_t moved = 0;
    std::int32_t table = -1;
  };
  // A loop whose passes are being written: that of the program, or one inside.
  struct Body {
    explicit Body(const Loop& of) : loop(of) {}
    const Loop& loop;
    int pass = -1;
    std::vector<Place> places;                  // by value
    std::vector<Place> rows;                    // whole arrays, by row
    std::vector<int> last, stacks;              // arrays
    std::vector<std::int32_t> ends;             // by value: the step after which nobody needs it
    std::vector<std::int32_t> readers;          // by value: operands of steps, and others
    std::vector<std::vector<Changed>> changed;  // by step and operand
    std::vector<std::int64_t> moved;            // by step: what the target's offset grows by
    std::int32_t now = 0;                       // the step that is being written
    std::int64_t work = 0;                      // of a pass
  };
  // Elements of memory that a nest reads.
  struct Reads {
    std::vector<std::pair<int, bool>> all;  // arrays, and whether it is the element that is made
    bool only_own(int array) const {
      return std::ranges::all_of(all, [&](auto& one) { return one.first != array || one.second; });
    }
    bool any(int array) const {
      return std::ranges::any_of(all, [&](auto& one) { return one.first == array; });
    }
  };

  // --- what is known before
  static void prepare(Body& body);
  // What the launch gives; elements that are alone are read at once.
  Place given(Argument::Kind kind, std::int32_t which, const OutputType& type);
  Place element_or_memory(const OutputType& type, Place memory);
  Place scratch(const OutputType& type);

  // --- nests
  // Places of a space, one after the other; axes of one element have no loop.
  struct Nest {
    std::vector<std::pair<int, std::int64_t>> loops;  // counters, extents
    Coordinates coordinates;
  };
  Nest nest_over(const Dims& shape);
  void add_nest(const Nest& nest, Statements inner);
  // What `write` adds to other statements than the present ones.
  template <class F>
  void within(Statements& statements, F write) {
    Statements* before = std::exchange(out_, &statements);
    write();
    out_ = before;
  }
  static Words index_of(const Layout& layout, const Coordinates& coordinates, const Words& more);
  static Words plus(const Words& a, const Words& b);
  // first + by * pass, times a factor.
  static Words place_of(const Body& body, const Loop::Places& places, std::int64_t factor);

  // --- elements
  int number(const Body& body, std::size_t s, std::size_t o);
  // Whether a step reads a value element for element.
  static bool reads_each(const Body& body, std::size_t s, std::size_t o);
  // Values that a step is going to read are where it can read them, other than one by one.
  void settle(Body& body, std::size_t s);
  int read(Body& body, std::size_t s, std::size_t o, const Dims& space,
           const Coordinates& coordinates, Reads& reads, const Words& further = {});
  // Where indices point: see Node::params.
  Words places_pointed_at(Body& body, std::size_t s, std::size_t first, const Dims& space,
                          const Coordinates& coordinates, Reads& reads);
  // An element of what a step makes of each element of others.
  int element(Body& body, std::size_t s, const Coordinates& coordinates, Reads& reads);
  int index_along(int axis, const Coordinates& coordinates);

  // --- memory
  // Whether nobody needs what is in an array after the step that is written now.
  static bool is_free(const Body& body, int array, std::int32_t but = -1);
  // What is pending and reads an array that is about to change is computed before.
  void read_before(Body& body, int array);
  // Memory for a value: that of the carried value which it becomes, where nobody needs that any
  // more.
  Place memory_for(Body& body, std::int32_t value, const Reads& reads);
  void materialise(Body& body, std::int32_t value);
  void make_elements(Body& body, std::size_t s);
  // A dense copy of a value in other memory.
  void copy(const OutputType& type, const Place& from, const Place& to);

  static constexpr std::int32_t never = std::numeric_limits<std::int32_t>::max();

  Statements* out_ = nullptr;  // where statements go

 private:
  std::int32_t scratches_ = 0;
};

}  // namespace heddle::transform
