/// @file
/// The version of the library. The numbers are those of the CMake project, filled in at build time.
#pragma once

#include <string_view>

#include <heddle/export.h>

namespace heddle {

/// The version as "major.minor.patch".
HEDDLE_API std::string_view version() noexcept;

}  // namespace heddle
