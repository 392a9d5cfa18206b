// Kernels as source code: a compiler makes code of it, which a cache remembers. Devices whose code
// the host itself runs have it compiled by a plug-in, and loaded here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/foreign.h"
#include "runtime/programs.h"
#include <heddle/export.h>

namespace heddle {

struct SourceText {
  std::string text;
  std::string file;  // what messages call it
  std::vector<std::string> options;
  // Names as the source has them, "sum<float>", of which the compiled ones are wanted.
  std::vector<std::string> names;
  // Headers that it may include, by name.
  std::vector<std::pair<std::string, std::string>> headers;
};

struct CompiledSource {
  bool done = false;
  std::string code;
  std::vector<std::string> names;  // compiled, in the order of SourceText::names
  std::string log;                 // what the compiler says, also where it fails
};

// What was compiled before, in any process; else what `compile` makes. `compiler`: all that the
// code depends on beside the source.
CompiledSource compile_remembered(const std::string& compiler, const SourceText& source,
                                  const std::function<CompiledSource()>& compile);

struct SourceKernelFacts {
  std::int64_t shared_bytes = 0;  // of a block, dynamic memory apart
  std::int64_t local_bytes = 0;   // of a thread, in memory
  std::vector<std::int64_t> parameters;
};

// Code that is loaded. It stays, for whoever holds the module or a launch.
class SourceModule {
 public:
  virtual ~SourceModule() = default;
  // Throw value_error where the code has no such name.
  virtual SourceKernelFacts facts(const std::string& kernel) const = 0;
  virtual std::pair<void*, std::size_t> variable(const std::string& name) const = 0;
  // Throws value_error or type_error for what no launch of the kernel can have.
  virtual std::shared_ptr<const ForeignCall> launch(
      const std::string& kernel, const LaunchGeometry& geometry, bool cooperative,
      std::vector<ForeignArgument> arguments) const = 0;
};

class Sources {
 public:
  virtual ~Sources() = default;
  // `plugin`: the file of the compiler, which is opened when it is needed; `mark`: which one it is.
  virtual CompiledSource compile(const std::string& plugin, const std::string& mark,
                                 const SourceText& source) = 0;
  virtual std::shared_ptr<const SourceModule> load(const std::string& code) = 0;
};

// Of a device; null where its kind runs no such code.
HEDDLE_API Sources* sources_of(Device& device);
struct SourcesKind {
  explicit SourcesKind(Sources* (*find)(Device& device));
};

}  // namespace heddle
