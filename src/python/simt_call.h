// What kernels and host functions have in common when they are called from Python: numbers among
// the arguments, and values that a program has as constants.
//
// Arguments are written in a signature: weak numbers of Python's by a letter, others by 'n' and
// their type, arrays by 'a' and what is known of them, tuples in brackets, named ones and objects
// of dataclasses with their names, records by 'r' and the number of their type, before the array of
// bytes that they are, None by 'N', functions and types by 'o' and their number.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "ops/launch.h"

namespace heddle::python {

namespace nb = nanobind;

// A number of Python's or NumPy's, or one of ours that NumPy would have as a scalar; false for all
// else. Throws overflow_error for an integer of more than 64 bits.
bool read_number(nb::handle given, std::string& signature, LaunchNumber& number);

// A tuple, a slice or a range, or an object of a dataclass or of a class that says its fields:
// `item` reads each of what is in it; false for all else.
bool read_items(nb::handle given, std::string& signature, int depth,
                const std::function<void(nb::handle)>& item);

// A function or a type, for which a program is compiled; false for all else.
bool read_constant(nb::handle given, std::string& signature);

// Records: what a signature says of them, and their bytes, an array with one more axis.
bool is_record(nb::handle numpys);  // one, or an array of them
struct Records {
  std::string key;
  nb::object bytes;
};
std::optional<Records> to_records(nb::handle given);
// Records of so many bytes, of what to_records has made a key of.
nb::object from_records(const nb::object& bytes, const std::string& number);

// A value that a program has as a constant, and where it comes from: a dictionary and a name in it,
// or a cell of a closure.
struct Guard {
  nb::object holder, name, value;
  bool holds() const;
};
std::vector<Guard> to_guards(nb::handle list);

// A program of what the compiler in Python has written: words, texts, a name.
simt::Program to_program(nb::handle words, nb::handle texts, nb::handle name);

}  // namespace heddle::python
