// What kernels and host functions have in common when they are called from Python: numbers among
// the arguments, and values that a program has as constants.
//
// Arguments are written in a signature: weak numbers of Python's by a letter, others by 'n' and
// their type, arrays by 'a' and what is known of them, tuples in brackets.
#pragma once

#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "ops/launch.h"

namespace heddle::python {

namespace nb = nanobind;

// A number of Python's or NumPy's, or one of ours that NumPy would have as a scalar; false for all
// else. Throws overflow_error for an integer of more than 64 bits.
bool read_number(nb::handle given, std::string& signature, LaunchNumber& number);

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
