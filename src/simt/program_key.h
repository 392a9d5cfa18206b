// What names the code of a program in caches that outlive the process.
#pragma once

#include <string_view>

#include "kernel/kernel_key.h"
#include "simt/program.h"

namespace heddle::simt {

CacheKey program_key(const Program& program, const kernel::Target& target,
                     std::string_view variant);

// Of any text, as a source is.
CacheKey text_key(std::string_view text);

}  // namespace heddle::simt
