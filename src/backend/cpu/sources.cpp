// CUDA C++ on the CPU: compiled by the plug-in, loaded as every kernel is, its blocks on all cores.
#include "runtime/sources.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>

#include <dlfcn.h>
#include <fmt/format.h>

#include "backend/cpu/block_scheduler.h"
#include "backend/cpu/blocks.h"
#include "backend/cpu/jit.h"
#include "backend/cpu/jit_debugger.h"
#include "backend/cpu/plugin_interface.h"
#include "backend/cpu/source_checks.h"
#include "backend/cpu/target.h"
#include "core/fork.h"
#include "runtime/device.h"
#include "runtime/interrupt.h"
#include "runtime/parallel.h"
#include "runtime/watched.h"
#include <heddle/errors.h>

namespace heddle::cpu {
namespace {

// --- the compiler ---

struct Plugin {
  decltype(&heddle_clang_compile) compile;
  decltype(&heddle_clang_release) release;
  decltype(&heddle_clang_tell_debugger) tell_debugger;
  decltype(&heddle_clang_forget) forget;
};

// The one that compiled last; null before.
std::atomic<const Plugin*>& opened() {
  static std::atomic<const Plugin*> plugin;
  return plugin;
}

// It stays open.
const Plugin& open_plugin(const std::string& path) {
  static auto* mutex = new std::mutex;
  static auto* known = new std::map<std::string, Plugin>;
  const std::lock_guard lock(*mutex);
  if (const auto found = known->find(path); found != known->end()) return found->second;
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw import_error(fmt::format("heddle-clang does not load: {}", dlerror()));
  const auto find = [&](const char* name) {
    void* found = dlsym(library, name);
    if (found == nullptr)
      throw import_error(fmt::format("{} is no heddle-clang: no {}", path, name));
    return found;
  };
  const Plugin plugin = {
      reinterpret_cast<decltype(&heddle_clang_compile)>(find("heddle_clang_compile")),
      reinterpret_cast<decltype(&heddle_clang_release)>(find("heddle_clang_release")),
      reinterpret_cast<decltype(&heddle_clang_tell_debugger)>(find("heddle_clang_tell_debugger")),
      reinterpret_cast<decltype(&heddle_clang_forget)>(find("heddle_clang_forget"))};
  const Plugin& made = known->emplace(path, plugin).first->second;
  opened() = &made;
  return made;
}

// Code and what is said of it are one text: the description ends with an empty line.
CompiledSource compile_now(const std::string& path, const SourceText& source) {
  const BlockingScope blocking;
  const NoForkScope no_fork;
  const Plugin& plugin = open_plugin(path);
  std::vector<const char*> options, names, header_names, header_texts;
  for (const std::string& option : source.options) options.push_back(option.c_str());
  for (const std::string& name : source.names) names.push_back(name.c_str());
  for (const auto& [name, text] : source.headers) {
    header_names.push_back(name.c_str());
    header_texts.push_back(text.c_str());
  }
  const kernel::Target& target = host_target();
  const heddle_clang_source given = {
      source.text.c_str(), source.file.c_str(),   options.data(),      options.size(),
      names.data(),        names.size(),          header_names.data(), header_texts.data(),
      header_names.size(), target.triple.c_str(), target.cpu.c_str(),  target.features.c_str()};
  heddle_clang_result* result = plugin.compile(&given);
  CompiledSource made;
  made.done = result->done != 0;
  made.log = result->log;
  if (made.done) {
    std::istringstream lines(result->description);
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind("name ", 0) == 0) made.names.push_back(line.substr(5));
    }
    made.code =
        std::string(result->description) + "\n" + std::string(result->object, result->object_size);
  }
  plugin.release(result);
  while (!made.log.empty() && made.log.back() == '\n') made.log.pop_back();
  return made;
}

// --- code that is loaded ---

struct Loaded {
  std::map<std::string, SourceKernel> kernels;
  std::map<std::string, std::pair<void*, std::size_t>> variables;
  std::unique_ptr<char[]> memory;  // of the variables
  char* variable_base = nullptr;
  std::vector<std::string> places;  // lines that checked kernels name
  std::shared_ptr<void> code;
  std::shared_ptr<void> told;  // to a debugger
};

class Launch final : public ForeignCall {
 public:
  Launch(std::shared_ptr<const Loaded> code, const SourceKernel& kernel,
         const LaunchGeometry& geometry, bool cooperative, std::vector<ForeignArgument> arguments)
      : code_(std::move(code)),
        kernel_(kernel),
        geometry_(geometry),
        cooperative_(cooperative),
        arguments_(std::move(arguments)) {}

  std::string name() const override { return kernel_.symbol; }
  void write_key(std::vector<std::uint64_t>& key) const override {
    key.push_back(reinterpret_cast<std::uintptr_t>(&kernel_));
    for (int d = 0; d < 3; ++d)
      key.push_back(static_cast<std::uint64_t>(geometry_.grid[d] << 32 | geometry_.block[d]));
    key.push_back(static_cast<std::uint64_t>(geometry_.dynamic_bytes << 1) |
                  std::uint64_t{cooperative_});
    heddle::write_key(arguments_, key);
  }
  bool at_once() const override {
    return kernel_.prints || kernel_.fails || kernel_.asks || kernel_.checked.granule != 0 ||
           code_->told != nullptr;
  }
  // Kernels that ask may be interrupted in the middle: what they wrote stays.
  void after() const override {
    if (interrupted_) throw interrupted("a kernel was interrupted");
    if (!failure_.empty()) throw assertion_error(failure_);
    if (found_) std::rethrow_exception(found_);
  }

  void run(Device&, std::span<void* const> addresses, std::span<Buffer* const>) const override {
    PackedArguments packed(arguments_, addresses);
    KernelLaunch launch;
    launch.kernel = &kernel_;
    std::copy_n(geometry_.grid, 3, launch.grid);
    std::copy_n(geometry_.block, 3, launch.block);
    launch.dynamic_bytes = geometry_.dynamic_bytes;
    launch.parameters = packed.pointers().data();
    launch.variables = code_->variable_base;
    const bool together = cooperative_ && kernel_.waits_for_grid();
    std::optional<SourceChecker> checker;
    if (kernel_.checked.granule != 0) {
      checker.emplace(launch, code_->places, together, arrays(addresses), variables());
      launch.checker = &*checker;
    }
    if (together) {
      const BlockingScope blocking;
      run_together(launch);
    } else {
      run_on_cores(launch);
    }
    if (checker) {
      try {
        checker->raise();
      } catch (const error&) {
        found_ = std::current_exception();
      }
    }
    if (kernel_.prints) std::fflush(stdout);
    interrupted_ = launch.interrupted;
    failure_ = launch.failure;
  }

 private:
  // What a thread does is not known: loops count as much.
  static constexpr std::int64_t usual_work = 8;

  std::vector<NamedMemory> arrays(std::span<void* const> addresses) const {
    std::vector<NamedMemory> made;
    std::size_t next = 0;
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      const ForeignArgument& argument = arguments_[i];
      NamedMemory& memory = made.emplace_back(kernel_.checked.parameters[i], nullptr, nullptr);
      if (!argument.array) continue;
      const char* at = static_cast<const char*>(addresses[next++]);
      memory.low = at + argument.low;
      memory.high = at + argument.high;
    }
    return made;
  }
  std::vector<NamedMemory> variables() const {
    std::vector<NamedMemory> made;
    for (const auto& [name, memory] : code_->variables) {
      const char* low = static_cast<const char*>(memory.first);
      made.push_back({name, low, low + memory.second});
    }
    return made;
  }

  static void run_on_cores(KernelLaunch& launch) {
    const BlockRange range{launch.blocks(), launch.threads(), usual_work, launch.checker != nullptr,
                           false,           launch.kernel};
    const std::int64_t pieces = pieces_of(range);
    if (!launch.kernel->asks || pieces <= 1) {
      const BlockingScope blocking(pieces > 1 || launch.kernel->asks);
      run_blocks(range, [&](std::int64_t first, std::int64_t count) {
        run_in_order(launch, first, count);
      });
      return;
    }
    // Loops that may go on for ever: this thread is the one that can be interrupted.
    watched_for(
        pieces,
        [&](std::int64_t piece) {
          const std::int64_t first = range.blocks * piece / pieces;
          run_in_order(launch, first, range.blocks * (piece + 1) / pieces - first);
        },
        [&] {
          if (launch.stopped || !interrupted_meanwhile()) return;
          launch.interrupted = true;
          launch.stopped = true;
        });
  }

  std::shared_ptr<const Loaded> code_;
  const SourceKernel& kernel_;
  LaunchGeometry geometry_;
  bool cooperative_;
  std::vector<ForeignArgument> arguments_;
  mutable bool interrupted_ = false;
  mutable std::string failure_;
  mutable std::exception_ptr found_;
};

class Module final : public SourceModule {
 public:
  explicit Module(std::shared_ptr<const Loaded> loaded) : loaded_(std::move(loaded)) {}

  SourceKernelFacts facts(const std::string& name) const override {
    const SourceKernel& kernel = find(name);
    SourceKernelFacts facts;
    facts.shared_bytes = static_cast<std::int64_t>(kernel.shared_bytes);
    facts.local_bytes = static_cast<std::int64_t>(kernel.row_bytes);
    for (const auto& [size, alignment] : kernel.parameters)
      facts.parameters.push_back(static_cast<std::int64_t>(size));
    return facts;
  }

  std::pair<void*, std::size_t> variable(const std::string& name) const override {
    const auto found = loaded_->variables.find(name);
    if (found == loaded_->variables.end())
      throw value_error(fmt::format("the code has no variable {}", name));
    return found->second;
  }

  std::shared_ptr<const ForeignCall> launch(const std::string& name, const LaunchGeometry& geometry,
                                            bool cooperative,
                                            std::vector<ForeignArgument> arguments) const override {
    const SourceKernel& kernel = find(name);
    ProgramLimits limits;
    limits.shared_bytes = std::int64_t{227} << 10;  // what the largest GPUs have
    check_geometry(name, geometry, limits, static_cast<std::int64_t>(kernel.shared_bytes),
                   "the CPU");
    if (arguments.size() != kernel.parameters.size()) {
      throw type_error(fmt::format("{} takes {} arguments, {} were given", name,
                                   kernel.parameters.size(), arguments.size()));
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      // Numbers of Python's have 8 bytes, whatever the parameter is; what has more is a struct.
      const auto given = arguments[i].size(), wanted = kernel.parameters[i].first;
      if (given < wanted || (given > wanted && given > 8)) {
        throw type_error(fmt::format("{}: argument {} has {} bytes, the parameter {}", name, i + 1,
                                     arguments[i].size(), kernel.parameters[i].first));
      }
    }
    if (kernel.waits_for_grid() && !cooperative) {
      throw value_error(
          fmt::format("{} waits for the whole grid: it needs "
                      "enable_cooperative_groups=True",
                      name));
    }
    return std::make_shared<Launch>(loaded_, kernel, geometry, cooperative, std::move(arguments));
  }

 private:
  const SourceKernel& find(const std::string& name) const {
    const auto found = loaded_->kernels.find(name);
    if (found == loaded_->kernels.end())
      throw value_error(fmt::format("the code has no kernel {} (is it extern \"C\"?)", name));
    return found->second;
  }
  std::shared_ptr<const Loaded> loaded_;
};

// See description.h of the plug-in.
SourceKernel read_kernel(std::istringstream& words, std::vector<std::string>& symbols) {
  SourceKernel kernel;
  std::string all, one, word;
  words >> kernel.symbol >> all >> one;
  symbols.push_back(all);
  symbols.push_back(one);
  words >> word >> kernel.shared_bytes >> word >> kernel.row_bytes >> word >> kernel.uniform_bytes;
  words >> word >> kernel.warps >> word >> kernel.prints >> word >> kernel.fails >> word >>
      kernel.asks;
  words >> word;  // "sites"
  while (words >> word && word != "parameters")
    kernel.sites.push_back(static_cast<Site>(std::stoi(word)));
  while (words >> word) {
    const std::size_t colon = word.find(':');
    kernel.parameters.emplace_back(std::stoul(word), std::stoul(word.substr(colon + 1)));
  }
  return kernel;
}

// A line about the last kernel, of those that are checked.
void read_checked(const std::string& word, std::istringstream& words, CheckedKernel& checked) {
  if (word == "checked") {
    words >> checked.granule;
  } else if (word == "site") {
    CheckedKernel::Site& site = checked.sites.emplace_back();
    words >> site.place >> site.parted;
  } else if (word == "shared") {
    CheckedKernel::Shared& shared = checked.shared.emplace_back();
    words >> shared.offset >> shared.bytes >> shared.name;
  } else if (word == "parameter") {
    words >> checked.parameters.emplace_back();
  }
}

class CpuSources final : public Sources {
 public:
  CompiledSource compile(const std::string& plugin, const std::string& mark,
                         const SourceText& source) override {
    const kernel::Target& target = host_target();
    return compile_remembered(fmt::format("clang {} {} {}", mark, target.cpu, target.features),
                              source, [&] { return compile_now(plugin, source); });
  }

  std::shared_ptr<const SourceModule> load(const std::string& code) override {
    const std::size_t end = code.find("\n\n");
    std::istringstream lines(code.substr(0, end + 1));
    auto loaded = std::make_shared<Loaded>();
    std::vector<SourceKernel> kernels;
    struct Variable {
      std::string name;
      std::size_t offset = 0, bytes = 0;
    };
    std::vector<Variable> variables;
    std::size_t variable_bytes = 0;
    std::vector<std::string> symbols;
    bool debug = false;
    for (std::string line, word; std::getline(lines, line);) {
      std::istringstream words(line);
      words >> word;
      if (word == "kernel") {
        kernels.push_back(read_kernel(words, symbols));
      } else if (word == "variable") {
        Variable& made = variables.emplace_back();
        words >> made.name >> made.offset >> made.bytes;
      } else if (word == "variables") {
        words >> variable_bytes;
      } else if (word == "debug") {
        debug = true;
      } else if (word == "place") {
        loaded->places.push_back(line.substr(word.size() + 1));
      } else if (!kernels.empty()) {
        read_checked(word, words, kernels.back().checked);
      }
    }
    if (variable_bytes != 0) symbols.emplace_back("heddle_variables");
    if (symbols.empty()) return std::make_shared<Module>(std::move(loaded));
    const NoForkScope no_fork;
    const std::string_view file = std::string_view(code).substr(end + 2);
    SectionAddresses sections;
    LoadedObject object = load_object(file, symbols, debug ? &sections : nullptr);
    if (const Plugin* plugin = opened(); debug && plugin != nullptr) {
      const std::string placed = placed_object(file, sections);
      loaded->told = std::shared_ptr<void>(plugin->tell_debugger(placed.data(), placed.size()),
                                           plugin->forget);
    }
    std::size_t next = 0;
    for (SourceKernel& kernel : kernels) {
      kernel.run_all = reinterpret_cast<RunAll>(object.addresses[next++]);
      kernel.run_one = reinterpret_cast<RunOne>(object.addresses[next++]);
      const std::string name = kernel.symbol;
      loaded->kernels.emplace(name, std::move(kernel));
    }
    if (variable_bytes != 0) {
      constexpr std::size_t line = 64;
      loaded->memory = std::make_unique<char[]>(variable_bytes + line);
      void* base = loaded->memory.get();
      std::size_t room = variable_bytes + line;
      loaded->variable_base = static_cast<char*>(std::align(line, variable_bytes, base, room));
      std::memcpy(loaded->variable_base, object.addresses[next++], variable_bytes);
    }
    for (const Variable& v : variables)
      loaded->variables[v.name] = {loaded->variable_base + v.offset, v.bytes};
    loaded->code = std::move(object.code);
    return std::make_shared<Module>(std::move(loaded));
  }
};

[[maybe_unused]] const SourcesKind registered([](Device& device) -> Sources* {
  static auto* instance = new CpuSources;
  return &device == &cpu_device() ? instance : nullptr;
});

}  // namespace
}  // namespace heddle::cpu
