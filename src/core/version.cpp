#include <heddle/version.h>

namespace heddle {

std::string_view version() noexcept { return HEDDLE_VERSION; }

}  // namespace heddle
