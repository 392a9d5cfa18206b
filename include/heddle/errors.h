// Exceptions. Each has the Python type that its name says; messages name the op, shapes and dtypes.
#pragma once

#include <stdexcept>

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
HEDDLE_ERROR(overflow_error, error);
HEDDLE_ERROR(casting_error, type_error);  // numpy's UFuncTypeError family
HEDDLE_ERROR(out_of_memory, error);
HEDDLE_ERROR(interrupted, error);
#undef HEDDLE_ERROR

}  // namespace heddle
