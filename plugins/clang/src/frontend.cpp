#include "frontend.h"

#include <algorithm>
#include <exception>

#include <clang/Basic/Diagnostic.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <pthread.h>

namespace heddle::clang_plugin {
namespace {

constexpr const char* given_folder = "/heddle-clang/given";
constexpr const char* needs_mark = "heddle needs: ";
constexpr const char* name_prefix = "__heddle_name_";

bool starts(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }

// What NVRTC's options are for Clang. Those about GPUs alone (registers, kinds of GPUs, assemblers)
// mean nothing here.
class Options {
 public:
  explicit Options(const std::vector<std::string>& given) {
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (!read(given[i], i + 1 < given.size() ? &given[i + 1] : nullptr)) continue;
      ++i;
    }
  }
  std::vector<std::string> made;
  bool default_device = false;
  bool debug = false;
  bool check = false;
  bool contract = true;

 private:
  // Whether the next word belongs to it.
  bool read(const std::string& option, const std::string* next) {
    const auto value = [&] { return option.substr(option.find('=') + 1); };
    if (starts(option, "-D") || starts(option, "-U") || starts(option, "-I")) {
      if (option.size() > 2) return put({option}), false;
      need(option, next);
      return put({option + *next}), true;
    }
    if (starts(option, "--define-macro=")) return put({"-D" + value()}), false;
    if (starts(option, "--undefine-macro=")) return put({"-U" + value()}), false;
    if (starts(option, "--include-path=")) return put({"-I" + value()}), false;
    if (starts(option, "--pre-include=")) return put({"-include", value()}), false;
    if (option == "-include" || option == "--pre-include") {
      need(option, next);
      return put({"-include", *next}), true;
    }
    if (starts(option, "-std=") || starts(option, "--std=")) return put({"-std=" + value()}), false;
    if (option == "-G" || option == "--device-debug") return debug = true, false;
    if (option == "--heddle-check") return check = true, false;
    if (option == "-default-device" || option == "--device-as-default-execution-space")
      return default_device = true, false;
    if (starts(option, "-fmad=") || starts(option, "--fmad=")) {
      contract = value() != "false";
      return false;
    }
    if (option == "-use_fast_math" || option == "--use_fast_math") {
      put({"-D__USE_FAST_MATH__=1", "-fapprox-func", "-freciprocal-math", "-fno-signed-zeros"});
      return false;
    }
    if (option == "-w" || option == "--disable-warnings") return put({"-w"}), false;
    static const char* const about_gpus[] = {"-arch",
                                             "--gpu-architecture",
                                             "-lineinfo",
                                             "--generate-line-info",
                                             "-maxrregcount",
                                             "--maxrregcount",
                                             "-ftz",
                                             "--ftz",
                                             "-prec-div",
                                             "--prec-div",
                                             "-prec-sqrt",
                                             "--prec-sqrt",
                                             "-rdc",
                                             "--relocatable-device-code",
                                             "-extra-device-vectorization",
                                             "--extra-device-vectorization",
                                             "-restrict",
                                             "--restrict",
                                             "-Xptxas",
                                             "--ptxas-options",
                                             "-dopt",
                                             "--dopt",
                                             "-opt-info",
                                             "--opt-info",
                                             "-diag-suppress",
                                             "--diag-suppress",
                                             "-gpu-arch",
                                             "--device-c",
                                             "-dc",
                                             "-dw",
                                             "--device-w",
                                             "-O",
                                             "--extensible-whole-program",
                                             "-jitify",
                                             "-err-no",
                                             "--display-error-number"};
    for (const char* known : about_gpus) {
      if (option == known) return next && next->rfind('-', 0) != 0 && option != "-G";
      if (starts(option, known)) return false;
    }
    throw Refused{"error: the option " + option + " is not known to the compiler for CPUs"};
  }
  static void need(const std::string& option, const std::string* next) {
    if (!next) throw Refused{"error: the option " + option + " wants another word"};
  }
  void put(std::initializer_list<std::string> words) { made.insert(made.end(), words); }
};

std::vector<std::string> arguments_of(const Source& source, const Options& options) {
  std::vector<std::string> made = {// Clang knows CUDA's rules for GPUs: threads' memory, kernels,
                                   // what a device may call. The code
                                   // is made one of this machine afterwards.
                                   "-triple",
                                   "nvptx64-nvidia-cuda",
                                   "-aux-triple",
                                   source.triple,
                                   "-fcuda-is-device",
                                   "-target-cpu",
                                   "sm_90",
                                   "-target-feature",
                                   "+ptx83",
                                   "-x",
                                   "cuda",
                                   "-fdeclspec",
                                   "-O2",
                                   "-disable-llvm-passes",
                                   "-disable-lifetime-markers",
                                   "-emit-llvm-only",
                                   "-relaxed-aliasing",
                                   "-nostdsysteminc",
                                   "-nobuiltininc",
                                   "-fcuda-allow-variadic-functions",
                                   "-ferror-limit",
                                   "20",
                                   "-fgnuc-version=4.2.1",
                                   "-internal-isystem",
                                   own_folder,
                                   "-internal-isystem",
                                   given_folder,
                                   "-include",
                                   "heddle_cuda/prelude.h",
                                   "-Wno-unused-value",
                                   "-Wunused-variable",
                                   "-Wno-pass-failed",
                                   "-Wno-unknown-pragmas",
                                   "-Wno-builtin-macro-redefined",
                                   "-Wno-nullability-completeness",
                                   "-Wno-undefined-internal",
                                   "-Wno-undefined-inline"};
  made.push_back(options.contract ? "-ffp-contract=fast" : "-ffp-contract=off");
  if (options.debug) {
    made.insert(made.end(),
                {"-debug-info-kind=standalone", "-dwarf-version=4", "-debugger-tuning=gdb"});
  } else {
    made.push_back("-debug-info-kind=line-tables-only");
  }
  made.insert(made.end(), options.made.begin(), options.made.end());
  if (std::none_of(options.made.begin(), options.made.end(),
                   [](const std::string& o) { return starts(o, "-std="); })) {
    made.push_back("-std=c++17");
  }
  made.push_back("/" + source.file);
  return made;
}

// The source, and after it a variable for each name that is wanted, which refers to it.
std::string with_names(const Source& source, const Options& options) {
  std::string text;
  if (options.default_device) text += "#pragma clang force_cuda_host_device begin\n";
  text += "#line 1 \"" + source.file + "\"\n" + source.text;
  if (options.default_device) text += "\n#pragma clang force_cuda_host_device end\n";
  text += "\n";
  for (std::size_t i = 0; i < source.names.size(); ++i) {
    const std::string& name = source.names[i];
    const bool address = !name.empty() && name[0] == '&';
    text += "#line 1 \"name expression '" + name + "'\"\n";
    text += "extern \"C\" __device__ __attribute__((used)) const void* const " +
            (name_prefix + std::to_string(i)) + " = (const void*)" +
            (address ? name : "(&" + name + ")") + ";\n";
  }
  return text;
}

// The function or variable that an expression of constants is.
const llvm::GlobalValue* named(const llvm::Constant* constant) {
  return llvm::dyn_cast_or_null<llvm::GlobalValue>(
      constant ? constant->stripPointerCastsAndAliases() : nullptr);
}

void take_names(const Source& source, llvm::Module& module, std::vector<std::string>& names) {
  for (std::size_t i = 0; i < source.names.size(); ++i) {
    llvm::GlobalVariable* variable =
        module.getGlobalVariable(name_prefix + std::to_string(i), /*AllowInternal=*/true);
    const llvm::GlobalValue* found =
        variable && variable->hasInitializer() ? named(variable->getInitializer()) : nullptr;
    if (!found) throw Refused{"error: " + source.names[i] + " is no kernel and no variable"};
    names.push_back(found->getName().str());
  }
}

// What headers mark as in need of a GPU: attributes that say nothing by themselves.
void refuse_marked(const llvm::Module& module) {
  const llvm::GlobalVariable* all = module.getGlobalVariable("llvm.global.annotations");
  const auto* list = all ? llvm::dyn_cast<llvm::ConstantArray>(all->getInitializer()) : nullptr;
  if (!list) return;
  const auto text = [](const llvm::Constant* constant) {
    const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(constant->stripPointerCasts());
    const auto* data =
        variable ? llvm::dyn_cast<llvm::ConstantDataArray>(variable->getInitializer()) : nullptr;
    return data && data->isCString() ? data->getAsCString().str() : std::string();
  };
  for (const llvm::Use& use : list->operands()) {
    const auto* mark = llvm::cast<llvm::ConstantStruct>(use.get());
    const std::string said = text(mark->getOperand(1));
    if (!starts(said, needs_mark)) continue;
    const auto* line = llvm::cast<llvm::ConstantInt>(mark->getOperand(3));
    throw Refused{text(mark->getOperand(2)) + ":" + std::to_string(line->getZExtValue()) +
                  ": error: " + said.substr(std::string(needs_mark).size())};
  }
}

// What Clang says of what it has an option for, which is none of NVRTC's.
void explain(std::string& log) {
  static constexpr const char* said =
      "kernel launch from __device__ or __global__ function requires relocatable device code "
      "(i.e. requires -fgpu-rdc)";
  for (std::size_t at = log.find(said); at != std::string::npos; at = log.find(said, at))
    log.replace(at, std::string(said).size(),
                "dynamic parallelism, a kernel that launches another, needs a GPU");
}

// Inline assembly is for GPUs; where it stands is still known.
void refuse_assembly(const llvm::Module& module, const clang::SourceManager& places) {
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (!call || !call->isInlineAsm()) continue;
      if (llvm::cast<llvm::InlineAsm>(call->getCalledOperand())->getAsmString().empty()) continue;
      std::string place;
      if (const llvm::MDNode* node = call->getMetadata("srcloc"); node && node->getNumOperands()) {
        if (auto* number = llvm::mdconst::dyn_extract<llvm::ConstantInt>(node->getOperand(0))) {
          const auto at = clang::SourceLocation::getFromRawEncoding(
              static_cast<unsigned>(number->getZExtValue()));
          const clang::PresumedLoc line = places.getPresumedLoc(at);
          if (line.isValid())
            place = std::string(line.getFilename()) + ":" + std::to_string(line.getLine()) + ": ";
        }
      }
      throw Refused{place + "error: inline PTX (asm) needs a GPU"};
    }
  }
}

// Threads of a GPU have no more memory of their own, either; here it is on the stack, once for each
// lane.
void refuse_large(const llvm::Module& module) {
  constexpr std::uint64_t most = std::uint64_t{480} << 10;
  for (const llvm::Function& function : module) {
    std::uint64_t bytes = 0, largest = 0;
    std::string name;
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* made = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
      if (!made) continue;
      const auto size = made->getAllocationSize(module.getDataLayout());
      const std::uint64_t own = size && !size->isScalable() ? size->getFixedValue() : 0;
      bytes += own;
      if (own <= largest) continue;
      largest = own;
      name = made->getName().str();
    }
    if (bytes <= most) continue;
    throw Refused{"error: the variables of a thread in " + function.getName().str() + " take " +
                  std::to_string(bytes) + " bytes, " + std::to_string(largest) + " of them '" +
                  name + "': there is room for " + std::to_string(most)};
  }
}

// Clang follows nested code by calling itself: on a stack of its own, which takes memory only as
// far as it is used, sources that nest deeply end in errors of Clang's.
template <typename Function>
void on_large_stack(Function& function) {
  struct Call {
    Function& function;
    std::exception_ptr failed;
  } call{function, nullptr};
  auto run = [](void* given) -> void* {
    auto& call = *static_cast<Call*>(given);
    try {
      call.function();
    } catch (...) {
      call.failed = std::current_exception();
    }
    return nullptr;
  };
  constexpr std::size_t bytes = std::size_t{256} << 20;
  pthread_attr_t attributes;
  pthread_t thread{};
  pthread_attr_init(&attributes);
  const bool started = pthread_attr_setstacksize(&attributes, bytes) == 0 &&
                       pthread_create(&thread, &attributes, run, &call) == 0;
  pthread_attr_destroy(&attributes);
  if (started) {
    pthread_join(thread, nullptr);
  } else {
    run(&call);  // where memory is limited
  }
  if (call.failed) std::rethrow_exception(call.failed);
}

}  // namespace

Translated translate(const Source& source, llvm::LLVMContext& context) {
  Translated made;
  llvm::raw_string_ostream log(made.log);
  const Options options(source.options);
  made.debug = options.debug;
  made.check = options.check;
  const std::vector<std::string> words = arguments_of(source, options);
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());

  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (unsigned i = 0; i < own_header_count; ++i) {
    files->addFile(std::string(own_folder) + "/" + own_headers[i].name, 0,
                   llvm::MemoryBuffer::getMemBuffer(own_headers[i].text));
  }
  for (const auto& [name, text] : source.headers) {
    files->addFile(std::string(given_folder) + "/" + name, 0,
                   llvm::MemoryBuffer::getMemBuffer(text));
  }
  files->addFile("/" + source.file, 0,
                 llvm::MemoryBuffer::getMemBufferCopy(with_names(source, options)));
  auto all =
      llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
  all->pushOverlay(files);

  clang::DiagnosticOptions shown;
  shown.ShowColors = false;
  shown.ShowPresumedLoc = true;  // lines as the user counts them
  auto printer = std::make_unique<clang::TextDiagnosticPrinter>(log, shown);
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  {
    auto engine = clang::CompilerInstance::createDiagnostics(*all, shown, printer.get(), false);
    if (!clang::CompilerInvocation::CreateFromArgs(*invocation, arguments, *engine)) return made;
  }
  // So many parentheses and braces within each other fit on any stack.
  invocation->getLangOpts().BracketDepth = 256;
  clang::CompilerInstance compiler(invocation);
  compiler.setVirtualFileSystem(all);
  compiler.createDiagnostics(printer.get(), /*ShouldOwnClient=*/false);
  compiler.createFileManager();
  clang::EmitLLVMOnlyAction action(&context);
  compiler.setVerboseOutputStream(llvm::nulls());  // the number of errors is no news
  bool done = false;
  auto execute = [&] { done = compiler.ExecuteAction(action); };
  on_large_stack(execute);
  explain(made.log);
  if (!done || compiler.getDiagnostics().hasErrorOccurred()) return made;
  std::unique_ptr<llvm::Module> module = action.takeModule();
  if (!module) return made;
  refuse_assembly(*module, compiler.getSourceManager());
  refuse_marked(*module);
  refuse_large(*module);
  take_names(source, *module, made.names);
  made.module = std::move(module);
  return made;
}

}  // namespace heddle::clang_plugin
