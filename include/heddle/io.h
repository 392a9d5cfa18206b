/// @file
/// Files: one array in NumPy's .npy format, which NumPy and Python's heddle.load read, and elements
/// as bare bytes. What the system refuses is a std::filesystem::filesystem_error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include <heddle/array.h>
#include <heddle/dtype.h>
#include <heddle/export.h>

namespace heddle {

/// Writes an array as NumPy's save does; a name that does not end in .npy is given that ending.
/// bfloat16, which the format has no name for, is a type_error.
HEDDLE_API void save(const std::filesystem::path& file, const array& a);
/// Reads what save wrote, here or in NumPy: numbers of any byte order, in C or Fortran order. Other
/// elements (text, objects, records) are a type_error, files of another format a value_error.
HEDDLE_API array load(const std::filesystem::path& file);

/// Writes the elements in C order and nothing else: no shape, no type.
HEDDLE_API void tofile(const std::filesystem::path& file, const array& a);
/// Reads such elements into a vector: `count` of them, or all that are whole, from `offset` bytes
/// after the beginning. Fewer than `count` are what there is.
HEDDLE_API array fromfile(const std::filesystem::path& file, Dtype dtype = Dtype::float64,
                          std::optional<std::int64_t> count = std::nullopt,
                          std::int64_t offset = 0);

}  // namespace heddle
