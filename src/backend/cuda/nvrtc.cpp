#include "backend/cuda/nvrtc.h"

#include <algorithm>

#include <fmt/format.h>

#include "backend/cuda/libraries.h"
#include "runtime/interrupt.h"
#include <heddle/errors.h>

namespace heddle::cuda {
namespace {

using Program = struct nvrtcProgram*;
using Status = int;
constexpr Status compilation_failed = 6;  // NVRTC_ERROR_COMPILATION

template <class F>
F* nvrtc(const char* name) {
  return function<F>(Library::nvrtc, name);
}

void check_nvrtc(Status status, const char* what) {
  if (status == 0) return;
  auto* words = nvrtc<const char*(Status)>("nvrtcGetErrorString");
  throw device_error(fmt::format("{}: {}", what, words(status)), status);
}

// A text that the library gives by size and by contents.
std::string text_of(Program program, const char* size_name, const char* text_name) {
  std::size_t size = 0;
  check_nvrtc(nvrtc<Status(Program, std::size_t*)>(size_name)(program, &size), size_name);
  std::string text(size, '\0');
  if (size != 0)
    check_nvrtc(nvrtc<Status(Program, char*)>(text_name)(program, text.data()), text_name);
  return text;
}

std::string log_of(Program program) {
  std::string log = text_of(program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog");
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
  return log;
}

bool is_of_a_real_gpu(const Source& source) {
  return std::any_of(source.options.begin(), source.options.end(), [](const std::string& option) {
    return option.find("arch=sm_") != std::string::npos;
  });
}

struct Held {
  Program program = nullptr;
  ~Held() {
    if (program) nvrtc<Status(Program*)>("nvrtcDestroyProgram")(&program);
  }
};

Compiled compile(const Source& source) {
  const BlockingScope blocking;
  Held held;
  std::vector<const char*> texts, headers, options;
  for (const auto& [name, text] : source.headers) {
    headers.push_back(name.c_str());
    texts.push_back(text.c_str());
  }
  for (const std::string& option : source.options) options.push_back(option.c_str());
  check_nvrtc(
      nvrtc<Status(Program*, const char*, const char*, int, const char**, const char**)>(
          "nvrtcCreateProgram")(&held.program, source.text.c_str(), source.file.c_str(),
                                static_cast<int>(texts.size()), texts.data(), headers.data()),
      "nvrtcCreateProgram");
  for (const std::string& name : source.names) {
    check_nvrtc(
        nvrtc<Status(Program, const char*)>("nvrtcAddNameExpression")(held.program, name.c_str()),
        "nvrtcAddNameExpression");
  }
  const Status status = nvrtc<Status(Program, int, const char**)>("nvrtcCompileProgram")(
      held.program, static_cast<int>(options.size()), options.data());
  Compiled made;
  made.log = log_of(held.program);
  if (status == compilation_failed || (status != 0 && !made.log.empty())) return made;
  check_nvrtc(status, "nvrtcCompileProgram");
  for (const std::string& name : source.names) {
    const char* compiled = nullptr;
    check_nvrtc(nvrtc<Status(Program, const char*, const char**)>("nvrtcGetLoweredName")(
                    held.program, name.c_str(), &compiled),
                "nvrtcGetLoweredName");
    made.names.emplace_back(compiled);
  }
  made.code = is_of_a_real_gpu(source) ? text_of(held.program, "nvrtcGetCUBINSize", "nvrtcGetCUBIN")
                                       : text_of(held.program, "nvrtcGetPTXSize", "nvrtcGetPTX");
  made.done = true;
  return made;
}

}  // namespace

std::pair<int, int> nvrtc_version() {
  int major = 0, minor = 0;
  check_nvrtc(nvrtc<Status(int*, int*)>("nvrtcVersion")(&major, &minor), "nvrtcVersion");
  return {major, minor};
}

Compiled compile_source(const Source& source) {
  const auto [major, minor] = nvrtc_version();
  return compile_remembered(fmt::format("nvrtc {}.{}", major, minor), source,
                            [&] { return compile(source); });
}

}  // namespace heddle::cuda
