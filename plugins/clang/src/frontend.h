// CUDA C++ to LLVM's IR, by Clang's libraries, with headers of our own and no file system.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <llvm/IR/Module.h>

namespace heddle::clang_plugin {

struct Source {
  std::string text, file;
  std::vector<std::string> options, names;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string triple, cpu, features;
};

// A mistake of the source, or what cannot be run; its text goes to the log.
// Where the headers of the plug-in are.
inline constexpr const char* own_folder = "/heddle-clang/include";

struct Refused {
  std::string reason;
};

struct Translated {
  std::unique_ptr<llvm::Module> module;  // null: it was refused
  std::vector<std::string> names;        // symbols of Source::names
  std::string log;
  bool debug = false;  // for a debugger: nothing is made faster
  bool check = false;  // accesses and barriers are told
};

Translated translate(const Source& source, llvm::LLVMContext& context);

// The headers that are part of the plug-in, by name.
struct Header {
  const char* name;
  const char* text;
};
extern const Header own_headers[];
extern const unsigned own_header_count;

}  // namespace heddle::clang_plugin
