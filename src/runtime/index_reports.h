// Indices that turned out to have no place while a device worked through them.
//
// A device that runs behind the host cannot raise an IndexError where the index is used. Its
// kernels use place 0 instead, write nothing, and leave the index in a word that the host sees; the
// host looks there whenever it has waited for the device.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include <heddle/export.h>

namespace heddle {

class HEDDLE_API IndexReports {
 public:
  // What an error says beside the index.
  struct Use {
    std::int64_t axis = 0;
    std::int64_t extent = 0;  // at least 1: 0 is never reported
    std::string place;        // in the user's program, or empty
  };

  static constexpr std::size_t capacity = 1024;  // uses at a time, of either kind
  static constexpr std::size_t words = 2 * capacity;

  // `memory`: that many words, zero, which kernels write and the host reads.
  explicit IndexReports(std::int64_t* memory) : memory_(memory) {}

  // Whether open() needs reset() first.
  bool full() const;
  // The address for the reports of one use. `recorded`: it will be used again and again, by a
  // graph.
  std::uint64_t open(Use use, bool recorded);
  // Nothing that was given an address, graphs apart, runs or will run any more.
  void reset();
  // Throws index_error where indices were reported, for the first of them, and forgets them.
  void check();

 private:
  std::int64_t* memory_;
  mutable std::mutex mutex_;
  std::vector<Use> uses_, recorded_;
};

// Where in the user's program the running call was made ("file:line"), for errors that come later:
// a front end says how to find out.
using CallSite = std::string (*)();
HEDDLE_API void set_call_site(CallSite find);
std::string call_site();

}  // namespace heddle
