// Writes of few elements to memory that the host sees, done at the call: a kernel for them, and its
// place in a plan, would cost more. Each is false, and has changed nothing, where it is not such a
// write, or where pending work reads what is there. The caller has the storage's WriteLock.
#pragma once

#include <heddle/array.h>

namespace heddle {

// Puts a number's bytes at a place of a storage whose memory the host may change.
void put_element(Storage& storage, std::int64_t place, const ScalarWords& element, Dtype dtype);
// The same where it may be done at the call. Takes the lock itself.
bool put_element_at_once(const array& target, std::int64_t place, const ScalarWords& element);
// target[...] = value, of elements that are in memory.
bool copy_at_once(const array& target, const array& value);
// The same of a number, or a vector that is there or quickly computed, in a row of few bytes.
bool put_at_once(const array& target, const array& value);
// target[mask] = value, as an index: a number, or a vector that has an element for each that the
// mask selects, in order; nothing is broadcast.
bool fill_at_once(const array& target, const array& value, const array& mask);
// target[indices] = value, by a mask or indices of a vector. Takes the lock itself.
bool index_at_once(const array& target, const array& indices, const array& value);

// Whether somebody copies rows that are there to an array that is pending, one by one. A few such
// writes fuse with whatever is done with the array; a loop of them is better off with memory.
bool is_filled_by_rows(const array& target, const array& value);

}  // namespace heddle
