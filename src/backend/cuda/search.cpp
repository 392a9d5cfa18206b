#include "backend/cuda/search.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "core/library_folder.h"

namespace heddle::cuda {
namespace fs = std::filesystem;

namespace {

std::vector<std::string>* package_folders = nullptr;

// The wheels of NVIDIA in a folder of Python packages: nvidia/<part>.
void add_wheels(std::vector<std::string>& folders, const fs::path& packages) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(packages / "nvidia", ignored))
    folders.push_back(entry.path().string());
}

}  // namespace

void set_package_folders(std::vector<std::string> folders) {
  package_folders = new std::vector<std::string>(std::move(folders));
}

std::vector<std::string> toolkit_folders() {
  std::vector<std::string> folders;
  for (const char* name : {"CUDA_PATH", "CUDA_HOME"}) {
    if (const char* value = std::getenv(name); value && *value) folders.emplace_back(value);
  }
  // site-packages/heddle/lib beside site-packages/nvidia/<part>
  add_wheels(folders, fs::path(library_folder()).parent_path().parent_path());
  if (package_folders) {
    for (const std::string& packages : *package_folders) add_wheels(folders, packages);
  }
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
