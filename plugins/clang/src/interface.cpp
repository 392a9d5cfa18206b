#include <cstdlib>
#include <mutex>

#include <fmt/format.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include "backend/cpu/plugin_interface.h"
#include "description.h"
#include "frontend.h"
#include "heddle_clang_mark.h"
#include "lowering.h"
#include "watching.h"

namespace heddle::clang_plugin {

std::string to_text(const Description& description) {
  std::string text;
  for (const KernelDescription& k : description.kernels) {
    text += fmt::format(
        "kernel {} {} {} shared {} rows {} uniform {} warps {} prints {} fails {} asks {} sites",
        k.symbol, k.run_all, k.run_one, k.shared, k.rows, k.uniform, int{k.warps}, int{k.prints},
        int{k.fails}, int{k.asks});
    for (const int site : k.sites) text += fmt::format(" {}", site);
    text += " parameters";
    for (const Parameter& p : k.parameters) text += fmt::format(" {}:{}", p.size, p.alignment);
    text += "\n";
    if (k.granule == 0) continue;
    text += fmt::format("checked {}\n", k.granule);
    for (const auto& [place, parted] : k.places) text += fmt::format("site {} {}\n", place, parted);
    for (const auto& s : k.shared_variables)
      text += fmt::format("shared {} {} {}\n", s.offset, s.bytes, s.name);
    for (const std::string& name : k.parameter_names) text += fmt::format("parameter {}\n", name);
  }
  if (description.debug) text += "debug\n";
  for (const std::string& place : description.places) text += fmt::format("place {}\n", place);
  for (const VariableDescription& v : description.variables)
    text += fmt::format("variable {} {} {}\n", v.symbol, v.offset, v.size);
  if (description.variable_bytes != 0)
    text += fmt::format("variables {}\n", description.variable_bytes);
  for (const std::string& name : description.names) text += fmt::format("name {}\n", name);
  return text;
}

namespace {

struct Made {
  bool done = false;
  std::string object, log, description;
};

std::unique_ptr<llvm::TargetMachine> machine_for(const Source& source) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
  });
  std::string reason;
  const llvm::Triple triple(source.triple);
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, reason);
  if (!target) throw Refused{"error: " + reason};
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;  // what may be fused says so itself
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, source.cpu, source.features, options, llvm::Reloc::PIC_,
                                  llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
}

std::string object_of(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    throw Refused{"error: no object files for this machine"};
  passes.run(module);
  return {bytes.begin(), bytes.end()};
}

void verify(const llvm::Module& module, const char* when) {
  std::string reason;
  llvm::raw_string_ostream stream(reason);
  if (llvm::verifyModule(module, &stream))
    throw Refused{std::string("error: the compiler for CPUs made code that breaks a rule, ") +
                  when + ": " + reason};
}

Made compile(const Source& source) {
  Made made;
  llvm::LLVMContext context;
  try {
    const std::unique_ptr<llvm::TargetMachine> machine = machine_for(source);
    Translated translated = translate(source, context);
    made.log = translated.log;
    if (!translated.module) return made;
    llvm::Module& module = *translated.module;
    const Purpose purpose = translated.check   ? Purpose::check
                            : translated.debug ? Purpose::debug
                                               : Purpose::speed;
    if (purpose == Purpose::debug) machine->setOptLevel(llvm::CodeGenOptLevel::None);
    const bool shows = std::getenv("HEDDLE_CLANG_SHOW") != nullptr;
    const Parts parts = adopt(module, *machine, source);
    if (purpose == Purpose::check) mark_returns(module, source);
    if (purpose == Purpose::speed) llvm::StripDebugInfo(module);
    verify(module, "adopted");
    simplify(module, parts, *machine, purpose);
    Description description;
    description.debug = purpose == Purpose::debug;
    description.names = translated.names;
    std::vector<std::uint64_t> granules(parts.kernels.size(), 0);
    if (purpose == Purpose::check) {
      Places places;
      for (std::size_t i = 0; i < parts.kernels.size(); ++i)
        granules[i] = watch(*parts.kernels[i], parts, places);
      description.places = places.texts();
      llvm::StripDebugInfo(module);
      verify(module, "watched");
    }
    int number = 0;
    for (llvm::Function* kernel : parts.kernels) {
      ask_in_loops(*kernel);
      if (shows) kernel->print(llvm::errs());
      const std::uint64_t granule = granules[static_cast<std::size_t>(number)];
      description.kernels.push_back(
          lower_kernel(*kernel, parts, number++, purpose, granule, *machine));
      kernel->eraseFromParent();
    }
    verify(module, "cut");
    for (llvm::GlobalVariable* variable : parts.variables) {
      description.variables.push_back(
          {variable->getName().str(), parts.places.at(variable),
           module.getDataLayout().getTypeAllocSize(variable->getValueType()).getFixedValue()});
    }
    description.variable_bytes = parts.variable_bytes;
    write_variables(module, parts);
    for (llvm::GlobalVariable* variable : parts.shared) {
      variable->removeDeadConstantUsers();
      if (variable->use_empty()) variable->eraseFromParent();
    }
    if (purpose != Purpose::debug) optimize(module, *machine);
    if (shows) module.print(llvm::errs(), nullptr);
    made.object = object_of(module, *machine);
    made.description = to_text(description);
    made.done = true;
  } catch (const Refused& refused) {
    if (!made.log.empty() && made.log.back() != '\n') made.log += '\n';
    made.log += refused.reason;
  }
  return made;
}

}  // namespace
}  // namespace heddle::clang_plugin

using heddle::clang_plugin::Made;

heddle_clang_result* heddle_clang_compile(const heddle_clang_source* given) {
  heddle::clang_plugin::Source source;
  source.text = given->text;
  source.file = given->file;
  source.options.assign(given->options, given->options + given->option_count);
  source.names.assign(given->names, given->names + given->name_count);
  for (std::size_t i = 0; i < given->header_count; ++i)
    source.headers.emplace_back(given->header_names[i], given->header_texts[i]);
  source.triple = given->triple;
  source.cpu = given->cpu;
  source.features = given->features;
  auto made = std::make_unique<Made>(heddle::clang_plugin::compile(source));
  auto* result = new heddle_clang_result;
  result->done = made->done;
  result->object = made->object.data();
  result->object_size = made->object.size();
  result->log = made->log.c_str();
  result->description = made->description.c_str();
  result->owner = made.release();
  return result;
}

void heddle_clang_release(heddle_clang_result* result) {
  delete static_cast<Made*>(result->owner);
  delete result;
}

const char* heddle_clang_version() { return HEDDLE_CLANG_MARK; }
