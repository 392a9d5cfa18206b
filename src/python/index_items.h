// What stands between the brackets of x[...], read for one access.
#pragma once

#include <span>
#include <vector>

#include <nanobind/nanobind.h>

#include <heddle/indexing.h>

namespace heddle::python {

class IndexItems {
 public:
  explicit IndexItems(nanobind::handle object);
  IndexItems(const IndexItems&) = delete;
  IndexItems& operator=(const IndexItems&) = delete;

  std::span<const IndexItem> all() const { return all_; }
  // Whether an integer came in an array without dimensions: as in NumPy, what it selects is a copy.
  bool has_array_of_integer() const { return has_array_of_integer_; }

 private:
  // Views are made all the time, and of few dimensions.
  static constexpr std::size_t few = 4;
  IndexItem few_[few];
  std::vector<IndexItem> more_;
  std::span<IndexItem> all_;
  bool has_array_of_integer_ = false;
};

}  // namespace heddle::python
