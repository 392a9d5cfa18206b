// Arguments of kernels that somebody wrote in CUDA C++, as bytes.
#pragma once

#include <vector>

#include <nanobind/nanobind.h>

#include "ops/foreign.h"
#include "runtime/foreign.h"

namespace heddle::python {

// An array: its address; the kernel may write there. Bytes: themselves. (array, bytes, written):
// its address followed by the bytes. Numbers: as C has them, Python's as long long, double, bool
// and two doubles, NumPy's in their type.
struct ForeignArguments {
  explicit ForeignArguments(nanobind::handle given);

  std::vector<ForeignArgument> all;
  std::vector<ForeignArray> arrays;

 private:
  void add(nanobind::handle given);
  void add_bytes(const void* bytes, std::size_t size);
  void add_bytes(nanobind::handle bytes);
  void add_array(nanobind::handle a, bool written, const nanobind::bytes& rest);
};

}  // namespace heddle::python
