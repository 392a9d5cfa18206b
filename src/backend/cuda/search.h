// Where parts of CUDA are on this machine: beside this library, under CUDA_PATH, in the toolkit's
// usual place, in the nvidia-* wheels of a Python installation.
#pragma once

#include <string>
#include <vector>

#include <heddle/export.h>

namespace heddle::cuda {

// Folders that may hold an installation of CUDA, the preferred first.
HEDDLE_API std::vector<std::string> toolkit_folders();

// Folders with Python packages besides the one this library is in. Called once, before anything is
// looked for: asking a front end later, with locks in hand, might never end.
HEDDLE_API void set_package_folders(std::vector<std::string> folders);

// libdevice.10.bc; empty when it is nowhere.
std::string find_libdevice();

}  // namespace heddle::cuda
