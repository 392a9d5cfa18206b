// Einstein summation: what its parts are, for front ends that take other arguments than strings and
// arrays.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <heddle/array.h>
#include <heddle/products.h>

namespace heddle::einstein {

using Sizes = std::map<char, std::int64_t>;

// Subscripts with the shapes of the operands that they are for.
struct Expression {
  std::vector<std::string> terms;  // a label for each axis of each operand
  std::string output;
  Sizes sizes;
};
// Throws value_error. `sum_ellipses`: axes of an ellipsis that the output has not are summed.
HEDDLE_API Expression parse(std::string_view text, const std::vector<Dims>& shapes,
                            bool sum_ellipses);

// The positions of those that are contracted at each step; the result goes to the end of the list.
using Path = std::vector<Dims>;
enum class Search : std::uint8_t { all_at_once, greedy, optimal };
// `limit` is how many elements a result in between may have; by default as many as the largest of
// operands and output.
HEDDLE_API Path find_path(const Expression& expression, Search search,
                          std::optional<double> limit = std::nullopt);

// A view of one operand of which nothing is summed: its axes in another order, or diagonals.
HEDDLE_API array view(const array& a, const Expression& expression);
// In this type. Throws error where the path leaves operands.
HEDDLE_API array contract(const Expression& expression, const Path& path,
                          std::vector<array> operands, Dtype dtype);

}  // namespace heddle::einstein
