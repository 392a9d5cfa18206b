// Writes: the only way the contents of a storage change.
#pragma once

#include <heddle/array.h>
#include <heddle/op_table.h>

namespace heddle {

struct IndexTerms;

// Whether elements may be written: not those of read-only memory, nor what broadcasting made, where
// one element is in many places.
HEDDLE_API bool writeable(const array& a);

// target[...] = value, which is broadcast and cast. Views of the target see it; values taken before
// do not. On any exception the target is as it was.
//
// Values are taken by value: one that the caller moves here is needed by nobody else, so what it is
// made of goes straight to the target and nowhere else.
HEDDLE_API void write(const array& target, array value);
// The same for one element, `place` in the storage of a; the value is 0-d.
void write_element(const array& a, std::int64_t place, const array& value);
// target[mask] = value where mask and value broadcast to the target's shape.
HEDDLE_API void write_where(const array& target, array value, const array& mask);

// target.storage[rest + sum of index * stride] = value: `rest` walks the dimensions of the result
// of the index expression. With `accumulate` the op of what is there and the value is written,
// index after index.
void write_at(const array& target, const Layout& rest, const IndexTerms& terms, array value,
              const Op* accumulate = nullptr);

// Runs pending work that reads the storage's memory and makes the memory its own, so that the
// address may be given to the outside.
HEDDLE_API void* pin(const array& a);

}  // namespace heddle
