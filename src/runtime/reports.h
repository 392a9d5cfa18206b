// What turned out while a device worked through elements: indices without a place, values that an
// operation refuses, values to warn of.
//
// A device that runs behind the host cannot raise an error where it finds its reason. Its kernels
// go on with something harmless and leave a mark in a word that the host sees; the host looks there
// whenever it has waited for the device.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include <heddle/export.h>

namespace heddle {

class HEDDLE_API Reports {
 public:
  enum class Kind : std::uint8_t { index, error, warning };
  using Raise = void (*)(const std::string& text);

  // An operation that may be reported, and what is said then.
  struct Use {
    Kind kind = Kind::index;
    // Of an index. The word has the index, which is not 0: the extent is at least 1. Of others the
    // word has 1.
    std::int64_t axis = 0, extent = 0;
    std::string text;       // of an error or a warning
    Raise raise = nullptr;  // of an error: throws it
    std::string category;   // of a warning: its type's name
    std::string operation;  // its name, for errors
    std::string place;      // in the user's program, or empty

    static Use of_index(std::int64_t axis, std::int64_t extent);
    template <class Error>
    static Use of_error(std::string text, std::string operation) {
      Use use;
      use.kind = Kind::error;
      use.text = std::move(text);
      use.raise = [](const std::string& said) { throw Error(said); };
      use.operation = std::move(operation);
      return use;
    }
    static Use of_warning(std::string text, std::string category, std::string place);
  };

  static constexpr std::size_t capacity = 1024;  // uses at a time, of either kind
  static constexpr std::size_t words = 2 * capacity;

  // `memory`: that many words, zero, which kernels write and the host reads.
  explicit Reports(std::int64_t* memory) : memory_(memory) {}

  // Whether open() needs reset() first.
  bool full() const;
  // The address for the reports of one use. `recorded`: it will be used again and again, by a
  // graph.
  std::uint64_t open(Use use, bool recorded);
  // Nothing that was given an address, graphs apart, runs or will run any more.
  void reset();
  // Gives the warnings that were reported, throws the first of the errors, and forgets them all.
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

// How a front end gives a warning. It must not throw; no lock of ours is held when it is called.
using GiveWarning = void (*)(const Reports::Use& warning);
HEDDLE_API void set_give_warning(GiveWarning give);

}  // namespace heddle
