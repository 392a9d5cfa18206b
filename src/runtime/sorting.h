// Sorting, searching and counting, as a device does it. Elements are unsigned integers of 1, 2, 4
// or 8 bytes here: ops/order.h maps every type to such keys, in NumPy's order (nan last, -0.0 equal
// to 0.0 where it matters), so a device needs one routine for each width.
//
// All buffers are of the device and dense. Nothing here is called with no elements at all. What
// fails, or is interrupted, can be done again: keys that are to be sorted are then in some order,
// keys whose positions are wanted as they were.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/buffer.h"

namespace heddle {

// Rows of keys in C order: (rows, length).
struct Keys {
  Buffer* buffer = nullptr;
  int width = 0;  // bytes of a key
  std::int64_t rows = 1;
  std::int64_t length = 0;
  std::int64_t size() const { return rows * length; }
};

// How the bits of elements become keys, for routines that read elements as they are.
struct KeyMap {
  std::uint64_t flip = 0;      // integers: these bits are turned
  std::uint64_t infinity = 0;  // floats: the bits of infinity; 0 for integers
  bool pairs = false;          // complex numbers, of two such floats

  // All nans are the largest key, and -0.0 is 0.0.
  template <class K>
  constexpr K operator()(K bits) const {
    if (infinity == 0) return static_cast<K>(bits ^ static_cast<K>(flip));
    constexpr auto sign = static_cast<K>(K{1} << (8 * sizeof(K) - 1));
    const auto magnitude = static_cast<K>(bits & static_cast<K>(~sign));
    if (magnitude > static_cast<K>(infinity)) return static_cast<K>(~K{0});
    if (magnitude == 0) return sign;
    return bits & sign ? static_cast<K>(~bits) : static_cast<K>(bits | sign);
  }

  // The same with -0.0 before 0.0, so that there is a way back; of nans the sign is lost.
  template <class K>
  constexpr K distinct(K bits) const {
    if (infinity == 0) return static_cast<K>(bits ^ static_cast<K>(flip));
    constexpr auto sign = static_cast<K>(K{1} << (8 * sizeof(K) - 1));
    const bool is_nan = static_cast<K>(bits & static_cast<K>(~sign)) > static_cast<K>(infinity);
    const auto turned = static_cast<K>(bits & sign && !is_nan ? ~K{0} : K{0});
    return static_cast<K>((bits ^ turned) | static_cast<K>(~turned & sign));
  }
  template <class K>
  constexpr K element(K key) const {
    if (infinity == 0) return static_cast<K>(key ^ static_cast<K>(flip));
    constexpr auto sign = static_cast<K>(K{1} << (8 * sizeof(K) - 1));
    return static_cast<K>(key & sign ? key ^ sign : ~key);
  }
};

// Elements that have no keys yet, (rows, length, columns) in C order: each `length` of them is
// sorted for itself.
struct Elements {
  Buffer* buffer = nullptr;
  int width = 0;  // bytes of an element
  KeyMap map;
  std::int64_t rows = 1;
  std::int64_t length = 0;
  std::int64_t columns = 1;
  std::int64_t size() const { return rows * length * columns; }
};

class Sorting {
 public:
  virtual ~Sorting() = default;

  // Sorts every row in place, ascending.
  virtual void sort(const Keys& keys) = 0;

  // The following four are the same as their namesakes for elements that have no keys yet, from
  // there to other memory; only where this says so. -0.0 is before 0.0, of nans the signs are lost.
  virtual bool sorts_elements() const { return false; }
  virtual void sort_elements(const Elements& elements, Buffer& sorted) {}
  virtual void argsort_elements(const Elements& elements, Buffer& positions) {}
  virtual void partition_elements(const Elements& elements, std::span<const std::int64_t> ranks,
                                  Buffer& partitioned) {}
  virtual void argpartition_elements(const Elements& elements, std::span<const std::int64_t> ranks,
                                     Buffer& positions) {}

  // Where in its row each key of the sorted row was: positions (int64, as many as keys). Stable:
  // equal keys keep their order. The keys are anything afterwards.
  virtual void argsort(const Keys& keys, Buffer& positions) = 0;

  // Puts in every row those keys in place that sorting would put at `ranks` (ascending, each less
  // than the length). The other keys of the row are anything afterwards.
  virtual void select(const Keys& keys, std::span<const std::int64_t> ranks) { sort(keys); }

  // The same, and all keys before such a place are not greater, those behind it not less.
  virtual void partition(const Keys& keys, std::span<const std::int64_t> ranks) { sort(keys); }

  // Where the keys of such a partition were in their rows: positions (int64, as many as keys). The
  // keys are anything afterwards.
  virtual void argpartition(const Keys& keys, std::span<const std::int64_t> ranks,
                            Buffer& positions) {
    argsort(keys, positions);
  }

  // For each of `values` how many of the ascending row `sorted` are before it: positions (int64).
  // Equal ones are before it if `right`. Both are of one width, and `map` makes keys of them: what
  // is searched may be much longer than what is looked for. Neither is changed.
  virtual void search(const Keys& sorted, const Keys& values, const KeyMap& map, bool right,
                      Buffer& positions) = 0;

  // totals[b] = how many of `bins` are b, as int64; with weights (float64, one for each) their
  // sums, as float64, the same in every run. Bins are in [0, totals); weights may be null.
  virtual void count(const Keys& bins, Buffer* weights, Buffer& totals,
                     std::int64_t total_count) = 0;

  // Whether sums at computed places had better be such counts: kernels that add there would do it
  // one element after the other, or in any order.
  virtual bool counts_sums() const { return false; }
};

}  // namespace heddle
