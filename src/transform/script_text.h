// A script in words: a line for each thing that it does.
#pragma once

#include <string>

#include "transform/script.h"

namespace heddle::transform {

HEDDLE_API std::string to_text(const Script& script);

}  // namespace heddle::transform
