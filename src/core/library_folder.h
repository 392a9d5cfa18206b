// Where this library is installed: what it brings along lies beside it.
#pragma once

#include <string>

namespace heddle {

std::string library_folder();

}  // namespace heddle
