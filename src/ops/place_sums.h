// Sums at computed places (add.at, subtract.at) where a device's kernels would add in any order,
// and so with other roundings in every run.
#pragma once

#include <heddle/array.h>
#include <heddle/op_table.h>

namespace heddle {

struct IndexTerms;

// Whether a write of op(what is there, value) at computed places is composed of counts: sums of
// floating-point numbers on a device that says so (Sorting::counts_sums), but for few elements.
bool sums_by_counting(const array& target, const Layout& rest, const array& value, Op op);

// See write_at (ops/write.h), for add and subtract. What is added up for each place is a step of
// its own, whose result does not depend on any order; then it is added to what is there.
void add_by_counting(const array& target, const Layout& rest, const IndexTerms& terms,
                     const array& value, Op op);

}  // namespace heddle
