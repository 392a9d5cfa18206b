#include "backend/cuda/search.h"

#include <cstdlib>
#include <filesystem>

#include <dlfcn.h>

namespace heddle::cuda {
namespace fs = std::filesystem;

std::string library_folder() {
  Dl_info where;
  if (!dladdr(reinterpret_cast<void*>(&library_folder), &where) || !where.dli_fname) return ".";
  return fs::path(where.dli_fname).parent_path().string();
}

std::vector<std::string> toolkit_folders() {
  std::vector<std::string> folders;
  for (const char* name : {"CUDA_PATH", "CUDA_HOME"}) {
    if (const char* value = std::getenv(name); value && *value) folders.emplace_back(value);
  }
  // site-packages/heddle/lib beside site-packages/nvidia/<part>
  std::error_code ignored;
  const fs::path wheels = fs::path(library_folder()).parent_path().parent_path() / "nvidia";
  for (const auto& entry : fs::directory_iterator(wheels, ignored))
    folders.push_back(entry.path().string());
  folders.emplace_back("/usr/local/cuda");
  return folders;
}

std::string find_libdevice() {
  std::error_code ignored;
  std::vector<fs::path> candidates{fs::path(library_folder()) / "libdevice.10.bc"};
  for (const std::string& folder : toolkit_folders())
    candidates.push_back(fs::path(folder) / "nvvm/libdevice/libdevice.10.bc");
  for (const fs::path& path : candidates) {
    if (fs::exists(path, ignored)) return path.string();
  }
  return {};
}

}  // namespace heddle::cuda
