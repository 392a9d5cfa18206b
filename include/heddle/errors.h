/// @file
/// Exceptions. Each has the Python type that its name says; messages name the op, shapes and
/// dtypes.
#pragma once

#include <stdexcept>
#include <string>

#include <heddle/export.h>

namespace heddle {

#define HEDDLE_ERROR(type, base)        \
  class HEDDLE_API type : public base { \
   public:                              \
    using parent = base;                \
    using parent::parent;               \
  }
HEDDLE_ERROR(error, std::runtime_error);
HEDDLE_ERROR(value_error, error);
HEDDLE_ERROR(type_error, error);
HEDDLE_ERROR(index_error, error);
HEDDLE_ERROR(axis_error, value_error);
HEDDLE_ERROR(linalg_error, value_error);  ///< NumPy's LinAlgError
HEDDLE_ERROR(overflow_error, error);
HEDDLE_ERROR(zero_division_error, error);
HEDDLE_ERROR(casting_error, type_error);  ///< numpy's UFuncTypeError family
HEDDLE_ERROR(out_of_memory, error);
HEDDLE_ERROR(interrupted, error);
HEDDLE_ERROR(import_error, error);  ///< a library that would be needed is not installed
#undef HEDDLE_ERROR

/// A device's driver or one of its libraries failed; `status` is its number for that.
class HEDDLE_API device_error : public error {
 public:
  explicit device_error(const std::string& text, int code = 0) : error(text), status(code) {}
  int status;
};

}  // namespace heddle
