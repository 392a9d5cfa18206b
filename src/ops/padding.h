// Arrays within larger ones.
#pragma once

#include <optional>
#include <string_view>

#include <heddle/array.h>

namespace heddle {

// NumPy's modes that put a number or copies of elements there.
enum class Padding : std::uint8_t { zeros, edge, reflect, symmetric, wrap };
// By NumPy's name; nothing for others.
HEDDLE_API std::optional<Padding> padding_of(std::string_view mode);

// So many elements before and after those along each axis. Nothing where there are fewer elements
// to copy than that: they would have to come again.
HEDDLE_API std::optional<array> pad(const array& a, const Dims& before, const Dims& after,
                                    Padding mode);

}  // namespace heddle
