// PTX to machine code: by the driver, which is the fastest, or by nvJitLink, which also works
// without a GPU.
#pragma once

#include <optional>
#include <string>

#include <heddle/export.h>

namespace heddle::cuda {

// For a GPU of a compute capability, as 90 for 9.0, whose context is current. HEDDLE_ASSEMBLER in
// the environment, "nvjitlink" or "driver", says which is asked; else the driver, and nvJitLink
// where the driver has no assembler, must not use it, or it is too old. Throws device_error.
std::string assemble(const std::string& ptx, int capability);

// By nvJitLink; nothing where it is not installed, or does not know the GPU. Throws device_error
// for text that is wrong.
HEDDLE_API std::optional<std::string> assemble_by_library(const std::string& ptx, int capability);

}  // namespace heddle::cuda
