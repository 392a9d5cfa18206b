#include "core/library_folder.h"

#include <filesystem>

#include <dlfcn.h>

namespace heddle {

std::string library_folder() {
  Dl_info where;
  if (!dladdr(reinterpret_cast<void*>(&library_folder), &where) || !where.dli_fname) return ".";
  const auto folder = std::filesystem::path(where.dli_fname).parent_path();
  return folder.empty() ? "." : folder.string();
}

}  // namespace heddle
