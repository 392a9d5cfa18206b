#include "backend/cuda/libraries.h"

#include <array>
#include <filesystem>
#include <mutex>
#include <utility>

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include "backend/cuda/driver.h"
#include "backend/cuda/search.h"
#include "core/library_folder.h"
#include <heddle/errors.h>

namespace heddle::cuda {

namespace {

namespace fs = std::filesystem;

struct Description {
  const char* name;
  const char* file_of_13;   // the file in CUDA 13
  const char* file_of_12;   // in CUDA 12; null: Heddle's own
  bool any_driver = false;  // whether that of 13 runs with the driver of 12
};

constexpr std::array descriptions = {
    Description{"cuBLAS", "libcublas.so.13", "libcublas.so.12"},
    Description{"cuBLASLt", "libcublasLt.so.13", "libcublasLt.so.12"},
    Description{"cuFFT", "libcufft.so.12", "libcufft.so.11"},
    Description{"cuRAND", "libcurand.so.10", "libcurand.so.10"},
    Description{"cuSOLVER", "libcusolver.so.12", "libcusolver.so.11"},
    Description{"cuSPARSE", "libcusparse.so.12", "libcusparse.so.12"},
    Description{"NVRTC", "libnvrtc.so.13", "libnvrtc.so.12"},
    Description{"nvJitLink", "libnvJitLink.so.13", "libnvJitLink.so.12"},
    Description{"NCCL", "libnccl.so.2", "libnccl.so.2"},
    Description{"NVTX", "libnvtx3interop.so.1", "libnvToolsExt.so.1", true},
    Description{"CUDA runtime", "libcudart.so.13", "libcudart.so.12"},
    Description{"NVVM", "libnvvm.so.4", "libnvvm.so.4"},
    Description{"NVML", "libnvidia-ml.so.1", "libnvidia-ml.so.1"},
    Description{"CUB", "libheddle_cub.so", nullptr},
};

// The folders of libraries in installations of CUDA and in wheels.
std::vector<fs::path> find_folders() {
  std::vector<fs::path> folders;
  for (const fs::path root : toolkit_folders()) {
    for (const char* name : {"lib64", "lib", "nvvm/lib64"}) {
      std::error_code ignored;
      if (fs::is_directory(root / name, ignored)) folders.push_back(root / name);
    }
  }
  return folders;
}

void* open(const fs::path& file) { return dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL); }

void* open_file(const char* file) {
  static const auto* folders = new std::vector<fs::path>(find_folders());
  if (void* handle = open(file)) return handle;
  for (const fs::path& folder : *folders) {
    if (void* handle = open(folder / file)) return handle;
  }
  return nullptr;
}

void* open_anywhere(const Description& library) {
  if (!library.file_of_12) return open(fs::path(library_folder()) / library.file_of_13);
  const Driver* cuda = driver();
  bool old = cuda && cuda->version < 13000;
  if (!old || library.any_driver) {
    if (void* handle = open_file(library.file_of_13)) return handle;
  }
  return open_file(library.file_of_12);
}

struct Opened {
  std::mutex mutex;
  std::array<void*, descriptions.size()> handles{};
  std::array<bool, descriptions.size()> tried{};
};

// Null where it is missing.
void* handle_of(Library library) {
  static auto* opened = new Opened;
  auto i = static_cast<std::size_t>(library);
  std::lock_guard lock(opened->mutex);
  if (!std::exchange(opened->tried[i], true)) opened->handles[i] = open_anywhere(descriptions[i]);
  return opened->handles[i];
}

std::string path_of(void* handle, const Description& library) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0 || !map)
    return library.file_of_13;
  return map->l_name;
}

// Throws import_error where it is missing.
void* need(Library library) {
  const Description& description = descriptions[static_cast<std::size_t>(library)];
  void* handle = handle_of(library);
  if (handle) return handle;
  if (!description.file_of_12) {
    throw import_error(fmt::format(
        "{} is needed for this and is not in {}; it is part of the wheels, and of builds with nvcc "
        "(HEDDLE_CUDA_CUB=ON says why it is not built). Or move the array to the CPU",
        description.file_of_13, library_folder()));
  }
  throw import_error(
      fmt::format("{} ({}) is needed for this and was not found on the library path, in CUDA_PATH "
                  "or in a Python package; install it with: pip install heddle[cuda]",
                  description.name, description.file_of_13));
}

}  // namespace

void* find_function(Library library, const char* name) {
  const Description& description = descriptions[static_cast<std::size_t>(library)];
  void* handle = need(library);
  if (void* found = dlsym(handle, name)) return found;
  throw device_error(fmt::format("{} in {} is too old: it has no {}", description.name,
                                 path_of(handle, description), name));
}

bool has_function(Library library, const char* name) {
  void* handle = handle_of(library);
  return handle && dlsym(handle, name);
}

bool is_installed(Library library) { return handle_of(library) != nullptr; }

std::string library_path(const std::string& name) {
  for (std::size_t i = 0; i < descriptions.size(); ++i) {
    if (name == descriptions[i].name)
      return path_of(need(static_cast<Library>(i)), descriptions[i]);
  }
  throw value_error(fmt::format("no library is called {}", name));
}

void throw_failed_call(const std::string& text, int status) {
  constexpr std::size_t little = 64 << 20;  // what they take for themselves
  std::size_t free = 0, total = 0;
  if (api().cuMemGetInfo(&free, &total) == CUDA_SUCCESS && free < little) {
    throw out_of_memory(fmt::format("{}; the GPU has {} bytes of memory left", text, free));
  }
  throw device_error(text, status);
}

std::vector<LibraryPlace> library_places() {
  std::vector<LibraryPlace> places;
  for (std::size_t i = 0; i < descriptions.size(); ++i) {
    void* handle = handle_of(static_cast<Library>(i));
    places.push_back(
        {descriptions[i].name, handle ? path_of(handle, descriptions[i]) : std::string()});
  }
  return places;
}

}  // namespace heddle::cuda
