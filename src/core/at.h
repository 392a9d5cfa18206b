// Numbers as indices of C++'s containers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle {

inline std::size_t at(std::int64_t number) { return static_cast<std::size_t>(number); }

}  // namespace heddle
