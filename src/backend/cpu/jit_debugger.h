// An object file as debuggers want it of code that is loaded while a program runs: its sections say
// where they lie.
#pragma once

#include <string>
#include <string_view>

#include "backend/cpu/jit.h"

namespace heddle::cpu {

std::string placed_object(std::string_view object, const SectionAddresses& sections);

}  // namespace heddle::cpu
