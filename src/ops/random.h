// Random words: pending values that are computed by position, so that they fuse with what is made
// of them and are the same on every device.
#pragma once

#include <array>
#include <optional>

#include <heddle/array.h>

namespace heddle {

// A stream of Philox 4x64-10: a block of four words for each counter from the first one on.
struct RandomStream {
  std::array<std::uint64_t, 2> key;
  std::array<std::uint64_t, 4> counter;  // of the first block, its lowest word first
  // The generator that it belongs to, for recorders: whoever repeats a call asks it for the next
  // words. 0: nobody says.
  std::uint64_t source = 0;
};

// The words of its first block, on the host.
HEDDLE_API std::array<std::uint64_t, 4> random_block(const RandomStream& stream);
// The words of a stream one after the other, on the host, in whole or, as NumPy takes them, by
// halves, the lower one first.
class HEDDLE_API HostWords {
 public:
  // The counter of the block that words were last taken of, and how many of that. Only its lowest
  // word moves.
  HostWords(const std::array<std::uint64_t, 2>& key, std::uint64_t counter, int used,
            std::optional<std::uint64_t> half)
      : stream_{key, {counter}}, used_(used), half_(half) {}

  std::uint64_t next();
  std::uint64_t next_half();
  // One of [0, span]: Lemire's multiplication, of halves where these are enough.
  std::uint64_t next_number(std::uint64_t span);

  std::uint64_t counter() const { return stream_.counter[0]; }
  int used() const { return used_; }
  // The half that is left; and the one that was last put aside, if any was.
  const std::optional<std::uint64_t>& half() const { return half_; }
  const std::optional<std::uint64_t>& last_half() const { return last_half_; }

 private:
  RandomStream stream_;
  int used_;
  std::optional<std::array<std::uint64_t, 4>> block_;
  std::optional<std::uint64_t> half_, last_half_;
};

// The first words of the stream after some that are skipped, in C order: uint64, or its halves as
// uint32, the lower one first. Where many rows are computed at once (vmap), each has its own, one
// row after the other: rows_at_once() times as many.
HEDDLE_API array random_words(const RandomStream& stream, const Dims& shape, Dtype dtype,
                              Device& device, std::int64_t skipped = 0);
// The rows of all batches that this thread computes at once; 1: there are none.
HEDDLE_API std::int64_t rows_at_once();
// The rows of how many batches draw each their own on this thread, from the outermost batch on;
// -1: all of them. Those further inside have what is drawn in common. Gives what it was before.
HEDDLE_API std::int64_t set_drawing_batches(std::int64_t most);
// What was drawn for all rows of all batches of this thread, one after the other along the first
// axis, as one row of it.
HEDDLE_API array row_of_drawn(const array& rows);

}  // namespace heddle
